// A workgroup on Hopper for the forms that are not dense (IsDense). It is a persistent cluster of
// CTAs. In each CTA a producer of one or two warps claims work tiles, loads their operands and
// sends the tiles to one or two consumer warpgroups, which multiply, fix up and store. In the dense
// forms no warp sends tiles, so they have shorter code, in gemm_dense.h.
#pragma once

#include <type_traits>

#include "schedule/fixup.h"
#include "sm90/claim.h"
#include "sm90/columns_epilogue.h"
#include "sm90/epilogue.h"
#include "sm90/gather_loader.h"
#include "sm90/mainloop.h"
#include "sm90/overlapped_store.h"
#include "sm90/pingpong.h"
#include "sm90/promotion.h"
#include "sm90/register_operand.h"

namespace jaxgemm {

// The accumulators of a CTA's part of an output tile, in the consumers' registers. A slot for
// partial sums has them in the same order, in rows of four values per thread.
template <class Traits>
struct Sm90Accumulator {
  using Element = typename Traits::Acc;
  using Row = Vec4<Element>;
  static constexpr int kThreads = Traits::kConsumers * kWarpgroupSize;
  static constexpr int kRows = Traits::kAccs / 4;
  static constexpr Index kNone = -1;

  Element (&acc)[Traits::kAccs];
  void* partials;
  SharedMemory<Traits>& shared;
  int thread, rank;
  Index held;  // the slot that has the same values as the registers

  JAXGEMM_SM90 Row* Slot(Index slot) const {
    return static_cast<Row*>(partials) +
           (int64_t{slot} * Traits::kCluster + rank) * kRows * kThreads + thread;
  }
  JAXGEMM_SM90 void Publish(Index slot) {
    Row* to = Slot(slot);
#pragma unroll
    for (int row = 0; row < kRows; ++row) to[row * kThreads] = Get(row);
  }
  JAXGEMM_SM90 void AddToSlot(Index slot) {
    Row* to = Slot(slot);
#pragma unroll
    for (int i = 0; i < Traits::kAccs; ++i) {
      AtomicAdd(to[i / 4 * kThreads].values + i % 4, acc[i]);
    }
  }
  JAXGEMM_SM90 void Load(Index slot) {
    if (held == slot) return;
    const Row* from = Slot(slot);
#pragma unroll
    for (int row = 0; row < kRows; ++row) Set(row, LoadRow(from + row * kThreads));
  }

  // Adds in the order of the slots. kAtOnce rows (a tuning constant) are loaded at once, which
  // hides the L2's latency.
  JAXGEMM_SM90 void Sum(Index first, Index step, Index count) {
    constexpr int kAtOnce = 8;
    Row* to = Slot(first);
    const int64_t next = Slot(first + step) - to;
#pragma unroll
    for (int row = 0; row < kRows; row += kAtOnce) {
      Row total[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) total[i] = LoadRow(to + (row + i) * kThreads);
#pragma unroll 2
      for (Index peer = 1; peer < count; ++peer) {
        Row term[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          term[i] = LoadRow(to + peer * next + (row + i) * kThreads);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
#pragma unroll
          for (int j = 0; j < 4; ++j) total[i][j] += term[i][j];
        }
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        to[(row + i) * kThreads] = total[i];
        Set(row + i, total[i]);
      }
    }
    held = first;
  }

  // All consumers of the CTA call this. Each CTA of a cluster has its own 16 bits of the counter.
  JAXGEMM_SM90 int32_t Arrive(int32_t* counter) {
    const int shift = 16 * rank;
    BarSync(kConsumersBarrier, kThreads);
    if (thread == 0) shared.arrived = FetchAddAcqRel(counter, 1 << shift);
    BarSync(kConsumersBarrier, kThreads);
    const uint32_t before = shared.arrived;
    // All threads have read `arrived` before the next Arrive writes it.
    BarSync(kConsumersBarrier, kThreads);
    return Traits::kCluster == 1 ? before : before >> shift & 0xffff;
  }

