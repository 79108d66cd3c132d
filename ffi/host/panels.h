// The multiplication of packed operands (packing.h), generic in the vector width and in the
// arithmetic (an `Ops` of ops.h).
#pragma once

#include "host/kernel.h"
#include "host/packing.h"

namespace jaxgemm {
namespace {

constexpr int kTileRows = JAXGEMM_TILE_ROWS;

// Up to this many words, one row of tiles is computed after the other. A tuning constant.
constexpr int kWordsByRows = 128;

// The cache lines that a tile prefetches, one with each word: first a row of 2^bits of them that
// are `step` bytes apart, then the next row, `row` bytes after it, and so on. They may lie outside
// the operand.
struct Prefetches {
  uintptr_t at;
  int64_t step, row;
  int bits;
};

template <class Ops>
using TileFn = void (*)(const uint32_t* a, int64_t lda, const uint32_t* b, int words, int cols,
                        typename Ops::Acc* c, int64_t ldc, bool accumulate,
                        const Prefetches& prefetches);

// c[kRows, cols] (+)= acc, where cols <= kVectors * kLanes.
template <class Ops, int kRows, int kVectors>
JAXGEMM_INLINE void StoreAccumulators(typename Ops::AccV (&acc)[kRows][kVectors], int cols,
                                      typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  using AccV = typename Ops::AccV;
  if (cols == kVectors * kLanes) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int i = 0; i < kVectors; ++i) {
        typename Ops::Acc* to = c + r * ldc + i * kLanes;
        if (accumulate) acc[r][i] += Load<AccV>(to);
        Store(to, acc[r][i]);
      }
    }
    return;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) {
      const int rest = cols - i * kLanes, count = rest < kLanes ? rest : kLanes;
      if (count <= 0) break;
      typename Ops::Acc* to = c + r * ldc + i * kLanes;
      if (accumulate) acc[r][i] += LoadFirst<AccV>(to, count);
      StoreFirst(to, acc[r][i], count);
    }
  }
}

// How a tile reads lhs.
enum class Lhs {
  kPacked,   // rows of words that are kRowWords apart
  kRows,     // in place, where a row's words are neighbours and rows are lda words apart
  kColumns,  // in place, where the words of one k are neighbours and each k is lda words apart
};

// The part of lhs that the tile after this one reads, if that is read in place.
template <Lhs kLhs>
JAXGEMM_INLINE Prefetches NextTile(const uint32_t* a, int64_t lda, int rows) {
  const auto at = reinterpret_cast<uintptr_t>(a);
  if (kLhs == Lhs::kRows) return {at + 4 * rows * lda, 4 * lda, 64, 4};
  if (kLhs == Lhs::kColumns) return {at + 4 * (rows + 16), 4 * lda, 0, 30};
  return {at, 0, 0, 0};
}

// The share of the next rhs that tile `tile` of `tiles` prefetches: some k of one of its lines.
JAXGEMM_INLINE Prefetches NextPart(const NextRhs& next, int tile, int tiles, int words,
                                   int64_t word_stride) {
  int bits = 0;
  while (next.lines << (bits + 1) <= tiles) ++bits;
  const int line = tile >> bits, part = tile & ((1 << bits) - 1);
  const auto at = reinterpret_cast<uintptr_t>(next.data);
  if (line >= next.lines) return {at, 0, 0, 0};
  return {at + line * 64 + (part * words >> bits) * word_stride, 0, word_stride, bits};
}

// c[kRows, cols <= kVectors * kLanes] (+)= kRows rows of lhs times one panel, or the first half of
// it. All accumulators are in registers.
template <class Ops, int kRows, int kVectors, Lhs kLhs>
void MultiplyTile(const uint32_t* a, int64_t lda, const uint32_t* b, int words, int cols,
                  typename Ops::Acc* c, int64_t ldc, bool accumulate,
                  const Prefetches& prefetches) {
  // A copy, because c could overlap with it for all that the compiler knows.
  uintptr_t line = prefetches.at;
  const int64_t step = prefetches.step, last = (int64_t{1} << prefetches.bits) - 1;
  const int64_t turn = prefetches.row - last * step;
  const int64_t row_step = kLhs == Lhs::kPacked ? kRowWords : kLhs == Lhs::kRows ? lda : 1;
  const int64_t word_step = kLhs == Lhs::kColumns ? lda : 1;
  typename Ops::AccV acc[kRows][kVectors] = {};
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int i = 0; i < kVectors * kLanes; i += 16) __builtin_prefetch(c + r * ldc + i, 1);
  }
