// Packing, generic in the vector width and in the arithmetic (an `Ops` of ops.h).
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

constexpr int kPanel = 2 * kLanes;
constexpr int kRowWords = 528;    // from one packed row of lhs to the next
constexpr int kPrefetchRows = 4;  // how many rows ahead lhs is prefetched; a tuning constant

// Up to this many rows of lhs are packed one word after the other, if neighbouring rows are
// adjacent in memory.
constexpr int kCopiedRows = 6;

template <class Ops>
constexpr int Words(int k) {
  constexpr int kUnit = Ops::kPerWord * Ops::kWordMultiple;
  return (k + kUnit - 1) / kUnit * Ops::kWordMultiple;
}

// Here a `row` is a row of lhs or a column of rhs. Both operands are packed by the
// same loads, along a row or across rows.

struct SourceRows {
  const char* data;
  int64_t k_stride, row_stride;  // bytes
  int k, count;
  // See OperandView. Only rows of lhs are gathered, not columns of rhs.
  const int32_t *k_indices = nullptr, *row_indices = nullptr;
  int64_t lines = 0;

  // Where the elements of a row, or of one k, begin. Null if they are zeros, as after the last k.
  const char* Row(int row) const { return Line(row_indices, row, row_stride); }
  const char* AtK(int at) const { return at < k ? Line(k_indices, at, k_stride) : nullptr; }
  const char* Line(const int32_t* indices, int line, int64_t stride) const {
    if (!indices) return data + line * stride;
    const int64_t found = indices[line];
    return found >= 0 && found < lines ? data + found * stride : nullptr;
  }

  // The end of the last element.
  template <DType kDType>
  const char* End() const {
    return data + (k - 1) * k_stride + (count - 1) * row_stride + DTypeBytes(kDType);
  }
};

// Loads the words of `count` < kLanes * kPerWord elements at `p`, then zeros.
template <class Ops, DType kDType>
JAXGEMM_INLINE WordV LoadAlongPart(const char* p, int count) {
  char staged[kLanes * Ops::kPerWord * DTypeBytes(kDType)];
  CopyPart<DTypeBytes(kDType)>(staged, p, count * DTypeBytes(kDType));
  return Ops::template Along<kDType>(staged);
}

// Loads kLanes words from `k` on of a row that has `length` k, with zeros after the last one.
template <class Ops, DType kDType>
JAXGEMM_INLINE WordV LoadAlong(const char* row, int length, int k) {
  const char* p = row + k * DTypeBytes(kDType);
  if (k + kLanes * Ops::kPerWord <= length) return Ops::template Along<kDType>(p);
  return LoadAlongPart<Ops, kDType>(p, length - k);
}

// The elements of one k that are zeros, for all rows of a block of lhs.
alignas(64) constexpr char kZeros[kHostBlockM * 4] = {};

// Loads a word of kLanes rows, with zeros after `count` of them. The elements of its k are at p;
// those of the second k of a pair are at `next`.
template <class Ops, DType kDType>
JAXGEMM_INLINE WordV LoadAcross(const char* p, const char* next, int count) {
  constexpr int kBytes = DTypeBytes(kDType);
  if (count >= kLanes) return Ops::template Across<kDType>(p, next);
  char first[kLanes * kBytes], second[kLanes * kBytes];
  CopyPart<kBytes>(first, p, count * kBytes);
  if constexpr (Ops::kPerWord == 2) CopyPart<kBytes>(second, next, count * kBytes);
  return Ops::template Across<kDType>(first, second);
}

// Prefetches the cache line `bytes` bytes after `from`. The processor's own prefetchers stop at the
// end of a page, and one k of rhs or one row of lhs often fills a page. The address may lie outside
// the operand: a prefetch does not fault.
JAXGEMM_INLINE void PrefetchAhead(const void* from, int64_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(from) + bytes;
  __builtin_prefetch(reinterpret_cast<const void*>(address));
}

// Prefetches the cache line at (row, k); one call is enough for all of its elements.
JAXGEMM_INLINE void Prefetch(const SourceRows& from, int row, int k) {
  PrefetchAhead(from.data, row * from.row_stride + k * from.k_stride);
}