 private:
  JAXGEMM_SM90 Row Get(int row) const {
    return {{acc[4 * row], acc[4 * row + 1], acc[4 * row + 2], acc[4 * row + 3]}};
  }
  JAXGEMM_SM90 void Set(int row, Row values) {
#pragma unroll
    for (int i = 0; i < 4; ++i) acc[4 * row + i] = values[i];
  }
  // Reads from the L2, because other workgroups wrote the row.
  static JAXGEMM_SM90 Row LoadRow(const Row* row) {
    const uint4 words = __ldcg(reinterpret_cast<const uint4*>(row));
    return __builtin_bit_cast(Row, words);
  }
};

template <class Traits>
class Workgroup {
  static constexpr bool kIsGrouped = IsGrouped(Traits::kForm);
  static constexpr bool kIsScaled = IsScaled(Traits::kForm);
  static constexpr bool kIsFewRows = IsFewRows(Traits::kForm);
  static constexpr bool kIsScaledCast = kIsScaled && Traits::kIsPlain;
  // Warps that gather along k read indices ahead of each stage. With ping-pong the accumulators
  // leave them no more registers.
  static constexpr bool kGathersAlongK =
      kIsGrouped && Traits::kGathers && !Traits::kLhsKMajor && !Traits::kIsPingPong;
  static constexpr int kConsumerRegisters = kIsScaled && Traits::kTileN > kScaleBlock
                                                ? kScaledWideRegisters
                                            : kIsScaled || kGathersAlongK ? kScaledRegisters
                                                                          : 224;
  using Mainloop =
      std::conditional_t<Traits::kRhsInRegisters, RegisterMainloop<Traits>, SmemMainloop<Traits>>;

 public:
  static_assert(Sm90Threads(Traits::kForm) == (1 + Traits::kConsumers) * kWarpgroupSize);

  JAXGEMM_SM90 Workgroup(const GemmArgs& args, const TensorMaps& maps, SharedMemory<Traits>& shared)
      : args_(args),
        maps_(maps),
        shared_(shared),
        rank_(Traits::kCluster == 1 ? 0 : ClusterCtaRank()),
        waits_for_none_((!Traits::kIsPlain || kIsScaledCast) && !kIsGrouped &&
                        args.groups.ragged == Ragged::kNone && args.claim.num_queues == 0 &&
                        !args.chunks.signals),
        gathers_(Traits::kGathers && (args.lhs_gather.indices || args.rhs_gather.indices)),
        copies_(gathers_ || (Traits::kLoadsByElement && (!maps.lhs_valid || !maps.rhs_valid))) {}

  JAXGEMM_SM90 void Run() {
    const int warp = WarpUniform(threadIdx.x / kWarpSize);
    GridDependencyLaunchDependents();
    // Three warps at the same time do what the first loads must wait for.
    FirstKnownMap map{.map = args_.map};
    if (warp == 0) {
      const Index first = FirstIndex();
      if (waits_for_none_ && first < args_.map.size()) map.Know(first, args_.map(first));
    } else if (warp == 1) {
      if (ElectSync()) InitBarriers();
    } else if (warp == 2) {
      if (ElectSync()) {
        PrefetchTensorMap(&maps_.lhs);
        PrefetchTensorMap(&maps_.rhs);
        if (maps_.out_valid) PrefetchTensorMap(&maps_.out);
      }
    }
    __syncwarp();
    BarrierClusterSync();
    GridDependencyWait();
    // With this order of branches the code of the producers comes next, because they have work
    // first. setmaxnreg divides the registers that the CTA has at launch: 384 x 168 = 256 x 224 +
    // 128 x 56 = 128 x 504. With few rows a thread has as many as it can address.
    if (warp >= kWarpgroupSize / kWarpSize) {
      if constexpr (!kIsFewRows) SetMaxRegistersInc<kConsumerRegisters>();
      if constexpr (kIsScaledCast) {
        ConsumeAndCastPromoted();
      } else if constexpr (Traits::kIsPingPong) {
        ConsumePingPong();
      } else if constexpr (Traits::kRhsInRegisters) {
        ConsumeByRegisters();
      } else if constexpr (Traits::kIsPlain || (kIsGrouped && !kIsFewRows)) {
        ConsumeAndOverlapStore();
      } else {
        Consume();
      }
    } else {
      if constexpr (!kIsFewRows) SetMaxRegistersDec<504 - 2 * kConsumerRegisters>();
      if (warp == (Traits::kHasSchedulerWarp ? 1 : 0)) {
        Produce(map);
      } else if (Traits::kHasSchedulerWarp && warp == 0) {
        LoadSent();
      } else if (copies_) {
        Copy();
      }
    }
    __syncwarp();
    // A CTA must not exit while another one of the cluster still accesses its shared memory.
    if constexpr (Traits::kCluster > 1) BarrierClusterSync();
  }

