// Tests the schedule of grouped products on real threads, without arithmetic. It also runs under
// the sanitizers.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "schedule/grouped_map.h"
#include "schedule/one_tile_map.h"
#include "schedule_cases.h"

namespace jaxgemm {
namespace {

// Runs a grouped problem. With ragged m, each row of out is stored once, by its group, with all k.
// With ragged k, each k of a group is added once.
void RunGroupedCase(int num_threads) {
  const bool ragged_m = Random(0, 1) != 0;
  const Index batch = RandomIndex(1, 3), groups = RandomIndex(1, 9), extent = RandomIndex(0, 60);
  GroupedMap map{.ragged = ragged_m ? Ragged::kM : Ragged::kK,
                 .sizes_batched = Random(0, 1) != 0,
                 .num_groups = groups,
                 .local_groups = RandomIndex(1, groups),
                 .extent = extent,
                 .tile = RandomIndex(1, 8),
                 .batch = batch,
                 .skips_empty = Random(0, 1) != 0,
                 .aligned = Index{1} << (ragged_m ? 0 : Random(0, 3)),
                 .first_group = RandomIndex(0, groups)};
  map.cut.grid = {.batch = batch,
                  .tiles_m = RandomIndex(1, 3),
                  .tiles_n = RandomIndex(1, 3),
                  .tiles_k = RandomIndex(1, 9),
                  .group_m = RandomIndex(1, 3),
                  .num_xcds = RandomIndex(1, 8)};
  const TileGrid& grid = map.cut.grid;
  std::vector<int32_t> sizes(batch * groups);
  for (int32_t& size : sizes) size = Random(0, 2) ? RandomIndex(-2, 30) : 0;
  map.group_sizes = sizes.data();
  const Index workgroups = RandomIndex(1, 24), queues = RandomIndex(0, 5);
  const Index max_shares = RandomIndex(0, 24);
  const auto reduction = static_cast<Reduction>(Random(0, 2));

  // For each line (ragged m: a row; else a row of tiles of a group) and column of tiles: the group
  // that stored it, followed by the k tiles of the result.
  const Index lines = ragged_m ? extent : map.local_groups * grid.tiles_m;
  std::vector<KList> results(batch * lines * grid.tiles_n);
  std::vector<std::atomic<int>> stored(results.size());
  std::vector<int32_t> counters(std::max<Index>(1, queues) * StealClaim::kCounterStride);
  std::vector<int32_t> arrivals(GroupedMap::MaxSlots(max_shares) + 1);
  std::vector<KList> slots(arrivals.size());
  std::mutex atomic;

  RunOnThreads(workgroups, num_threads, [&](int64_t thread) {
    GroupedMap mine = map;
    mine.CountTiles(workgroups, max_shares);
    ListAccumulator accumulator{&slots, &atomic, {}};
    auto compute = [&](const WorkTile& tile) {
      accumulator.sum.clear();
      for (int64_t k = tile.k_begin; k < tile.k_end; ++k) accumulator.sum.push_back(k);
    };
    auto store = [&](const WorkTile& tile) {
      CHECK_THAT(ragged_m || tile.k_end == 0 || tile.origin % map.aligned == 0,
                 "k tiles begin at %d", tile.origin);
      if (!FixUp(tile, reduction, arrivals.data(), accumulator)) return;
      Index begin = tile.group * grid.tiles_m + tile.m, end = begin + 1;
      if (ragged_m) {
        begin = tile.origin + tile.m * map.tile;
        end = std::min(begin + map.tile, tile.limit);
      }
      KList result = accumulator.sum;
      std::sort(result.begin(), result.end());
      result.insert(result.begin(), tile.zero ? -1 : tile.group);
      for (Index line = begin; line < end; ++line) {
        Index at = (tile.batch * lines + line) * grid.tiles_n + tile.n;
        results[at] = result;
        stored[at].fetch_add(1);
      }
    };
    Index workgroup = static_cast<Index>(thread);
    if (queues) {
      StealClaim claim{counters.data(), queues, workgroup % queues, mine.size()};
      ForEachWorkTile(claim, mine, AlwaysReady(), false, compute, store);
    } else {
      StrideClaim claim{workgroup, workgroups, mine.size()};
      ForEachWorkTile(claim, mine, AlwaysReady(), true, compute, store);
    }
  });

  for (Index b = 0; b < batch; ++b) {
    KList group_of(extent, -1), begins;
    Index row = 0;
    std::vector<Index> k_tiles(map.local_groups, 0);
    for (Index g = 0; g < groups; ++g) {
      Index size = std::max(0, sizes[(map.sizes_batched ? b * groups : 0) + g]);
      size = std::min(size, extent - row);
      Index local = g - map.first_group;
      if (local >= 0 && local < map.local_groups) {
        std::fill_n(group_of.begin() + row, size, local);
        const Index before = size > 0 ? row % map.aligned : 0;
        k_tiles[local] = (before + size + map.tile - 1) / map.tile;
      }
      row += size;
    }
    for (Index line = 0; line < lines; ++line) {
      Index group = static_cast<Index>(ragged_m ? group_of[line] : line / grid.tiles_m);
      KList want{group};
      Index depth = !ragged_m ? k_tiles[group] : group < 0 ? 0 : grid.tiles_k;
      for (Index k = 0; k < depth; ++k) want.push_back(k);
      for (Index n = 0; n < grid.tiles_n; ++n) {
        Index at = (b * lines + line) * grid.tiles_n + n;
        const bool is_empty = ragged_m ? group < 0 : depth == 0;
        const int times = map.skips_empty && is_empty ? 0 : 1;
        CHECK_THAT(stored[at] == times, "line %d stored %d times", line, stored[at].load());
        CHECK_THAT(!times || results[at] == want, "line %d: another group or other k tiles", line);
      }
    }
  }
}

// With a fixed stride an XCD, which has every eighth workgroup, computes consecutive tiles of the
// groups in each round, so that its L2 serves tiles that share operands.
void CheckGroupsOfAnXcd() {
  constexpr Index kXcds = 8, kWorkgroups = 304, kTilesN = 20;
  const int32_t sizes[] = {700, 0, 3, 4000, 129, 2500};
  GroupedMap map{.ragged = Ragged::kM,
                 .num_groups = 6,
                 .local_groups = 6,
                 .extent = 8000,
                 .tile = 128,
                 .batch = 1,
                 .aligned = 1,
                 .group_sizes = sizes};
  map.cut.grid = {
      .batch = 1, .tiles_m = 1, .tiles_n = kTilesN, .tiles_k = 1, .group_m = 8, .num_xcds = kXcds};
  map.CountTiles(kWorkgroups, 0);
  // The order of tiles without XCDs.
  GroupedMap plain = map;
  plain.cut.grid.num_xcds = 1;
  std::map<std::array<Index, 4>, Index> order;
  auto place = [](const WorkTile& tile) {
    return std::array{tile.origin, Index{tile.zero}, tile.m, tile.n};
  };
  for (Index i = 0; i < plain.size(); ++i) order[place(plain(i))] = i;
  CHECK_THAT(static_cast<Index>(order.size()) == map.size() && map.size() > 2 * kWorkgroups,
             "%d tiles", map.size());
  std::vector<Index> last(kXcds, -1);
  for (Index i = 0; i < map.size(); ++i) {
    const Index at = order.at(place(map(i))), xcd = i % kXcds;
    CHECK_THAT(last[xcd] < 0 || at == last[xcd] + 1, "XCD %d: tile %d after %d", xcd, at,
               last[xcd]);
    last[xcd] = at;
  }
}

struct FourEach : OneLane {
  static constexpr Index kEach = 4;
};
// Workgroups that find their tiles by the sizes must store each row once for each column of tiles,
// for its group and with all k, and no more of them may be needed than the plan says.
void CheckTilesOfGroups() {
  const Index groups = RandomIndex(1, 700), extent = RandomIndex(0, 3) ? RandomIndex(0, 900) : 0;
  GroupedMap map{.ragged = Ragged::kM,
                 .num_groups = groups,
                 .local_groups = RandomIndex(1, groups),
                 .extent = extent,
                 .tile = Index{1} << Random(0, 5),
                 .batch = 1,
                 .first_group = Random(0, 1) ? 0 : RandomIndex(0, groups)};
  map.cut.grid = {.batch = 1,
                  .tiles_m = 1,
                  .tiles_n = RandomIndex(1, 9),
                  .tiles_k = RandomIndex(0, 5),
                  .group_m = RandomIndex(1, 4),
                  .num_xcds = 1};
  const TileGrid& grid = map.cut.grid;
  const Index most_of_group = RandomIndex(0, 80);
  std::vector<int32_t> sizes(groups);
  for (int32_t& size : sizes) size = Random(0, 2) ? 0 : RandomIndex(-2, most_of_group);
  if (Random(0, 9) == 0) sizes[RandomIndex(0, groups - 1)] = 0x7fffffff;
  map.group_sizes = sizes.data();

  KList group_of(extent, -1);
  Index row = 0;
  for (Index g = 0; g < groups; ++g) {
    const Index size = std::min(std::max(0, sizes[g]), extent - row);
    const Index local = g - map.first_group;
    if (local >= 0 && local < map.local_groups) std::fill_n(group_of.begin() + row, size, local);
    row += size;
  }
  const Index regions = std::min(extent, map.local_groups + 2);
  const Index most = (regions + (extent - regions) / map.tile) * grid.tiles_n;
  const OneTileMap one_tile = OneTileMap::OfGroups(RandomIndex(1, 8), most);
  CHECK_THAT(one_tile.of_groups >= most && one_tile.size == 0, "%d workgroups of %d tiles",
             one_tile.of_groups, most);
  std::vector<int> stored(extent * grid.tiles_n);
  for (Index workgroup = 0; workgroup < one_tile.of_groups; ++workgroup) {
    GroupedMap mine = map;
    mine.LeaveUncounted();
    const WorkTile tile = mine.At<FourEach, /*kCuts=*/false>(one_tile.InBlocks(workgroup));
    if (!tile.valid) continue;
    const Index begin = tile.origin + tile.m * map.tile;
    CHECK_THAT(begin < tile.limit && tile.limit <= extent && tile.n < grid.tiles_n,
               "tile %d, %d of rows %d to %d", tile.m, tile.n, tile.origin, tile.limit);
    CHECK_THAT(tile.k_begin == 0 && tile.k_end == (tile.zero ? 0 : grid.tiles_k), "%d k tiles",
               tile.k_end);
    for (Index at = begin; at < std::min(begin + map.tile, tile.limit); ++at) {
      CHECK_THAT(group_of[at] == (tile.zero ? -1 : tile.group), "row %d is of group %d, not %d", at,
                 static_cast<Index>(group_of[at]), tile.group);
      ++stored[at * grid.tiles_n + tile.n];
    }
  }
  for (int times : stored) CHECK_THAT(times == 1, "a row was stored %d times", times);
}

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  for (int trial = 0; trial < 1000; ++trial) {
    RunGroupedCase(static_cast<int>(Random(1, 4)));
  }
  for (int trial = 0; trial < 2000; ++trial) CheckTilesOfGroups();
  CheckGroupsOfAnXcd();
  std::printf("schedule_groups_test: %d failures\n", failures);
  return failures != 0;
}
