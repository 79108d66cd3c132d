// The interface between a CPU micro-kernel and the host main loop. Each instruction set has
// one translation unit, compiled with its own flags, that fills in one HostKernel per `Math`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/epilogue.h"
#include "spec/types.h"

namespace jaxgemm {

// The arithmetic of a kernel. Operands are converted to its type while they are packed.
enum class Math : uint8_t {
  kF32,   // float multiply-add; any float operand
  kBF16,  // dot products of bf16 pairs, added in float; bf16 and (exactly) float8 operands
  kS8,    // int8 multiply-add in int32
};

// Upper bounds that hold for every kernel, so that the size of the workspace does not depend on the
// processor that a plan is made for. They are tuning constants.
inline constexpr int kHostBlockM = 192;  // rows of lhs packed at a time
inline constexpr int kHostBlockK = 512;  // at most this many k packed at a time
inline constexpr int kHostFewRows = 16;  // the path for few rows takes at most this many rows
// Packed rows of lhs are kRowWords (host/packing.h) apart, and AMX reads up to 15 rows after the
// last.
constexpr int64_t HostPackedABytes(int64_t rows) {
  return ((rows < kHostBlockM ? rows : kHostBlockM) + 16) * (kHostBlockK + 32) * 4;
}
constexpr int64_t HostPackedBBytes(int64_t cols, int64_t k) {
  return ((k < kHostBlockK ? k : kHostBlockK) + 31) / 32 * 32 * ((cols + 63) / 64 * 64) * 4;
}
// The partial sums of packed rows, and the scales of these rows and of a tile's columns.
constexpr int64_t HostScaledBytes(int64_t rows, int64_t cols) {
  const int64_t packed = rows < kHostBlockM ? rows : kHostBlockM;
  return (packed * cols + packed + cols) * 4;
}

// Whether a product of a batch is small (host/small.h): k and the number of multiplications are,
// and its operands and its result fit into arrays on the stack. Lines of an operand may be padded
// to whole vectors there. The limits are tuning constants.
inline constexpr int kHostSmallK = 64, kHostSmallProducts = 4096;
inline constexpr int kHostSmallOperand = 4096, kHostSmallOut = 1024;
constexpr bool IsSmallOnHost(int64_t m, int64_t n, int64_t k) {
  const auto padded = [](int64_t lines) { return (lines + 15) / 16 * 16; };
  return m >= 1 && n >= 1 && k >= 1 && k <= kHostSmallK && m <= kHostSmallOut &&
         n <= kHostSmallOut && m * n <= kHostSmallOut && m * n * k <= kHostSmallProducts &&
         padded(m) * padded(k) <= kHostSmallOperand && padded(n) * padded(k) <= kHostSmallOperand;
}

// A strided read-only operand. Strides are in elements; one of the two is 1. The rows or the
// columns may be gathered: row i is then the one with the number row_indices[i] in memory, or zeros
// if this number is not one of 0 to lines - 1.
struct OperandView {
  const void* data;
  DType dtype;
  int64_t row_stride;       // lhs: along m; rhs: along k
  int64_t col_stride;       // lhs: along k; rhs: along n
  int64_t total_bytes = 0;  // of all that the product reads of it, with the other batches
  const int32_t *row_indices = nullptr, *col_indices = nullptr;
  int64_t lines = 0;
};

// The part of rhs that is packed next: cache lines at `data` and at each k after it. A kernel
// prefetches it while it multiplies.
struct NextRhs {
  const char* data = nullptr;  // null: none
  int64_t k_stride = 0;        // bytes
  int lines = 0;               // at each k
};

// A batch of small products of two operands of float32, or of two of bfloat16.
struct SmallBatch {
  OperandView lhs, rhs;        // of the first product; contiguous
  int64_t lhs_step, rhs_step;  // from one product to the next, in elements; 0: all have the same
  int m, n, k;
  void* out;  // rows of n, one product after the other
  DType out_dtype;
};

// Accumulators are float (kF32, kBF16) or int32_t (kS8), row-major with leading
// dimension ldc in elements.
struct HostKernel {
  const char* name;
  Math math;
  int block_k;  // k per packed block, <= kHostBlockK, even; a tuning constant of each kernel
  // Packs `rows` <= kHostBlockM rows and `k` <= kHostBlockK columns of lhs at `a` into `dst`
  // (HostPackedABytes(rows), 64-byte aligned).
  void (*pack_a)(void* dst, const OperandView& a, int rows, int k);
  // Packs `k` <= block_k rows and `cols` columns of rhs into `dst`
  // (HostPackedBBytes(cols, k)).
  void (*pack_b)(void* dst, const OperandView& b, int k, int cols);
  // c[rows, cols] (+)= A * B, both packed with the same k. Writes nothing outside the
  // rows x cols corner of c.
  void (*multiply)(const void* packed_a, const void* packed_b, int rows, int cols, int k, void* c,
                   int64_t ldc, bool accumulate, const NextRhs& next);
  // The same for an lhs of float32, which is read in place, without pack_a. Null if the kernel's
  // words are no float32.
  void (*multiply_in_place)(const OperandView& a, const void* packed_b, int rows, int cols, int k,
                            void* c, int64_t ldc, bool accumulate, const NextRhs& next);
  // The path for few rows: c[rows <= kHostFewRows, cols] (+)= A * B for any k <= kHostBlockK. A is
  // packed by pack_a, which takes as many k; rhs is read in place, without pack_b.
  void (*multiply_few_rows)(const void* packed_a, const OperandView& b, int rows, int cols, int k,
                            void* c, int64_t ldc, bool accumulate);
  // Computes `count` products of a batch from `first` on, without packing the larger operand. kBF16
  // takes bfloat16 operands only. Null for kS8.
  void (*multiply_small)(const SmallBatch& batch, int64_t first, int64_t count);
  // Scales of blocks along k: adds the sum over one block, c[rows, cols] (+)= row_scales[rows] *
  // col_scales[cols] * part. Null for kS8.
  void (*promote)(const float* part, int64_t ldpart, int rows, int cols, const float* row_scales,
                  const float* col_scales, float* c, int64_t ldc, bool accumulate);
  // out[rows, cols] = cast(activation(row_scale * scale * acc + bias)). Writes preact too if it is
  // given.
  void (*store)(const void* acc, int64_t ldacc, int rows, int cols, const EpilogueTile& tile);
};

// The best kernel for `math` that this processor can run, in the family `name`. If `name` is
// "", the environment variable JAXGEMM_HOST_KERNEL names the family; without it, any family is
// taken. Null if there is no such kernel. If any family is taken, also null for kBF16 where kF32 is
// faster. Implemented in dispatch.cc.
const HostKernel* FindHostKernel(std::string_view name, Math math);

// The reason, as a full sentence, why FindHostKernel(name, ...) found nothing.
std::string HostKernelError(std::string_view name);

}  // namespace jaxgemm
