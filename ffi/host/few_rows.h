// A variant of host/panels.h for products with few rows of lhs: rhs is read in place, not packed.
#pragma once

#include "host/panels.h"

namespace jaxgemm {
namespace {

// The distances of prefetches and the sizes below are tuning constants. The path for few rows
// converts kFewRowsWords x kFewRowsCols of an rhs at a time, or twice the words of half or a
// quarter of the columns, on the stack, so that they stay in L1. It prefetches a column-major rhs
// kDotAhead columns ahead.
constexpr int kFewRowsWords = 16;
constexpr int kFewRowsCols = 256;
constexpr int kDotRows = kTileRows < 12 ? 3 : 6;  // the most rows of a DotTile,
constexpr int kDotCols = 4;                       // and the most columns
constexpr int kDotAhead = 4;
// A DotTile adds up the lanes of its accumulators at the end. If k has fewer words than this, rhs
// is packed instead, and each lane has an accumulator of its own. The more rows use a packed rhs,
// the longer is the k for which packing pays. It pays less if rhs comes from memory, which waits
// while packed columns are multiplied. Few columns do not fill the panels.
constexpr int DotWords(int rows, int cols, bool rhs_in_l2) {
  if (rows == 1) return kLanes;
  if (rows <= kDotRows || cols < 3 * kPanel) return 2 * kLanes;
  const int least = rhs_in_l2 ? 40 : 24, per_row = rhs_in_l2 ? 4 : 2;
  return rows * per_row > least ? rows * per_row : least;
}
constexpr int kConvertedCols = 4;  // columns of a float8 rhs that are converted at a time
// How many rows of rhs a DirectTile takes at a time. With few of them the processor's prefetchers
// can follow each row. With many rows of lhs it takes longer to load and store their accumulators.
constexpr int DirectK(int rows) { return rows <= 2 ? 8 : rows <= 8 ? 16 : 32; }
// The most vectors of columns of a DirectTile if rhs is in the L2, where the latency of the adds
// matters: few rows have few accumulators. A larger rhs has two if these are more than two cache
// lines of float32, and is prefetched better.
constexpr int DirectVectors(int rows) { return rows == 1 ? 8 : rows <= 3 ? 4 : 2; }
constexpr int StreamVectors(int rows) {
  return DirectVectors(rows) * kLanes <= 32 ? DirectVectors(rows) : 2;
}
// Up to so many rows take three vectors at a time if so many columns are left.
constexpr int kThreeVectorRows = kTileRows < 12 ? 4 : 8;
constexpr int64_t kRhsInL2Bytes = 1 << 20;
constexpr int kTilesAhead = 2;  // for prefetches, if a DirectTile takes all rows of rhs
// With so many words several of them in turn have accumulators of their own, if there are few.
constexpr int kLongWords = 32;
constexpr int DirectTurns(int accumulators) {
  return accumulators <= 2 ? 4 : accumulators <= 4 ? 2 : 1;
}

// The most rows for which a row-major rhs is read in place and not packed. Each block of kTileRows
// rows converts rhs anew.
template <class Ops, DType kDType>
constexpr int kDirectRows = DTypeBytes(kDType) == 4 ? kHostFewRows : 2 * kTileRows;

// c[kRows, cols] (+)= kRows rows of lhs times `cols` columns of rhs from `col` on, kCols columns at
// a time. Both are contiguous along k. All rows use a loaded vector of rhs; the lanes are added up
// at the end.
template <class Ops, DType kDType, int kRows, int kCols>
void DotTile(const uint32_t* a, const SourceRows& b, int col, int cols, typename Ops::Acc* c,
             int64_t ldc, bool accumulate) {
  constexpr int kCount = kLanes * Ops::kPerWord, kBytes = DTypeBytes(kDType);
  constexpr int kLine = kCount * kBytes < 64 ? 64 / kBytes : kCount;  // of a cache line
  // Copies of what is in memory, because c could overlap with it for all that the compiler knows.
  const int64_t stride = b.row_stride;
  const int length = b.k, whole = length / kCount * kCount;
  const char* line = b.data + col * stride;
  for (const auto* end = c + cols; c < end; c += kCols, line += kCols * stride) {
    typename Ops::AccV acc[kRows][kCols] = {};
    const auto step = [&](int k, auto load) __attribute__((always_inline)) {
      WordV x[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) x[r] = Load<WordV>(a + r * kRowWords + k / Ops::kPerWord);
#pragma GCC unroll 4
      for (int j = 0; j < kCols; ++j) {
        WordV y = load(line + j * stride + k * kBytes);
        KeepInRegister<kRows * kCols + kRows + 1>(y);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) acc[r][j] = Ops::MultiplyAdd(acc[r][j], x[r], y);
      }
    };
    const auto whole_step = [&](int k) __attribute__((always_inline)) {
      step(k, [](const char* from) { return Ops::template Along<kDType>(from); });
    };
    int k = 0;
    for (; k + kLine <= whole; k += kLine) {
#pragma GCC unroll 4
      for (int j = 0; j < kCols; ++j) {
        PrefetchAhead(line + j * stride + k * kBytes, kDotAhead * stride);
      }
#pragma GCC unroll 4
      for (int i = 0; i < kLine; i += kCount) whole_step(k + i);
    }
    for (; k < whole; k += kCount) whole_step(k);
    if (whole < length) {
      step(whole, [&](const char* from) __attribute__((always_inline)) {
        return LoadAlongPart<Ops, kDType>(from, length - whole);
      });
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      typename Ops::Acc* to = c + r * ldc;
      if constexpr (kCols == 4) {
        auto totals = SumFour(acc[r]);
        if (accumulate) totals += Load<decltype(totals)>(to);
        Store(to, totals);
      } else {
        for (int j = 0; j < kCols; ++j) to[j] = (accumulate ? to[j] : 0) + Sum(acc[r][j]);
      }
    }
  }
}

template <class Ops, DType kDType, class Rows>
struct DotTable;
template <class Ops, DType kDType, int... i>
struct DotTable<Ops, kDType, Indices<i...>> {
  using Fn = void (*)(const uint32_t*, const SourceRows&, int, int, typename Ops::Acc*, int64_t,
                      bool);
  static constexpr Fn kOne[] = {DotTile<Ops, kDType, i + 1, 1>...};
  static constexpr Fn kMost[] = {DotTile<Ops, kDType, i + 1, kDotCols>...};
};

template <class Ops, DType kDType, int kMaxRows = kDotRows>
void MultiplyDots(const uint32_t* a, const SourceRows& b, int rows, typename Ops::Acc* c,
                  int64_t ldc, bool accumulate) {
  using Table = DotTable<Ops, kDType, typename MakeIndices<kMaxRows>::Type>;
  const int blocks = (rows + kMaxRows - 1) / kMaxRows;
  for (int col = 0; col < b.count;) {
    const bool most = col + kDotCols <= b.count;
    const auto& tiles = most ? Table::kMost : Table::kOne;
    // Several blocks of rows take turns with few columns, which stay in the L1.
    const int cols = !most ? 1 : blocks > 1 ? kDotCols : (b.count - col) / kDotCols * kDotCols;
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int count = (rows - row) / (blocks - block);
      tiles[count - 1](a + row * kRowWords, b, col, cols, c + row * ldc + col, ldc, accumulate);
      row += count;
    }
    col += cols;
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
        Store(words + j * kRowWords + word, LoadAlong<Ops, kDType>(b.Row(col + j), b.k, k));
      }
    }
    constexpr int kBytes = DTypeBytes(Ops::kWordDType);
    MultiplyDots<Ops, Ops::kWordDType>(
        a, {reinterpret_cast<const char*>(words), kBytes, kRowWords * 4, b.k, cols}, rows, c + col,
        ldc, accumulate);
  }
}

