// The elements of a vector of 16 bytes, and their conversions from and to float: on AMD GPUs and on
// NVIDIA's.
#pragma once

#include <cstdint>

#include "kernel/vec4.h"
#include "spec/types.h"

namespace jaxgemm {

using Vector = Vec4<uint32_t>;
template <DType kType>
inline constexpr int kVectorElements = sizeof(Vector) / ElementBytes(kType);

// Two elements of 16 bits: float16 or bfloat16. The first is in the low bits.
#if defined(__HIP__)
using Float2 = float __attribute__((ext_vector_type(2)));
template <class T>
using Half2 = T __attribute__((ext_vector_type(2)));

JAXGEMM_GPU void FromFloat16(uint32_t word, float* values) {
  const auto halves = __builtin_bit_cast(Half2<_Float16>, word);
  values[0] = halves[0];
  values[1] = halves[1];
}
template <DType kType>
JAXGEMM_GPU uint32_t ToHalves(float low, float high) {
  const Float2 values = {low, high};
  if constexpr (kType == DType::kBF16) {
    return __builtin_bit_cast(uint32_t, __builtin_convertvector(values, Half2<__bf16>));
  } else {
    return __builtin_bit_cast(uint32_t, __builtin_convertvector(values, Half2<_Float16>));
  }
}
#else
JAXGEMM_GPU void FromFloat16(uint32_t word, float* values) {
  asm("{.reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high;}"
      : "=f"(values[0]), "=f"(values[1])
      : "r"(word));
}
template <DType kType>
JAXGEMM_GPU uint32_t ToHalves(float low, float high) {
  uint32_t word;
  if constexpr (kType == DType::kBF16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  }
  return word;
}
#endif

template <DType kType>
JAXGEMM_GPU void Decode(Vector vector, float (&values)[kVectorElements<kType>]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint32_t word = vector[i];  // clang casts vector[i] itself as element 0
    if constexpr (kType == DType::kF32) {
      values[i] = __builtin_bit_cast(float, word);
    } else if constexpr (kType == DType::kBF16) {
      values[2 * i] = __builtin_bit_cast(float, word << 16);
      values[2 * i + 1] = __builtin_bit_cast(float, word & 0xffff0000u);
    } else {
      FromFloat16(word, values + 2 * i);
    }
  }
}

// Rounds to nearest even.
template <DType kType>
JAXGEMM_GPU Vector Encode(const float (&values)[kVectorElements<kType>]) {
  Vector vector;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (kType == DType::kF32) {
      vector[i] = __builtin_bit_cast(uint32_t, values[i]);
    } else {
      vector[i] = ToHalves<kType>(values[2 * i], values[2 * i + 1]);
    }
  }
  return vector;
}

}  // namespace jaxgemm
