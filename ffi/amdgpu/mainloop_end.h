// The end of a work tile's k range, for the main loops of AMD GPUs, which load k tiles ahead.
#pragma once

#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "schedule/tile_scheduler.h"

namespace jaxgemm {

// How many k the last k tile of a work tile has. `k` is OperandMemory::k.
template <class Traits>
JAXGEMM_AMD uint32_t KInLastTile(int64_t k, const WorkTile& tile) {
  const int64_t left = k - (tile.k_end - 1) * int64_t{Traits::kTileK};
  return left < Traits::kTileK ? left : Traits::kTileK;
}

// Prepares the operands for the loads of the next k tile, after which `left` - 1 are left. The last
// k tile may be partial. From the ones after it zeros are loaded.
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

}  // namespace jaxgemm
