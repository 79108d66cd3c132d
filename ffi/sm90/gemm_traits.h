// The compile-time parameters of a Hopper kernel instance, and its shared memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel/gemm_args.h"
#include "sm90/wgmma.h"

namespace jaxgemm {

// An output tile is tile_m x tile_n, computed by `cluster` CTAs that share its rhs. Each has
// CtaRows of the rows, half for each consumer warpgroup if there are two (with ping-pong a
// warpgroup has all rows of every other tile). *_k_contiguous: k is the operand's last dimension in
// memory. `transposed`: out is stored column-major.
template <DType lhs, DType rhs, int tile_m, int tile_n, bool lhs_k_contiguous,
          bool rhs_k_contiguous, bool transposed, KernelForm form, bool multicasts>
struct Sm90Traits {
  static constexpr KernelForm kForm = form;
  static constexpr FormStore kStore = StoreOf(form);
  static constexpr bool kTransposed = transposed;
  static constexpr bool kIsPingPong = IsPingPong(form, tile_n);
  static constexpr bool kIsDense = IsDense(form);
  static constexpr bool kIsPlain = IsPlain(form), kIsFused = IsFused(form);
  static constexpr bool kRhsInRegisters =
      RhsInRegisters(form, lhs, lhs_k_contiguous, rhs_k_contiguous, transposed);
  static constexpr bool kHasOnlyVectors = !kRhsInRegisters && HasOnlyVectors(form, lhs, tile_n);
  static constexpr bool kHasOnlyDenseForms = HasOnlyDenseForms(tile_n, transposed);
  static constexpr bool kLoadsByElement = MayLoadByElement(form, tile_n, transposed);
  // Whether three warps read operands by index if the call has indices.
  static constexpr bool kGathers = MayGather(form, lhs);
  // A scheduler warp of its own claims work tiles, so that loads continue meanwhile.
  static constexpr bool kHasSchedulerWarp = IsClaimed(form);
  // Slots for work tiles on their way to the consumers. With claims there are only two, because
  // another workgroup could compute the tile that waits in a slot. These are tuning constants.
  static constexpr int kTileSlots = kHasSchedulerWarp ? 2 : 4;
  static constexpr DType kLhs = lhs, kRhs = rhs;
  static constexpr bool kLhsKContiguous = lhs_k_contiguous;
  static constexpr bool kRhsKContiguous = rhs_k_contiguous;
  static constexpr int kBytes = ElementBytes(lhs);
  // The layout in shared memory. wgmma needs 8-bit and 32-bit operands k-major there. With
  // kLhsInRegisters or kRhsInRegisters one operand is not, but threads read it and give it to wgmma
  // in registers (register_operand.h).
  static constexpr bool kLhsInRegisters = LhsInRegisters(lhs, lhs_k_contiguous, transposed);
  static constexpr bool kLhsKMajor = kLhsKContiguous || (kBytes != 2 && !kLhsInRegisters);
  static constexpr bool kRhsKMajor = kRhsKContiguous || (kBytes != 2 && !kRhsInRegisters);
  static_assert(ElementBytes(rhs) == kBytes);
  static constexpr int kCluster = Sm90Cluster(tile_m, tile_n);
  static constexpr int kTileM = tile_m, kTileN = tile_n, kTileK = kRowBytes / kBytes;
  // Whether a cluster has the CTAs of several tiles, which load operands for each other.
  static constexpr bool kMulticasts = multicasts;
  static_assert(!kMulticasts || MayMulticast(form, lhs, lhs_k_contiguous, transposed));
  static constexpr bool kLoadsRhsInHalves = LoadsRhsInHalves(form, kCluster, multicasts);
  static constexpr int kCtaM = kTileM / kCluster, kWgmmaM = 64;
  static constexpr int kConsumers = Sm90Consumers(form);
  static_assert(kCtaM == CtaRows(kTileM, kTileN));
  // A warpgroup has the blocks of 64 rows that begin kBlockStep rows apart: with ping-pong all of
  // every other tile's, else every other block. kStageReaders warpgroups read each stage.
  static constexpr int kBlockStep = kIsPingPong ? kWgmmaM : kConsumers * kWgmmaM;
  static constexpr int kBlocksM = kCtaM / kBlockStep;
  static constexpr int kStageReaders = kIsPingPong ? 1 : kConsumers;

  static constexpr bool kInteger = lhs == DType::kS8;
  using Acc = std::conditional_t<kInteger, int32_t, float>;
  // Accumulators of a thread for 64 rows: 4 j + {0, 1} and 4 j + {2, 3} are the columns
  // 8 j + 2 (lane % 4) + {0, 1} of rows lane / 4 and lane / 4 + 8 of its warp's 16 rows.
  static constexpr int kAccs = kTileN / 2;
  static constexpr int kFragments = kAccs / 4;
  static constexpr int kAllAccs = kBlocksM * kAccs;

  // With kRhsInRegisters wgmma multiplies 64 columns of rhs, as its rows, by all rows of lhs.
  using Mma =
      std::conditional_t<kRhsInRegisters, Wgmma<rhs, lhs, kCtaM, false, false>,
                         Wgmma<lhs, rhs, kTileN, !kLhsKMajor && !kLhsInRegisters, !kRhsKMajor>>;
  static constexpr int kSteps = kTileK / Mma::kDepth;

