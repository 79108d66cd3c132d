// Which piece of the problem a workgroup does next. Three independent steps:
//   claim  the next linear index          StrideClaim, StealClaim
//   map    the work tile of that index    DenseMap, StreamKMap
//   ready  may lhs be read there yet      AlwaysReady
// and one loop, ForEachWorkTile, that any choice of the three goes into. Every backend
// compiles this file; it is tested on the host, where no device is needed.
#pragma once

#include <cstdint>

#include "kernel/sync.h"
#include "problem.h"

namespace jaxgemm {

inline constexpr int64_t kNoMoreWork = -1;

// A tile of out, or the slice [k_begin, k_end) of its k tiles.
struct WorkTile {
  int64_t batch;
  int64_t m, n;            // tile coordinates
  int64_t k_begin, k_end;  // in k tiles
  // Stream-K: this is slice `peer` of `num_peers`; slice p leaves its partial sum in slot
  // first_slot + p, and cut_tile counts the tiles that are cut.
  int64_t peer = 0, num_peers = 1;
  int64_t first_slot = 0, cut_tile = 0;
  bool valid = true;
};

// The problem in tiles.
struct TileGrid {
  int64_t batch, tiles_m, tiles_n, tiles_k;
  int64_t group_m;   // tile rows visited together, so that rhs stays in the L2
  int64_t num_xcds;  // chiplets that consecutive workgroups are dealt to; 1: none

  JAXGEMM_DEVICE int64_t num_tiles() const { return batch * tiles_m * tiles_n; }
};

// ---------------------------------------------------------------------------- claim

// workgroup, workgroup + grid, workgroup + 2 grid, ...
struct StrideClaim {
  int64_t index, step, size;

  JAXGEMM_DEVICE int64_t Next() {
    if (index >= size) return kNoMoreWork;
    int64_t mine = index;
    index += step;
    return mine;
  }
};

// Queue q owns the q-th contiguous share of the indices and counts up in a counter of its
// own, far enough from the next to sit in another memory channel (tritonBLAS PR 64). A
// workgroup starts at its own queue and visits the others when that one is empty; a wrong
// start costs locality, never correctness.
struct StealClaim {
  static constexpr int64_t kCounterStride = 64;  // int32_t: 256 bytes

  int32_t* counters;
  int64_t num_queues, start, size;
  int64_t visited = 0;

  JAXGEMM_DEVICE int64_t Next() {
    for (; visited < num_queues; ++visited) {
      int64_t queue = (start + visited) % num_queues;
      int64_t begin = queue * size / num_queues;
      int64_t end = (queue + 1) * size / num_queues;
      // Looking first keeps an empty queue's counter from running away.
      int32_t* counter = counters + queue * kCounterStride;
      if (begin + LoadRelaxed(counter) >= end) continue;
      int64_t index = begin + FetchAddRelaxed(counter, 1);
      if (index < end) return index;
    }
    return kNoMoreWork;
  }
};

// ------------------------------------------------------------------------------ map

// Linear tile -> (batch, m, n): batch by batch, in groups of group_m rows, each group
// column by column.
JAXGEMM_DEVICE inline WorkTile Rasterize(const TileGrid& grid, int64_t tile) {
  int64_t per_batch = grid.tiles_m * grid.tiles_n;
  int64_t in_batch = tile % per_batch;
  int64_t per_group = grid.group_m * grid.tiles_n;
  int64_t first_m = in_batch / per_group * grid.group_m;
  int64_t rows = grid.tiles_m - first_m < grid.group_m ? grid.tiles_m - first_m
                                                       : grid.group_m;
  int64_t in_group = in_batch % per_group;
  return {.batch = tile / per_batch,
          .m = first_m + in_group % rows,
          .n = in_group / rows,
          .k_begin = 0,
          .k_end = grid.tiles_k};
}

// Indices that are dealt to the XCDs in turn -> contiguous shares, one per XCD. One to one
// for any size.
JAXGEMM_DEVICE inline int64_t RemapXcd(int64_t index, int64_t size, int64_t num_xcds) {
  int64_t xcd = index % num_xcds;
  int64_t remainder = size % num_xcds;
  return xcd * (size / num_xcds) + (xcd < remainder ? xcd : remainder) + index / num_xcds;
}

struct DenseMap {
  TileGrid grid;

