// Rows in float8, transposed: a factor for each row, which the caller knows. A workgroup reads a
// tile of kColumnsTile rows, or parts of rows, and writes it from shared memory.
#pragma once

#include "routing/float8.h"

namespace jaxgemm {

inline constexpr int kQuads = kColumnsTile / 4;
// Words of four rows of a column; those of a column lie one after the other, but for a swizzle.
struct ColumnsShared {
  alignas(8) uint32_t words[kColumnsTile * kQuads];
};
// By it the lanes of a wave write to different banks, and words stay in pairs.
JAXGEMM_GPU int ColumnsSwizzle(int column) { return column / 8 * 2; }

// The codes of a column in four rows. NaN and infinities become NaN.
template <class Format>
JAXGEMM_GPU uint32_t ColumnToFloat8(const float (&x)[4], const float (&factors)[4]) {
  float products[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float product = FusedMultiplyAdd(x[i], factors[i], 0.0f * x[i]);
#if defined(__HIP__)
    constexpr float kMost = kLargest<Format>;  // Hopper's conversion saturates
    product = product > kMost ? kMost : product < -kMost ? -kMost : product;
#endif
    products[i] = product;
  }
  return ToFloat8<Format>(products);
}

template <DType kType, class Format>
JAXGEMM_GPU void QuantizeColumns(const ColumnsArgs& args, ColumnsShared& shared) {
  constexpr int kElements = kVectorElements<kType>, kVectors = kColumnsTile / kElements;
  constexpr int kSteps = kVectors * kQuads / kColumnsThreads;
  const int64_t tiles = int64_t{args.row_tiles} * args.column_tiles;
  const int64_t batch = WorkgroupId() / tiles;
  const int in_batch = static_cast<int>(WorkgroupId() - batch * tiles);
  const int row_tile = in_batch / args.column_tiles;
  const int64_t first_column = int64_t{in_batch - row_tile * args.column_tiles} * kColumnsTile;
  const int64_t first_row = int64_t{row_tile} * kColumnsTile;
  const int32_t begin = args.bounds[2 * batch], end = args.bounds[2 * batch + 1];
  const Vector* x =
      static_cast<const Vector*>(args.x) + batch * args.num_lines * (args.columns / kElements);
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int index = step * kColumnsThreads + ThreadId();
    const int quad = index / kVectors, in_tile = index % kVectors * kElements;
    const int64_t column = first_column + in_tile;
    float values[4][kElements], factors[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int64_t row = first_row + 4 * quad + i;
      Vector vector{0, 0, 0, 0};
      factors[i] = 0.0f;
      if (column < args.columns && row < args.rows && begin <= row && row < end) {
        const int64_t of_batch = batch * args.rows + row;
        const int64_t line = args.lines ? args.lines[of_batch] : row;
        if (line >= 0 && line < args.num_lines) {
          vector = x[(line * args.columns + column) / kElements];
          factors[i] = args.factors[of_batch];
        }
      }
      Decode<kType>(vector, values[i]);
    }
#pragma unroll
    for (int i = 0; i < kElements; ++i) {
      const float four[4] = {values[0][i], values[1][i], values[2][i], values[3][i]};
      shared.words[(in_tile + i) * kQuads + (quad ^ ColumnsSwizzle(in_tile + i))] =
          ColumnToFloat8<Format>(four, factors);
    }
  }
  Barrier();
  constexpr int kPairs = kQuads / 2;
  auto* out = static_cast<uint8_t*>(args.out) + batch * args.columns * args.rows;
  for (int index = ThreadId(); index < kColumnsTile * kPairs; index += kColumnsThreads) {
    const int in_tile = index / kPairs, pair = index % kPairs;
    const int64_t column = first_column + in_tile, row = first_row + 8 * pair;
    if (column >= args.columns || row >= args.rows) continue;
    const uint32_t* words = shared.words + in_tile * kQuads + (2 * pair ^ ColumnsSwizzle(in_tile));
    *reinterpret_cast<uint64_t*>(out + column * args.rows + row) =
        *reinterpret_cast<const uint64_t*>(words);
  }
}

}  // namespace jaxgemm
