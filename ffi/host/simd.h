// The host kernel, generic in the vector width and in the arithmetic (an `Ops` of ops.h).
// Included by each translation unit that implements an instruction set, after it has
// defined JAXGEMM_VECTOR_BYTES and JAXGEMM_TILE_ROWS.
//
// Operands are packed into 32-bit words along k: one float or int32, or a pair of bf16 or
// int16 for a dot-product instruction. lhs keeps its rows, at a fixed stride that is not a
// power of two; each of its words is broadcast from memory. rhs is cut into panels of
// kPanel columns, so that the inner loop reads it sequentially.
#pragma once

#include "host/kernel.h"
#include "host/ops.h"
#include "host/store.h"
#include "host/vector.h"

namespace jaxgemm {
namespace {

constexpr int kTileRows = JAXGEMM_TILE_ROWS;
constexpr int kPanel = 2 * kLanes;
constexpr int kRowWords = 528;  // from one packed row of lhs to the next
// The distances of prefetches and the sizes below were chosen by hand.
constexpr int kPrefetchRows = 4;  // how many rows ahead lhs is prefetched
// The skinny path converts kSkinnyWords x kSkinnyCols of a row-major rhs at a time, on the
// stack, so that they stay in L1. It prefetches a column-major rhs kDotAhead columns ahead.
constexpr int kSkinnyWords = 16;
constexpr int kSkinnyCols = 256;
constexpr int kDotRows = kTileRows < 12 ? kTileRows : 12;  // the most rows of a DotTile
constexpr int kDotAhead = 4;
// A DotTile adds up the lanes of its accumulators at the end. If there are several rows and k has
// fewer vectors than this, rhs is packed instead, and each lane has an accumulator of its own.
constexpr int kDotVectors = 6;
constexpr int kConvertedCols = 4;  // columns of a float8 rhs that are converted at a time

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
using TileFn = void (*)(const uint32_t* a, const uint32_t* b, int words, int cols,
                        typename Ops::Acc* c, int64_t ldc, bool accumulate);

// c[kRows, cols <= kPanel] (+)= kRows rows of lhs times one panel. All accumulators are in
// registers.
template <class Ops, int kRows>
void MultiplyTile(const uint32_t* a, const uint32_t* b, int words, int cols, typename Ops::Acc* c,
                  int64_t ldc, bool accumulate) {
  using AccV = typename Ops::AccV;
  AccV acc[kRows][2] = {};
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) __builtin_prefetch(c + r * ldc, 1);
#pragma GCC unroll 4
  for (int word = 0; word < words; ++word) {
    const WordV b0 = Load<WordV>(b), b1 = Load<WordV>(b + kLanes);
    b += kPanel;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const WordV x = Ops::Broadcast(a + r * kRowWords + word);
      acc[r][0] = Ops::MultiplyAdd(acc[r][0], x, b0);
      acc[r][1] = Ops::MultiplyAdd(acc[r][1], x, b1);
    }
  }
  if (cols == kPanel) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      typename Ops::Acc* row = c + r * ldc;
      if (accumulate) {
        acc[r][0] += Load<AccV>(row);
        acc[r][1] += Load<AccV>(row + kLanes);
      }
      Store(row, acc[r][0]);
      Store(row + kLanes, acc[r][1]);
    }
    return;
  }
  const int low = cols < kLanes ? cols : kLanes, high = cols - low;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    typename Ops::Acc* row = c + r * ldc;
    if (accumulate) {
      acc[r][0] += LoadFirst<AccV>(row, low);
      if (high) acc[r][1] += LoadFirst<AccV>(row + kLanes, high);
    }
    StoreFirst(row, acc[r][0], low);
    if (high) StoreFirst(row + kLanes, acc[r][1], high);
  }
}

template <class Ops, class Rows>
struct TileTable;
template <class Ops, int... i>
struct TileTable<Ops, Indices<i...>> {
  static constexpr TileFn<Ops> kByRows[] = {MultiplyTile<Ops, i + 1>...};
};

