// The three instructions of an IEEE division: v_div_scale, v_div_fmas, v_div_fixup.
//
// The manuals' pseudo-code contradicts itself: scale and fmas disagree about the power of two
// (2^64 against 2^32), and one branch of scale overflows. This is the pseudo-code with the powers
// that make clang's sequence (scale both, reciprocal, refine, fmas, fixup) a correctly rounded
// division, which a test checks. Scale multiplies by 2^64 or 2^-64, and fmas scales back; the size
// of its addend, the quotient so far, gives the direction.
#include <cmath>
#include <limits>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

int Exponent(float x) { return (std::bit_cast<uint32_t>(x) >> 23) & 0xff; }
bool IsDenormal(float x) { return x != 0 && std::fabs(x) < 0x1p-126f; }
bool SameBits(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

// Scales `value`, the denominator or the numerator, and sets whether fmas scales back.
float DivScale(float value, float denominator, float numerator, bool* scale_back) {
  *scale_back = false;
  if (numerator == 0 || denominator == 0) return std::numeric_limits<float>::quiet_NaN();
  const bool tiny_reciprocal = IsDenormal(1 / denominator);
  const bool tiny_quotient = IsDenormal(numerator / denominator);
  if (Exponent(numerator) - Exponent(denominator) >= 96) {
    *scale_back = true;
    return SameBits(value, denominator) ? std::scalbn(value, 64) : value;
  }
  if (IsDenormal(denominator)) return std::scalbn(value, 64);
  if (tiny_reciprocal && tiny_quotient) {
    *scale_back = true;
    return SameBits(value, denominator) ? std::scalbn(value, -64) : value;
  }
  if (tiny_reciprocal) return std::scalbn(value, -64);
  if (tiny_quotient) {
    *scale_back = true;
    return SameBits(value, numerator) ? std::scalbn(value, 64) : value;
  }
  return Exponent(numerator) <= 23 ? std::scalbn(value, 64) : value;
}

void ExecuteDivScale(Context& c) {
  Words buffer[6], result[2];
  const uint32_t* words[3][2];
  for (int i = 0; i < 3; ++i) Load(c, i, ValueKind::kF32, false, 1, &buffer[2 * i], words[i]);
  uint64_t mask = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool scale_back;
    const float value = DivScale(F32::Get(words[0][0][lane], 0), F32::Get(words[1][0][lane], 0),
                                 F32::Get(words[2][0][lane], 0), &scale_back);
    result[0].lane[lane] = std::bit_cast<uint32_t>(value);
    mask |= uint64_t{scale_back} << lane;
  }
  Store(c, ValueKind::kF32, false, 1, result);
  StoreMask(c, c.in.dst[1], mask);
}

void ExecuteDivFmas(Context& c) {
  const uint64_t vcc = LoadMask(c, 3);
  Words buffer[6], result[2];
  const uint32_t* words[3][2];
  for (int i = 0; i < 3; ++i) Load(c, i, ValueKind::kF32, false, 1, &buffer[2 * i], words[i]);
  FmaLanes(words[0][0], words[1][0], words[2][0], result[0].lane);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!((vcc >> lane) & 1)) continue;
    const float x = F32::Get(words[0][0][lane], 0), y = F32::Get(words[1][0][lane], 0),
                z = F32::Get(words[2][0][lane], 0);
    // The result is rounded once, after the scaling.
    result[0].lane[lane] = std::bit_cast<uint32_t>(
        static_cast<float>(std::scalbn(FmaToOdd(x, y, z), Exponent(z) > 127 ? 64 : -64)));
  }
  Store(c, ValueKind::kF32, false, 1, result);
}

float DivFixup(float quotient, float denominator, float numerator) {
  const float sign = IsNegative(denominator) != IsNegative(numerator) ? -1.0f : 1.0f;
  if (numerator != numerator) return QuietOf(numerator);
  if (denominator != denominator) return QuietOf(denominator);
  const bool big_n = std::isinf(numerator), big_d = std::isinf(denominator);
  if ((numerator == 0 && denominator == 0) || (big_n && big_d)) {
    return std::bit_cast<float>(0xffc00000u);
  }
  if (denominator == 0 || big_n) return sign * std::numeric_limits<float>::infinity();
  if (big_d || numerator == 0) return sign * 0.0f;
  // The quotient is below half of the smallest denormal.
  if (Exponent(numerator) - Exponent(denominator) < -150) return sign * 0.0f;
  // For a quotient that overflows, the refinement computed inf - inf, a NaN.
  if (quotient != quotient) return sign * std::numeric_limits<float>::infinity();
  return std::copysign(quotient, sign);
}

}  // namespace

Executor FindSpecial(Op op) {
  switch (op) {
    case Op::v_div_scale_f32: return ExecuteDivScale;
    case Op::v_div_fmas_f32: return ExecuteDivFmas;
    case Op::v_div_fixup_f32: return [](Context& c) { Map<F32, F32, F32, F32>(c, DivFixup); };
    case Op::v_div_fixup_f16: return [](Context& c) { Map<F16, F16, F16, F16>(c, DivFixup); };
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
