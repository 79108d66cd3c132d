// Conversions of the vector unit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

// Converts to an integer: rounds towards zero, saturates, and makes NaN zero.
template <class Int, class Float>
Int ToInteger(Float x) {
  constexpr Float kLow = static_cast<Float>(std::numeric_limits<Int>::min());
  constexpr Float kEnd =
      2 * static_cast<Float>(uint64_t{1} << (8 * sizeof(Int) - 1 - std::is_signed_v<Int>));
  if (x != x) return 0;
  if (x <= kLow) return std::numeric_limits<Int>::min();
  if (x >= kEnd) return std::numeric_limits<Int>::max();
  return static_cast<Int>(x);
}

// gfx942 has the FNUZ formats, gfx950 the OCP formats.
template <class Fnuz, class Ocp>
uint32_t EncodeF8(Arch arch, float x) {
  return arch == Arch::kGfx942 ? Encode<Fnuz>(x) : Encode<Ocp>(x);
}
template <class Fnuz, class Ocp>
float DecodeF8(Arch arch, uint32_t code) {
  return arch == Arch::kGfx942 ? Decode<Fnuz>(code & 0xff) : Decode<Ocp>(code & 0xff);
}

// Writes 16 bits to the half of the destination that op_sel selects, and keeps the other half.
void StoreHalf(Context& c, Words* result) {
  const bool high = c.in.op_sel & 8;
  const uint32_t* old = c.r.vgpr[c.in.dst[0].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t& word = result->lane[lane];
    word = high ? (old[lane] & 0xffff) | (word << 16) : (old[lane] & 0xffff0000u) | word;
  }
  Store(c, ValueKind::kBits, false, 1, result);
}

// Writes two float8. In a format without infinities an overflow becomes NaN, which is the manual's
// behaviour without FP16_OVFL.
template <class Fnuz, class Ocp>
void PackF8(Context& c) {
  CheckRounding(c, ValueKind::kF16);
  Words buffer[4], result[2];
  const uint32_t* words[2][2];
  for (int i = 0; i < 2; ++i) Load(c, i, ValueKind::kF32, false, 1, &buffer[2 * i], words[i]);
  for (int lane = 0; lane < kLanes; ++lane) {
    result[0].lane[lane] = EncodeF8<Fnuz, Ocp>(c.arch, F32::Get(words[0][0][lane], 0)) |
                           (EncodeF8<Fnuz, Ocp>(c.arch, F32::Get(words[1][0][lane], 0)) << 8);
  }
  StoreHalf(c, result);
}

template <class Fnuz, class Ocp>
void UnpackF8(Context& c) {
  Map<F32, U32>(c, [arch = c.arch](uint32_t x) { return DecodeF8<Fnuz, Ocp>(arch, x); });
}

template <class Fnuz, class Ocp>
void UnpackF8Pair(Context& c) {
  Map<U64, U32>(c, [arch = c.arch](uint32_t x) {
    const uint32_t low = std::bit_cast<uint32_t>(DecodeF8<Fnuz, Ocp>(arch, x));
    const uint32_t high = std::bit_cast<uint32_t>(DecodeF8<Fnuz, Ocp>(arch, x >> 8));
    return low | (uint64_t{high} << 32);
  });
}

// ---- gfx950's conversions with a scale: 2^(e - 127), where e are the exponent bits of a float32.
// The manual takes e for a scale of the MX formats (E8M0), in which 255 is NaN.

double ScaleOf(uint32_t word) {
  const uint32_t exponent = (word >> 23) & 0xff;
  return exponent == 255 ? std::numeric_limits<double>::quiet_NaN()
                         : std::ldexp(1.0, static_cast<int>(exponent) - 127);
}

// The formats that float8 is converted from and to, and how a register holds them.
struct WideF32 {
  static constexpr ValueKind kKind = ValueKind::kF32;
  static double Get(uint32_t word) { return std::bit_cast<float>(word); }
  static uint32_t Put(double x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); }
};
struct WideF16 {
  static constexpr ValueKind kKind = ValueKind::kF16;
  static double Get(uint32_t word) { return Decode<Float16>(word & 0xffff); }
  static uint32_t Put(double x) { return Encode<Float16>(x); }
};
struct WideBf16 {  // MODE has no bit for its denormals
  static constexpr ValueKind kKind = ValueKind::kBits;
  static double Get(uint32_t word) { return Decode<Bfloat16>(word); }
  static uint32_t Put(double x) { return Encode<Bfloat16>(x); }
};

