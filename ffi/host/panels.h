// Packing and the multiplication of packed operands, generic in the vector width and in the
// arithmetic (an `Ops` of ops.h).
//
// Operands are packed into 32-bit words along k: one float or int32, or a pair of bf16 or
// int16 for a dot-product instruction. lhs keeps its rows, at a fixed stride that is not a
// power of two; each of its words is broadcast from memory. rhs is cut into panels of
// kPanel columns, so that the inner loop reads it sequentially.
#pragma once

#include "host/kernel.h"
#include "host/ops.h"
#include "host/vector.h"

namespace jaxgemm {
namespace {

constexpr int kTileRows = JAXGEMM_TILE_ROWS;
constexpr int kPanel = 2 * kLanes;
constexpr int kRowWords = 528;    // from one packed row of lhs to the next
constexpr int kPrefetchRows = 4;  // how many rows ahead lhs is prefetched; chosen by hand

// Up to this many words, one row of tiles is computed after the other; chosen by hand.
constexpr int kShortWords = 128;

template <class Ops>
constexpr int Words(int k) {
  constexpr int kUnit = Ops::kPerWord * Ops::kWordMultiple;
  return (k + kUnit - 1) / kUnit * Ops::kWordMultiple;
}

// ---- Packing. Here a `row` is a row of lhs or a column of rhs. Both operands are packed by the
// same loads, along a row or across rows.

struct SourceRows {
  const char* data;
  int64_t k_stride, row_stride;  // bytes
  int k, count;

