// The end of a work tile's k range, for the main loops of AMD GPUs, which load k tiles ahead.
#pragma once

#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "schedule/tile_scheduler.h"

namespace jaxgemm {

// The work that a main loop does while its first loads are in flight is given to Run() of
// VectorMainloop. This is no work.
struct NoOverlappedWork {
  JAXGEMM_AMD void Load() {}
  JAXGEMM_AMD void Compute() {}
};

// Limits the loads of the next k tile, of `left` that are left, to the k that exist. The last k
// tile may be partial. Loads of k tiles after the last one return zeros.
template <class Lhs, class Rhs>
JAXGEMM_AMD void CheckEnd(Lhs& lhs, Rhs& rhs, Index left, uint32_t k_in_last) {
  if (left > 1) return;
  if (left == 1) {
    lhs.MaskK(k_in_last);
    rhs.MaskK(k_in_last);
  } else {
    lhs.Close();
    rhs.Close();
  }
}

// The same for operands that go through LDS, where masking all k takes less time than a second
// branch.
template <uint32_t kTileK, class Lhs, class Rhs>
JAXGEMM_AMD void MaskEnd(Lhs& lhs, Rhs& rhs, Index left, uint32_t k_in_last) {
  if (left > 1) return;
  const uint32_t k_left = left == 1 ? k_in_last : 0;
  if (k_left == kTileK) return;
  lhs.MaskK(k_left);
  rhs.MaskK(k_left);
}

}  // namespace jaxgemm
