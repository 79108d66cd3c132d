// The map of grouped problems (MoE): group_sizes, which only the kernel reads, cuts lhs's rows or k
// into consecutive groups.
//
//   ragged m: group g has rows of lhs and out, and its own rhs. The tiles of rows before and after
//             the groups of this shard have no k tiles: out is zero there. With skips_empty these
//             rows have no tiles: out keeps its value.
//   ragged k: group g has a range of k and its own out. If the range is empty, out is zero, or
//             keeps its value (skips_empty).
//
// Groups that reach beyond the end are cut off there; negative sizes count as zero.
#pragma once

#include "schedule/tile_scheduler.h"

namespace jaxgemm {

// The sum of x over this lane and all lanes before it, cut off at `most`. No x is above `most`.
template <class Lanes>
JAXGEMM_DEVICE Index SumUpTo(Index x, Index most) {
  uint32_t sum = x;
  for (Index distance = 1; distance < Lanes::kCount; distance *= 2) {
    sum += Lanes::From(sum, distance, 0);
    sum = sum < static_cast<uint32_t>(most) ? sum : most;
  }
  return sum;
}

struct GroupedMap {
  Ragged ragged;
  bool sizes_batched;  // else all batches share the sizes
  Index num_groups;    // in group_sizes
  Index local_groups;  // groups of this shard, from first_group on
  Index extent;        // number of rows (ragged m) or k (ragged k)
  Index tile;          // tile_m (ragged m) or tile_k (ragged k), elements
  Index batch;
  bool skips_empty;            // out keeps its value in rows of no group, or in an empty group
  Index aligned;               // ragged k: k tiles begin at multiples of this, a power of two
  StreamKMap cut;              // its grid has the tile counts that all groups share
  const int32_t* group_sizes;  // [num_groups], or [batch, num_groups]
  Index first_group;
  // The region of the tile that was looked up last. The regions of a batch are its groups and, with
  // ragged m, the rows before its groups and the rows after them.
  struct Cursor {
    Index region, first_tile, origin, size;
    Index tiles;  // 0: the region's tiles are not counted yet
  };
  Cursor cursor;

  // Sets first_group to `*offset`, or to 0 if `offset` is null; clamped to [0, num_groups].
  JAXGEMM_DEVICE void StartAt(const int32_t* offset) {
    const Index first = offset ? *offset : 0;
    first_group = first < 0 ? 0 : first > num_groups ? num_groups : first;
  }

  // Counts the tiles. Under stream-K (max_shares > 0) the tiles of the last, partial round are cut
  // if there are at least two shares for each. With ragged k, where tiles differ in depth, each of
  // them has the same number of slices. Must be called after StartAt and before the map is used.
  template <class Lanes = OneLane>
  JAXGEMM_DEVICE void CountTiles(Index num_workgroups, Index max_shares) {
    cursor = {};
    Seek<Lanes>(kNoTile);
    const Index tiles = cursor.first_tile;
    cursor = {};
    cut.whole_tiles = tiles, cut.cut_tiles = 0, cut.num_shares = 0;
    if (max_shares == 0 || tiles == 0) return;
    Index rest = tiles < num_workgroups ? tiles : Mod(tiles, num_workgroups);
    int64_t most = int64_t{rest} * cut.grid.tiles_k;
    Index shares = most < max_shares ? static_cast<Index>(most) : max_shares;
    if (rest == 0 || shares < 2 * rest) return;
    if (ragged == Ragged::kK) shares -= Mod(shares, rest);
    cut.whole_tiles = tiles - rest, cut.cut_tiles = rest, cut.num_shares = shares;
  }
  // Instead of CountTiles, if no tile is cut and the indices grow from call to call: size() is too
  // large until the map was asked for a tile that is not there.
  JAXGEMM_DEVICE void LeaveUncounted() {
    cursor = {};
    cut.whole_tiles = kNoTile, cut.cut_tiles = 0, cut.num_shares = 0;
  }
  // The largest number of slots that CountTiles can need. It needs shares + cut tiles - 1.
  static constexpr int64_t MaxSlots(int64_t max_shares) { return max_shares + max_shares / 2; }

  JAXGEMM_DEVICE Index size() const {
    return ragged == Ragged::kK ? cut.whole_tiles + cut.num_shares : cut.size();
  }

