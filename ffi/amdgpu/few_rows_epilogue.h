// A variant of amdgpu/epilogue.h for tiles in which the waves divide k. After the waves have added
// up their accumulators (few_rows_mainloop.h), a thread has four columns of one or two rows and
// stores them.
#pragma once

#include "amdgpu/few_rows_mainloop.h"
#include "amdgpu/half_epilogue.h"
#include "amdgpu/tile_rows.h"
#include "kernel/row_epilogue.h"

namespace jaxgemm {

// The logarithm of the bytes of an element of out, for what StoresVec4s (plain_product.h) allows.
JAXGEMM_AMD int LogBytes(const GemmArgs& args) {
  return args.out_dtype == DType::kF32 || args.out_dtype == DType::kS32 ? 2 : 1;
}

// Where a thread stores its groups of four columns, for what StoresVec4s (plain_product.h) allows:
// in column `col`, in the tile's row `row` and those that are kRowsAtOnce apart. Rows and columns
// outside of out are outside of the resource.
template <class Traits>
struct ThreadVec4s {
  static constexpr int kVec4s = Traits::kTileN / 4;
  static constexpr int kRowsAtOnce = Traits::kAccThreads / kVec4s;

  int log_bytes;  // of an element
  uint32_t row, col, rows_of_tile, row_bytes, offset;
  __amdgpu_buffer_rsrc_t resource;

  JAXGEMM_AMD ThreadVec4s(const GemmArgs& args, const WorkTile& tile, Ragged ragged, int log_bytes)
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
    row = thread / kVec4s;
    col = tile.n * Traits::kTileN + thread % kVec4s * 4;
    offset = col < n ? row * row_bytes + (col << log_bytes) : kOutsideBuffer;
  }
  JAXGEMM_AMD void Store16(int i, Vec4<uint16_t> vec4) const {
    __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(Vec8, vec4), resource,
                                          offset + i * kRowsAtOnce * row_bytes, 0, 0);
  }
  JAXGEMM_AMD void Store32(int i, Vec16 vec4) const {
    __builtin_amdgcn_raw_buffer_store_b128(vec4, resource, offset + i * kRowsAtOnce * row_bytes, 0,
                                           0);
  }
  // Stores a result of 16 bits to which nothing is applied, in one block of code. Returns false if
  // an accumulator may be NaN that has no short conversion.
  template <bool kBf16>
  JAXGEMM_AMD bool StoreRounded(const typename Traits::Accumulators& acc) const {
    if constexpr (Traits::kLhs != DType::kS8 && kBf16 && !kConvertsNan) {
      if (MayHaveNan(acc)) return false;
    }
#pragma unroll
    for (int i = 0; i < Traits::kAccM; ++i) {
      Store16(i, ConvertNumbers16<kBf16>(Convert4<float>(acc[i][0])));
    }
    return true;
  }
};