// c[kRows, cols <= kVectors * kLanes] (+)= `words` words of kRows rows of lhs times columns of rhs
// from `col` on, where rhs is row-major and its words from `k` on are converted in registers. It
// prefetches these columns `k_ahead` rows ahead. kTurns words in turn have accumulators of their
// own.
template <class Ops, DType kDType, int kRows, int kVectors, int kTurns = 1>
void DirectTile(const uint32_t* a, const SourceRows& b, int col, int k, int words, int cols,
                int64_t ahead, typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  constexpr int kBytes = DTypeBytes(kDType), kPerWord = Ops::kPerWord;
  typename Ops::AccV turns[kTurns][kRows][kVectors] = {};
  auto& acc = turns[0];
  const auto step = [&](const WordV(&y)[kVectors], int word, int turn)
                        __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const WordV x = Ops::Broadcast(a + r * kRowWords + word);
#pragma GCC unroll 8
      for (int i = 0; i < kVectors; ++i) {
        turns[turn][r][i] = Ops::MultiplyAdd(turns[turn][r][i], x, y[i]);
      }
    }
  };
  // Whole vectors are loaded as long as they end inside rhs. Columns after the last one may have
  // any value.
  const char* p = b.data + k * b.k_stride + col * kBytes;
  const int64_t room = b.End<kDType>() - p - kVectors * kLanes * kBytes;
  const int64_t rows = room < 0 ? 0 : cols == kVectors * kLanes ? b.k - k : room / b.k_stride + 1;
  int whole = static_cast<int>(rows < b.k - k ? rows : b.k - k) / kPerWord;
  if (whole > words) whole = words;
  int word = 0;
  const auto whole_word = [&](int turn) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int i = 0; i < kPerWord; ++i) {
#pragma GCC unroll 8
      for (int line = 0; line < kVectors * kLanes * kBytes; line += 64) {
        PrefetchAhead(p, i * b.k_stride + line + ahead);
      }
    }
    WordV y[kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) {
      y[i] = Ops::template Across<kDType>(p + i * kLanes * kBytes,
                                          p + i * kLanes * kBytes + b.k_stride);
    }
    p += kPerWord * b.k_stride;
    step(y, word, turn);
    ++word;
  };
  if constexpr (kTurns > 1) {
    const auto all_turns = [&]<int... turn>(Indices<turn...>)
                               __attribute__((always_inline)) { (whole_word(turn), ...); };
    while (word + kTurns <= whole) all_turns(typename MakeIndices<kTurns>::Type{});
#pragma GCC unroll 4
    for (int turn = 1; turn < kTurns; ++turn) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
        for (int i = 0; i < kVectors; ++i) acc[r][i] += turns[turn][r][i];
      }
    }
  }
