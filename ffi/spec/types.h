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

// Bytes of an element, as a constant expression.
constexpr int ElementBytes(DType dtype) {
  switch (dtype) {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) \
  case DType::id: return bytes;
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
  }
  return 0;
}

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

// A Hopper kernel instance comes in forms: one form for everything would be so much code that
// fetching it takes longer than a small product.
enum class Sm90Form : uint8_t {
  kGeneral,  // everything but kPeers
  kPlain,    // dense, tiles at a fixed stride, TMA for all operands, out stored without an epilogue
  kGrouped,  // like kPlain (with 128 or 192 columns in a tile like kPingPong), but grouped
  kClaimed,  // likewise, but dense, with tiles that are stolen or wait for chunks of lhs
  kPeers,    // dense, split-K across a cluster
  kPingPong,  // like kPlain, but the two warpgroups ping-pong, each with an output tile of its own
  kFused,     // like kPlain, with any epilogue and type of out, but not gated
  kFusedPingPong,  // likewise, like kPingPong
};

// Which dimension of lhs the group sizes cut. kM: the rows; each group has an rhs of its own. kK:
// k; each group has an out of its own.
enum class Ragged : uint8_t { kNone, kM, kK };

}  // namespace jaxgemm
