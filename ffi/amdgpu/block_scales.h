// Scales of blocks along k on AMD GPUs. A k tile is one block of k, and all columns of a tile are
// one block of rhs. The main loop's accumulators have the partial sums of one k tile. After the k
// tile they are multiplied by the scale of their row of lhs and the one scale of the tile's
// columns, and are added to the tile's accumulators.
#pragma once

#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "kernel/gemm_args.h"

namespace jaxgemm {

// What the main loops call. All call Load before each k tile and Promote after it; only gfx950's
// call the others, for mx_scales.h. Without scales they do nothing.
struct NoScales {
  JAXGEMM_AMD void Start() const {}
  JAXGEMM_AMD void Load(Index) const {}
  JAXGEMM_AMD void ReadFirst(Index, auto&, auto&, auto&, auto&) const {}
  template <int kHalf>
  JAXGEMM_AMD void Read(Index, auto&, auto&) const {}
  JAXGEMM_AMD void Promote() const {}
};

// Where the scales of a tile are.
template <class Traits>
struct ScalesPlace {
  int64_t row;         // the tile's first row, counted in lhs's matrix
  int64_t rows_left;   // from there to the end of the matrix or the group
  int64_t rhs_matrix;  // the number of rhs's matrix

  JAXGEMM_AMD ScalesPlace(const GemmArgs& args, const WorkTile& tile) {
    const bool ragged = args.groups.ragged == Ragged::kM;
    const int64_t first = int64_t{tile.m} * Traits::kTileM;
    row = (ragged ? tile.origin : 0) + first;
    rows_left = (ragged ? tile.limit - tile.origin : args.m) - first;
    rhs_matrix = !ragged                 ? tile.batch
                 : args.rhs_batch_stride ? tile.batch * args.groups.local_groups + tile.group
                                         : tile.group;
  }
  // The tile's row `row`, or its last one if `row` is beyond the end.
  static JAXGEMM_AMD uint32_t Inside(int row, int64_t left) {
    const int last = static_cast<int>(left < Traits::kTileM ? left : Traits::kTileM) - 1;
    return static_cast<uint32_t>(row < last ? row : last);
  }
};

template <class Traits>
class BlockScales : public NoScales {
  using Accumulators = typename Traits::Acc4[Traits::kFragsM][Traits::kFragsN];
  static_assert(Traits::kTileK == kScaleBlock && Traits::kTileN == kScaleBlock);

 public:
  // `part`: the main loop's accumulators. `acc`: those of the tile.
  JAXGEMM_AMD BlockScales(const GemmArgs& args, const WorkTile& tile, Accumulators& part,
                          Accumulators& acc)
      : part_(part), acc_(acc), blocks_k_(args.blocks_k) {
    ClearAccumulators(acc_);
    const ScalesPlace<Traits> place(args, tile);
    of_lhs_ = static_cast<const float*>(args.lhs_scales) +
              tile.batch * args.lhs_scales_batch_stride + place.row * blocks_k_;
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; ++i) {
      const int row = Traits::WaveM() * Traits::kWaveM + 16 * i + LaneId() % 16;
      row_[i] = static_cast<uint32_t>(place.Inside(row, place.rows_left) * blocks_k_);
    }
    of_rhs_ = static_cast<const float*>(args.rhs_scales) +
              place.rhs_matrix * args.rhs_scales_batch_stride + int64_t{tile.n} * blocks_k_;
  }

  // Starts to load the scales of a k tile.
  JAXGEMM_AMD void Load(Index k_tile) {
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; ++i) rows_[i] = of_lhs_[row_[i] + k_tile];
    rhs_ = of_rhs_[k_tile];
  }
  // Adds part * scales to the accumulators of the tile, and clears part.
  JAXGEMM_AMD void Promote() {
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; ++i) {
      const float scale = rows_[i] * rhs_;
#pragma unroll
      for (int j = 0; j < Traits::kFragsN; ++j) {
        acc_[i][j] += part_[i][j] * scale;
        part_[i][j] = 0;
      }
    }
  }

 private:
  Accumulators &part_, &acc_;
  const float *of_lhs_, *of_rhs_;
  int64_t blocks_k_;
  uint32_t row_[Traits::kFragsM];
  float rows_[Traits::kFragsM], rhs_;
};

}  // namespace jaxgemm
