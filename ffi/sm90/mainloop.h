// The main loop on Hopper: the consumer warpgroups multiply the stages of shared memory that the
// producer fills (loaders.h).
#pragma once

#include <limits>

#include "sm90/gemm_traits.h"
#include "sm90/loaders.h"

namespace jaxgemm {

// A number of k tiles that is never reached.
inline constexpr Index kNever = std::numeric_limits<Index>::max();

// The registers of a consumer's thread with scales of blocks, in which it has partial sums, too;
// and those in tiles of 192 columns.
inline constexpr int kScaledRegisters = 216, kScaledWideRegisters = 232;

// Multiplies the stages: wgmma reads both operands from shared memory. A warpgroup has the
// accumulators of its blocks of 64 rows (Traits::kBlockStep). So that the tensor cores are not idle
// between two k tiles, the wgmmas of the next one are issued before those of the previous one are
// waited for.
template <class Traits>
class SmemMainloop {
 protected:
  using Acc = typename Traits::Acc;
  using Mma = typename Traits::Mma;
  // Threads of the consumer warpgroups that compute one output tile.
  static constexpr int kThreads = Traits::kStageReaders * kWarpgroupSize;
  // Whether stages are released in the CTAs that load for this one.
  static constexpr bool kInCluster = Traits::kCluster > 1 || Traits::kMulticasts;

 public:
  // Dense forms in clusters count their releases. The last stages are not released, because no load
  // follows: a CTA that has all its operands may have exited, and must get no arrival then.
  static constexpr bool kCountsReleases = Traits::kIsDense && kInCluster;
  // The default for `overlapped`: no other work while a tile is multiplied.
  struct NoOverlappedWork {
    static constexpr Index NextTime(Index) { return kNever; }
    JAXGEMM_SM90 void operator()() const {}
  };

  JAXGEMM_SM90 SmemMainloop(SharedMemory<Traits>& shared, const MulticastGroup<Traits>& group,
                            Index releases = kNever)
      : shared_(shared), releases_(releases) {
    const int thread = ThreadId() - kWarpgroupSize, lane = thread % kWarpSize;
    // With kRhsInRegisters both warpgroups multiply all rows.
    const int rows = Traits::kIsPingPong || Traits::kRhsInRegisters
                         ? 0
                         : thread / kWarpgroupSize * Traits::kWgmmaM;
    full_.first = WarpUniform(SharedAddress(shared.full));
    lhs_ =
        WarpUniform(MatrixStart(SharedAddress(shared.lhs) + rows * kRowBytes, Traits::kBlockBytes));
    rhs_ = WarpUniform(MatrixStart(SharedAddress(shared.rhs), Traits::kBlockBytes));
    if constexpr (kInCluster) {
      empty_.first = lane < group.count() ? Mapa(shared.empty, group.Rank(lane)) : kNoBarrier;
    } else {
      empty_.first = lane == 0 ? SharedAddress(shared.empty) : kNoBarrier;
    }
  }

