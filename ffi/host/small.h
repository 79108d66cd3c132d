// A variant of host/panels.h for batches of small products. The other paths claim and pack each
// product of a batch by itself, which takes longer than a small product. Here operands of float32
// are read in place. Those of bfloat16 are converted to float, or to what the dot products of `Ops`
// take.
#pragma once

#include "host/few_rows.h"
#include "host/kernel.h"
#include "host/store.h"

namespace jaxgemm {
namespace {

constexpr int kSmallTileRows = 8;  // a tuning constant

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

// c[kRows, cols <= kVectors * kLanes] = A B. B's lines are its rows, b_step elements apart.
// Elements of A are any distance apart.
template <DType kB, int kRows, int kVectors>
void SmallTile(const float* a, int64_t a_row, int64_t a_k, const char* b, int64_t b_step, int cols,
               int k, float* c, int64_t ldc) {
  constexpr int kBytes = DTypeBytes(kB);
  FloatV acc[kRows][kVectors] = {};
  const int rest = cols - (kVectors - 1) * kLanes;  // columns of the last vector
  for (int i = 0; i < k; ++i, b += b_step * kBytes) {
    FloatV y[kVectors];
    for (int v = 0; v + 1 < kVectors; ++v) y[v] = LoadFloats<kB>(b + v * kLanes * kBytes);
    char part[kLanes * kBytes];
    CopyPart<kBytes>(part, b + (kVectors - 1) * kLanes * kBytes, rest * kBytes);
    y[kVectors - 1] = LoadFloats<kB>(part);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const FloatV x = a[r * a_row + i * a_k] - FloatV{};
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) acc[r][v] += x * y[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v + 1 < kVectors; ++v) Store(c + r * ldc + v * kLanes, acc[r][v]);
    StoreFirst(c + r * ldc + (kVectors - 1) * kLanes, acc[r][kVectors - 1], rest);
  }
}

template <DType kB, int kVectors, class Rows>
struct SmallTable;
template <DType kB, int kVectors, int... i>
struct SmallTable<kB, kVectors, Indices<i...>> {
  using Fn = void (*)(const float*, int64_t, int64_t, const char*, int64_t, int, int, float*,
                      int64_t);
  static constexpr Fn kTiles[] = {SmallTile<kB, i + 1, kVectors>...};
};

// c[rows, cols] = A B for any number of rows and columns. Few rows take more columns at a time, so
// that there are enough accumulators to hide the latency of the adds.
template <DType kB>
JAXGEMM_INLINE void SmallRows(const float* a, int64_t a_row, int64_t a_k, const void* b,
                              int64_t b_step, int rows, int cols, int k, float* c, int64_t ldc) {
  constexpr int kFewRows = 2;
  using Rows = MakeIndices<kSmallTileRows>::Type;
  using FewRows = MakeIndices<kFewRows>::Type;
  const int most = (rows <= kFewRows ? 4 : 2) * kLanes;
  for (int col = 0; col < cols; col += most) {
    const int width = cols - col < most ? cols - col : most;
    const auto* tiles = width <= kLanes       ? SmallTable<kB, 1, Rows>::kTiles
                        : width <= 2 * kLanes ? SmallTable<kB, 2, Rows>::kTiles
                        : width <= 3 * kLanes ? SmallTable<kB, 3, FewRows>::kTiles
                                              : SmallTable<kB, 4, FewRows>::kTiles;
    const char* from = static_cast<const char*>(b) + col * DTypeBytes(kB);
    for (int row = 0; row < rows; row += kSmallTileRows) {
      const int count = rows - row < kSmallTileRows ? rows - row : kSmallTileRows;
      tiles[count - 1](a + row * a_row, a_row, a_k, from, b_step, width, k, c + row * ldc + col,
                       ldc);
    }
  }
}

// c[rows, cols] = A B, where the lines of B are its columns, contiguous along k: dot products.
template <class Ops, DType kDType>
JAXGEMM_INLINE void SmallDots(SourceRows a, const SourceRows& b, float* c) {
  alignas(64) uint32_t words[kDotRows * kRowWords];
  const int rows = a.count;
  for (int row = 0; row < rows; row += kDotRows) {
    a.count = rows - row < kDotRows ? rows - row : kDotRows;
    PackRows<Ops, kDType>(words, a);
    MultiplyDots<Ops, kDType>(words, b, a.count, c + row * b.count, b.count, false);
    a.data += kDotRows * a.row_stride;
  }
}

// to[cols, rows] = from[rows, cols]^T, in whole vectors of `to`, which has rows that are ldt apart.
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

template <class Ops, DType kDType>
void MultiplySmallAs(const SmallBatch& batch, int64_t first, int64_t count) {
  constexpr int kBytes = DTypeBytes(kDType);
  const int m = batch.m, n = batch.n, k = batch.k;
  // If both strides are 1 there is one line, or each has one element. A vector has k last.
  const bool lhs_k_last = m == 1 || batch.lhs.col_stride == 1;
  const bool rhs_n_last = n > 1 && batch.rhs.col_stride == 1;
  // To transpose rhs takes as long as 80 multiply-adds of vectors for each block. A dot product
  // adds up the lanes of its vector at the end, which takes as long as three or four. If lhs's
  // vectors are along m, out^T = rhs^T lhs^T may be computed, and transposed element by element.
  constexpr int kWords = kLanes * Ops::kPerWord;
  const int vectors_k = (k + kLanes - 1) / kLanes, vectors_n = (n + kLanes - 1) / kLanes;
  const int transposing = 5 * kLanes * vectors_n * vectors_k;
  const bool dots = !rhs_n_last && lhs_k_last &&
                    m * n * ((k + kWords - 1) / kWords + 3) < vectors_n * m * k + transposing;
  const bool transposed = !rhs_n_last && !lhs_k_last && 2 * m * n < transposing;
  const auto lines = [](const char* data, int count, int length) {
    return SourceRows{data, kBytes, length * kBytes, length, count};
  };
  alignas(64) float a[kHostSmallOperand], b[kHostSmallOperand], rhs_t[kHostSmallOperand];
  alignas(64) float acc[kHostSmallOut], out_t[kHostSmallOut];
  for (int64_t i = first; i < first + count; ++i) {
    const char* lhs = static_cast<const char*>(batch.lhs.data) + i * batch.lhs_step * kBytes;
    const char* rhs = static_cast<const char*>(batch.rhs.data) + i * batch.rhs_step * kBytes;
    const bool in_out = batch.out_dtype == DType::kF32;
    float* c = in_out ? static_cast<float*>(batch.out) + i * m * n : acc;
    // c = x B, where B's lines are its rows. They are converted once.
    const auto multiply = [&](SmallLines x, bool k_last, const char* rows_of_b, int rows, int cols,
                              float* to) __attribute__((always_inline)) {
      const int64_t a_row = k_last ? x.step : 1, a_k = k_last ? 1 : x.step;
      if (rows <= kSmallTileRows) {
        return SmallRows<kDType>(x.data, a_row, a_k, rows_of_b, cols, rows, cols, k, to, cols);
      }
      const SmallLines y = Lines<kDType>(rows_of_b, k, cols, b);
      SmallRows<DType::kF32>(x.data, a_row, a_k, y.data, y.step, rows, cols, k, to, cols);
    };
    if (dots) {
      SmallDots<Ops, kDType>(lines(lhs, m, k), lines(rhs, n, k), c);
    } else if (transposed) {
      multiply(Lines<kDType>(rhs, n, k, a), true, lhs, n, m, out_t);
      for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) c[row * n + col] = out_t[col * m + row];
      }
    } else {
      const SmallLines x = Lines<kDType>(lhs, lhs_k_last ? m : k, lhs_k_last ? k : m, a);
      if (rhs_n_last) {
        multiply(x, lhs_k_last, rhs, m, n, c);
      } else {
        SmallTranspose(Lines<kDType>(rhs, n, k, b), n, k, rhs_t, vectors_n * kLanes);
        SmallRows<DType::kF32>(x.data, lhs_k_last ? x.step : 1, lhs_k_last ? 1 : x.step, rhs_t,
                               vectors_n * kLanes, m, n, k, c, n);
      }
    }
    if (!in_out) WriteAs(batch.out_dtype, batch.out, i * m * n, 1, acc, m * n);
  }
}

template <class Ops>
void MultiplySmall(const SmallBatch& given, int64_t first, int64_t count) {
  // A result with one column is computed as one with one row.
  SmallBatch batch = given;
  if (batch.n == 1) {
    batch.m = 1, batch.n = given.m;
    batch.lhs_step = given.rhs_step, batch.rhs_step = given.lhs_step;
    const auto transpose = [](OperandView x) {
      return OperandView{x.data, x.dtype, x.col_stride, x.row_stride};
    };
    batch.lhs = transpose(given.rhs), batch.rhs = transpose(given.lhs);
  }
  WithDType<Ops>(batch.lhs.dtype, [&]<DType kDType> {
    if constexpr (kDType == DType::kF32 || kDType == DType::kBF16) {
      MultiplySmallAs<Ops, kDType>(batch, first, count);
    }
  });
}

}  // namespace
}  // namespace jaxgemm
