// Batches of small products. The other paths claim and pack each product of a batch by itself,
// which takes 0.1 us or more. Here operands of float32 are read in place, and those of bfloat16 are
// converted to float.
#pragma once

#include "host/kernel.h"
#include "host/ops.h"
#include "host/store.h"
#include "host/vector.h"

namespace jaxgemm {
namespace {

constexpr int kSmallTileRows = 8;  // chosen by hand

// The first `count` elements at `from` as floats. It may write whole vectors.
template <DType kDType>
JAXGEMM_INLINE void ToFloats(const char* from, int count, float* to) {
  constexpr int kBytes = DTypeBytes(kDType);
  for (int i = 0; i < count; i += kLanes) {
    if (i + kLanes <= count) {
      Store(to + i, LoadFloats<kDType>(from + i * kBytes));
      continue;
    }
    char part[kLanes * kBytes];
    CopyPart<kBytes>(part, from + i * kBytes, (count - i) * kBytes);
    Store(to + i, LoadFloats<kDType>(part));
  }
}

// Lines of a matrix in memory, `step` floats apart.
struct SmallLines {
  const float* data;
  int64_t step;
};

// Lines that lie one after the other, as floats. Those that are converted are stored to `floats`,
// each from the start of a vector, so that a vector that is loaded from there was stored as one.
template <DType kDType>
JAXGEMM_INLINE SmallLines Lines(const char* from, int lines, int length, float* floats) {
  if constexpr (kDType == DType::kF32) return {reinterpret_cast<const float*>(from), length};
  const int step = (length + kLanes - 1) / kLanes * kLanes;
  for (int line = 0; line < lines; ++line) {
    ToFloats<kDType>(from + line * length * DTypeBytes(kDType), length, floats + line * step);
  }
  return {floats, step};
}

// c[kRows, cols <= kVectors * kLanes] = A B. B's lines are its rows, and elements of A are any
// distance apart.
template <int kRows, int kVectors>
void SmallTile(const float* a, int64_t a_row, int64_t a_k, SmallLines b, int cols, int k, float* c,
               int64_t ldc) {
  FloatV acc[kRows][kVectors] = {};
  const int rest = cols - (kVectors - 1) * kLanes;  // columns of the last vector
  for (int i = 0; i < k; ++i) {
    FloatV y[kVectors];
    for (int v = 0; v + 1 < kVectors; ++v) y[v] = Load<FloatV>(b.data + i * b.step + v * kLanes);
    y[kVectors - 1] = LoadFirst<FloatV>(b.data + i * b.step + (kVectors - 1) * kLanes, rest);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const FloatV x = a[r * a_row + i * a_k] - FloatV{};
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) acc[r][v] += x * y[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v + 1 < kVectors; ++v) Store(c + r * ldc + v * kLanes, acc[r][v]);
    StoreFirst(c + r * ldc + (kVectors - 1) * kLanes, acc[r][kVectors - 1], rest);
  }
}

template <class Rows>
struct SmallTable;
template <int... i>
struct SmallTable<Indices<i...>> {
  using Fn = void (*)(const float*, int64_t, int64_t, SmallLines, int, int, float*, int64_t);
  static constexpr Fn kOne[] = {SmallTile<i + 1, 1>...};
  static constexpr Fn kTwo[] = {SmallTile<i + 1, 2>...};
};

// c[rows, cols] = A B for any number of columns.
JAXGEMM_INLINE void SmallRows(const float* a, int64_t a_row, int64_t a_k, SmallLines b, int rows,
                              int cols, int k, float* c, int64_t ldc) {
  using Table = SmallTable<MakeIndices<kSmallTileRows>::Type>;
  for (int col = 0; col < cols; col += 2 * kLanes) {
    const int width = cols - col < 2 * kLanes ? cols - col : 2 * kLanes;
    const auto& tiles = width <= kLanes ? Table::kOne : Table::kTwo;
    for (int row = 0; row < rows; row += kSmallTileRows) {
      const int count = rows - row < kSmallTileRows ? rows - row : kSmallTileRows;
      tiles[count - 1](a + row * a_row, a_row, a_k, {b.data + col, b.step}, width, k,
                       c + row * ldc + col, ldc);
    }
  }
}

// c[rows, cols] = A B^T, where the lines of both are contiguous along k: dot products.
JAXGEMM_INLINE void SmallDots(SmallLines a, SmallLines b, int rows, int cols, int k, float* c,
                              int64_t ldc) {
  const auto load = [k](SmallLines from, int line, int i) __attribute__((always_inline)) {
    return LoadFirst<FloatV>(from.data + line * from.step + i, k - i < kLanes ? k - i : kLanes);
  };
  for (int col = 0; col < cols; col += 4) {
    const int count = cols - col < 4 ? cols - col : 4;
    for (int row = 0; row < rows; ++row) {
      FloatV acc[4] = {};
      for (int i = 0; i < k; i += kLanes) {
        const FloatV x = load(a, row, i);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) acc[j] += x * load(b, col + (j < count ? j : 0), i);
      }
      float* to = c + row * ldc + col;
      const auto sums = SumFour(acc);
      if (count == 4) {
        Store(to, sums);
        continue;
      }
      for (int j = 0; j < count; ++j) to[j] = sums[j];
    }
  }
}

