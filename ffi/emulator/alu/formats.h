// The small float formats, from their definitions: IEEE 754 for float16, bfloat16 as the upper half
// of a float32, the Open Compute Project's "8-bit Floating Point Specification" (OFP8) for float8
// on gfx950, its "Microscaling Formats (MX) Specification" for float4, and the CDNA3 ISA manual for
// the FNUZ formats of gfx942.
//
// A code has a sign, an exponent e and M bits of mantissa m. Its value is
//   (2^M + m) * 2^(e - bias - M)   where e > 0,
//   m * 2^(1 - bias - M)           where e = 0.
// The formats differ in what their special codes mean.
//
// The kernels have conversions of their own, in ffi/kernel/. The emulator shares none of them, so
// that an error in theirs changes results here.
#pragma once

#include <cstdint>
#include <type_traits>

namespace jaxgemm::emulator {

enum class Specials : uint8_t {
  kInfAndNan,       // the largest exponent is infinity where m = 0, and else NaN
  kLargestIsNan,    // the largest code is NaN; there is no infinity
  kMinusZeroIsNan,  // the code of -0 is the only NaN; there is no infinity
  kNone,            // every code is a number
};

template <int kExponentBits, int kMantissaBits, int kExponentBias, Specials kOthers>
struct SmallFormat {
  static constexpr int kMantissa = kMantissaBits, kBias = kExponentBias;
  static constexpr Specials kSpecials = kOthers;
  static constexpr uint32_t kSign = 1u << (kExponentBits + kMantissa);
  static constexpr uint32_t kMagnitude = kSign - 1;  // exponent and mantissa
  static constexpr uint32_t kTopExponent = kMagnitude >> kMantissa << kMantissa;
  static constexpr uint32_t kLargest = kSpecials == Specials::kInfAndNan      ? kTopExponent - 1
                                       : kSpecials == Specials::kLargestIsNan ? kMagnitude - 1
                                                                              : kMagnitude;
  static constexpr uint32_t kNan = kSpecials == Specials::kInfAndNan
                                       ? kTopExponent | (1u << (kMantissa - 1))  // it is quiet
                                   : kSpecials == Specials::kLargestIsNan ? kMagnitude
                                                                          : kSign;
};

using Float16 = SmallFormat<5, 10, 15, Specials::kInfAndNan>;
using Bfloat16 = SmallFormat<8, 7, 127, Specials::kInfAndNan>;
// float8, which the manuals call FP8 and BF8.
using Fp8 = SmallFormat<4, 3, 7, Specials::kLargestIsNan>;
using Bf8 = SmallFormat<5, 2, 15, Specials::kInfAndNan>;
using Fp8Fnuz = SmallFormat<4, 3, 8, Specials::kMinusZeroIsNan>;
using Bf8Fnuz = SmallFormat<5, 2, 16, Specials::kMinusZeroIsNan>;
// float4 (E2M1) and float6 (E2M3, E3M2), which the manuals call FP4, FP6 and BF6. They have no code
// for NaN.
using Fp4 = SmallFormat<2, 1, 1, Specials::kNone>;
using Fp6 = SmallFormat<2, 3, 1, Specials::kNone>;
using Bf6 = SmallFormat<3, 2, 3, Specials::kNone>;

// The values of codes, exactly. The types are uint32_t, int32_t and float, or vectors of them. No
// value of these formats is a denormal float32, except those of bfloat16.
template <class Format, class Floats, class Ints, class Bits>
inline __attribute__((always_inline)) Floats DecodeLanes(Bits code) {
  static_assert(Format::kBias + Format::kMantissa < 127);
  constexpr uint32_t kOne = 1u << Format::kMantissa;
  const Bits exponent = (code & Format::kMagnitude) >> Format::kMantissa;
  const Bits mantissa = code & (kOne - 1);
  const Bits significand = exponent > 0u ? mantissa + kOne : mantissa;
  const Bits power =
      (exponent > 0u ? exponent : exponent + 1u) + 127u - Format::kBias - Format::kMantissa;
  Floats value;
  if constexpr (std::is_same_v<Floats, float>) {
    value = static_cast<float>(significand);
  } else {
    value = __builtin_convertvector(__builtin_bit_cast(Ints, significand), Floats);
  }
  value *= __builtin_bit_cast(Floats, power << 23);
  Bits bits = __builtin_bit_cast(Bits, value);
  const Bits nan = Bits{} + 0x7fc00000u;
  if constexpr (Format::kSpecials == Specials::kInfAndNan) {
    // A NaN keeps its mantissa.
    const Bits special = mantissa << (23 - Format::kMantissa) | 0x7f800000u;
    bits = (code & Format::kTopExponent) == Format::kTopExponent ? special : bits;
  } else if constexpr (Format::kSpecials == Specials::kLargestIsNan) {
    bits = (code & Format::kMagnitude) == Format::kMagnitude ? nan : bits;
  } else if constexpr (Format::kSpecials == Specials::kMinusZeroIsNan) {
    bits = code == Format::kSign ? nan : bits;
  }
  const Bits sign = (code & Format::kSign) * (0x80000000u / Format::kSign);
  return __builtin_bit_cast(Floats, bits | sign);
}

template <class Format>
inline float Decode(uint32_t code) {
  return DecodeLanes<Format, float, int32_t>(code);
}
template <>
inline float Decode<Bfloat16>(uint32_t code) {
  return __builtin_bit_cast(float, code << 16);
}

enum class Rounding : uint8_t { kNearestEven, kTowardsZero };

// The code of a value. What is larger than the largest number becomes infinity, or NaN where there
// is none; rounded towards zero, a finite value becomes the largest number.
template <class Format, Rounding kRounding = Rounding::kNearestEven>
inline uint32_t Encode(double value) {
  constexpr uint64_t kSignOfDouble = uint64_t{1} << 63;
  const uint64_t bits = __builtin_bit_cast(uint64_t, value);
  const uint64_t magnitude = bits & ~kSignOfDouble;
  const uint32_t sign = bits & kSignOfDouble ? Format::kSign : 0;
  constexpr bool kHasOneNan = Format::kSpecials == Specials::kMinusZeroIsNan;
  const uint32_t nan = kHasOneNan ? Format::kNan : Format::kNan | sign;
  if (value != value) return nan;
  const uint32_t infinity =
      Format::kSpecials == Specials::kInfAndNan ? Format::kTopExponent | sign : nan;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent == 1024) return infinity;

