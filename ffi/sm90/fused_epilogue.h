// A variant of sm90/epilogue.h for the fused forms, which apply it to the accumulators in place.
#pragma once

#include "sm90/epilogue.h"

namespace jaxgemm {

template <class Traits>
class FusedEpilogue : public Epilogue<Traits> {
 protected:
  using Base = Epilogue<Traits>;
  using Base::AtMost;
  using Base::BlockPlace;
  using Base::FirstPlace;
  using Base::kColumns;
  using Base::kWarpM;
  using Base::Lane;
  using Base::LoadRows;
  using Base::shared_;
  using Base::StoreStaged;
  using Base::Warp;
  using typename Base::Place, typename Base::RowVectors, typename Base::Acc;
  using Staged = StagedColumns<Traits::kTileN>;
  // Whether there are enough registers for a tile's vectors while the tile is multiplied.
  static constexpr bool kLoadsEarly = Traits::kAllAccs <= 128;

 public:
  using Base::Base;

  static constexpr int kVectorColumns = (Traits::kTileN + kWarpSize - 1) / kWarpSize;
  // A lane's part of a tile's vectors: those of columns lane, lane + 32 and so on, and those of its
  // rows.
  struct Vectors {
    ColumnVector columns[kVectorColumns];
    RowVectors rows[Traits::kBlocksM];
  };
  // Loads a tile's vectors for ApplyFused, as early as there are registers for them.
  JAXGEMM_SM90 Vectors LoadVectors(const GemmArgs& args, const TensorMaps& maps,
                                   const WorkTile& tile) const {
    Vectors vectors{};
    if constexpr (!kLoadsEarly) return vectors;
    const Place place = FirstPlace(args, tile);
    if (!WarpUniform(maps.stores_unstaged && place.epilogue.HasVectors())) return vectors;
#pragma unroll
    for (int block = 0; block < Traits::kBlocksM; ++block) {
      vectors.rows[block] = LoadRows(args, BlockPlace(place, block));
    }
    int columns[kVectorColumns];
#pragma unroll
    for (int i = 0; i < kVectorColumns; ++i) {
      columns[i] = static_cast<int>(Base::ColumnOf(args, place, i * kWarpSize + Lane()));
    }
    ColumnVector::LoadAll(place.epilogue, columns, vectors.columns);
    return vectors;
  }

  // Applies a tile's vectors, and nothing else of an epilogue.
  JAXGEMM_SM90 void ApplyVectors(const GemmArgs& args, const WorkTile& tile, const Vectors& vectors,
                                 Acc (&acc)[Traits::kAllAccs]) {
    const Place place = FirstPlace(args, tile);
    if (WarpUniform(place.row >= place.rows)) return;
    if constexpr (kLoadsEarly) {
      ApplyVectors(place, vectors, acc);
    } else {
      LoadAndApplyVectors(args, place, acc);
    }
  }

  // FormStore::kWide: has TMA store the accumulators as they are, or add them to out.
  JAXGEMM_SM90 void StoreWide(const GemmArgs& args, const TensorMaps& maps, const WorkTile& tile,
                              const Acc* acc) {
    const Place place = FirstPlace(args, tile);
    if (WarpUniform(place.row >= place.rows)) return;
    if (WarpUniform(Base::IsWhole(args, place))) {
      Base::StoreWideRows(args, maps, place, acc);
    } else {
      Base::template StoreTo<Traits::kAccs>(args, args.out, args.n, place, 0, args.n, acc);
    }
  }

  // FormStore::kGated: applies the vectors, the activation and the gate. The results are in the
  // second half of the accumulators, because the first half is the gate's. Returns whether the
  // caller must have TMA store them; else they have been stored, or lie outside of out.
  JAXGEMM_SM90 bool ApplyGate(const GemmArgs& args, const TensorMaps& maps, const WorkTile& tile,
                              Acc (&acc)[Traits::kAllAccs]) {
    constexpr int kHalf = Traits::kAccs / 2;
    const Vectors vectors = LoadVectors(args, maps, tile);
    const Place place = FirstPlace(args, tile);
    if (WarpUniform(place.row >= place.rows)) return false;
    if (WarpUniform(place.epilogue.HasVectors())) ApplyVectors(place, vectors, acc);
    if (WarpUniform(args.preact != nullptr)) {
      Base::template StoreTo<kHalf>(args, args.preact, 2 * args.n, place, 0, args.n, acc);
      Base::template StoreTo<kHalf>(args, args.preact, 2 * args.n, place, args.n, 2 * args.n,
                                    acc + kHalf);
    }
    Activate<kHalf>(place.epilogue.activation, acc);
#pragma unroll
    for (int i = 0; i < kHalf; ++i) acc[kHalf + i] *= acc[i];
    if (WarpUniform(Base::IsWhole(args, place))) return true;
    Base::template StoreTo<kHalf>(args, args.out, args.n, place, 0, args.n, acc + kHalf);
    return false;
  }

