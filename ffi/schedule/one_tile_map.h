// The map of dense products in which each workgroup has one work tile at most and knows it from the
// start: RunOneTile in amdgpu/gemm.h. It gives the work tiles of StreamKMap in few instructions,
// because the host computes all that does not depend on the workgroup.
#pragma once

#include "schedule/divisor.h"

namespace jaxgemm {

struct OneTileMap {
  Index size;  // the number of workgroups, each with a work tile; 0: the product is none of these
  // The number of workgroups of a grouped product (ragged m), each with a work tile at most. It is
  // found by GroupedMap, from InBlocks(). Then size is 0.
  Index of_groups;
  Index tiles_k;
  Index slices;       // of each tile
  Index batch_tiles;  // the tiles of a batch
  Divisor by_batch_tiles;
  // RemapXcd: the first `longer` XCDs have one tile more than the others.
  Index num_xcds, per_xcd, longer;
  Divisor by_xcds;
  // Rasterize. A group is group_m tile rows; the last one has last_rows.
  Index group_m, group_tiles, last_group, last_rows;
  Divisor by_group_tiles, by_group_m, by_last_rows;
  // Slices. Each has `each` k tiles, and `rest` slices have one more.
  Index each, rest;
  Divisor by_slices;

  // The map of a grid in which all tiles have the same number of slices (EqualSlices()).
  static OneTileMap Of(const StreamKMap& map) {
    const TileGrid& grid = map.grid;
    const Index slices = map.EqualSlices();
    const Index num_xcds = slices > 1 ? 1 : grid.num_xcds;
    const Index per_xcd = Div(map.whole_tiles, num_xcds), each = Div(grid.tiles_k, slices);
    const Index last_group = Div(grid.tiles_m - 1, grid.group_m);
    const Index last_rows = grid.tiles_m - last_group * grid.group_m;
    return {.size = map.whole_tiles + map.num_shares,
            .tiles_k = grid.tiles_k,
            .slices = slices,
            .batch_tiles = grid.tiles_m * grid.tiles_n,
            .by_batch_tiles = Divisor::Of(grid.tiles_m * grid.tiles_n),
            .num_xcds = num_xcds,
            .per_xcd = per_xcd,
            .longer = map.whole_tiles - per_xcd * num_xcds,
            .by_xcds = Divisor::Of(num_xcds),
            .group_m = grid.group_m,
            .group_tiles = grid.group_m * grid.tiles_n,
            .last_group = last_group,
            .last_rows = last_rows,
            .by_group_tiles = Divisor::Of(grid.group_m * grid.tiles_n),
            .by_group_m = Divisor::Of(grid.group_m),
            .by_last_rows = Divisor::Of(last_rows),
            .each = each,
            .rest = grid.tiles_k - each * slices,
            .by_slices = Divisor::Of(slices)};
  }

  // The map of a grouped product, which has no more than `workgroups` tiles. It has some more
  // workgroups, so that InBlocks() is one to one.
  static OneTileMap OfGroups(Index num_xcds, Index workgroups) {
    const Index in_turn = kBlock * num_xcds;
    return {.of_groups = Div(workgroups + in_turn - 1, in_turn) * in_turn,
            .num_xcds = num_xcds,
            .by_xcds = Divisor::Of(num_xcds)};
  }
  // Gives each XCD blocks of kBlock consecutive tiles in turn, because neighbours may read parts of
  // the same cache lines. The map is one to one for a multiple of kBlock tiles of each XCD.
  static constexpr Index kBlock = 4;
  JAXGEMM_DEVICE Index InBlocks(Index index) const {
    const Index turn = by_xcds.Quotient(index), xcd = index - turn * num_xcds;
    return (Div(turn, kBlock) * num_xcds + xcd) * kBlock + Mod(turn, kBlock);
  }

  // As RemapXcd.
  JAXGEMM_DEVICE Index OnXcd(Index index) const {
    const Index turn = by_xcds.Quotient(index), xcd = index - turn * num_xcds;
    return xcd * per_xcd + (xcd < longer ? xcd : longer) + turn;
  }
  // The batch that a tile is in; `tile` becomes its index there.
  JAXGEMM_DEVICE Index BatchOf(Index* tile) const {
    if (__builtin_expect(*tile < batch_tiles, true)) return 0;
    const Index batch = by_batch_tiles.Quotient(*tile);
    *tile -= batch * batch_tiles;
    return batch;
  }
  // The work tile of a workgroup.
  JAXGEMM_DEVICE WorkTile operator()(Index index) const {
    Index tile = OnXcd(index), peer = 0, k_begin = 0, k_end = tiles_k;
    if (__builtin_expect(slices > 1, false)) {
      tile = by_slices.Quotient(index), peer = index - tile * slices;
      k_begin = SliceBegin(peer), k_end = SliceBegin(peer + 1);
    }
    const Index cut_tile = tile, batch = BatchOf(&tile);
    const Index group = by_group_tiles.Quotient(tile), in_group = tile - group * group_tiles;
    const bool is_last = group == last_group;
    const Divisor by_rows = is_last ? by_last_rows : by_group_m;
    const Index n = by_rows.Quotient(in_group);
    return {.batch = batch,
            .m = group * group_m + in_group - n * (is_last ? last_rows : group_m),
            .n = n,
            .k_begin = k_begin,
            .k_end = k_end,
            .peer = peer,
            .num_peers = slices,
            .first_slot = cut_tile * slices + cut_tile,
            .cut_tile = cut_tile};
  }

 private:
  // peer * tiles_k / slices; that product may need more than 32 bits.
  JAXGEMM_DEVICE Index SliceBegin(Index peer) const {
    return peer * each + by_slices.Quotient(peer * rest);
  }
};

}  // namespace jaxgemm