template <class Ops, DType kDType>
void PackRows(uint32_t* dst, const SourceRows& from) {
  const int words = Words<Ops>(from.k);
  if (from.k_stride == DTypeBytes(kDType) && !from.k_indices) {
    for (int row = 0; row < from.count; ++row) {
      // There is no index after the last one.
      const int next =
          from.row_indices && row + kPrefetchRows >= from.count ? row : row + kPrefetchRows;
      const char *line = from.Row(row), *ahead = from.Row(next);
      for (int word = 0; word < words; word += kLanes) {
        const int k = word * Ops::kPerWord, bytes = k * DTypeBytes(kDType);
        if (bytes % 64 == 0) PrefetchAhead(ahead, bytes);
        Store(dst + row * kRowWords + word,
              line ? LoadAlong<Ops, kDType>(line, from.k, k) : WordV{});
      }
    }
    return;
  }
  if constexpr (kDType == Ops::kWordDType && Ops::kPerWord == 1) {
    if (from.count <= kCopiedRows) {
      // A vector of zeros first, a part of which stays after the last word.
      for (int row = 0; row < from.count; ++row) {
        Store(dst + row * kRowWords + words / kLanes * kLanes, WordV{});
      }
      for (int k = 0; k < words; ++k) {
        const char* line = from.AtK(k);
        for (int row = 0; row < from.count; ++row) {
          dst[row * kRowWords + k] = line ? Load<uint32_t>(line + row * 4) : 0;
        }
      }
      return;
    }
  }
  for (int word = 0; word < words; word += kLanes) {
    constexpr int kMostK = kLanes * Ops::kPerWord;
    const char* lines[kMostK];
    for (int i = 0; i < kMostK; ++i) {
      const char* line = from.AtK(word * Ops::kPerWord + i);
      lines[i] = line ? line : kZeros;
    }
    for (int row = 0; row < from.count; row += kLanes) {
      WordV x[kLanes] = {};
      for (int i = 0; i < kLanes && word + i < words; ++i) {
        const int bytes = row * DTypeBytes(kDType);
        x[i] =
            LoadAcross<Ops, kDType>(lines[i * Ops::kPerWord] + bytes,
                                    lines[(i + 1) * Ops::kPerWord - 1] + bytes, from.count - row);
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
  return rows.k_stride == DTypeBytes(kDType) && !rows.k_indices &&
         (rows.row_stride != rows.k_stride || rows.count == 1);
}

// Packs at most kCount words, from the one at `k` on, of kLanes whole rows that are contiguous
// along k. Each row is loaded as kCount words: those after its last k are not stored, or made zero.
template <class Ops, DType kDType, int kCount>
JAXGEMM_INLINE void PackWords(uint32_t* panel, const SourceRows& from, int row, int k, int words) {
  const char* p = from.data + row * from.row_stride + k * DTypeBytes(kDType);
  const bool prefetch = k * DTypeBytes(kDType) % 64 == 0;
  WordV x[kCount];
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    if (prefetch) {
#pragma GCC unroll 4
      for (int j = i; j < kLanes; j += kCount) Prefetch(from, row + kPanel + j, k);
    }
    if constexpr (kCount == kLanes) {
      x[i] = Ops::template Along<kDType>(p + i * from.row_stride);
    } else {
      x[i] = LoadParts<kCount>(p + i * from.row_stride, kCount * from.row_stride);
    }
  }
  Transpose(x);
  const bool half_word = Ops::kPerWord == 2 && from.k - k == 2 * words - 1;
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    if (i == words) break;
    if (half_word && i == words - 1) x[i] &= 0xffffu;
    Store(panel + i * kPanel, x[i]);
  }
}

// Packs rows that are contiguous along k. `rows` is their number, rounded up to whole panels.
template <class Ops, DType kDType>
JAXGEMM_INLINE void PackContiguous(uint32_t* dst, const SourceRows& from, int rows, int words) {
  const char* end = from.End<kDType>();
  for (int row = 0; row < rows; row += kLanes) {
    const bool all_rows = row + kLanes <= from.count;
    const char* last = from.data + (row + kLanes - 1) * from.row_stride;
    for (int word = 0, step; word < words; word += step) {
      const int k = word * Ops::kPerWord, rest = words - word;
      uint32_t* panel = dst + (int64_t{row / kPanel} * words + word) * kPanel + row % kPanel;
      // Whether all rows may be loaded as so many words: the loads end inside the operand, and
      // words after the last k are not needed.
      const auto fits = [&](int loaded) __attribute__((always_inline)) {
        const int k_end = k + loaded * Ops::kPerWord;
        return all_rows && last + k_end * DTypeBytes(kDType) <= end &&
               (Ops::kWordMultiple == 1 || k_end <= from.k);
      };
      const auto pack = [&]<int kCount>(Indices<kCount>) __attribute__((always_inline)) {
        if (!fits(kCount)) return false;
        step = kCount;
        PackWords<Ops, kDType, kCount>(panel, from, row, k, rest < kCount ? rest : kCount);
        return true;
      };
      // Parts of vectors are joined while they are loaded, which takes fewer shuffles.
      if constexpr (kDType == Ops::kWordDType && kLanes > 4) {
        if (rest <= 4 && pack(Indices<4>())) continue;
        if (pack(Indices<8>())) continue;
      } else {
        if (pack(Indices<kLanes>())) continue;
      }
      step = kLanes;
      WordV x[kLanes] = {};
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        if (row + i < from.count) x[i] = LoadAlong<Ops, kDType>(from.Row(row + i), from.k, k);
      }
      Transpose(x);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        if (i < rest) Store(panel + i * kPanel, x[i]);
      }
    }
  }
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
    return PackContiguous<Ops, kDType>(dst, from, rows, words);
  }
  // Packs 8 k at a time: the processor's prefetchers can follow that many streams, and the
  // stores fill whole cache lines of a panel.
  constexpr int kGroup = 8 / Ops::kPerWord;
  for (int word = 0; word < words; word += kGroup) {
    const int count = words - word < kGroup ? words - word : kGroup;
    for (int row = 0; row < rows; row += kPanel) {
      uint32_t* panel = at(row, word);
      const int k = word * Ops::kPerWord;
      if (row + kPanel <= from.count && k + 8 <= from.k && !from.k_indices) {
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
      const int64_t bytes = row * DTypeBytes(kDType);
      const auto part = [&](int k) {
        if (from.k_indices && bytes % 64 == 0) PrefetchAhead(from.AtK(k + k_ahead), bytes);
        const char* line = from.AtK(k);
        return line ? line + bytes : kZeros;
      };
      for (int i = 0; i < count; ++i) {
        const char* p = part(k + i * Ops::kPerWord);
        const char* next = Ops::kPerWord == 2 ? part(k + 2 * i + 1) : p;
        for (int lane = 0; lane < kPanel; lane += kLanes) {
          const int rest = from.count - row - lane, offset = lane * DTypeBytes(kDType);
          Store(panel + i * kPanel + lane,
                rest > 0 ? LoadAcross<Ops, kDType>(p + offset, next + offset, rest) : WordV{});
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

// The rows of lhs, or the columns of rhs.
template <DType kDType>
SourceRows RowsOf(const OperandView& a, int k, int rows) {
  constexpr int kBytes = DTypeBytes(kDType);
  return {static_cast<const char*>(a.data),
          a.col_stride * kBytes,
          a.row_stride * kBytes,
          k,
          rows,
          a.col_indices,
          a.row_indices,
          a.lines};
}
template <DType kDType>
SourceRows ColumnsOf(const OperandView& b, int k, int cols) {
  constexpr int kBytes = DTypeBytes(kDType);
  return {static_cast<const char*>(b.data),
          b.row_stride * kBytes,
          b.col_stride * kBytes,
          k,
          cols,
          b.row_indices,
          b.col_indices,
          b.lines};
}

template <class Ops>
void PackA(void* dst, const OperandView& a, int rows, int k) {
  WithDType<Ops>(a.dtype, [&]<DType kDType> {
    PackRows<Ops, kDType>(static_cast<uint32_t*>(dst), RowsOf<kDType>(a, k, rows));
  });
}

template <class Ops>
void PackB(void* dst, const OperandView& b, int k, int cols) {
  WithDType<Ops>(b.dtype, [&]<DType kDType> {
    PackPanels<Ops, kDType>(static_cast<uint32_t*>(dst), ColumnsOf<kDType>(b, k, cols), 8);
  });
}

}  // namespace
}  // namespace jaxgemm
