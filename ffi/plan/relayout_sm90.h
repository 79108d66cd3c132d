// Copies of operands that let a Hopper kernel read them by TMA.
//
// TMA reads lines that are a multiple of 16 bytes long. Operands of 8 and 32 bits have k along the
// lines, because wgmma reads them so from shared memory. Groups of k begin anywhere, so k runs
// across the lines there. What TMA does not read is loaded element by element, which is 10 to 20
// times slower. Until there are kernels for these layouts, XLA copies an operand before the call
// where that costs less than it saves.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace jaxgemm {

// The problem as the kernel gets it: the layout of each operand, and sizes that may be padded with
// zeros at their end.
struct Relayout {
  int64_t lhs_contracting, rhs_contracting, m, n, k;

  bool CopiesLhs(const Problem& p) const {
    return lhs_contracting != p.lhs_contracting || m != p.m || k != p.k;
  }
  bool CopiesRhs(const Problem& p) const {
    return rhs_contracting != p.rhs_contracting || n != p.n || k != p.k;
  }
};

// Whether TMA can read an operand: its layout and the length of its lines. (Buffers begin at
// multiples of 16 bytes.)
bool TmaReadsLhs(const Problem& problem);
bool TmaReadsRhs(const Problem& problem);

// Whether TMA reads both operands as they are and can store the result's lines.
bool NeedsNoCopy(const Problem& problem, const Relayout& relayout);

// The fastest way by estimate; for other targets, and where the configuration names a kernel, the
// problem as it is.
Relayout ChooseRelayout(const Problem& problem, const Config& config, const Chip& chip);

// The problem after the copies.
Problem Relaid(Problem problem, const Relayout& relayout);

}  // namespace jaxgemm
