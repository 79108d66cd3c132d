// Packed arithmetic (v_pk_*), mixed-precision fma and dot products.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

// Whether result half `half` (0: low, 1: high) takes the high half of source i, and whether it
// negates it. v_pk_fmac_f16 is VOP2: low takes low, high takes high.
bool TakesHigh(const Instruction& in, int i, int half) {
  if (in.format != Format::kVop3p) return half == 1;
  return ((half ? in.op_sel_hi : in.op_sel) >> i) & 1;
}
bool Negates(const Instruction& in, int i, int half) {
  return in.format == Format::kVop3p && (((half ? in.neg_hi : in.neg) >> i) & 1);
}

// Computes two 16-bit results with f(saturate, sources...), which takes and returns T's Values.
template <class T, int kSources, class F>
void Packed16(Context& c, F f) {
  const Instruction& in = c.in;
  if (in.is_sdwa || in.is_dpp) {
    c.error = "SDWA or DPP on a packed instruction";
    return;
  }
  Words buffer[kSources][2], result[2];
  const uint32_t* words[kSources][2];
  for (int i = 0; i < kSources; ++i) {
    Load(c, i, ValueKind::kBits, false, 1, buffer[i], words[i]);
    if (T::kKind == ValueKind::kBits && (((in.neg | in.neg_hi) >> i) & 1)) {
      c.error = "neg_lo or neg_hi on integers";
    }
  }
  const bool saturate = c.clamp && T::kKind == ValueKind::kBits;
  if (saturate) c.clamp = false;
  for (int half = 0; half < 2; ++half) {
    Words source[kSources];
    for (int i = 0; i < kSources; ++i) {
      const int shift = TakesHigh(in, i, half) ? 16 : 0;
      const uint32_t flip = Negates(in, i, half) ? 0x8000 : 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        source[i].lane[lane] = ((words[i][0][lane] >> shift) & 0xffff) ^ flip;
      }
      FlushInputs(c, T::kKind, &source[i]);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t unused;
      const auto value = [&](int i) { return T::Get(source[i].lane[lane], 0); };
      if constexpr (kSources == 2) {
        T::Put(f(saturate, value(0), value(1)), result[half].lane[lane], unused);
      } else {
        T::Put(f(saturate, value(0), value(1), value(2)), result[half].lane[lane], unused);
      }
    }
    Finish(c, T::kKind, &result[half]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    result[0].lane[lane] = (result[0].lane[lane] & 0xffff) | (result[1].lane[lane] << 16);
  }
  Write(c, 0, result[0]);
}

// The high or low dword of source i. op_sel selects it for the low result, op_sel_hi for the high.
// Both dwords of an inline constant hold it. No manual says so, but LLVM's code needs it: jax 0.12
// computes 1 - x for two x with one v_pk_add_f32 of 1.0, and with op_sel_hi as for two registers.
const uint32_t* PickDword(Context& c, int i, bool high, Words* buffer) {
  const uint32_t* words[2];
  Load(c, i, ValueKind::kBits, false, 2, buffer, words);
  return words[high && c.in.src[i].kind != Operand::kConstant];
}

template <int kSources, class F>
void PackedF32(Context& c, F f) {
  Words result[2];
  for (int half = 0; half < 2; ++half) {
    Words buffer[kSources][2];
    const uint32_t* source[3] = {};
    for (int i = 0; i < kSources; ++i) {
      source[i] = PickDword(c, i, TakesHigh(c.in, i, half), buffer[i]);
      const bool negates = Negates(c.in, i, half);
      if (!negates && !FlushesInput(c.r, ValueKind::kF32)) continue;
      Words& own = buffer[i][0];
      if (source[i] != own.lane) std::memcpy(own.lane, source[i], sizeof own.lane);
      for (uint32_t& lane : own.lane) lane ^= negates ? 0x80000000u : 0;
      FlushInputs(c, ValueKind::kF32, &own);
      source[i] = own.lane;
    }
    f(source, result[half].lane);
    Finish(c, ValueKind::kF32, &result[half]);
  }
  for (int half = 0; half < 2; ++half) Write(c, half, result[half]);
}

