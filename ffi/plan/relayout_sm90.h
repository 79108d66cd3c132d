// Copies of operands that let a Hopper kernel read them by TMA.
//
// TMA reads lines that are a multiple of 16 bytes long. Operands of 8 and 32 bits must have k along
// the lines, because wgmma reads them so from shared memory. An operand that TMA cannot read is
// loaded element by element, which is 10 to 20 times slower. Until there are kernels for these
// layouts, XLA copies an operand before the call if that costs less than it saves.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace jaxgemm {

// The problem as the kernel gets it: the layout of each operand, and the sizes, which may be padded
// with zeros.
struct Relayout {
  int64_t lhs_contracting, rhs_contracting, m, n, k;

  bool CopiesLhs(const Problem& p) const {
    return lhs_contracting != p.lhs_contracting || m != p.m || k != p.k;
  }
  bool CopiesRhs(const Problem& p) const {
    return rhs_contracting != p.rhs_contracting || n != p.n || k != p.k;
  }
};

// Whether TMA can read an operand or store out: the layout and the length of the lines. (Buffers
// begin at multiples of 16 bytes.)
bool TmaReadsLhs(const Problem& problem);
bool TmaReadsRhs(const Problem& problem);
// Ragged k: the k tiles of a group begin at a multiple of this. Where k runs along the lines of an
// operand, boxes begin there, at multiples of 16 bytes; the kernel zeroes what is not the group's.
int64_t AlignedK(const Problem& problem);
// Whether the kernels of float32 that store out^T read both operands as they lie: rhs, which is
// their lhs, through registers.
bool RegistersReadRhs(const Problem& problem);
bool TmaStoresOut(const Problem& problem);
// Whether TMA reads both operands and stores the result as they are.
bool TmaMovesAll(const Problem& problem);

// The relayout that is fastest by estimate. For other targets than sm90, or if the configuration
// names a kernel, there are no copies.
Relayout ChooseRelayout(const Problem& problem, const Config& config, const Chip& chip);

// The problem after the copies.
Problem Relaid(Problem problem, const Relayout& relayout);

}  // namespace jaxgemm
