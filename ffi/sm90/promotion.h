// The main loop of products with scales of blocks whose results are only cast: as
// SmemMainloop::RunPromoting, for tiles of 128 or 192 columns.
#pragma once

#include "sm90/mainloop.h"

#ifndef JAXGEMM_VARIANT
#define JAXGEMM_VARIANT 0
#endif

namespace jaxgemm {

template <class Traits>
class Promotion : public SmemMainloop<Traits> {
  using Base = SmemMainloop<Traits>;
  using Acc = typename Traits::Acc;
  using Mma = typename Traits::Mma;
  static constexpr bool kTurns = JAXGEMM_VARIANT == 1 || JAXGEMM_VARIANT == 3;
  static constexpr bool kTurnsAtIssue = JAXGEMM_VARIANT == 3;
  static constexpr bool kHalves = JAXGEMM_VARIANT == 2;
 public:
  static constexpr bool kBehind = JAXGEMM_VARIANT == 4;
 private:
  static constexpr int kHalf = Traits::kTileN / 2;
  using HalfMma = Wgmma<Traits::kLhs, Traits::kRhs, kHalf, false, false>;
  static constexpr int kEach = 64;  // columns that have one scale
  static constexpr int kScales = Traits::kTileN == 128 ? 1 : 2;  // of rhs, in a tile
  static constexpr int kProducts = Traits::kTileN == 128 ? 1 : Traits::kTileN / kEach;

 public:
  JAXGEMM_SM90 Promotion(SharedMemory<Traits>& shared, const MulticastGroup<Traits>& group)
      : Base(shared, group), warpgroup_(WarpUniform(ThreadId() / kWarpgroupSize - 1)) {}

  JAXGEMM_SM90 void BeginTurns() const {
    if (kTurns && warpgroup_ == 1) BarArrive(kTurnBarrier, 2 * kWarpgroupSize);
  }
  JAXGEMM_SM90 void EndTurns() const {
    if (kTurns && warpgroup_ == 0) BarSync(kTurnBarrier, 2 * kWarpgroupSize);
  }

  // Issues the wgmmas of a tile's first k tile, and loads the first scales.
  JAXGEMM_SM90 void Begin(const GemmArgs& args, const WorkTile& tile, int rank,
                          Acc (&part)[Traits::kAccs]) {
    const RingPlace<Traits::kStages> stage{static_cast<int>(WarpUniform(this->stage_.slot)),
                                           WarpUniform(this->stage_.parity)};
    // A tile of rows that belong to no group has no k: what is in the stage is multiplied, and nobody
    // uses the sums.
    if (WarpUniform(tile.k_end > tile.k_begin)) this->full_.Wait(stage.slot, stage.parity);
    Issue(stage, part);
    if constexpr (kTurns && !kTurnsAtIssue) BarArrive(kTurnBarrier + 1 - warpgroup_, 2 * kWarpgroupSize);
    FindScales(args, tile, rank);
    Load(0, 0);
    Load(1, 1);
  }

  JAXGEMM_SM90 void Run(const WorkTile& tile, Acc (&part)[Traits::kAccs],
                        Acc (&acc)[Traits::kAccs]) {
    const Index count = WarpUniform(tile.k_end - tile.k_begin);
    RingPlace<Traits::kStages> stage{static_cast<int>(WarpUniform(this->stage_.slot)),
                                     WarpUniform(this->stage_.parity)};
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) ClearAcc(acc[i]);
    if (count <= 0) return Base::AwaitPart(part);
    if constexpr (kHalves) {
      Index k = 0;
      for (; k + 2 < count; k += 2) {
        StepHalves(0, k, stage, part, acc);
        StepHalves(1, k + 1, stage, part, acc);
      }
      int slot = 0;
      if (k + 1 < count) {
        StepHalves(0, k, stage, part, acc);
        slot = 1;
      }
      upper_s_[0] = slot ? upper_s_[1] : upper_s_[0], lower_s_[0] = slot ? lower_s_[1] : lower_s_[0];
#pragma unroll
      for (int i = 0; i < kScales; ++i) rhs_s_[0][i] = slot ? rhs_s_[1][i] : rhs_s_[0][i];
      Multiply(0, k);
      WgmmaWaitGroup<1>();
      FenceHalf<0>(part);
      Add<0, kHalf / 2>(part, acc);
      WgmmaWaitGroup<0>();
      FenceHalf<1>(part);
      Base::Release(stage.slot);
      stage.Advance();
      Add<kHalf / 2, kHalf>(part, acc);
    } else {
      Index k = 0;
      auto promote = [&](int slot) {
        Multiply(slot, k);
        RingPlace<Traits::kStages> next = stage;
        next.Advance();
        const bool is_full = this->full_.TestWait(next.slot, next.parity);
        if constexpr (kTurns && !kTurnsAtIssue) {
          WgmmaWaitGroup<1>();
          if (k > 0) BarArrive(kTurnBarrier + 1 - warpgroup_, 2 * kWarpgroupSize);
        }
        Base::AwaitPart(part);
        Base::Release(stage.slot);
        stage = next;
        Add<0, Traits::kAccs>(part, acc);
        ++k;
        return is_full;
      };
      while (true) {
        bool is_full = promote(0);
        if (k == count) break;
        if (!is_full) this->full_.Wait(stage.slot, stage.parity);
        Issue(stage, part);
        is_full = promote(1);
        if (k == count) break;
        if (!is_full) this->full_.Wait(stage.slot, stage.parity);
        Issue(stage, part);
      }
    }
    this->stage_ = stage;
  }