  // The end of the last element.
  template <DType kDType>
  const char* End() const {
    return data + (k - 1) * k_stride + (count - 1) * row_stride + DTypeBytes(kDType);
  }
};

// Loads kLanes words of one row from `k` on, with zeros after the last k.
template <class Ops, DType kDType>
JAXGEMM_INLINE WordV LoadAlong(const SourceRows& from, int row, int k) {
  constexpr int kCount = kLanes * Ops::kPerWord;
  const char* p = from.data + row * from.row_stride + k * DTypeBytes(kDType);
  char staged[kCount * DTypeBytes(kDType)];
  if (k + kCount > from.k) {
    CopyPart<DTypeBytes(kDType)>(staged, p, (from.k - k) * DTypeBytes(kDType));
    p = staged;
  }
  return Ops::template Along<kDType>(p);
}

// Loads the word at `k` of kLanes rows, with zeros after the last row and the last k.
template <class Ops, DType kDType>
JAXGEMM_INLINE WordV LoadAcross(const SourceRows& from, int row, int k) {
  alignas(64) static constexpr char kZeros[kLanes * 4] = {};
  if (k >= from.k) return WordV{};
  const char* p = from.data + k * from.k_stride + row * DTypeBytes(kDType);
  const char* next = Ops::kPerWord == 2 && k + 1 < from.k ? p + from.k_stride : kZeros;
  if (row + kLanes <= from.count) return Ops::template Across<kDType>(p, next);
  char first[kLanes * DTypeBytes(kDType)], second[kLanes * DTypeBytes(kDType)];
  const int count = (from.count - row) * DTypeBytes(kDType);
  CopyPart<DTypeBytes(kDType)>(first, p, count);
  if constexpr (Ops::kPerWord == 2) CopyPart<DTypeBytes(kDType)>(second, next, count);
  return Ops::template Across<kDType>(first, second);
}

// Prefetches the cache line at (row, k); one call is enough for all of its elements. The
// processor's own prefetchers stop at the end of a page, and one k of rhs or one row of lhs
// often fills a page. The address may lie outside the operand: a prefetch does not fault.
JAXGEMM_INLINE void Prefetch(const SourceRows& from, int row, int k) {
  const uintptr_t address =
      reinterpret_cast<uintptr_t>(from.data) + row * from.row_stride + k * from.k_stride;
  __builtin_prefetch(reinterpret_cast<const void*>(address));
}

template <class Ops, DType kDType>
void PackRows(uint32_t* dst, const SourceRows& from) {
  const int words = Words<Ops>(from.k);
  if (from.k_stride == DTypeBytes(kDType)) {
    for (int row = 0; row < from.count; ++row) {
      for (int word = 0; word < words; word += kLanes) {
        const int k = word * Ops::kPerWord;
        if (k * DTypeBytes(kDType) % 64 == 0) Prefetch(from, row + kPrefetchRows, k);
        Store(dst + row * kRowWords + word, LoadAlong<Ops, kDType>(from, row, k));
      }
    }
    return;
  }
  for (int word = 0; word < words; word += kLanes) {
    for (int row = 0; row < from.count; row += kLanes) {
      WordV x[kLanes] = {};
      for (int i = 0; i < kLanes && word + i < words; ++i) {
        x[i] = LoadAcross<Ops, kDType>(from, row, (word + i) * Ops::kPerWord);
      }
      Transpose(x);
      for (int i = 0; i < kLanes && row + i < from.count; ++i) {
        Store(dst + (row + i) * kRowWords + word, x[i]);
      }
    }
  }
}

// Whether the elements of a row are neighbours in memory. If both strides are equal and there are
// several rows, there is one k, and the rows are neighbours.
template <DType kDType>
bool ContiguousInK(const SourceRows& rows) {
  return rows.k_stride == DTypeBytes(kDType) &&
         (rows.row_stride != rows.k_stride || rows.count == 1);
}

// `k_ahead`: how far ahead in k to prefetch if neighbouring rows are adjacent in memory.
template <class Ops, DType kDType>
void PackPanels(uint32_t* dst, const SourceRows& from, int k_ahead) {
  const int words = Words<Ops>(from.k);
  const auto at = [&](int row, int word) {
    return dst + (int64_t{row / kPanel} * words + word) * kPanel + row % kPanel;
  };
  const int rows = (from.count + kPanel - 1) / kPanel * kPanel;
  if (ContiguousInK<kDType>(from)) {
    for (int row = 0; row < rows; row += kLanes) {
      for (int word = 0; word < words; word += kLanes) {
        const int k = word * Ops::kPerWord;
        WordV x[kLanes] = {};
        if (row + kLanes <= from.count && k + kLanes * Ops::kPerWord <= from.k) {
          const bool prefetch = k * DTypeBytes(kDType) % 64 == 0;
#pragma GCC unroll 16
          for (int i = 0; i < kLanes; ++i) {
            if (prefetch) Prefetch(from, row + kPanel + i, k);
            x[i] = Ops::template Along<kDType>(from.data + (row + i) * from.row_stride +
                                               k * DTypeBytes(kDType));
          }
        } else {
          for (int i = 0; i < kLanes && row + i < from.count; ++i) {
            x[i] = LoadAlong<Ops, kDType>(from, row + i, k);
          }
        }
        Transpose(x);
        for (int i = 0; i < kLanes && word + i < words; ++i) {
          Store(at(row, word + i), x[i]);
        }
      }
    }
    return;
  }
  // Packs 8 k at a time: the processor's prefetchers can follow that many streams, and the
  // stores fill whole cache lines of a panel.
  constexpr int kGroup = 8 / Ops::kPerWord;
  for (int word = 0; word < words; word += kGroup) {
    const int count = words - word < kGroup ? words - word : kGroup;
    for (int row = 0; row < rows; row += kPanel) {
      uint32_t* panel = at(row, word);
      const int k = word * Ops::kPerWord;
      if (row + kPanel <= from.count && k + 8 <= from.k) {
#pragma GCC unroll 8
        for (int i = 0; i < kGroup; ++i) {
          const char* p =
              from.data + (k + i * Ops::kPerWord) * from.k_stride + row * DTypeBytes(kDType);
#pragma GCC unroll 2
          for (int lane = 0; lane < kPanel; lane += kLanes) {
            Store(panel + i * kPanel + lane, Ops::template Across<kDType>(p, p + from.k_stride));
            p += kLanes * DTypeBytes(kDType);
          }
        }
        if (row * DTypeBytes(kDType) % 64 == 0) {
#pragma GCC unroll 8
          for (int i = 0; i < 8; ++i) Prefetch(from, row, k + k_ahead + i);
        }
        continue;
      }
      for (int i = 0; i < count; ++i) {
        for (int lane = 0; lane < kPanel; lane += kLanes) {
          Store(panel + i * kPanel + lane,
                row + lane < from.count
                    ? LoadAcross<Ops, kDType>(from, row + lane, k + i * Ops::kPerWord)
                    : WordV{});
        }
      }
    }
  }
}

// Calls body.template operator()<dtype>() if `Ops` takes operands of this type.
template <class Ops, class Body>
void WithDType(DType dtype, Body body) {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out)    \
  if constexpr (is_operand && Ops::Takes(DType::id)) {             \
    if (dtype == DType::id) body.template operator()<DType::id>(); \
  }
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
}

template <class Ops>
void PackA(void* dst, const OperandView& a, int rows, int k) {
  WithDType<Ops>(a.dtype, [&]<DType kDType> {
    constexpr int kBytes = DTypeBytes(kDType);
    PackRows<Ops, kDType>(
        static_cast<uint32_t*>(dst),
        {static_cast<const char*>(a.data), a.col_stride * kBytes, a.row_stride * kBytes, k, rows});
  });
}

template <class Ops>
void PackB(void* dst, const OperandView& b, int k, int cols) {
  WithDType<Ops>(b.dtype, [&]<DType kDType> {
    constexpr int kBytes = DTypeBytes(kDType);
    PackPanels<Ops, kDType>(
        static_cast<uint32_t*>(dst),
        {static_cast<const char*>(b.data), b.row_stride * kBytes, b.col_stride * kBytes, k, cols},
        8);
  });
}

// ---- Multiplying.

template <class Ops>
using TileFn = void (*)(const uint32_t* a, int64_t lda, const uint32_t* b, int words, int cols,
                        typename Ops::Acc* c, int64_t ldc, bool accumulate);

// c[kRows, cols] (+)= acc, where cols <= kVectors * kLanes.
template <class Ops, int kRows, int kVectors>
JAXGEMM_INLINE void StoreSums(typename Ops::AccV (&acc)[kRows][kVectors], int cols,
                              typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  using AccV = typename Ops::AccV;
  if (cols == kVectors * kLanes) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
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
#pragma GCC unroll 2
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

// Prefetches a part of the lhs that the tile after this one reads. `words` calls prefetch all of
// it. The address may lie outside the operand.
template <int kRows, Lhs kLhs>
JAXGEMM_INLINE void PrefetchNextTile(const uint32_t* a, int64_t lda, int word) {
  if constexpr (kLhs == Lhs::kPacked) return;
  const int64_t words =
      kLhs == Lhs::kRows ? (kRows + word % 16) * lda + word / 16 * 16 : word * lda + kRows + 16;
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(a) + 4 * words));
}

