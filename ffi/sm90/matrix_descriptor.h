// How an operand's tile lies in shared memory, and what wgmma is told of it.
#pragma once

#include "sm90/ptx.h"

namespace jaxgemm {

// Rows of an operand's tile in shared memory are 128 bytes, whatever the type, swizzled as the
// copy engine does it: 16-byte chunk c of row r lies at c ^ (r % 8). Eight rows make an atom.
inline constexpr int kRowBytes = kBoxBytes, kAtomBytes = 8 * kRowBytes;

// PTX ISA, "Asynchronous warpgroup level matrix shared memory layout". A descriptor's low half is
// what differs between matrices. `leading_bytes`: from one 128-byte column of rows to the next,
// where m or n runs along the rows; ignored where k does.
JAXGEMM_SM90 uint32_t MatrixStart(uint32_t address, uint32_t leading_bytes) {
  return (address & 0x3ffff) >> 4 | leading_bytes >> 4 << 16;
}
JAXGEMM_SM90 uint64_t MatrixAt(uint32_t start) {
  constexpr uint32_t kSwizzle128 = 1 << 30;
  return uint64_t{kSwizzle128 | kAtomBytes >> 4} << 32 | start;
}

}  // namespace jaxgemm
