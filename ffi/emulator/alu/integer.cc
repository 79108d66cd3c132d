// Integer and bit operations of the vector unit.
#include <algorithm>
#include <bit>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

template <class T>
T Saturated(int64_t value, int64_t low, int64_t high) {
  return static_cast<T>(std::clamp(value, low, high));
}

// Sums and differences, which saturate if clamp is set. T is the operand type; `exact` computes
// the result in 64 bits.
template <class T, class F>
void AddLike(Context& c, F exact) {
  using Value = typename T::Value;
  constexpr int kBits = T::k16Bit ? 16 : 32;
  constexpr bool kSigned = std::is_signed_v<Value>;
  constexpr int64_t kHigh = (int64_t{1} << (kBits - kSigned)) - 1;
  constexpr int64_t kLow = kSigned ? -kHigh - 1 : 0;
  MapSaturating<T, T, T>(c, [exact](bool saturate, Value a, Value b) {
    const int64_t value = exact(static_cast<int64_t>(a), static_cast<int64_t>(b));
    return saturate ? Saturated<Value>(value, kLow, kHigh) : static_cast<Value>(value);
  });
}

// A sum or difference that writes a mask of carries or borrows, and with kCarryIn also reads one.
template <bool kSubtract, bool kReverse, bool kCarryIn>
void WithCarry(Context& c) {
  const uint64_t carry_in = kCarryIn ? LoadMask(c, 2) : 0;
  Words buffer[4], result[2];
  const uint32_t* words[2][2];
  for (int i = 0; i < 2; ++i) Load(c, i, ValueKind::kBits, false, 1, &buffer[2 * i], words[i]);
  const uint32_t* a = words[kReverse ? 1 : 0][0];
  const uint32_t* b = words[kReverse ? 0 : 1][0];
  uint64_t carry_out = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t carry = (carry_in >> lane) & 1;
    const uint64_t sum =
        kSubtract ? uint64_t{a[lane]} - b[lane] - carry : uint64_t{a[lane]} + b[lane] + carry;
    result[0].lane[lane] = static_cast<uint32_t>(sum);
    carry_out |= ((sum >> 32) & 1) << lane;
  }
  Store(c, ValueKind::kBits, false, 1, result);
  StoreMask(c, c.in.dst[1], carry_out);
}

template <class Wide, class Lane>
void MadWide(Context& c) {
  using Value = typename Wide::Value;
  Words buffer[6], result[2];
  const uint32_t* words[3][2];
  for (int i = 0; i < 3; ++i) {
    Load(c, i, ValueKind::kBits, false, i == 2 ? 2 : 1, &buffer[2 * i], words[i]);
  }
  uint64_t bit64 = 0;  // for each lane, bit 64 of the 65-bit sum
  for (int lane = 0; lane < kLanes; ++lane) {
    const Value product = static_cast<Value>(Lane::Get(words[0][0][lane], 0)) *
                          static_cast<Value>(Lane::Get(words[1][0][lane], 0));
    const Value addend = Wide::Get(words[2][0][lane], words[2][1][lane]);
    Value sum;
    const bool overflow = __builtin_add_overflow(product, addend, &sum);
    bit64 |= uint64_t{overflow != (sum < 0)} << lane;
    Wide::Put(sum, result[0].lane[lane], result[1].lane[lane]);
  }
  Store(c, ValueKind::kBits, false, 2, result);
  StoreMask(c, c.in.dst[1], bit64);
}

int32_t Sext24(uint32_t x) { return static_cast<int32_t>(x << 8) >> 8; }
uint32_t Zext24(uint32_t x) { return x & 0xffffff; }

