// Finds the next work tile of a workgroup in three independent steps:
//   claim  the next linear index          StrideClaim, StealClaim, or AnyClaim
//   map    the work tile of that index    DenseMap, StreamKMap, ClusterSplitKMap, GroupedMap
//   ready  wait until lhs can be read     AlwaysReady, ChunkSignals
// One loop, ForEachWorkTile, takes any combination of them. GroupedMap is in grouped_map.h. Every
// backend compiles this file; it is tested on the host, without a device.
#pragma once

#include <cstdint>

#include "schedule/atomics.h"
#include "spec/types.h"

namespace jaxgemm {

// Tile counts fit 32 bits (SetGrid in plan/layout.cc checks it), because GPUs divide them for every
// work tile.
using Index = int32_t;

inline constexpr Index kNoMoreWork = -1;

// Division of non-negative numbers, which is cheaper than signed division.
JAXGEMM_DEVICE inline Index Div(Index a, Index b) {
  return static_cast<Index>(static_cast<uint32_t>(a) / static_cast<uint32_t>(b));
}
JAXGEMM_DEVICE inline Index Mod(Index a, Index b) { return a - Div(a, b) * b; }
// The number of zero bits below the lowest one.
JAXGEMM_DEVICE inline int TrailingZeros(uint32_t x) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(x)) - 1;
#else
  return __builtin_ctz(x);
#endif
}

// An output tile, or the slice [k_begin, k_end) of its k tiles.
struct WorkTile {
  Index batch = 0;
  Index m = 0, n = 0;            // tile coordinates
  Index k_begin = 0, k_end = 0;  // in k tiles
  // Stream-K: this is slice `peer` of `num_peers`. Slice p writes its partial sums to slot
  // first_slot + p. cut_tile is the tile's index among the cut tiles.
  Index peer = 0, num_peers = 1;
  Index first_slot = 0, cut_tile = 0;
  bool valid = true;
  // Grouped problems: the group's index in this shard, and its range [origin, limit) of rows
  // (ragged m) or of k (ragged k). With ragged m, m counts tile rows from origin; with ragged k,
  // k_begin and k_end count k tiles from there, and the first `before` k of the range belong to
  // other groups. `zero`: the rows belong to no group. There are no k tiles, so the accumulators
  // are zero, and the epilogue applies nothing to them: out becomes zero.
  Index group = 0, origin = 0, limit = 0, before = 0;
  bool zero = false;
};

// The sizes of a problem, counted in tiles.
struct TileGrid {
  Index batch, tiles_m, tiles_n, tiles_k;
  Index group_m;   // tile rows visited together, so that rhs stays in the L2
  Index num_xcds;  // XCDs (chiplets) that get consecutive workgroups in turn; 1: no remapping

  JAXGEMM_DEVICE Index num_tiles() const { return batch * tiles_m * tiles_n; }
};

// The lanes that read an array together. The host has one lane. WarpLanes (sm90/claim.h) and
// WaveLanes (amdgpu/gemm.h) are all lanes of a warp or wave. kEach: how many group sizes a lane
// reads at once (GroupedMap), a tuning constant.
struct OneLane {
  static constexpr Index kCount = 1, kEach = 1;
  static JAXGEMM_DEVICE Index Id() { return 0; }
  // The argument of the lane that is `distance` before this one; `otherwise` if there is none.
  static JAXGEMM_DEVICE Index From(Index, Index, Index otherwise) { return otherwise; }
  static JAXGEMM_DEVICE Index First(bool found) { return found ? 0 : kCount; }  // kCount: no lane
  static JAXGEMM_DEVICE Index Broadcast(Index x, Index) { return x; }
};

// ---------------------------------------------------------------------------- claim
//
// Start() requests the next index; Finish() returns it or kNoMoreWork. Work between the two
// hides the latency of a device atomic. On GPUs one thread or wave of a workgroup claims, and gives
// the index to the others: WorkgroupClaim in amdgpu/gemm.h, ClusterClaim in sm90/claim.h. On the
// CPU a workgroup is one thread, which calls AnyClaim itself (host/workgroups.cc). The functions
// are made inline, because else a GPU's compiler may keep the claim in memory.

// Claims the indices workgroup, workgroup + grid, workgroup + 2 grid, ...
struct StrideClaim {
  Index index, step, size;

