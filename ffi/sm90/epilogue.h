// The epilogue on Hopper. Each warp has 16 rows. How a product's results are stored, by the form's
// FormStore (forms.def):
//
//   - kCast: forms that ping-pong call StoreTile. The others store while the next tile is
//     multiplied (overlapped_store.h). Tiles with a number of columns that is no multiple of 64 are
//     stored from the registers (StorePlain).
//   - kVectors, and kCast with HasOnlyVectors: the same, after the vectors were applied in place.
//   - kGated, kWide: ApplyGate and StoreWide in fused_epilogue.h.
//   - kQuantized: quantized_epilogue.h.
//   - kFused (vectors, activation, float32 out): fused_epilogue.h changes the accumulators in
//     place. Results of 16 bits are then stored as with kCast; ApplyFused stores those of 32 bits
//     by TMA.
//   - kAny: with cluster split-K cluster_split_k_epilogue.h, else Store.
//
// TMA also adds results to a float32 out that is accumulated into. If out has a small or integer
// type, or unaligned rows, the accumulators are staged in shared memory: one short loop for all
// types of out stores four elements per lane.
#pragma once

#include "kernel/row_epilogue.h"
#include "sm90/tma_store.h"

namespace jaxgemm {

JAXGEMM_SM90 Vec4<uint16_t> Convert16(bool bf16, Vec4<float> value) {
  const uint32_t low = CvtRnX2(bf16, value[0], value[1]);
  const uint32_t high = CvtRnX2(bf16, value[2], value[3]);
  return {{static_cast<uint16_t>(low), static_cast<uint16_t>(low >> 16),
           static_cast<uint16_t>(high), static_cast<uint16_t>(high >> 16)}};
}

template <class Traits>
class Epilogue {
 protected:
  using Acc = typename Traits::Acc;
  static constexpr int kColumns = Traits::kStagedN;
  static constexpr int kWarpM = 16, kWarps = kWarpgroupSize / kWarpSize;
  using Boxes = OutBoxes<Traits>;
  using Packed = typename Boxes::Packed;
  static constexpr bool kPlainBf16 = PlainOut(Traits::kLhs) == DType::kBF16;
  struct alignas(2 * sizeof(Acc)) Pair {
    Acc values[2];
  };

 public:
  JAXGEMM_SM90 Epilogue(SharedMemory<Traits>& shared, int rank)
      : shared_(shared), thread_(ThreadId() - kWarpgroupSize), rank_(rank) {}

  JAXGEMM_SM90 void Store(const GemmArgs& args, const TensorMaps& maps, const WorkTile& tile,
                          Acc (&acc)[Traits::kAccs]) {
    const Place place = PlaceOf(args, tile, rank_ * Traits::kCtaM + Warp() * kWarpM);
    if (place.row >= place.rows) return;
    if constexpr (!Traits::kInteger) {
      if (maps.stores_unstaged && place.epilogue.HasRowVectors())
        ApplyRows<Traits::kAccs>(LoadRows(args, place), acc);
      if (maps.stores_unstaged) return StoreAccumulators(args, maps, place, acc);
    } else {
      if (IsPlainInteger(args, maps, place)) return StoreWideRows(args, maps, place, acc);
      AwaitBoxes();
    }
    StoreInColumnBlocks(args, place, acc);
  }

  // Plain forms: packs a tile's results for TMA. Returns false if TMA has nothing to store, because
  // the results are stored already or lie outside of out.
  JAXGEMM_SM90 bool PackPlain(const GemmArgs& args, const WorkTile& tile, const Acc* acc,
                              Packed& packed) {
    const Place place = PlaceOf(args, tile, rank_ * Traits::kCtaM + Warp() * kWarpM);
    // Tells ptxas that the branch is uniform in the warp, see SmemMainloop::Run in mainloop.h.
    if (WarpUniform(place.row >= place.rows)) return false;
    if (WarpUniform(!IsWhole(args, place))) {
      StoreTo<Traits::kAccs>(args, args.out, args.n, place, 0, args.n, acc);
      return false;
    }
    Pack(args, tile, acc, packed);
    return true;
  }
  JAXGEMM_SM90 void Pack(const GemmArgs& args, const WorkTile& tile, const Acc* acc,
                         Packed& packed) const {
    packed.template Pack<kPlainBf16>(acc);
    SetPlace(FirstPlace(args, tile), packed);
  }

