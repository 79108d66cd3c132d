// The vocabulary that the planner, the handlers and the kernels share.
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

// Bytes of an element, for all that is compiled for one type.
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

// How the partial sums of a tile that is cut along k become one.
enum class Reduction : uint8_t { kLinear, kTree, kAtomic };

// A Hopper kernel instance comes in forms: one form for everything would be so much code that
// fetching it takes longer than a small product.
enum class Sm90Form : uint8_t {
  kGeneral,  // everything but kPeers
  kPlain,    // dense, tiles at a fixed stride, TMA for all operands, out stored without an epilogue
  kGrouped,  // as kPlain or kPingPong, grouped
  kClaimed,  // as kPlain or kPingPong, with tiles that are stolen or wait for chunks of lhs
  kPeers,    // dense, split-K across a cluster
  kPingPong,  // as kPlain: the two warpgroups ping-pong, each with an output tile of its own
};

// Which dimension of lhs the group sizes cut: out's rows, each group with an rhs of its own, or
// k, each group with an out of its own.
enum class Ragged : uint8_t { kNone, kM, kK };

}  // namespace jaxgemm