  // Applies the epilogue in place. Returns, in all warps the same, whether the caller must have TMA
  // store the results, in PlainOut's type; else they have been stored.
  JAXGEMM_SM90 bool ApplyFused(const GemmArgs& args, const TensorMaps& maps, const WorkTile& tile,
                               const Vectors& vectors, Acc (&acc)[Traits::kAllAccs]) {
    if constexpr (Traits::kHasOnlyVectors) {
      ApplyVectors(args, tile, vectors, acc);
      return true;
    }
    // Tells ptxas that the branches are uniform in the warp, see SmemMainloop::Run in mainloop.h.
    const bool tma_stores =
        WarpUniform(!Traits::kInteger && !Traits::kHasOnlyDenseForms && maps.stores_unstaged &&
                    maps.out_valid && args.out_dtype == PlainOut(Traits::kLhs));
    const Place place = FirstPlace(args, tile);
    if (WarpUniform(place.row >= place.rows)) return tma_stores;
    if constexpr (!Traits::kInteger) {
      if (WarpUniform(maps.stores_unstaged)) {
        if constexpr (kLoadsEarly) {
          ApplyVectors(place, vectors, acc);
        } else {
          LoadAndApplyVectors(args, place, acc);
        }
        ActivateAndStore(args, maps, place, acc, tma_stores);
        return tma_stores;
      }
    } else if (WarpUniform(Base::IsPlainInteger(args, maps, place))) {
      StoreWideTile(args, maps, place, acc);
      return false;
    }
    StoreInSteps(args, place, acc);
    return false;
  }

 protected:
  // Applies a tile's vectors, if it has any. Those of columns go through this warp's part of
  // shared_.out, because each lane needs those of other columns than it has loaded.
  JAXGEMM_SM90 void ApplyVectors(const Place& place, const Vectors& vectors,
                                 Acc (&acc)[Traits::kAllAccs]) {
    static_assert(sizeof(Staged) <= Traits::kStagedBytes);
    if (WarpUniform(place.epilogue.HasRowVectors())) {
#pragma unroll
      for (int block = 0; block < Traits::kBlocksM; ++block) {
        Base::template ApplyRows<Traits::kAccs>(vectors.rows[block], acc + block * Traits::kAccs);
      }
    }
    if (WarpUniform(!place.epilogue.HasColumnVectors())) return;
    Staged& staged = FreeStaged();
#pragma unroll
    for (int i = 0; i * kWarpSize < Traits::kTileN; ++i) {
      const int column = i * kWarpSize + Lane();
      if (column >= Traits::kTileN) break;
      staged.Put(column, vectors.columns[i]);
    }
    __syncwarp();
    const bool has_factors = WarpUniform(place.epilogue.HasColumnFactors());
#pragma unroll
    for (int block = 0; block < Traits::kBlocksM; ++block) {
      if (has_factors) {
        Apply<true>(staged, acc + block * Traits::kAccs);
      } else {
        Apply<false>(staged, acc + block * Traits::kAccs);
      }
    }
  }
  // As ApplyVectors, with few registers: vectors are loaded where they are applied.
  JAXGEMM_SM90 void LoadAndApplyVectors(const GemmArgs& args, const Place& place,
                                        Acc (&acc)[Traits::kAllAccs]) {
    static_assert(sizeof(Staged) <= Traits::kStagedBytes);
    if (WarpUniform(!place.epilogue.HasVectors())) return;
    Staged& staged = FreeStaged();
    // Loads for so many columns are in flight at once.
    constexpr int kAtOnce = kVectorColumns % 3 == 0 ? 3 : 1;
#pragma unroll 1
    for (int first = 0; first < kVectorColumns; first += kAtOnce) {
      int columns[kAtOnce];
      ColumnVector vectors[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        columns[i] =
            static_cast<int>(Base::ColumnOf(args, place, (first + i) * kWarpSize + Lane()));
      }
      ColumnVector::LoadAll(place.epilogue, columns, vectors);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int column = (first + i) * kWarpSize + Lane();
        if (column < Traits::kTileN) staged.Put(column, vectors[i]);
      }
    }
    __syncwarp();
#pragma unroll
    for (int block = 0; block < Traits::kBlocksM; ++block) {
      Acc* of_block = acc + block * Traits::kAccs;
      Base::template ApplyRows<Traits::kAccs>(LoadRows(args, BlockPlace(place, block)), of_block);
      if (WarpUniform(place.epilogue.HasColumnVectors())) Apply<true>(staged, of_block);
    }
  }
  // This warp's part of shared_.out, for the vectors of columns.
  JAXGEMM_SM90 Staged& FreeStaged() const {
    Base::AwaitBoxes();
    return *reinterpret_cast<Staged*>(shared_.out[Warp()]);
  }
  // Applies staged vectors to the accumulators of 64 rows.
  template <bool kHasFactors>
  JAXGEMM_SM90 void Apply(const Staged& staged, Acc* acc) {
#pragma unroll
    for (int eight = 0; eight < Traits::kTileN / 8; ++eight) {
      const auto pair = staged.template Get<kHasFactors>(Lane() % 4 + eight * 4);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        Acc& value = acc[eight * 4 + i];
        value = pair.columns[i % 2].Apply(value);
      }
    }
  }
  // Applies the activation to the first kAll accumulators. The code of the activations is long, so
  // a loop has it only once. Registers cannot be indexed at run time, so each step of the loop
  // copies some of them.
  template <int kAll = Traits::kAllAccs>
  JAXGEMM_SM90 void Activate(Activation activation, Acc (&acc)[Traits::kAllAccs]) {
    constexpr int kCount = Traits::kAllAccs > 128 ? 8
                           : kAll % 32 == 0       ? 32
                           : kAll % 24 == 0       ? 24
                                                  : 8;
    constexpr int kSteps = kAll / kCount;
    if (WarpUniform(activation == Activation::kNone)) return;
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      Acc some[kCount];
#pragma unroll
      for (int i = 0; i < kCount; ++i) some[i] = acc[i];
#pragma unroll
      for (int other = 1; other < kSteps; ++other) {
        if (WarpUniform(other != step)) continue;
        KeepBranch();
#pragma unroll
        for (int i = 0; i < kCount; ++i) some[i] = acc[other * kCount + i];
      }
      WithActivation(activation, [&](auto activate) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) some[i] = activate(some[i]);
      });
