// Arithmetic of float32, float16 and float64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {

JAXGEMM_EMULATOR_FMA void FmaLanes(const uint32_t* a, const uint32_t* b, const uint32_t* c,
                                   uint32_t* out) {
  for (int lane = 0; lane < kLanes; ++lane) {
    out[lane] = std::bit_cast<uint32_t>(__builtin_fmaf(std::bit_cast<float>(a[lane]),
                                                       std::bit_cast<float>(b[lane]),
                                                       std::bit_cast<float>(c[lane])));
  }
}

namespace {

void Fma(Context& c) {
  Words buffer[6], result[2];
  const uint32_t* words[3][2];
  for (int i = 0; i < 3; ++i) Load(c, i, ValueKind::kF32, false, 1, &buffer[2 * i], words[i]);
  FmaLanes(words[0][0], words[1][0], words[2][0], result[0].lane);
  Store(c, ValueKind::kF32, false, 1, result);
}

float FlushDenormal(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

// Multiplies and adds with two roundings. The instruction flushes denormals, whatever MODE says
// (LLVM: "mad does not support denormals").
void Mad(Context& c) {
  Map<F32, F32, F32, F32>(c, [](float x, float y, float z) {
    const float product = FlushDenormal(FlushDenormal(x) * FlushDenormal(y));
    return FlushDenormal(product + FlushDenormal(z));
  });
}

// The float32 transcendental instructions flush denormal inputs and results, whatever MODE says
// (LLVM's AMDGPULegalizerInfo scales around them for that reason). The hardware's results are
// within 1 ulp; these are the floats nearest to the double results.
template <class F>
void Transcendental(Context& c, F f) {
  Map<F32, F32>(c, [f](float x) {
    return FlushDenormal(static_cast<float>(f(static_cast<double>(FlushDenormal(x)))));
  });
}

// The hardware's results are within 1 ulp; these are the nearest float16.
template <class F>
void Transcendental16(Context& c, F f) {
  Map<F16, F16>(c, [f](float x) { return static_cast<float>(f(static_cast<double>(x))); });
}

// The operations that floats of several types have alike.
template <class T>
struct Floats {
  using V = typename T::Value;
  using Exponent = std::conditional_t<T::k16Bit, I16, I32>;

  static void Add(Context& c) {
    Map<T, T, T>(c, [](V x, V y) { return x + y; });
  }
  static void Sub(Context& c) {
    Map<T, T, T>(c, [](V x, V y) { return x - y; });
  }
  static void SubReversed(Context& c) {
    Map<T, T, T>(c, [](V x, V y) { return y - x; });
  }
  static void Mul(Context& c) {
    Map<T, T, T>(c, [](V x, V y) { return x * y; });
  }
  static void Min(Context& c) {
    Map<T, T, T>(c, [ieee = IeeeMode(c)](V x, V y) { return FloatMin(ieee, x, y); });
  }
  static void Max(Context& c) {
    Map<T, T, T>(c, [ieee = IeeeMode(c)](V x, V y) { return FloatMax(ieee, x, y); });
  }
  static void Min3(Context& c) {
    Map<T, T, T, T>(
        c, [ieee = IeeeMode(c)](V x, V y, V z) { return FloatMin(ieee, FloatMin(ieee, x, y), z); });
  }
  static void Max3(Context& c) {
    Map<T, T, T, T>(
        c, [ieee = IeeeMode(c)](V x, V y, V z) { return FloatMax(ieee, FloatMax(ieee, x, y), z); });
  }
  static void Med3(Context& c) {
    Map<T, T, T, T>(c, [ieee = IeeeMode(c)](V x, V y, V z) { return FloatMed3(ieee, x, y, z); });
  }
  static void Ldexp(Context& c) {
    Map<T, T, Exponent>(c, [](V x, int32_t e) { return std::scalbn(x, e); });
  }
  // The result is below one even where the difference rounds to one: LLVM uses the instruction for
  // min(x - floor(x), 1 - ulp).
  static void Fract(Context& c) {
    static constexpr V kBelowOne = static_cast<V>(T::k16Bit        ? 0x1.ffcp-1
                                                  : T::kWords == 1 ? 0x1.fffffep-1
                                                                   : 0x1.fffffffffffffp-1);
    Map<T, T>(c, [](V x) { return std::min(x - std::floor(x), kBelowOne); });
  }
  static void Trunc(Context& c) {
    Map<T, T>(c, [](V x) { return std::trunc(x); });
  }
  static void Ceil(Context& c) {
    Map<T, T>(c, [](V x) { return std::ceil(x); });
  }
  static void ToEven(Context& c) {
    Map<T, T>(c, [](V x) { return std::nearbyint(x); });
  }
  static void Floor(Context& c) {
    Map<T, T>(c, [](V x) { return std::floor(x); });
  }
  static void FrexpMantissa(Context& c) {
    Map<T, T>(c, [](V x) {
      int exponent;
      return std::isfinite(x) ? std::frexp(x, &exponent) : x;
    });
  }
  static void FrexpExponent(Context& c) {
    Map<Exponent, T>(c, [](V x) {
      int exponent = 0;
      if (std::isfinite(x)) std::frexp(x, &exponent);
      return exponent;
    });
  }
};

}  // namespace

double SinTurns(double x) {
  if (!(std::fabs(x) <= 256)) return std::isfinite(x) ? 0.0 : std::nan("");
  return x == 0 ? x : std::sin(2 * M_PI * std::remainder(x, 1.0));
}
double CosTurns(double x) {
  if (!(std::fabs(x) <= 256)) return std::isfinite(x) ? 1.0 : std::nan("");
  return std::cos(2 * M_PI * std::remainder(x, 1.0));
}

Executor FindFloat(Op op) {
  switch (op) {
#define JAXGEMM_SMALL_FLOATS(name, executor)         \
  case Op::name##_f32: return Floats<F32>::executor; \
  case Op::name##_f16: return Floats<F16>::executor
#define JAXGEMM_FLOATS(name, executor)  \
  JAXGEMM_SMALL_FLOATS(name, executor); \
  case Op::name##_f64: return Floats<F64>::executor
    JAXGEMM_FLOATS(v_add, Add);
    JAXGEMM_SMALL_FLOATS(v_sub, Sub);
    JAXGEMM_SMALL_FLOATS(v_subrev, SubReversed);
    JAXGEMM_FLOATS(v_mul, Mul);
    JAXGEMM_FLOATS(v_min, Min);
    JAXGEMM_FLOATS(v_max, Max);
    JAXGEMM_SMALL_FLOATS(v_min3, Min3);
    JAXGEMM_SMALL_FLOATS(v_max3, Max3);
    JAXGEMM_SMALL_FLOATS(v_med3, Med3);
    JAXGEMM_FLOATS(v_ldexp, Ldexp);
    JAXGEMM_FLOATS(v_fract, Fract);
    JAXGEMM_FLOATS(v_trunc, Trunc);
    JAXGEMM_FLOATS(v_ceil, Ceil);
    JAXGEMM_FLOATS(v_rndne, ToEven);
    JAXGEMM_FLOATS(v_floor, Floor);
    JAXGEMM_FLOATS(v_frexp_mant, FrexpMantissa);
#undef JAXGEMM_FLOATS
#undef JAXGEMM_SMALL_FLOATS
#define JAXGEMM_TRANSCENDENTAL(name, value)                                         \
  case Op::name##_f32:                                                              \
      return [](Context& c) { Transcendental(c, [](double x) { return value; }); }; \
  case Op::name##_f16:                                                              \
    return [](Context& c) { Transcendental16(c, [](double x) { return value; }); }
    JAXGEMM_TRANSCENDENTAL(v_exp, std::exp2(x));
    JAXGEMM_TRANSCENDENTAL(v_log, std::log2(x));
    JAXGEMM_TRANSCENDENTAL(v_rcp, 1 / x);
    JAXGEMM_TRANSCENDENTAL(v_rsq, 1 / std::sqrt(x));
    JAXGEMM_TRANSCENDENTAL(v_sqrt, std::sqrt(x));
    JAXGEMM_TRANSCENDENTAL(v_sin, SinTurns(x));
    JAXGEMM_TRANSCENDENTAL(v_cos, CosTurns(x));
#undef JAXGEMM_TRANSCENDENTAL
    case Op::v_frexp_exp_i32_f32: return Floats<F32>::FrexpExponent;
    case Op::v_frexp_exp_i16_f16: return Floats<F16>::FrexpExponent;
    case Op::v_frexp_exp_i32_f64: return Floats<F64>::FrexpExponent;
    case Op::v_mul_legacy_f32:
      return [](Context& c) {
        Map<F32, F32, F32>(c, [](float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; });
      };
    case Op::v_minimum3_f32:
      return [](Context& c) {
        Map<F32, F32, F32, F32>(
            c, [](float x, float y, float z) { return Minimum(Minimum(x, y), z); });
      };
    case Op::v_maximum3_f32:
      return [](Context& c) {
        Map<F32, F32, F32, F32>(
            c, [](float x, float y, float z) { return Maximum(Maximum(x, y), z); });
      };
    case Op::v_fma_f32:
    case Op::v_fmac_f32:
    case Op::v_fmamk_f32:
    case Op::v_fmaak_f32: return Fma;
    case Op::v_fma_legacy_f16:
    case Op::v_fma_f16: return [](Context& c) { Map<F16, F16, F16, F16>(c, FmaF16); };
    case Op::v_fma_f64:
    case Op::v_fmac_f64:
      return [](Context& c) {
        Map<F64, F64, F64, F64>(c, [](double x, double y, double z) { return std::fma(x, y, z); });
      };
    // v_mad_f16 and its like round twice. (Their denormals are as MODE says.)
    case Op::v_mad_f16:
    case Op::v_mad_legacy_f16:
    case Op::v_mac_f16:
    case Op::v_madmk_f16:
    case Op::v_madak_f16:
      return [](Context& c) {
        Map<F16, F16, F16, F16>(
            c, [flush = FlushesInput(c.r, ValueKind::kF16)](float x, float y, float z) {
          const float product = Decode<Float16>(Encode<Float16>(x * y) & 0xffff);
          return (flush && std::fabs(product) < 0x1p-14f ? std::copysign(0.0f, product) : product) +
                 z;
        });
      };
    case Op::v_mad_f32:
    case Op::v_mac_f32:
    case Op::v_madmk_f32:
    case Op::v_madak_f32: return Mad;
    case Op::v_rcp_iflag_f32:
      return [](Context& c) { Transcendental(c, [](double x) { return 1 / x; }); };
    // The hardware gives estimates, which an iteration refines; these are computed in double.
    case Op::v_rcp_f64: return [](Context& c) { Map<F64, F64>(c, [](double x) { return 1 / x; }); };
    case Op::v_rsq_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return 1 / std::sqrt(x); }); };
    case Op::v_sqrt_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return std::sqrt(x); }); };
    default: return nullptr;
  }
}