  // The value in units of the last place: of numbers with its exponent, or of denormal numbers. The
  // unit is a power of two, so nothing is rounded here.
  constexpr int kLeast = 1 - Format::kBias;
  const int unit = (exponent > kLeast ? exponent : kLeast) - Format::kMantissa;
  const double units = __builtin_bit_cast(double, magnitude) *
                       __builtin_bit_cast(double, static_cast<uint64_t>(1023 - unit) << 52);
  // A sum with 2^52 is rounded to an integer, to nearest even.
  constexpr double kTwo52 = 4503599627370496.0;
  const double rounded = kRounding == Rounding::kTowardsZero
                             ? static_cast<double>(static_cast<int64_t>(units))
                             : (units + kTwo52) - kTwo52;
  // `scale` is e - 1 for normal numbers and 0 for denormal ones. A normal number has at least 2^M
  // units, and bit M of them adds the missing 1 to the exponent. If rounding reaches the next power
  // of two, a carry increments the exponent once more.
  const uint32_t scale = static_cast<uint32_t>(unit - (kLeast - Format::kMantissa));
  uint32_t code = (scale << Format::kMantissa) + static_cast<uint32_t>(rounded);
  if (code > Format::kLargest) {
    if (kRounding == Rounding::kNearestEven) return infinity;
    code = Format::kLargest;
  }
  return kHasOneNan && code == 0 ? 0 : code | sign;  // one NaN: it has the code of -0
}

}  // namespace jaxgemm::emulator