  JAXGEMM_DEVICE void Start() {}
  JAXGEMM_DEVICE __attribute__((always_inline)) Index Finish() {
    if (index >= size) return kNoMoreWork;
    Index mine = index;
    index += step;
    return mine;
  }
};

// Queue q has the q-th range of the indices and its own counter. The counters are far enough apart
// to be in different memory channels (tritonBLAS PR 64). A workgroup starts at its own queue and
// visits the others when that one is empty. With a wrong start the result is still right, but
// workgroups share less of their operands in the L2.
struct StealClaim {
  static constexpr Index kCounterStride = 64;  // int32_t: 256 bytes

  int32_t* counters;
  Index num_queues, start, size;
  Index visited = 0, ticket = 0;

  // A thread or, with WaveLanes, a whole wave calls these. Then visited is the same in all lanes,
  // and the first lane has the ticket.
  template <class Lanes = OneLane>
  JAXGEMM_DEVICE __attribute__((always_inline)) void Start() {
    if (visited < num_queues && Lanes::Id() == 0) ticket = FetchAddRelaxed(Counter(visited), 1);
  }
  template <class Lanes = OneLane>
  JAXGEMM_DEVICE __attribute__((always_inline)) Index Finish() {
    // The first `longer` queues have one index more than the others.
    const Index each = Div(size, num_queues), longer = size - each * num_queues;
    while (visited < num_queues) {
      const Index index = Lanes::Broadcast(ticket, 0), queue = Queue(visited);
      if (index < each + (queue < longer)) {
        return queue * each + (queue < longer ? queue : longer) + index;
      }
      // Loads first avoid atomics on queues that are already empty. Each lane looks at one queue,
      // so that all of them together take about as long as one.
      for (++visited; visited < num_queues; visited += Lanes::kCount) {
        const Index mine = visited + Lanes::Id();
        const bool is_open =
            mine < num_queues && LoadRelaxed(Counter(mine)) < each + (Queue(mine) < longer);
        const Index first = Lanes::First(is_open);
        if (first < Lanes::kCount) {
          visited += first;
          break;
        }
      }
      Start<Lanes>();
    }
    return kNoMoreWork;
  }

 private:
  // The queue that is visited after `before` others.
  JAXGEMM_DEVICE Index Queue(Index before) const {
    const Index queue = start + before;
    return queue < num_queues ? queue : queue - num_queues;
  }
  JAXGEMM_DEVICE int32_t* Counter(Index before) const {
    return counters + Queue(before) * kCounterStride;
  }
};

// How the workgroups of a plan claim.
struct ClaimArgs {
  Index num_workgroups;
  Index num_queues;  // 0: tiles at a fixed stride
  Index num_xcds;    // XCDs (chiplets); each starts with queues of its own

  // Whether workgroups claim tiles from counters that they share.
  JAXGEMM_DEVICE bool is_shared() const { return num_queues > 0; }
  JAXGEMM_DEVICE Index FirstQueue(Index workgroup) const {
    return is_shared() ? Mod(workgroup, num_queues) : 0;
  }
  // The first queue of a workgroup on an XCD. The queues are divided equally among the XCDs. `xcd`
  // is the hardware's number of the XCD, which in a partition may be num_xcds or more.
  JAXGEMM_DEVICE Index FirstQueueOnXcd(Index workgroup, Index xcd) const {
    const Index per_xcd = Div(num_queues, num_xcds);
    xcd = Mod(xcd, num_xcds);
    if (per_xcd == 0) return Mod(xcd, num_queues);
    return xcd * per_xcd + Mod(Div(workgroup, num_xcds), per_xcd);
  }
  JAXGEMM_DEVICE Index num_counters() const { return num_queues * StealClaim::kCounterStride; }
};

// A claim of either kind. If counters are shared and a workgroup has several threads, one of them
// or one wave claims for all.
struct AnyClaim {
  bool is_shared;
  StrideClaim stride;
  StealClaim steal;

  JAXGEMM_DEVICE void SetSize(Index size) { stride.size = steal.size = size; }
  JAXGEMM_DEVICE void Start() { steal.Start(); }  // does nothing without queues
  JAXGEMM_DEVICE Index Finish() { return is_shared ? steal.Finish() : stride.Finish(); }
};