template <class T>
T Med3(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

uint32_t AbsDiff(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

uint32_t Sad8(bool masked, uint32_t a, uint32_t b, uint32_t sum) {
  for (int i = 0; i < 32; i += 8) {
    const uint32_t y = (b >> i) & 255;
    if (!masked || y != 0) sum += AbsDiff((a >> i) & 255, y);
  }
  return sum;
}

// Four sums of absolute differences, of four bytes each from one byte further on.
template <bool kMasked>
void Sad8OfFour(Context& c) {
  Map<U64, U64, U32, U64>(c, [](uint64_t a, uint32_t b, uint64_t sums) {
    uint64_t result = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t sum = static_cast<uint32_t>(sums >> (16 * i)) & 0xffff;
      const uint32_t sad = Sad8(kMasked, static_cast<uint32_t>(a >> (8 * i)), b, sum);
      result |= uint64_t{sad & 0xffff} << (16 * i);
    }
    return result;
  });
}

// The averages of four bytes; bit 0 of each byte of `round` rounds up.
uint32_t Lerp8(uint32_t a, uint32_t b, uint32_t round) {
  uint32_t result = 0;
  for (int i = 0; i < 32; i += 8) {
    result |= ((((a >> i) & 255) + ((b >> i) & 255) + ((round >> i) & 1)) >> 1) << i;
  }
  return result;
}

uint32_t PermByte(uint64_t data, uint32_t select) {
  if (select >= 13) return 0xff;
  if (select == 12) return 0;
  if (select >= 8) return (data >> (16 * (select - 8) + 15)) & 1 ? 0xff : 0;
  return static_cast<uint32_t>(data >> (8 * select)) & 0xff;
}

uint32_t Perm(uint32_t high, uint32_t low, uint32_t select) {
  const uint64_t data = low | (uint64_t{high} << 32);
  uint32_t result = 0;
  for (int i = 0; i < 32; i += 8) result |= PermByte(data, (select >> i) & 0xff) << i;
  return result;
}

// v_bitop3. Bit i of the truth table is the result where (x, y, z) are the bits of i.
template <class T>
void Bitop3(Context& c) {
  const uint32_t table = static_cast<uint32_t>(c.in.imm);
  uint32_t terms[8];
  for (int i = 0; i < 8; ++i) terms[i] = (table >> i) & 1 ? ~0u : 0;
  Map<T, T, T, T>(c, [terms](uint32_t x, uint32_t y, uint32_t z) {
    uint32_t result = 0;
    for (int i = 0; i < 8; ++i) {
      result |= terms[i] & (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
    }
    return result;
  });
}

uint32_t ReverseBits(uint32_t x) {
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i) result |= ((x >> i) & 1) << (31 - i);
  return result;
}

template <bool kHigh>
void Mbcnt(Context& c) {
  Words lanes;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t below = (uint64_t{1} << lane) - 1;
    lanes.lane[lane] = static_cast<uint32_t>(kHigh ? below >> 32 : below);
  }
  Words buffer[4], result[2];
  const uint32_t* words[2][2];
  for (int i = 0; i < 2; ++i) Load(c, i, ValueKind::kBits, false, 1, &buffer[2 * i], words[i]);
  for (int lane = 0; lane < kLanes; ++lane) {
    result[0].lane[lane] = words[1][0][lane] + std::popcount(words[0][0][lane] & lanes.lane[lane]);
  }
  Store(c, ValueKind::kBits, false, 1, result);
}

}  // namespace

