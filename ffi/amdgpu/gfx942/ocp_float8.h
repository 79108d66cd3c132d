// OCP float8 (e4m3fn, e5m2) on gfx942. Its matrix instructions for float8 read FNUZ formats.
//
// The bits of an e4m3fn value, read as e4m3fnuz, are half the value. Only -0 and NaN differ, and
// these bytes are replaced on their way to LDS. e5m2 has infinities, which no FNUZ format has, but
// it is the high byte of a float16. So a product with an e5m2 operand is computed by the
// instructions for float16, at half the rate, and an e4m3fn operand beside it is expanded, too. In
// the end the accumulators are multiplied by a power of two, which is exact.
#pragma once

#include "amdgpu/gemm_traits.h"

namespace jaxgemm {

// Whether float16 instructions compute the product.
template <class Traits>
JAXGEMM_AMD constexpr bool ExpandsToFloat16() {
#if defined(__gfx950__)
  return false;
#else
  return Traits::kLhs == DType::kF8E5M2 || Traits::kRhs == DType::kF8E5M2;
#endif
}

// Whether the bytes of both operands are converted to FNUZ.
template <class Traits>
JAXGEMM_AMD constexpr bool ConvertsToFnuz() {
#if defined(__gfx950__)
  return false;
#else
  return Traits::kLhs == DType::kF8E4M3FN && Traits::kRhs == DType::kF8E4M3FN;
#endif
}

// Converts four bytes of e4m3fn to FNUZ: -0 becomes 0x00, and NaN becomes 0x80.
JAXGEMM_AMD uint32_t FnuzOfE4M3FN(uint32_t bytes) {
  constexpr uint32_t kLow = 0x7f7f7f7f, kHigh = 0x80808080, kOne = 0x01010101;
  const uint32_t magnitude = bytes & kLow;
  // The high bits of the bytes of `not_zero` say which magnitudes are not zero, those of `nan`
  // which are NaN.
  const uint32_t not_zero = magnitude + kLow, nan = (magnitude + kOne) & kHigh;
  const uint32_t number = bytes & (not_zero | kLow);
  return (number & ~(nan - (nan >> 7))) | nan;
}

template <class Traits>
JAXGEMM_AMD Vec16 ToLds(Vec16 vec) {
  if constexpr (ConvertsToFnuz<Traits>()) {
#pragma unroll
    for (int i = 0; i < 4; ++i) vec[i] = FnuzOfE4M3FN(vec[i]);
  }
  return vec;
}

// Converts four elements to float16; those of e4m3fn are divided by 2^8.
template <DType dtype>
JAXGEMM_AMD Vec4<_Float16> Float16OfOcp(uint32_t bytes) {
  uint32_t pair[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    // For v_perm_b32, selector 0x0c is a byte of zeros, and selectors 0 to 3 are those of `bytes`.
    const uint32_t high = __builtin_amdgcn_perm(0, bytes, i == 0 ? 0x010c000c : 0x030c020c);
    if constexpr (dtype == DType::kF8E5M2) {
      pair[i] = high;
    } else {
      // Exponent and mantissa move by a bit. The addition carries into bit 14 only for NaN, and
      // with that bit set it is a NaN of float16.
      const uint32_t magnitude = high >> 1 & 0x3f803f80;
      const uint32_t nan = (magnitude + 0x00800080) & 0x40004000;
      pair[i] = (high & 0x80008000) | magnitude | nan;
    }
  }
  return __builtin_bit_cast(Vec4<_Float16>, pair);
}

// Multiplies the accumulators by the power of two by which the operands were divided.
template <class Traits>
JAXGEMM_AMD void ScaleAccumulators(typename Traits::Accumulators& acc) {
  constexpr int kScaled =
      (Traits::kLhs == DType::kF8E4M3FN ? 1 : 0) + (Traits::kRhs == DType::kF8E4M3FN ? 1 : 0);
  if constexpr ((ConvertsToFnuz<Traits>() || ExpandsToFloat16<Traits>()) && kScaled > 0) {
    constexpr float kScale = ConvertsToFnuz<Traits>() ? 4 : 256;
#pragma unroll
    for (auto& row : acc) {
#pragma unroll
      for (auto& acc4 : row) acc4 *= kScale;
    }
  }
}

}  // namespace jaxgemm
