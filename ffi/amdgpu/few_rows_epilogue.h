// The epilogue of tiles whose waves divide k: after they have added up their partial sums
// (few_rows_mainloop.h), a thread has four columns of one or two rows and stores them.
#pragma once

#include "amdgpu/few_rows_mainloop.h"
#include "amdgpu/half_epilogue.h"
#include "amdgpu/tile_rows.h"
#include "kernel/row_epilogue.h"

namespace jaxgemm {

// The logarithm of the bytes of an element of out, for what StoresFours (plain_product.h) allows.
JAXGEMM_AMD int LogBytes(const GemmArgs& args) {
  return args.out_dtype == DType::kF32 || args.out_dtype == DType::kS32 ? 2 : 1;
}

// Where a thread stores its groups of four columns, for what StoresFours (plain_product.h) allows:
// in column `col`, in the tile's row `row` and those that are kRowsAtOnce apart. Rows and columns
// outside of out are outside of the resource.
template <class Traits>
struct FoursOfThread {
  static constexpr int kFours = Traits::kTileN / 4;
  static constexpr int kRowsAtOnce = Traits::kSumThreads / kFours;

  int log_bytes;  // of an element
  uint32_t row, col, rows_of_tile, row_bytes, offset;
  __amdgpu_buffer_rsrc_t resource;

  JAXGEMM_AMD FoursOfThread(const GemmArgs& args, const WorkTile& tile, Ragged ragged,
                            int log_bytes)
      : log_bytes(log_bytes) {
    const auto n = static_cast<uint32_t>(args.n);
    row_bytes = n << log_bytes;
    const auto [rows, row_of_out] = RowsOfOut(args, tile, ragged);
    const int64_t first_row = int64_t{tile.m} * Traits::kTileM, rows_left = rows - first_row;
    rows_of_tile = static_cast<uint32_t>(rows_left < Traits::kTileM ? rows_left : Traits::kTileM);
    resource = __builtin_amdgcn_make_buffer_rsrc(
        static_cast<char*>(args.out) + (row_of_out + first_row) * row_bytes, 0,
        rows_of_tile * row_bytes, kDataFormat32);
    const int thread = ThreadId();
    row = thread / kFours;
    col = tile.n * Traits::kTileN + thread % kFours * 4;
    offset = col < n ? row * row_bytes + (col << log_bytes) : kOutsideBuffer;
  }
  JAXGEMM_AMD void Store16(int i, Vec4<uint16_t> four) const {
    __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(Vec8, four), resource,
                                          offset + i * kRowsAtOnce * row_bytes, 0, 0);
  }
  JAXGEMM_AMD void Store32(int i, Vec16 four) const {
    __builtin_amdgcn_raw_buffer_store_b128(four, resource, offset + i * kRowsAtOnce * row_bytes, 0,
                                           0);
  }
  // Stores a result of 16 bits to which nothing is applied, in one block of code. Returns false if
  // an accumulator may be NaN that has no short conversion.
  template <bool kBf16>
  JAXGEMM_AMD bool StoreRounded(const typename Traits::Sums& sums) const {
    if constexpr (Traits::kLhs != DType::kS8 && kBf16 && !kConvertsNan) {
      if (MayHaveNan(sums)) return false;
    }
#pragma unroll
    for (int i = 0; i < Traits::kSumsM; ++i) {
      Store16(i, ConvertNumbers16<kBf16>(Convert4<float>(sums[i][0])));
    }
    return true;
  }
};

