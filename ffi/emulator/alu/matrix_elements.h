// The types of the elements that matrix instructions multiply, for matrix.cc and matrix_blocks.cc.
#pragma once

#include <cstdint>
#include <cstring>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {

#define JAXGEMM_ALWAYS inline __attribute__((always_inline))

// Vectors of eight lanes: one host register with AVX2, two without.
typedef float Floats __attribute__((vector_size(32)));
typedef uint32_t Bits __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));
constexpr int kVector = 8;

template <class V, class T>
JAXGEMM_ALWAYS V LoadVector(const T* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// ---- Types of the elements in a register; a float holds each value exactly.

struct ElementF32 {
  static constexpr int kPerWord = 1;
  static JAXGEMM_ALWAYS Floats Get(const Bits& word, int) { return (Floats)word; }
};
// XF32 is a float32 with ten bits of mantissa. The manual does not say how the other 13 bits are
// rounded. Here they are rounded to nearest even, as in AMD's rocWMMA.
struct ElementXf32 {
  static constexpr int kPerWord = 1;
  static JAXGEMM_ALWAYS Floats Get(const Bits& word, int) {
    const Bits rounded = (word + 0xfffu + (word >> 13 & 1u)) & 0xffffe000u;
    const Bits is_finite = (Bits)((word & 0x7f800000u) != 0x7f800000u);
    return (Floats)((rounded & is_finite) | (word & ~is_finite));
  }
};
struct ElementBf16 {
  static constexpr int kPerWord = 2;
  static JAXGEMM_ALWAYS Floats Get(const Bits& word, int i) {
    return (Floats)(i ? word & 0xffff0000u : word << 16);
  }
};
template <class Format, int kBits>
struct ElementSmall {
  static constexpr int kPerWord = 32 / kBits;
  static JAXGEMM_ALWAYS Floats Get(const Bits& word, int i) {
    return DecodeLanes<Format, Floats, Ints>((word >> (kBits * i)) & ((1u << kBits) - 1));
  }
};
using ElementF16 = ElementSmall<Float16, 16>;
// gfx942 has the FNUZ formats, gfx950 the OCP formats.
struct AnyFp8 {
  using Fnuz = ElementSmall<Fp8Fnuz, 8>;
  using Ocp = ElementSmall<Fp8, 8>;
};
struct AnyBf8 {
  using Fnuz = ElementSmall<Bf8Fnuz, 8>;
  using Ocp = ElementSmall<Bf8, 8>;
};
using ElementFp4 = ElementSmall<Fp4, 4>;
// Elements of 6 bits: some lie in two words.
template <class Format>
struct ElementSix {
  static constexpr int kPerWord = 0;
  static JAXGEMM_ALWAYS Floats Get(const Bits& code) {
    return DecodeLanes<Format, Floats, Ints>(code & 63u);
  }
};
using ElementFp6 = ElementSix<Fp6>;
using ElementBf6 = ElementSix<Bf6>;
struct ElementI8 {
  static constexpr int kPerWord = 4;
  static JAXGEMM_ALWAYS Floats Get(const Bits& word, int i) {
    return __builtin_convertvector((Ints)(word << (24 - 8 * i)) >> 24, Floats);
  }
};

using Row = const uint32_t (*)[kLanes];

// The executor of any matrix instruction except those of f8f6f4, with all its modifiers; slow.
Executor FindMatrixBlocks(Op op);

}  // namespace jaxgemm::emulator
