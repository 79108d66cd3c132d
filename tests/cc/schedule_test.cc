// Tests the schedule core on real threads, without arithmetic. With every claim, map and reduction,
// each (tile, k) is computed once, and the fix-up has all k. It also runs under the sanitizers.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "schedule/fixup.h"
#include "schedule/grouped_map.h"
#include "schedule/one_tile_map.h"
#include "schedule/tile_scheduler.h"
#include "testing.h"

namespace jaxgemm {
namespace {

struct Case {
  StreamKMap map;
  Index workgroups, queues;
  Reduction reduction;
};

Index RandomIndex(Index least, Index most) { return static_cast<Index>(Random(least, most)); }

Case RandomCase() {
  Case c;
  c.map.grid = {.batch = RandomIndex(1, 3),
                .tiles_m = RandomIndex(0, 6),
                .tiles_n = RandomIndex(1, 6),
                .tiles_k = RandomIndex(1, 9),
                .group_m = RandomIndex(1, 4),
                .num_xcds = RandomIndex(1, 8)};
  Index tiles = c.map.grid.num_tiles();
  c.workgroups = RandomIndex(1, 24);
  c.queues = RandomIndex(0, 5);
  c.reduction = static_cast<Reduction>(RandomIndex(0, 2));
  c.map.cut_tiles = std::min(tiles, RandomIndex(0, 5));
  Index most = c.map.cut_tiles * c.map.grid.tiles_k;
  c.map.num_shares = c.map.cut_tiles ? RandomIndex(c.map.cut_tiles, most) : 0;
  c.map.whole_tiles = tiles - c.map.cut_tiles;
  return c;
}

// A slot holds the list of its k tiles, which shows lost, doubled and reordered slices.
using KList = std::vector<int64_t>;
struct ListAccumulator {
  std::vector<KList>* slots;
  std::mutex* atomic;  // stands for the hardware's atomic add
  KList sum;

