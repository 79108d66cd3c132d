// Rows of float8 with scales: the lanes that share a row find the largest magnitudes, and each lane
// stores the quotients of its vectors. The numbers are nearly those of `jaxgemm.quantize`.
#pragma once

#include <cstdint>

#include "kernel/epilogue.h"
#include "routing/routing_args.h"
#include "routing/vector.h"
#include "routing/wave.h"

namespace jaxgemm {

// What a row's waves tell each other.
struct Float8Shared {
  int32_t tops[kQuantizeThreads / kWaveSize];
};

// The formats that the target's products read.
#if defined(__gfx942__)
using E4M3 = F8E4M3FNUZFormat;
using E5M2 = F8E5M2FNUZFormat;
#else
using E4M3 = F8E4M3FNFormat;
using E5M2 = F8E5M2Format;
#endif

// The largest finite value.
template <class Format>
inline constexpr float kLargest = Format::kMantissa == 2                             ? 57344.0f
                                  : Format::kSpecials == MinifloatSpecials::kNanOnly ? 448.0f
                                                                                     : 240.0f;

inline constexpr int32_t kInfinity = 0x7f800000;  // the bits of a float
JAXGEMM_GPU int32_t Magnitude(float value) {
  return __builtin_bit_cast(int32_t, value) & 0x7fffffff;
}
JAXGEMM_GPU float FusedMultiplyAdd(float a, float b, float c) {
#if defined(__HIP__)
  return __builtin_fmaf(a, b, c);
#else
  return __fmaf_rn(a, b, c);
#endif
}

// The codes of four numbers, the first in the low bits. NaN stays NaN.
template <class Format>
JAXGEMM_GPU uint32_t ToFloat8(const float* x) {
  [[maybe_unused]] constexpr bool kE4M3 = Format::kMantissa == 3;
#if defined(__gfx90a__)
  uint32_t codes = 0;
  for (int i = 0; i < 4; ++i) codes |= EncodeMinifloat<Format>(x[i]) << (8 * i);
  return codes;
#elif defined(__HIP__)
  if constexpr (kE4M3) {
    const int low = __builtin_amdgcn_cvt_pk_fp8_f32(x[0], x[1], 0, false);
    return __builtin_amdgcn_cvt_pk_fp8_f32(x[2], x[3], low, true);
  } else {
    const int low = __builtin_amdgcn_cvt_pk_bf8_f32(x[0], x[1], 0, false);
    return __builtin_amdgcn_cvt_pk_bf8_f32(x[2], x[3], low, true);
  }
#else
  uint32_t codes;
  if constexpr (kE4M3) {
    asm("{.reg .b16 low, high; cvt.rn.satfinite.e4m3x2.f32 low, %2, %1; "
        "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3; mov.b32 %0, {low, high};}"
        : "=r"(codes)
        : "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]));
  } else {
    asm("{.reg .b16 low, high; cvt.rn.satfinite.e5m2x2.f32 low, %2, %1; "
        "cvt.rn.satfinite.e5m2x2.f32 high, %4, %3; mov.b32 %0, {low, high};}"
        : "=r"(codes)
        : "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]));
  }
  return codes;
#endif
}

struct Float8Scale {
  float scale, inverse;

  // The nearest float to x / scale, by the reciprocal and the remainder (Markstein). NaN if x is
  // not finite.
  JAXGEMM_GPU float Quotient(float x) const {
    const float quotient = x * inverse;
    return FusedMultiplyAdd(FusedMultiplyAdd(-quotient, scale, x), inverse, quotient);
  }
};

// The scale for a largest magnitude with these bits, tiny for 0: scales_of and _power_of_two in
// jaxgemm/call/quantization.py, to within a unit in the last place, because XLA multiplies by the
// reciprocal.
template <class Format>
JAXGEMM_GPU Float8Scale ScaleOf(const Float8Rows& out, int32_t top) {
  if (out.mx) {
    constexpr int kExponent = (__builtin_bit_cast(int32_t, kLargest<Format>) >> 23) - 127;
    const int found = (top >> 23) - kExponent, biased = top == 0 ? 127 : found < 1 ? 1 : found;
    return {__builtin_bit_cast(float, biased << 23),
            __builtin_bit_cast(float, (254 - biased) << 23)};
  }
  // The largest float is no multiple of kLargest, so that its quotient times that is finite.
  constexpr float kLeast = 1.17549435e-38f;
  const float most = __builtin_bit_cast(float, kInfinity - 1) / kLargest<Format>;
  const float below = __builtin_bit_cast(float, __builtin_bit_cast(int32_t, most) - 1);
  float scale = __builtin_bit_cast(float, top) / kLargest<Format>;
  scale = scale < kLeast ? kLeast : scale > below ? below : scale;
  return {scale, 1.0f / scale};
}

// The bits of the largest magnitude of the finite elements.
template <DType kType>
JAXGEMM_GPU int32_t TopOf(Vector vector) {
  float x[kVectorElements<kType>];
  Decode<kType>(vector, x);
  int32_t top = 0;
#pragma unroll
  for (float each : x) top = Magnitude(each) > top ? Magnitude(each) : top;
  if (top >= kInfinity) {
    top = 0;
#pragma unroll
    for (float each : x) {
      const int32_t magnitude = Magnitude(each);
      top = magnitude < kInfinity && magnitude > top ? magnitude : top;
    }
  }
  return top;
}

// The largest value of 2**bits neighbouring lanes of a wave. All lanes call it together.
JAXGEMM_GPU int32_t MaxOfLanes(int32_t value, int bits) {
  for (int mask = 1; mask < 1 << bits && mask < kWaveSize; mask *= 2) {
    const int32_t other =
        __builtin_bit_cast(int32_t, FromOther(__builtin_bit_cast(float, value), mask));
    value = other > value ? other : value;
  }
  return value;
}
// The same for the lanes that share a row, of several waves. All threads call it together.
JAXGEMM_GPU int32_t MaxOfRow(int32_t value, int bits, Float8Shared& shared) {
  value = MaxOfLanes(value, bits);
  if (1 << bits <= kWaveSize) return value;
  if (LaneId() == 0) shared.tops[WaveId()] = value;
  Barrier();
  const int waves = (1 << bits) / kWaveSize, first = WaveId() / waves * waves;
  for (int wave = first; wave < first + waves; ++wave) {
    value = shared.tops[wave] > value ? shared.tops[wave] : value;
  }
  return value;
}

// Stores the vector with this number of all vectors.
template <DType kType, class Format>
JAXGEMM_GPU void StoreFloat8(const Float8Rows& out, int64_t number, Vector vector,
                             Float8Scale scale) {
  constexpr int kElements = kVectorElements<kType>;
  float x[kElements], quotients[kElements];
  Decode<kType>(vector, x);
#pragma unroll
  for (int i = 0; i < kElements; ++i) {
    float quotient = scale.Quotient(x[i]);
#if defined(__HIP__)
    // Only with scales that are powers of two a quotient is beyond the largest value. Hopper's
    // conversion saturates.
    constexpr float kMost = kLargest<Format>;
    if (out.mx) quotient = quotient > kMost ? kMost : quotient < -kMost ? -kMost : quotient;
#endif
    quotients[i] = quotient;
  }
  uint32_t* to = static_cast<uint32_t*>(out.values) + number * (kElements / 4);
  if constexpr (kElements == 8) {
    const uint64_t low = ToFloat8<Format>(quotients);
    const uint64_t high = ToFloat8<Format>(quotients + 4);
    *reinterpret_cast<uint64_t*>(to) = high << 32 | low;
  } else {
    *to = ToFloat8<Format>(quotients);
  }
}

JAXGEMM_GPU void StoreScale(const Float8Rows& out, int64_t number, Float8Scale scale) {
  if (out.mx) {
    static_cast<uint8_t*>(out.scales)[number] =
        static_cast<uint8_t>(__builtin_bit_cast(int32_t, scale.scale) >> 23);
  } else {
    static_cast<float*>(out.scales)[number] = scale.scale;
  }
}

// Stores a vector with the scale of its block. All lanes of the wave call it together; those
// without a vector are not `there`, and then no lane of their block is.
template <DType kType, class Format>
JAXGEMM_GPU void StoreInBlocks(const Float8Rows& out, int64_t number, Vector vector, bool there) {
  const int32_t top = MaxOfLanes(there ? TopOf<kType>(vector) : 0, out.block_bits);
  if (!there) return;
  const Float8Scale scale = ScaleOf<Format>(out, top);
  StoreFloat8<kType, Format>(out, number, vector, scale);
  if ((LaneId() & ((1 << out.block_bits) - 1)) == 0) {
    StoreScale(out, number >> out.block_bits, scale);
  }
}

}  // namespace jaxgemm