void PackedMove(Context& c) {
  if (c.in.neg != 0 || c.in.neg_hi != 0 || c.in.clamp) c.error = "modifiers on a move";
  Words buffer[2][2], result[2];
  for (int i = 0; i < 2; ++i) {
    const uint32_t* source = PickDword(c, i, (c.in.op_sel >> i) & 1, buffer[i]);
    std::memcpy(result[i].lane, source, sizeof result[i].lane);
  }
  for (int i = 0; i < 2; ++i) Write(c, i, result[i]);
}

// A source is float32, or with op_sel_hi the float16 in the half that op_sel selects; neg_hi means
// abs. dst_half is the half of the float16 result, or -1 for a float32 result.
void FmaMix(Context& c, int dst_half) {
  const Instruction& in = c.in;
  Words buffer[3][2], result[2];
  const uint32_t* words[3][2];
  for (int i = 0; i < 3; ++i) {
    const bool is_f16 = (in.op_sel_hi >> i) & 1;
    const ValueKind kind = is_f16 ? ValueKind::kF16 : ValueKind::kF32;
    Load(c, i, ValueKind::kBits, false, 1, buffer[i], words[i]);
    Words& own = buffer[i][1];
    const int shift = is_f16 && ((in.op_sel >> i) & 1) ? 16 : 0;
    const uint32_t sign = is_f16 ? 0x8000u : 0x80000000u;
    const uint32_t mask = (is_f16 ? 0xffffu : ~0u) & ((in.neg_hi >> i) & 1 ? ~sign : ~0u);
    const uint32_t flip = (in.neg >> i) & 1 ? sign : 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      own.lane[lane] = ((words[i][0][lane] >> shift) & mask) ^ flip;
    }
    FlushInputs(c, kind, &own);
    if (is_f16) {
      for (uint32_t& lane : own.lane) lane = std::bit_cast<uint32_t>(F16::Get(lane, 0));
    }
    words[i][0] = own.lane;
  }
  FmaLanes(words[0][0], words[1][0], words[2][0], result[0].lane);
  if (dst_half < 0) {
    Finish(c, ValueKind::kF32, result);
  } else {
    const uint32_t* old = c.r.vgpr[in.dst[0].index];
    for (uint32_t& lane : result[0].lane) {
      lane = Encode<Float16>(std::bit_cast<float>(lane));
    }
    Finish(c, ValueKind::kF16, result);
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t value = result[0].lane[lane] & 0xffff;
      result[0].lane[lane] =
          dst_half ? (old[lane] & 0xffff) | (value << 16) : (old[lane] & 0xffff0000u) | value;
    }
  }
  Write(c, 0, result[0]);
}

// Whether MODE keeps denormals; the float dot products support nothing else here.
bool KeepsDenormals(Context& c) {
  if (((c.r.mode >> 4) & 15) != 15) c.error = "a dot product where denormals are flushed";
  return c.error == nullptr;
}

// Adds the products of the fields of kBits bits to `sum`, which wraps.
template <int kBits, bool kSigned>
uint32_t DotInteger(uint32_t a, uint32_t b, uint32_t sum) {
  const auto field = [](uint32_t x, int i) {
    const uint32_t top = x << (32 - kBits - i);
    return kSigned ? static_cast<uint32_t>(static_cast<int32_t>(top) >> (32 - kBits))
                   : top >> (32 - kBits);
  };
  for (int i = 0; i < 32; i += kBits) sum += field(a, i) * field(b, i);
  return sum;
}

template <int kBits, bool kSigned>
void Dot(Context& c) {
  Map<U32, U32, U32, U32>(c, DotInteger<kBits, kSigned>);
}

