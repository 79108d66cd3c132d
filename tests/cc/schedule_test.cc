// Tests the schedule core on real threads, without arithmetic. With every claim, map and reduction,
// each (tile, k) is computed once, and the fix-up has all k. It also runs under the sanitizers.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "schedule_cases.h"

namespace jaxgemm {
namespace {

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

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  for (int trial = 0; trial < 1000; ++trial) {
    RunCase(RandomCase(), static_cast<int>(Random(1, 4)));
  }
  CheckFirstQueues();
  std::printf("schedule_test: %d failures\n", failures);
  return failures != 0;
}