  // Calls `overlapped` when NextTime(0) k tiles have been issued, and again when NextTime(n) have
  // been issued, where n is the number at the last call.
  template <class Overlapped = NoOverlappedWork>
  JAXGEMM_SM90 void Run(const GemmArgs& args, const WorkTile& tile, Acc (&acc)[Traits::kAllAccs],
                        Overlapped&& overlapped = {}) {
    // If ptxas can tell that the values that wgmma operands depend on are the same in all lanes, it
    // keeps them in uniform registers.
    const Index count = WarpUniform(tile.k_end - tile.k_begin);
    RingPlace<Traits::kStages> stage{static_cast<int>(WarpUniform(stage_.slot)),
                                     WarpUniform(stage_.parity)};
    if (!kHasK && count <= 0) {
#pragma unroll
      for (int i = 0; i < Traits::kAllAccs; ++i) ClearAcc(acc[i]);
      return;
    }
    ForEachAcc<ForgetAcc>(acc);
    int k_left = Traits::kTileK;  // how many k the last k tile has
    bool is_full = full_.TestWait(stage.slot, stage.parity);
    if (Traits::RaggedOf(args) == Ragged::kK) {
      k_left = tile.limit - tile.origin - (tile.k_end - 1) * Traits::kTileK;
      if (tile.before > 0 && tile.k_begin == 0) {
        if (!is_full) full_.Wait(stage.slot, stage.parity);
        is_full = true;
        ZeroUpTo(stage.slot, tile.before);
      }
    }
    int previous = 0;
    Index k_tile = 0, time = WarpUniform(overlapped.NextTime(0));
    // The inner loop runs at least once; otherwise ptxas serialises the wgmmas (C7515).
    do {
      const Index stop = time < count ? time : count;
      do {
        const uint32_t lhs = lhs_ + (stage.slot * Traits::kLhsBytes >> 4);
        const uint32_t rhs = rhs_ + (stage.slot * Traits::kRhsBytes >> 4);
        if (!is_full) full_.Wait(stage.slot, stage.parity);
        if (k_tile == count - 1 && k_left < Traits::kTileK) ZeroFrom(stage.slot, k_left);
        ForEachAcc<FenceAcc>(acc);
        WgmmaFence();
#pragma unroll
        for (int step = 0; step < Traits::kSteps; ++step) {
#pragma unroll
          for (int block = 0; block < Traits::kBlocksM; ++block) {
            Mma::Run(acc + block * Traits::kAccs,
                     MatrixAt(lhs + step * Advance<Traits::kLhsKMajor>() + block * kBlockM),
                     MatrixAt(rhs + step * Advance<Traits::kRhsKMajor>()), step > 0 || k_tile > 0);
          }
        }
        WgmmaCommitGroup();
        ForEachAcc<FenceAcc>(acc);
        const int slot = stage.slot;
        stage.Advance();
        is_full = full_.TestWait(stage.slot, stage.parity);
        WgmmaWaitGroup<1>();
        if (k_tile > 0 && IsReleased(k_tile)) Release(previous);
        previous = slot;
      } while (++k_tile < stop);
      if (k_tile == time) {
        overlapped();
        time = WarpUniform(overlapped.NextTime(k_tile));
      }
    } while (k_tile < count);
    WgmmaWaitGroup<0>();
    ForEachAcc<FenceAcc>(acc);
    stage_ = stage;
    if (IsReleased(count)) Release(previous);
    if constexpr (kCountsReleases) releases_ -= count;
  }

  // RunPromoting is as Run, for operands with scales of blocks: the partial sums of each k tile are
  // multiplied by the scales of its blocks and added to the accumulators. The other warpgroup
  // multiplies in that time. BeginPromoting, before it, issues the wgmmas of the first k tile. If
  // the tile has no k, they multiply what is in the stage, and nobody uses the sums: ptxas
  // serialises all wgmmas if a branch skips these (C7518).
  JAXGEMM_SM90 void BeginPromoting(const WorkTile& tile, Acc (&part)[Traits::kAccs]) {
    const RingPlace<Traits::kStages> stage{static_cast<int>(WarpUniform(stage_.slot)),
                                           WarpUniform(stage_.parity)};
    Multiply(stage, part, WarpUniform(tile.k_end > tile.k_begin));
  }
  JAXGEMM_SM90 void RunPromoting(const GemmArgs& args, const WorkTile& tile, int rank,
                                 Acc (&part)[Traits::kAccs], Acc (&acc)[Traits::kAllAccs]) {
#pragma unroll
    for (int i = 0; i < Traits::kAllAccs; ++i) ClearAcc(acc[i]);
    if (WarpUniform(tile.k_end <= tile.k_begin)) {
      AwaitPart(part);
    } else if (args.block_n == 1) {
      RunPromotingBy<true>(args, tile, rank, part, acc);
    } else {
      RunPromotingBy<false>(args, tile, rank, part, acc);
    }
  }

  // Skips the stages that the other warpgroup reads.
  JAXGEMM_SM90 void Skip(Index k_tiles) {
    stage_.Advance(k_tiles);
    if constexpr (kCountsReleases) releases_ -= k_tiles;
  }
  // The slot that was read `before` stages before the last one.
  JAXGEMM_SM90 int LastSlot(int before) const {
    const int slot = stage_.slot - 1 - before;
    return slot < 0 ? slot + Traits::kStages : slot;
  }

 protected:
  // Whether the stage of a tile's k tile number `k_tile`, which begins at 1, is to be released.
  JAXGEMM_SM90 bool IsReleased(Index k_tile) const {
    return !kCountsReleases || k_tile <= releases_;
  }
  template <void (*kDo)(Acc&)>
  static JAXGEMM_SM90 void ForEachAcc(Acc (&acc)[Traits::kAllAccs]) {
#pragma unroll
    for (int i = 0; i < Traits::kAllAccs; ++i) kDo(acc[i]);
  }