// Adds in the manuals' order; each product is exact and each sum is rounded.
void DotF16(Context& c) {
  if (!KeepsDenormals(c)) return;
  Map<F32, U32, U32, F32>(c, [](uint32_t a, uint32_t b, float sum) {
    sum += F16::Get(a, 0) * F16::Get(b, 0);
    return sum + F16::Get(a >> 16, 0) * F16::Get(b >> 16, 0);
  });
}

template <bool kSumFirst>
void DotBf16(Context& c) {
  if (!KeepsDenormals(c)) return;
  Map<F32, U32, U32, F32>(c, [](uint32_t a, uint32_t b, float sum) {
    const auto decode = Decode<Bfloat16>;
    const float low = decode(a) * decode(b), high = decode(a >> 16) * decode(b >> 16);
    return kSumFirst ? (sum + low) + high : (low + high) + sum;
  });
}

template <class T, class F>
void Saturating(Context& c, F exact) {
  using Value = typename T::Value;
  static constexpr int kLow = std::is_signed_v<Value> ? -32768 : 0;
  static constexpr int kHigh = std::is_signed_v<Value> ? 32767 : 65535;
  Packed16<T, 2>(c, [exact](bool saturate, Value a, Value b) {
    const int value = exact(static_cast<int>(a), static_cast<int>(b));
    return static_cast<Value>(saturate ? std::clamp(value, kLow, kHigh) : value);
  });
}

template <class T>
void SaturatingMad(Context& c) {
  using Value = typename T::Value;
  static constexpr int64_t kLow = std::is_signed_v<Value> ? -32768 : 0;
  static constexpr int64_t kHigh = std::is_signed_v<Value> ? 32767 : 65535;
  Packed16<T, 3>(c, [](bool saturate, Value x, Value y, Value z) {
    const int64_t value = int64_t{x} * y + z;
    return static_cast<Value>(saturate ? std::clamp(value, kLow, kHigh) : value);
  });
}

// Packed integer instructions for which clamp is not implemented.
template <class T, int kSources, class F>
void Wrapping(Context& c, F f) {
  if (c.clamp) c.error = "clamp, which the emulator does not have for this instruction";
  Packed16<T, kSources>(c, [f](bool, auto... s) { return f(s...); });
}

}  // namespace