// Rounds to odd: towards zero, with the last bit set if the result is inexact. A later rounding
// to fewer bits then equals one rounding of the exact value.
static double ToOdd(double sum, double error) {
  if (error == 0 || !std::isfinite(sum)) return sum;
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if ((error < 0) != (sum < 0)) --bits;
  return std::bit_cast<double>(bits | 1);
}

double FmaToOdd(float a, float b, float c) {
  const double product = static_cast<double>(a) * b;  // exact
  const double addend = c, sum = product + addend;
  const double back = sum - product;
  return ToOdd(sum, (product - (sum - back)) + (addend - back));
}

long double FmaToOdd(double a, double b, double c) {
  using Wide = long double;
  static_assert(std::numeric_limits<Wide>::digits >= 64,
                "there must be bits for a second rounding");
  const double product = a * b, low = std::fma(a, b, -product);  // their sum is exact
  auto two_sum = [](Wide x, Wide y, Wide* error) {
    const Wide sum = x + y, back = sum - x;
    *error = (x - (sum - back)) + (y - back);
    return sum;
  };
  Wide first, second, third;
  Wide sum = two_sum(product, c, &first);
  first = two_sum(first, low, &third);
  sum = two_sum(sum, first, &second);
  const Wide error = second + third;
  if (error == 0 || !std::isfinite(sum)) return sum;
  uint64_t low_bits;  // of the significand
  std::memcpy(&low_bits, &sum, sizeof(low_bits));
  if (low_bits & 1) return sum;
  constexpr Wide kInfinity = std::numeric_limits<Wide>::infinity();
  return std::nextafter(sum, error > 0 ? kInfinity : -kInfinity);
}

float FmaF16(float a, float b, float c) {
  const double odd = FmaToOdd(a, b, c);
  const float result = static_cast<float>(odd);
  if (static_cast<double>(result) == odd || !std::isfinite(odd)) return result;
  uint32_t bits = std::bit_cast<uint32_t>(result);
  if (std::fabs(static_cast<double>(result)) > std::fabs(odd)) --bits;
  return std::bit_cast<float>(bits | 1);
}

}  // namespace jaxgemm::emulator