 private:
  // A map with the first tile computed in advance.
  struct FirstKnownMap {
    StreamKMap map;
    Index first = kNoMoreWork;
    WorkTile tile;

    JAXGEMM_SM90 void Know(Index index, const WorkTile& its) { first = index, tile = its; }
    JAXGEMM_SM90 WorkTile operator()(Index index) const {
      return index == first ? tile : map(index);
    }
  };

  static JAXGEMM_SM90 Index FirstIndex() { return blockIdx.x / Traits::kCluster; }

  JAXGEMM_SM90 void InitBarriers() {
    // Warps other than the consumers that receive the next work tile.
    const int loaders = copies_ ? ElementLoader<Traits>::kWarps : Traits::kHasSchedulerWarp ? 1 : 0;
    InitStages(shared_,
               gathers_  ? 1
               : copies_ ? ElementLoader<Traits>::kThreads
                         : 0,
               0, Traits::kStages);
    if constexpr (Traits::kGathers) {
      for (Mbarrier& copied : shared_.copied) copied.Init(GatherLoader<Traits>::kThreads);
    }
    for (int i = 0; i < Traits::kTileSlots; ++i) {
      shared_.tile_full[i].Init(1);
      shared_.tile_empty[i].Init((Traits::kConsumerWarps + loaders) * kWarpSize);
    }
    for (int i = 0; i < kClaimedIndexSlots; ++i) {
      shared_.claimed_index_full[i].Init(1);
      shared_.claimed_index_empty[i].Init(Traits::kCluster - 1);
    }
    FenceMbarrierInit();
  }

  // All lanes of one warp run this; one lane issues the loads.
  JAXGEMM_SM90 void Produce(FirstKnownMap& first) {
    const StrideClaim stride{
        .index = FirstIndex(), .step = args_.claim.num_workgroups, .size = args_.map.size()};
    // This case has its own code, so that less code is fetched. (Code is fetched as it is
    // executed.)
    if (waits_for_none_) return Produce(stride, first, AlwaysReady());
    if constexpr (kIsGrouped || kIsScaledCast) {
      WarpGroupedMap</*kCuts=*/false> map(args_);
      const GroupedStrideClaim claim{
          .groups = map.groups, .index = stride.index, .step = stride.step};
      return Produce(claim, map, AlwaysReady());
    }
    ClusterClaim<Traits> claim{.args = args_, .shared = shared_, .rank = rank_};
    claim.claim = MakeClaim(args_.claim, args_.claims, stride.index,
                            args_.claim.FirstQueue(stride.index), stride.size);
    if (Traits::RaggedOf(args_) == Ragged::kNone) {
      const Index group_m = args_.chunks.GroupM<WarpLanes>(args_.map.grid);
      if (ElectSync()) shared_.group_m = group_m;
      __syncwarp();
      ClaimedMap<Traits> map{args_, shared_};
      return Produce(claim, map, ClaimedRows{args_.chunks});
    }
    WarpGroupedMap</*kCuts=*/true> map(args_);
    claim.claim.SetSize(map.groups.size());
    Produce(claim, map, AlwaysReady());
  }
  template <class Claim, class Map, class Ready>
  JAXGEMM_SM90 void Produce(const Claim& claim, Map& map, const Ready& ready) {
    TileSender<Traits> sender{.shared = shared_};
    auto send = [&](const WorkTile& tile) { sender.Send(tile); };
    if constexpr (Traits::kHasSchedulerWarp) {
      const bool ahead = args_.claim_ahead || args_.claim.num_queues == 0;
      ForEachWorkTile(PacedClaim<Traits, Claim>{claim, sender, ahead}, map, ready, false, send,
                      [](const WorkTile&) {});
    } else {
      TmaLoader<Traits> loader(args_, maps_, shared_, rank_);
      ForEachWorkTile(claim, map, ready, args_.claim_ahead, send,
                      [&](const WorkTile& tile) { Load(loader, tile); });
    }
    sender.Send({.valid = false});
  }
  JAXGEMM_SM90 void Load(TmaLoader<Traits>& loader, const WorkTile& tile) const {
    // TMA must see what the writer of a chunk's signal wrote.
    if (args_.chunks.signals) FenceProxyAsyncGlobal();
    loader.Load(tile);
  }

