// What a Hopper kernel is launched with beside GemmArgs.
#pragma once

#include <cstdint>

namespace jaxgemm {

// A CUtensorMap: how a tensor lies in memory, and the box that a copy moves.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

// The operands as the copy engine sees them, [z, y, x]. Where an operand's lines do not suit it the
// flag is false, and threads copy.
struct TensorMaps {
  TensorMap lhs, rhs, out;
  bool lhs_valid, rhs_valid, out_valid;
  // Out is of floats, in lines of whole 16 bytes (float32: 8), and not added to; with out_valid of
  // 16-bit ones that the copy engine can store.
  bool plain_out;
};

// Rows of an operand's tile in shared memory are 128 bytes.
inline constexpr int kBoxBytes = 128;
// Boxes of out, of 16-bit floats: a warp's rows.
inline constexpr int kBoxRows = 16, kBoxColumns = kBoxBytes / 2;

// One CTA on a multiprocessor, with all of its shared memory: a producer and two consumers.
inline constexpr int kSm90Threads = 384, kSm90SharedBytes = 227 * 1024;
// Warpgroups that multiply, in a CTA.
inline constexpr int kSm90Consumers = 2;

}  // namespace jaxgemm