// to[cols, rows] = from[rows, cols]^T, in whole vectors of `to`, whose rows are ldt apart.
JAXGEMM_INLINE void SmallTranspose(SmallLines from, int rows, int cols, float* to, int ldt) {
  for (int row = 0; row < rows; row += kLanes) {
    for (int col = 0; col < cols; col += kLanes) {
      WordV x[kLanes] = {};
      const int count = cols - col < kLanes ? cols - col : kLanes;
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        if (row + i >= rows) break;
        x[i] = LoadFirst<WordV>(from.data + (row + i) * from.step + col, count);
      }
      Transpose(x);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        if (i < count) Store(to + (col + i) * ldt + row, x[i]);
      }
    }
  }
}

template <DType kDType>
void MultiplySmallAs(const SmallBatch& batch, int64_t first, int64_t count) {
  constexpr int kBytes = DTypeBytes(kDType);
  const int m = batch.m, n = batch.n, k = batch.k;
  // If both strides are 1 there is one line, or each has one element.
  const bool lhs_k_last = batch.lhs.col_stride == 1, rhs_n_last = batch.rhs.col_stride == 1;
  // To transpose rhs takes as long as 80 multiply-adds of vectors for each block. A dot product
  // adds up the lanes of its vector at the end, which takes as long as three or four. If lhs's
  // vectors are along m, out^T = rhs^T lhs^T may be computed, and transposed element by element.
  const int vectors_k = (k + kLanes - 1) / kLanes, vectors_n = (n + kLanes - 1) / kLanes;
  const int transposing = 5 * kLanes * vectors_n * vectors_k;
  const bool dots =
      !rhs_n_last && lhs_k_last && m * n * (vectors_k + 3) < vectors_n * m * k + transposing;
  const bool transposed = !rhs_n_last && !lhs_k_last && 2 * m * n < transposing;
  alignas(64) float a[kHostSmallOperand], b[kHostSmallOperand], rhs_t[kHostSmallOperand];
  alignas(64) float sums[kHostSmallOut], out_t[kHostSmallOut];
  for (int64_t i = first; i < first + count; ++i) {
    const char* lhs = static_cast<const char*>(batch.lhs.data) + i * batch.lhs_step * kBytes;
    const char* rhs = static_cast<const char*>(batch.rhs.data) + i * batch.rhs_step * kBytes;
    const bool in_out = batch.out_dtype == DType::kF32;
    float* c = in_out ? static_cast<float*>(batch.out) + i * m * n : sums;
    const SmallLines x = Lines<kDType>(lhs, lhs_k_last ? m : k, lhs_k_last ? k : m, a);
    SmallLines y = Lines<kDType>(rhs, rhs_n_last ? k : n, rhs_n_last ? n : k, b);
    if (transposed) {
      SmallRows(y.data, y.step, 1, x, n, m, k, out_t, m);
      for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) c[row * n + col] = out_t[col * m + row];
      }
    } else if (dots) {
      SmallDots(x, y, m, n, k, c, n);
    } else {
      if (!rhs_n_last) {
        SmallTranspose(y, n, k, rhs_t, vectors_n * kLanes);
        y = {rhs_t, vectors_n * kLanes};
      }
      SmallRows(x.data, lhs_k_last ? x.step : 1, lhs_k_last ? 1 : x.step, y, m, n, k, c, n);
    }
    if (!in_out) WriteAs(batch.out_dtype, batch.out, i * m * n, 1, sums, m * n);
  }
}

inline void MultiplySmall(const SmallBatch& batch, int64_t first, int64_t count) {
  if (batch.lhs.dtype == DType::kF32) {
    MultiplySmallAs<DType::kF32>(batch, first, count);
  } else {
    MultiplySmallAs<DType::kBF16>(batch, first, count);
  }
}

}  // namespace
}  // namespace jaxgemm