// Stores a tile. The thread's accumulators are in `acc` or, if `loaded` is not null, in memory. All
// threads call this.
template <class Traits>
JAXGEMM_AMD void StoreFewRows(const GemmArgs& args, const WorkTile& tile,
                              typename Traits::Accumulators& acc,
                              const typename Traits::Acc4* loaded, Lds* lds) {
  using Acc4 = typename Traits::Acc4;
  using LdsAcc4 = __attribute__((address_space(3))) Acc4;
  constexpr int kVec4s = Traits::kTileN / 4;
  const TileEpilogue epilogue(args, tile, args.groups.ragged);
  // In a tile of 16 rows some threads have no accumulators: the loop below stores these products.
  if (StoresVec4s(args, Traits::kLhs, Traits::kTileM) && Traits::kAccThreads == Traits::kThreads) {
    const ThreadVec4s<Traits> vec4s(args, tile, args.groups.ragged, LogBytes(args));
    if (IsOnlyRounded(vec4s.log_bytes, loaded != nullptr, epilogue.HasVectors(),
                      epilogue.activation)) {
      const bool bf16 = args.out_dtype == DType::kBF16;
      if (bf16 ? vec4s.template StoreRounded<true>(acc) : vec4s.template StoreRounded<false>(acc)) {
        return;
      }
    }
  }
  auto* staged = reinterpret_cast<LdsAcc4*>(lds);
  // In a gated product's tile, 16 columns of the gate and 16 of the up projection alternate.
  const bool gated = args.gated;
  if (gated) {
    Barrier();
#pragma unroll
    for (int i = 0; i < Traits::kAccM; ++i) {
      const int at = i * Traits::kAccThreads;
      if (Traits::HasAccumulators()) staged[at + ThreadId()] = loaded ? loaded[at] : acc[i][0];
    }
    Barrier();
  }
  const auto [rows, row_of_out] = RowsOfOut(args, tile);
  const int64_t first_of_group = args.groups.ragged == Ragged::kM ? tile.origin : 0;
  const int vec4s = gated ? kVec4s / 2 : kVec4s;
#pragma clang loop unroll(disable)
  for (int i = 0; i < Traits::kAccM; ++i) {
    const int index = i * Traits::kAccThreads + ThreadId();
    const int row_of_tile = index / vec4s, vec4 = index % vec4s;
    const int64_t col = (int64_t{tile.n} * Traits::kTileN >> (gated ? 1 : 0)) + 4 * vec4;
    const int gate = row_of_tile * kVec4s + vec4 / 4 * 8 + vec4 % 4;
    const int64_t row = int64_t{tile.m} * Traits::kTileM + row_of_tile;
    if (!Traits::HasAccumulators() || row_of_tile >= Traits::kTileM || row >= rows ||
        col >= args.n) {
      continue;
    }
    Acc4 acc4;
    if (gated) {
      acc4 = staged[gate];
    } else if (loaded) {
      acc4 = loaded[i * Traits::kAccThreads];
    } else {
      // Registers cannot be indexed at run time.
#pragma unroll
      for (int j = 0; j < Traits::kAccM; ++j) {
        if (j == i) acc4 = acc[j][0];
      }
    }
    const int count = args.n - col < 4 ? static_cast<int>(args.n - col) : 4;
    StoreRow<Traits::kLhs == DType::kS8>(
        args, epilogue, ColumnVectors(epilogue, col, count),
        RowVector::Load(args, epilogue, first_of_group + row), row_of_out + row, args.n, col, count,
        args.n % 4 == 0, acc4, [&]() __attribute__((always_inline)) { return staged[gate + 4]; });
  }
}

// The same as StoreFewRows in fewer instructions, for RunOneTile (gemm.h) and what StoresVec4s
// (plain_product.h) allows. Only threads that HasAccumulators() call this.
template <class Traits>
JAXGEMM_AMD void StoreVec4s(const GemmArgs& args, const WorkTile& tile,
                            const typename Traits::Accumulators& acc) {
  using Acc4 = typename Traits::Acc4;
  const ThreadVec4s<Traits> vec4s(args, tile, Ragged::kNone, LogBytes(args));
  const TileEpilogue epilogue(args, tile, Ragged::kNone);
  const DType out = args.out_dtype;
  const ColumnVectors vectors(epilogue, vec4s.col < args.n ? vec4s.col : 0, 4);
#pragma unroll
  for (int i = 0; i < Traits::kAccM; ++i) {
    const uint32_t row = vec4s.row + i * vec4s.kRowsAtOnce;
    Acc4 acc4 = acc[i][0];
    Vec4<float> value = Convert4<float>(acc4);
    if (epilogue.HasVectors()) {
      if constexpr (Traits::kLhs == DType::kS8) {
        if (out == DType::kS32) acc4 += __builtin_bit_cast(Acc4, vectors.bias);
      }
      value = vectors.Apply(
          acc4, row < vec4s.rows_of_tile
                    ? RowVector::Load(args, epilogue, int64_t{tile.m} * Traits::kTileM + row)
                    : RowVector::None());
    }
    WithActivation(epilogue.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
      for (int j = 0; j < 4; ++j) value[j] = activate(value[j]);
    });
    if (vec4s.log_bytes == 2) {
      vec4s.Store32(i, Traits::kLhs == DType::kS8 && out == DType::kS32
                           ? __builtin_bit_cast(Vec16, acc4)
                           : __builtin_bit_cast(Vec16, value));
    } else {
      vec4s.Store16(i, Convert16(out == DType::kBF16, value));
    }
  }
}

}  // namespace jaxgemm
