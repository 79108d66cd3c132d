// Arithmetic of float32.
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
    case Op::v_add_f32:
      return [](Context& c) { Map<F32, F32, F32>(c, [](float a, float b) { return a + b; }); };
    case Op::v_sub_f32:
      return [](Context& c) { Map<F32, F32, F32>(c, [](float a, float b) { return a - b; }); };
    case Op::v_subrev_f32:
      return [](Context& c) { Map<F32, F32, F32>(c, [](float a, float b) { return b - a; }); };
    case Op::v_mul_f32:
      return [](Context& c) { Map<F32, F32, F32>(c, [](float a, float b) { return a * b; }); };
    case Op::v_mul_legacy_f32:
      return [](Context& c) {
        Map<F32, F32, F32>(c, [](float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; });
      };
    case Op::v_min_f32:
      return [](Context& c) {
        Map<F32, F32, F32>(c,
                           [ieee = IeeeMode(c)](float a, float b) { return FloatMin(ieee, a, b); });
      };
    case Op::v_max_f32:
      return [](Context& c) {
        Map<F32, F32, F32>(c,
                           [ieee = IeeeMode(c)](float a, float b) { return FloatMax(ieee, a, b); });
      };
    case Op::v_min3_f32:
      return [](Context& c) {
        Map<F32, F32, F32, F32>(c, [ieee = IeeeMode(c)](float x, float y, float z) {
          return FloatMin(ieee, FloatMin(ieee, x, y), z);
        });
      };
    case Op::v_max3_f32:
      return [](Context& c) {
        Map<F32, F32, F32, F32>(c, [ieee = IeeeMode(c)](float x, float y, float z) {
          return FloatMax(ieee, FloatMax(ieee, x, y), z);
        });
      };
    case Op::v_med3_f32:
      return [](Context& c) {
        Map<F32, F32, F32, F32>(c, [ieee = IeeeMode(c)](float x, float y, float z) {
          return FloatMed3(ieee, x, y, z);
        });
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
    case Op::v_mad_f32:
    case Op::v_mac_f32:
    case Op::v_madmk_f32:
    case Op::v_madak_f32: return Mad;
    case Op::v_ldexp_f32:
      return [](Context& c) {
        Map<F32, F32, I32>(c, [](float x, int32_t e) { return std::scalbn(x, e); });
      };
    case Op::v_fract_f32:
      // The result is below one even where the difference rounds to one: LLVM uses the
      // instruction for min(x - floor(x), 1 - ulp).
      return [](Context& c) {
        Map<F32, F32>(c, [](float x) {
          const float fraction = x - std::floor(x);
          return fraction >= 1 ? 0x1.fffffep-1f : fraction;
        });
      };
    case Op::v_trunc_f32:
      return [](Context& c) { Map<F32, F32>(c, [](float x) { return std::trunc(x); }); };
    case Op::v_ceil_f32:
      return [](Context& c) { Map<F32, F32>(c, [](float x) { return std::ceil(x); }); };
    case Op::v_rndne_f32:
      return [](Context& c) { Map<F32, F32>(c, [](float x) { return std::nearbyint(x); }); };
    case Op::v_floor_f32:
      return [](Context& c) { Map<F32, F32>(c, [](float x) { return std::floor(x); }); };
    case Op::v_frexp_mant_f32:
      return [](Context& c) {
        Map<F32, F32>(c, [](float x) {
          int exponent;
          return std::isfinite(x) ? std::frexp(x, &exponent) : x;
        });
      };
    case Op::v_frexp_exp_i32_f32:
      return [](Context& c) {
        Map<I32, F32>(c, [](float x) {
          int exponent = 0;
          if (std::isfinite(x)) std::frexp(x, &exponent);
          return exponent;
        });
      };
    case Op::v_exp_f32:
      return [](Context& c) { Transcendental(c, [](double x) { return std::exp2(x); }); };
    case Op::v_log_f32:
      return [](Context& c) { Transcendental(c, [](double x) { return std::log2(x); }); };
    case Op::v_rcp_f32:
    case Op::v_rcp_iflag_f32:
      return [](Context& c) { Transcendental(c, [](double x) { return 1 / x; }); };
    case Op::v_rsq_f32:
      return [](Context& c) { Transcendental(c, [](double x) { return 1 / std::sqrt(x); }); };
    case Op::v_sqrt_f32:
      return [](Context& c) { Transcendental(c, [](double x) { return std::sqrt(x); }); };
    case Op::v_sin_f32: return [](Context& c) { Transcendental(c, SinTurns); };
    case Op::v_cos_f32: return [](Context& c) { Transcendental(c, CosTurns); };
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