  // The scales of blocks that a thread needs in a tile: those of its two rows, and that of the
  // tile's columns. They are loaded two k tiles before they are used: a load takes longer than a
  // k tile.
  template <bool kByColumn>
  class BlockScales {
   public:
    JAXGEMM_SM90 BlockScales(const GemmArgs& args, const WorkTile& tile, int rank)
        : blocks_k_(args.blocks_k) {
      static_assert(Traits::kTileK == kScaleBlock && Traits::kTileN == kScaleBlock);
      const OperandPlace<Traits> place(args, tile, rank);
      const int thread = ThreadId() - kWarpgroupSize, lane = thread % kWarpSize;
      // Rows after the end of lhs get the scales of its last row.
      const int last = static_cast<int>(args.m) - 1;
      const int row = place.row + thread / kWarpSize * 16 + lane / 4;
      const float* of_lhs =
          static_cast<const float*>(args.lhs_scales) + place.lhs_z * args.lhs_scales_batch_stride;
      upper_ = of_lhs + int64_t{row < last ? row : last} * args.blocks_k;
      lower_ = of_lhs + int64_t{row + 8 < last ? row + 8 : last} * args.blocks_k;
      rhs_ =
          static_cast<const float*>(args.rhs_scales) + place.rhs_z * args.rhs_scales_batch_stride;
      column_ = place.column + lane % 4 * 2, columns_ = static_cast<int>(args.n);
      rhs_ += kByColumn ? int64_t{column_} : int64_t{place.column / kScaleBlock} * args.blocks_k;
    }
    // Loads those of a k tile into one of two slots. After the last k tile nothing is used.
    JAXGEMM_SM90 void Load(int slot, Index k_tile) {
      const Index k = k_tile < blocks_k_ ? k_tile : blocks_k_ - 1;
      uppers_[slot] = upper_[k], lowers_[slot] = lower_[k];
      if constexpr (!kByColumn) of_columns_[slot] = rhs_[k];
    }
    // Loads those of the columns, if each has its own. Held longer than for one k tile, they would
    // take too many registers.
    JAXGEMM_SM90 void LoadColumns(Index k_tile) {
      if constexpr (kByColumn) {
#pragma unroll
        for (int i = 0; i < kColumns; ++i) {
          const int at = i / 2 * 8 + i % 2;
          of_columns_[i] = column_ + at < columns_ ? rhs_[int64_t{k_tile} * columns_ + at] : 0;
        }
      }
    }
    // Adds the partial sums of the k tile whose scales are in the slot, and loads those of the k
    // tile after the next one there.
    JAXGEMM_SM90 void Promote(int slot, Index k_tile, const Acc (&part)[Traits::kAccs],
                              Acc (&acc)[Traits::kAllAccs]) {
      // The scales are not waited for before the wgmmas have been issued.
      FenceAcc(uppers_[slot]), FenceAcc(lowers_[slot]);
      float scales[2] = {uppers_[slot], lowers_[slot]};
      if constexpr (!kByColumn) {
        FenceAcc(of_columns_[slot]);
        scales[0] *= of_columns_[slot], scales[1] *= of_columns_[slot];
      }
      Load(slot, k_tile + 2);
#pragma unroll
      for (int i = 0; i < Traits::kAccs; ++i) {
        float scale = scales[i % 4 / 2];
        if constexpr (kByColumn) scale *= of_columns_[i / 4 * 2 + i % 2];
        acc[i] += part[i] * scale;
      }
    }

   private:
    static constexpr int kColumns = kByColumn ? Traits::kAccs / 2 : 2;

    const float *upper_, *lower_, *rhs_;
    const int blocks_k_;
    int column_, columns_;
    float uppers_[2], lowers_[2];
    float of_columns_[kColumns];  // by slot, or of the tile's columns that the thread has
  };

