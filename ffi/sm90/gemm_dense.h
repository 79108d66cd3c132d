// A variant of sm90/gemm.h for the dense forms. Without cluster split-K the workgroup is
// persistent. With it each CTA computes one slice of one tile. The code is shorter, because no warp
// sends tiles to others: each warp computes the indices of its work tiles, those of the first one
// while the cluster starts.
#pragma once

#include "sm90/cluster_split_k.h"
#include "sm90/cluster_split_k_epilogue.h"
#include "sm90/mainloop.h"
#include "sm90/overlapped_store.h"
#include "sm90/pingpong.h"
#include "sm90/register_operand.h"

namespace jaxgemm {

// A map that computes the next work tile in advance, so that no warp waits for its divisions.
template <class Map>
struct AheadMap {
  // Whether this is cluster split-K: a tile can have several peers, and a cluster several tiles.
  static constexpr bool kInClusters = std::is_same_v<Map, ClusterSplitKMap>;

  Map map;
  WorkTile tile;  // what operator() returns next

  // Computes `tile` for a CTA's first index, which is usually small, in fewer instructions than
  // Find. Returns false if this index needs Find. `rank` is for clusters of tiles only.
  JAXGEMM_SM90 bool FindFirst(Index index, const ClusterSplitKRank& rank) {
    const TileGrid& grid = map.grid;
    Index place = index;
    if constexpr (kInClusters) place = Div20Bits(index, map.cluster_size());
    // With group_m == 1 clusters are visited row by row.
    const bool by_rows = kInClusters && grid.group_m == 1;
    const Index rows = by_rows ? grid.tiles_m : grid.group_m;
    const Index step = by_rows ? grid.tiles_n : grid.group_m;
    if (place >= rows * grid.tiles_n || (kInClusters && grid.tiles_k >= 1 << 16)) return false;
    const Index whole = Div20Bits(place, step), rest = place - whole * step;
    const Index m = by_rows ? whole : rest, n = by_rows ? rest : whole;
    tile = {.m = m, .n = n, .k_end = grid.tiles_k};
    if constexpr (kInClusters) {
      const Index in_n = Div20Bits(rank.tile, map.cluster_m);
      tile.m = m * map.cluster_m + rank.tile - in_n * map.cluster_m;
      tile.n = n * map.cluster_n + in_n;
      tile.peer = rank.peer, tile.num_peers = map.peers;
      tile.k_begin = Div20Bits(rank.peer * grid.tiles_k, map.peers);
      tile.k_end = Div20Bits((rank.peer + 1) * grid.tiles_k, map.peers);
    }
    return true;
  }
  JAXGEMM_SM90 void Find(Index index) {
    if (index < map.size()) tile = map(index);
  }
  JAXGEMM_SM90 WorkTile operator()(Index) const { return tile; }
};

template <class Traits>
class DenseWorkgroup {
  static constexpr bool kIsClusterSplitK = IsPeers(Traits::kForm);
  // Registers per thread after setmaxnreg, which divides those that the CTA has at launch:
  // 384 x 168 = 256 x 240 + 128 x 24 = 256 x 232 + 128 x 40.
  static constexpr int kMainloopRegisters = Traits::kIsPingPong ? 240 : 232;
  static constexpr int kLoaderRegisters = Traits::kIsPingPong ? 24 : 40;
  using Map = AheadMap<std::conditional_t<kIsClusterSplitK, ClusterSplitKMap, DenseMap>>;

