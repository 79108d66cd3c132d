// Claims and maps of work tiles for a cluster of CTAs on Hopper. In each CTA one warp claims tiles
// and sends them to the other warps. The dense forms (gemm_dense.h) do not use this file: each warp
// has a StrideClaim (schedule/tile_scheduler.h) of its own; with cluster split-K a CTA has one tile
// only.
#pragma once

#include "sm90/gemm_traits.h"
#include "sm90/ptx.h"

namespace jaxgemm {

// The map of dense problems for ClusterClaim. It reads group_m from shared memory each time,
// because the producer has few registers.
template <class Traits>
struct ClaimedMap {
  const GemmArgs& args;
  const SharedMemory<Traits>& shared;

  JAXGEMM_SM90 WorkTile operator()(Index index) const {
    StreamKMap map = args.map;
    map.grid.group_m = shared.group_m;
    return map(index);
  }
};

// The claim of a cluster's producers. The first CTA steals for the whole cluster. If lhs arrives in
// chunks, it also waits for the work tile's chunk, so that either all CTAs continue or none.
template <class Traits>
struct ClusterClaim {
  AnyClaim claim;
  const GemmArgs& args;
  SharedMemory<Traits>& shared;
  int rank;
  RingPlace<kClaimedIndexSlots> place;

  JAXGEMM_SM90 void Start() {
    if (claim.is_shared && rank == 0 && ElectSync()) claim.Start();
  }
  JAXGEMM_SM90 Index Finish() {
    const bool waits = args.chunks.signals != nullptr;
    if (!claim.is_shared && !waits) return claim.stride.Finish();
    Index index = 0;
    if (ElectSync()) index = Agree();
    return __shfl_sync(~0u, index, ElectSyncLane());
  }

 private:
  // Only the first CTA calls this. Returns an index for which lhs has arrived, or kNoMoreWork.
  JAXGEMM_SM90 Index Take() {
    const Index index = claim.Finish();
    if (args.chunks.signals == nullptr || index == kNoMoreWork) return index;
    WorkTile tile = ClaimedMap<Traits>{args, shared}(index);
    tile.m = args.chunks.Row(tile.m);
    return !tile.valid || args.chunks.Wait(tile) ? index : kNoMoreWork;
  }
  JAXGEMM_SM90 Index Agree() {
    if constexpr (Traits::kCluster == 1) {
      return Take();
    } else {
      const int slot = place.slot;
      Index index;
      if (rank == 0) {
        index = Take();
        shared.claimed_index_empty[slot].Wait(place.parity ^ 1);
        for (int other = 1; other < Traits::kCluster; ++other) {
          StSharedCluster(Mapa(&shared.claimed_index[slot], other), index);
          FenceAcqRelCluster();
          shared.claimed_index_full[slot].ArriveCluster(other);
        }
      } else {
        shared.claimed_index_full[slot].Wait(place.parity);
        FenceAcqRelCluster();
        index = shared.claimed_index[slot];
        shared.claimed_index_empty[slot].ArriveCluster(0);
      }
      place.Advance();
      return index;
    }
  }
};

// The ready step after ClusterClaim, which has already waited for the chunk.
struct ClaimedRows {
  const ChunkSignals& chunks;

  JAXGEMM_SM90 Index Row(Index m) const { return chunks.signals ? chunks.Row(m) : m; }
  JAXGEMM_SM90 bool Wait(const WorkTile&) const { return true; }
};

// All lanes of a warp, which search for a group together.
struct WarpLanes {
  static constexpr Index kCount = kWarpSize, kEach = 4;
  static JAXGEMM_SM90 Index Id() { return threadIdx.x % kWarpSize; }
  static JAXGEMM_SM90 Index From(Index x, Index distance, Index otherwise) {
    const Index theirs = __shfl_up_sync(~0u, x, distance);
    return Id() < distance ? otherwise : theirs;
  }
  static JAXGEMM_SM90 Index First(bool found) {
    const uint32_t lanes = __ballot_sync(~0u, found);
    return lanes == 0 ? kCount : __ffs(lanes) - 1;
  }
  static JAXGEMM_SM90 Index Broadcast(Index x, Index lane) { return __shfl_sync(~0u, x, lane); }
};

// The map of a grouped problem, for the claiming warp. Without kCuts, for whole tiles at a fixed
// stride, the map finds out how many tiles there are when it is asked for one too many: code is
// fetched as it is executed, so a search less makes the start of a kernel shorter.
template <bool kCuts>
struct WarpGroupedMap {
  GroupedMap groups;

