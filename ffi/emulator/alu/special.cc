// The three instructions of an IEEE division: v_div_scale, v_div_fmas, v_div_fixup; and
// v_trig_preop.
//
// The manuals' pseudo-code contradicts itself: scale and fmas disagree about the power of two
// (2^64 against 2^32), and one branch of scale overflows. This is the pseudo-code with the powers
// that make clang's sequence (scale both, reciprocal, refine, fmas, fixup) a correctly rounded
// division, which a test checks. Scale multiplies by 2^64 or 2^-64 (2^128 and 2^-128 for float64),
// and fmas scales back; the size of its addend, the quotient so far, gives the direction.
#include <cmath>
#include <limits>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

template <class T>
struct Division;
template <>
struct Division<float> {
  static constexpr int kScale = 64;
  static constexpr int kFar = 96;  // exponents so far apart give a quotient near the largest
  static constexpr int kSmallExponent = 23;  // numerators up to here are scaled
  static constexpr int kNothing = -150;      // the quotient is below half of the smallest denormal
  static int Exponent(float x) { return std::bit_cast<uint32_t>(x) >> 23 & 0xff; }
};
template <>
struct Division<double> {
  static constexpr int kScale = 128, kFar = 768, kSmallExponent = 53, kNothing = -1075;
  static int Exponent(double x) { return std::bit_cast<uint64_t>(x) >> 52 & 0x7ff; }
};

template <class T>
bool IsDenormal(T x) {
  return x != 0 && std::fabs(x) < std::numeric_limits<T>::min();
}
template <class T>
bool SameBits(T a, T b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

// Scales `value`, the denominator or the numerator, and sets whether fmas scales back.
template <class T>
T DivScale(T value, T denominator, T numerator, bool* scale_back) {
  using D = Division<T>;
  *scale_back = false;
  if (numerator == 0 || denominator == 0) return std::numeric_limits<T>::quiet_NaN();
  const bool tiny_reciprocal = IsDenormal(1 / denominator);
  const bool tiny_quotient = IsDenormal(numerator / denominator);
  if (D::Exponent(numerator) - D::Exponent(denominator) >= D::kFar) {
    *scale_back = true;
    return SameBits(value, denominator) ? std::scalbn(value, D::kScale) : value;
  }
  if (IsDenormal(denominator)) return std::scalbn(value, D::kScale);
  if (tiny_reciprocal && tiny_quotient) {
    *scale_back = true;
    return SameBits(value, denominator) ? std::scalbn(value, -D::kScale) : value;
  }
  if (tiny_reciprocal) return std::scalbn(value, -D::kScale);
  if (tiny_quotient) {
    *scale_back = true;
    return SameBits(value, numerator) ? std::scalbn(value, D::kScale) : value;
  }
  return D::Exponent(numerator) <= D::kSmallExponent ? std::scalbn(value, D::kScale) : value;
}

// The three sources of a division's instruction, and its result.
template <class Type>
struct Lanes {
  explicit Lanes(Context& c) : context(c) {
    for (int i = 0; i < 3; ++i) {
      Load(c, i, Type::kKind, Type::k16Bit, Type::kWords, &buffer[2 * i], words[i]);
    }
  }
  auto Get(int i, int lane) const {
    return Type::Get(words[i][0][lane], Type::kWords == 2 ? words[i][1][lane] : 0);
  }
  void Put(int lane, typename Type::Value value) {
    Type::Put(value, result[0].lane[lane], result[1].lane[lane]);
  }
  void StoreAll() { Store(context, Type::kKind, Type::k16Bit, Type::kWords, result); }

  Context& context;
  Words buffer[6], result[2];
  const uint32_t* words[3][2];
};

template <class Type>
void ExecuteDivScale(Context& c) {
  Lanes<Type> lanes(c);
  uint64_t mask = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool scale_back;
    lanes.Put(lane,
              DivScale(lanes.Get(0, lane), lanes.Get(1, lane), lanes.Get(2, lane), &scale_back));
    mask |= uint64_t{scale_back} << lane;
  }
  lanes.StoreAll();
  StoreMask(c, c.in.dst[1], mask);
}

