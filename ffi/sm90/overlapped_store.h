// Storing a tile while the next one is multiplied, on Hopper.
#pragma once

#include <utility>

#include "sm90/epilogue.h"
#include "sm90/tma_store.h"

namespace jaxgemm {

// A warp's results of the tile before: while the next one is multiplied they are stored, a box at a
// time. In 16 bits they leave room for its sums in the registers.
template <class Traits>
struct StoredMeanwhile {
  using Boxes = OutBoxes<Traits>;

  const GemmArgs& args;
  const TensorMaps& maps;
  SharedMemory<Traits>& shared;
  int rank;
  typename Boxes::Packed packed;
  int box = Boxes::kBoxes;  // the next one; or there is none
  Index every;              // k tiles
  bool lags;                // behind the other warpgroup: one stores while the other multiplies

  JAXGEMM_SM90 Boxes TheBoxes() const { return {shared, maps, ThreadId() - kWarpgroupSize}; }
  JAXGEMM_SM90 bool IsDone() const { return box == Boxes::kBoxes; }
  // The next tile's k tiles, to spread the boxes among: all CTAs store at the same time, and where
  // they do so at once the L2 is busy with it, and loads are late.
  JAXGEMM_SM90 void Spread(Index k_tiles) {
    every = k_tiles < 2 * Boxes::kBoxes ? 1 : Div(k_tiles, Boxes::kBoxes);
    lags = SameInWarp(every > 1 && ThreadId() >= 2 * kWarpgroupSize);
  }
  // For Multiplier::Run.
  JAXGEMM_SM90 Index NextTime(Index k_tiles) const {
    if (IsDone()) return kNever;
    if (k_tiles == 0) return 1;
    return k_tiles + (box == 0 ? every / 2 : every);
  }
  JAXGEMM_SM90 void operator()() {
    if (IsDone() || std::exchange(lags, false)) return;
    // Registers cannot be indexed: one branch for each box.
#pragma unroll
    for (int i = 0; i < Boxes::kBoxes; ++i) {
      if (i == box) TheBoxes().Store(packed, i);
    }
    ++box;
  }
  // When it is done.
  JAXGEMM_SM90 void Take(const WorkTile& tile, typename Traits::Sum (&sums)[Traits::kSums]) {
    if (Epilogue<Traits>(shared, rank).PackPlain(args, tile, sums, packed)) box = 0;
  }
  // By whole warpgroups, after the last tile.
  JAXGEMM_SM90 void Finish() {
    TheBoxes().StoreAllByStages(packed, !IsDone());
    // Shared memory is read until then.
    if (IsLeader()) WaitForStoredBoxes<0>();
  }
};

}  // namespace jaxgemm