 public:
  JAXGEMM_SM90 DenseWorkgroup(const GemmArgs& args, const TensorMaps& maps,
                              SharedMemory<Traits>& shared)
      : args_(args),
        maps_(maps),
        shared_(shared),
        rank_(Traits::kCluster == 1 ? 0 : ClusterCtaRank()),
        by_element_(Traits::kLoadsByElement && (!maps.lhs_valid || !maps.rhs_valid)),
        split_k_rank_(Traits::kMulticasts ? maps.cluster_m * maps.cluster_n : 1),
        multicast_group_(maps),
        next_(blockIdx.x / Traits::kCluster) {
    map_.map.grid = args.map.grid;
    map_.map.grid.num_xcds = 1;  // saves a division
    if constexpr (Traits::kMulticasts) {
      map_.map.cluster_m = maps.cluster_m, map_.map.cluster_n = maps.cluster_n;
    }
    if constexpr (kIsClusterSplitK)
      map_.map.peers = Div20Bits(ClusterNctaRank(), split_k_rank_.tiles);
  }

  JAXGEMM_SM90 void Run() {
    // Code is fetched as it is executed, a few bytes per cycle: the first loads' code comes first.
    Index ahead = 0;  // k tiles loaded already, valid in the lane that loads
    if (threadIdx.x < kWarpSize) {
      if (ElectSync()) {
        InitStages(shared_, Copying(), 0, kLoadedAhead, multicast_group_.count());
        if (map_.FindFirst(next_, split_k_rank_)) ahead = LoadFirst();
      }
      __syncwarp();
    }
    const int warp = WarpUniform(threadIdx.x / kWarpSize);
    GridDependencyLaunchDependents();
    if (warp == 1) {
      if (ElectSync()) InitBarriers();
    } else if (warp == 2) {
      if (!kIsClusterSplitK && ElectSync()) PrefetchTensorMap(&maps_.out);
    } else if (warp > 2) {
      PrefetchOperands<Sm90Threads(Traits::kForm) - 3 * kWarpSize>(threadIdx.x - 3 * kWarpSize);
    }
    __syncwarp();
    BarrierClusterArrive();
    if (!map_.FindFirst(next_, split_k_rank_)) map_.Find(next_);
    // This makes the compiler compute the tile here, not where it is used.
    asm volatile("" ::"r"(map_.tile.m), "r"(map_.tile.n), "r"(map_.tile.batch),
                 "r"(map_.tile.k_begin), "r"(map_.tile.k_end), "r"(args_.claim.num_workgroups));
    GridDependencyWait();
    BarrierClusterWait();
    if (warp >= kWarpgroupSize / kWarpSize) {
      if constexpr (Traits::kTradesRegisters) SetMaxRegistersInc<kMainloopRegisters>();
      if constexpr (kIsClusterSplitK) {
        ConsumeClusterSplitK();
      } else if constexpr (Traits::kIsPingPong) {
        ConsumePingPong();
      } else if constexpr (Traits::kHasOnlyDenseForms || Traits::kInteger) {
        ConsumeAndStore();
      } else {
        ConsumeAndOverlapStore();
      }
    } else {
      if constexpr (Traits::kTradesRegisters) SetMaxRegistersDec<kLoaderRegisters>();
      if (warp == 0) {
        Load(TmaLoader<Traits>(args_, maps_, shared_, rank_, ahead));
      } else if (by_element_) {
        Load(ElementLoader<Traits>{.args = args_,
                                   .maps = maps_,
                                   .shared = shared_,
                                   .rank = rank_,
                                   .thread = static_cast<int>(threadIdx.x) - kWarpSize});
      }
    }
  }

 private:
  // Loads the first k tiles, before the cluster barrier. Returns how many.
  JAXGEMM_SM90 Index LoadFirst() {
    const Index count = map_.tile.k_end - map_.tile.k_begin;
    GridDependencyWait();
    TmaLoader<Traits>::LoadAhead(args_, maps_, shared_, rank_, map_.tile);
    return count < kLoadedAhead ? count : kLoadedAhead;
  }

  // kThreads threads of the CTA call this.
  template <int kThreads>
  JAXGEMM_SM90 void PrefetchOperands(int thread) const {
    Index cta = blockIdx.x, peers = 1, peer = 0;
    if constexpr (kIsClusterSplitK) {
      // Numbers the CTA among those with the same part of k.
      peers = map_.map.peers, peer = split_k_rank_.peer;
      cta = Div20Bits(cta, map_.map.cluster_size()) * split_k_rank_.tiles + split_k_rank_.tile;
    }
    OperandPrefetch<Traits>::Run(args_, peers, peer, cta * kThreads + thread);
  }