// Stores a tile. The thread's accumulators are in `sums` or, if `loaded` is not null, in memory.
// All threads call this.
template <class Traits>
JAXGEMM_AMD void StoreFewRows(const GemmArgs& args, const WorkTile& tile,
                              typename Traits::Sums& sums, const typename Traits::Sum4* loaded,
                              Lds* lds) {
  using Sum4 = typename Traits::Sum4;
  using LdsSum4 = __attribute__((address_space(3))) Sum4;
  constexpr int kFours = Traits::kTileN / 4;
  const TileEpilogue epilogue(args, tile, args.groups.ragged);
  // In a tile of 16 rows some threads have no sums; it leaves these products to the loop.
  if (StoresFours(args, Traits::kLhs, Traits::kTileM) && Traits::kSumThreads == Traits::kThreads) {
    const FoursOfThread<Traits> fours(args, tile, args.groups.ragged, LogBytes(args));
    if (IsOnlyRounded(fours.log_bytes, loaded != nullptr, epilogue.HasVectors(),
                      epilogue.activation)) {
      const bool bf16 = args.out_dtype == DType::kBF16;
      if (bf16 ? fours.template StoreRounded<true>(sums)
               : fours.template StoreRounded<false>(sums)) {
        return;
      }
    }
  }
  auto* staged = reinterpret_cast<LdsSum4*>(lds);
  // In a gated product's tile, 16 columns of the gate and 16 of the up projection alternate.
  const bool gated = args.gated;
  if (gated) {
    Barrier();
#pragma unroll
    for (int i = 0; i < Traits::kSumsM; ++i) {
      const int at = i * Traits::kSumThreads;
      if (Traits::HasSums()) staged[at + ThreadId()] = loaded ? loaded[at] : sums[i][0];
    }
    Barrier();
  }
  const auto [rows, row_of_out] = RowsOfOut(args, tile);
  const int64_t first_of_group = args.groups.ragged == Ragged::kM ? tile.origin : 0;
  const int fours = gated ? kFours / 2 : kFours;
#pragma clang loop unroll(disable)
  for (int i = 0; i < Traits::kSumsM; ++i) {
    const int index = i * Traits::kSumThreads + ThreadId();
    const int row_of_tile = index / fours, four = index % fours;
    const int64_t col = (int64_t{tile.n} * Traits::kTileN >> (gated ? 1 : 0)) + 4 * four;
    const int gate = row_of_tile * kFours + four / 4 * 8 + four % 4;
    const int64_t row = int64_t{tile.m} * Traits::kTileM + row_of_tile;
    if (!Traits::HasSums() || row_of_tile >= Traits::kTileM || row >= rows || col >= args.n) {
      continue;
    }
    Sum4 sum;
    if (gated) {
      sum = staged[gate];
    } else if (loaded) {
      sum = loaded[i * Traits::kSumThreads];
    } else {
      // Registers cannot be indexed at run time.
#pragma unroll
      for (int j = 0; j < Traits::kSumsM; ++j) {
        if (j == i) sum = sums[j][0];
      }
    }
    const int count = args.n - col < 4 ? static_cast<int>(args.n - col) : 4;
    StoreRow<Traits::kLhs == DType::kS8>(
        args, epilogue, ColumnVectors(epilogue, col, count),
        RowVector::Load(args, epilogue, first_of_group + row), row_of_out + row, args.n, col, count,
        args.n % 4 == 0, sum, [&]() __attribute__((always_inline)) { return staged[gate + 4]; });
  }
}

// The same as StoreFewRows in fewer instructions, for RunOneTile (gemm.h) and what StoresFours
// (plain_product.h) allows. Only threads that HasSums() call this.
template <class Traits>
JAXGEMM_AMD void StoreFours(const GemmArgs& args, const WorkTile& tile,
                            const typename Traits::Sums& sums) {
  using Sum4 = typename Traits::Sum4;
  const FoursOfThread<Traits> fours(args, tile, Ragged::kNone, LogBytes(args));
  const TileEpilogue epilogue(args, tile, Ragged::kNone);
  const DType out = args.out_dtype;
  const ColumnVectors vectors(epilogue, fours.col < args.n ? fours.col : 0, 4);
#pragma unroll
  for (int i = 0; i < Traits::kSumsM; ++i) {
    const uint32_t row = fours.row + i * fours.kRowsAtOnce;
    Sum4 sum = sums[i][0];
    Vec4<float> value = Convert4<float>(sum);
    if (epilogue.HasVectors()) {
      if constexpr (Traits::kLhs == DType::kS8) {
        if (out == DType::kS32) sum += __builtin_bit_cast(Sum4, vectors.bias);
      }
      value = vectors.Apply(
          sum, row < fours.rows_of_tile
                   ? RowVector::Load(args, epilogue, int64_t{tile.m} * Traits::kTileM + row)
                   : RowVector::None());
    }
    WithActivation(epilogue.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
      for (int j = 0; j < 4; ++j) value[j] = activate(value[j]);
    });
    if (fours.log_bytes == 2) {
      fours.Store32(i, Traits::kLhs == DType::kS8 && out == DType::kS32
                           ? __builtin_bit_cast(Vec16, sum)
                           : __builtin_bit_cast(Vec16, value));
    } else {
      fours.Store16(i, Convert16(out == DType::kBF16, value));
    }
  }
}

}  // namespace jaxgemm
