// One workgroup on Hopper of the forms kPlain and kPeers: little code, and nothing to agree on. Each
// role finds the work tiles itself, the first one while the cluster starts.
#pragma once

#include "kernel/epilogue_sm90.h"
#include "kernel/mainloop_sm90.h"

namespace jaxgemm {

template <class Traits>
class DenseWorkgroup {
  static constexpr bool kIsPeers = Traits::kForm == Sm90Form::kPeers;
  using Map = FirstKnownMap<std::conditional_t<kIsPeers, PeersMap, DenseMap>>;

 public:
  JAXGEMM_SM90 DenseWorkgroup(const GemmArgs& args, const TensorMaps& maps,
                              SharedMemory<Traits>& shared)
      : args_(args),
        maps_(maps),
        shared_(shared),
        rank_(Traits::kCluster == 1 ? 0 : ClusterRank()),
        by_element_(kIsPeers && (!maps.lhs_valid || !maps.rhs_valid)),
        first_(blockIdx.x / Traits::kCluster) {
    map_.map.grid = args.map.grid;
    map_.map.grid.num_xcds = 1;  // a division less
    if constexpr (kIsPeers) map_.map.peers = ClusterSize();
  }

  JAXGEMM_SM90 void Run() {
    // The same in all lanes, which the compiler cannot know.
    const int warp = __shfl_sync(~0u, threadIdx.x / kWarpSize, 0);
    LetNextKernelStart();
    if (warp == 0 && IsFirstLane()) {
      PrefetchTensorMap(&maps_.lhs);
      PrefetchTensorMap(&maps_.rhs);
      InitBarriers();
    }
    map_.Know(first_);
    // Here, not where it is used, and at the same time what else is wanted of the arguments.
    asm volatile("" ::"r"(map_.tile.m), "r"(map_.tile.n), "r"(map_.tile.batch),
                 "r"(map_.tile.k_begin), "r"(map_.tile.k_end), "r"(args_.num_workgroups),
                 "l"(args_.lhs_batch_stride), "l"(args_.rhs_batch_stride));
    __syncwarp();
    ClusterBarrier();
    WaitForKernelsBefore();
    if (warp >= kWarpgroupSize / kWarpSize) {
      if constexpr (Traits::kTradesRegisters) TakeRegisters<224>();
      Consume();
    } else {
      if constexpr (Traits::kTradesRegisters) GiveRegisters<56>();
      if (warp == 0) {
        Load(CopyEngineLoader<Traits>{
            .args = args_, .maps = maps_, .shared = shared_, .rank = rank_});
      } else if (by_element_) {
        Load(ElementLoader<Traits>{.args = args_,
                                   .maps = maps_,
                                   .shared = shared_,
                                   .rank = rank_,
                                   .thread = static_cast<int>(threadIdx.x) - kWarpSize});
      }
    }
    __syncwarp();
    // What is left at exit must not be another's.
    if constexpr (kIsPeers || Traits::kCluster > 1) ClusterBarrier();
  }

 private:
  JAXGEMM_SM90 void InitBarriers() {
    constexpr int kConsumerWarps = Traits::kConsumers * kWarpgroupSize / kWarpSize;
    for (int i = 0; i < Traits::kStages; ++i) {
      shared_.full[i].Init(1 + (by_element_ ? ElementLoader<Traits>::kWarps : 0));
      shared_.empty[i].Init(kConsumerWarps * Traits::kCluster);
    }
    if constexpr (kIsPeers) shared_.peers_ready.Init(1);
    FenceBarrierInit();
    if constexpr (kIsPeers) {
      shared_.peers_ready.ArriveExpecting(
          Epilogue<Traits>::PushedBytes(ClusterSize(), ClusterRank()));
    }
  }

  template <class Compute, class Store>
  JAXGEMM_SM90 void ForEachTile(Compute&& compute, Store&& store) {
    ForEachWorkTile(
        StrideClaim{.index = first_, .step = Step(), .size = map_.map.size()}, map_, AlwaysReady(),
        false, compute, store);
  }
  JAXGEMM_SM90 Index Step() const { return args_.num_workgroups; }

  template <class Loader>
  JAXGEMM_SM90 void Load(Loader loader) {
    ForEachTile([](const WorkTile&) {}, [&](const WorkTile& tile) { loader.Load(tile); });
  }

  JAXGEMM_SM90 void Consume() {
    typename Traits::Sum sums[Traits::kSums];
    Multiplier<Traits> multiplier{.shared = shared_};
    Index next = first_;
    ForEachTile([&](const WorkTile& tile) { multiplier.Run(args_, tile, sums); },
                [&](const WorkTile& tile) {
                  Epilogue<Traits> epilogue(shared_, rank_);
                  next += Step();
                  if constexpr (kIsPeers) {
                    epilogue.StoreWithPeers(args_, maps_, tile, sums);
                  } else {
                    epilogue.StorePlain(args_, maps_, tile, next >= map_.map.size(), sums);
                  }
                });
    // Shared memory is read until then.
    if (IsFirstLane()) WaitForStoredBoxes<0>();
  }

  const GemmArgs& args_;
  const TensorMaps& maps_;
  SharedMemory<Traits>& shared_;
  const int rank_;  // in a cluster that shares rhs
  const bool by_element_;
  const Index first_;
  Map map_;
};

}  // namespace jaxgemm