  // The work tile of `index`. It is found fast if the indices grow from call to call.
  JAXGEMM_DEVICE WorkTile operator()(Index index) { return At<OneLane>(index); }
  // `kCuts`: whether tiles may be cut.
  template <class Lanes, bool kCuts = true>
  JAXGEMM_DEVICE WorkTile At(Index index) {
    Index linear = 0, slices = 1;
    WorkTile work;
    if constexpr (!kCuts) {
      linear = RemapXcd(index, cut.whole_tiles, cut.grid.num_xcds);
      work.k_end = cut.grid.tiles_k;
    } else if (ragged == Ragged::kK && index >= cut.whole_tiles) {
      slices = Div(cut.num_shares, cut.cut_tiles);
      work.cut_tile = Div(index - cut.whole_tiles, slices);
      work.first_slot = work.cut_tile * slices;
      work.peer = index - cut.whole_tiles - work.first_slot;
      linear = cut.whole_tiles + work.cut_tile;
    } else {
      work = cut.Slice(index, &linear);
      if (!work.valid) return work;
    }
    if (linear < cursor.first_tile) cursor = {};
    if (linear >= cursor.first_tile + cursor.tiles) Seek<Lanes>(linear);
    if (cursor.tiles == 0) {
      cut.whole_tiles = cursor.first_tile;
      work.valid = false;
      return work;
    }
    TileGrid grid = cut.grid;
    grid.batch = 1;
    work.batch = BatchOf(cursor.region);
    Index in_batch = cursor.region - work.batch * regions();
    grid.tiles_m = TilesM(in_batch, cursor.size);
    WorkTile place = Rasterize(grid, linear - cursor.first_tile);
    work.m = place.m, work.n = place.n;
    work.origin = cursor.origin, work.limit = cursor.origin + cursor.size;
    if (ragged == Ragged::kK) {
      work.group = in_batch;
      work.before = cursor.size > 0 ? cursor.origin & (aligned - 1) : 0;
      work.origin -= work.before;
      int64_t k_tiles = TilesOf(work.limit - work.origin);
      work.num_peers = k_tiles < 1 ? 1 : k_tiles < slices ? static_cast<Index>(k_tiles) : slices;
      work.valid = work.peer < work.num_peers;
      work.k_begin = static_cast<Index>(k_tiles * work.peer / work.num_peers);
      work.k_end = static_cast<Index>(k_tiles * (work.peer + 1) / work.num_peers);
    } else if (IsOfNoGroup(in_batch)) {
      work.zero = true;
      work.k_end = work.k_begin;
    } else {
      work.group = in_batch - 1;
    }
    return work;
  }

 private:
  static constexpr Index kNoTile = 0x7fffffff;  // above every tile index