  // As Run, with two sets of partial sums: a k tile is promoted while the next one is multiplied.
  JAXGEMM_SM90 void RunBehind(const WorkTile& tile, Acc (&even)[Traits::kAccs],
                              Acc (&odd)[Traits::kAccs], Acc (&acc)[Traits::kAccs]) {
    const Index count = WarpUniform(tile.k_end - tile.k_begin);
    RingPlace<Traits::kStages> stage{static_cast<int>(WarpUniform(this->stage_.slot)),
                                     WarpUniform(this->stage_.parity)};
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) ClearAcc(acc[i]);
    if (count <= 0) return Base::AwaitPart(even);
    Index k = 0;
    auto step = [&](int slot, Acc (&part)[Traits::kAccs], Acc (&other)[Traits::kAccs]) {
      Multiply(slot, k);
      RingPlace<Traits::kStages> next = stage;
      next.Advance();
      this->full_.Wait(next.slot, next.parity);
      Issue(next, other);
      WgmmaWaitGroup<1>();
#pragma unroll
      for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
      Base::Release(stage.slot);
      Add<0, Traits::kAccs>(part, acc);
      stage = next;
      ++k;
    };
    while (k + 2 < count) {
      step(0, even, odd);
      step(1, odd, even);
    }
    if (k + 1 < count) {
      step(0, even, odd);
      Multiply(1, k);
      Base::AwaitPart(odd);
      Add<0, Traits::kAccs>(odd, acc);
    } else {
      Multiply(0, k);
      Base::AwaitPart(even);
      Add<0, Traits::kAccs>(even, acc);
    }
    Base::Release(stage.slot);
    stage.Advance();
    this->stage_ = stage;
  }

 private:
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
    if constexpr (kScales > 1) {
      const bool has_next = (block + 1) * kScaleBlock < static_cast<int>(args.n);
      scales_of_rhs_[1] = scales_of_rhs_[0] + (has_next ? blocks_k : 0);
      middle_ = place.column % kScaleBlock == 0 ? 0 : 1;
    }
  }
  JAXGEMM_SM90 void Load(int slot, Index k_tile) {
    const Index k = k_tile < last_k_ ? k_tile : last_k_;
    upper_s_[slot] = __ldg(upper_ + k), lower_s_[slot] = __ldg(lower_ + k);
#pragma unroll
    for (int i = 0; i < kScales; ++i) rhs_s_[slot][i] = __ldg(scales_of_rhs_[i] + k);
  }
  // Multiplies the scales of k tile `k_tile`, which are in the slot, and loads those of the k tile
  // after the next one there.
  JAXGEMM_SM90 void Multiply(int slot, Index k_tile) {
#pragma unroll
    for (int i = 0; i < kProducts; ++i) {
      float scale = rhs_s_[slot][0];
      if constexpr (kScales > 1) scale = i == 0 || (i == 1 && middle_ == 0) ? scale : rhs_s_[slot][1];
      products_[i][0] = upper_s_[slot] * scale, products_[i][1] = lower_s_[slot] * scale;
      FenceAcc(products_[i][0]), FenceAcc(products_[i][1]);
    }
    Load(slot, k_tile + 2);
  }
  template <int kFrom, int kTo>
  JAXGEMM_SM90 void Add(const Acc (&part)[Traits::kAccs], Acc (&acc)[Traits::kAccs]) {
#pragma unroll
    for (int i = kFrom; i < kTo; ++i) {
      acc[i] += part[i] * products_[kProducts == 1 ? 0 : i * 2 / kEach][i % 4 / 2];
    }
  }
  template <int kWhich>
  static JAXGEMM_SM90 void FenceHalf(Acc (&part)[Traits::kAccs]) {
#pragma unroll
    for (int i = 0; i < kHalf / 2; ++i) FenceAcc(part[kWhich * kHalf / 2 + i]);
  }
  template <int kWhich>
  JAXGEMM_SM90 void IssueHalf(const RingPlace<Traits::kStages>& stage,
                              Acc (&part)[Traits::kAccs]) {
#pragma unroll
    for (int i = 0; i < kHalf / 2; ++i) ForgetAcc(part[kWhich * kHalf / 2 + i]);
    const uint32_t lhs = this->lhs_ + (stage.slot * Traits::kLhsBytes >> 4);
    const uint32_t rhs =
        this->rhs_ + ((stage.slot * Traits::kRhsBytes + kWhich * kHalf * kRowBytes) >> 4);
    FenceHalf<kWhich>(part);
    WgmmaFence();
#pragma unroll
    for (int i = 0; i < Traits::kSteps; ++i) {
      HalfMma::Run(part + kWhich * kHalf / 2, MatrixAt(lhs + i * Base::template Advance<true>()),
                   MatrixAt(rhs + i * Base::template Advance<true>()), i > 0);
    }
    WgmmaCommitGroup();
    FenceHalf<kWhich>(part);
  }
  // Promotes one k tile, and issues the next one. `stage`: that of this k tile.
  JAXGEMM_SM90 void StepHalves(int slot, Index k, RingPlace<Traits::kStages>& stage,
                               Acc (&part)[Traits::kAccs], Acc (&acc)[Traits::kAccs]) {
    Multiply(slot, k);
    RingPlace<Traits::kStages> next = stage;
    next.Advance();
    const bool is_full = this->full_.TestWait(next.slot, next.parity);
    WgmmaWaitGroup<1>();
    FenceHalf<0>(part);
    Add<0, kHalf / 2>(part, acc);
    if (!is_full) this->full_.Wait(next.slot, next.parity);
    IssueHalf<0>(next, part);
    WgmmaWaitGroup<1>();
    FenceHalf<1>(part);
    Base::Release(stage.slot);
    Add<kHalf / 2, kHalf>(part, acc);
    IssueHalf<1>(next, part);
    stage = next;
  }
  // Issues the wgmmas of a stage that is loaded.
  JAXGEMM_SM90 void Issue(const RingPlace<Traits::kStages>& stage, Acc (&part)[Traits::kAccs]) {
    if constexpr (kHalves) {
      IssueHalf<0>(stage, part);
      IssueHalf<1>(stage, part);
    } else {
      if constexpr (kTurns) BarSync(kTurnBarrier + warpgroup_, 2 * kWarpgroupSize);
#pragma unroll
      for (int i = 0; i < Traits::kAccs; ++i) ForgetAcc(part[i]);
      const uint32_t lhs = this->lhs_ + (stage.slot * Traits::kLhsBytes >> 4);
      const uint32_t rhs = this->rhs_ + (stage.slot * Traits::kRhsBytes >> 4);
#pragma unroll
      for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
      WgmmaFence();
#pragma unroll
      for (int i = 0; i < Traits::kSteps; ++i) {
        Mma::Run(part, MatrixAt(lhs + i * Base::template Advance<true>()),
                 MatrixAt(rhs + i * Base::template Advance<true>()), i > 0);
        if (kTurns && !kTurnsAtIssue && i == Traits::kSteps - 2) WgmmaCommitGroup();
      }
      WgmmaCommitGroup();
      if constexpr (kTurnsAtIssue) BarArrive(kTurnBarrier + 1 - warpgroup_, 2 * kWarpgroupSize);
#pragma unroll
      for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
    }
  }

  const float *upper_, *lower_, *scales_of_rhs_[kScales];
  Index last_k_;
  int middle_ = 0;  // which scale of rhs the columns from 64 to 128 have
  float upper_s_[2], lower_s_[2], rhs_s_[2][kScales];
  float products_[kProducts][2];
  const int warpgroup_;
};

}  // namespace jaxgemm
