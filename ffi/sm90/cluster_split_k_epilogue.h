// A variant of sm90/epilogue.h for cluster split-K: each peer stores the fragments that it owns.
#pragma once

#include "sm90/epilogue.h"

namespace jaxgemm {

template <class Traits>
class ClusterSplitKEpilogue : public Epilogue<Traits> {
  using Base = Epilogue<Traits>;
  using Base::AtMost;
  using Base::kWarpM;
  using Base::kWarps;
  using Base::Lane;
  using Base::LoadRows;
  using Base::PlaceOf;
  using Base::shared_;
  using Base::StoreVec4;
  using Base::Warp;
  using typename Base::Pair, typename Base::Place, typename Base::RowVectors, typename Base::Acc;

 public:
  using Base::Base;

  // Stores the fragments that this peer owns. All that can be computed in advance is done before
  // it waits for the other peers' partial sums.
  template <class Exchange>
  JAXGEMM_SM90 void StoreOwned(const GemmArgs& args, const TensorMaps& maps, const WorkTile& tile,
                               const Exchange& exchange) {
    const Place place = PlaceOf(args, tile, Warp() * kWarpM);
    const int64_t row = place.row + Lane() / 4, column = place.column + Lane() % 4 * 2;
    const int rows = AtMost(place.rows - row, kWarpM);
    const int columns = AtMost(args.n - column, Traits::kTileN);
    if constexpr (!Traits::kInteger) {
      if (maps.stores_unstaged && !args.preact) {
        return StoreOwnedFloats(args, place, row, rows, column, columns, exchange);
      }
    }
    exchange.Wait();
#pragma unroll 1
    for (int fragment = exchange.first(); fragment < exchange.end() && fragment * 8 < columns;
         ++fragment) {
      Vec4<Acc> acc[1];
      exchange.AddUp(fragment, acc);
#pragma unroll 1
      for (int half = 0; half < 2; ++half) {
        if (half * 8 >= rows) continue;
        const Vec4<Acc> pair{{half ? acc[0][2] : acc[0][0], half ? acc[0][3] : acc[0][1]}};
        StoreVec4(args, place, row + half * 8, column + fragment * 8,
                  AtMost(columns - fragment * 8, 2),
                  /*aligned=*/false, pair, [&] { return pair; });
      }
    }
  }

  // For kernels that compute out^T: stores a tile that this CTA has whole, if its epilogue is a
  // cast or vectors of columns. False: StoreTransposed must store it.
  JAXGEMM_SM90 bool StoreWholeTransposed(const GemmArgs& args, const WorkTile& tile,
                                         Acc (&acc)[Traits::kAccs]) {
    if (WarpUniform(!StoresLines(args) || args.row_scale || args.activation != Activation::kNone)) {
      return false;
    }
    const Place place = PlaceOf(args, tile, Warp() * kWarpM);
    if (WarpUniform(place.epilogue.HasColumnVectors())) {
      const ColumnPair columns = LoadColumns(args, place);
#pragma unroll
      for (int i = 0; i < Traits::kAccs; ++i) {
        acc[i] = (i % 4 < 2 ? columns.upper : columns.lower).Apply(acc[i]);
      }
    }
    AwaitRhs();
#pragma unroll
    for (int fragment = 0; fragment < Traits::kFragments; ++fragment)
      StageFragment(fragment, acc + 4 * fragment);
    StoreLines(args, tile);
    return true;
  }

  // As StoreOwned, for kernels that compute out^T, of which args.m and args.n are the sizes: a lane
  // has four columns of a row of out.
  template <class Exchange>
  JAXGEMM_SM90 void StoreTransposed(const GemmArgs& args, const WorkTile& tile,
                                    const Exchange& exchange) {
    // The usual paths come first, because code is fetched as it is executed.
    if constexpr (!Traits::kInteger) {
      if (WarpUniform(args.m % 4 == 0 && IsWideFloat(args.out_dtype) && !args.accumulate &&
                      !args.preact)) [[likely]] {
        return StoreTransposedFloats(args, tile, exchange);
      }
    }
    const Place place = PlaceOf(args, tile, Warp() * kWarpM);
    const int64_t column = place.row + Lane() % 4 * 4;
    const int count = AtMost(args.m - column, 4);
    const int64_t first_row = place.column + Lane() / 4;
    const ColumnVectors vectors(place.epilogue, column, count);
    exchange.Wait();
    if (count <= 0) return;
#pragma unroll 1
    for (int fragment = exchange.first(); fragment < exchange.end(); ++fragment) {
      const int64_t row = first_row + fragment * 8;
      if (row >= args.n) return;
      Vec4<Acc> acc[1];
      exchange.AddUp(fragment, acc);
      StoreRow<Traits::kInteger>(args, place.epilogue, vectors,
                                 RowVector::Load(args, place.epilogue, row), place.z * args.n + row,
                                 args.m, column, count, /*aligned=*/args.m % 4 == 0, acc[0],
                                 [&] { return acc[0]; });
    }
  }