  // Loops over the work tiles that this CTA's claiming warp sends.
  template <class Compute, class Store>
  JAXGEMM_SM90 void ForEachSent(Compute&& compute, Store&& store) const {
    TileReceiver<Traits> receiver{.shared = shared_};
    ForEachWorkTile(typename TileReceiver<Traits>::Claim{receiver}, receiver, AlwaysReady(), false,
                    compute, store);
  }

  JAXGEMM_SM90 void LoadSent() {
    TmaLoader<Traits> loader(args_, maps_, shared_, rank_);
    ForEachSent([](const WorkTile&) {}, [&](const WorkTile& tile) { Load(loader, tile); });
  }

  // The warps after the producer copy what TMA does not load.
  JAXGEMM_SM90 void Copy() {
    const int thread = static_cast<int>(threadIdx.x) - kWarpSize;
    if constexpr (Traits::kGathers) {
      if (gathers_) {
        GatherLoader<Traits> loader(args_, shared_, rank_, WarpUniform(thread / kWarpSize));
        return ForEachSent([](const WorkTile&) {},
                           [&](const WorkTile& tile) { loader.Load(tile); });
      }
    }
    if constexpr (Traits::kLoadsByElement) {
      ElementLoader<Traits> loader{
          .args = args_, .maps = maps_, .shared = shared_, .rank = rank_, .thread = thread};
      ForEachSent([](const WorkTile&) {}, [&](const WorkTile& tile) { loader.Load(tile); });
    }
  }

  JAXGEMM_SM90 void Consume() {
    typename Traits::Acc acc[Traits::kAccs];
    Sm90Accumulator<Traits> accumulator{
        .acc = acc, .partials = args_.partials, .shared = shared_, .rank = rank_};
    SmemMainloop<Traits> mainloop(shared_, MulticastGroup<Traits>(maps_));
    auto store = [&](const WorkTile& tile) {
      Epilogue<Traits> epilogue(shared_, rank_);
      accumulator.thread = ThreadId() - kWarpgroupSize;
      // Forms for few rows cut no tile.
      if (!kIsFewRows && !FixUp(tile, args_.reduction, args_.arrivals, accumulator)) return;
      if constexpr (kIsScaled && Quantizes(Traits::kForm)) {
        QuantizedEpilogue<Traits>(shared_, rank_).StoreQuantized(args_, tile, acc);
      } else {
        epilogue.Store(args_, maps_, tile, acc);
      }
    };
    if constexpr (kIsScaled) {
      Promote(mainloop, accumulator, acc, store);
    } else {
      auto compute = [&](const WorkTile& tile) {
        accumulator.held = Sm90Accumulator<Traits>::kNone;
        mainloop.Run(args_, tile, acc);
      };
      ForEachSent(compute, store);
    }
    // Shared memory must exist until TMA has read it.
    if (ElectSync()) TmaStoreWaitRead<0>();
  }

  // Consume, for operands with scales of blocks: the first k tile of the next tile is multiplied
  // while a tile is stored.
  template <class Store>
  JAXGEMM_SM90 void Promote(SmemMainloop<Traits>& mainloop, Sm90Accumulator<Traits>& accumulator,
                            typename Traits::Acc (&acc)[Traits::kAccs], const Store& store) {
    typename Traits::Acc part[Traits::kAccs];
    WorkTile last{.valid = false};  // the tile that is not stored yet
    auto compute = [&](const WorkTile& tile) {
      mainloop.BeginPromoting(tile, part);
      if (last.valid) store(last);
      last = tile;
      accumulator.held = Sm90Accumulator<Traits>::kNone;
      mainloop.RunPromoting(args_, tile, rank_, part, acc);
    };
    ForEachSent(compute, [](const WorkTile&) {});
    if (last.valid) store(last);
  }

