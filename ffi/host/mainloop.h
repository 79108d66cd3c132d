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

// c[rows, cols] (+)= lhs[rows, k] rhs[k, cols]. packed_a and packed_b are this workgroup's
// scratch; the skinny path does not use packed_b. Elements of c have 4 bytes.
inline void MainLoop(const HostKernel& kernel, OperandView lhs, int64_t lhs_bytes, OperandView rhs,
                     int64_t rhs_bytes, int64_t rows, int64_t cols, int64_t k, bool accumulate,
                     bool skinny, void* packed_a, void* packed_b, char* c, int64_t ldc) {
  if (k == 0 && !accumulate) {
    for (int64_t row = 0; row < rows; ++row) {
      std::memset(c + row * ldc * 4, 0, static_cast<size_t>(cols) * 4);
    }
    return;
  }
  for (int64_t k_begin = 0; k_begin < k; k_begin += kernel.block_k, accumulate = true) {
    int block_k = static_cast<int>(std::min<int64_t>(kernel.block_k, k - k_begin));
    OperandView b = rhs;
    b.data = Offset(rhs.data, k_begin * rhs.row_stride, rhs_bytes);
    if (!skinny) kernel.pack_b(packed_b, b, block_k, static_cast<int>(cols));
    for (int64_t row = 0; row < rows; row += kHostBlockM) {
      int block_m = static_cast<int>(std::min<int64_t>(kHostBlockM, rows - row));
      OperandView a = lhs;
      a.data = Offset(lhs.data, row * lhs.row_stride + k_begin * lhs.col_stride, lhs_bytes);
      kernel.pack_a(packed_a, a, block_m, block_k);
      char* c_row = c + row * ldc * 4;
      if (skinny) {
        kernel.multiply_skinny(packed_a, b, block_m, static_cast<int>(cols), block_k, c_row, ldc,
                               accumulate);
      } else {
        kernel.multiply(packed_a, packed_b, block_m, static_cast<int>(cols), block_k, c_row, ldc,
                        accumulate);
      }
    }
  }
}

}  // namespace jaxgemm
