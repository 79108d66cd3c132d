// Which work tiles a cluster of CTAs does on Hopper: claims and maps of one warp of each CTA, and
// how it hands tiles on to the others.
#pragma once

#include "sm90/gemm_traits.h"
#include "sm90/ptx.h"

namespace jaxgemm {

// The map of a dense problem's claims. Its group_m is read where it is needed: the producer has few
// registers.
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

// The claim of a cluster's producers. Its first CTA steals for all of them; and where lhs arrives
// in chunks, it waits for that of the work tile, so that all of them go on or none.
template <class Traits>
struct ClusterClaim {
  bool stealing;
  StrideClaim stride;
  StealClaim steal;
  const GemmArgs& args;
  SharedMemory<Traits>& shared;
  int rank;
  RingPlace<kMailSlots> mail;

  JAXGEMM_SM90 void Start() {
    if (stealing && rank == 0 && IsLeader()) steal.Start();
  }
  JAXGEMM_SM90 Index Finish() {
    const bool waits = args.chunks.signals != nullptr;
    if (!stealing && !waits) return stride.Finish();
    Index index = 0;
    if (IsLeader()) index = Agree();
    return __shfl_sync(~0u, index, LeaderLane());
  }

 private:
  // By the first CTA: an index of which lhs is there, or no more work.
  JAXGEMM_SM90 Index Take() {
    const Index index = stealing ? steal.Finish() : stride.Finish();
    if (args.chunks.signals == nullptr || index == kNoMoreWork) return index;
    WorkTile tile = ClaimedMap<Traits>{args, shared}(index);
    tile.m = args.chunks.Row(tile.m);
    return !tile.valid || args.chunks.Wait(tile) ? index : kNoMoreWork;
  }
  JAXGEMM_SM90 Index Agree() {
    if constexpr (Traits::kCluster == 1) {
      return Take();
    } else {
      const int slot = mail.slot;
      Index index;
      if (rank == 0) {
        index = Take();
        shared.mail_empty[slot].Wait(mail.parity ^ 1);
        for (int other = 1; other < Traits::kCluster; ++other) {
          StoreWordToCluster(ClusterAddress(&shared.mail[slot], other), index);
          FenceCluster();
          shared.mail_full[slot].ArriveAt(other);
        }
      } else {
        shared.mail_full[slot].Wait(mail.parity);
        FenceCluster();
        index = shared.mail[slot];
        shared.mail_empty[slot].ArriveAt(0);
      }
      mail.Advance();
      return index;
    }
  }
};

// The tile rows of chunks that the claim has waited for.
struct ClaimedRows {
  const ChunkSignals& chunks;

  JAXGEMM_SM90 Index Row(Index m) const { return chunks.signals ? chunks.Row(m) : m; }
  JAXGEMM_SM90 bool Wait(const WorkTile&) const { return true; }
};

// A warp looks for a group with all its lanes.
struct WarpLanes {
  static constexpr Index kCount = kWarpSize;
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

// The map of a grouped problem, for the warp that claims.
struct WarpGroupedMap {
  GroupedMap groups;

  explicit JAXGEMM_SM90 WarpGroupedMap(const GemmArgs& args) : groups(args.groups) {
    groups.StartAt(args.group_offset);
    groups.Prepare<WarpLanes>(args.num_workgroups, args.max_shares);
  }
  JAXGEMM_SM90 WorkTile operator()(Index index) { return groups.At<WarpLanes>(index); }
};

// A CTA's producer hands on work tiles; one that is not valid is the end.
template <class Traits>
struct TileSender {
  SharedMemory<Traits>& shared;
  RingPlace<Traits::kTileSlots> place, before{};
  bool sent = false;

  // Until a tile that is sent would not wait; unless `ahead`, until all have the one before.
  JAXGEMM_SM90 void WaitForRoom(bool ahead) {
    if (IsLeader()) {
      shared.tile_empty[place.slot].Wait(place.parity ^ 1);
      if (!ahead && sent) shared.tile_empty[before.slot].Wait(before.parity);
    }
    __syncwarp();
  }
  JAXGEMM_SM90 void Send(const WorkTile& tile) {
    // By this lane alone: another might look when the phase after has begun.
    if (IsLeader()) {
      shared.tile_empty[place.slot].Wait(place.parity ^ 1);
      shared.tiles[place.slot] = tile;
      shared.tile_full[place.slot].Arrive();
    }
    __syncwarp();
    before = place, sent = true;
    place.Advance();
  }
};

// A claim by a warp that does nothing else: not before there is room for the tile.
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

// The claim and the map of the others: the tiles that are sent. By whole warps.
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
  // Each lane arrives for itself: racecheck knows no order between a warp's lanes.
  JAXGEMM_SM90 void Receive() {
    shared.tile_full[place.slot].Wait(place.parity);
    tile = shared.tiles[place.slot];
    tile.valid = SameInWarp(tile.valid);  // as ptxas must know, see Multiplier
    shared.tile_empty[place.slot].Arrive();
    __syncwarp();
    place.Advance();
  }
};

}  // namespace jaxgemm
