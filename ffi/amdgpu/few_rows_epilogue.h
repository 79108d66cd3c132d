// The epilogue of tiles with 16 rows, whose waves divide k: after they have added up their partial
// sums (few_rows_mainloop.h), a thread has four columns of one row and stores them.
#pragma once

#include "amdgpu/few_rows_mainloop.h"
#include "amdgpu/half_epilogue.h"
#include "amdgpu/tile_rows.h"
#include "kernel/row_epilogue.h"

namespace jaxgemm {

// Stores a tile. The thread's accumulators are in `sums` or, if `loaded` is not null, in memory.
// All threads call this.
template <class Traits>
JAXGEMM_AMD void StoreFewRows(const GemmArgs& args, const WorkTile& tile,
                              typename Traits::Sums& sums, const typename Traits::Sum4* loaded,
                              Lds* lds) {
  using Sum4 = typename Traits::Sum4;
  using LdsSum4 = __attribute__((address_space(3))) Sum4;
  constexpr int kFours = Traits::kTileN / 4;
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
  const TileEpilogue epilogue(args, tile, args.groups.ragged);
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

// The same as StoreFewRows in fewer instructions, for what StoresFours (plain_product.h) allows.
template <class Traits>
JAXGEMM_AMD void StoreFours(const GemmArgs& args, const WorkTile& tile,
                            const typename Traits::Sums& sums,
                            const typename Traits::Sum4* loaded) {
  if (!Traits::HasSums()) return;
  using Sum4 = typename Traits::Sum4;
  using Vec8 = uint32_t __attribute__((ext_vector_type(2)));
  constexpr int kFours = Traits::kTileN / 4;
  constexpr int kRowsAtOnce = Traits::kSumThreads / kFours;
  const DType out = args.out_dtype;
  const int log_bytes = out == DType::kF32 || out == DType::kS32 ? 2 : 1;
  const auto n = static_cast<uint32_t>(args.n), row_bytes = n << log_bytes;
  const auto [rows, row_of_out] = RowsOfOut(args, tile);
  const int64_t first_row = int64_t{tile.m} * Traits::kTileM, rows_left = rows - first_row;
  const auto rows_of_tile =
      static_cast<uint32_t>(rows_left < Traits::kTileM ? rows_left : Traits::kTileM);
  const uint32_t row = ThreadId() / kFours;
  uint32_t col = tile.n * Traits::kTileN + ThreadId() % kFours * 4;
  const auto resource = __builtin_amdgcn_make_buffer_rsrc(
      static_cast<char*>(args.out) + (row_of_out + first_row) * row_bytes, 0,
      rows_of_tile * row_bytes, kDataFormat32);
  const uint32_t offset = col < n ? row * row_bytes + (col << log_bytes) : kOutsideBuffer;
  const TileEpilogue epilogue(args, tile, args.groups.ragged);
  const bool has_vectors = epilogue.HasVectors();
  auto store16 = [&](int i, Vec4<uint16_t> four) __attribute__((always_inline)) {
    __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(Vec8, four), resource,
                                          offset + i * kRowsAtOnce * row_bytes, 0, 0);
  };
  if (IsOnlyRounded(log_bytes, loaded != nullptr, has_vectors, epilogue.activation)) {
    // What is most common is one block of code.
    auto store = [&](auto convert) __attribute__((always_inline)) {
#pragma unroll
      for (int i = 0; i < Traits::kSumsM; ++i) {
        store16(i, convert(Convert4<float>(sums[i][0])));
      }
    };
    if (out == DType::kF16) return store([](auto x) { return ConvertNumbers16<false>(x); });
    bool may_have_nan = false;
    if constexpr (Traits::kLhs != DType::kS8 && !kConvertsNan) may_have_nan = MayHaveNan(sums);
    if (!may_have_nan) return store([](auto x) { return ConvertNumbers16<true>(x); });
  }
  if (col >= n) col = 0;
  const ColumnVectors vectors(epilogue, col, 4);
  const int64_t first_vector = (args.groups.ragged == Ragged::kM ? tile.origin : 0) + first_row;
#pragma unroll
  for (int i = 0; i < Traits::kSumsM; ++i) {
    const uint32_t its_row = row + i * kRowsAtOnce;
    Sum4 sum = loaded ? loaded[i * Traits::kSumThreads] : sums[i][0];
    Vec4<float> value = Convert4<float>(sum);
    if (has_vectors) {
      if constexpr (Traits::kLhs == DType::kS8) {
        if (out == DType::kS32) sum += __builtin_bit_cast(Sum4, vectors.bias);
      }
      value = vectors.Apply(sum, its_row < rows_of_tile
                                     ? RowVector::Load(args, epilogue, first_vector + its_row)
                                     : RowVector::None());
    }
    WithActivation(epilogue.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
      for (int j = 0; j < 4; ++j) value[j] = activate(value[j]);
    });
    if (log_bytes == 2) {
      const auto bits = Traits::kLhs == DType::kS8 && out == DType::kS32
                            ? __builtin_bit_cast(Vec16, sum)
                            : __builtin_bit_cast(Vec16, value);
      __builtin_amdgcn_raw_buffer_store_b128(bits, resource, offset + i * kRowsAtOnce * row_bytes,
                                             0, 0);
    } else {
      store16(i, Convert16(out == DType::kBF16, value));
    }
  }
}

}  // namespace jaxgemm
