// The host kernel, generic in the vector width and in how products are formed (an `Ops` of
// host_ops.h). Included by each translation unit that implements an instruction set, after it
// has defined JAXGEMM_VECTOR_BYTES and JAXGEMM_TILE_ROWS.
//
// Operands are packed into 32-bit words along k: one float or int32, or a pair of bf16 or
// int16 that one dot-product instruction takes. lhs keeps its rows, at a fixed stride that is
// no power of two; each of its words is broadcast from memory. rhs is cut into panels of
// kPanel columns, so that the inner loop reads it in one sweep.
#pragma once

#include "kernel/host_kernel.h"
#include "kernel/host_ops.h"
#include "kernel/host_store.h"
#include "kernel/host_vector.h"

namespace jaxgemm {
namespace {

constexpr int kTileRows = JAXGEMM_TILE_ROWS;
constexpr int kPanel = 2 * kLanes;
constexpr int kRowWords = 528;
constexpr int kPrefetchRows = 4;
// The skinny path converts this much of rhs at a time, on the stack: it stays in L1.
constexpr int kSkinnyWords = 16;
constexpr int kSkinnyCols = 256;

template <class Ops>
constexpr int Words(int k) {
  return (k + Ops::kPerWord - 1) / Ops::kPerWord;
}

// ---- Packing. A `line` is a row of lhs or a column of rhs: the two are packed by the same
// loads, along a line or across lines.

struct Lines {
  const char* data;
  int64_t k_stride, line_stride;  // bytes
  int k, lines;
};

// kLanes words of one line from `k` on; zeros past the last k.
template <class Ops, DType kDType>
JAXGEMM_INLINE WordV LoadAlong(const Lines& from, int line, int k) {
  constexpr int kCount = kLanes * Ops::kPerWord;
  const char* p = from.data + line * from.line_stride + k * DTypeBytes(kDType);
  char staged[kCount * DTypeBytes(kDType)];
  if (k + kCount > from.k) {
    __builtin_memset(staged, 0, sizeof staged);
    __builtin_memcpy(staged, p, (from.k - k) * DTypeBytes(kDType));
    p = staged;
  }
  return Ops::template Along<kDType>(p);
}

// The word at `k` of kLanes lines; zeros past the last line and the last k.
template <class Ops, DType kDType>
JAXGEMM_INLINE WordV LoadAcross(const Lines& from, int line, int k) {
  alignas(64) static constexpr char kZeros[kLanes * 4] = {};
  const char* p[2] = {from.data + k * from.k_stride + line * DTypeBytes(kDType), kZeros};
  if (Ops::kPerWord == 2 && k + 1 < from.k) p[1] = p[0] + from.k_stride;
  char staged[2][kLanes * DTypeBytes(kDType)];
  if (line + kLanes > from.lines) {
    __builtin_memset(staged, 0, sizeof staged);
    for (int i = 0; i < Ops::kPerWord; ++i) {
      __builtin_memcpy(staged[i], p[i], (from.lines - line) * DTypeBytes(kDType));
      p[i] = staged[i];
    }
  }
  return Ops::template Across<kDType>(p[0], p[1]);
}

// The processor's own prefetchers stop at the end of a page, which a row often is. The address
// may lie outside the operand: it is never read.
template <DType kDType>
JAXGEMM_INLINE void PrefetchSource(const Lines& from, int line, int k) {
  const auto address = reinterpret_cast<uintptr_t>(from.data) + line * from.line_stride +
                       k * from.k_stride;
  __builtin_prefetch(reinterpret_cast<const void*>(address));
}

template <class Ops, DType kDType>
void PackRows(uint32_t* dst, const Lines& from) {
  const int words = Words<Ops>(from.k);
  if (from.k_stride == DTypeBytes(kDType)) {
    for (int line = 0; line < from.lines; ++line) {
      for (int word = 0; word < words; word += kLanes) {
        PrefetchSource<kDType>(from, line + kPrefetchRows, word * Ops::kPerWord);
        Store(dst + line * kRowWords + word,
              LoadAlong<Ops, kDType>(from, line, word * Ops::kPerWord));
      }
    }
    return;
  }
  for (int word = 0; word < words; word += kLanes) {
    for (int line = 0; line < from.lines; line += kLanes) {
      WordV x[kLanes] = {};
      for (int i = 0; i < kLanes && word + i < words; ++i) {
        x[i] = LoadAcross<Ops, kDType>(from, line, (word + i) * Ops::kPerWord);
      }
      Transpose(x);
      for (int i = 0; i < kLanes && line + i < from.lines; ++i) {
        Store(dst + (line + i) * kRowWords + word, x[i]);
      }
    }
  }
}

template <class Ops, DType kDType>
void PackPanels(uint32_t* dst, const Lines& from) {
  const int words = Words<Ops>(from.k);
  const auto at = [&](int line, int word) {
    return dst + (int64_t{line / kPanel} * words + word) * kPanel + line % kPanel;
  };
  const int lines = (from.lines + kPanel - 1) / kPanel * kPanel;
  if (from.k_stride == DTypeBytes(kDType) && from.line_stride != from.k_stride) {
    for (int line = 0; line < lines; line += kLanes) {
      for (int word = 0; word < words; word += kLanes) {
        WordV x[kLanes] = {};
        for (int i = 0; i < kLanes && line + i < from.lines; ++i) {
          x[i] = LoadAlong<Ops, kDType>(from, line + i, word * Ops::kPerWord);
        }
        Transpose(x);
        for (int i = 0; i < kLanes && word + i < words; ++i) Store(at(line, word + i), x[i]);
      }
    }
    return;
  }
  // A few k at a time: as many streams are read as the prefetchers can follow, and the
  // stores fill whole cache lines of a panel.
  constexpr int kGroup = 8 / Ops::kPerWord;
  for (int word = 0; word < words; word += kGroup) {
    for (int line = 0; line < lines; line += kLanes) {
      for (int i = word; i < word + kGroup && i < words; ++i) {
        PrefetchSource<kDType>(from, line, (i + kGroup) * Ops::kPerWord);
        Store(at(line, i), line < from.lines
                               ? LoadAcross<Ops, kDType>(from, line, i * Ops::kPerWord)
                               : WordV{});
      }
    }
  }
}

// Calls body.template operator()<dtype>() if this math takes such operands.
template <class Ops, class Body>
void WithDType(DType dtype, Body body) {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out)    \
  if constexpr (is_operand && Ops::Takes(DType::id)) {           \
    if (dtype == DType::id) body.template operator()<DType::id>(); \
  }
#include "instances.def"
#undef JAXGEMM_DTYPE
}

template <class Ops>
void PackA(void* dst, const OperandView& a, int rows, int k) {
  WithDType<Ops>(a.dtype, [&]<DType kDType> {
    constexpr int kBytes = DTypeBytes(kDType);
    PackRows<Ops, kDType>(static_cast<uint32_t*>(dst),
                          {static_cast<const char*>(a.data), a.col_stride * kBytes,
                           a.row_stride * kBytes, k, rows});
  });
}

template <class Ops>
void PackB(void* dst, const OperandView& b, int k, int cols) {
  WithDType<Ops>(b.dtype, [&]<DType kDType> {
    constexpr int kBytes = DTypeBytes(kDType);
    PackPanels<Ops, kDType>(static_cast<uint32_t*>(dst),
                            {static_cast<const char*>(b.data), b.row_stride * kBytes,
                             b.col_stride * kBytes, k, cols});
  });
}

// ---- Multiplying.

template <class Ops>
using TileFn = void (*)(const uint32_t* a, const uint32_t* b, int words, int cols,
                        typename Ops::Acc* c, int64_t ldc, bool accumulate);

// c[kRows, cols <= kPanel] (+)= kRows rows of lhs times one panel, all in registers.
template <class Ops, int kRows>
void MultiplyTile(const uint32_t* a, const uint32_t* b, int words, int cols,
                  typename Ops::Acc* c, int64_t ldc, bool accumulate) {
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
  typename Ops::Acc edge[kRows][kPanel];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    Store(edge[r], acc[r][0]);
    Store(edge[r] + kLanes, acc[r][1]);
  }
  for (int r = 0; r < kRows; ++r) {
    for (int j = 0; j < cols; ++j) {
      c[r * ldc + j] = accumulate ? c[r * ldc + j] + edge[r][j] : edge[r][j];
    }
  }
}