  // How many threads arrive at a full stage beside the producer.
  JAXGEMM_SM90 int Copying() const { return by_element_ ? ElementLoader<Traits>::kThreads : 0; }
  JAXGEMM_SM90 void InitBarriers() {
    InitStages(shared_, Copying(), kLoadedAhead, Traits::kStages, multicast_group_.count());
    if constexpr (kIsClusterSplitK) {
#pragma unroll
      for (Mbarrier& each : shared_.partials_ready) each.Init(1);
    }
    FenceMbarrierInit();
  }

  template <class Compute, class Store>
  JAXGEMM_SM90 void ForEachTile(Compute&& compute, Store&& store) {
    const StrideClaim claim{
        .index = next_, .step = args_.claim.num_workgroups, .size = map_.map.size()};
    next_ += claim.step;
    ForEachWorkTile(claim, map_, AlwaysReady(), false, compute, store);
  }
  // The number of this CTA's work tiles. It must be called before the first one.
  JAXGEMM_SM90 Index NumTiles() const {
    const Index size = map_.map.size(), step = args_.claim.num_workgroups;
    return next_ < size ? Div(size - next_ + step - 1, step) : 0;
  }
  JAXGEMM_SM90 void Advance() { next_ += args_.claim.num_workgroups; }
  // How many stages a main loop releases, if it counts them.
  JAXGEMM_SM90 Index NumReleases() const {
    if constexpr (!SmemMainloop<Traits>::kCountsReleases) return kNever;
    return NumTiles() * map_.map.grid.tiles_k - Traits::kStages;
  }

  template <class Loader>
  JAXGEMM_SM90 void Load(Loader&& loader) {
    if constexpr (kIsClusterSplitK)
      return loader.Load(map_.tile);  // There are as many CTAs as work tiles.
    ForEachTile([&](const WorkTile& tile) { loader.Load(tile); }, [&](const WorkTile&) {
      map_.Find(next_);
      Advance();
    });
  }

  JAXGEMM_SM90 void ConsumeClusterSplitK() {
    typename Traits::Acc acc[Traits::kAccs];
    // The last stages are not released to another CTA, because no load follows, and the CTA may
    // have exited.
    const Index k_tiles = map_.tile.k_end - map_.tile.k_begin;
    std::conditional_t<Traits::kLhsInRegisters, RegisterMainloop<Traits>, SmemMainloop<Traits>>
        mainloop(shared_, multicast_group_,
                 multicast_group_.count() > 1 ? k_tiles - Traits::kStages : kNever);
    const ClusterSplitKExchange<Traits> exchange(shared_, map_.map.peers, split_k_rank_);
    exchange.Expect();
    mainloop.Run(args_, map_.tile, acc);
    ClusterSplitKEpilogue<Traits> epilogue(shared_, rank_);
    if constexpr (Traits::kTransposed && !Traits::kInteger) {
      const bool is_alone = WarpUniform(map_.map.peers == 1);
      if (is_alone && epilogue.StoreWholeTransposed(args_, map_.tile, acc)) return;
    }
    exchange.Send(acc);
    if constexpr (Traits::kTransposed) {
      epilogue.StoreTransposed(args_, map_.tile, exchange);
    } else {
      epilogue.StoreOwned(args_, maps_, map_.tile, exchange);
    }
  }

  // Finds the next work tile, and stores the previous one, while a tile is multiplied.
  struct FindAndStore {
    DenseWorkgroup& workgroup;
    OverlappedStore<Traits>& stored;
    bool found;

    JAXGEMM_SM90 Index NextTime(Index k_tiles) const {
      return found ? stored.NextTime(k_tiles) : 1;
    }
    JAXGEMM_SM90 void operator()() {
      if (WarpUniform(!found)) workgroup.map_.Find(workgroup.next_);
      found = true;
      stored();
    }
  };

