// Matrix instructions on 16-byte vectors along k. They add the product of 16 rows of lhs and 16
// columns of rhs to a fragment of out.
//
// rhs is the instruction's first operand and lhs the second, so that the result is transposed and a
// lane has four neighbours of one row of out. For row (or column) l % 16, lane l has vector l / 16
// of the 4 vectors of one step. Any order of k is right if lhs and rhs have the same one; but with
// scales it must be the hardware's (ScaledMma).
#pragma once

#include "amdgpu/gemm_traits.h"
#include "amdgpu/gfx942/ocp_float8.h"

namespace jaxgemm {

// The number of vectors that one Mma takes of each operand. gfx950's instruction for small floats
// multiplies 128 k of a row, which are 8 vectors of float8 or 4 of float4: two or one for each
// lane.
template <class Traits>
JAXGEMM_AMD constexpr int VecsPerMma() {
#if defined(__gfx950__)
  return Traits::kBytes == 1 && Traits::kPacked == 1 && Traits::kLhs != DType::kS8 ? 2 : 1;
#else
  return 1;
#endif
}

JAXGEMM_AMD constexpr bool IsE5M2(DType dtype) {
  return dtype == DType::kF8E5M2 || dtype == DType::kF8E5M2FNUZ;
}

// The number of matrix instructions in one Mma.
template <class Traits>
JAXGEMM_AMD constexpr int PartsPerMma() {
#if defined(__gfx950__)
  return Traits::kBytes == 4 ? 4 : 1;
#elif defined(__gfx90a__)
  return Traits::kBytes == 4 || Traits::kLhs == DType::kS8 ? 4 : 2;
#else
  return Traits::kBytes == 4 || ExpandsToFloat16<Traits>() ? 4 : 2;
#endif
}

#if defined(__gfx950__)
// The number of a type's format (CDNA4 ISA, "cbsz" and "blgp" of the instruction).
JAXGEMM_AMD constexpr int FormatOf(DType dtype) {
  return dtype == DType::kF4E2M1FN ? 4 : IsE5M2(dtype) ? 1 : 0;
}

// Multiplies 128 k. Lane l passes vectors l / 16 and l / 16 + 4 of the 8 vectors of float8, or
// vector l / 16 of the 4 of float4. Byte kScale of the lane's scales (E8M0) is for 32 k, from
// 32 (l / 16) on. With float8 these are not the k of the lane's vectors: the instruction takes each
// scale from the lane that has it.
template <class Traits, int kScale = 0>
JAXGEMM_AMD Vec4<float> ScaledMma(const Vec16* lhs, const Vec16* rhs, uint32_t lhs_scales,
                                  uint32_t rhs_scales, Vec4<float> acc) {
  using Int8 = int __attribute__((ext_vector_type(8)));
  auto join = [](const Vec16* of) {
    // With float4 the instruction does not read the upper half, and the compiler drops it.
    const Vec16 upper = VecsPerMma<Traits>() == 2 ? of[1] : Vec16(0);
    return __builtin_bit_cast(Int8, __builtin_shufflevector(of[0], upper, 0, 1, 2, 3, 4, 5, 6, 7));
  };
  constexpr int kRhsFormat = FormatOf(Traits::kRhs), kLhsFormat = FormatOf(Traits::kLhs);
  return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
      join(rhs), join(lhs), acc, kRhsFormat, kLhsFormat, kScale, rhs_scales, kScale, lhs_scales);
}
#endif

// One matrix instruction of an Mma. `lhs` and `rhs` point to VecsPerMma() vectors in registers.
template <class Traits>
JAXGEMM_AMD typename Traits::Acc4 MmaPart(int part, const Vec16* lhs, const Vec16* rhs,
                                          typename Traits::Acc4 acc) {
  using Float4 = Vec4<float>;
  constexpr DType kType = Traits::kLhs;
  const Vec16 a = rhs[0], b = lhs[0];
  if constexpr (kType == DType::kF32) {
    const Float4 x = __builtin_bit_cast(Float4, a), y = __builtin_bit_cast(Float4, b);
    return __builtin_amdgcn_mfma_f32_16x16x4f32(x[part], y[part], acc, 0, 0, 0);
#if defined(__gfx950__)
  } else if constexpr (kType == DType::kBF16) {
    using BF16x8 = __bf16 __attribute__((ext_vector_type(8)));
    return __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(BF16x8, a),
                                                   __builtin_bit_cast(BF16x8, b), acc, 0, 0, 0);
  } else if constexpr (kType == DType::kF16) {
    using F16x8 = _Float16 __attribute__((ext_vector_type(8)));
    return __builtin_amdgcn_mfma_f32_16x16x32_f16(__builtin_bit_cast(F16x8, a),
                                                  __builtin_bit_cast(F16x8, b), acc, 0, 0, 0);
  } else if constexpr (kType == DType::kS8) {
    using Int4 = Vec4<int>;
    return __builtin_amdgcn_mfma_i32_16x16x64_i8(__builtin_bit_cast(Int4, a),
                                                 __builtin_bit_cast(Int4, b), acc, 0, 0, 0);
  } else {
    return ScaledMma<Traits>(lhs, rhs, 0, 0, acc);  // compiled to the instruction without scales
#else
#if defined(__gfx90a__)
  } else if constexpr (kType == DType::kS8) {
    return __builtin_amdgcn_mfma_i32_16x16x16i8(a[part], b[part], acc, 0, 0, 0);
#endif
  } else if constexpr (ExpandsToFloat16<Traits>()) {
    return __builtin_amdgcn_mfma_f32_16x16x16f16(Float16OfOcp<Traits::kRhs>(a[part]),
                                                 Float16OfOcp<Traits::kLhs>(b[part]), acc, 0, 0, 0);
  } else {
    struct Halves {
      long half[2];
    };
    const long x = __builtin_bit_cast(Halves, a).half[part];
    const long y = __builtin_bit_cast(Halves, b).half[part];
    if constexpr (kType == DType::kBF16) {
      using Short4 = Vec4<short>;
      return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(__builtin_bit_cast(Short4, x),
                                                       __builtin_bit_cast(Short4, y), acc, 0, 0, 0);
    } else if constexpr (kType == DType::kF16) {
      using F16x4 = Vec4<_Float16>;
      return __builtin_amdgcn_mfma_f32_16x16x16f16(__builtin_bit_cast(F16x4, x),
                                                   __builtin_bit_cast(F16x4, y), acc, 0, 0, 0);
    } else if constexpr (kType == DType::kS8) {
      return __builtin_amdgcn_mfma_i32_16x16x32_i8(x, y, acc, 0, 0, 0);
    } else if constexpr (IsE5M2(Traits::kRhs) && IsE5M2(Traits::kLhs)) {
      return __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8(x, y, acc, 0, 0, 0);
    } else if constexpr (IsE5M2(Traits::kRhs)) {
      return __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8(x, y, acc, 0, 0, 0);
    } else if constexpr (IsE5M2(Traits::kLhs)) {
      return __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(x, y, acc, 0, 0, 0);
    } else {
      return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(x, y, acc, 0, 0, 0);
    }
#endif
  }
}

template <class Traits>
JAXGEMM_AMD typename Traits::Acc4 Mma(const Vec16* lhs, const Vec16* rhs,
                                      typename Traits::Acc4 acc) {
#pragma unroll
  for (int part = 0; part < PartsPerMma<Traits>(); ++part) {
    acc = MmaPart<Traits>(part, lhs, rhs, acc);
  }
  return acc;
}

}  // namespace jaxgemm
