// Tests the schedule of products whose lhs arrives in chunks, on real threads, without arithmetic.
// It also runs under the sanitizers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "schedule_cases.h"

namespace jaxgemm {
namespace {

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

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  for (int trial = 0; trial < 1000; ++trial) {
    RunChunkedCase(static_cast<int>(Random(1, 4)), trial % 10 == 0);
    RunOrderCase(static_cast<int>(Random(1, 4)));
  }
  CheckFirstAnswerHolds();
  CheckFixedOrder();
  std::printf("schedule_chunks_test: %d failures\n", failures);
  return failures != 0;
}
