// The map of grouped problems (MoE): group sizes that only the kernel reads cut lhs's rows, or k,
// into consecutive groups.
//
//   ragged m: group g has rows of lhs and out and an rhs of its own. Rows of no group of this
//             shard, before its groups or after them, are tiles without any k: out is zero there.
//   ragged k: group g has a range of k and an out of its own, zero where the range is empty.
//
// Groups that reach beyond the end are cut off there, negative sizes count as zero.
#pragma once

#include "kernel/tile_scheduler.h"

namespace jaxgemm {

struct GroupedMap {
  Ragged ragged;
  bool sizes_batched;          // or shared by every batch
  Index num_groups;            // in group_sizes
  Index local_groups;          // of this shard: from first_group on
  Index extent;                // rows, or k
  Index tile;                  // tile_m or tile_k, elements
  Index batch;
  bool skips_empty;            // ragged k: an empty group's out stays as it is
  StreamKMap cut;              // its grid: what groups share of their tiles_m, _n and _k
  const int32_t* group_sizes;  // [num_groups], or [batch, num_groups]
  Index first_group;
  // Where the last index was. Regions of a batch are its groups and, with ragged m, the rows before
  // and after them.
  struct Cursor {
    Index region, first_tile, origin, size;
  };
  Cursor cursor;

  // Counts the tiles, and under stream-K (max_shares > 0) cuts those of the last, partial wave if
  // each has two shares at least. Comes before all else.
  JAXGEMM_DEVICE void Prepare(Index num_workgroups, Index max_shares) {
    Index tiles = 0;
    for (Rewind(); cursor.region < batch * regions(); Advance()) tiles += Tiles();
    Rewind();
    cut.whole_tiles = tiles, cut.cut_tiles = 0, cut.num_shares = 0;
    if (max_shares == 0 || tiles == 0) return;
    Index rest = tiles < num_workgroups ? tiles : Mod(tiles, num_workgroups);
    int64_t most = int64_t{rest} * cut.grid.tiles_k;
    Index shares = most < max_shares ? static_cast<Index>(most) : max_shares;
    if (rest == 0 || shares < 2 * rest) return;
    cut.whole_tiles = tiles - rest, cut.cut_tiles = rest, cut.num_shares = shares;
  }
  // Of all that Prepare can cut: shares + cut tiles - 1 at the most.
  static constexpr int64_t MaxSlots(int64_t max_shares) { return max_shares + max_shares / 2; }

  JAXGEMM_DEVICE Index size() const { return cut.size(); }

  // Fast where indices grow from call to call.
  JAXGEMM_DEVICE WorkTile operator()(Index index) {
    Index linear;
    WorkTile work = cut.Slice(index, &linear);
    if (!work.valid) return work;
    if (linear < cursor.first_tile) Rewind();
    while (linear >= cursor.first_tile + Tiles()) Advance();
    TileGrid grid = cut.grid;
    grid.batch = 1;
    grid.tiles_m = TilesM();
    WorkTile place = Rasterize(grid, linear - cursor.first_tile);
    Index in_batch = Mod(cursor.region, regions());
    work.batch = Div(cursor.region, regions());
    work.m = place.m, work.n = place.n;
    work.origin = cursor.origin, work.limit = cursor.origin + cursor.size;
    if (ragged == Ragged::kK) {
      work.group = in_batch;
      work.k_end = TilesOf(cursor.size);
    } else if (in_batch == 0 || in_batch > local_groups) {
      work.zero = true;
      work.k_end = work.k_begin;
    } else {
      work.group = in_batch - 1;
    }
    return work;
  }

 private:
  JAXGEMM_DEVICE Index regions() const {
    return local_groups + (ragged == Ragged::kM ? 2 : 0);
  }
  JAXGEMM_DEVICE Index TilesOf(Index size) const {
    return static_cast<Index>((int64_t{size} + tile - 1) / tile);
  }
  // Of the cursor's region.
  JAXGEMM_DEVICE Index TilesM() const {
    if (ragged == Ragged::kM) return TilesOf(cursor.size);
    return skips_empty && cursor.size == 0 ? 0 : cut.grid.tiles_m;
  }
  JAXGEMM_DEVICE Index Tiles() const { return TilesM() * cut.grid.tiles_n; }
  // From `begin` on, cut off at the end.
  JAXGEMM_DEVICE Index Clamp(Index begin, int64_t size) const {
    if (size < 0) return 0;
    return size < extent - begin ? static_cast<Index>(size) : extent - begin;
  }
  JAXGEMM_DEVICE Index GroupSize(Index batch_index, Index group, Index begin) const {
    Index row = sizes_batched ? batch_index * num_groups : 0;
    return Clamp(begin, group < num_groups ? group_sizes[row + group] : 0);
  }
  JAXGEMM_DEVICE void Rewind() {
    cursor = {.region = 0, .first_tile = 0, .origin = 0, .size = 0};
    Enter();
  }
  JAXGEMM_DEVICE void Advance() {
    cursor.first_tile += Tiles();
    cursor.origin += cursor.size;
    if (++cursor.region < batch * regions()) Enter();
  }
  // The region's size; its origin is where the one before ends.
  JAXGEMM_DEVICE void Enter() {
    Cursor& c = cursor;
    Index batch_index = Div(c.region, regions()), in_batch = Mod(c.region, regions());
    if (in_batch == 0) c.origin = 0;
    Index skipped = 0;  // what lies before this shard's groups
    if (in_batch == 0) {
      for (Index g = 0; g < first_group; ++g) skipped += GroupSize(batch_index, g, skipped);
    }
    if (ragged == Ragged::kK) {
      c.origin += skipped;
      c.size = GroupSize(batch_index, first_group + in_batch, c.origin);
    } else {
      c.size = extent - c.origin;
      if (in_batch == 0) c.size = skipped;
      if (in_batch > 0 && in_batch <= local_groups) {
        c.size = GroupSize(batch_index, first_group + in_batch - 1, c.origin);
      }
    }
  }
};

}  // namespace jaxgemm