#pragma GCC unroll 4
  while (word < whole) whole_word(0);
  for (; word < words; ++word) {
    const auto at = [&](int k) {
      const char* line = b.AtK(k);
      return line ? line + col * kBytes : kZeros;
    };
    const int first = k + word * kPerWord;
    const char *p = at(first), *next = at(first + kPerWord - 1);
    WordV y[kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) {
      const int lane = i * kLanes, offset = lane * kBytes;
      y[i] = lane < cols ? LoadAcross<Ops, kDType>(p + offset, next + offset, b.count - col - lane)
                         : WordV{};
    }
    step(y, word, 0);
  }
  StoreAccumulators<Ops>(acc, cols, c, ldc, accumulate);
}

template <class Ops, DType kDType, class Rows>
struct DirectTable;
template <class Ops, DType kDType, int... i>
struct DirectTable<Ops, kDType, Indices<i...>> {
  using Fn = void (*)(const uint32_t*, const SourceRows&, int, int, int, int, int64_t,
                      typename Ops::Acc*, int64_t, bool);
  static constexpr Fn kOne[] = {DirectTile<Ops, kDType, i + 1, 1>...};
  static constexpr Fn kTwo[] = {DirectTile<Ops, kDType, i + 1, 2>...};
  static constexpr Fn kThree[] = {DirectTile<Ops, kDType, i + 1, 3>...};
  static constexpr Fn kMost[] = {DirectTile<Ops, kDType, i + 1, DirectVectors(i + 1)>...};
  static constexpr Fn kOneLong[] = {DirectTile<Ops, kDType, i + 1, 1, DirectTurns(i + 1)>...};
  static constexpr Fn kTwoLong[] = {DirectTile<Ops, kDType, i + 1, 2, DirectTurns(2 * i + 2)>...};
};

