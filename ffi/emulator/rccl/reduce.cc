#include "emulator/rccl/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace jaxgemm::emulator {
namespace {

// Values of ncclDataType_t and ncclRedOp_t.
enum Type { kS8, kU8, kS32, kU32, kS64, kU64, kF16, kF32, kF64, kBF16, kNumTypes };
enum Op { kSum, kProduct, kMax, kMin, kAverage, kNumOps };
constexpr size_t kBytes[kNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

// A float of 16 bits with kMantissa bits of mantissa.
template <int kMantissa>
struct Float16 {
  static constexpr int kExponent = 15 - kMantissa, kBias = (1 << (kExponent - 1)) - 1;

  uint16_t bits;

  Float16() = default;
  explicit Float16(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const uint16_t infinity = ((1 << kExponent) - 1) << kMantissa;
    const double size = std::fabs(value);
    if (std::isnan(value)) {
      bits = infinity | 1 << (kMantissa - 1);
      return;
    }
    // The exponent of the last place; denormal numbers have that of the smallest normal ones.
    const int exponent = size == 0 ? 0 : std::ilogb(size);
    const int place = std::max(exponent, 1 - kBias) - kMantissa;
    const double places = std::nearbyint(std::ldexp(size, -place));  // to nearest even
    if (std::isinf(size) || std::ldexp(places, place) >= std::ldexp(1.0, kBias + 1)) {
      bits = sign | infinity;
      return;
    }
    // A carry out of the mantissa increments the exponent.
    bits = sign | static_cast<uint16_t>(((place + kMantissa + kBias - 1) << kMantissa) + places);
  }
  explicit operator double() const {
    const int exponent = bits >> kMantissa & ((1 << kExponent) - 1);
    const int mantissa = bits & ((1 << kMantissa) - 1);
    double size;
    if (exponent == (1 << kExponent) - 1) {
      size = mantissa != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
      size = std::ldexp(mantissa, 1 - kBias - kMantissa);
    } else {
      size = std::ldexp(mantissa | 1 << kMantissa, exponent - kBias - kMantissa);
    }
    return bits & 0x8000 ? -size : size;
  }
};

template <class T, class Wide>
void ReduceAs(const std::vector<const void*>& from, void* to, size_t count, int op) {
  for (size_t i = 0; i < count; ++i) {
    auto element = [&](size_t rank) {
      T value;
      std::memcpy(&value, static_cast<const char*>(from[rank]) + i * sizeof(T), sizeof(T));
      return static_cast<Wide>(value);
    };
    Wide result = element(0);
    for (size_t rank = 1; rank < from.size(); ++rank) {
      const Wide next = element(rank);
      switch (op) {
        case kProduct: result *= next; break;
        case kMax: result = result != result || result > next ? result : next; break;
        case kMin: result = result != result || result < next ? result : next; break;
        default: result += next;
      }
    }
    if (op == kAverage) result /= static_cast<Wide>(from.size());
    const T value = static_cast<T>(result);
    std::memcpy(static_cast<char*>(to) + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

size_t BytesOf(int type) {
  // Two types of float8 follow in NCCL. They can be moved, but not reduced.
  if (type == kNumTypes || type == kNumTypes + 1) return 1;
  return type >= 0 && type < kNumTypes ? kBytes[type] : 0;
}

bool CanReduce(int type, int op) {
  return type >= 0 && type < kNumTypes && op >= 0 && op < kNumOps;
}

void Reduce(const std::vector<const void*>& from, void* to, size_t count, int type, int op) {
  switch (type) {
    case kS8: return ReduceAs<int8_t, int64_t>(from, to, count, op);
    case kU8: return ReduceAs<uint8_t, uint64_t>(from, to, count, op);
    case kS32: return ReduceAs<int32_t, int64_t>(from, to, count, op);
    case kU32: return ReduceAs<uint32_t, uint64_t>(from, to, count, op);
    case kS64: return ReduceAs<int64_t, int64_t>(from, to, count, op);
    case kU64: return ReduceAs<uint64_t, uint64_t>(from, to, count, op);
    case kF16: return ReduceAs<Float16<10>, double>(from, to, count, op);
    case kF32: return ReduceAs<float, double>(from, to, count, op);
    case kF64: return ReduceAs<double, double>(from, to, count, op);
    case kBF16: return ReduceAs<Float16<7>, double>(from, to, count, op);
  }
}

}  // namespace jaxgemm::emulator
