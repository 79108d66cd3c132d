// Stream-K fix-up: adds the partial sums of one tile without any workgroup waiting for another.
// Each workgroup publishes its partial sums and adds 1 to an arrival counter. The last workgroup to
// arrive continues, the others leave, so any grid, residency and order are allowed. The targets'
// accumulators are in host/workgroups.cc, amdgpu/gemm.h and sm90/gemm.h. Hopper's split-K across a
// cluster (sm90/cluster_split_k.h) does not use this file.
#pragma once

#include "schedule/tile_scheduler.h"

namespace jaxgemm {

// `Accumulator` has this workgroup's partial sums and accesses the slots for partial sums:
//   Publish(slot)            writes the partial sums to the slot (plain stores)
//   AddToSlot(slot)          adds the partial sums to the slot with atomic adds
//   Sum(first, step, count)  writes to slot `first` the sum of the slots first, first + step, ...,
//                            added in this order
//   Load(slot)               replaces the accumulator's values by those of the slot
//   Arrive(counter)          adds 1 to the counter and returns its old value, with release and
//                            acquire: FetchAddAcqRel, by the whole workgroup
// `counters`: one zeroed arrival counter per slot. Returns true for the one workgroup that now has
// the complete sum in its accumulator and must run the epilogue.
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
    // The additions are always in the order of the peers, so every run gives the same bits.
    if (accumulator.Arrive(arrivals) != tile.num_peers - 1) return false;
    accumulator.Sum(tile.first_slot, 1, tile.num_peers);
  } else {
    // The peers form a binary tree. A node's counter is that of its right child's slot: a slot is
    // the right child of one node at most. The second workgroup to arrive at a node adds both slots
    // into the left one.
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
