// Copies of operands that let a Hopper kernel read them by TMA (tma.h). XLA copies an operand
// before the call if that costs less than it saves.
#pragma once

#include <cstdint>

#include "spec/chip.h"
#include "spec/problem.h"

namespace jaxgemm {

// The problem as the kernel gets it: the layout of each operand, and the sizes with the zeros that
// pad them.
struct Relayout {
  int64_t lhs_contracting, rhs_contracting, m, n, k;
  // Whether the kernel reads by index. If it does not, the copy gathers first.
  bool lhs_gathered, rhs_gathered;

  bool CopiesLhs(const Problem& p) const {
    return lhs_contracting != p.lhs_contracting || m != p.m || k != p.k ||
           lhs_gathered != p.lhs_gathered;
  }
  bool CopiesRhs(const Problem& p) const {
    return rhs_contracting != p.rhs_contracting || n != p.n || k != p.k ||
           rhs_gathered != p.rhs_gathered;
  }
};

// No copies.
inline Relayout AsItIs(const Problem& p) {
  return {p.lhs_contracting, p.rhs_contracting, p.m, p.n, p.k, p.lhs_gathered, p.rhs_gathered};
}

// The problem after the copies.
inline Problem Relaid(Problem p, const Relayout& r) {
  p.lhs_contracting = r.lhs_contracting, p.rhs_contracting = r.rhs_contracting;
  p.m = r.m, p.n = r.n, p.k = r.k;
  if (!r.lhs_gathered) p.lhs_gathered = p.lhs_indices_batched = false, p.lhs_lines = 0;
  if (!r.rhs_gathered) p.rhs_gathered = p.rhs_indices_batched = false, p.rhs_lines = 0;
  return p;
}

// The relayout that is fastest by estimate on Hopper. For scales of blocks, and if the
// configuration names a kernel, there are no copies.
Relayout ChooseRelayout(const Problem& problem, const Config& config);

}  // namespace jaxgemm