template <class Ops, DType kDType>
void MultiplyDirect(const uint32_t* a, const SourceRows& b, bool rhs_in_l2, int rows,
                    typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  using Table = DirectTable<Ops, kDType, typename MakeIndices<kTileRows>::Type>;
  using FewRows = DirectTable<Ops, kDType, typename MakeIndices<kThreeVectorRows>::Type>;
  const int blocks = (rows + kTileRows - 1) / kTileRows;
  const auto takes_three = [&](int cols) {
    return rows <= kThreeVectorRows && cols > 2 * kLanes && cols <= 3 * kLanes;
  };
  const int width = takes_three(b.count)
                        ? 3 * kLanes
                        : (rhs_in_l2 ? DirectVectors(rows) : StreamVectors(rows)) * kLanes;
  const int most_k =
      b.count <= width || b.k <= (rhs_in_l2 ? 4 : 2) * DirectK(rows) ? b.k : DirectK(rows);
  const int64_t ahead =
      most_k < b.k ? most_k * b.k_stride : kTilesAhead * width * DTypeBytes(kDType);
  const auto multiply = [&](int k, int step, int col) __attribute__((always_inline)) {
    const int words = (step + Ops::kPerWord - 1) / Ops::kPerWord;
    const int cols = b.count - col < width ? b.count - col : width;
    const bool is_long = words >= kLongWords;
    const auto& tiles = cols <= kLanes       ? is_long ? Table::kOneLong : Table::kOne
                        : cols <= 2 * kLanes ? is_long ? Table::kTwoLong : Table::kTwo
                        : takes_three(cols)  ? FewRows::kThree
                                             : Table::kMost;
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int count = (rows - row) / (blocks - block);
      tiles[count - 1](a + row * kRowWords + k / Ops::kPerWord, b, col, k, words, cols, ahead,
                       c + row * ldc + col, ldc, accumulate || k > 0);
      row += count;
    }
  };
  // The last columns are computed for all k at once. Sums of a part of a vector would be loaded
  // right after they were stored in pieces, which takes long.
  const int whole = b.count / width * width;
  int k = 0;
  do {
    const int step = b.k - k < most_k ? b.k - k : most_k;
    for (int col = 0; col < whole; col += width) multiply(k, step, col);
    k += most_k;
  } while (k < b.k);
  if (whole < b.count) multiply(0, b.k, whole);
}

// MultiplyWords of a part of rhs that the path for few rows has packed.
template <class Ops>
void MultiplyPackedPart(const uint32_t* a, const uint32_t* b, int rows, int cols, int words,
                        typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  MultiplyWords<Ops>(a, b, rows, cols, words, c, ldc, accumulate);
}

template <class Ops, DType kDType>
void MultiplyStream(const uint32_t* a, const SourceRows& b, bool rhs_in_l2, int rows,
                    typename Ops::Acc* c, int64_t ldc, bool accumulate) {
  const bool is_long = b.k >= DotWords(rows, b.count, rhs_in_l2) * Ops::kPerWord;
  if (ContiguousInK<kDType>(b) && (b.count == 1 || is_long)) {
    if constexpr (!IsF8(kDType)) {
      MultiplyDots<Ops, kDType>(a, b, rows, c, ldc, accumulate);
    } else if (rows == 1) {
      MultiplyDots<Ops, kDType, 1>(a, b, rows, c, ldc, accumulate);
    } else {
      MultiplyConvertedDots<Ops, kDType>(a, b, rows, c, ldc, accumulate);
    }
    return;
  }
  if constexpr (!IsF8(kDType)) {
    if (b.row_stride == DTypeBytes(kDType) && !b.k_indices && rows <= kDirectRows<Ops, kDType>) {
      return MultiplyDirect<Ops, kDType>(a, b, rhs_in_l2, rows, c, ldc, accumulate);
    }
  }
  alignas(64) uint32_t panels[kFewRowsWords * kFewRowsCols];
  const bool is_short_k = b.k <= 2 * kFewRowsWords * Ops::kPerWord;
  const int k_step = is_short_k ? b.k : kFewRowsWords * Ops::kPerWord;
  const bool in_turn = !rhs_in_l2 && rows > kDotRows;  // reads memory again soon
  const int col_step = !is_short_k ? kFewRowsCols : in_turn ? kFewRowsCols / 4 : kFewRowsCols / 2;
  int k = 0;
  do {
    const int count = b.k - k < k_step ? b.k - k : k_step;
    for (int col = 0; col < b.count; col += col_step) {
      const int cols = b.count - col < col_step ? b.count - col : col_step;
      SourceRows part = b;
      part.data += col * b.row_stride + (b.k_indices ? 0 : k * b.k_stride);
      if (b.k_indices) part.k_indices += k;
      part.k = count, part.count = cols;
      PackPanels<Ops, kDType>(panels, part, k_step);
      MultiplyPackedPart<Ops>(a + k / Ops::kPerWord, panels, rows, cols, Words<Ops>(count), c + col,
                              ldc, accumulate || k > 0);
    }
    k += k_step;
  } while (k < b.k);
}

template <class Ops>
void MultiplyFewRows(const void* packed_a, const OperandView& b, int rows, int cols, int k, void* c,
                     int64_t ldc, bool accumulate) {
  WithDType<Ops>(b.dtype, [&]<DType kDType> {
    MultiplyStream<Ops, kDType>(static_cast<const uint32_t*>(packed_a),
                                ColumnsOf<kDType>(b, k, cols), b.total_bytes <= kRhsInL2Bytes, rows,
                                static_cast<typename Ops::Acc*>(c), ldc, accumulate);
  });
}

}  // namespace
}  // namespace jaxgemm