template <class Ops, class Rows>
struct TileTable;
template <class Ops, int... i>
struct TileTable<Ops, Lanes<i...>> {
  static constexpr TileFn<Ops> kByRows[] = {MultiplyTile<Ops, i + 1>...};
};

template <class Ops>
void MultiplyWords(const uint32_t* a, const uint32_t* b, int rows, int cols, int words,
                   typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  using Table = TileTable<Ops, typename MakeLanes<kTileRows>::Type>;
  // Rows are shared out evenly: no block is left with so few that it waits for its adds.
  const int blocks = (rows + kTileRows - 1) / kTileRows;
  for (int col = 0; col < cols; col += kPanel) {
    const int width = cols - col < kPanel ? cols - col : kPanel;
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int count = (rows - row) / (blocks - block);
      Table::kByRows[count - 1](a + row * kRowWords, b, words, width, c + row * ldc + col,
                                ldc, accumulate);
      row += count;
    }
    b += words * kPanel;
  }
}

template <class Ops>
void Multiply(const void* packed_a, const void* packed_b, int rows, int cols, int k, void* c,
              int64_t ldc, bool accumulate) {
  MultiplyWords<Ops>(static_cast<const uint32_t*>(packed_a),
                     static_cast<const uint32_t*>(packed_b), rows, cols, Words<Ops>(k),
                     static_cast<typename Ops::Acc*>(c), ldc, accumulate);
}

