// The map of grouped products (ragged m) in which each workgroup has one work tile at most:
// RunTileOfGroup in amdgpu/gemm.h. It gives the tiles that GroupedMap gives, but for the rows of no
// group of this shard, of which each group of another shard has tiles of its own. A workgroup looks
// at all sizes once, in few instructions, and needs no count of all tiles.
#pragma once

#include "schedule/grouped_map.h"
#include "schedule/one_tile_map.h"

namespace jaxgemm {

// The work tile of a workgroup; not valid if there is none. `groups` must have its first_group.
template <class Lanes = OneLane>
JAXGEMM_DEVICE inline __attribute__((always_inline)) WorkTile TileOfGroup(const GroupedMap& groups,
                                                                          const OneTileMap& map,
                                                                          Index workgroup) {
  constexpr Index kEach = 4;  // a lane's regions; a tuning constant
  auto least = [](uint32_t a, uint32_t b) { return static_cast<Index>(a < b ? a : b); };
  const Index tile = map.InBlocks(workgroup), tiles_n = map.batch_tiles;
  const Index tile_row = map.by_batch_tiles.Quotient(tile);
  const uint32_t shift = __builtin_ctz(static_cast<uint32_t>(groups.tile));
  // The regions are all groups, and the rows after them.
  const Index extent = groups.extent, regions = groups.num_groups + 1;
  Index origin = 0, rows_before = 0;  // of these regions: rows of the product, and rows of tiles
  for (Index first = 0; first < regions; first += kEach * Lanes::kCount) {
    const Index mine = first + kEach * Lanes::Id(), rest = extent - origin;
    Index ends[kEach], sum = 0;
    for (Index i = 0; i < kEach; ++i) {
      ends[i] = groups.group_sizes[mine + i < groups.num_groups ? mine + i : groups.num_groups - 1];
    }
    for (Index i = 0; i < kEach; ++i) {
      Index size = mine + i < groups.num_groups ? ends[i] : mine + i < regions ? extent : 0;
      size = size < 0 ? 0 : size < extent ? size : extent;
      ends[i] = sum = least(static_cast<uint32_t>(sum) + static_cast<uint32_t>(size), rest);
    }
    const Index end = SumUpTo<Lanes>(sum, rest), begin = Lanes::From(end, 1, 0);
    Index tiles[kEach], all = 0;
    for (Index i = 0, before = begin; i < kEach; ++i) {
      ends[i] = least(static_cast<uint32_t>(begin) + static_cast<uint32_t>(ends[i]), rest);
      tiles[i] = static_cast<Index>(
          (static_cast<uint32_t>(ends[i] - before) + static_cast<uint32_t>(groups.tile) - 1) >>
          shift);
      all += tiles[i], before = ends[i];
    }
    const Index through = SumUpTo<Lanes>(all, 0x7fffffff);
    const Index found = Lanes::First(rows_before + through > tile_row);
    if (found < Lanes::kCount) {
      // Each lane takes the first of its regions that ends after the tile.
      Index i = 0, row = rows_before + through - all, rows = tiles[0], from = begin, to = ends[0];
      for (Index next = 1; next < kEach; ++next) {
        if (row + rows > tile_row) continue;
        row += rows, i = next, rows = tiles[next], from = to, to = ends[next];
      }
      row = Lanes::Broadcast(row, found), rows = Lanes::Broadcast(rows, found);
      WorkTile work{.origin = origin + Lanes::Broadcast(from, found),
                    .limit = origin + Lanes::Broadcast(to, found)};
      const Index in_region = tile - row * tiles_n;
      work.n = rows == 1 ? in_region : Div(in_region, rows);
      work.m = in_region - work.n * rows;
      work.group = Lanes::Broadcast(mine + i, found) - groups.first_group;
      work.zero = work.group < 0 || work.group >= groups.local_groups ||
                  work.group + groups.first_group == groups.num_groups;
      if (work.zero) work.group = 0;
      work.k_end = work.zero ? 0 : map.tiles_k;
      return work;
    }
    origin += Lanes::Broadcast(end, Lanes::kCount - 1);
    rows_before += Lanes::Broadcast(through, Lanes::kCount - 1);
  }
  return {.valid = false};
}

}  // namespace jaxgemm