#pragma GCC unroll 4
  for (int word = 0; word < words; ++word) {
    __builtin_prefetch(reinterpret_cast<const void*>(line));
    line += (word & last) == last ? turn : step;
    WordV y[kVectors];
#pragma GCC unroll 2
    for (int i = 0; i < kVectors; ++i) y[i] = Load<WordV>(b + i * kLanes);
    b += kPanel;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const WordV x = Ops::Broadcast(a + r * row_step + word * word_step);
#pragma GCC unroll 2
      for (int i = 0; i < kVectors; ++i) acc[r][i] = Ops::MultiplyAdd(acc[r][i], x, y[i]);
    }
  }
  StoreAccumulators<Ops>(acc, cols, c, ldc, accumulate);
}

template <class Ops, Lhs kLhs, class Rows>
struct TileTable;
template <class Ops, Lhs kLhs, int... i>
struct TileTable<Ops, kLhs, Indices<i...>> {
  static constexpr TileFn<Ops> kOne[] = {MultiplyTile<Ops, i + 1, 1, kLhs>...};
  static constexpr TileFn<Ops> kTwo[] = {MultiplyTile<Ops, i + 1, 2, kLhs>...};
};

template <class Ops, Lhs kLhs>
void MultiplyTiles(const uint32_t* a, int64_t lda, const uint32_t* b, int rows, int cols, int words,
                   typename Ops::Acc* c, int64_t ldc, bool accumulate, const NextRhs& next) {
  using Table = TileTable<Ops, kLhs, typename MakeIndices<kTileRows>::Type>;
  const int64_t row_step = kLhs == Lhs::kColumns ? 1 : lda;
  // All blocks get about the same number of rows, because a block of few rows has too few
  // accumulators to hide the latency of its adds.
  const int blocks = (rows + kTileRows - 1) / kTileRows;
  const int num_tiles = blocks * ((cols + kPanel - 1) / kPanel);
  int index = 0;
  const auto tile = [&](int row, int count, int col) __attribute__((always_inline)) {
    const int width = cols - col < kPanel ? cols - col : kPanel;
    const auto& tiles = width <= kLanes ? Table::kOne : Table::kTwo;
    const uint32_t* rows_of_a = a + row * row_step;
    const Prefetches prefetches =
        next.data ? NextPart(next, index++, num_tiles, words, Ops::kPerWord * next.k_stride)
                  : NextTile<kLhs>(rows_of_a, lda, count);
    tiles[count - 1](rows_of_a, lda, b + int64_t{col} * words, words, width, c + row * ldc + col,
                     ldc, accumulate, prefetches);
  };
  // With few words a tile takes about as long as its part of c takes to come from memory. One row
  // of tiles after the other reads c along its rows, so that the processor's prefetchers can
  // follow.
  if (words <= kWordsByRows) {
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int count = (rows - row) / (blocks - block);
      for (int col = 0; col < cols; col += kPanel) tile(row, count, col);
      row += count;
    }
    return;
  }
  for (int col = 0; col < cols; col += kPanel) {
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int count = (rows - row) / (blocks - block);
      tile(row, count, col);
      row += count;
    }
  }
}

template <class Ops>
void MultiplyWords(const uint32_t* a, const uint32_t* b, int rows, int cols, int words,
                   typename Ops::Acc* c, int64_t ldc, bool accumulate, const NextRhs& next = {}) {
  MultiplyTiles<Ops, Lhs::kPacked>(a, kRowWords, b, rows, cols, words, c, ldc, accumulate, next);
}

template <class Ops>
void Multiply(const void* packed_a, const void* packed_b, int rows, int cols, int k, void* c,
              int64_t ldc, bool accumulate, const NextRhs& next) {
  MultiplyWords<Ops>(static_cast<const uint32_t*>(packed_a), static_cast<const uint32_t*>(packed_b),
                     rows, cols, Words<Ops>(k), static_cast<typename Ops::Acc*>(c), ldc, accumulate,
                     next);
}

// lhs is read in place: words of it are words in memory, and k needs no padding.
template <class Ops>
void MultiplyInPlace(const OperandView& a, const void* packed_b, int rows, int cols, int k, void* c,
                     int64_t ldc, bool accumulate, const NextRhs& next) {
  const auto* words = static_cast<const uint32_t*>(a.data);
  const auto* panels = static_cast<const uint32_t*>(packed_b);
  auto* acc = static_cast<typename Ops::Acc*>(c);
  if (a.col_stride == 1) {
    MultiplyTiles<Ops, Lhs::kRows>(words, a.row_stride, panels, rows, cols, k, acc, ldc, accumulate,
                                   next);
  } else {
    MultiplyTiles<Ops, Lhs::kColumns>(words, a.col_stride, panels, rows, cols, k, acc, ldc,
                                      accumulate, next);
  }
}

}  // namespace
}  // namespace jaxgemm
