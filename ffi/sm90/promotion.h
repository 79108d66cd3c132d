// The main loop of products with scales of blocks of 128 columns whose results are only cast: as
// SmemMainloop::RunPromoting, for tiles of 128 or 192 columns.
#pragma once

#include "sm90/mainloop.h"

namespace jaxgemm {

template <class Traits>
class Promotion : public SmemMainloop<Traits> {
  using Base = SmemMainloop<Traits>;
  using Acc = typename Traits::Acc;
  using Mma = typename Traits::Mma;
  // Each block of 64 columns of a tile has one scale of rhs. The blocks of a tile of 192 columns,
  // which begins at a multiple of 64, have two scales.
  static constexpr int kColumns = 64;
  static constexpr bool kHasOneScale = Traits::kTileN == kScaleBlock;
  static constexpr int kScales = kHasOneScale ? 1 : 2;
  static constexpr int kBlocks = kHasOneScale ? 1 : Traits::kTileN / kColumns;
  static_assert(Traits::kTileK == kScaleBlock && Traits::kTileN <= 3 * kColumns);

 public:
  using Base::Base;

  // Issues the wgmmas of a tile's first k tile, and loads the first scales. If the tile has no k,
  // what is in the stage is multiplied, and nobody uses the sums (BeginPromoting).
  JAXGEMM_SM90 void Begin(const GemmArgs& args, const WorkTile& tile, int rank,
                          Acc (&part)[Traits::kAccs]) {
    const Stage stage = UniformStage();
    if (WarpUniform(tile.k_end > tile.k_begin)) this->full_.Wait(stage.slot, stage.parity);
    Issue(stage, part);
    FindScales(args, tile, rank);
    Load(0, 0);
    Load(1, 1);
  }

  // Computes the tile that began.
  JAXGEMM_SM90 void Run(const WorkTile& tile, Acc (&part)[Traits::kAccs],
                        Acc (&acc)[Traits::kAccs]) {
    const Index count = WarpUniform(tile.k_end - tile.k_begin);
    Stage stage = UniformStage();
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) ClearAcc(acc[i]);
    if (count <= 0) return Base::AwaitPart(part);
    Index k_tile = 0;
    // Promotes a k tile, and issues the wgmmas of the next one. Returns whether there is one.
    auto promote = [&](int slot) {
      Multiply(slot, k_tile);
      Stage next = stage;
      next.Advance();
      const bool is_full = this->full_.TestWait(next.slot, next.parity);
      Base::AwaitPart(part);
      Base::Release(stage.slot);
      stage = next;
      Add(part, acc);
      if (++k_tile == count) return false;
      if (!is_full) this->full_.Wait(stage.slot, stage.parity);
      Issue(stage, part);
      return true;
    };
    while (promote(0) && promote(1)) {
    }
    this->stage_ = stage;
  }

 private:
  using Stage = RingPlace<Traits::kStages>;

  JAXGEMM_SM90 Stage UniformStage() const {
    return {static_cast<int>(WarpUniform(this->stage_.slot)), WarpUniform(this->stage_.parity)};
  }

  JAXGEMM_SM90 void FindScales(const GemmArgs& args, const WorkTile& tile, int rank) {
    const OperandPlace<Traits> place(args, tile, rank);
    const int thread = ThreadId() - kWarpgroupSize, lane = thread % kWarpSize;
    const int blocks_k = static_cast<int>(args.blocks_k);
    last_k_ = blocks_k - 1;
    // Rows after the end of lhs get the scales of its last row.
    const int last = static_cast<int>(args.m) - 1;
    const int row = place.row + thread / kWarpSize * 16 + lane / 4;
    const float* of_lhs =
        static_cast<const float*>(args.lhs_scales) + place.lhs_z * args.lhs_scales_batch_stride;
    upper_ = of_lhs + int64_t{row < last ? row : last} * blocks_k;
    lower_ = of_lhs + int64_t{row + 8 < last ? row + 8 : last} * blocks_k;
    const int block = place.column / kScaleBlock;
    scales_of_rhs_[0] = static_cast<const float*>(args.rhs_scales) +
                        place.rhs_z * args.rhs_scales_batch_stride + int64_t{block} * blocks_k;
    if constexpr (!kHasOneScale) {
      // Columns after the end of rhs get the scale of its last block.
      const bool has_next = (block + 1) * kScaleBlock < static_cast<int>(args.n);
      scales_of_rhs_[1] = scales_of_rhs_[0] + (has_next ? blocks_k : 0);
      middle_is_first_ = place.column % kScaleBlock == 0;
    }
  }
  // Loads the scales of a k tile into one of two slots. After the last k tile nothing is used.
  JAXGEMM_SM90 void Load(int slot, Index k_tile) {
    const Index k = k_tile < last_k_ ? k_tile : last_k_;
    uppers_[slot] = __ldg(upper_ + k), lowers_[slot] = __ldg(lower_ + k);
#pragma unroll
    for (int i = 0; i < kScales; ++i) of_rhs_[slot][i] = __ldg(scales_of_rhs_[i] + k);
  }
  // Multiplies the scales of a k tile, which are in the slot, and loads those of the k tile after
  // the next one there. This is done before the wgmmas are waited for.
  JAXGEMM_SM90 void Multiply(int slot, Index k_tile) {
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      const bool is_first = kHasOneScale || i == 0 || (i == 1 && middle_is_first_);
      const float scale = is_first ? of_rhs_[slot][0] : of_rhs_[slot][kScales - 1];
      products_[i][0] = uppers_[slot] * scale, products_[i][1] = lowers_[slot] * scale;
      FenceAcc(products_[i][0]), FenceAcc(products_[i][1]);
    }
    Load(slot, k_tile + 2);
  }
  JAXGEMM_SM90 void Add(const Acc (&part)[Traits::kAccs], Acc (&acc)[Traits::kAccs]) {
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) {
      acc[i] += part[i] * products_[i * kBlocks / Traits::kAccs][i % 4 / 2];
    }
  }
  // Issues the wgmmas of a stage that is loaded.
  JAXGEMM_SM90 void Issue(const Stage& stage, Acc (&part)[Traits::kAccs]) {
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) ForgetAcc(part[i]);
    const uint32_t lhs = this->lhs_ + (stage.slot * Traits::kLhsBytes >> 4);
    const uint32_t rhs = this->rhs_ + (stage.slot * Traits::kRhsBytes >> 4);
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
    WgmmaFence();
#pragma unroll
    for (int i = 0; i < Traits::kSteps; ++i) {
      const uint32_t step = i * Base::template Advance<true>();
      Mma::Run(part, MatrixAt(lhs + step), MatrixAt(rhs + step), i > 0);
    }
    WgmmaCommitGroup();
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
  }

  const float *upper_, *lower_,
      *scales_of_rhs_[kScales];  // of the thread's two rows, and of the columns
  Index last_k_;
  bool middle_is_first_ = true;  // whether the second block of columns has the first scale of rhs
  float uppers_[2], lowers_[2], of_rhs_[2][kScales];
  float products_[kBlocks][2];
};

}  // namespace jaxgemm
