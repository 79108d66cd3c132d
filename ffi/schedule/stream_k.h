// Stream-K fix-up: how the partial sums of one tile become its result without any workgroup
// waiting for another. Each publishes its partial sum and adds to an arrival counter; who
// arrives last goes on, the others leave. So it is right for any grid, residency and order.
#pragma once

#include "schedule/tile_scheduler.h"

namespace jaxgemm {

// `Accumulator` holds this workgroup's partial sum and knows the partial-sum slots:
//   Publish(slot)            leaves the sum in the slot (plain stores)
//   AddToSlot(slot)          adds the sum to the slot with atomic adds
//   Sum(first, step, count)  slot `first` becomes the sum of the slots first, first + step, ...,
//                            added in this order
//   Load(slot)               becomes the slot's sum
//   Arrive(counter)          adds 1 to the counter and returns what it was, with release and
//                            acquire: FetchAddAcqRel, by the whole workgroup
// `counters`: one zeroed arrival counter per slot. Returns true for the one workgroup whose
// accumulator now holds the whole sum and which must run the epilogue.
template <class Accumulator>
JAXGEMM_DEVICE inline __attribute__((always_inline)) bool FixUp(const WorkTile& tile,
                                                                Reduction reduction,
                                                                int32_t* counters,
                                                                Accumulator& accumulator) {
  if (tile.num_peers == 1) return true;
  int32_t* arrivals = counters + tile.first_slot;

  if (reduction == Reduction::kAtomic) {
    accumulator.AddToSlot(tile.cut_tile);
    if (accumulator.Arrive(arrivals) != tile.num_peers - 1) return false;
    accumulator.Load(tile.cut_tile);
    return true;
  }

  accumulator.Publish(tile.first_slot + tile.peer);
  if (reduction == Reduction::kLinear) {
    // Summed in peer order whoever is last: the same bits on every run.
    if (accumulator.Arrive(arrivals) != tile.num_peers - 1) return false;
    accumulator.Sum(tile.first_slot, 1, tile.num_peers);
  } else {
    // Node (left, left + span) is counted at its right child, which is the right child of no
    // other node; who comes second sums the two into the left one's slot.
    Index left = tile.peer;
    for (Index span = 1; span < tile.num_peers; span *= 2) {
      Index right = left | span;
      left = left & ~span;
      if (right >= tile.num_peers) continue;
      if (accumulator.Arrive(arrivals + right) == 0) return false;
      accumulator.Sum(tile.first_slot + left, span, 2);
    }
  }
  accumulator.Load(tile.first_slot);
  return true;
}

}  // namespace jaxgemm