  // The same, for results that are only cast.
  JAXGEMM_SM90 void ConsumeAndCastPromoted() {
    typename Traits::Acc acc[Traits::kAccs], part[Traits::kAccs];
    Promotion<Traits> mainloop(shared_, MulticastGroup<Traits>(maps_));
    Epilogue<Traits> epilogue(shared_, rank_);
    WorkTile last{.valid = false};
    auto compute = [&](const WorkTile& tile) {
      mainloop.Begin(args_, tile, rank_, part);
      if (last.valid) epilogue.StoreAtOnce(args_, maps_, last, acc);
      last = tile;
      mainloop.Run(tile, part, acc);
    };
    ForEachSent(compute, [](const WorkTile&) {});
    if (last.valid) epilogue.StoreAtOnce(args_, maps_, last, acc);
    if (ElectSync()) TmaStoreWaitRead<0>();
  }

  JAXGEMM_SM90 void ConsumeAndOverlapStore() {
    typename Traits::Acc acc[Traits::kAccs];
    SmemMainloop<Traits> mainloop(shared_, MulticastGroup<Traits>(maps_));
    OverlappedStore<Traits> stored{.args = args_, .maps = maps_, .shared = shared_, .rank = rank_};
    auto compute = [&](const WorkTile& tile) {
      stored.Spread(tile.k_end - tile.k_begin);
      mainloop.Run(args_, tile, acc, stored);
    };
    auto store = [&](const WorkTile& tile) {
      stored.StoreRest();
      stored.Take(tile, acc);
    };
    ForEachSent(compute, store);
    stored.StoreLast();
  }

  JAXGEMM_SM90 void ConsumeByRegisters() {
    typename Traits::Acc acc[Traits::kAllAccs];
    RegisterMainloop<Traits> mainloop(shared_, MulticastGroup<Traits>(maps_));
    ForEachSent([&](const WorkTile& tile) { mainloop.Run(args_, tile, acc); },
                [&](const WorkTile& tile) {
      ColumnsEpilogue<Traits>(args_, maps_, shared_, rank_, tile).Store(tile, acc);
    });
    // Shared memory must exist until TMA has read it.
    if (ElectSync()) TmaStoreWaitRead<0>();
  }

  // Both warpgroups receive all tiles; each computes every other one.
  JAXGEMM_SM90 void ConsumePingPong() {
    typename Traits::Acc acc[Traits::kAllAccs];
    Mainloop mainloop(shared_, MulticastGroup<Traits>(maps_));
    const PingPongTurns turns;
    typename FusedEpilogue<Traits>::Vectors vectors;
    Index turn = 0;
    auto compute = [&](const WorkTile& tile) {
      const Index k_tiles = tile.k_end - tile.k_begin;
      if (!turns.IsMine(turn)) return mainloop.Skip(k_tiles);
      if constexpr (Traits::kHasOnlyVectors) {
        vectors = FusedEpilogue<Traits>(shared_, rank_).LoadVectors(args_, maps_, tile);
      }
      if (turn > 0) turns.Await();
      const PingPongTurns::HandOver hand_over = turns.After(k_tiles, /*is_last=*/false);
      mainloop.Run(args_, tile, acc, hand_over);
      if (WarpUniform(k_tiles <= 0)) hand_over();
    };
    auto store = [&](const WorkTile& tile) {
      if (!turns.IsMine(turn++)) return;
      if constexpr (Traits::kRhsInRegisters) {
        return ColumnsEpilogue<Traits>(args_, maps_, shared_, rank_, tile).Store(tile, acc);
      }
      FusedEpilogue<Traits> epilogue(shared_, rank_);
      if constexpr (Traits::kHasOnlyVectors) {
        epilogue.ApplyVectors(args_, tile, vectors, acc);
      }
      epilogue.StoreTile(args_, maps_, tile, acc, /*is_last=*/false, [](int) { return 0; });
    };
    ForEachSent(compute, store);
    // The last tile's turn was handed over as well, and the barrier must be completed.
    if (turn > 0 && turns.IsMine(turn)) turns.Await();
    // Shared memory must exist until TMA has read it.
    if (ElectSync()) TmaStoreWaitRead<0>();
  }

  const GemmArgs& args_;
  const TensorMaps& maps_;
  SharedMemory<Traits>& shared_;
  const int rank_;               // of the CTA in a cluster that shares rhs
  const bool waits_for_none_;    // dense, tiles at a fixed stride, lhs is complete
  const bool gathers_, copies_;  // threads read operands by index, or copy what TMA cannot read
};

}  // namespace jaxgemm
