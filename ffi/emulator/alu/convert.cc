// Conversions of the vector unit.
#include <algorithm>
#include <cmath>

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

// float32 to float16, rounded towards zero: a finite value that overflows becomes the largest one.
uint32_t EncodeF16TowardsZero(float x) {
  const uint32_t rounded = EncodeSmallFloat<F16Format>(x);
  if (!std::isfinite(x)) return rounded;
  if ((rounded & 0x7fff) == 0x7c00) return rounded - 1;
  const float back = DecodeSmallFloat<F16Format, float, uint32_t>(rounded);
  return std::fabs(back) > std::fabs(x) ? rounded - 1 : rounded;
}

// gfx942 has the FNUZ formats, gfx950 the OCP formats.
template <class Fnuz, class Ocp>
uint32_t EncodeF8(Arch arch, float x) {
  return arch == Arch::kGfx942 ? EncodeSmallFloat<Fnuz>(x) : EncodeSmallFloat<Ocp>(x);
}
template <class Fnuz, class Ocp>
float DecodeF8(Arch arch, uint32_t code) {
  return arch == Arch::kGfx942 ? DecodeSmallFloat<Fnuz, float, uint32_t>(code & 0xff)
                               : DecodeSmallFloat<Ocp, float, uint32_t>(code & 0xff);
}

// Writes two float8 to one half of the destination and keeps the other half. In a format without
// infinities an overflow becomes NaN, which is the manual's behaviour without FP16_OVFL.
template <class Fnuz, class Ocp>
void PackF8(Context& c) {
  CheckRounding(c, ValueKind::kF16);
  const bool high = c.in.op_sel & 8;
  const uint32_t* old = c.r.vgpr[c.in.dst[0].index];
  Words buffer[4], result[2];
  const uint32_t* words[2][2];
  for (int i = 0; i < 2; ++i) Load(c, i, ValueKind::kF32, false, 1, &buffer[2 * i], words[i]);
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t pair = EncodeF8<Fnuz, Ocp>(c.arch, F32::Get(words[0][0][lane], 0)) |
                          (EncodeF8<Fnuz, Ocp>(c.arch, F32::Get(words[1][0][lane], 0)) << 8);
    result[0].lane[lane] =
        high ? (old[lane] & 0xffff) | (pair << 16) : (old[lane] & 0xffff0000u) | pair;
  }
  Store(c, ValueKind::kBits, false, 1, result);
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
    case Op::v_cvt_f32_bf16:
      return [](Context& c) {
        Map<F32, U32>(c, [](uint32_t x) { return std::bit_cast<float>(x << 16); });
      };
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
          return EncodeF16TowardsZero(x) | (EncodeF16TowardsZero(y) << 16);
        });
      };
    // v_cvt_pk_f16_f32 and v_cvt_pk_bf16_f32 round to nearest even whatever MODE says.
    case Op::v_cvt_pk_f16_f32:
      return [](Context& c) {
        Map<U32, F32, F32>(c, [](float x, float y) {
          return EncodeSmallFloat<F16Format>(x) | (EncodeSmallFloat<F16Format>(y) << 16);
        });
      };
    case Op::v_cvt_pk_bf16_f32:
      return [](Context& c) {
        Map<U32, F32, F32>(c, [](float x, float y) -> uint32_t {
          return EncodeBF16(x) | (uint32_t{EncodeBF16(y)} << 16);
        });
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
    case Op::v_cvt_pk_fp8_f32: return PackF8<F8E4M3FNUZFormat, F8E4M3FNFormat>;
    case Op::v_cvt_pk_bf8_f32: return PackF8<F8E5M2FNUZFormat, F8E5M2Format>;
    case Op::v_cvt_f32_fp8: return UnpackF8<F8E4M3FNUZFormat, F8E4M3FNFormat>;
    case Op::v_cvt_f32_bf8: return UnpackF8<F8E5M2FNUZFormat, F8E5M2Format>;
    case Op::v_cvt_pk_f32_fp8: return UnpackF8Pair<F8E4M3FNUZFormat, F8E4M3FNFormat>;
    case Op::v_cvt_pk_f32_bf8: return UnpackF8Pair<F8E5M2FNUZFormat, F8E5M2Format>;
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
