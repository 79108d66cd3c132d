// Copies of operands that let a Hopper kernel read them by TMA.
//
// TMA reads lines that are a multiple of 16 bytes long. Operands of 8 and 32 bits must be
// k-contiguous, because wgmma reads them only k-major from shared memory; some kernels read one
// such operand into registers (RegistersReadRhs). Any other operand that TMA cannot read is loaded
// element by element, which is 10 to 20 times slower. So XLA copies an operand before the call if
// that costs less than it saves.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace jaxgemm {

// The problem as the kernel gets it: the layout of each operand, and the sizes with the zeros that
// pad them.
struct Relayout {
  int64_t lhs_contracting, rhs_contracting, m, n, k;

  bool CopiesLhs(const Problem& p) const {
    return lhs_contracting != p.lhs_contracting || m != p.m || k != p.k;
  }
  bool CopiesRhs(const Problem& p) const {
    return rhs_contracting != p.rhs_contracting || n != p.n || k != p.k;
  }
};

// Whether TMA can read an operand, by its layout, the length of its lines, and where boxes begin.
// (Buffers begin at multiples of 16 bytes.)
bool TmaReadsLhs(const Problem& problem);
bool TmaReadsRhs(const Problem& problem);
// With ragged k, the k tiles of a group begin at a multiple of this number of k: in a k-contiguous
// operand boxes begin there, and must begin at multiples of 16 bytes. The kernel sets elements of
// other groups to zero.
int64_t AlignedK(const Problem& problem);
// Whether there are kernels that read both operands in place, an rhs of 8 or 32 bits that is not
// k-contiguous through registers: of float32 those that store out^T, whose lhs it is, and of
// grouped products those that apply only vectors.
bool RegistersReadRhs(const Problem& problem);
// Whether TMA can store out.
bool TmaStoresOut(const Problem& problem);
// Whether TMA reads both operands and stores the result as they are.
bool TmaMovesAll(const Problem& problem);

// The relayout that is fastest by estimate. For other targets than sm90, for scales of blocks, and
// if the configuration names a kernel, there are no copies.
Relayout ChooseRelayout(const Problem& problem, const Config& config, const Chip& chip);

// The problem after the copies.
Problem Relaid(Problem problem, const Relayout& relayout);

}  // namespace jaxgemm
