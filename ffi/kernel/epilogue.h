// What every epilogue is made of: activations, and conversions to minifloats. The epilogue itself
// computes out = cast(activation(row_scale * scale * acc + bias)) in float, or acc + bias in int32
// for an integer out. The host's is in host/store.h; those of GPUs are in row_epilogue.h,
// amdgpu/vector_epilogue.h and sm90/*epilogue.h, which load and apply the vectors by
// epilogue_vectors.h.
//
// Every function here has internal linkage: the host kernels compile this file once per
// instruction set, and the linker must not pick one set's copy for all.
#pragma once

#include <cstdint>

#include "spec/types.h"

#define JAXGEMM_INLINE JAXGEMM_DEVICE inline __attribute__((always_inline))

namespace jaxgemm {

// A vector operand. For (row, column) of the tile it has data[row * row_stride + column *
// col_stride], where col_stride is 0 or 1.
struct TileVector {
  const void* data;  // null: none
  int64_t row_stride, col_stride;
};

// The epilogue's arguments for one output tile. Pointers point to the tile's first element;
// strides are in elements.
struct EpilogueTile {
  void* out;
  void* preact;  // output of the values before the activation; null: none
  DType out_dtype, preact_dtype;
  int64_t row_stride;  // of out and preact
  int64_t col_stride;  // 1, except for the transposed problem
#define JAXGEMM_VECTOR(type, name, ...) TileVector name;
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
  Activation activation;
  // Gated: out = activation(gate) * up. The up projection begins up_acc_columns columns after the
  // gate in the accumulators, and up_columns after it in bias, scale and preact. 0: not gated.
  int64_t up_acc_columns, up_columns;
  bool accumulate;  // out = out + ...; float only
  QuantizeOut quantize_out;
  void* out_scales;           // if out is quantised
  int64_t scales_row_stride;  // of out_scales
};

// ---- Activations.

// e^x with a relative error of about 1e-7: e^x = 2^n e^r, where |r| <= ln(2) / 2 (the polynomial of
// Cephes' expf). The result is multiplied by 2^n in two steps, so that a large x gives inf. NaN
// stays NaN.
static JAXGEMM_INLINE float Exp(float x) {
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  const float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = x * 1.44269504f + kRound;
  const int32_t n =
      static_cast<int32_t>(__builtin_bit_cast(uint32_t, shifted) & 0x7fffff) - 0x400000;
  const float rounded = shifted - kRound;
  const float r = (x - rounded * 0.693359375f) + rounded * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const int32_t half = n >> 1;
  const auto pow2 = [](int32_t e) {
    return __builtin_bit_cast(float, static_cast<uint32_t>(e + 127) << 23);
  };
  return p * pow2(half) * pow2(n - half);
}

static JAXGEMM_INLINE float Sigmoid(float x) {
#if defined(__CUDA_ARCH__)
  return __fdividef(1.0f, 1.0f + __expf(-x));  // two instructions; accurate to about 1e-6
#else
  return 1.0f / (1.0f + Exp(-x));
#endif
}

// NaN stays NaN, as in jax.nn.relu.
static JAXGEMM_INLINE float Relu(float x) { return x < 0.0f ? 0.0f : x; }

static JAXGEMM_INLINE float Silu(float x) { return x * Sigmoid(x); }

// jax.nn.gelu(approximate=True), with (1 + tanh(u)) / 2 = sigmoid(2 u). As in JAX, -inf
// gives NaN.
static JAXGEMM_INLINE float Gelu(float x) {
  const float kTwoSqrt2OverPi = 1.5957691216f;
  return x * Sigmoid(kTwoSqrt2OverPi * (x + 0.044715f * (x * x * x)));
}

// Calls apply(function) with the function of one element, unless there is no activation.
template <class Apply>
static JAXGEMM_INLINE void WithActivation(Activation activation, const Apply& apply) {
  switch (activation) {
    case Activation::kNone: return;
#define JAXGEMM_ACTIVATION(id, name, function) \
  case Activation::id:                         \
    return apply([](float x) __attribute__((always_inline)) { return function(x); });
#include "spec/instances.def"
#undef JAXGEMM_ACTIVATION
  }
}

// ---- Minifloats: float formats of 8 and of 16 bits.

// The codes that are not finite numbers.
enum class MinifloatSpecials : uint8_t {
  kIeee,          // the largest exponent is inf and NaN
  kNanOnly,       // all ones is NaN, there is no inf ("fn")
  kUnsignedZero,  // the code of -0 is the only NaN ("fnuz")
};

template <int kExponentBits, int kMantissaBits, int kExponentBias, MinifloatSpecials kRest>
struct Minifloat {
  static constexpr int kMantissa = kMantissaBits;
  static constexpr int kBias = kExponentBias;
  static constexpr int kShift = 23 - kMantissaBits;
  static constexpr MinifloatSpecials kSpecials = kRest;
  static constexpr uint32_t kSign = 1u << (kExponentBits + kMantissaBits);
  static constexpr uint32_t kMagnitude = kSign - 1;
  static constexpr uint32_t kInf = kMagnitude & ~((1u << kMantissaBits) - 1);
  // The bits of the float 2^(24 - bias - mantissa). Its unit in the last place is the format's
  // smallest subnormal.
  static constexpr uint32_t kSubnormalMagic = (151u - kExponentBias - kMantissaBits) << 23;
};

using F16Format = Minifloat<5, 10, 15, MinifloatSpecials::kIeee>;
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  using format =                                                                          \
      Minifloat<exponent_bits, mantissa_bits, exponent_bias, MinifloatSpecials::specials>;
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8

// Decodes exactly. `Bits` and `Float` are uint32_t and float, or vectors of them. A subnormal is
// decoded by way of a normal float, because the caller may run with denormals-are-zero.
template <class Format, class Float, class Bits>
static JAXGEMM_INLINE Float DecodeMinifloat(Bits code) {
  const Bits magnitude = code & Format::kMagnitude;
  const Bits sign = (code & Format::kSign) * (0x80000000u / Format::kSign);
  const Bits shifted = magnitude << Format::kShift;
  const Bits magic = magnitude | Format::kSubnormalMagic;
  const Float subnormal =
      __builtin_bit_cast(Float, magic) - __builtin_bit_cast(float, Format::kSubnormalMagic);
  Bits bits = magnitude < (1u << Format::kMantissa)
                  ? __builtin_bit_cast(Bits, subnormal)
                  : shifted + (static_cast<uint32_t>(127 - Format::kBias) << 23);
  const Bits nan = Bits{} + 0x7fc00000u;
  if constexpr (Format::kSpecials == MinifloatSpecials::kIeee) {
    bits = magnitude >= Format::kInf ? shifted | 0x7f800000u : bits;
  } else if constexpr (Format::kSpecials == MinifloatSpecials::kNanOnly) {
    bits = magnitude == Format::kMagnitude ? nan : bits;
  } else {
    bits = code == Format::kSign ? nan : bits;
  }
  return __builtin_bit_cast(Float, bits | sign);
}

// Rounds to nearest even. Overflow gives inf if the format has it, else NaN, as in ml_dtypes
// and XLA's convert.
template <class Format>
static JAXGEMM_INLINE uint32_t EncodeMinifloat(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t sign = (bits >> 31) * Format::kSign;
  const uint32_t odd = (magnitude >> Format::kShift) & 1;
  const uint32_t rounded = magnitude + odd + ((1u << (Format::kShift - 1)) - 1);
  const uint32_t bias_change = static_cast<uint32_t>(127 - Format::kBias);
  const uint32_t normal = (rounded >> Format::kShift) - (bias_change << Format::kMantissa);
  const float magic = __builtin_bit_cast(float, Format::kSubnormalMagic);
  const uint32_t subnormal =
      __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) + magic) -
      Format::kSubnormalMagic;
  // Every vector unit can compare int32_t, and no value that is compared here has the top bit set.
  const auto above = [](uint32_t a, uint32_t b) {
    return static_cast<int32_t>(a) > static_cast<int32_t>(b);
  };
  uint32_t code = above((bias_change + 1) << 23, magnitude) ? subnormal : normal;
  if constexpr (Format::kSpecials == MinifloatSpecials::kIeee) {
    code = above(code, Format::kInf) ? Format::kInf : code;
    code = above(magnitude, 0x7f800000u) ? Format::kInf | (1u << (Format::kMantissa - 1)) : code;
    return code | sign;
  } else if constexpr (Format::kSpecials == MinifloatSpecials::kNanOnly) {
    code = above(code, Format::kMagnitude) ? Format::kMagnitude : code;
    code = above(magnitude, 0x7f800000u) ? Format::kMagnitude : code;
    return code | sign;
  } else {
    uint32_t with_sign = code == 0 ? 0 : code | sign;
    with_sign = above(code, Format::kMagnitude) ? Format::kSign : with_sign;
    return above(magnitude, 0x7f800000u) ? Format::kSign : with_sign;
  }
}

// The bits of bfloat16 from those of float32, rounded to nearest even; not for NaN. `Bits` is
// uint32_t or a vector of them.
template <class Bits>
static JAXGEMM_INLINE Bits RoundToBF16(Bits bits) {
  return (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
}

static JAXGEMM_INLINE uint16_t EncodeBF16(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t rounded = RoundToBF16(bits);
  const uint32_t nan = ((bits >> 16) & 0x8000u) | 0x7fc0u;
  return static_cast<uint16_t>(static_cast<int32_t>(bits & 0x7fffffffu) > 0x7f800000 ? nan
                                                                                     : rounded);
}

}  // namespace jaxgemm