template <class Ops>
void MultiplyWords(const uint32_t* a, const uint32_t* b, int rows, int cols, int words,
                   typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  using Table = TileTable<Ops, typename MakeIndices<kTileRows>::Type>;
  // All blocks get about the same number of rows, because a block of few rows has too few
  // accumulators to hide the latency of its adds.
  const int blocks = (rows + kTileRows - 1) / kTileRows;
  for (int col = 0; col < cols; col += kPanel) {
    const int width = cols - col < kPanel ? cols - col : kPanel;
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int count = (rows - row) / (blocks - block);
      Table::kByRows[count - 1](a + row * kRowWords, b, words, width, c + row * ldc + col, ldc,
                                accumulate);
      row += count;
    }
    b += words * kPanel;
  }
}

template <class Ops>
void Multiply(const void* packed_a, const void* packed_b, int rows, int cols, int k, void* c,
              int64_t ldc, bool accumulate) {
  MultiplyWords<Ops>(static_cast<const uint32_t*>(packed_a), static_cast<const uint32_t*>(packed_b),
                     rows, cols, Words<Ops>(k), static_cast<typename Ops::Acc*>(c), ldc,
                     accumulate);
}

// ---- The skinny path: few rows of lhs, and rhs is read in place.

// c[kRows, kCols] (+)= kRows rows of lhs times kCols columns of rhs from `col` on. Both are
// contiguous along k. All rows use a loaded vector of rhs; the lanes are added up at the end.
template <class Ops, DType kDType, int kRows, int kCols>
void DotTile(const uint32_t* a, const SourceRows& b, int col, typename Ops::Acc* c, int64_t ldc,
             bool accumulate) {
  constexpr int kCount = kLanes * Ops::kPerWord;
  typename Ops::AccV acc[kRows][kCols] = {};
  WordV y[kCols];
  const auto step = [&](int k) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const WordV x = Load<WordV>(a + r * kRowWords + k / Ops::kPerWord);
#pragma GCC unroll 2
      for (int j = 0; j < kCols; ++j) acc[r][j] = Ops::MultiplyAdd(acc[r][j], x, y[j]);
    }
  };
  int k = 0;
  for (; k + kCount <= b.k; k += kCount) {
#pragma GCC unroll 2
    for (int j = 0; j < kCols; ++j) {
      Prefetch(b, col + j + kDotAhead, k);
      y[j] =
          Ops::template Along<kDType>(b.data + (col + j) * b.row_stride + k * DTypeBytes(kDType));
    }
    step(k);
  }
  if (k < b.k) {
    for (int j = 0; j < kCols; ++j) y[j] = LoadAlong<Ops, kDType>(b, col + j, k);
    step(k);
  }
  for (int r = 0; r < kRows; ++r) {
    for (int j = 0; j < kCols; ++j) {
      typename Ops::Acc& to = c[r * ldc + j];
      to = (accumulate ? to : 0) + Sum(acc[r][j]);
    }
  }
}

template <class Ops, DType kDType, class Rows>
struct DotTable;
template <class Ops, DType kDType, int... i>
struct DotTable<Ops, kDType, Indices<i...>> {
  using Fn = void (*)(const uint32_t*, const SourceRows&, int, typename Ops::Acc*, int64_t, bool);
  static constexpr Fn kOne[] = {DotTile<Ops, kDType, i + 1, 1>...};
  static constexpr Fn kTwo[] = {DotTile<Ops, kDType, i + 1, 2>...};
};

template <class Ops, DType kDType, int kMaxRows = kDotRows>
void MultiplyDots(const uint32_t* a, const SourceRows& b, int rows, typename Ops::Acc* c,
                  int64_t ldc, bool accumulate) {
  using Table = DotTable<Ops, kDType, typename MakeIndices<kMaxRows>::Type>;
  const int blocks = (rows + kMaxRows - 1) / kMaxRows;
  for (int col = 0; col < b.count; col += 2) {
    const auto& tiles = col + 1 < b.count ? Table::kTwo : Table::kOne;
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int count = (rows - row) / (blocks - block);
      tiles[count - 1](a + row * kRowWords, b, col, c + row * ldc + col, ldc, accumulate);
      row += count;
    }
  }
}

