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

// A kernel instance has several forms. On Hopper one form for everything would have so much code
// that fetching it takes longer than a small product. AMD's instances have kGeneral, and some also
// kScaled or kMx (HasForm in spec/gpu_instances.h).
enum class KernelForm : uint8_t {
  kGeneral,   // Everything but what kPeers does.
  kPlain,     // Dense, tiles at a fixed stride, TMA for all arrays, out stored without an epilogue.
  kGrouped,   // Grouped, else as kPlain. With tile_n 128 or 192 the two warpgroups ping-pong.
  kClaimed,   // As kGrouped, but dense, and tiles are stolen or wait for chunks of lhs.
  kPeers,     // Dense, split-K across a cluster; in kernels that store out^T also whole tiles.
  kPingPong,  // As kPlain, and the warpgroups ping-pong: each has an output tile of its own.
  kFused,     // As kPlain, but with any epilogue that is not gated, and any type of out.
  kFusedPingPong,   // As kFused, and the warpgroups ping-pong.
  kScaled,          // As kGeneral, but for operands with scales of blocks along k.
  kMx,              // As kScaled, but for operands in an MX format. gfx950 only.
  kPeersHalfSm,     // As kPeers, but a multiprocessor runs two CTAs at once. Hopper only.
  kGroupedVectors,  // As kGrouped, and bias and scales are applied before.
  kGroupedWide,     // As kGrouped, for an out of float32, which may be accumulated into.
  kGroupedGated,    // As kGroupedVectors, for gated products.
};
inline constexpr int kKernelForms = 14;
constexpr bool IsPeers(KernelForm form) {
  return form == KernelForm::kPeers || form == KernelForm::kPeersHalfSm;
}

// Which dimension of lhs the group sizes cut. kM: the rows; each group has an rhs of its own. kK:
// k; each group has an out of its own.
enum class Ragged : uint8_t { kNone, kM, kK };

}  // namespace jaxgemm
