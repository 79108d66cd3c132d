// Scales of blocks along k on AMD GPUs. A k tile is one block of k, and all columns of a tile are
// one block of rhs. After each k tile, every sum of that k tile is multiplied by the scale of its
// row of lhs and by the one scale of the tile's columns, and is added to the tile's accumulators.
#pragma once

#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "kernel/gemm_args.h"

namespace jaxgemm {

// What the main loops call before and after each k tile; without scales they do nothing.
struct NoScales {
  JAXGEMM_AMD void Load(Index) const {}
  JAXGEMM_AMD void Promote() const {}
};

template <class Traits>
class BlockScales {
  using Sums = typename Traits::Sum4[Traits::kFragsM][Traits::kFragsN];
  static_assert(Traits::kTileK == kScaleBlock && Traits::kTileN == kScaleBlock);

 public:
  // `part` are the main loop's accumulators, `sums` those of the tile.
  JAXGEMM_AMD BlockScales(const GemmArgs& args, const WorkTile& tile, Sums& part, Sums& sums)
      : part_(part), sums_(sums), blocks_k_(args.blocks_k) {
    ClearSums(sums_);
    const bool ragged = args.groups.ragged == Ragged::kM;
    const int64_t first = int64_t{tile.m} * Traits::kTileM, origin = ragged ? tile.origin : 0;
    const int64_t left = (ragged ? tile.limit - tile.origin : args.m) - first;
    const int last = static_cast<int>(left < Traits::kTileM ? left : Traits::kTileM) - 1;
    of_lhs_ = static_cast<const float*>(args.lhs_scales) +
              tile.batch * args.lhs_scales_batch_stride + (origin + first) * blocks_k_;
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; ++i) {
      // Rows past the end of lhs have the scales of its last row.
      const int row = Traits::WaveM() * Traits::kWaveM + 16 * i + LaneId() % 16;
      row_[i] = static_cast<uint32_t>((row < last ? row : last) * blocks_k_);
    }
    of_rhs_ = static_cast<const float*>(args.rhs_scales) + int64_t{tile.n} * blocks_k_;
    if (args.rhs_scales_batch_stride) {
      const int64_t batch = !ragged ? tile.batch
                            : args.rhs_batch_stride
                                ? tile.batch * args.groups.local_groups + tile.group
                                : tile.group;
      of_rhs_ += batch * args.rhs_scales_batch_stride;
    }
  }

  // Starts to load the scales of a k tile.
  JAXGEMM_AMD void Load(Index k_tile) {
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; ++i) rows_[i] = of_lhs_[row_[i] + k_tile];
    rhs_ = of_rhs_[k_tile];
  }
  // sums += part * scales. Clears part.
  JAXGEMM_AMD void Promote() {
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; ++i) {
      const float scale = rows_[i] * rhs_;
#pragma unroll
      for (int j = 0; j < Traits::kFragsN; ++j) {
        sums_[i][j] += part_[i][j] * scale;
        part_[i][j] = 0;
      }
    }
  }

 private:
  Sums &part_, &sums_;
  const float *of_lhs_, *of_rhs_;
  int64_t blocks_k_;
  uint32_t row_[Traits::kFragsM];
  float rows_[Traits::kFragsM], rhs_;
};

}  // namespace jaxgemm