  void Publish(int64_t slot) { (*slots)[slot] = sum; }
  void Load(int64_t slot) { sum = (*slots)[slot]; }
  void Sum(int64_t first, int64_t step, int64_t count) {
    KList& to = (*slots)[first];
    for (int64_t i = 1; i < count; ++i) {
      const KList& from = (*slots)[first + i * step];
      to.insert(to.end(), from.begin(), from.end());
    }
  }
  int32_t Arrive(int32_t* counter) { return FetchAddAcqRel(counter, 1); }
  void AddToSlot(int64_t slot) {
    std::lock_guard<std::mutex> lock(*atomic);
    (*slots)[slot].insert((*slots)[slot].end(), sum.begin(), sum.end());
  }
};

void RunCase(const Case& c, int num_threads) {
  const TileGrid& grid = c.map.grid;
  std::vector<int32_t> counters(std::max<int64_t>(1, c.queues) * StealClaim::kCounterStride);
  std::vector<int32_t> arrivals(c.map.num_slots() + 1);
  std::vector<KList> slots(c.map.num_slots() + c.map.cut_tiles + 1);
  std::mutex atomic;
  std::vector<KList> results(grid.num_tiles());
  std::vector<std::atomic<int>> stored(grid.num_tiles());

  RunOnThreads(c.workgroups, num_threads, [&](int64_t thread) {
    Index workgroup = static_cast<Index>(thread);
    ListAccumulator accumulator{&slots, &atomic, {}};
    auto compute = [&](const WorkTile& tile) {
      accumulator.sum.clear();
      for (int64_t k = tile.k_begin; k < tile.k_end; ++k) accumulator.sum.push_back(k);
    };
    auto store = [&](const WorkTile& tile) {
      if (!FixUp(tile, c.reduction, arrivals.data(), accumulator)) return;
      int64_t index = (tile.batch * grid.tiles_m + tile.m) * grid.tiles_n + tile.n;
      results[index] = accumulator.sum;
      stored[index].fetch_add(1);
    };
    bool claim_ahead = workgroup % 2 == 0;
    if (c.queues) {
      StealClaim claim{counters.data(), c.queues, workgroup % c.queues, c.map.size()};
      ForEachWorkTile(claim, c.map, AlwaysReady(), claim_ahead, compute, store);
    } else {
      StrideClaim claim{workgroup, c.workgroups, c.map.size()};
      ForEachWorkTile(claim, c.map, AlwaysReady(), claim_ahead, compute, store);
    }
  });

  for (int64_t i = 0; i < grid.num_tiles(); ++i) {
    CHECK_THAT(stored[i] == 1, "tile %ld of %d stored %d times", i, grid.num_tiles(),
               stored[i].load());
    KList sum = results[i];
    // The k tiles are in order, whichever workgroup was last, except for atomic adds.
    if (c.reduction == Reduction::kAtomic) std::sort(sum.begin(), sum.end());
    KList all;
    for (int64_t k = 0; k < grid.tiles_k; ++k) all.push_back(k);
    CHECK_THAT(sum == all, "tile %ld: %zu of %d k tiles, or in the wrong order", i, sum.size(),
               grid.tiles_k);
  }
}

// All slices of all cut tiles must have different slots.
void CheckSlots(const StreamKMap& map) {
  std::vector<int> used(map.num_slots());
  for (Index index = 0; index < map.size(); ++index) {
    WorkTile tile = map(index);
    if (!tile.valid || tile.num_peers == 1) continue;
    int64_t slot = tile.first_slot + tile.peer;
    CHECK_THAT(slot >= 0 && slot < map.num_slots(), "slot %ld of %d", slot, map.num_slots());
    CHECK_THAT(++used[slot] == 1, "slot %ld is shared", slot);
  }
}

// PeersMap must cut tiles as StreamKMap does if all tiles have the same number of shares.
void CheckPeers(TileGrid grid) {
  grid.num_xcds = 1;
  const PeersMap peers{grid, RandomIndex(1, grid.tiles_k)};
  const StreamKMap shares{grid, 0, grid.num_tiles(), peers.size()};
  for (Index index = 0; index < peers.size(); ++index) {
    const WorkTile mine = peers(index), its = shares(index);
    CHECK_THAT(its.valid && mine.batch == its.batch && mine.m == its.m && mine.n == its.n &&
                   mine.k_begin == its.k_begin && mine.k_end == its.k_end &&
                   mine.peer == its.peer && mine.num_peers == its.num_peers,
               "peer %d of %d is not share %d", mine.peer, peers.peers, index);
    CHECK_THAT(!shares(peers.size() + index).valid, "share %d has two parts", index);
  }

  PeersMap clusters{grid, peers.peers, RandomIndex(1, 2), RandomIndex(1, 3)};
  TileGrid tiles = grid;
  tiles.tiles_m *= clusters.cluster_m, tiles.tiles_n *= clusters.cluster_n;
  std::vector<int> count(tiles.num_tiles() * peers.peers);
  CHECK_THAT(clusters.size() == static_cast<Index>(count.size()), "size %d", clusters.size());
  for (Index index = 0; index < clusters.size(); ++index) {
    const WorkTile mine = clusters(index);
    const Index cluster = index / clusters.cluster_size();
    const WorkTile its = peers(cluster * peers.peers + mine.peer);
    CHECK_THAT(mine.batch == its.batch && mine.m / clusters.cluster_m == its.m &&
                   mine.n / clusters.cluster_n == its.n && mine.k_begin == its.k_begin &&
                   mine.k_end == its.k_end,
               "peer %d of a tile of cluster %d", mine.peer, cluster);
    const Index tile = (mine.batch * tiles.tiles_m + mine.m) * tiles.tiles_n + mine.n;
    CHECK_THAT(++count[tile * peers.peers + mine.peer] == 1, "tile %d twice", tile);
  }
}

// OneTileMap must give the work tiles that StreamKMap gives, if all tiles have as many slices.
void CheckEqualSlices(const TileGrid& grid) {
  const Index tiles = grid.num_tiles(), slices = RandomIndex(1, grid.tiles_k);
  if (tiles == 0) return;
  const StreamKMap whole{grid, tiles, 0, 0}, cut{grid, 0, tiles, tiles * slices};
  const StreamKMap& map = slices == 1 ? whole : cut;
  CHECK_THAT(map.EqualSlices() == slices, "%d of %d slices", map.EqualSlices(), slices);
  const OneTileMap one_tile = OneTileMap::Of(map);
  CHECK_THAT(one_tile.size == tiles * slices, "%d workgroups", one_tile.size);
  for (Index index = 0; index < tiles * slices; ++index) {
    const WorkTile mine = one_tile(index), its = map(index);
    CHECK_THAT(its.valid && mine.batch == its.batch && mine.m == its.m && mine.n == its.n &&
                   mine.k_begin == its.k_begin && mine.k_end == its.k_end &&
                   mine.peer == its.peer && mine.num_peers == its.num_peers,
               "slice %d of %d", index, tiles * slices);
    CHECK_THAT(slices == 1 || (mine.first_slot == its.first_slot && mine.cut_tile == its.cut_tile &&
                               !map(tiles * slices + index).valid),
               "slot of slice %d of %d", index, tiles * slices);
  }
  const StreamKMap unequal{grid, 0, tiles, tiles * slices - 1},
      mixed{grid, 1, tiles - 1, 2 * tiles};
  CHECK_THAT(tiles == 1 || slices == 1 || unequal.EqualSlices() == 0, "%d tiles", tiles);
  CHECK_THAT(tiles == 1 || mixed.EqualSlices() == 0, "%d tiles", tiles);
}

// Divisor must divide as the processor does, also the largest numbers.
void CheckDivisor(Index divisor) {
  const Divisor by = Divisor::Of(divisor);
  constexpr Index kLargest = 0x7fffffff;
  auto check = [&](Index a) {
    CHECK_THAT(by.Quotient(a) == a / divisor, "%d / %d = %d", a, divisor, by.Quotient(a));
  };
  const Index last = kLargest / divisor * divisor;
  for (Index a : {0, 1, divisor - 1, divisor, last - 1, last, kLargest}) check(a);
  for (int i = 0; i < 100; ++i) {
    const Index multiple = RandomIndex(0, kLargest / divisor) * divisor;
    check(multiple);
    if (multiple > 0) check(multiple - 1);
    check(RandomIndex(0, kLargest));
  }
}
void CheckDivisors() {
  for (Index divisor = 1; divisor <= 5000; ++divisor) CheckDivisor(divisor);
  for (int bits = 2; bits < 31; ++bits) {
    for (Index off : {-1, 0, 1}) CheckDivisor((Index{1} << bits) + off);
  }
  CheckDivisor(0x7fffffff);
  for (int i = 0; i < 5000; ++i) CheckDivisor(RandomIndex(1, 0x7fffffff));
}

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
                 .skips_empty = !ragged_m && Random(0, 1) != 0,
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
    mine.Prepare(workgroups, max_shares);
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
        const int times = map.skips_empty && depth == 0 ? 0 : 1;
        CHECK_THAT(stored[at] == times, "line %d stored %d times", line, stored[at].load());
        CHECK_THAT(!times || results[at] == want, "line %d: another group or other k tiles", line);
      }
    }
  }
}

