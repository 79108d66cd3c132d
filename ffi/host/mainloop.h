// The host's main loop: accumulates one work tile, one block of k after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "host/kernel.h"

namespace jaxgemm {

inline const char* Offset(const void* base, int64_t elements, int64_t bytes) {
  return static_cast<const char*>(base) + elements * bytes;
}

// The part of an operand from a row and a column on.
inline OperandView From(OperandView view, int64_t row, int64_t col, int64_t bytes) {
  if (view.row_indices) view.row_indices += row, row = 0;
  if (view.col_indices) view.col_indices += col, col = 0;
  view.data = Offset(view.data, row * view.row_stride + col * view.col_stride, bytes);
  return view;
}

// The scales of an operand's blocks from a tile's first line on. Here a line is a row of lhs or a
// column of rhs.
struct BlockScales {
  const float* data = nullptr;       // of the matrix; null: none
  int64_t first = 0, block = 1;      // the tile's first line, and the lines of a block
  int64_t stride = 0, k_stride = 0;  // from one block of lines, or of k, to the next

  // The scales of `count` lines from `line` on, for one block of k.
  void Load(int64_t line, int64_t count, int64_t k_block, float* to) const {
    const float* from = data + k_block * k_stride;
    const int64_t begin = first + line, end = begin + count;
    for (int64_t i = begin; i < end;) {
      const int64_t row = block == 1 ? i : i / block;
      const int64_t stop = std::min(end, (row + 1) * block);
      for (const float scale = from[row * stride]; i < stop; ++i) *to++ = scale;
    }
  }
};

// What the main loop of a product with scales needs beside the operands.
struct ScaledBlocks {
  BlockScales lhs, rhs;
  int64_t block_k = 0;  // 0: the product has no scales
  int64_t first_k = 0;  // the tile's first k, counted from the operand's
  void* scratch = nullptr;

  // The block that has the tile's k-th k, and the k of the tile at which that block ends.
  int64_t Block(int64_t k) const { return (first_k + k) / block_k; }
  int64_t End(int64_t k) const { return (Block(k) + 1) * block_k - first_k; }
};

// Whether a tile reads lhs in place. Lines that are a multiple of half a page apart would share few
// places of the L1.
inline bool ReadsInPlace(const HostKernel& kernel, const OperandView& lhs) {
  constexpr int64_t kHalfPage = 2048;
  const int64_t line_stride = lhs.col_stride == 1 ? lhs.row_stride : lhs.col_stride;
  const bool gathered = lhs.row_indices || lhs.col_indices;
  return kernel.multiply_in_place && lhs.dtype == DType::kF32 && !gathered &&
         line_stride * 4 % kHalfPage != 0;
}

// If a tile has one block of rows, rhs is packed in pieces of so many columns. Each is multiplied
// while it is in the L1 or the L2. Meanwhile the next piece of a row-major rhs is prefetched. Up to
// so long a k, a row of whole tiles comes after the other (host/panels.h). These are tuning
// constants.
constexpr int kPieceCols = 64, kPieceK = 128;

// c[rows, cols] (+)= lhs[rows, k] rhs[k, cols]. packed_a and packed_b are this workgroup's scratch;
// the path for few rows does not use packed_b. Elements of c have 4 bytes.
inline void MainLoop(const HostKernel& kernel, OperandView lhs, int64_t lhs_bytes, OperandView rhs,
                     int64_t rhs_bytes, int64_t rows, int64_t cols, int64_t k, bool accumulate,
                     bool few_rows, void* packed_a, void* packed_b, const ScaledBlocks& scaled,
                     char* c, int64_t ldc) {
  if (k == 0 && !accumulate) {
    for (int64_t row = 0; row < rows; ++row) {
      std::memset(c + row * ldc * 4, 0, static_cast<size_t>(cols) * 4);
    }
    return;
  }
  const bool in_place = !few_rows && ReadsInPlace(kernel, lhs);
  auto* col_scales = static_cast<float*>(scaled.scratch);
  float *row_scales = col_scales + cols, *part = row_scales + std::min<int64_t>(rows, kHostBlockM);
  for (int64_t k_begin = 0, k_end; k_begin < k; k_begin = k_end, accumulate = true) {
    k_end = std::min(k, k_begin + (few_rows ? kHostBlockK : kernel.block_k));
    if (scaled.block_k) {
      k_end = std::min(k_end, scaled.End(k_begin));
      scaled.rhs.Load(0, cols, scaled.Block(k_begin), col_scales);
    }
    const int block_k = static_cast<int>(k_end - k_begin), width = static_cast<int>(cols);
    const bool in_pieces = !few_rows && !scaled.block_k && rows <= kHostBlockM && block_k > kPieceK;
    const int most = in_pieces ? kPieceCols : width;
    for (int col = 0; col < width; col += most) {
      const int piece = std::min(most, width - col);
      const OperandView b = From(rhs, k_begin, col, rhs_bytes);
      if (!few_rows) kernel.pack_b(packed_b, b, block_k, piece);
      NextRhs next;
      // The first piece's tiles prefetch lhs.
      if (in_pieces && rhs.col_stride == 1 && !rhs.row_indices && col > 0) {
        const char* data = col + piece < width ? Offset(b.data, piece, rhs_bytes)
                           : k_end < k         ? Offset(rhs.data, k_end * rhs.row_stride, rhs_bytes)
                                               : nullptr;
        // The last elements of the lines: if a row does not begin with a line, the piece before has
        // loaded the first one.
        if (data) next.data = data + 64 - rhs_bytes;
        next.k_stride = rhs.row_stride * rhs_bytes;
        next.lines = static_cast<int>(kPieceCols * rhs_bytes / 64);
      }
      for (int64_t row = 0; row < rows; row += kHostBlockM) {
        int block_m = static_cast<int>(std::min<int64_t>(kHostBlockM, rows - row));
        const OperandView a = From(lhs, row, k_begin, lhs_bytes);
        // All pieces have the same rows.
        if (!in_place && col == 0) kernel.pack_a(packed_a, a, block_m, block_k);
        char* c_row = c + (row * ldc + col) * 4;
        auto multiply = [&](void* to, int64_t ld, bool adds) {
          if (few_rows) {
            kernel.multiply_few_rows(packed_a, b, block_m, piece, block_k, to, ld, adds);
          } else if (in_place) {
            kernel.multiply_in_place(a, packed_b, block_m, piece, block_k, to, ld, adds, next);
          } else {
            kernel.multiply(packed_a, packed_b, block_m, piece, block_k, to, ld, adds, next);
          }
        };
        if (!scaled.block_k) {
          multiply(c_row, ldc, accumulate);
          continue;
        }
        multiply(part, cols, false);
        scaled.lhs.Load(row, block_m, scaled.Block(k_begin), row_scales);
        kernel.promote(part, cols, block_m, width, row_scales, col_scales,
                       reinterpret_cast<float*>(c_row), ldc, accumulate);
      }
    }
  }
}

}  // namespace jaxgemm
