// What a Hopper kernel is launched with beside GemmArgs.
#pragma once

#include <cstdint>

namespace jaxgemm {

// A CUtensorMap: how a tensor lies in memory, and the box that a copy moves.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

// The operands and out as the copy engine sees them, [z, y, x]. Where a tensor's lines do not suit
// it the flag is false, and threads copy.
struct TensorMaps {
  TensorMap lhs, rhs, out;
  bool lhs_valid, rhs_valid, out_valid;
};

// Rows of an operand's tile in shared memory, and of what is staged of out, are 128 bytes.
inline constexpr int kBoxBytes = 128;
inline constexpr int kWarpgroupRows = 64;

// One CTA on a multiprocessor, with all of its shared memory: a producer and two consumers.
inline constexpr int kSm90Threads = 384, kSm90SharedBytes = 227 * 1024;
// Warpgroups that multiply, in a CTA.
inline constexpr int kSm90Consumers = 2;

}  // namespace jaxgemm