  // Plain forms: each warp stores its 16 rows.
  JAXGEMM_SM90 void StoreAtOnce(const GemmArgs& args, const TensorMaps& maps, const WorkTile& tile,
                                const Acc (&acc)[Traits::kAccs]) {
    const Place place = FirstPlace(args, tile);
    if (WarpUniform(place.row >= place.rows)) return;
    if (WarpUniform(!IsWhole(args, place))) {
      return StoreTo<Traits::kAccs>(args, args.out, args.n, place, 0, args.n, acc);
    }
    const Boxes boxes(shared_, maps, thread_);
    Packed packed;
    SetPlace(place, packed);
#pragma unroll
    for (int i = 0; i < Boxes::kBoxes; ++i) {
      const uint32_t box = boxes.Free(i);
      packed.template PackBox<kPlainBf16>(acc, i);
      boxes.StoreBy(box, packed, i);
    }
  }

  // Plain forms of tiles with columns that do not fill boxes of 64: stores from the registers.
  JAXGEMM_SM90 void StorePlain(const GemmArgs& args, const WorkTile& tile, const Acc* acc) {
    const int warp = Traits::kIsPingPong ? Warp() % kWarps : Warp();
#pragma unroll
    for (int block = 0; block < Traits::kBlocksM; ++block) {
      const Place place =
          PlaceOf(args, tile, rank_ * Traits::kCtaM + block * Traits::kBlockStep + warp * kWarpM);
      // Tells ptxas that the branch is uniform in the warp, see SmemMainloop::Run in mainloop.h.
      if (WarpUniform(place.row >= place.rows)) return;
      StoreTo<Traits::kAccs>(args, args.out, args.n, place, 0, args.n, acc + block * Traits::kAccs);
    }
  }

  // For forms that ping-pong: stores while the other warpgroup multiplies. The CTA's last tile goes
  // through the stages that its warpgroup has read last; each warp has its own box there.
  template <class LastSlot>
  JAXGEMM_SM90 void StoreTile(const GemmArgs& args, const TensorMaps& maps, const WorkTile& tile,
                              const Acc* acc, bool is_last, const LastSlot& last_slot) {
    static_assert(Boxes::kBoxes <= kPingPongKTiles);
    const Boxes boxes(shared_, maps, thread_);
    if (is_last) WarpgroupBarrier(thread_ / kWarpgroupSize);
#pragma unroll
    for (int block = 0; block < Traits::kBlocksM; ++block) {
      Packed packed;
      const Place place =
          PlaceOf(args, tile,
                  rank_ * Traits::kCtaM + block * Traits::kBlockStep + Warp() % kWarps * kWarpM);
      // Tells ptxas that the branch is uniform in the warp, see SmemMainloop::Run in mainloop.h.
      if (WarpUniform(place.row >= place.rows)) return;
      if (WarpUniform(!IsWhole(args, place))) {
        StoreTo<Traits::kAccs>(args, args.out, args.n, place, 0, args.n,
                               acc + block * Traits::kAccs);
        continue;
      }
      SetPlace(place, packed);
#pragma unroll
      for (int i = 0; i < Boxes::kBoxes; ++i) {
        uint32_t box;
        if (is_last) {
          box = SharedAddress(shared_.lhs[0]) + last_slot(i) * Traits::kLhsBytes +
                (block * kWarps + Warp() % kWarps) * Boxes::kBytes;
        } else {
          box = boxes.Free(i);
        }
        packed.template PackBox<kPlainBf16>(acc + block * Traits::kAccs, i);
        boxes.StoreBy(box, packed, i);
      }
    }
  }

 protected:
  struct Place {
    int64_t row, rows;  // this warp's first row and the number of rows, in the group
    int64_t column;
    int64_t first_row;  // of the group
    Index z;
    TileEpilogue epilogue;
  };