// Makes a workgroup's claim. `first_queue` is ClaimArgs::FirstQueue or FirstQueueOnXcd. The claim
// is an aggregate, made inline from a copy of `args`: else GPU compilers keep more of it in
// registers during the kernels' loops.
JAXGEMM_DEVICE inline __attribute__((always_inline)) AnyClaim
MakeClaim(ClaimArgs args, int32_t* counters, Index workgroup, Index first_queue, Index size) {
  return {
      .is_shared = args.is_shared(),
      .stride = {.index = workgroup, .step = args.num_workgroups, .size = size},
      .steal = {
          .counters = counters, .num_queues = args.num_queues, .start = first_queue, .size = size}};
}

// ------------------------------------------------------------------------------ map

// Converts a linear tile index to (batch, m, n). The order is batch by batch, in groups of group_m
// tile rows, and column by column in each group.
JAXGEMM_DEVICE inline WorkTile Rasterize(const TileGrid& grid, Index tile) {
  Index per_batch = grid.tiles_m * grid.tiles_n;
  Index batch = grid.batch == 1 ? 0 : Div(tile, per_batch), in_batch = tile - batch * per_batch;
  Index per_group = grid.group_m * grid.tiles_n;
  // This saves a division in the first group. A workgroup's first tile is often there, and all its
  // other work waits until it is found.
  Index group = in_batch < per_group ? 0 : Div(in_batch, per_group);
  Index in_group = in_batch - group * per_group;
  Index first_m = group * grid.group_m;
  Index rows = grid.tiles_m - first_m < grid.group_m ? grid.tiles_m - first_m : grid.group_m;
  Index n = Div(in_group, rows);
  return {.batch = batch,
          .m = first_m + in_group - n * rows,
          .n = n,
          .k_begin = 0,
          .k_end = grid.tiles_k};
}

// The hardware distributes consecutive workgroups over the XCDs in turn. This maps an index so that
// each XCD gets consecutive tiles. The map is one to one for any size.
JAXGEMM_DEVICE inline Index RemapXcd(Index index, Index size, Index num_xcds) {
  if (num_xcds == 1) return index;
  Index turn = Div(index, num_xcds), xcd = index - turn * num_xcds;
  Index per_xcd = Div(size, num_xcds), remainder = size - per_xcd * num_xcds;
  return xcd * per_xcd + (xcd < remainder ? xcd : remainder) + turn;
}

struct DenseMap {
  TileGrid grid;

  JAXGEMM_DEVICE Index size() const { return grid.num_tiles(); }
  JAXGEMM_DEVICE WorkTile operator()(Index index) const {
    return Rasterize(grid, RemapXcd(index, size(), grid.num_xcds));
  }
};

// Hybrid stream-K: the first `whole_tiles` tiles are not cut. The k tiles (iterations) of the
// `cut_tiles` tiles after them are laid end to end and cut into `num_shares` equal shares. As
// cut_tiles <= num_shares <= cut_tiles * tiles_k, a share touches one or two tiles. A slice is what
// a share has of one tile. Index whole_tiles + u is slice u / num_shares of share u % num_shares.
// If a share touches one tile only, its second slice is empty (not valid).
struct StreamKMap {
  TileGrid grid;
  Index whole_tiles, cut_tiles, num_shares;

  JAXGEMM_DEVICE Index size() const { return whole_tiles + 2 * num_shares; }
  // The number of slots for partial sums. From one slice to the next the share, the tile or both
  // grow by one, so share + tile is a different number for each slice: that of its slot.
  JAXGEMM_DEVICE Index num_slots() const {
    return num_shares == 0 ? 0 : num_shares + cut_tiles - 1;
  }

  JAXGEMM_DEVICE WorkTile operator()(Index index) const {
    Index tile;
    WorkTile slice = Slice(index, &tile);
    if (!slice.valid) return slice;
    WorkTile place = Rasterize(grid, tile);
    slice.batch = place.batch, slice.m = place.m, slice.n = place.n;
    return slice;
  }

  // The number of slices of each tile, if all tiles have as many: 1 if no tile is cut. Then indices
  // from whole_tiles + num_shares on are no work (OneTileMap). Else 0.
  JAXGEMM_DEVICE Index EqualSlices() const {
    constexpr Index kMost = 1 << 15;  // its square fits Index
    Index slices = 1;
    if (__builtin_expect(cut_tiles > 0, false)) {
      slices = Div(num_shares, cut_tiles);
      const bool are_equal = whole_tiles == 0 && slices * cut_tiles == num_shares;
      if (!are_equal || slices == 1 || slices > kMost) slices = 0;
    }
    return slices;
  }