 private:
  // Kernels of out^T can store 16-bit results in lines of 128 bytes, a row of a warpgroup's 64
  // columns. The results go through a stage of rhs, which has a line for each row of out.
  static_assert(!Traits::kTransposed || Traits::kRhsRows >= Traits::kTileN);
  static JAXGEMM_SM90 bool StoresLines(const GemmArgs& args) {
    return args.m % 8 == 0 && args.out_dtype == PlainOut(Traits::kLhs) && !args.accumulate &&
           !args.preact;
  }
  JAXGEMM_SM90 int Warpgroup() const { return Warp() / kWarps; }
  JAXGEMM_SM90 char* StagedLines() const { return shared_.rhs[Warpgroup()]; }
  // Waits until all consumers have read rhs.
  static JAXGEMM_SM90 void AwaitRhs() {
    BarSync(kConsumersBarrier, Traits::kConsumers * kWarpgroupSize);
  }
  // Stages a fragment of this warp: its 16 columns of eight rows of out. Vectors of 16 bytes are
  // swizzled, so that neither writes nor reads have bank conflicts.
  JAXGEMM_SM90 void StageFragment(int fragment, const Acc* acc) const {
    const int row = Lane() % 8, vector = Warp() % kWarps * 2 + Lane() / 8 % 2;
    StMatrixX2Trans(
        SharedAddress(StagedLines()) + (fragment * 8 + row) * kRowBytes + (vector ^ row) * 16,
        CvtRnX2(Base::kPlainBf16, acc[0], acc[1]), CvtRnX2(Base::kPlainBf16, acc[2], acc[3]));
  }
  // Stores the staged rows.
  JAXGEMM_SM90 void StoreLines(const GemmArgs& args, const WorkTile& tile) const {
    constexpr int kVectors = kRowBytes / 16, kRowsAtOnce = kWarpgroupSize / kVectors;
    const Place place = PlaceOf(args, tile, Warpgroup() * Traits::kWgmmaM);
    const int thread = ThreadId() % kWarpgroupSize, vector = thread % kVectors;
    const int64_t column = place.row + vector * 8;
    const int rows = column < args.m ? AtMost(args.n - place.column, Traits::kTileN) : 0;
    char* out =
        static_cast<char*>(args.out) + ((place.z * args.n + place.column) * args.m + column) * 2;
    WarpgroupBarrier(Warpgroup());
#pragma unroll 4
    for (int row = thread / kVectors; row < rows; row += kRowsAtOnce) {
      *reinterpret_cast<uint4*>(out + int64_t{row} * args.m * 2) = *reinterpret_cast<const uint4*>(
          StagedLines() + row * kRowBytes + (vector ^ row % 8) * 16);
    }
  }
  // The vectors of the two columns of out that a lane has in kernels of out^T.
  struct ColumnPair {
    ColumnVector upper, lower;
  };
  JAXGEMM_SM90 ColumnPair LoadColumns(const GemmArgs& args, const Place& place) const {
    const int64_t column = place.row + Lane() / 4, last = args.m - 1;
    return {ColumnVector::Load(place.epilogue, column < last ? column : last),
            ColumnVector::Load(place.epilogue, column + 8 < last ? column + 8 : last)};
  }
  // Stores pairs of columns; `rows` and `columns` are how many are left from this lane's first
  // ones.
  template <class Exchange>
  JAXGEMM_SM90 void StoreOwnedFloats(const GemmArgs& args, const Place& place, int64_t row,
                                     int rows, int64_t column, int columns,
                                     const Exchange& exchange) {
    constexpr int kAtOnce = 4;  // fragments; a tuning constant
    const bool wide = args.out_dtype == DType::kF32, bf16 = args.out_dtype == DType::kBF16;
    const bool has_vectors = place.epilogue.HasColumnVectors();
    const int element = wide ? sizeof(float) : sizeof(uint16_t);
    const int64_t next = 8 * args.n * element;  // bytes between the halves' rows
    char* line =
        static_cast<char*>(args.out) + ((place.z * args.m + row) * args.n + column) * element;
    // This makes the compiler compute these values here, before the wait.
    asm volatile("" ::"l"(line), "l"(next), "r"(rows), "r"(columns), "r"(int{bf16}));
    const RowVectors row_vectors = LoadRows(args, place);
    bool waited = false;
#pragma unroll 1
    for (int first = exchange.first(); first < exchange.end(); first += kAtOnce) {
      ColumnVector vectors[2 * kAtOnce];
      if (has_vectors) {
#pragma unroll
        for (int i = 0; i < 2 * kAtOnce; ++i) {
          const int in_tile = (first + i / 2) * 8 + i % 2;
          vectors[i] = in_tile < columns ? ColumnVector::Load(place.epilogue, column + in_tile)
                                         : ColumnVector{};
        }
      }
      if (!waited) exchange.Wait();
      waited = true;
      Vec4<Acc> fragments[kAtOnce];
      exchange.AddUp(first, fragments);
      if (place.epilogue.HasRowVectors()) {
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          Base::template ApplyRows<4>(row_vectors, fragments[i].values);
      }
      if (has_vectors) {
#pragma unroll
        for (int i = 0; i < 4 * kAtOnce; ++i) {
          Acc& value = fragments[i / 4][i % 4];
          value = vectors[i / 4 * 2 + i % 2].Apply(value);
        }
      }
      Activate(place.epilogue.activation, fragments);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int fragment = first + i;
        if (fragment >= exchange.end() || fragment * 8 >= columns) break;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const Acc low = fragments[i][2 * half], high = fragments[i][2 * half + 1];
          if (half * 8 >= rows) continue;
          char* at = line + half * next + fragment * 8 * element;
          if (wide) {
            *reinterpret_cast<Pair*>(at) = {{low, high}};
          } else {
            *reinterpret_cast<uint32_t*>(at) = CvtRnX2(bf16, low, high);
          }
        }
      }
    }
  }
  // Stores four columns of each row. All four exist, or none of them (count <= 0).
  template <class Exchange>
  JAXGEMM_SM90 void StoreTransposedFloats(const GemmArgs& args, const WorkTile& tile,
                                          const Exchange& exchange) {
    const Place place = PlaceOf(args, tile, Warp() * kWarpM);
    const int64_t column = place.row + Lane() % 4 * 4, first_row = place.column + Lane() / 4;
    const int count = AtMost(args.m - column, 4);
    const ColumnVectors vectors(place.epilogue, column, count);
    constexpr int kAtOnce = Traits::kFragments < 4 ? Traits::kFragments : 4;
    const bool wide = args.out_dtype == DType::kF32, bf16 = args.out_dtype == DType::kBF16;
    const int element = wide ? sizeof(float) : sizeof(uint16_t);
    const int64_t next = 8 * args.m * element;  // bytes between rows of consecutive fragments
    const int rows = AtMost(args.n - first_row, Traits::kTileN);
    char* line =
        static_cast<char*>(args.out) + ((place.z * args.n + first_row) * args.m + column) * element;
    // This makes the compiler compute these values here, before the wait.
    asm volatile("" ::"l"(line), "l"(next), "r"(rows), "r"(int{wide}), "r"(int{bf16}));
    exchange.Wait();
    if (count <= 0) return;
#pragma unroll 1
    for (int first = exchange.first(); first < exchange.end(); first += kAtOnce) {
      Vec4<Acc> fragments[kAtOnce];
      RowVector row_vectors[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int64_t row = first_row + (first + i) * 8;
        row_vectors[i] = RowVector::Load(args, place.epilogue, row < args.n ? row : args.n - 1);
      }
      exchange.AddUp(first, fragments);
      if (place.epilogue.HasVectors()) {
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          fragments[i] = vectors.Apply(fragments[i], row_vectors[i]);
      }
      Activate(place.epilogue.activation, fragments);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int fragment = first + i;
        if (fragment >= exchange.end() || fragment * 8 >= rows) break;
        const Vec4<float> value = Convert4<float>(fragments[i]);
        if (wide) {
          *reinterpret_cast<Vec4<float>*>(line + fragment * next) = value;
        } else {
          *reinterpret_cast<Vec4<uint16_t>*>(line + fragment * next) = Convert16(bf16, value);
        }
      }
    }
  }

  template <int kCount>
  static JAXGEMM_SM90 void Activate(Activation activation, Vec4<Acc> (&fragments)[kCount]) {
    WithActivation(activation, [&](auto activate) {
#pragma unroll
      for (int i = 0; i < 4 * kCount; ++i) {
        fragments[i / 4][i % 4] =
            static_cast<Acc>(activate(static_cast<float>(fragments[i / 4][i % 4])));
      }
    });
  }
};

}  // namespace jaxgemm