  static JAXGEMM_SM90 Place PlaceOf(const GemmArgs& args, const WorkTile& tile, int row_in_tile) {
    const bool ragged_m = Traits::RaggedOf(args) == Ragged::kM;
    return {
        .row = int64_t{tile.m} * Traits::kTileM + row_in_tile,
        .rows = ragged_m ? tile.limit - tile.origin : args.m,
        .column = int64_t{tile.n} * (Traits::IsGated(args) ? Traits::kTileN / 2 : Traits::kTileN),
        .first_row = ragged_m ? tile.origin : 0,
        .z = Traits::RaggedOf(args) == Ragged::kK
                 ? tile.batch * args.groups.local_groups + tile.group
                 : tile.batch,
        .epilogue = TileEpilogue(args, tile, Traits::RaggedOf(args)),
    };
  }

  // The place of the first 64 rows that this warp's warpgroup has, and of the next ones.
  JAXGEMM_SM90 Place FirstPlace(const GemmArgs& args, const WorkTile& tile) const {
    const int warp = Traits::kIsPingPong ? Warp() % kWarps : Warp();
    return PlaceOf(args, tile, rank_ * Traits::kCtaM + warp * kWarpM);
  }
  static JAXGEMM_SM90 Place BlockPlace(Place place, int block) {
    place.row += block * Traits::kBlockStep;
    return place;
  }

  // Whether all rows of a box are in the group; else TMA cannot store it.
  static JAXGEMM_SM90 bool IsWhole(const GemmArgs& args, const Place& place) {
    return Traits::RaggedOf(args) != Ragged::kM || place.rows - place.row >= kWarpM;
  }
  static JAXGEMM_SM90 void SetPlace(const Place& place, Packed& packed) {
    packed.row = static_cast<int>(place.first_row + place.row);
    packed.column = static_cast<int>(place.column), packed.z = place.z;
  }

  static JAXGEMM_SM90 int AtMost(int64_t count, int most) {
    return count < most ? static_cast<int>(count) : most;
  }
  // Unsigned divisions take fewer instructions.
  JAXGEMM_SM90 int Lane() const { return static_cast<uint32_t>(thread_) % kWarpSize; }
  JAXGEMM_SM90 int Warp() const { return static_cast<uint32_t>(thread_) / kWarpSize; }

  // For the forms that call Store. Applies the epilogue, and stores by TMA, or from the registers
  // if TMA cannot store the tile.
  JAXGEMM_SM90 void StoreAccumulators(const GemmArgs& args, const TensorMaps& maps,
                                      const Place& place, Acc (&acc)[Traits::kAccs]) {
    const TileEpilogue& epilogue = place.epilogue;
    if (epilogue.HasColumnVectors()) ApplyColumns<Traits::kAccs>(args, place, acc);
    if (epilogue.activation != Activation::kNone || args.preact || args.gated) {
      StoreActivated(args, place, acc);
    } else if (!maps.out_valid || !IsWhole(args, place)) {
      StoreTo<Traits::kAccs>(args, args.out, args.n, place, 0, args.n, acc);
    } else if (args.out_dtype == DType::kF32) {
      StoreWideRows(args, maps, place, acc);
    } else if (args.out_dtype != DType::kBF16) {
      StoreBoxes<false>(maps, place, acc);
    } else {
      StoreBoxes<true>(maps, place, acc);
    }
  }
  template <bool kBf16>
  JAXGEMM_SM90 void StoreBoxes(const TensorMaps& maps, const Place& place,
                               Acc (&acc)[Traits::kAccs]) {
    Packed packed;
    packed.template Pack<kBf16>(acc);
    SetPlace(place, packed);
    const Boxes boxes(shared_, maps, thread_);
#pragma unroll
    for (int i = 0; i < Boxes::kBoxes; ++i) boxes.Store(packed, i);
  }

