// v_cmp and v_cmpx, which write lane masks.
#include <cmath>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

void StoreResult(Context& c, uint64_t mask) {
  const bool writes_exec = c.in.dst[1].kind != Operand::kNone;
  StoreMask(c, c.in.dst[0], mask);
  if (writes_exec) StoreMask(c, c.in.dst[1], mask);
}

// Conditions 0-7 (f lt eq le gt lg ge o; of integers f lt eq le gt ne ge t). Each condition of 8-15
// (u nge nlg ngt nle neq nlt tru), which only floats have, is the negation of 15 - condition.
template <class T>
bool Holds(int condition, T a, T b) {
  switch (condition) {
    case 0: return false;
    case 1: return a < b;
    case 2: return a == b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a < b || a > b;
    case 6: return a >= b;
    default: return a <= b || a >= b;
  }
}

template <class T, int kCondition>
void Compare(Context& c) {
  using Value = typename T::Value;
  StoreResult(c, Where<T, T>(c, [](Value a, Value b) {
    constexpr bool kNegated = kCondition >= 8;
    return Holds(kNegated ? 15 - kCondition : kCondition, a, b) != kNegated;
  }));
}

// The bit of a number's class in the class mask. From bit 0: signalling NaN, quiet NaN, -inf,
// -normal, -denormal, -0, +0, +denormal, +normal, +inf.
int ClassOf(bool negative, uint64_t exponent, uint64_t mantissa, uint64_t top, int quiet_bit) {
  if (exponent == top && mantissa != 0) return (mantissa >> quiet_bit) & 1 ? 1 : 0;
  const int magnitude = exponent == top ? 3 : exponent != 0 ? 2 : mantissa != 0 ? 1 : 0;
  return negative ? 5 - magnitude : 6 + magnitude;
}

template <class T, class Raw, int kMantissa>
void CompareClass(Context& c) {
  constexpr int kBits = T::kWords == 2 ? 64 : T::k16Bit ? 16 : 32;
  constexpr uint64_t kTop = (uint64_t{1} << (kBits - 1 - kMantissa)) - 1;
  StoreResult(c, Where<Raw, U32>(c, [](uint64_t x, uint32_t classes) {
    const int which = ClassOf((x >> (kBits - 1)) & 1, (x >> kMantissa) & kTop,
                              x & ((uint64_t{1} << kMantissa) - 1), kTop, kMantissa - 1);
    return ((classes >> which) & 1) != 0;
  }));
}

// The bits of a float with its modifiers applied.
struct F32Bits : U32 {
  static constexpr ValueKind kKind = ValueKind::kF32;
};
struct F64Bits : U64 {
  static constexpr ValueKind kKind = ValueKind::kF64;
};

template <class T, int... kConditions>
Executor Condition(int condition, std::integer_sequence<int, kConditions...>) {
  static constexpr Executor kTable[] = {Compare<T, kConditions>...};
  return kTable[condition];
}

}  // namespace

Executor FindCompare(Op op) {
  const OpInfo& info = InfoOf(op);
  if (info.format != Format::kVopc) return nullptr;
  const int opcode = info.opcode[0];
  constexpr auto kSixteen = std::make_integer_sequence<int, 16>();
  constexpr auto kEight = std::make_integer_sequence<int, 8>();
  switch (opcode >> 4) {
    case 1:
      if (opcode < 0x12) return CompareClass<F32, F32Bits, 23>;
      return opcode < 0x14 ? CompareClass<F64, F64Bits, 52> : CompareClass<F16, F16Bits, 10>;
    case 2:
    case 3: return Condition<F16>(opcode & 15, kSixteen);
    case 4:
    case 5: return Condition<F32>(opcode & 15, kSixteen);
    case 6:
    case 7: return Condition<F64>(opcode & 15, kSixteen);
    case 10:
    case 11:
      return opcode & 8 ? Condition<U16>(opcode & 7, kEight) : Condition<I16>(opcode & 7, kEight);
    case 12:
    case 13:
      return opcode & 8 ? Condition<U32>(opcode & 7, kEight) : Condition<I32>(opcode & 7, kEight);
    default:
      return opcode & 8 ? Condition<U64>(opcode & 7, kEight) : Condition<I64>(opcode & 7, kEight);
  }
}

}  // namespace jaxgemm::emulator
