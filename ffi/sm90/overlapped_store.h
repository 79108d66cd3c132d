// Stores a tile while the next one is multiplied, on Hopper (epilogue.h has the code that stores).
#pragma once

#include <utility>

#include "sm90/quantized_epilogue.h"
#include "sm90/tma_store.h"

namespace jaxgemm {

// A warp's results of the previous tile, stored box by box while the next tile is multiplied. With
// 16 bits each they leave enough registers for the next tile's accumulators.
template <class Traits>
struct OverlappedStore {
  using Boxes = OutBoxes<Traits>;

  const GemmArgs& args;
  const TensorMaps& maps;
  SharedMemory<Traits>& shared;
  int rank;
  typename Boxes::Packed packed;
  int box = Boxes::kBoxes;  // the next box to store; kBoxes: none
  Index every;              // k tiles from one box to the next
  bool lags;                // skips the first call, so that the warpgroups store in turn

  JAXGEMM_SM90 Boxes TheBoxes() const { return {shared, maps, ThreadId() - kWarpgroupSize}; }
  JAXGEMM_SM90 bool IsDone() const { return box == Boxes::kBoxes; }
  // Spreads the boxes over the next tile's k tiles. All CTAs store at the same time: if they stored
  // all boxes at once, they would keep the L2 busy and delay loads.
  JAXGEMM_SM90 void Spread(Index k_tiles) {
    every = k_tiles < 2 * Boxes::kBoxes ? 1 : Div(k_tiles, Boxes::kBoxes);
    lags = WarpUniform(every > 1 && ThreadId() >= 2 * kWarpgroupSize);
  }
  // SmemMainloop::Run calls these two.
  JAXGEMM_SM90 Index NextTime(Index k_tiles) const {
    if (IsDone()) return kNever;
    if (k_tiles == 0) return 1;
    return k_tiles + (box == 0 ? every / 2 : every);
  }
  JAXGEMM_SM90 void operator()() {
    if (IsDone() || std::exchange(lags, false)) return;
    // Registers cannot be indexed at run time, so each box has a branch of its own.
#pragma unroll
    for (int i = 0; i < Boxes::kBoxes; ++i) {
      if (i == box) TheBoxes().Store(packed, i);
    }
    ++box;
  }
  // Stores the boxes that are left: the next tile may have fewer k tiles than there are boxes.
  JAXGEMM_SM90 void StoreRest() {
    while (!IsDone()) (*this)();
  }
  // Takes a tile's accumulators when IsDone().
  JAXGEMM_SM90 void Take(const WorkTile& tile, typename Traits::Acc (&acc)[Traits::kAccs]) {
    FusedEpilogue<Traits> epilogue(shared, rank);
    if constexpr (Traits::kIsFused) {
      const auto vectors = epilogue.LoadVectors(args, maps, tile);
      if (epilogue.ApplyFused(args, maps, tile, vectors, acc)) {
        epilogue.Pack(args, tile, acc, packed);
        box = 0;
      } else {
        packed.Forget();
      }
    } else if constexpr (Traits::kStore == FormStore::kQuantized) {
      QuantizedEpilogue<Traits>(shared, rank).StoreQuantized(args, tile, acc);
    } else if constexpr (Traits::kStore == FormStore::kWide) {
      epilogue.StoreWide(args, maps, tile, acc);
    } else if constexpr (Traits::kStore == FormStore::kGated) {
      // The results are in the second half of the boxes.
      if (epilogue.ApplyGate(args, maps, tile, acc)) {
        epilogue.Pack(args, tile, acc, packed);
        packed.column -= Traits::kTileN / 2;
        box = Boxes::kBoxes / 2;
      } else {
        packed.Forget();
      }
    } else {
      if constexpr (Traits::kHasOnlyVectors) {
        epilogue.ApplyVectors(args, tile, epilogue.LoadVectors(args, maps, tile), acc);
      }
      if (epilogue.PackPlain(args, tile, acc, packed)) {
        box = 0;
      } else if constexpr (Traits::kStore == FormStore::kVectors) {
        packed.Forget();
      }
    }
  }
  // Whole warpgroups call this after the last tile.
  JAXGEMM_SM90 void StoreLast() {
    TheBoxes().StoreAllByStages(packed, box);
    // Shared memory must exist until TMA has read it.
    if (ElectSync()) TmaStoreWaitRead<0>();
  }
};

}  // namespace jaxgemm