  // Waits until this warp's part of shared_.out is free: TMA has read the boxes of the tile before,
  // and all lanes have read what else was there.
  static JAXGEMM_SM90 void AwaitBoxes() {
    if (ElectSync()) TmaStoreWaitRead<0>();
    __syncwarp();
  }
  JAXGEMM_SM90 void StoreWideRows(const GemmArgs& args, const TensorMaps& maps, const Place& place,
                                  const Acc* acc) {
    const Boxes boxes(shared_, maps, thread_);
    boxes.StoreWideBoxes(acc, static_cast<int>(place.first_row + place.row),
                         static_cast<int>(place.column), place.z,
                         !Traits::kIsDense && !Traits::kInteger && args.accumulate);
  }
  // Whether TMA stores the accumulators of int8 as they are.
  static JAXGEMM_SM90 bool IsPlainInteger(const GemmArgs& args, const TensorMaps& maps,
                                          const Place& place) {
    return Boxes::kHasWide && maps.out_valid && args.out_dtype == DType::kS32 &&
           !place.epilogue.HasVectors() && IsWhole(args, place);
  }

  // The vectors of a lane's two rows: lane / 4 and lane / 4 + 8 of its warp's.
  struct RowVectors {
    RowVector upper, lower;
  };
  JAXGEMM_SM90 RowVectors LoadRows(const GemmArgs& args, const Place& place) const {
    const int row = Lane() / 4, rows = AtMost(place.rows - place.row, kWarpM);
    const int64_t at = place.first_row + place.row;
    return {RowVector::Load(args, place.epilogue, at + AtMost(row, rows - 1)),
            RowVector::Load(args, place.epilogue, at + AtMost(row + 8, rows - 1))};
  }
  template <int kCount>
  static JAXGEMM_SM90 void ApplyRows(RowVectors rows, Acc* acc) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) acc[i] = (i % 4 < 2 ? rows.upper : rows.lower).Apply(acc[i]);
  }

  // Gated tiles have the gate's accumulators first, then the up projection's.
  JAXGEMM_SM90 void StoreActivated(const GemmArgs& args, const Place& place,
                                   Acc (&acc)[Traits::kAccs]) {
    constexpr int kHalf = Traits::kAccs / 2;
    if (args.preact) {
      const int64_t length = args.gated ? 2 * args.n : args.n;
      StoreTo<kHalf>(args, args.preact, length, place, 0, args.n, acc);
      StoreTo<kHalf>(args, args.preact, length, place, args.gated ? args.n : Traits::kTileN / 2,
                     args.gated ? 2 * args.n : args.n, acc + kHalf);
    }
    WithActivation(place.epilogue.activation, [&](auto activate) {
#pragma unroll
      for (int i = 0; i < Traits::kAccs; ++i) acc[i] = InGate(args, i) ? activate(acc[i]) : acc[i];
    });
    if (args.gated) {
#pragma unroll
      for (int i = 0; i < kHalf; ++i) acc[i] *= acc[kHalf + i];
    }
    StoreTo<kHalf>(args, args.out, args.n, place, 0, args.n, acc);
    if (args.gated) return;
    StoreTo<kHalf>(args, args.out, args.n, place, Traits::kTileN / 2, args.n, acc + kHalf);
  }
  static JAXGEMM_SM90 bool InGate(const GemmArgs& args, int i) {
    return i < Traits::kAccs / 2 || !Traits::IsGated(args);
  }
  // The column of the vectors that belongs to a column of a tile's accumulators; beyond the end the
  // last one. In gated tiles the second half is the up projection's.
  static JAXGEMM_SM90 int64_t ColumnOf(const GemmArgs& args, const Place& place, int in_tile) {
    const bool up = !InGate(args, in_tile / 2);
    const int64_t column = place.column + in_tile + (up ? args.n - Traits::kTileN / 2 : 0);
    const int64_t end = up ? 2 * args.n : args.n;
    return column < end ? column : end - 1;
  }
  // Applies the columns' vectors to kCount accumulators, those of the columns from place.column on.
  template <int kCount>
  JAXGEMM_SM90 void ApplyColumns(const GemmArgs& args, const Place& place, Acc (&acc)[kCount]) {
    constexpr int kAtOnce = 8;  // columns with loads in flight at once
#pragma unroll
    for (int first = 0; first < kCount / 2; first += kAtOnce) {
      ColumnVector vectors[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int in_tile = (first + i) / 2 * 8 + Lane() % 4 * 2 + i % 2;
        vectors[i] = ColumnVector::Load(place.epilogue, ColumnOf(args, place, in_tile));
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        Acc* column = acc + (first + i) / 2 * 4 + i % 2;
        column[0] = vectors[i].Apply(column[0]), column[2] = vectors[i].Apply(column[2]);
      }
    }
  }

  // Stores kCount accumulators to rows of `length` elements, from column `first` of the tile on, up
  // to `end`.
  template <int kCount>
  JAXGEMM_SM90 void StoreTo(const GemmArgs& args, void* base, int64_t length, const Place& place,
                            int64_t first, int64_t end, const Acc* acc) {
    const int64_t row = place.row + Lane() / 4;
    const int64_t at = (place.z * args.m + place.first_row + row) * length;
    const int rows =
        place.rows - row < 9 ? place.rows - row < 1 ? 0 : 1 : 2;  // how many of rows 0 and 8 exist
    if (Traits::OutOf(args) == DType::kF32) {
      StorePairs<kCount>(static_cast<Acc*>(base) + at, length, place.column + first, end, rows,
                         acc);
    } else {
      StoreLines<kCount>(static_cast<uint16_t*>(base) + at, length, place.column + first, end, rows,
                         Traits::OutOf(args) == DType::kBF16, acc);
    }
  }
  // Four lanes exchange pairs of columns, so that each has eight neighbouring columns, 16 bytes:
  // lane q gets the q-th of four blocks of eight columns.
  template <int kCount>
  JAXGEMM_SM90 void StoreLines(uint16_t* line, int64_t length, int64_t column, int64_t end,
                               int rows, bool bf16, const Acc* acc) {
    const int quad = Lane() % 4;
    column += quad * 8;
#pragma unroll
    for (int group = 0; group < kCount / 16; ++group) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        uint32_t pairs[4];
#pragma unroll
        for (int block = 0; block < 4; ++block) {
          const Acc* pair = acc + 16 * group + 4 * block + 2 * half;
          pairs[block] = CvtRnX2(bf16, pair[0], pair[1]);
        }
        Trade(quad & 1, 1, pairs[0], pairs[1]);
        Trade(quad & 1, 1, pairs[2], pairs[3]);
        Trade(quad & 2, 2, pairs[0], pairs[2]);
        Trade(quad & 2, 2, pairs[1], pairs[3]);
        if (half < rows && column + 32 * group < end) {
          *reinterpret_cast<uint4*>(line + 8 * half * length + column + 32 * group) = {
              pairs[0], pairs[1], pairs[2], pairs[3]};
        }
      }
    }
    if constexpr (kCount % 16 != 0) {
      StoreHalfLines(line, length, column - quad * 8 + kCount / 16 * 32, end, rows, bf16,
                     acc + kCount / 16 * 16);
    }
  }
  // As StoreLines, for 16 columns: a lane gets four neighbouring columns, 8 bytes.
  JAXGEMM_SM90 void StoreHalfLines(uint16_t* line, int64_t length, int64_t column, int64_t end,
                                   int rows, bool bf16, const Acc* acc) {
    const int quad = Lane() % 4;
    column += quad % 2 * 8 + quad / 2 * 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint32_t pairs[2];
#pragma unroll
      for (int block = 0; block < 2; ++block) {
        const Acc* pair = acc + 4 * block + 2 * half;
        pairs[block] = CvtRnX2(bf16, pair[0], pair[1]);
      }
      Trade(quad & 1, 1, pairs[0], pairs[1]);
      if (half < rows && column < end) {
        *reinterpret_cast<uint2*>(line + 8 * half * length + column) = {pairs[0], pairs[1]};
      }
    }
  }
  // Exchanges `b` (upper lanes: `a`) with the lane that is `distance` away.
  static JAXGEMM_SM90 void Trade(bool upper, int distance, uint32_t& a, uint32_t& b) {
    const uint32_t theirs = __shfl_xor_sync(~0u, upper ? a : b, distance);
    (upper ? a : b) = theirs;
  }
  // For float32: each lane stores its pairs of columns; four lanes store 32 bytes.
  template <int kCount>
  JAXGEMM_SM90 void StorePairs(Acc* line, int64_t length, int64_t column, int64_t end, int rows,
                               const Acc* acc) {
    column += Lane() % 4 * 2;
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) {
      if (i % 2 < rows && column + i / 2 * 8 < end) {
        *reinterpret_cast<Pair*>(line + i % 2 * 8 * length + column +
                                 i / 2 * 8) = {{acc[2 * i], acc[2 * i + 1]}};
      }
    }
  }

  // Stages kColumns columns of accumulators at a time; in a gated product one half of them is the
  // gate's, the other the up projection's.
  JAXGEMM_SM90 void StoreInColumnBlocks(const GemmArgs& args, const Place& place,
                                        Acc (&acc)[Traits::kAccs]) {
    const int columns = args.gated ? kColumns / 2 : kColumns;
    Place staged = place;
#pragma unroll 1
    for (int block = 0; block < Traits::kTileN / kColumns; ++block) {
      // Registers cannot be indexed at run time, so each block has a branch of its own.
#pragma unroll
      for (int i = 0; i < Traits::kTileN / kColumns; ++i) {
        if (i != block) continue;
        if (args.gated) {
          StageAccumulators<kColumns / 2>(0, acc + i * kColumns / 4);
          StageAccumulators<kColumns / 2>(kColumns / 2,
                                          acc + (Traits::kAccs + i * kColumns / 2) / 2);
        } else {
          StageAccumulators<kColumns>(0, acc + i * kColumns / 2);
        }
      }
      StoreStaged(args, staged, columns);
      staged.column += columns;
    }
  }
  // Stores what the warp has staged: `columns` columns of out from place.column on.
  JAXGEMM_SM90 void StoreStaged(const GemmArgs& args, const Place& place, int columns) {
    const bool aligned = args.n % 4 == 0;
    const int vec4s = columns / 4, vec4 = Lane() % vec4s;
    __syncwarp();
    const int64_t column = place.column + vec4 * 4;
    const int count = args.n - column < 4 ? static_cast<int>(args.n - column) : 4;
    // The code for a row is long, so the fused forms do not unroll it.
    [[maybe_unused]] constexpr int kAtOnce = Traits::kIsFused ? 1 : 2;
#pragma unroll kAtOnce
    for (int row = Lane() / vec4s; row < kWarpM; row += kWarpSize / vec4s) {
      const int64_t out_row = place.row + row;
      if (out_row >= place.rows || count <= 0) continue;
      StoreVec4(args, place, out_row, column, count, aligned, *At<Vec4<Acc>>(row, vec4 * 4),
                [&] { return *At<Vec4<Acc>>(row, vec4 * 4 + kColumns / 2); });
    }
    __syncwarp();
  }
  // Stages a thread's accumulators of kCount columns from column `first` on.
  template <int kCount>
  JAXGEMM_SM90 void StageAccumulators(int first, const Acc* acc) {
#pragma unroll
    for (int eight = 0; eight < kCount / 8; ++eight) {
      const int row = Lane() / 4, column = first + eight * 8 + Lane() % 4 * 2;
      *At<Pair>(row, column) = {{acc[4 * eight], acc[4 * eight + 1]}};
      *At<Pair>(row + 8, column) = {{acc[4 * eight + 2], acc[4 * eight + 3]}};
    }
  }

  // Consecutive rows lie in the same banks, so their groups of eight columns are swizzled.
  template <class Values>
  JAXGEMM_SM90 Values* At(int row, int column) {
    constexpr int kGroups = kColumns < 32 ? kColumns / 8 : 4;
    return reinterpret_cast<Values*>(shared_.out[Warp()] +
                                     (row * kColumns + (column ^ row % kGroups * 8)) * 4);
  }

  // Stores four columns of a row; load_up() is called in gated products only.
  template <class LoadUp>
  JAXGEMM_SM90 void StoreVec4(const GemmArgs& args, const Place& place, int64_t row, int64_t column,
                              int count, bool aligned, Vec4<Acc> acc, const LoadUp& load_up) {
    StoreRow<Traits::kInteger>(args, place.epilogue, ColumnVectors(place.epilogue, column, count),
                               RowVector::Load(args, place.epilogue, place.first_row + row),
                               place.z * args.m + place.first_row + row, args.n, column, count,
                               aligned, acc, load_up);
  }

  SharedMemory<Traits>& shared_;
  int thread_, rank_;  // thread among the CTA's consumers, CTA in its cluster
};

}  // namespace jaxgemm
