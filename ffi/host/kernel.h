// What a CPU micro-kernel offers to the host main loop. Each instruction set has one
// translation unit, compiled with its own flags, that fills in one HostKernel per `Math`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/epilogue.h"
#include "spec/types.h"

namespace jaxgemm {

// How products are formed: the operands are converted to this while they are packed.
enum class Math : uint8_t {
  kF32,   // float multiply-add; any float operand
  kBF16,  // pairs of bf16 into float; bf16 and fp8 (exact) operands
  kS8,    // int8 into int32
};

// Upper bounds shared by every kernel, so that the workspace does not depend on which
// processor a plan is made for.
inline constexpr int kHostBlockM = 192;  // rows of lhs packed at a time
inline constexpr int kHostBlockK = 512;  // at most this many k packed at a time
inline constexpr int kHostSkinnyM = 16;  // at most this many rows take the skinny path
constexpr int64_t HostPackedABytes(int64_t rows) {
  return ((rows < kHostBlockM ? rows : kHostBlockM) + 16) * (kHostBlockK + 32) * 4;
}
constexpr int64_t HostPackedBBytes(int64_t cols, int64_t k) {
  return ((k < kHostBlockK ? k : kHostBlockK) + 31) / 32 * 32 * ((cols + 63) / 64 * 64) * 4;
}

// A strided read-only operand; strides in elements, one of the two is 1.
struct OperandView {
  const void* data;
  DType dtype;
  int64_t row_stride;  // lhs: along m; rhs: along k
  int64_t col_stride;  // lhs: along k; rhs: along n
};

// Accumulators are float (kF32, kBF16) or int32_t (kS8), row-major with leading
// dimension ldc in elements.
struct HostKernel {
  const char* name;
  Math math;
  int block_k;  // k per packed block, <= kHostBlockK, even
  // Packs `rows` <= kHostBlockM rows and `k` <= block_k columns of lhs at `a` into `dst`
  // (HostPackedABytes(rows), 64-byte aligned).
  void (*pack_a)(void* dst, const OperandView& a, int rows, int k);
  // Packs `k` <= block_k rows and `cols` columns of rhs into `dst`
  // (HostPackedBBytes(cols, k)).
  void (*pack_b)(void* dst, const OperandView& b, int k, int cols);
  // c[rows, cols] (+)= A * B, both packed with the same k. Writes nothing outside the
  // rows x cols corner of c.
  void (*multiply)(const void* packed_a, const void* packed_b, int rows, int cols, int k, void* c,
                   int64_t ldc, bool accumulate);
  // Few rows: c[rows <= kHostSkinnyM, cols] (+)= A * B for any k <= block_k, with A
  // packed by pack_a and rhs streamed where it lies, never packed.
  void (*multiply_skinny)(const void* packed_a, const OperandView& b, int rows, int cols, int k,
                          void* c, int64_t ldc, bool accumulate);
  // out[rows, cols] = cast(activation(scale * acc + bias)), also preact when it is given.
  void (*store)(const void* acc, int64_t ldacc, int rows, int cols, const EpilogueTile& tile);
};

// The best kernel for `math` of the family `name`; "": of the family that the
// environment variable JAXGEMM_HOST_KERNEL names, else of any that this processor can
// run. Null: there is none, or (kBF16, no name) kF32 is faster. Implemented in
// dispatch.cc.
const HostKernel* FindHostKernel(std::string_view name, Math math);

// Says, in a full sentence, why FindHostKernel(name, ...) found nothing.
std::string HostKernelError(std::string_view name);

}  // namespace jaxgemm