  // The work tile without batch, m and n. Sets `*tile` to the linear tile index that has them.
  JAXGEMM_DEVICE WorkTile Slice(Index index, Index* tile) const {
    if (index < whole_tiles) {
      *tile = RemapXcd(index, whole_tiles, grid.num_xcds);
      return {.k_begin = 0, .k_end = grid.tiles_k};
    }
    bool first_slice = index - whole_tiles < num_shares;
    Index share = index - whole_tiles - (first_slice ? 0 : num_shares);
    int64_t begin = ShareBegin(share), end = ShareBegin(share + 1);
    Index cut_tile = static_cast<Index>(begin / grid.tiles_k);
    int64_t tile_end = (cut_tile + int64_t{1}) * grid.tiles_k;
    if (tile_end > end) tile_end = end;
    if (first_slice) {
      end = tile_end;
    } else {
      begin = tile_end;
      cut_tile += 1;
    }
    if (begin >= end) return {.valid = false};

    int64_t tile_begin = int64_t{cut_tile} * grid.tiles_k;
    Index first_share = ShareOf(tile_begin);
    *tile = whole_tiles + cut_tile;
    return {.k_begin = static_cast<Index>(begin - tile_begin),
            .k_end = static_cast<Index>(end - tile_begin),
            .peer = share - first_share,
            .num_peers = ShareOf(tile_begin + grid.tiles_k - 1) - first_share + 1,
            .first_slot = first_share + cut_tile,
            .cut_tile = cut_tile};
  }

 private:
  JAXGEMM_DEVICE int64_t iterations() const { return int64_t{cut_tiles} * grid.tiles_k; }
  JAXGEMM_DEVICE int64_t ShareBegin(Index share) const { return share * iterations() / num_shares; }
  // The share that has this iteration: the largest s with ShareBegin(s) <= iteration.
  JAXGEMM_DEVICE Index ShareOf(int64_t iteration) const {
    return static_cast<Index>(((iteration + 1) * num_shares - 1) / iterations());
  }
};

// Cluster split-K: each tile is cut along k into `peers` slices. StreamKMap with `peers` shares for
// every tile gives the same slices, by a longer computation. An index is that of a CTA, which is a
// peer. A cluster has cluster_m x cluster_n tiles: first come peer 0 of each tile, then peer 1 of
// each tile, and so on.
struct ClusterSplitKMap {
  TileGrid grid;  // counts clusters, not tiles
  Index peers;
  Index cluster_m = 1, cluster_n = 1;

  JAXGEMM_DEVICE Index cluster_size() const { return peers * cluster_m * cluster_n; }
  JAXGEMM_DEVICE Index size() const { return grid.num_tiles() * cluster_size(); }
  JAXGEMM_DEVICE WorkTile operator()(Index index) const {
    const Index cluster = Div(index, cluster_size()), rank = index - cluster * cluster_size();
    const Index peer = Div(rank, cluster_m * cluster_n), tile = rank - peer * cluster_m * cluster_n;
    WorkTile work = Rasterize(grid, cluster);
    const Index n = Div(tile, cluster_m);
    work.m = work.m * cluster_m + tile - n * cluster_m;
    work.n = work.n * cluster_n + n;
    work.peer = peer, work.num_peers = peers;
    work.k_begin = Div(peer * grid.tiles_k, peers);
    work.k_end = Div((peer + 1) * grid.tiles_k, peers);
    return work;
  }
};

// ---------------------------------------------------------------------------- ready
//
// Row() returns the tile row that a work tile computes. Wait() returns true once lhs can be read
// there; false ends this workgroup's work.

// The lhs was complete before the kernel started.
struct AlwaysReady {
  JAXGEMM_DEVICE Index Row(Index m) const { return m; }
  JAXGEMM_DEVICE bool Wait(const WorkTile&) const { return true; }
};