// lhs arrives in chunks. A work tile must read rows that were written before its chunk's signal.
// If a signal is missing, all workgroups leave and no tile of its chunk is stored.
void RunChunkedCase(int num_threads, bool one_missing) {
  Case c = RandomCase();
  c.map.grid.tiles_m = RandomIndex(1, 6);
  const TileGrid& grid = c.map.grid;
  const Index tiles = grid.num_tiles();
  c.map.cut_tiles = std::min(tiles, c.map.cut_tiles);
  c.map.num_shares = std::min(c.map.num_shares, c.map.cut_tiles * grid.tiles_k);
  c.map.whole_tiles = tiles - c.map.cut_tiles;

  constexpr uint32_t kEpoch = 7;
  const Index tiles_per_chunk = RandomIndex(1, grid.tiles_m + 1);
  const Index num_chunks = (grid.tiles_m + tiles_per_chunk - 1) / tiles_per_chunk;
  const bool batched = Random(0, 1) != 0;
  const Index num_signals = num_chunks * (batched ? grid.batch : 1);
  std::vector<uint32_t> signals(num_signals, kEpoch - 1);
  std::vector<int64_t> lhs(int64_t{grid.batch} * grid.tiles_m, -1);
  int32_t status = 0;
  const uint32_t epoch = kEpoch;
  const ChunkSignals ready{.signals = signals.data(),
                           .epoch = &epoch,
                           .status = &status,
                           .timeout_ns = one_missing ? 2'000'000 : 600'000'000'000,
                           .tiles_per_chunk = tiles_per_chunk,
                           .pivot = RandomIndex(0, grid.tiles_m - 1),
                           .tiles_m = grid.tiles_m,
                           .batch_stride = batched ? num_chunks : 0};
  std::vector<Index> order(num_signals);
  for (Index i = 0; i < num_signals; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), rng);
  const Index missing = one_missing ? order.back() : -1;
  if (one_missing) order.pop_back();
  auto signal_of = [&](Index batch, Index m) {
    return (batched ? batch * num_chunks : 0) + m / tiles_per_chunk;
  };
  std::thread producer([&] {
    for (Index signal : order) {
      for (Index batch = 0; batch < grid.batch; ++batch) {
        for (Index m = 0; m < grid.tiles_m; ++m) {
          if (signal_of(batch, m) == signal) lhs[batch * grid.tiles_m + m] = m;
        }
      }
      __atomic_store_n(&signals[signal], kEpoch, __ATOMIC_RELEASE);
    }
  });

  // A producer that the machine delays would look like a second missing signal.
  if (one_missing) producer.join();

  std::vector<int32_t> counters(std::max<int64_t>(1, c.queues) * StealClaim::kCounterStride);
  std::vector<std::atomic<int>> done(tiles * grid.tiles_k);
  RunOnThreads(c.workgroups, num_threads, [&](int64_t thread) {
    const Index workgroup = static_cast<Index>(thread);
    auto compute = [&](const WorkTile& tile) {
      CHECK_THAT(lhs[tile.batch * grid.tiles_m + tile.m] == tile.m, "row %d had not come", tile.m);
    };
    auto store = [&](const WorkTile& tile) {
      const Index index = (tile.batch * grid.tiles_m + tile.m) * grid.tiles_n + tile.n;
      for (Index k = tile.k_begin; k < tile.k_end; ++k) done[index * grid.tiles_k + k] += 1;
    };
    if (c.queues) {
      StealClaim claim{counters.data(), c.queues, workgroup % c.queues, c.map.size()};
      ForEachWorkTile(claim, c.map, ready, false, compute, store);
    } else {
      StrideClaim claim{workgroup, c.workgroups, c.map.size()};
      ForEachWorkTile(claim, c.map, ready, true, compute, store);
    }
  });
  if (!one_missing) producer.join();

  CHECK_THAT((status != 0) == one_missing, "status %d", status);
  CHECK_THAT(!one_missing || status == missing + 1, "status %d, and signal %d is missing", status,
             missing);
  for (Index i = 0; i < tiles * grid.tiles_k; ++i) {
    const Index line = i / grid.tiles_k / grid.tiles_n;
    const bool came = signal_of(line / grid.tiles_m, line % grid.tiles_m) != missing;
    const int times = done[i];
    CHECK_THAT(one_missing ? times <= came : times == 1, "a k tile done %d times", times);
  }
}