  // Issues the wgmmas of the stage. If it is not loaded, the sums mean nothing.
  JAXGEMM_SM90 void Multiply(const RingPlace<Traits::kStages>& stage, Acc (&part)[Traits::kAccs],
                             bool is_loaded = true) {
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) ForgetAcc(part[i]);
    const uint32_t lhs = lhs_ + (stage.slot * Traits::kLhsBytes >> 4);
    const uint32_t rhs = rhs_ + (stage.slot * Traits::kRhsBytes >> 4);
    if (is_loaded) full_.Wait(stage.slot, stage.parity);
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
    WgmmaFence();
#pragma unroll
    for (int i = 0; i < Traits::kSteps; ++i) {
      Mma::Run(part, MatrixAt(lhs + i * Advance<true>()), MatrixAt(rhs + i * Advance<true>()),
               i > 0);
    }
    WgmmaCommitGroup();
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
  }
  // Waits for all wgmmas.
  static JAXGEMM_SM90 void AwaitPart(Acc (&part)[Traits::kAccs]) {
    WgmmaWaitGroup<0>();
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) FenceAcc(part[i]);
  }

  // kByColumn: rhs has a scale for each column; else one for kScaleBlock columns, those of a tile.
  template <bool kByColumn>
  JAXGEMM_SM90 void RunPromotingBy(const GemmArgs& args, const WorkTile& tile, int rank,
                                   Acc (&part)[Traits::kAccs], Acc (&acc)[Traits::kAllAccs]) {
    const Index begin = WarpUniform(tile.k_begin), end = WarpUniform(tile.k_end);
    RingPlace<Traits::kStages> stage{static_cast<int>(WarpUniform(stage_.slot)),
                                     WarpUniform(stage_.parity)};
    // The first scales are loaded while the first k tile is multiplied.
    BlockScales<kByColumn> scales(args, tile, rank);
    scales.Load(0, begin);
    scales.Load(1, begin + 1);
    Index k_tile = begin;
    // Promotes a k tile, and returns whether it was the last one.
    auto promote = [&](int slot) {
      scales.LoadColumns(k_tile);
      AwaitPart(part);
      Release(stage.slot);
      stage.Advance();
      scales.Promote(slot, k_tile, part, acc);
      return ++k_tile == end;
    };
    while (!promote(0)) {
      Multiply(stage, part);
      if (promote(1)) break;
      Multiply(stage, part);
    }
    stage_ = stage;
  }

  // Whether each work tile has k: the plan gives each peer a k tile. Without a path that clears the
  // accumulators, ptxas keeps them where wgmma has left them; else it copied and spilled them.
  static constexpr bool kHasK = IsPeers(Traits::kForm);
  static_assert(Traits::kLhsKMajor || Traits::kLhsInRegisters || Traits::kBlock == Traits::kWgmmaM);
  // Step of a descriptor from a block of 64 rows to the warpgroup's next block.
  static constexpr uint32_t kBlockM = Traits::kBlockStep * kRowBytes >> 4;
  // Step of a descriptor from one wgmma's k to the next.
  template <bool kKMajor>
  static constexpr uint32_t Advance() {
    return (kKMajor ? Mma::kDepth * Traits::kBytes : Mma::kDepth * kRowBytes) >> 4;
  }

  JAXGEMM_SM90 void Release(int slot) {
    if (empty_.first == kNoBarrier) return;
    if constexpr (kInCluster) {
      empty_.ArriveCluster(slot);
    } else {
      empty_.Arrive(slot);
    }
  }

  // Zeroes a group's last k tile from `k` on, or its first one up to `k`. The data there belongs to
  // another group, or to no group and may be NaN.
  JAXGEMM_SM90 void ZeroFrom(int slot, int k) { Zero(slot, k, Traits::kTileK); }
  JAXGEMM_SM90 void ZeroUpTo(int slot, int k) { Zero(slot, 0, k); }
  // Zeroes k in [from, to) of both operands.
  JAXGEMM_SM90 void Zero(int slot, int from, int to) {
    const int thread = ThreadId() % kThreads, warpgroup = ThreadId() / kWarpgroupSize - 1;
    Zero<Traits::kLhsKMajor, Traits::kLhsBytes>(shared_.lhs[slot], from, to, thread);
    Zero<Traits::kRhsKMajor, Traits::kRhsBytes>(shared_.rhs[slot], from, to, thread);
    FenceProxyAsync();
    BarSync(Traits::kIsPingPong ? kWarpgroupBarrier + warpgroup : kConsumersBarrier, kThreads);
  }
  template <bool kKMajor, int kBytes>
  JAXGEMM_SM90 void Zero(char* operand, int from, int to, int thread) {
    for (int i = thread; i < kBytes / 16; i += kThreads) {
      char* chunk = operand + i * 16;
      const int row = i / 8;
      if constexpr (kKMajor) {
        const int first = (i % 8 ^ row % 8) * 16;  // the vector's first byte along k
        const int begin = from * Traits::kBytes - first, end = to * Traits::kBytes - first;
        for (int byte = begin < 0 ? 0 : begin; byte < (end < 16 ? end : 16); ++byte) {
          chunk[byte] = 0;
        }
      } else if (row % Traits::kTileK >= from && row % Traits::kTileK < to) {
        *reinterpret_cast<uint4*>(chunk) = uint4{};
      }
    }
  }

  static constexpr uint32_t kNoBarrier = ~0u;

  SharedMemory<Traits>& shared_;
  Index releases_;  // how many stages are still to be released
  // Addresses of the first stage's barriers, and the low halves of its descriptors.
  MbarrierArray full_, empty_;
  uint32_t lhs_, rhs_;
  RingPlace<Traits::kStages> stage_;
};

}  // namespace jaxgemm