// MultiplyDots for several rows and a float8 rhs. kConvertedCols columns at a time are converted
// to words in L1, so that all rows share one conversion and all float8 types share one DotTile.
template <class Ops, DType kDType>
void MultiplyConvertedDots(const uint32_t* a, const SourceRows& b, int rows, typename Ops::Acc* c,
                           int64_t ldc, bool accumulate) {
  alignas(64) uint32_t words[kConvertedCols * kRowWords];
  const int count = Words<Ops>(b.k);
  for (int col = 0; col < b.count; col += kConvertedCols) {
    const int cols = b.count - col < kConvertedCols ? b.count - col : kConvertedCols;
    for (int j = 0; j < cols; ++j) {
      for (int word = 0; word < count; word += kLanes) {
        const int k = word * Ops::kPerWord;
        Prefetch(b, col + j + kDotAhead, k);
        Store(words + j * kRowWords + word, LoadAlong<Ops, kDType>(b, col + j, k));
      }
    }
    constexpr int kBytes = DTypeBytes(Ops::kWordDType);
    MultiplyDots<Ops, Ops::kWordDType>(
        a, {reinterpret_cast<const char*>(words), kBytes, kRowWords * 4, b.k, cols}, rows, c + col,
        ldc, accumulate);
  }
}

template <class Ops, DType kDType>
void MultiplyStream(const uint32_t* a, const SourceRows& b, int rows, typename Ops::Acc* c,
                    int64_t ldc, bool accumulate) {
  const bool is_long = b.k >= kDotVectors * kLanes * Ops::kPerWord;
  if (ContiguousInK<kDType>(b) && (rows == 1 || b.count == 1 || is_long)) {
    if constexpr (!IsF8(kDType)) {
      MultiplyDots<Ops, kDType>(a, b, rows, c, ldc, accumulate);
    } else if (rows == 1) {
      MultiplyDots<Ops, kDType, 1>(a, b, rows, c, ldc, accumulate);
    } else {
      MultiplyConvertedDots<Ops, kDType>(a, b, rows, c, ldc, accumulate);
    }
    return;
  }
  alignas(64) uint32_t panels[kSkinnyWords * kSkinnyCols];
  constexpr int k_step = kSkinnyWords * Ops::kPerWord, col_step = kSkinnyCols;
  int k = 0;
  do {
    const int count = b.k - k < k_step ? b.k - k : k_step;
    for (int col = 0; col < b.count; col += col_step) {
      const int cols = b.count - col < col_step ? b.count - col : col_step;
      PackPanels<Ops, kDType>(
          panels,
          {b.data + k * b.k_stride + col * b.row_stride, b.k_stride, b.row_stride, count, cols},
          k_step);
      MultiplyWords<Ops>(a + k / Ops::kPerWord, panels, rows, cols, Words<Ops>(count), c + col, ldc,
                         accumulate || k > 0);
    }
    k += k_step;
  } while (k < b.k);
}

template <class Ops>
void MultiplySkinny(const void* packed_a, const OperandView& b, int rows, int cols, int k, void* c,
                    int64_t ldc, bool accumulate) {
  WithDType<Ops>(b.dtype, [&]<DType kDType> {
    constexpr int kBytes = DTypeBytes(kDType);
    MultiplyStream<Ops, kDType>(
        static_cast<const uint32_t*>(packed_a),
        {static_cast<const char*>(b.data), b.row_stride * kBytes, b.col_stride * kBytes, k, cols},
        rows, static_cast<typename Ops::Acc*>(c), ldc, accumulate);
  });
}

template <class Ops>
constexpr decltype(HostKernel::promote) kPromote = nullptr;
template <class Ops>
  requires(__is_same(typename Ops::Acc, float))
constexpr decltype(HostKernel::promote) kPromote<Ops> = Promote;

template <class Ops>
constexpr HostKernel MakeHostKernel(const char* name, Math math, int block_k) {
  return {name,
          math,
          block_k,
          PackA<Ops>,
          PackB<Ops>,
          Multiply<Ops>,
          MultiplySkinny<Ops>,
          kPromote<Ops>,
          StoreTile<typename Ops::Acc>};
}

}  // namespace
}  // namespace jaxgemm
