// Values of 4 bits as operands of the tensor cores.
//
// Most integer instructions have half the rate of those of floats, so decoding is what limits the
// kernel. Eight values of E2M1 take 9 such instructions, and eight of int4 take 5.
#pragma once

#include <cstdint>

#include "weights/few_rows_stages.h"

namespace jaxgemm {

template <bool kBF16, bool kE2M1, bool kWgmma>
struct FewDecoder {
  // bfloat16 has the exponents for MX scales, so these may multiply the weights, which stay exact.
  // With many rows this takes fewer instructions than to multiply the sums. Other scales multiply
  // the float32 sums of each step, or block.
  static constexpr bool kScalesWeights = kBF16 && kE2M1 && kWgmma;
  // Integers without their sign: the bits of the value plus 8 are the operand. What the 8 gives
  // too much is where the sums begin.
  static constexpr bool kBits = !kE2M1 && !kWgmma;
  // The values are so small that products with x would be, too.
  static constexpr bool kScalesX = kBF16 && (kBits || (kE2M1 && !kScalesWeights));
  // What the sums are multiplied by in the end: the powers of two that decoding leaves out.
  static constexpr float kFactor = kBits   ? (kBF16 ? 0x1p71f : 0x1p24f)
                                   : kE2M1 ? (kBF16 ? 0x1p64f : 0x1p14f)
                                   : kBF16 ? 64
                                           : 512;
  static constexpr float kOddFactor = kBits ? kFactor / 16 : kFactor;

  static JAXGEMM_FEW uint32_t Multiply(uint32_t a, uint32_t b) {
    uint32_t out;
    if constexpr (kBF16) {
      asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    } else {
      asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    }
    return out;
  }
  static JAXGEMM_FEW uint32_t MultiplyAdd(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t out;
    if constexpr (kBF16) {
      asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    } else {
      asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    }
    return out;
  }

  // The scales of four columns: bytes, or floats.
  struct Scales {
    uint32_t bytes;
    float4 floats;
  };
  // The first operand of product t of 32 columns, whose words are `w`, for both halves of a step.
  static JAXGEMM_FEW void DecodeColumns(uint32_t (&a)[2][4], int t, const uint32_t (&w)[4],
                                        const Scales& scales) {
    uint32_t pairs[2] = {};
    if constexpr (kScalesWeights) {
      // The scales are exponents of bfloat16, times 2**62.
      const uint32_t pair = 0x4040 + 2 * t * 0x0101;
      pairs[0] = Multiply(__byte_perm(scales.bytes, 0, pair) * 128, 0x5e805e80u);
      pairs[1] = Multiply(__byte_perm(scales.bytes, 0, pair + 0x0101) * 128, 0x5e805e80u);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t word = kE2M1 ? w[i] : w[i] ^ 0x88888888u;  // each value plus 8
      const uint32_t high = word >> 8;
      a[i / 2][i % 2 * 2] = t ? Decode<2>(word, high, pairs[0]) : Decode<0>(word, high, pairs[0]);
      a[i / 2][i % 2 * 2 + 1] =
          t ? Decode<3>(word, high, pairs[1]) : Decode<1>(word, high, pairs[1]);
    }
  }

 private:
  // Value `i` of each half of a word as a float of 16 bits, without kFactor. `high` is the word
  // without its lowest 8 bits, and `scale` is for weights that are scaled.
  template <int i>
  static JAXGEMM_FEW uint32_t Decode(uint32_t word, uint32_t high, uint32_t scale) {
    constexpr uint32_t kMask = i % 2 ? 0x00f000f0u : 0x000f000fu;
    const uint32_t from = i < 2 ? word : high;
    if constexpr (kE2M1 && kBF16) {
      // A multiplication moves exponent and mantissa to one place, and the sign to another. What
      // they stand for there is too small by 2**126, also where the exponent is 0.
      const uint32_t moved = (from & kMask) * (i % 2 ? 0x104u : 0x1040u);
      if constexpr (!kScalesWeights) return moved & 0x81c081c0u;
      return Multiply(moved & 0x81c081c0u, scale);
    } else if constexpr (kE2M1) {
      const uint32_t rest = i < 3 ? word << (9 - 4 * (i % 3)) : word >> 3;
      return ((word << (12 - 4 * i)) & 0x80008000u) | (rest & 0x0e000e00u);
    } else {
      // The value plus 8, in the lowest bits of a float, is so many times the least denormal one.
      const uint32_t bits = from & kMask;
      if constexpr (kBits) {
        return bits;
      } else if constexpr (kBF16) {
        return MultiplyAdd(bits, i % 2 ? 0x7d007d00u : 0x7f007f00u, 0xbe00be00u);  // 2**123, 2**127
      } else {
        return MultiplyAdd(bits, i % 2 ? 0x68006800u : 0x78007800u, 0xa400a400u);  // 2**11, 2**15
      }
    }
  }
};

}  // namespace jaxgemm