// The code of the nearest float4, to nearest even. It has no NaN and no infinity: larger values,
// and NaN, become the largest.
uint32_t EncodeFp4(double x) {
  static constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const double magnitude = std::fabs(x);
  uint32_t code = 7;
  for (uint32_t i = 0; i < 7; ++i) {
    const double middle = (kValues[i] + kValues[i + 1]) / 2;
    if (magnitude < middle || (magnitude == middle && i % 2 == 0)) {
      code = i;
      break;
    }
  }
  return code | (std::signbit(x) ? 8 : 0);
}

// Divides two values by the scale and writes them as float8. Values of 16 bits are in one source.
template <class Format, class Wide>
void PackScaled(Context& c) {
  constexpr bool kTwoSources = std::is_same_v<Wide, WideF32>;
  CheckRounding(c, ValueKind::kF16);
  Words buffer[3][2], result;
  const uint32_t* words[3][2];
  for (int i = 0; i < 2 + kTwoSources; ++i) {
    Load(c, i, kTwoSources ? ValueKind::kF32 : ValueKind::kBits, false, 1, buffer[i], words[i]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t low = words[0][0][lane], high = kTwoSources ? words[1][0][lane] : low >> 16;
    const double scale = ScaleOf(words[1 + kTwoSources][0][lane]);
    result.lane[lane] =
        Encode<Format>(Wide::Get(low) / scale) | (Encode<Format>(Wide::Get(high) / scale) << 8);
  }
  StoreHalf(c, &result);
}

// Multiplies one float8, or the two in half a register, by the scale. op_sel has the number of the
// byte, or of the half.
template <class Format, class Wide, int kValues>
void UnpackScaled(Context& c) {
  CheckRounding(c, ValueKind::kF16);
  Words buffer[2][2], result[2];
  const uint32_t* words[2][2];
  for (int i = 0; i < 2; ++i) Load(c, i, ValueKind::kBits, false, 1, buffer[i], words[i]);
  const int shift = kValues == 1 ? 8 * (c.in.op_sel & 3) : 16 * (c.in.op_sel & 1);
  for (int lane = 0; lane < kLanes; ++lane) {
    const double scale = ScaleOf(words[1][0][lane]);
    for (int i = 0; i < kValues; ++i) {
      const uint32_t code = (words[0][0][lane] >> (shift + 8 * i)) & 0xff;
      result[i].lane[lane] = Wide::Put(Decode<Format>(code) * scale);
    }
  }
  for (int i = 0; i < kValues; ++i) Finish(c, Wide::kKind, &result[i]);
  if (std::is_same_v<Wide, WideF32>) {
    for (int i = 0; i < kValues; ++i) Write(c, i, result[i]);
  } else if (kValues == 1) {
    StoreHalf(c, result);
  } else {
    for (int lane = 0; lane < kLanes; ++lane) result[0].lane[lane] |= result[1].lane[lane] << 16;
    Write(c, 0, result[0]);
  }
}

// The same from and to float4, of which a byte has two. op_sel[3:2] (op_sel[1:0] of a source) is
// the number of the byte.
template <class Wide>
void PackScaledFp4(Context& c) {
  constexpr bool kTwoSources = std::is_same_v<Wide, WideF32>;
  CheckRounding(c, ValueKind::kF16);
  Words buffer[3][2], result;
  const uint32_t* words[3][2];
  for (int i = 0; i < 2 + kTwoSources; ++i) {
    Load(c, i, kTwoSources ? ValueKind::kF32 : ValueKind::kBits, false, 1, buffer[i], words[i]);
  }
  const int shift = 8 * (c.in.op_sel >> 2 & 3);
  const uint32_t* old = c.r.vgpr[c.in.dst[0].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t low = words[0][0][lane], high = kTwoSources ? words[1][0][lane] : low >> 16;
    const double scale = ScaleOf(words[1 + kTwoSources][0][lane]);
    const uint32_t pair = EncodeFp4(Wide::Get(low) / scale) | EncodeFp4(Wide::Get(high) / scale)
                                                                  << 4;
    result.lane[lane] = (old[lane] & ~(0xffu << shift)) | pair << shift;
  }
  Store(c, ValueKind::kBits, false, 1, &result);
}

template <class Wide>
void UnpackScaledFp4(Context& c) {
  CheckRounding(c, ValueKind::kF16);
  Words buffer[2][2], result[2];
  const uint32_t* words[2][2];
  for (int i = 0; i < 2; ++i) Load(c, i, ValueKind::kBits, false, 1, buffer[i], words[i]);
  const int shift = 8 * (c.in.op_sel & 3);
  for (int lane = 0; lane < kLanes; ++lane) {
    const double scale = ScaleOf(words[1][0][lane]);
    for (int i = 0; i < 2; ++i) {
      const uint32_t code = words[0][0][lane] >> (shift + 4 * i) & 15;
      result[i].lane[lane] = Wide::Put(Decode<Fp4>(code) * scale);
    }
  }
  for (int i = 0; i < 2; ++i) Finish(c, Wide::kKind, &result[i]);
  if (std::is_same_v<Wide, WideF32>) {
    for (int i = 0; i < 2; ++i) Write(c, i, result[i]);
  } else {
    for (int lane = 0; lane < kLanes; ++lane) result[0].lane[lane] |= result[1].lane[lane] << 16;
    Write(c, 0, result[0]);
  }
}

// A value of [-1, 1] or [0, 1] as an integer of 16 bits, to nearest even.
template <class Int>
uint32_t Normalized(float x) {
  constexpr double kScale = std::numeric_limits<Int>::max();
  if (x != x) return 0;
  const double value = std::clamp<double>(x, std::is_signed_v<Int> ? -1 : 0, 1);
  return static_cast<uint32_t>(static_cast<int32_t>(std::nearbyint(value * kScale))) & 0xffff;
}
template <class Int>
uint32_t NormalizedPair(float x, float y) {
  return Normalized<Int>(x) | Normalized<Int>(y) << 16;
}

}  // namespace

