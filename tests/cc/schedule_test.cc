// The schedule core on real threads, without any arithmetic: every (tile, k) once, and the
// fix-up's sum, by every claim, map and reduction. Run under the sanitizers as well.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <tuple>

#include "kernel/stream_k.h"
#include "kernel/tile_scheduler.h"
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

// A slot holds the list of k it sums, so that lost, doubled and reordered slices show.
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
    // In the order of k whoever came last, but for atomic sums.
    if (c.reduction == Reduction::kAtomic) std::sort(sum.begin(), sum.end());
    KList all;
    for (int64_t k = 0; k < grid.tiles_k; ++k) all.push_back(k);
    CHECK_THAT(sum == all, "tile %ld: %zu of %d k tiles, or in the wrong order", i, sum.size(),
               grid.tiles_k);
  }
}

// Slices of one tile must have different slots, and slots of different tiles must differ.
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

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  for (int trial = 0; trial < 1000; ++trial) {
    Case c = RandomCase();
    CheckSlots(c.map);
    RunCase(c, static_cast<int>(Random(1, 4)));
  }
  std::printf("schedule_test: %d failures\n", failures);
  return failures != 0;
}