// c[kRows, cols <= kVectors * kLanes] (+)= kRows rows of lhs times one panel, or the first half of
// it. All accumulators are in registers.
template <class Ops, int kRows, int kVectors, Lhs kLhs>
void MultiplyTile(const uint32_t* a, int64_t lda, const uint32_t* b, int words, int cols,
                  typename Ops::Acc* c, int64_t ldc, bool accumulate) {
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
    PrefetchNextTile<kRows, kLhs>(a, lda, word);
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
  StoreSums<Ops>(acc, cols, c, ldc, accumulate);
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
                   typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  using Table = TileTable<Ops, kLhs, typename MakeIndices<kTileRows>::Type>;
  const int64_t row_step = kLhs == Lhs::kColumns ? 1 : lda;
  // All blocks get about the same number of rows, because a block of few rows has too few
  // accumulators to hide the latency of its adds.
  const int blocks = (rows + kTileRows - 1) / kTileRows;
  const auto tile = [&](int row, int count, int col) __attribute__((always_inline)) {
    const int width = cols - col < kPanel ? cols - col : kPanel;
    const auto& tiles = width <= kLanes ? Table::kOne : Table::kTwo;
    tiles[count - 1](a + row * row_step, lda, b + int64_t{col} * words, words, width,
                     c + row * ldc + col, ldc, accumulate);
  };
  // With few words a tile takes about as long as its part of c takes to come from memory. One row
  // of tiles after the other reads c along its rows, so that the processor's prefetchers can
  // follow.
  if (words <= kShortWords) {
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
                   typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  MultiplyTiles<Ops, Lhs::kPacked>(a, kRowWords, b, rows, cols, words, c, ldc, accumulate);
}

template <class Ops>
void Multiply(const void* packed_a, const void* packed_b, int rows, int cols, int k, void* c,
              int64_t ldc, bool accumulate) {
  MultiplyWords<Ops>(static_cast<const uint32_t*>(packed_a), static_cast<const uint32_t*>(packed_b),
                     rows, cols, Words<Ops>(k), static_cast<typename Ops::Acc*>(c), ldc,
                     accumulate);
}

// lhs is read in place: words of it are words in memory, and k needs no padding.
template <class Ops>
void MultiplyInPlace(const OperandView& a, const void* packed_b, int rows, int cols, int k, void* c,
                     int64_t ldc, bool accumulate) {
  const auto* words = static_cast<const uint32_t*>(a.data);
  const auto* panels = static_cast<const uint32_t*>(packed_b);
  auto* sums = static_cast<typename Ops::Acc*>(c);
  if (a.col_stride == 1) {
    MultiplyTiles<Ops, Lhs::kRows>(words, a.row_stride, panels, rows, cols, k, sums, ldc,
                                   accumulate);
  } else {
    MultiplyTiles<Ops, Lhs::kColumns>(words, a.col_stride, panels, rows, cols, k, sums, ldc,
                                      accumulate);
  }
}

}  // namespace
}  // namespace jaxgemm
