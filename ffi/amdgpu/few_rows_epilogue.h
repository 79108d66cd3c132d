// The epilogue of tiles with 16 rows, whose waves divide k: after they have added up their partial
// sums (few_rows_mainloop.h), a thread has four columns of one row and stores them.
#pragma once

#include "amdgpu/few_rows_mainloop.h"
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
  Sum4 sum = sums[0][0];
  if (loaded && Traits::HasSums()) sum = *loaded;
  int row_of_tile = ThreadId() / kFours, four = ThreadId() % kFours;
  auto* staged = reinterpret_cast<LdsSum4*>(lds);
  if (args.gated) {
    // In the tile, 16 columns of the gate and 16 of the up projection alternate.
    Barrier();
    if (Traits::HasSums()) staged[ThreadId()] = sum;
    Barrier();
    row_of_tile = ThreadId() / (kFours / 2), four = ThreadId() % (kFours / 2);
  }
  const int64_t col = (int64_t{tile.n} * Traits::kTileN >> (args.gated ? 1 : 0)) + 4 * four;
  const int gate = row_of_tile * kFours + four / 4 * 8 + four % 4;
  const auto [rows, row_of_out] = RowsOfOut(args, tile);
  const int64_t row = int64_t{tile.m} * Traits::kTileM + row_of_tile;
  if (row_of_tile >= Traits::kTileM || row >= rows || col >= args.n) return;
  if (args.gated) sum = staged[gate];
  const TileEpilogue epilogue(args, tile, args.groups.ragged);
  const int64_t first_of_group = args.groups.ragged == Ragged::kM ? tile.origin : 0;
  const int count = args.n - col < 4 ? static_cast<int>(args.n - col) : 4;
  StoreRow<Traits::kLhs == DType::kS8>(
      args, epilogue, ColumnVectors(epilogue, col, count),
      RowVector::Load(args, epilogue, first_of_group + row), row_of_out + row, args.n, col, count,
      args.n % 4 == 0, sum, [&]() __attribute__((always_inline)) { return staged[gate + 4]; });
}

// The same as StoreFewRows in fewer instructions, for RunOneTile (gemm.h) and what StoresFours
// allows.
template <class Traits>
JAXGEMM_AMD void StoreFours(const GemmArgs& args, const WorkTile& tile, typename Traits::Sum4 sum) {
  if (!Traits::HasSums()) return;
  using Sum4 = typename Traits::Sum4;
  using Vec8 = uint32_t __attribute__((ext_vector_type(2)));
  constexpr int kFours = Traits::kTileN / 4;
  const DType out = args.out_dtype;
  const int log_bytes = out == DType::kF32 || out == DType::kS32 ? 2 : 1;
  const auto n = static_cast<uint32_t>(args.n), row_bytes = n << log_bytes;
  const uint32_t row = ThreadId() / kFours;
  uint32_t col = tile.n * Traits::kTileN + ThreadId() % kFours * 4;
  const auto resource = __builtin_amdgcn_make_buffer_rsrc(
      args.out, 0, static_cast<uint32_t>(args.m) * row_bytes, kDataFormat32);
  const uint32_t offset = col < n ? row * row_bytes + (col << log_bytes) : kOutsideBuffer;
  const TileEpilogue epilogue(args, tile, Ragged::kNone);
  Vec4<float> value = Convert4<float>(sum);
  if (epilogue.HasVectors()) {
    if (col >= n) col = 0;
    const ColumnVectors vectors(epilogue, col, 4);
    if constexpr (Traits::kLhs == DType::kS8) {
      if (out == DType::kS32) sum += __builtin_bit_cast(Sum4, vectors.bias);
    }
    value =
        vectors.Apply(sum, row < args.m ? RowVector::Load(args, epilogue, row) : RowVector::None());
  }
  WithActivation(epilogue.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i] = activate(value[i]);
  });
  if (log_bytes == 2) {
    const auto bits = Traits::kLhs == DType::kS8 && out == DType::kS32
                          ? __builtin_bit_cast(Vec16, sum)
                          : __builtin_bit_cast(Vec16, value);
    __builtin_amdgcn_raw_buffer_store_b128(bits, resource, offset, 0, 0);
  } else {
    const auto bits = __builtin_bit_cast(Vec8, Convert16(out == DType::kBF16, value));
    __builtin_amdgcn_raw_buffer_store_b64(bits, resource, offset, 0, 0);
  }
}

}  // namespace jaxgemm