  JAXGEMM_SM90 void ConsumeAndOverlapStore() {
    typename Traits::Acc acc[Traits::kAccs];
    const Index size = map_.map.size();
    SmemMainloop<Traits> mainloop(shared_, multicast_group_, NumReleases());
    OverlappedStore<Traits> stored{.args = args_, .maps = maps_, .shared = shared_, .rank = rank_};
    auto compute = [&](const WorkTile& tile) {
      stored.Spread(tile.k_end);
      mainloop.Run(args_, tile, acc,
                   FindAndStore{.workgroup = *this, .stored = stored, .found = next_ >= size});
    };
    auto store = [&](const WorkTile& tile) {
      stored.StoreRest();
      stored.Take(tile, acc);
      Advance();
    };
    ForEachTile(compute, store);
    stored.StoreLast();
  }

  JAXGEMM_SM90 void ConsumeAndStore() {
    typename Traits::Acc acc[Traits::kAllAccs];
    SmemMainloop<Traits> mainloop(shared_, multicast_group_, NumReleases());
    auto compute = [&](const WorkTile& tile) { mainloop.Run(args_, tile, acc); };
    auto store = [&](const WorkTile& tile) {
      FusedEpilogue<Traits> epilogue(shared_, rank_);
      if constexpr (Traits::kIsFused) {
        const auto vectors = epilogue.LoadVectors(args_, maps_, tile);
        epilogue.ApplyFused(args_, maps_, tile, vectors, acc);
      } else {
        epilogue.StorePlain(args_, tile, acc);
      }
      map_.Find(next_);
      Advance();
    };
    ForEachTile(compute, store);
    // Shared memory must exist until TMA has read it.
    if (ElectSync()) TmaStoreWaitRead<0>();
  }

  JAXGEMM_SM90 void ConsumePingPong() {
    typename Traits::Acc acc[Traits::kAllAccs];
    const Index step = args_.claim.num_workgroups, tiles = NumTiles();
    const Index tiles_k = map_.map.grid.tiles_k;
    SmemMainloop<Traits> mainloop(shared_, multicast_group_, NumReleases());
    const PingPongTurns turns;
    Index turn = turns.first();
    if (turn == 1) mainloop.Skip(tiles_k);
    for (; turn < tiles; turn += Traits::kConsumers) {
      const WorkTile tile = map_.map(next_ + turn * step);
      const bool is_last = turn + 1 == tiles;
      FusedEpilogue<Traits> epilogue(shared_, rank_);
      typename FusedEpilogue<Traits>::Vectors vectors;
      if constexpr (Traits::kIsFused) vectors = epilogue.LoadVectors(args_, maps_, tile);
      if (turn > 0) turns.Await();
      mainloop.Run(args_, tile, acc, turns.After(tiles_k, is_last));
      bool tma_stores = true;
      if constexpr (Traits::kIsFused) {
        tma_stores = epilogue.ApplyFused(args_, maps_, tile, vectors, acc);
      }
      if constexpr (Traits::kHasOnlyDenseForms) {
        epilogue.StorePlain(args_, tile, acc);
      } else if (tma_stores) {
        epilogue.StoreTile(args_, maps_, tile, acc, is_last,
                           [&](int before) { return mainloop.LastSlot(before); });
      }
      mainloop.Skip(tiles_k);
    }
    // Shared memory must exist until TMA has read it.
    if (ElectSync()) TmaStoreWaitRead<0>();
  }

  const GemmArgs& args_;
  const TensorMaps& maps_;
  SharedMemory<Traits>& shared_;
  const int rank_;  // of the CTA in a cluster that shares rhs
  const bool by_element_;
  const ClusterSplitKRank split_k_rank_;
  const MulticastGroup<Traits> multicast_group_;
  Index next_;  // the index of the tile after map_.tile; before the first tile, this CTA's first
  Map map_;
};

}  // namespace jaxgemm