  // Operands that are not k-major are stored in blocks. A row of a block is 128 bytes along m or n
  // at one k.
  static constexpr int kBlock = kRowBytes / kBytes;
  static constexpr int kBlockBytes = kTileK * kRowBytes;
  static constexpr int kRhsRows = Sm90RhsRows(kTileN, kRhsKMajor, kBytes);
  static constexpr int kLhsBytes = kCtaM * kRowBytes, kRhsBytes = kRhsRows * kRowBytes;
  static constexpr int kStageBytes = kLhsBytes + kRhsBytes;
  // Consumers with few accumulators do not need setmaxnreg: the registers at launch are enough.
  // Threads that copy operands need theirs. The limits are tuning constants.
  static constexpr bool kTradesRegisters = !kIsDense || kAllAccs > (kLoadsByElement ? 104
                                                                    : kIsFused      ? 32
                                                                                    : 64);
  static constexpr int kConsumerWarps = kConsumers * kWarpgroupSize / kWarpSize;
  static constexpr int kOutBoxes = Sm90OutBoxes(form, kTileN);
  static constexpr bool kStagesWholeTiles = StagesWholeTiles(kRhsInRegisters, lhs);
  static constexpr int kStagedBytes = Sm90StagedBytes(form, kTileN, kStagesWholeTiles);
  static constexpr int kStagedN = kTileN % 32 != 0 ? 16 : kOutBoxes == 1 ? 32 : 64;
  static_assert(IsPeers(form) || kBoxRows * kStagedN * 4 <= kStagedBytes);
  static constexpr int kStages = Sm90Stages(form, kCtaM, kTileN, kRhsRows, kStagesWholeTiles);

  // Properties of a call that some forms fix at compile time.
  static JAXGEMM_SM90 Ragged RaggedOf(const GemmArgs& args) {
    return kIsDense || IsClaimed(form) ? Ragged::kNone : args.groups.ragged;
  }
  static JAXGEMM_SM90 bool IsGated(const GemmArgs& args) {
    return kStore == FormStore::kGated ||
           ((IsGeneral(form) || IsFewRows(form) || (IsGrouped(form) && Quantizes(form))) &&
            args.gated);
  }
  static JAXGEMM_SM90 DType OutOf(const GemmArgs& args) {
    return kStore == FormStore::kWide        ? DType::kF32
           : kStore == FormStore::kGated     ? PlainOut(lhs)
           : kStore == FormStore::kQuantized ? DType::kBF16  // that of preact
                                             : args.out_dtype;
  }
  static JAXGEMM_SM90 bool LoadsLhs(const TensorMaps& maps) {
    return !(kLoadsByElement || kGathers) || maps.lhs_valid;
  }
  static JAXGEMM_SM90 bool LoadsRhs(const TensorMaps& maps) {
    return !(kLoadsByElement || kGathers) || maps.rhs_valid;
  }
};

// Ids of named barriers: one for all consumers of a CTA, one for each consumer warpgroup, and one
// for each warpgroup's turn in ping-pong. kWarpgroupBarrier and kTurnBarrier are the first of two
// ids each.
inline constexpr int kConsumersBarrier = 1, kWarpgroupBarrier = 2, kTurnBarrier = 4;
inline constexpr int kClaimedIndexSlots = 2;  // SharedMemory::claimed_index
// A barrier of all warps of a consumer warpgroup: 0 or 1.
JAXGEMM_SM90 void WarpgroupBarrier(int warpgroup) {
  BarSync(kWarpgroupBarrier + warpgroup, kWarpgroupSize);
}
// How many k tiles dense forms load before the cluster barrier; a tuning constant.
inline constexpr int kLoadedAhead = 2;

// A position in a ring: the slot, and the parity of the phase that fills it.
template <int kSlots>
struct RingPlace {
  int slot = 0;
  uint32_t parity = 0;

  JAXGEMM_SM90 void Advance() {
    if (++slot == kSlots) slot = 0, parity ^= 1;
  }
  JAXGEMM_SM90 void Advance(int count) {
    const uint32_t to = slot + count, rounds = to / kSlots;
    slot = to - rounds * kSlots, parity ^= rounds & 1;
  }
};

template <class Traits>
struct SharedMemory {
  alignas(kAtomBytes) char lhs[Traits::kStages][Traits::kLhsBytes];
  char rhs[Traits::kStages][Traits::kRhsBytes];
  char out[Traits::kConsumerWarps][Traits::kStagedBytes];
  Mbarrier full[Traits::kStages], empty[Traits::kStages];
  // Work tiles on their way from the producer to the consumers.
  Mbarrier tile_full[Traits::kTileSlots], tile_empty[Traits::kTileSlots];
  WorkTile tiles[Traits::kTileSlots];
  // Indices on their way from the cluster's first CTA to the others: those that were claimed and,
  // if lhs arrives in chunks, also those at a fixed stride.
  Mbarrier claimed_index_full[kClaimedIndexSlots], claimed_index_empty[kClaimedIndexSlots];
  Index claimed_index[kClaimedIndexSlots];
  // One for each warp: the other peers' partial sums have arrived.
  Mbarrier partials_ready[Traits::kConsumerWarps];
  int32_t arrived;
  Index group_m;  // for ClaimedMap
  // The copies of gathered lines to a stage are done.
  Mbarrier copied[Traits::kGathers ? Traits::kStages : 1];
};

}  // namespace jaxgemm