#pragma unroll
      for (int other = 0; other < kSteps; ++other) {
        if (WarpUniform(other != step)) continue;
        KeepBranch();
#pragma unroll
        for (int i = 0; i < kCount; ++i) acc[other * kCount + i] = some[i];
      }
    }
  }
  // Keeps the compiler from turning a branch into instructions that all paths execute.
  static JAXGEMM_SM90 void KeepBranch() { asm volatile("" ::: "memory"); }

  // Applies the activation, and stores the results unless the caller does (`tma_stores`). `first`
  // is the place of the first 64 rows.
  JAXGEMM_SM90 void ActivateAndStore(const GemmArgs& args, const TensorMaps& maps,
                                     const Place& first, Acc (&acc)[Traits::kAllAccs],
                                     bool tma_stores) {
    // The preactivation is stored first, then out. A loop has the code that stores only once.
#pragma unroll 1
    for (bool is_out = !args.preact;; is_out = true) {
      if (WarpUniform(is_out)) {
        Activate(first.epilogue.activation, acc);
        if (WarpUniform(tma_stores)) return;
        if (WarpUniform(Base::Boxes::kHasWide && maps.out_valid && args.out_dtype == DType::kF32)) {
          return StoreWideTile(args, maps, first, acc);
        }
      }
#pragma unroll
      for (int block = 0; block < Traits::kBlocksM; ++block) {
        const Place place = BlockPlace(first, block);
        if (WarpUniform(place.row >= place.rows)) break;
        Base::template StoreTo<Traits::kAccs>(args, is_out ? args.out : args.preact, args.n, place,
                                              0, args.n, acc + block * Traits::kAccs);
      }
      if (WarpUniform(is_out)) return;
    }
  }
  // Has TMA store results of 32 bits.
  JAXGEMM_SM90 void StoreWideTile(const GemmArgs& args, const TensorMaps& maps, const Place& first,
                                  const Acc* acc) {
#pragma unroll
    for (int block = 0; block < Traits::kBlocksM; ++block) {
      const Place place = BlockPlace(first, block);
      if (WarpUniform(place.row >= place.rows)) break;
      Base::StoreWideRows(args, maps, place, acc + block * Traits::kAccs);
    }
  }
  // For the types of out that few products have. Each step stages and stores kColumns columns.
  JAXGEMM_SM90 void StoreInSteps(const GemmArgs& args, const Place& first,
                                 Acc (&acc)[Traits::kAllAccs]) {
    constexpr int kCount = kColumns / 2, kSteps = Traits::kTileN / kColumns;
#pragma unroll 1
    for (int step = 0; step < Traits::kBlocksM * kSteps; ++step) {
      Place place = first;
      place.row += step / kSteps * Traits::kBlockStep;
      place.column += step % kSteps * kColumns;
      if (WarpUniform(place.row >= place.rows)) return;
      if (WarpUniform(place.column >= args.n)) continue;
#pragma unroll
      for (int i = 0; i < Traits::kBlocksM * kSteps; ++i) {
        if (i == step) Base::template StageAccumulators<kColumns>(0, acc + i * kCount);
      }
      StoreStaged(args, place, kColumns);
    }
  }
};

}  // namespace jaxgemm