  JAXGEMM_DEVICE int64_t size() const { return grid.num_tiles(); }
  JAXGEMM_DEVICE WorkTile operator()(int64_t index) const {
    return Rasterize(grid, RemapXcd(index, size(), grid.num_xcds));
  }
};

// Hybrid stream-K: `whole_tiles` tiles are done whole; the k iterations of the `cut_tiles`
// after them are laid end to end and cut into `num_shares` equal shares. As
// cut_tiles <= num_shares <= cut_tiles * tiles_k, a share touches one or two tiles: index
// whole_tiles + u is part u / num_shares of share u % num_shares, and some second parts
// are empty (not valid).
struct StreamKMap {
  TileGrid grid;
  int64_t whole_tiles, cut_tiles, num_shares;

  JAXGEMM_DEVICE int64_t size() const { return whole_tiles + 2 * num_shares; }
  // Slots for partial sums: two neighbouring slices differ in share or tile or both, so
  // share + tile numbers them.
  JAXGEMM_DEVICE int64_t num_slots() const {
    return num_shares == 0 ? 0 : num_shares + cut_tiles - 1;
  }

  JAXGEMM_DEVICE WorkTile operator()(int64_t index) const {
    if (index < whole_tiles) {
      return Rasterize(grid, RemapXcd(index, whole_tiles, grid.num_xcds));
    }
    int64_t share = (index - whole_tiles) % num_shares;
    int64_t begin = ShareBegin(share), end = ShareBegin(share + 1);
    int64_t tile_end = (begin / grid.tiles_k + 1) * grid.tiles_k;
    if (tile_end > end) tile_end = end;
    if (index - whole_tiles < num_shares) {
      end = tile_end;
    } else {
      begin = tile_end;
    }
    if (begin >= end) return {.valid = false};

    int64_t cut_tile = begin / grid.tiles_k, tile_begin = cut_tile * grid.tiles_k;
    int64_t first_share = ShareOf(tile_begin);
    WorkTile tile = Rasterize(grid, whole_tiles + cut_tile);
    tile.k_begin = begin - tile_begin;
    tile.k_end = end - tile_begin;
    tile.peer = share - first_share;
    tile.num_peers = ShareOf(tile_begin + grid.tiles_k - 1) - first_share + 1;
    tile.first_slot = first_share + cut_tile;
    tile.cut_tile = cut_tile;
    return tile;
  }

 private:
  JAXGEMM_DEVICE int64_t iterations() const { return cut_tiles * grid.tiles_k; }
  JAXGEMM_DEVICE int64_t ShareBegin(int64_t share) const {
    return share * iterations() / num_shares;
  }
  // The share that holds an iteration: the largest s with ShareBegin(s) <= iteration.
  JAXGEMM_DEVICE int64_t ShareOf(int64_t iteration) const {
    return ((iteration + 1) * num_shares - 1) / iterations();
  }
};

// ---------------------------------------------------------------------------- ready

// lhs was there before the kernel started.
struct AlwaysReady {
  JAXGEMM_DEVICE void Wait(const WorkTile&) const {}
};

// ----------------------------------------------------------------------------- loop

// What one persistent workgroup does. `compute` is the main loop, `store` fix-up and
// epilogue. With claim_ahead the next index is claimed between the two, which hides a
// device atomic's latency behind the stores.
template <class Claim, class Map, class Ready, class Compute, class Store>
JAXGEMM_DEVICE void ForEachWorkTile(Claim claim, const Map& map, const Ready& ready,
                                    bool claim_ahead, Compute&& compute, Store&& store) {
  int64_t index = claim.Next();
  while (index != kNoMoreWork) {
    WorkTile tile = map(index);
    if (tile.valid) {
      ready.Wait(tile);
      compute(tile);
    }
    int64_t next = claim_ahead ? claim.Next() : kNoMoreWork;
    if (tile.valid) store(tile);
    index = claim_ahead ? next : claim.Next();
  }
}

}  // namespace jaxgemm
