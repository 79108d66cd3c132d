// The types that the planner, the handlers and the kernels share.
#pragma once

#include <cstdint>

// Marks code that every backend compiles for itself. Kernels for AMD need no HIP header.
#if defined(__HIP__)
#define JAXGEMM_DEVICE __attribute__((host)) __attribute__((device))
#elif defined(__CUDACC__)
#define JAXGEMM_DEVICE __host__ __device__
#else
#define JAXGEMM_DEVICE
#endif

namespace jaxgemm {

// Element types: the JAXGEMM_DTYPE lines of instances.def.
enum class DType : uint8_t {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) id,
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
};

// Bytes of an element, as a constant expression. Of float4 it is the byte that two elements share.
constexpr int ElementBytes(DType dtype) {
  switch (dtype) {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) \
  case DType::id: return bytes;
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
  }
  return 0;
}

// How many elements lie in ElementBytes(): two of float4, the one with the lower index in the low
// bits.
constexpr int PackedElements(DType dtype) { return dtype == DType::kF4E2M1FN ? 2 : 1; }

// Activations and schedules: the JAXGEMM_ACTIVATION and JAXGEMM_SCHEDULE lines of instances.def.
enum class Activation : uint8_t {
  kNone,
#define JAXGEMM_ACTIVATION(id, name, function) id,
#include "spec/instances.def"
#undef JAXGEMM_ACTIVATION
};

enum class Schedule : uint8_t {
#define JAXGEMM_SCHEDULE(id, name) id,
#include "spec/instances.def"
#undef JAXGEMM_SCHEDULE
};

// How the partial sums of a tile that is cut along k are added up.
enum class Reduction : uint8_t { kLinear, kTree, kAtomic };

// How a kernel goes through its tiles. kTiles: workgroup after workgroup takes tiles or shares.
// kOneTile (AMD): each workgroup has one tile, or one slice of one, and knows it from the start
// (RunOneTile in amdgpu/gemm.h), or finds it by the sizes of groups. kFewRows (host): rhs is read
// in place, and not packed. kSmall (host): the products of a batch are multiplied one after the
// other, without claims and without packing. kPacked (host): every tile packs rhs, however few rows
// it has, so that all rows are added up in one order.
enum class KernelPath : uint8_t { kTiles, kOneTile, kFewRows, kSmall, kPacked };

// Which dimension of lhs the group sizes cut. kM: the rows; each group has an rhs of its own. kK:
// k; each group has an out of its own.
enum class Ragged : uint8_t { kNone, kM, kK };

// How a result is quantised. kBlock: a scale in float32 for 128 columns of a row. kMx: one in E8M0
// for 32 columns, as the MX formats have them.
enum class QuantizeOut : uint8_t { kNone, kBlock, kMx };

// The number of columns that share a scale of the result.
constexpr int QuantizedColumns(QuantizeOut kind) { return kind == QuantizeOut::kMx ? 32 : 128; }

}  // namespace jaxgemm
