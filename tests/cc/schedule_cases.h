// Random cases for the tests of the schedule core, and an accumulator that shows what it was given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "schedule/fixup.h"
#include "schedule/tile_scheduler.h"
#include "testing.h"

namespace jaxgemm {

struct Case {
  StreamKMap map;
  Index workgroups, queues;
  Reduction reduction;
};

inline Index RandomIndex(Index least, Index most) {
  return static_cast<Index>(Random(least, most));
}

inline Case RandomCase() {
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

}  // namespace jaxgemm
