// Arithmetic of float16 and float64.
#include <cmath>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

// The hardware's results are within 1 ulp; these are the nearest float16.
template <class F>
void Transcendental16(Context& c, F f) {
  Map<F16, F16>(c, [f](float x) { return static_cast<float>(f(static_cast<double>(x))); });
}

Executor FindFloat16(Op op) {
  switch (op) {
    case Op::v_add_f16:
      return [](Context& c) { Map<F16, F16, F16>(c, [](float a, float b) { return a + b; }); };
    case Op::v_sub_f16:
      return [](Context& c) { Map<F16, F16, F16>(c, [](float a, float b) { return a - b; }); };
    case Op::v_subrev_f16:
      return [](Context& c) { Map<F16, F16, F16>(c, [](float a, float b) { return b - a; }); };
    case Op::v_mul_f16:
      return [](Context& c) { Map<F16, F16, F16>(c, [](float a, float b) { return a * b; }); };
    case Op::v_min_f16:
      return [](Context& c) {
        Map<F16, F16, F16>(c,
                           [ieee = IeeeMode(c)](float a, float b) { return FloatMin(ieee, a, b); });
      };
    case Op::v_max_f16:
      return [](Context& c) {
        Map<F16, F16, F16>(c,
                           [ieee = IeeeMode(c)](float a, float b) { return FloatMax(ieee, a, b); });
      };
    case Op::v_min3_f16:
      return [](Context& c) {
        Map<F16, F16, F16, F16>(c, [ieee = IeeeMode(c)](float x, float y, float z) {
          return FloatMin(ieee, FloatMin(ieee, x, y), z);
        });
      };
    case Op::v_max3_f16:
      return [](Context& c) {
        Map<F16, F16, F16, F16>(c, [ieee = IeeeMode(c)](float x, float y, float z) {
          return FloatMax(ieee, FloatMax(ieee, x, y), z);
        });
      };
    case Op::v_med3_f16:
      return [](Context& c) {
        Map<F16, F16, F16, F16>(c, [ieee = IeeeMode(c)](float x, float y, float z) {
          return FloatMed3(ieee, x, y, z);
        });
      };
    case Op::v_fma_f16: return [](Context& c) { Map<F16, F16, F16, F16>(c, FmaF16); };
    case Op::v_ldexp_f16:
      return [](Context& c) {
        Map<F16, F16, I16>(c, [](float x, int32_t e) { return std::scalbn(x, e); });
      };
    case Op::v_fract_f16:
      return [](Context& c) {
        Map<F16, F16>(c, [](float x) {
          const float fraction = x - std::floor(x);
          return fraction > 0x1.ffcp-1f ? 0x1.ffcp-1f : fraction;
        });
      };
    case Op::v_trunc_f16:
      return [](Context& c) { Map<F16, F16>(c, [](float x) { return std::trunc(x); }); };
    case Op::v_ceil_f16:
      return [](Context& c) { Map<F16, F16>(c, [](float x) { return std::ceil(x); }); };
    case Op::v_rndne_f16:
      return [](Context& c) { Map<F16, F16>(c, [](float x) { return std::nearbyint(x); }); };
    case Op::v_floor_f16:
      return [](Context& c) { Map<F16, F16>(c, [](float x) { return std::floor(x); }); };
    case Op::v_frexp_mant_f16:
      return [](Context& c) {
        Map<F16, F16>(c, [](float x) {
          int exponent;
          return std::isfinite(x) ? std::frexp(x, &exponent) : x;
        });
      };
    case Op::v_frexp_exp_i16_f16:
      return [](Context& c) {
        Map<I16, F16>(c, [](float x) {
          int exponent = 0;
          if (std::isfinite(x)) std::frexp(x, &exponent);
          return exponent;
        });
      };
    case Op::v_exp_f16:
      return [](Context& c) { Transcendental16(c, [](double x) { return std::exp2(x); }); };
    case Op::v_log_f16:
      return [](Context& c) { Transcendental16(c, [](double x) { return std::log2(x); }); };
    case Op::v_rcp_f16:
      return [](Context& c) { Transcendental16(c, [](double x) { return 1 / x; }); };
    case Op::v_rsq_f16:
      return [](Context& c) { Transcendental16(c, [](double x) { return 1 / std::sqrt(x); }); };
    case Op::v_sqrt_f16:
      return [](Context& c) { Transcendental16(c, [](double x) { return std::sqrt(x); }); };
    case Op::v_sin_f16: return [](Context& c) { Transcendental16(c, SinTurns); };
    case Op::v_cos_f16: return [](Context& c) { Transcendental16(c, CosTurns); };
    default: return nullptr;
  }
}

Executor FindFloat64(Op op) {
  switch (op) {
    case Op::v_add_f64:
      return [](Context& c) { Map<F64, F64, F64>(c, [](double a, double b) { return a + b; }); };
    case Op::v_mul_f64:
      return [](Context& c) { Map<F64, F64, F64>(c, [](double a, double b) { return a * b; }); };
    case Op::v_min_f64:
      return [](Context& c) {
        Map<F64, F64, F64>(
            c, [ieee = IeeeMode(c)](double a, double b) { return FloatMin(ieee, a, b); });
      };
    case Op::v_max_f64:
      return [](Context& c) {
        Map<F64, F64, F64>(
            c, [ieee = IeeeMode(c)](double a, double b) { return FloatMax(ieee, a, b); });
      };
    case Op::v_fma_f64:
    case Op::v_fmac_f64:
      return [](Context& c) {
        Map<F64, F64, F64, F64>(c, [](double x, double y, double z) { return std::fma(x, y, z); });
      };
    case Op::v_ldexp_f64:
      return [](Context& c) {
        Map<F64, F64, I32>(c, [](double x, int32_t e) { return std::scalbn(x, e); });
      };
    case Op::v_fract_f64:
      return [](Context& c) {
        Map<F64, F64>(c, [](double x) {
          const double fraction = x - std::floor(x);
          return fraction >= 1 ? 0x1.fffffffffffffp-1 : fraction;
        });
      };
    case Op::v_trunc_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return std::trunc(x); }); };
    case Op::v_ceil_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return std::ceil(x); }); };
    case Op::v_rndne_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return std::nearbyint(x); }); };
    case Op::v_floor_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return std::floor(x); }); };
    case Op::v_frexp_mant_f64:
      return [](Context& c) {
        Map<F64, F64>(c, [](double x) {
          int exponent;
          return std::isfinite(x) ? std::frexp(x, &exponent) : x;
        });
      };
    case Op::v_frexp_exp_i32_f64:
      return [](Context& c) {
        Map<I32, F64>(c, [](double x) {
          int exponent = 0;
          if (std::isfinite(x)) std::frexp(x, &exponent);
          return exponent;
        });
      };
    // The hardware gives estimates, which an iteration refines; these are computed in double.
    case Op::v_rcp_f64: return [](Context& c) { Map<F64, F64>(c, [](double x) { return 1 / x; }); };
    case Op::v_rsq_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return 1 / std::sqrt(x); }); };
    case Op::v_sqrt_f64:
      return [](Context& c) { Map<F64, F64>(c, [](double x) { return std::sqrt(x); }); };
    default: return nullptr;
  }
}

}  // namespace

Executor FindFloat16And64(Op op) {
  const Executor found = FindFloat16(op);
  return found != nullptr ? found : FindFloat64(op);
}

}  // namespace jaxgemm::emulator