  explicit JAXGEMM_SM90 WarpGroupedMap(const GemmArgs& args) : groups(args.groups) {
    FetchSizes();
    groups.StartAt(args.group_offset);
    if constexpr (kCuts) {
      groups.CountTiles<WarpLanes>(args.claim.num_workgroups, args.max_shares);
    } else {
      groups.LeaveUncounted();
    }
  }
  JAXGEMM_SM90 WorkTile operator()(Index index) { return groups.At<WarpLanes, kCuts>(index); }

 private:
  // Brings the sizes to the L1, a cache line for each lane. The search reads as many sizes as there
  // are lanes at a time, and would wait for the memory each time.
  JAXGEMM_SM90 void FetchSizes() const {
    constexpr Index kLine = 128 / sizeof(int32_t);
    const Index first = WarpLanes::Id() * kLine;
    if (first < groups.num_groups) PrefetchGlobalL1(groups.group_sizes + first);
  }
};

// Claims a grouped problem's tiles at a fixed stride. The map may learn their number later.
struct GroupedStrideClaim {
  const GroupedMap& groups;
  Index index, step;

  JAXGEMM_SM90 void Start() {}
  JAXGEMM_SM90 Index Finish() {
    if (index >= groups.size()) return kNoMoreWork;
    const Index mine = index;
    index += step;
    return mine;
  }
};

// Sends work tiles from a CTA's producer to its other warps. The last one is a tile that is not
// valid.
template <class Traits>
struct TileSender {
  SharedMemory<Traits>& shared;
  RingPlace<Traits::kTileSlots> place, before{};
  bool sent = false;

  // Waits until there is a free slot. Without `ahead` it also waits until all warps have received
  // the previous tile.
  JAXGEMM_SM90 void WaitForRoom(bool ahead) {
    if (ElectSync()) {
      shared.tile_empty[place.slot].Wait(place.parity ^ 1);
      if (!ahead && sent) shared.tile_empty[before.slot].Wait(before.parity);
    }
    __syncwarp();
  }
  JAXGEMM_SM90 void Send(const WorkTile& tile) {
    // Only one lane waits: another lane might test the barrier when the next phase has begun.
    if (ElectSync()) {
      shared.tile_empty[place.slot].Wait(place.parity ^ 1);
      shared.tiles[place.slot] = tile;
      shared.tile_full[place.slot].Arrive();
    }
    __syncwarp();
    before = place, sent = true;
    place.Advance();
  }
};

// The claim of a warp that does nothing else. It claims when there is a free slot for the tile.
template <class Traits, class Claim>
struct PacedClaim {
  Claim claim;
  TileSender<Traits>& sender;
  bool ahead;

  JAXGEMM_SM90 void Start() {}
  JAXGEMM_SM90 Index Finish() {
    sender.WaitForRoom(ahead);
    claim.Start();
    return claim.Finish();
  }
};

// The claim and the map of the other warps, which receive the tiles. Whole warps call its
// functions.
template <class Traits>
struct TileReceiver {
  SharedMemory<Traits>& shared;
  RingPlace<Traits::kTileSlots> place;
  WorkTile tile;

  struct Claim {
    TileReceiver& receiver;

    JAXGEMM_SM90 void Start() {}
    JAXGEMM_SM90 Index Finish() {
      receiver.Receive();
      return receiver.tile.valid ? 0 : kNoMoreWork;
    }
  };
  JAXGEMM_SM90 WorkTile operator()(Index) const { return tile; }

 private:
  // Every lane arrives: compute-sanitizer's racecheck assumes no order between the lanes of a warp.
  JAXGEMM_SM90 void Receive() {
    shared.tile_full[place.slot].Wait(place.parity);
    tile = shared.tiles[place.slot];
    tile.valid = WarpUniform(tile.valid);  // tells ptxas that it is uniform, see SmemMainloop
    shared.tile_empty[place.slot].Arrive();
    __syncwarp();
    place.Advance();
  }
};

}  // namespace jaxgemm