  JAXGEMM_DEVICE Index regions() const { return local_groups + (ragged == Ragged::kM ? 2 : 0); }
  JAXGEMM_DEVICE Index TilesOf(Index size) const {
#if defined(__HIP__) || defined(__CUDA_ARCH__)
    // GPUs' tiles are powers of two, and a division of 64 bits takes some 100 instructions.
    return static_cast<Index>((static_cast<uint32_t>(size) + static_cast<uint32_t>(tile) - 1) >>
                              TrailingZeros(static_cast<uint32_t>(tile)));
#else
    return static_cast<Index>((int64_t{size} + tile - 1) / tile);
#endif
  }
  // The batch that a region is in.
  JAXGEMM_DEVICE Index BatchOf(Index region) const {
    return batch == 1 ? 0 : Div(region, regions());
  }
  // Ragged m: whether a region of a batch has rows of no group.
  JAXGEMM_DEVICE bool IsOfNoGroup(Index in_batch) const {
    return in_batch == 0 || in_batch > local_groups;
  }
  // Number of tile rows in a region of a batch that has this size.
  JAXGEMM_DEVICE Index TilesM(Index in_batch, Index size) const {
    if (ragged == Ragged::kM) return skips_empty && IsOfNoGroup(in_batch) ? 0 : TilesOf(size);
    return skips_empty && size == 0 ? 0 : cut.grid.tiles_m;
  }
  JAXGEMM_DEVICE Index GroupSize(Index batch_index, Index group) const {
    if (group >= num_groups) return 0;
    Index size = group_sizes[(sizes_batched ? batch_index * num_groups : 0) + group];
    return size < 0 ? 0 : size < extent ? size : extent;
  }
  // The size of a region of a batch, as it is given; with ragged m, `skipped` rows come before its
  // groups.
  JAXGEMM_DEVICE Index SizeOf(Index batch_index, Index region, Index skipped) const {
    const Index local = ragged == Ragged::kM ? region - 1 : region, group = first_group + local;
    Index size = local < 0 ? skipped : local < local_groups ? 0 : extent;
    if (local >= 0 && local < local_groups && group < num_groups) {
      size = group_sizes[(sizes_batched ? batch_index * num_groups : 0) + group];
    }
    return size;
  }
  // Sum of the sizes of the groups before this shard's.
  template <class Lanes>
  JAXGEMM_DEVICE Index Skipped(Index batch_index) const {
    Index skipped = 0;
    for (Index first = 0; first < first_group; first += Lanes::kCount) {
      Index group = first + Lanes::Id();
      Index size = group < first_group ? GroupSize(batch_index, group) : 0;
      Index sum = Lanes::Broadcast(SumUpTo<Lanes>(size, extent), Lanes::kCount - 1);
      skipped = sum < extent - skipped ? skipped + sum : extent;
    }
    return skipped;
  }
  // Moves the cursor forward to the region that has tile `linear`, or past the last region.
  template <class Lanes>
  JAXGEMM_DEVICE void Seek(Index linear) {
    while (cursor.region < batch * regions()) {
      Index batch_index = BatchOf(cursor.region);
      Index in_batch = cursor.region - batch_index * regions(), skipped = 0;
      if (in_batch == 0) {
        skipped = Skipped<Lanes>(batch_index);
        cursor.origin = ragged == Ragged::kK ? skipped : 0;
      }
      constexpr Index kEach = Lanes::kEach, kAtOnce = Lanes::kCount * kEach;
      Index count = regions() - in_batch, rest = extent - cursor.origin;
      if (count > kAtOnce) count = kAtOnce;
      // A lane has kEach consecutive regions. The loads of their sizes are in flight together.
      Index first = Lanes::Id() * kEach, sizes[kEach], sum = 0;
      for (Index i = 0; i < kEach; ++i) {
        sizes[i] = first + i < count ? SizeOf(batch_index, in_batch + first + i, skipped) : 0;
      }
      // Groups that reach beyond the end are cut off there, and negative sizes count as zero.
      for (Index i = 0; i < kEach; ++i) {
        if (sizes[i] > rest - sum) sizes[i] = rest - sum;
        if (sizes[i] < 0) sizes[i] = 0;
        sum += sizes[i];
      }
      Index end = cursor.origin + SumUpTo<Lanes>(sum, rest);
      Index begin = Lanes::From(end, 1, cursor.origin);
      Index tiles[kEach], all = 0, left = end - begin;
      for (Index i = 0; i < kEach; ++i) {
        if (sizes[i] > left) sizes[i] = left;
        left -= sizes[i];
        tiles[i] =
            first + i < count ? TilesM(in_batch + first + i, sizes[i]) * cut.grid.tiles_n : 0;
        all += tiles[i];
      }
      Index tiles_end = cursor.first_tile + SumUpTo<Lanes>(all, kNoTile);
      Index found = Lanes::First(tiles_end > linear);
      if (found < Lanes::kCount) {
        // The region among those of the lane.
        Index at = 0, first_tile = tiles_end - all, size = sizes[0], its_tiles = tiles[0];
        for (Index i = 1; i < kEach; ++i) {
          if (first_tile + its_tiles > linear) break;
          first_tile += its_tiles, begin += size;
          at = i, size = sizes[i], its_tiles = tiles[i];
        }
        cursor = {.region = cursor.region + Lanes::Broadcast(first + at, found),
                  .first_tile = Lanes::Broadcast(first_tile, found),
                  .origin = Lanes::Broadcast(begin, found),
                  .size = Lanes::Broadcast(size, found),
                  .tiles = Lanes::Broadcast(its_tiles, found)};
        return;
      }
      cursor = {.region = cursor.region + count,
                .first_tile = Lanes::Broadcast(tiles_end, Lanes::kCount - 1),
                .origin = Lanes::Broadcast(end, Lanes::kCount - 1),
                .size = 0,
                .tiles = 0};
    }
  }
};

}  // namespace jaxgemm