template <class Type>
void ExecuteDivFmas(Context& c) {
  using T = typename Type::Value;
  using D = Division<T>;
  constexpr int kBias = std::numeric_limits<T>::max_exponent - 1;
  const uint64_t vcc = LoadMask(c, 3);
  Lanes<Type> lanes(c);
  for (int lane = 0; lane < kLanes; ++lane) {
    const T x = lanes.Get(0, lane), y = lanes.Get(1, lane), z = lanes.Get(2, lane);
    if (vcc >> lane & 1) {
      // The result is rounded once, after the scaling.
      lanes.Put(lane, static_cast<T>(std::scalbn(FmaToOdd(x, y, z),
                                                 D::Exponent(z) > kBias ? D::kScale : -D::kScale)));
    } else {
      lanes.Put(lane, std::fma(x, y, z));
    }
  }
  lanes.StoreAll();
}

template <class T>
T DivFixup(T quotient, T denominator, T numerator) {
  using D = Division<T>;
  const T sign = IsNegative(denominator) != IsNegative(numerator) ? -1 : 1;
  if (numerator != numerator) return QuietOf(numerator);
  if (denominator != denominator) return QuietOf(denominator);
  const bool big_n = std::isinf(numerator), big_d = std::isinf(denominator);
  if ((numerator == 0 && denominator == 0) || (big_n && big_d)) {
    return std::copysign(std::numeric_limits<T>::quiet_NaN(), T{-1});
  }
  if (denominator == 0 || big_n) return sign * std::numeric_limits<T>::infinity();
  if (big_d || numerator == 0) return sign * T{0};
  if (D::Exponent(numerator) - D::Exponent(denominator) < D::kNothing) return sign * T{0};
  // For a quotient that overflows, the refinement computed inf - inf, a NaN.
  if (quotient != quotient) return sign * std::numeric_limits<T>::infinity();
  return std::copysign(quotient, sign);
}

// The first 1201 bits of 2/pi, the first bit at the top of the first word.
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};

// A piece of 53 bits of 2/pi, for a range reduction of x: the manual's pseudo-code. `segment`
// counts pieces; they begin where bits of the product with x are not multiples of 2.
double TrigPreop(double x, uint32_t segment) {
  const int exponent = Division<double>::Exponent(x);
  const int shift = static_cast<int>(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  uint64_t piece = 0;
  for (int bit = shift; bit < shift + 53; ++bit) {
    const bool is_set = bit < 1201 && (kTwoOverPi[bit / 64] >> (63 - bit % 64) & 1);
    piece = piece << 1 | (is_set ? 1 : 0);
  }
  const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  return std::ldexp(static_cast<double>(piece), scale);
}

}  // namespace

Executor FindSpecial(Op op) {
  switch (op) {
    case Op::v_div_scale_f32: return ExecuteDivScale<F32>;
    case Op::v_div_scale_f64: return ExecuteDivScale<F64>;
    case Op::v_div_fmas_f32: return ExecuteDivFmas<F32>;
    case Op::v_div_fmas_f64: return ExecuteDivFmas<F64>;
    case Op::v_trig_preop_f64: return [](Context& c) { Map<F64, F64, U32>(c, TrigPreop); };
    case Op::v_div_fixup_f32:
      return [](Context& c) { Map<F32, F32, F32, F32>(c, DivFixup<float>); };
    case Op::v_div_fixup_f64:
      return [](Context& c) { Map<F64, F64, F64, F64>(c, DivFixup<double>); };
    case Op::v_div_fixup_legacy_f16:
    case Op::v_div_fixup_f16:
      return [](Context& c) { Map<F16, F16, F16, F16>(c, DivFixup<float>); };
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