template <class Ops, DType kDType>
void MultiplyStream(const uint32_t* a, const Lines& b, int rows, typename Ops::Acc* c,
                    int64_t ldc, bool accumulate) {
  alignas(64) uint32_t panels[kSkinnyWords * kSkinnyCols];
  constexpr int kStep = kSkinnyWords * Ops::kPerWord;
  for (int col = 0; col < b.lines; col += kSkinnyCols) {
    const int cols = b.lines - col < kSkinnyCols ? b.lines - col : kSkinnyCols;
    int k = 0;
    do {
      const int count = b.k - k < kStep ? b.k - k : kStep;
      PackPanels<Ops, kDType>(panels, {b.data + k * b.k_stride + col * b.line_stride,
                                       b.k_stride, b.line_stride, count, cols});
      MultiplyWords<Ops>(a + k / Ops::kPerWord, panels, rows, cols, Words<Ops>(count),
                         c + col, ldc, accumulate || k > 0);
      k += kStep;
    } while (k < b.k);
  }
}

template <class Ops>
void MultiplySkinny(const void* packed_a, const OperandView& b, int rows, int cols, int k,
                    void* c, int64_t ldc, bool accumulate) {
  WithDType<Ops>(b.dtype, [&]<DType kDType> {
    constexpr int kBytes = DTypeBytes(kDType);
    MultiplyStream<Ops, kDType>(
        static_cast<const uint32_t*>(packed_a),
        {static_cast<const char*>(b.data), b.row_stride * kBytes, b.col_stride * kBytes, k,
         cols},
        rows, static_cast<typename Ops::Acc*>(c), ldc, accumulate);
  });
}

template <class Ops>
constexpr HostKernel MakeHostKernel(const char* name, Math math, int block_k) {
  return {name,          math,           block_k,
          PackA<Ops>,    PackB<Ops>,     Multiply<Ops>,
          MultiplySkinny<Ops>, StoreTile<typename Ops::Acc>};
}

}  // namespace
}  // namespace jaxgemm