// lhs arrives in chunks of tile rows while the kernel runs. Rows are visited cyclically from the
// pivot on. A work tile waits for the same row that it computes. (AMD's Composable Kernel once
// waited for another row: rocm-libraries, issue 5776.)
struct ChunkSignals {
  const uint32_t* signals;  // one for each chunk; null: lhs is complete
  const uint32_t* epoch;    // a chunk has arrived when its signal equals this
  int32_t* status;          // zeroed; 1 + the index of a signal that timed out
  int32_t* order;           // zeroed; see GroupM. Null: always the grid's group_m
  int64_t timeout_ns;
  Index tiles_per_chunk, pivot, tiles_m;
  Index batch_stride;  // from one batch's signals to the next's; 0: shared

  JAXGEMM_DEVICE Index Row(Index m) const {
    const Index row = m + pivot;
    return row < tiles_m ? row : row - tiles_m;
  }
  // The number of tile rows to visit together, the same for all workgroups. It is the grid's
  // group_m, which suits the L2, if all chunks had arrived when the first workgroup checked. Else
  // it is the number of tile rows in a chunk, so that the first tiles need only one chunk. A whole
  // wave calls this.
  template <class Lanes = OneLane>
  JAXGEMM_DEVICE Index GroupM(const TileGrid& grid) const {
    if (order == nullptr) return grid.group_m;
    constexpr int32_t kOpen = 0, kByChunk = 1, kAllThere = 2;
    const bool is_first = Lanes::Id() == 0;
    int32_t seen = kOpen;
    if (is_first) seen = LoadRelaxed(order);
    seen = Lanes::Broadcast(seen, 0);
    if (seen == kOpen) {
      const int32_t mine = AllThere<Lanes>(grid.batch) ? kAllThere : kByChunk;
      if (is_first) seen = CompareExchangeRelaxed(order, kOpen, mine);
      seen = Lanes::Broadcast(seen, 0);
      if (seen == kOpen) seen = mine;
    }
    return seen == kAllThere ? grid.group_m : tiles_per_chunk;
  }
  // One thread calls this; a barrier then extends its acquire to the whole workgroup. Returns false
  // if this signal, or one that another workgroup waited for, has timed out.
  JAXGEMM_DEVICE bool Wait(const WorkTile& tile) const {
    const Index place = tile.batch * batch_stride + Div(tile.m, tiles_per_chunk);
    const uint32_t wanted = *epoch;
    for (int64_t start = 0; !AcquireIfEqual(signals + place, wanted); SleepBriefly()) {
      if (LoadRelaxed(status) != 0) return false;
      const int64_t now = Nanoseconds();
      if (start == 0) start = now;
      if (now - start > timeout_ns) {
        StoreRelaxed(status, place + 1);
        return false;
      }
    }
    return true;
  }

 private:
  // Whether all chunks have arrived. This does not acquire: each tile still waits for its own
  // chunk.
  template <class Lanes>
  JAXGEMM_DEVICE bool AllThere(Index batch) const {
    constexpr Index kEach = 4;  // how many loads a lane has in flight at once
    const Index num_chunks = Div(tiles_m + tiles_per_chunk - 1, tiles_per_chunk);
    const Index count = batch_stride == 0 ? num_chunks : batch * batch_stride;
    const Index lane = Lanes::Id();
    const uint32_t wanted = *epoch;
    for (Index first = 0; first < count; first += kEach * Lanes::kCount) {
      bool missing = false;
      for (Index i = 0; i < kEach; ++i) {
        const Index place = first + i * Lanes::kCount + lane;
        missing |= LoadSignal(signals + (place < count ? place : first)) != wanted;
      }
      if (Lanes::First(missing) < Lanes::kCount) return false;
    }
    return true;
  }
};

// ----------------------------------------------------------------------------- loop

// The loop of a persistent workgroup. `compute` is the main loop, `store` is the fix-up and the
// epilogue. With claim_ahead the next index is requested between the two.
template <class Claim, class Map, class Ready, class Compute, class Store>
JAXGEMM_DEVICE inline __attribute__((always_inline)) void ForEachWorkTile(
    Claim claim, Map& map, const Ready& ready, bool claim_ahead, Compute&& compute, Store&& store) {
  claim.Start();
  for (Index index = claim.Finish(); index != kNoMoreWork; index = claim.Finish()) {
    WorkTile tile = map(index);
    if (tile.valid) {
      tile.m = ready.Row(tile.m);
      if (!ready.Wait(tile)) return;
      compute(tile);
    }
    if (claim_ahead) claim.Start();
    if (tile.valid) store(tile);
    if (!claim_ahead) claim.Start();
  }
}

}  // namespace jaxgemm