Executor FindConvert(Op op) {
  switch (op) {
    case Op::v_cvt_f32_i32:
      return [](Context& c) { Map<F32, I32>(c, [](int32_t x) { return static_cast<float>(x); }); };
    case Op::v_cvt_f32_u32:
      return [](Context& c) { Map<F32, U32>(c, [](uint32_t x) { return static_cast<float>(x); }); };
    case Op::v_cvt_i32_f32: return [](Context& c) { Map<I32, F32>(c, ToInteger<int32_t, float>); };
    case Op::v_cvt_u32_f32: return [](Context& c) { Map<U32, F32>(c, ToInteger<uint32_t, float>); };
    case Op::v_cvt_rpi_i32_f32:
      return [](Context& c) {
        Map<I32, F32>(c, [](float x) { return ToInteger<int32_t>(std::floor(x + 0.5f)); });
      };
    case Op::v_cvt_flr_i32_f32:
      return [](Context& c) {
        Map<I32, F32>(c, [](float x) { return ToInteger<int32_t>(std::floor(x)); });
      };
    case Op::v_cvt_f64_i32:
      return [](Context& c) { Map<F64, I32>(c, [](int32_t x) { return double{1} * x; }); };
    case Op::v_cvt_f64_u32:
      return [](Context& c) { Map<F64, U32>(c, [](uint32_t x) { return double{1} * x; }); };
    case Op::v_cvt_i32_f64: return [](Context& c) { Map<I32, F64>(c, ToInteger<int32_t, double>); };
    case Op::v_cvt_u32_f64:
      return [](Context& c) { Map<U32, F64>(c, ToInteger<uint32_t, double>); };
    case Op::v_cvt_f32_f64:
      return [](Context& c) { Map<F32, F64>(c, [](double x) { return static_cast<float>(x); }); };
    case Op::v_cvt_f64_f32:
      return [](Context& c) { Map<F64, F32>(c, [](float x) { return static_cast<double>(x); }); };
    case Op::v_cvt_f16_f32: return [](Context& c) { Map<F16, F32>(c, [](float x) { return x; }); };
    case Op::v_cvt_f32_f16: return [](Context& c) { Map<F32, F16>(c, [](float x) { return x; }); };
    case Op::v_cvt_f32_bf16: return [](Context& c) { Map<F32, U32>(c, Decode<Bfloat16>); };
    case Op::v_cvt_f16_u16:
      return [](Context& c) { Map<F16, U16>(c, [](uint32_t x) { return 1.0f * x; }); };
    case Op::v_cvt_f16_i16:
      return [](Context& c) { Map<F16, I16>(c, [](int32_t x) { return 1.0f * x; }); };
    case Op::v_cvt_u16_f16: return [](Context& c) { Map<U16, F16>(c, ToInteger<uint16_t, float>); };
    case Op::v_cvt_i16_f16: return [](Context& c) { Map<I16, F16>(c, ToInteger<int16_t, float>); };
    case Op::v_cvt_f32_ubyte0:
      return [](Context& c) { Map<F32, U32>(c, [](uint32_t x) { return 1.0f * (x & 255); }); };
    case Op::v_cvt_f32_ubyte1:
      return
          [](Context& c) { Map<F32, U32>(c, [](uint32_t x) { return 1.0f * ((x >> 8) & 255); }); };
    case Op::v_cvt_f32_ubyte2:
      return
          [](Context& c) { Map<F32, U32>(c, [](uint32_t x) { return 1.0f * ((x >> 16) & 255); }); };
    case Op::v_cvt_f32_ubyte3:
      return [](Context& c) { Map<F32, U32>(c, [](uint32_t x) { return 1.0f * (x >> 24); }); };
    case Op::v_cvt_pkrtz_f16_f32:
      return [](Context& c) {
        Map<U32, F32, F32>(c, [](float x, float y) {
          const auto encode = Encode<Float16, Rounding::kTowardsZero>;
          return encode(x) | (encode(y) << 16);
        });
      };
    // v_cvt_pk_f16_f32 and v_cvt_pk_bf16_f32 round to nearest even whatever MODE says.
    case Op::v_cvt_pk_f16_f32:
      return [](Context& c) {
        Map<U32, F32, F32>(
            c, [](float x, float y) { return Encode<Float16>(x) | (Encode<Float16>(y) << 16); });
      };
    case Op::v_cvt_pk_bf16_f32:
      return [](Context& c) {
        Map<U32, F32, F32>(
            c, [](float x, float y) { return Encode<Bfloat16>(x) | (Encode<Bfloat16>(y) << 16); });
      };
    // These two saturate; compilers fold clamps into them.
    case Op::v_cvt_pk_u16_u32:
      return [](Context& c) {
        Map<U32, U32, U32>(c, [](uint32_t x, uint32_t y) {
          return std::min(x, 0xffffu) | (std::min(y, 0xffffu) << 16);
        });
      };
    case Op::v_cvt_pk_i16_i32:
      return [](Context& c) {
        Map<U32, I32, I32>(c, [](int32_t x, int32_t y) {
          return (static_cast<uint32_t>(std::clamp(x, -32768, 32767)) & 0xffff) |
                 (static_cast<uint32_t>(std::clamp(y, -32768, 32767)) << 16);
        });
      };
    case Op::v_pack_b32_f16:
      return [](Context& c) {
        Map<U32, F16Bits, F16Bits>(c, [](uint32_t x, uint32_t y) { return x | (y << 16); });
      };
    case Op::v_cvt_pk_fp8_f32: return PackF8<Fp8Fnuz, Fp8>;
    case Op::v_cvt_pk_bf8_f32: return PackF8<Bf8Fnuz, Bf8>;
    case Op::v_cvt_f32_fp8: return UnpackF8<Fp8Fnuz, Fp8>;
    case Op::v_cvt_f32_bf8: return UnpackF8<Bf8Fnuz, Bf8>;
    case Op::v_cvt_pk_f32_fp8: return UnpackF8Pair<Fp8Fnuz, Fp8>;
    case Op::v_cvt_pk_f32_bf8: return UnpackF8Pair<Bf8Fnuz, Bf8>;
    case Op::v_cvt_scalef32_pk_fp8_f32: return PackScaled<Fp8, WideF32>;
    case Op::v_cvt_scalef32_pk_bf8_f32: return PackScaled<Bf8, WideF32>;
    case Op::v_cvt_scalef32_pk_fp8_f16: return PackScaled<Fp8, WideF16>;
    case Op::v_cvt_scalef32_pk_bf8_f16: return PackScaled<Bf8, WideF16>;
    case Op::v_cvt_scalef32_pk_fp8_bf16: return PackScaled<Fp8, WideBf16>;
    case Op::v_cvt_scalef32_pk_bf8_bf16: return PackScaled<Bf8, WideBf16>;
    case Op::v_cvt_scalef32_pk_fp4_f32: return PackScaledFp4<WideF32>;
    case Op::v_cvt_scalef32_pk_fp4_f16: return PackScaledFp4<WideF16>;
    case Op::v_cvt_scalef32_pk_fp4_bf16: return PackScaledFp4<WideBf16>;
    case Op::v_cvt_scalef32_pk_f32_fp4: return UnpackScaledFp4<WideF32>;
    case Op::v_cvt_scalef32_pk_f16_fp4: return UnpackScaledFp4<WideF16>;
    case Op::v_cvt_scalef32_pk_bf16_fp4: return UnpackScaledFp4<WideBf16>;
    case Op::v_cvt_norm_i16_f16: return [](Context& c) { Map<U16, F16>(c, Normalized<int16_t>); };
    case Op::v_cvt_norm_u16_f16: return [](Context& c) { Map<U16, F16>(c, Normalized<uint16_t>); };
    case Op::v_cvt_pknorm_i16_f32:
      return [](Context& c) { Map<U32, F32, F32>(c, NormalizedPair<int16_t>); };
    case Op::v_cvt_pknorm_u16_f32:
      return [](Context& c) { Map<U32, F32, F32>(c, NormalizedPair<uint16_t>); };
    case Op::v_cvt_pknorm_i16_f16:
      return [](Context& c) { Map<U32, F16, F16>(c, NormalizedPair<int16_t>); };
    case Op::v_cvt_pknorm_u16_f16:
      return [](Context& c) { Map<U32, F16, F16>(c, NormalizedPair<uint16_t>); };
    // Four bits as a signed number of sixteenths.
    case Op::v_cvt_off_f32_i4:
      return [](Context& c) {
        Map<F32, U32>(c, [](uint32_t x) {
          return static_cast<float>(static_cast<int32_t>(x << 28) >> 28) / 16;
        });
      };
    case Op::v_cvt_scalef32_pk_f32_fp8: return UnpackScaled<Fp8, WideF32, 2>;
    case Op::v_cvt_scalef32_pk_f32_bf8: return UnpackScaled<Bf8, WideF32, 2>;
    case Op::v_cvt_scalef32_pk_f16_fp8: return UnpackScaled<Fp8, WideF16, 2>;
    case Op::v_cvt_scalef32_pk_f16_bf8: return UnpackScaled<Bf8, WideF16, 2>;
    case Op::v_cvt_scalef32_pk_bf16_fp8: return UnpackScaled<Fp8, WideBf16, 2>;
    case Op::v_cvt_scalef32_pk_bf16_bf8: return UnpackScaled<Bf8, WideBf16, 2>;
    case Op::v_cvt_scalef32_f32_fp8: return UnpackScaled<Fp8, WideF32, 1>;
    case Op::v_cvt_scalef32_f32_bf8: return UnpackScaled<Bf8, WideF32, 1>;
    case Op::v_cvt_scalef32_f16_fp8: return UnpackScaled<Fp8, WideF16, 1>;
    case Op::v_cvt_scalef32_f16_bf8: return UnpackScaled<Bf8, WideF16, 1>;
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
