// The layout of an operand's tile in shared memory, and its descriptor for wgmma.
#pragma once

#include "sm90/ptx.h"

namespace jaxgemm {

// Rows of an operand's tile in shared memory are 128 bytes for every type, with TMA's swizzle:
// 16-byte vector c of row r is at c ^ (r % 8). Eight rows make an atom.
inline constexpr int kRowBytes = kBoxBytes, kAtomBytes = 8 * kRowBytes;

// PTX ISA, "Asynchronous warpgroup level matrix shared memory layout". Descriptors of different
// matrices differ only in the low half. `leading_bytes`: distance between blocks of 128-byte rows
// if m or n runs along the rows; ignored if k does.
JAXGEMM_SM90 uint32_t MatrixStart(uint32_t address, uint32_t leading_bytes) {
  return (address & 0x3ffff) >> 4 | leading_bytes >> 4 << 16;
}
JAXGEMM_SM90 uint64_t MatrixAt(uint32_t start) {
  constexpr uint32_t kSwizzle128 = 1 << 30;
  return uint64_t{kSwizzle128 | kAtomBytes >> 4} << 32 | start;
}

}  // namespace jaxgemm