// Checks the raster order of a launch. It is the grid's group_m if all signals are set before, and
// the rows of a chunk if one is not. If the last signal comes meanwhile, it is one of the two, the
// same in all workgroups.
void RunOrderCase(int num_threads) {
  StreamKMap map{};
  TileGrid& grid = map.grid;
  grid = {.batch = RandomIndex(1, 3),
          .tiles_m = RandomIndex(2, 9),
          .tiles_n = RandomIndex(1, 5),
          .tiles_k = 1,
          .num_xcds = 1};
  grid.group_m = RandomIndex(2, grid.tiles_m);
  map.whole_tiles = grid.num_tiles();
  const Index tiles_per_chunk = RandomIndex(1, grid.group_m - 1);
  const Index num_chunks = (grid.tiles_m + tiles_per_chunk - 1) / tiles_per_chunk;
  const bool batched = Random(0, 1) != 0;
  const Index num_signals = num_chunks * (batched ? grid.batch : 1);

  constexpr uint32_t kEpoch = 7;
  enum Arrival { kBefore, kNotAll, kMeanwhile };
  const auto arrival = static_cast<Arrival>(Random(0, 2));
  std::vector<uint32_t> signals(num_signals, kEpoch);
  const Index late = RandomIndex(0, num_signals - 1);
  if (arrival != kBefore) signals[late] = kEpoch - 1;
  int32_t status = 0, order = 0;
  const uint32_t epoch = kEpoch;
  const ChunkSignals ready{
      .signals = signals.data(),
      .epoch = &epoch,
      .status = &status,
      .order = &order,
      .timeout_ns = 600'000'000'000,
      .tiles_per_chunk = tiles_per_chunk,
      // The pivot is the first row of tiles of a whole chunk.
      .pivot = tiles_per_chunk * RandomIndex(0, grid.tiles_m / tiles_per_chunk - 1),
      .tiles_m = grid.tiles_m,
      .batch_stride = batched ? num_chunks : 0};
  std::thread producer;
  if (arrival == kMeanwhile) {
    const int64_t pause_ns = Random(0, 200'000);
    producer = std::thread([&signals, late, pause_ns] {
      std::this_thread::sleep_for(std::chrono::nanoseconds(pause_ns));
      __atomic_store_n(&signals[late], kEpoch, __ATOMIC_RELEASE);
    });
  }

  const Index workgroups = RandomIndex(1, 24);
  std::vector<Index> group_m(workgroups);
  std::vector<std::atomic<int>> done(grid.num_tiles());
  RunOnThreads(workgroups, num_threads, [&](int64_t thread) {
    const Index workgroup = static_cast<Index>(thread);
    StreamKMap mine = map;
    mine.grid.group_m = group_m[workgroup] = ready.GroupM(grid);
    auto store = [&](const WorkTile& tile) {
      done[(tile.batch * grid.tiles_m + tile.m) * grid.tiles_n + tile.n] += 1;
    };
    StrideClaim claim{workgroup, workgroups, mine.size()};
    auto compute = [](const WorkTile&) {};
    if (arrival == kNotAll) {
      ForEachWorkTile(claim, mine, AlwaysReady(), false, compute, store);
    } else {
      ForEachWorkTile(claim, mine, ready, false, compute, store);
    }
  });
  if (producer.joinable()) producer.join();

  for (const std::atomic<int>& times : done) {
    CHECK_THAT(times == 1, "a tile done %d times", times.load());
  }
  for (Index each : group_m) {
    CHECK_THAT(each == group_m[0], "groups of %d and of %d tile rows", each, group_m[0]);
  }
  CHECK_THAT(group_m[0] == (arrival == kBefore   ? grid.group_m
                            : arrival == kNotAll ? tiles_per_chunk
                            : order == 2         ? grid.group_m
                                                 : tiles_per_chunk),
             "groups of %d tile rows; arrival %d, order %d", group_m[0], arrival, order);
  StreamKMap agreed = map;
  agreed.grid.group_m = group_m[0];
  for (Index i = 0; i < group_m[0] * grid.tiles_n; ++i) {
    const WorkTile tile = agreed(i);
    const Index chunk = ready.Row(tile.m) / tiles_per_chunk;
    if (group_m[0] == tiles_per_chunk) {
      CHECK_THAT(chunk == ready.pivot / tiles_per_chunk, "tile %d is of chunk %d", i, chunk);
    } else {
      CHECK_THAT(tile.m == i % group_m[0] && tile.n == i / group_m[0], "tile %d is (%d, %d)", i,
                 tile.m, tile.n);
    }
  }
}

// Calls `interrupt` after a workgroup has read the signals and before it chooses the order.
struct InterruptedLane : OneLane {
  static inline std::function<void()> interrupt;
  static Index First(bool found) {
    interrupt();
    return OneLane::First(found);
  }
};

// All workgroups take the first one's choice, even if they read the signals before it.
void CheckFirstAnswerHolds() {
  const TileGrid grid{.batch = 1, .tiles_m = 4, .tiles_n = 1, .group_m = 3};
  for (const bool comes : {false, true}) {
    uint32_t signals[2] = {1, comes ? 0u : 1u};
    const uint32_t epoch = 1;
    int32_t order = 0;
    const ChunkSignals ready{
        .signals = signals, .epoch = &epoch, .order = &order, .tiles_per_chunk = 2, .tiles_m = 4};
    Index other = 0;
    InterruptedLane::interrupt = [&] {
      signals[1] = comes;
      other = ready.GroupM(grid);
    };
    const Index mine = ready.GroupM<InterruptedLane>(grid);
    CHECK_THAT(other == (comes ? 3 : 2) && mine == other, "groups of %d and of %d tile rows", mine,
               other);
  }
}

// Without a word for the order, the order is the grid's group_m, whatever has arrived.
void CheckFixedOrder() {
  const uint32_t signal = 0, epoch = 1;
  const ChunkSignals ready{.signals = &signal, .epoch = &epoch, .tiles_per_chunk = 1, .tiles_m = 4};
  const Index group_m = ready.GroupM({.batch = 1, .tiles_m = 4, .tiles_n = 1, .group_m = 3});
  CHECK_THAT(group_m == 3, "groups of %d tile rows", group_m);
}

// Every queue is the first queue of some workgroup, on chips and partitions with any number of
// XCDs.
void CheckFirstQueues() {
  for (Index xcds : {1, 2, 4, 6, 8}) {
    for (Index per_xcd : {1, 2, 8}) {
      const ClaimArgs args{.num_workgroups = 304, .num_queues = xcds * per_xcd, .num_xcds = xcds};
      std::set<Index> first;
      for (Index workgroup = 0; workgroup < args.num_workgroups; ++workgroup) {
        // A partition's XCDs may have any of the eight numbers, each a different one.
        const Index xcd = workgroup % xcds + 8 - xcds, queue = args.FirstQueueOnXcd(workgroup, xcd);
        CHECK_THAT(queue / per_xcd == xcd % xcds, "queue %d of XCD %d", queue, xcd);
        first.insert(queue);
      }
      CHECK_THAT(static_cast<Index>(first.size()) == args.num_queues, "%d first queues, %d XCDs",
                 static_cast<int>(first.size()), xcds);
    }
  }
  const ClaimArgs one{.num_workgroups = 304, .num_queues = 3, .num_xcds = 8};
  for (Index xcd = 0; xcd < 8; ++xcd) CHECK_THAT(one.FirstQueueOnXcd(7, xcd) < 3, "few queues");
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
  map.Prepare(kWorkgroups, 0);
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

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  for (int trial = 0; trial < 1000; ++trial) {
    Case c = RandomCase();
    CheckSlots(c.map);
    CheckPeers(c.map.grid);
    CheckEqualSlices(c.map.grid);
    RunCase(c, static_cast<int>(Random(1, 4)));
    RunGroupedCase(static_cast<int>(Random(1, 4)));
    RunChunkedCase(static_cast<int>(Random(1, 4)), trial % 10 == 0);
    RunOrderCase(static_cast<int>(Random(1, 4)));
  }
  CheckFirstAnswerHolds();
  CheckFixedOrder();
  CheckFirstQueues();
  CheckDivisors();
  CheckGroupsOfAnXcd();
  std::printf("schedule_test: %d failures\n", failures);
  return failures != 0;
}