Executor FindPacked(Op op) {
  using U = uint32_t;
  switch (op) {
    case Op::v_pk_add_u16:
      return [](Context& c) { Saturating<U16>(c, [](int a, int b) { return a + b; }); };
    case Op::v_pk_sub_u16:
      return [](Context& c) { Saturating<U16>(c, [](int a, int b) { return a - b; }); };
    case Op::v_pk_add_i16:
      return [](Context& c) { Saturating<I16>(c, [](int a, int b) { return a + b; }); };
    case Op::v_pk_sub_i16:
      return [](Context& c) { Saturating<I16>(c, [](int a, int b) { return a - b; }); };
    case Op::v_pk_mul_lo_u16:
      return [](Context& c) { Wrapping<U16, 2>(c, [](U a, U b) { return a * b; }); };
    case Op::v_pk_mad_u16: return SaturatingMad<U16>;
    case Op::v_pk_mad_i16: return SaturatingMad<I16>;
    case Op::v_pk_lshlrev_b16:
      return [](Context& c) { Wrapping<U16, 2>(c, [](U a, U b) { return b << (a & 15); }); };
    case Op::v_pk_lshrrev_b16:
      return [](Context& c) { Wrapping<U16, 2>(c, [](U a, U b) { return b >> (a & 15); }); };
    case Op::v_pk_ashrrev_i16:
      return [](Context& c) { Wrapping<I16, 2>(c, [](int a, int b) { return b >> (a & 15); }); };
    case Op::v_pk_max_i16:
      return [](Context& c) { Wrapping<I16, 2>(c, [](int a, int b) { return std::max(a, b); }); };
    case Op::v_pk_min_i16:
      return [](Context& c) { Wrapping<I16, 2>(c, [](int a, int b) { return std::min(a, b); }); };
    case Op::v_pk_max_u16:
      return [](Context& c) { Wrapping<U16, 2>(c, [](U a, U b) { return std::max(a, b); }); };
    case Op::v_pk_min_u16:
      return [](Context& c) { Wrapping<U16, 2>(c, [](U a, U b) { return std::min(a, b); }); };
    case Op::v_pk_add_f16:
      return [](Context& c) { Packed16<F16, 2>(c, [](bool, float a, float b) { return a + b; }); };
    case Op::v_pk_mul_f16:
      return [](Context& c) { Packed16<F16, 2>(c, [](bool, float a, float b) { return a * b; }); };
    case Op::v_pk_min_f16:
      return [](Context& c) {
        Packed16<F16, 2>(
            c, [ieee = IeeeMode(c)](bool, float a, float b) { return FloatMin(ieee, a, b); });
      };
    case Op::v_pk_max_f16:
      return [](Context& c) {
        Packed16<F16, 2>(
            c, [ieee = IeeeMode(c)](bool, float a, float b) { return FloatMax(ieee, a, b); });
      };
    case Op::v_pk_fma_f16:
    case Op::v_pk_fmac_f16:
      return [](Context& c) {
        Packed16<F16, 3>(c, [](bool, float x, float y, float z) { return FmaF16(x, y, z); });
      };
    case Op::v_pk_minimum3_f16:
      return [](Context& c) {
        Packed16<F16, 3>(c,
                         [](bool, float x, float y, float z) { return Minimum(Minimum(x, y), z); });
      };
    case Op::v_pk_maximum3_f16:
      return [](Context& c) {
        Packed16<F16, 3>(c,
                         [](bool, float x, float y, float z) { return Maximum(Maximum(x, y), z); });
      };
    case Op::v_pk_add_f32:
      return [](Context& c) {
        PackedF32<2>(c, [](const uint32_t* const* s, uint32_t* out) {
          for (int lane = 0; lane < kLanes; ++lane) {
            out[lane] = std::bit_cast<U>(F32::Get(s[0][lane], 0) + F32::Get(s[1][lane], 0));
          }
        });
      };
    case Op::v_pk_mul_f32:
      return [](Context& c) {
        PackedF32<2>(c, [](const uint32_t* const* s, uint32_t* out) {
          for (int lane = 0; lane < kLanes; ++lane) {
            out[lane] = std::bit_cast<U>(F32::Get(s[0][lane], 0) * F32::Get(s[1][lane], 0));
          }
        });
      };
    case Op::v_pk_fma_f32:
      return [](Context& c) {
        PackedF32<3>(
            c, [](const uint32_t* const* s, uint32_t* out) { FmaLanes(s[0], s[1], s[2], out); });
      };
    case Op::v_pk_mov_b32: return PackedMove;
    case Op::v_fma_mix_f32: return [](Context& c) { FmaMix(c, -1); };
    case Op::v_fma_mixlo_f16: return [](Context& c) { FmaMix(c, 0); };
    case Op::v_fma_mixhi_f16: return [](Context& c) { FmaMix(c, 1); };
    case Op::v_dot2_f32_f16:
    case Op::v_dot2c_f32_f16: return DotF16;
    case Op::v_dot2_f32_bf16: return DotBf16<false>;
    case Op::v_dot2c_f32_bf16: return DotBf16<true>;
    case Op::v_dot2_i32_i16:
    case Op::v_dot2c_i32_i16: return Dot<16, true>;
    case Op::v_dot2_u32_u16: return Dot<16, false>;
    case Op::v_dot4_i32_i8:
    case Op::v_dot4c_i32_i8: return Dot<8, true>;
    case Op::v_dot4_u32_u8: return Dot<8, false>;
    case Op::v_dot8_i32_i4:
    case Op::v_dot8c_i32_i4: return Dot<4, true>;
    case Op::v_dot8_u32_u4: return Dot<4, false>;
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