Executor FindInteger(Op op) {
  switch (op) {
#define JAXGEMM_ONE(name, T, value) \
  case Op::name: return [](Context& c) { Map<T, T>(c, [](T::Value x) { return value; }); }
#define JAXGEMM_TWO(name, T, value) \
  case Op::name:                    \
    return [](Context& c) { Map<T, T, T>(c, [](T::Value a, T::Value b) { return value; }); }
#define JAXGEMM_THREE(name, T, ...)                                                       \
  case Op::name:                                                                          \
    return [](Context& c) {                                                               \
      Map<T, T, T, T>(c, [](T::Value x, T::Value y, T::Value z) { return __VA_ARGS__; }); \
    }
#define JAXGEMM_SUM(name, T, exact) \
  case Op::name:                    \
    return [](Context& c) { AddLike<T>(c, [](int64_t a, int64_t b) { return exact; }); }
    JAXGEMM_ONE(v_mov_b32, U32, x);
    JAXGEMM_ONE(v_mov_b64, U64, x);
    JAXGEMM_ONE(v_not_b32, U32, ~x);
    JAXGEMM_ONE(v_bfrev_b32, U32, ReverseBits(x));
    JAXGEMM_ONE(v_prng_b32, U32, (x << 1) ^ (x >> 31 ? 197u : 0u));
#undef JAXGEMM_ONE
    JAXGEMM_SUM(v_add_u32, U32, a + b);
    JAXGEMM_SUM(v_sub_u32, U32, a - b);
    JAXGEMM_SUM(v_subrev_u32, U32, b - a);
    JAXGEMM_SUM(v_add_i32, I32, a + b);
    JAXGEMM_SUM(v_sub_i32, I32, a - b);
    JAXGEMM_SUM(v_add_u16, U16, a + b);
    JAXGEMM_SUM(v_sub_u16, U16, a - b);
    JAXGEMM_SUM(v_subrev_u16, U16, b - a);
    JAXGEMM_SUM(v_add_i16, I16, a + b);
    JAXGEMM_SUM(v_sub_i16, I16, a - b);
#undef JAXGEMM_SUM
    JAXGEMM_TWO(v_and_b32, U32, a & b);
    JAXGEMM_TWO(v_or_b32, U32, a | b);
    JAXGEMM_TWO(v_xor_b32, U32, a ^ b);
    JAXGEMM_TWO(v_xnor_b32, U32, ~(a ^ b));
    JAXGEMM_TWO(v_lshrrev_b32, U32, b >> (a & 31));
    JAXGEMM_TWO(v_lshlrev_b32, U32, b << (a & 31));
    JAXGEMM_TWO(v_min_u32, U32, std::min(a, b));
    JAXGEMM_TWO(v_max_u32, U32, std::max(a, b));
    JAXGEMM_TWO(v_mul_lo_u32, U32, a * b);
    JAXGEMM_TWO(v_mul_u32_u24, U32, Zext24(a) * Zext24(b));
    JAXGEMM_TWO(v_mul_hi_u32, U32, static_cast<uint32_t>((uint64_t{a} * b) >> 32));
    JAXGEMM_TWO(v_mul_hi_u32_u24, U32,
                static_cast<uint32_t>((uint64_t{Zext24(a)} * Zext24(b)) >> 32));
    JAXGEMM_TWO(v_mul_i32_i24, U32, static_cast<uint32_t>(int64_t{Sext24(a)} * Sext24(b)));
    JAXGEMM_TWO(v_mul_hi_i32_i24, U32,
                static_cast<uint32_t>((int64_t{Sext24(a)} * Sext24(b)) >> 32));
    JAXGEMM_TWO(v_bcnt_u32_b32, U32, static_cast<uint32_t>(std::popcount(a)) + b);
    JAXGEMM_TWO(v_bfm_b32, U32, ((1u << (a & 31)) - 1) << (b & 31));
    JAXGEMM_TWO(v_min_i32, I32, std::min(a, b));
    JAXGEMM_TWO(v_max_i32, I32, std::max(a, b));
    JAXGEMM_TWO(v_ashrrev_i32, I32, b >> (a & 31));
    JAXGEMM_TWO(v_mul_hi_i32, I32, static_cast<int32_t>((int64_t{a} * b) >> 32));
    JAXGEMM_TWO(v_mul_lo_u16, U16, a * b);
    JAXGEMM_TWO(v_lshlrev_b16, U16, b << (a & 15));
    JAXGEMM_TWO(v_lshrrev_b16, U16, b >> (a & 15));
    JAXGEMM_TWO(v_ashrrev_i16, I16, b >> (a & 15));
    JAXGEMM_TWO(v_min_u16, U16, std::min(a, b));
    JAXGEMM_TWO(v_max_u16, U16, std::max(a, b));
    JAXGEMM_TWO(v_min_i16, I16, std::min(a, b));
    JAXGEMM_TWO(v_max_i16, I16, std::max(a, b));
#undef JAXGEMM_TWO
    JAXGEMM_THREE(v_mad_u32_u24, U32, Zext24(x) * Zext24(y) + z);
    JAXGEMM_THREE(v_mad_i32_i24, U32, static_cast<uint32_t>(int64_t{Sext24(x)} * Sext24(y)) + z);
    JAXGEMM_THREE(v_bfe_u32, U32, (x >> (y & 31)) & ((1u << (z & 31)) - 1));
    JAXGEMM_THREE(v_bfi_b32, U32, (x & y) | (~x & z));
    JAXGEMM_THREE(v_alignbit_b32, U32,
                  static_cast<uint32_t>((y | (uint64_t{x} << 32)) >> (z & 31)));
    JAXGEMM_THREE(v_alignbyte_b32, U32,
                  static_cast<uint32_t>((y | (uint64_t{x} << 32)) >> (8 * (z & 3))));
    JAXGEMM_THREE(v_min3_u32, U32, std::min({x, y, z}));
    JAXGEMM_THREE(v_max3_u32, U32, std::max({x, y, z}));
    JAXGEMM_THREE(v_med3_u32, U32, Med3(x, y, z));
    JAXGEMM_THREE(v_sad_u8, U32, Sad8(false, x, y, z));
    JAXGEMM_THREE(v_lerp_u8, U32, Lerp8(x, y, z));
    case Op::v_qsad_pk_u16_u8: return Sad8OfFour<false>;
    case Op::v_mqsad_pk_u16_u8:
      return Sad8OfFour<true>;
      JAXGEMM_THREE(v_msad_u8, U32, Sad8(true, x, y, z));
      JAXGEMM_THREE(v_sad_hi_u8, U32, (Sad8(false, x, y, 0) << 16) + z);
      JAXGEMM_THREE(v_sad_u16, U32,
                    AbsDiff(x & 0xffff, y & 0xffff) + AbsDiff(x >> 16, y >> 16) + z);
      JAXGEMM_THREE(v_sad_u32, U32, AbsDiff(x, y) + z);
      JAXGEMM_THREE(v_perm_b32, U32, Perm(x, y, z));
      JAXGEMM_THREE(v_xad_u32, U32, (x ^ y) + z);
      JAXGEMM_THREE(v_lshl_add_u32, U32, (x << (y & 31)) + z);
      JAXGEMM_THREE(v_add_lshl_u32, U32, (x + y) << (z & 31));
      JAXGEMM_THREE(v_add3_u32, U32, x + y + z);
      JAXGEMM_THREE(v_lshl_or_b32, U32, (x << (y & 31)) | z);
      JAXGEMM_THREE(v_and_or_b32, U32, (x & y) | z);
      JAXGEMM_THREE(v_or3_b32, U32, x | y | z);
      JAXGEMM_THREE(v_min3_i32, I32, std::min({x, y, z}));
      JAXGEMM_THREE(v_max3_i32, I32, std::max({x, y, z}));
      JAXGEMM_THREE(v_med3_i32, I32, Med3(x, y, z));
      JAXGEMM_THREE(v_min3_u16, U16, std::min({x, y, z}));
      JAXGEMM_THREE(v_max3_u16, U16, std::max({x, y, z}));
      JAXGEMM_THREE(v_med3_u16, U16, Med3(x, y, z));
      JAXGEMM_THREE(v_min3_i16, I16, std::min({x, y, z}));
      JAXGEMM_THREE(v_max3_i16, I16, std::max({x, y, z}));
      JAXGEMM_THREE(v_med3_i16, I16, Med3(x, y, z));
#undef JAXGEMM_THREE
    case Op::v_bfe_i32:
      return [](Context& c) {
        Map<I32, I32, U32, U32>(c, [](int32_t x, uint32_t offset, uint32_t width) {
          const int n = static_cast<int>(width & 31);
          const uint32_t field = static_cast<uint32_t>(x >> (offset & 31));
          return n == 0 ? 0 : static_cast<int32_t>(field << (32 - n)) >> (32 - n);
        });
      };
    case Op::v_bitop3_b32: return Bitop3<U32>;
    case Op::v_mbcnt_lo_u32_b32: return Mbcnt<false>;
    case Op::v_mbcnt_hi_u32_b32: return Mbcnt<true>;
    case Op::v_ffbh_u32:
      return [](Context& c) {
        Map<I32, U32>(c, [](uint32_t x) { return x == 0 ? -1 : std::countl_zero(x); });
      };
    case Op::v_ffbl_b32:
      return [](Context& c) {
        Map<I32, U32>(c, [](uint32_t x) { return x == 0 ? -1 : std::countr_zero(x); });
      };
    case Op::v_ffbh_i32:
      return [](Context& c) {
        Map<I32, I32>(c, [](int32_t x) {
          const uint32_t changes = static_cast<uint32_t>(x ^ (x >> 31));
          return changes == 0 ? -1 : std::countl_zero(changes);
        });
      };
    case Op::v_mad_u16:
    case Op::v_mad_i16:
    case Op::v_mad_legacy_u16:
    case Op::v_mad_legacy_i16:
      return [](Context& c) {
        Map<U16, U16, U16, U16>(c, [](uint32_t x, uint32_t y, uint32_t z) { return x * y + z; });
      };
    case Op::v_mad_u32_u16:
      return [](Context& c) {
        Map<U32, U16, U16, U32>(c, [](uint32_t x, uint32_t y, uint32_t z) { return x * y + z; });
      };
    case Op::v_mad_i32_i16:
      return [](Context& c) {
        Map<U32, I16, I16, U32>(
            c, [](int32_t x, int32_t y, uint32_t z) { return static_cast<uint32_t>(x * y) + z; });
      };
    case Op::v_bitop3_b16: return Bitop3<U16>;
    case Op::v_sat_pk_u8_i16:
      return [](Context& c) {
        Map<U32, U32>(c, [](uint32_t x) {
          const auto saturated = [](int32_t n) {
            return static_cast<uint32_t>(std::clamp(n, 0, 255));
          };
          return saturated(static_cast<int16_t>(x)) |
                 (saturated(static_cast<int16_t>(x >> 16)) << 8);
        });
      };
    case Op::v_lshl_add_u64:
      return [](Context& c) {
        Map<U64, U64, U32, U64>(
            c, [](uint64_t x, uint32_t n, uint64_t y) { return (x << (n & 7)) + y; });
      };
    case Op::v_lshlrev_b64:
      return [](Context& c) {
        Map<U64, U32, U64>(c, [](uint32_t n, uint64_t x) { return x << (n & 63); });
      };
    case Op::v_lshrrev_b64:
      return [](Context& c) {
        Map<U64, U32, U64>(c, [](uint32_t n, uint64_t x) { return x >> (n & 63); });
      };
    case Op::v_ashrrev_i64:
      return [](Context& c) {
        Map<I64, U32, I64>(c, [](uint32_t n, int64_t x) { return x >> (n & 63); });
      };
    case Op::v_mad_u64_u32: return MadWide<U64, U32>;
    case Op::v_mad_i64_i32: return MadWide<I64, I32>;
    case Op::v_add_co_u32: return WithCarry<false, false, false>;
    case Op::v_sub_co_u32: return WithCarry<true, false, false>;
    case Op::v_subrev_co_u32: return WithCarry<true, true, false>;
    case Op::v_addc_co_u32: return WithCarry<false, false, true>;
    case Op::v_subb_co_u32: return WithCarry<true, false, true>;
    case Op::v_subbrev_co_u32: return WithCarry<true, true, true>;
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
