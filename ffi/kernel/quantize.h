// Results that a kernel quantises: the scale of a block, as jaxgemm.quantize computes it
// (jaxgemm/call/quantization.py). XLA multiplies by the reciprocal of a scalar where the Python
// code divides by it, so the kernels do, too.
#pragma once

#include "kernel/epilogue.h"

namespace jaxgemm {

// The largest finite value of a float8 format, and its reciprocal.
struct LargestValue {
  float value, reciprocal;
};
template <class Format>
constexpr LargestValue LargestOf() {
  const uint32_t code = Format::kSpecials == MinifloatSpecials::kIeee      ? Format::kInf - 1
                        : Format::kSpecials == MinifloatSpecials::kNanOnly ? Format::kMagnitude - 1
                                                                           : Format::kMagnitude;
  constexpr uint32_t kOne = 1u << Format::kMantissa;
  float value = static_cast<float>((code & (kOne - 1)) | kOne);
  int exponent = static_cast<int>(code >> Format::kMantissa) - Format::kBias - Format::kMantissa;
  for (; exponent > 0; --exponent) value *= 2;
  for (; exponent < 0; ++exponent) value /= 2;
  return {value, 1 / value};
}
static JAXGEMM_INLINE LargestValue LargestOf(DType dtype) {
  switch (dtype) {
#define JAXGEMM_FLOAT8(id, format, ...)                    \
  case DType::id: {                                        \
    constexpr LargestValue kLargest = LargestOf<format>(); \
    return kLargest;                                       \
  }
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
    default: return {1, 1};  // no other type is quantised to
  }
}

// The bits of |value|. Their order is that of the magnitudes; NaN comes last.
inline constexpr int32_t kInfinityBits = 0x7f800000;
static JAXGEMM_INLINE int32_t MagnitudeBits(float value) {
  return __builtin_bit_cast(int32_t, value) & 0x7fffffff;
}
// The same, or 0 if value is not finite.
static JAXGEMM_INLINE int32_t FiniteMagnitude(float value) {
  const int32_t bits = MagnitudeBits(value);
  return bits < kInfinityBits ? bits : 0;
}

// The scale of a block, and its reciprocal, by which the elements are multiplied.
struct BlockScale {
  float scale, reciprocal;

  // `magnitude` is the largest FiniteMagnitude of the block, and `largest` that of out's type.
  static JAXGEMM_INLINE BlockScale Of(QuantizeOut kind, int32_t magnitude, LargestValue largest) {
    constexpr float kSmallestNormal = 1.17549435e-38f, kMost = 3.40282347e+38f;
    if (kind == QuantizeOut::kMx) {
      // The exponent is that of the largest element less that of the largest value. 2^-127 is
      // subnormal, which some devices flush to zero.
      const int32_t of_type = (__builtin_bit_cast(int32_t, largest.value) >> 23) - 127;
      const int32_t exponent = (magnitude >> 23) - of_type;
      const int32_t biased = magnitude == 0 ? 127 : exponent < 1 ? 1 : exponent;
      return {__builtin_bit_cast(float, biased << 23),
              __builtin_bit_cast(float, (254 - biased) << 23)};
    }
    // Rounded down, so that the largest value times its scale is finite.
    const float most =
        __builtin_bit_cast(float, __builtin_bit_cast(int32_t, kMost* largest.reciprocal) - 1);
    float scale = __builtin_bit_cast(float, magnitude) * largest.reciprocal;
    scale = scale < kSmallestNormal ? kSmallestNormal : scale;
    scale = scale > most ? most : scale;
    scale = magnitude == 0 ? 1.0f : scale;
    return {scale, 1.0f / scale};
  }
  // The code of a scale of kMx, E8M0.
  JAXGEMM_INLINE uint8_t E8M0() const {
    return static_cast<uint8_t>(__builtin_bit_cast(int32_t, scale) >> 23);
  }
  // An element before it is cast. With scales that are powers of two it may be beyond the largest
  // value by more than rounding.
  JAXGEMM_INLINE float Apply(QuantizeOut kind, float value, LargestValue largest) const {
    const float scaled = value * reciprocal;
    return kind == QuantizeOut::kMx ? Clamp(scaled, largest) : scaled;
  }
  // value, or the largest value with its sign if it is finite and beyond that.
  static JAXGEMM_INLINE float Clamp(float value, LargestValue largest) {
    if (MagnitudeBits(value) >= kInfinityBits) return value;
    return value > largest.value ? largest.value : value < -largest.value ? -largest.value : value;
  }
};

// Stores the scale of block `at` of out.
static JAXGEMM_INLINE void StoreScale(QuantizeOut kind, void* scales, int64_t at,
                                      BlockScale scale) {
  if (kind == QuantizeOut::kMx) {
    static_cast<uint8_t*>(scales)[at] = scale.E8M0();
  } else {
    static_cast<float*>(scales)[at] = scale.scale;
  }
}

// The type of the values before the activation that a call stores.
constexpr DType PreactDType(DType out, QuantizeOut kind) {
  return kind == QuantizeOut::kNone ? out : DType::kBF16;
}

}  // namespace jaxgemm
