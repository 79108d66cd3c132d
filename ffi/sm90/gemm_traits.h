// What a Hopper kernel instance is compiled for, and its shared memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel/gemm_args.h"
#include "sm90/wgmma.h"

namespace jaxgemm {

// A tile of tile_m x tile_n, computed by `cluster` CTAs that share its rhs, 128 rows each: two
// warpgroups of 64 rows. *_k_contiguous: k is the operand's last dimension in memory.
template <DType lhs, DType rhs, int tile_m, int tile_n, int cluster, bool lhs_k_contiguous,
          bool rhs_k_contiguous, Sm90Form form>
struct Sm90Traits {
  static constexpr Sm90Form kForm = form;
  static constexpr bool kTakesTurns = TakesTurns(form, tile_n);
  static constexpr bool kIsDense =
      form == Sm90Form::kPlain || form == Sm90Form::kPeers || form == Sm90Form::kPingPong;
  static constexpr bool kIsPlain = IsPlain(form);
  // By a warp of its own: while the next tile is claimed the loads go on.
  static constexpr bool kClaimsApart = form == Sm90Form::kClaimed;
  // Tiles on their way to the consumers: as few as are enough, where others could have them.
  static constexpr int kTileSlots = kClaimsApart ? 2 : 4;
  static constexpr DType kLhs = lhs, kRhs = rhs;
  static constexpr bool kLhsKContiguous = lhs_k_contiguous;
  static constexpr bool kRhsKContiguous = rhs_k_contiguous;
  static constexpr int kBytes = ElementBytes(lhs);
  // How they lie in shared memory: of types that have not 16 bits wgmma reads k along the rows.
  static constexpr bool kLhsKMajor = kLhsKContiguous || kBytes != 2;
  static constexpr bool kRhsKMajor = kRhsKContiguous || kBytes != 2;
  static_assert(ElementBytes(rhs) == kBytes);
  static constexpr int kCluster = cluster;
  static constexpr int kTileM = tile_m, kTileN = tile_n, kTileK = kRowBytes / kBytes;
  static constexpr int kCtaM = kTileM / kCluster, kWgmmaM = 64;
  static constexpr int kConsumers = kSm90Consumers;
  static_assert(kCtaM == kConsumers * kWgmmaM);
  // A warpgroup has 64 of a CTA's rows, or all of every other tile. So many read each stage.
  static constexpr int kBlocksM = kTakesTurns ? kCtaM / kWgmmaM : 1;
  static constexpr int kStageReaders = kTakesTurns ? 1 : kConsumers;

  static constexpr bool kInteger = lhs == DType::kS8;
  using Sum = std::conditional_t<kInteger, int32_t, float>;
  // Of a thread and 64 rows: columns 8 j + 2 (lane % 4) + {0, 1} of rows lane / 4 and lane / 4 + 8
  // of its warp's 16 are sums 4 j + {0, 1} and 4 j + {2, 3}.
  static constexpr int kSums = kTileN / 2;
  static constexpr int kFours = kSums / 4;
  static constexpr int kAllSums = kBlocksM * kSums;

  using Mma = Wgmma<lhs, rhs, kTileN, !kLhsKMajor, !kRhsKMajor>;
  static constexpr int kSteps = kTileK / Mma::kDepth;

  // Operands that are not k-major lie in blocks, of which each row is one k of 128 bytes of rows.
  static constexpr int kBlock = kRowBytes / kBytes;
  static constexpr int kBlockBytes = kTileK * kRowBytes;
  static constexpr int kLhsBytes = kCtaM * kRowBytes, kRhsBytes = kTileN * kRowBytes;
  static constexpr int kStageBytes = kLhsBytes + kRhsBytes;
  // Consumers of few sums do with the registers that all threads have.
  static constexpr bool kTradesRegisters = !kIsDense || kAllSums > 64;
  // On their way to out, a warp's 16 rows: boxes of 64 columns of 16 bits, or as many sums as fit.
  // Of 192 columns, a second one would cost a stage.
  static constexpr int kOutBoxes = kTileN % 128 == 0 ? 2 : 1;
  // Or what other peers have of the columns that one owns, see CanBePeers.
  static constexpr int kStagedBytes =
      form == Sm90Form::kPeers ? kBoxRows * kTileN * 4 : kOutBoxes * kBoxRows * kRowBytes;
  static constexpr int kStagedN = kOutBoxes == 1 ? 32 : 64;
  static_assert(kBoxRows * kStagedN * 4 <= kStagedBytes);
  static constexpr int kConsumerWarps = kConsumers * kWarpgroupSize / kWarpSize;
  static constexpr int kOutBytes = kConsumerWarps * kStagedBytes;
  static constexpr int kMostShared = kSm90SharedBytes, kOtherShared = 1024;
  static constexpr int kStages = (kMostShared - kOtherShared - kOutBytes) / kStageBytes;

  // What some forms know as they are compiled.
  static JAXGEMM_SM90 Ragged RaggedOf(const GemmArgs& args) {
    return kIsDense || form == Sm90Form::kClaimed ? Ragged::kNone : args.groups.ragged;
  }
  static JAXGEMM_SM90 bool IsGated(const GemmArgs& args) {
    return form == Sm90Form::kGeneral && args.gated;
  }
  static JAXGEMM_SM90 bool LoadsLhs(const TensorMaps& maps) { return kIsPlain || maps.lhs_valid; }
  static JAXGEMM_SM90 bool LoadsRhs(const TensorMaps& maps) { return kIsPlain || maps.rhs_valid; }
};

// Named barriers' ids: that of all consumers of a CTA, the first of one for each warpgroup, and of
// one for each warpgroup's turn.
inline constexpr int kConsumersBarrier = 1, kWarpgroupBarrier = 2, kTurnBarrier = 4;
inline constexpr int kMailSlots = 2;
// All warps of this warpgroup of consumers, the first of which is 0.
JAXGEMM_SM90 void WarpgroupBarrier(int warpgroup) {
  NamedBarrier(kWarpgroupBarrier + warpgroup, kWarpgroupSize);
}
// k tiles that dense forms load before all else.
inline constexpr int kLoadedAhead = 2;

// A ring's place: which slot, and the parity of the phase that fills it.
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
  SharedBarrier full[Traits::kStages], empty[Traits::kStages];
  // Work tiles on their way from the producer to the consumers.
  SharedBarrier tile_full[Traits::kTileSlots], tile_empty[Traits::kTileSlots];
  WorkTile tiles[Traits::kTileSlots];
  // Stolen indices on their way from the cluster's first CTA to the others.
  SharedBarrier mail_full[kMailSlots], mail_empty[kMailSlots];
  Index mail[kMailSlots];
  // The others' sums have come, of each warp.
  SharedBarrier peers_ready[Traits::kConsumerWarps];
  int32_t arrived;
  Index group_m;  // of a dense problem whose tiles are claimed one by one
};

}  // namespace jaxgemm
