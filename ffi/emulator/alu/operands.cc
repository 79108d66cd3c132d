// Reads sources and writes results of vector instructions (see alu.h).
#include <cstring>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

// ---- MODE register. Bits 1:0 are the rounding of float32, 3:2 that of float64 and float16. Bit 4
// keeps denormal inputs of float32 and bit 5 its denormal results; bits 6 and 7 do the same for
// float64 and float16. Bit 8 is DX10_CLAMP, 9 is IEEE, 23 is FP16_OVFL.

bool FlushesOutput(const Registers& r, ValueKind kind) {
  return kind != ValueKind::kBits && !((r.mode >> (kind == ValueKind::kF32 ? 5 : 7)) & 1);
}

// Replaces denormals by zeros of the same sign.
void Flush(ValueKind kind, uint32_t* low, uint32_t* high) {
  const uint32_t exponent = kind == ValueKind::kF32   ? 0x7f800000u
                            : kind == ValueKind::kF16 ? 0x7c00u
                                                      : 0x7ff00000u;
  const uint32_t sign = kind == ValueKind::kF16 ? 0x8000u : 0x80000000u;
  uint32_t* top = kind == ValueKind::kF64 ? high : low;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (top[lane] & exponent) continue;
    top[lane] &= sign;
    if (kind == ValueKind::kF64) low[lane] = 0;
  }
}

// ---- DPP: the lane that `lane` reads, or -1 if there is none.
int DppSource(uint32_t control, int lane) {
  const int row = lane & ~15, in_row = lane & 15, count = static_cast<int>(control & 15);
  if (control < 0x100) return (lane & ~3) + ((control >> (2 * (lane & 3))) & 3);
  switch (control >> 4) {
    case 0x10:  // row_shl
      return in_row + count < 16 ? lane + count : -1;
    case 0x11:  // row_shr
      return in_row - count >= 0 ? lane - count : -1;
    case 0x12:  // row_ror
      return row + ((in_row - count) & 15);
    case 0x13:  // wave_shl, wave_rol, wave_shr, wave_ror by one
      if (count == 0) return lane < 63 ? lane + 1 : -1;
      if (count == 4) return (lane + 1) & 63;
      if (count == 8) return lane - 1;
      return (lane - 1) & 63;
    case 0x14:  // row_mirror, row_half_mirror, row_bcast:15, row_bcast:31
      if (count == 0) return row + 15 - in_row;
      if (count == 1) return (lane & ~7) + 7 - (lane & 7);
      if (count == 2) return row - 1;
      return lane >= 32 ? 31 : -1;
    default:  // row_newbcast
      return row + count;
  }
}

// If a lane's source lane is out of range or inactive, the lane reads zero with bound_ctrl and is
// not written without. Rows and banks outside row_mask and bank_mask are not written either.
void ApplyDpp(Context& c, int num_words, const uint32_t** words, Words* buffer) {
  const uint32_t extra = c.in.sdwa_dpp, control = (extra >> 8) & 0x1ff;
  const bool bound_zero = (extra >> 19) & 1;
  for (int w = 0; w < num_words; ++w) {
    Words source;
    std::memcpy(source.lane, words[w], sizeof source.lane);
    for (int lane = 0; lane < kLanes; ++lane) {
      const int from = DppSource(control, lane);
      const bool valid = from >= 0 && ((c.exec >> from) & 1);
      buffer[w].lane[lane] = valid ? source.lane[from] : 0;
      const bool masked =
          !((extra >> (28 + (lane >> 4))) & 1) || !((extra >> (24 + ((lane >> 2) & 3))) & 1);
      if (masked || (!valid && !bound_zero)) c.write_mask &= ~(uint64_t{1} << lane);
    }
    words[w] = buffer[w].lane;
  }
}

// ---- SDWA selectors: 0-3 are the bytes, 4 and 5 the 16-bit words, 6 is the dword.

void ApplySdwaSource(uint32_t extra, int i, const uint32_t** words, Words* buffer) {
  const uint32_t select = (extra >> (16 + 8 * i)) & 7;
  const bool sign = (extra >> (19 + 8 * i)) & 1;
  if (select == 6) return;
  const int bits = select < 4 ? 8 : 16;
  const int shift = select < 4 ? 8 * static_cast<int>(select) : 16 * static_cast<int>(select - 4);
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t top = words[0][lane] << (32 - bits - shift);
    buffer[0].lane[lane] =
        sign ? static_cast<uint32_t>(static_cast<int32_t>(top) >> (32 - bits)) : top >> (32 - bits);
  }
  words[0] = buffer[0].lane;
}

void ApplySdwaDestination(Context& c, uint32_t* words) {
  const uint32_t extra = c.in.sdwa_dpp, select = (extra >> 8) & 7, unused = (extra >> 11) & 3;
  if (select == 6) return;
  const int bits = select < 4 ? 8 : 16;
  const int shift = select < 4 ? 8 * static_cast<int>(select) : 16 * static_cast<int>(select - 4);
  const uint32_t mask = ((1u << bits) - 1) << shift;
  const uint32_t* old = c.r.vgpr[c.in.dst[0].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t placed = (words[lane] << shift) & mask;
    const uint32_t above = ~0u << shift;
    const bool negative = (words[lane] >> (bits - 1)) & 1;
    words[lane] = unused == 0   ? placed
                  : unused == 1 ? placed | (negative ? above & ~mask : 0)
                                : placed | (old[lane] & ~mask);
  }
}

// ---- Output modifier and clamp of floats.

template <class T>
void ModifyFloat(const Context& c, Words* words) {
  using Value = typename T::Value;
  constexpr float kScale[] = {1.0f, 2.0f, 4.0f, 0.5f};
  // By the manuals, output modifiers are ignored in IEEE mode and if output denormals are on.
  const bool scales = c.in.omod != 0 && !((c.r.mode >> 9) & 1) && FlushesOutput(c.r, T::kKind);
  const Value scale = scales ? kScale[c.in.omod] : 1;
  const bool nan_to_zero = (c.r.mode >> 8) & 1;
  for (int lane = 0; lane < kLanes; ++lane) {
    Value value = T::Get(words[0].lane[lane], words[1].lane[lane]);
    if (scales) value = value * scale + Value{0};  // -0 becomes 0
    if (c.clamp) {
      value = value < 0 ? Value{0} : value > 1 ? Value{1} : value;
      if (value == 0) value = 0;
      if (value != value && nan_to_zero) value = 0;
    }
    T::Put(value, words[0].lane[lane], words[1].lane[lane]);
  }
}

// A 16-bit instruction of gfx9 writes zeros above its result. Instructions that gfx9 added in VOP3
// form only write the half that op_sel selects and keep the other half (LLVM:
// GCNSubtarget::zeroesHigh16BitsOfDest). Instructions named legacy are gfx8's.
void Place16Bit(Context& c, uint32_t* words) {
  const Op op = c.in.op;
  if (InfoOf(op).format != Format::kVop3) return;
  if (IsLegacy16(op)) return;
  const uint32_t* old = c.r.vgpr[c.in.dst[0].index];
  const bool high = c.in.op_sel & 8;
  for (int lane = 0; lane < kLanes; ++lane) {
    words[lane] = high ? (words[lane] << 16) | (old[lane] & 0xffff)
                       : (words[lane] & 0xffff) | (old[lane] & 0xffff0000u);
  }
}

void WriteMasked(uint64_t mask, const uint32_t* from, uint32_t* to) {
  if (mask == ~uint64_t{0}) {
    std::memcpy(to, from, kLanes * sizeof *to);
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane) & 1) to[lane] = from[lane];
  }
}

}  // namespace

bool FlushesInput(const Registers& r, ValueKind kind) {
  return kind != ValueKind::kBits && !((r.mode >> (kind == ValueKind::kF32 ? 4 : 6)) & 1);
}

void FlushInputs(const Context& c, ValueKind kind, Words* words) {
  if (FlushesInput(c.r, kind)) Flush(kind, words[0].lane, words[kind == ValueKind::kF64].lane);
}

void CheckRounding(Context& c, ValueKind kind) {
  if (kind == ValueKind::kBits) return;
  const uint32_t rounding = kind == ValueKind::kF32 ? c.r.mode & 3 : (c.r.mode >> 2) & 3;
  if (rounding != 0) c.error = "the MODE register asks for a rounding other than to nearest even";
  // FP16_OVFL changes results of float16 and float8 only.
  if (kind == ValueKind::kF16 && (c.r.mode >> 23) & 1) {
    c.error = "the MODE register has FP16_OVFL set";
  }
}

void Load(Context& c, int i, ValueKind kind, bool is_16_bit, int num_words, Words* buffer,
          const uint32_t** words) {
  const Operand& operand = c.in.src[i];
  for (int w = 0; w < num_words; ++w) {
    if (operand.kind == Operand::kVgpr) {
      words[w] = c.r.vgpr[operand.index + w];
      continue;
    }
    const uint32_t value = operand.kind == Operand::kSgpr ? c.r.sgpr[operand.index + w]
                           : w == 0                       ? operand.constant
                                                          : operand.constant_high;
    for (uint32_t& lane : buffer[w].lane) lane = value;
    words[w] = buffer[w].lane;
  }
  if (num_words == 1) words[1] = words[0];
  const Instruction& in = c.in;
  if (in.is_dpp && i == 0) ApplyDpp(c, num_words, words, buffer);
  if (in.is_sdwa && i < 2) ApplySdwaSource(in.sdwa_dpp, i, words, buffer);
  const bool op_sel = is_16_bit && in.format == Format::kVop3 && ((in.op_sel >> i) & 1);
  const bool sign = (((in.neg | in.abs) >> i) & 1) && in.format != Format::kVop3p;
  const bool flush = FlushesInput(c.r, kind);
  if (!op_sel && !sign && !flush) return;
  for (int w = 0; w < num_words; ++w) {
    if (words[w] != buffer[w].lane) std::memcpy(buffer[w].lane, words[w], sizeof buffer[w].lane);
    words[w] = buffer[w].lane;
  }
  if (num_words == 1) words[1] = words[0];
  if (op_sel) {
    for (uint32_t& lane : buffer[0].lane) lane >>= 16;
  }
  if (sign) {
    const uint32_t bit = kind == ValueKind::kF16 ? 0x8000u : 0x80000000u;
    const uint32_t keep = (in.abs >> i) & 1 ? ~bit : ~0u, flip = (in.neg >> i) & 1 ? bit : 0;
    for (uint32_t& lane : buffer[num_words - 1].lane) lane = (lane & keep) ^ flip;
  }
  if (flush) FlushInputs(c, kind, buffer);
}

void Finish(Context& c, ValueKind kind, Words* words) {
  CheckRounding(c, kind);
  if (c.clamp || c.in.omod != 0) {
    switch (kind) {
      case ValueKind::kF32: ModifyFloat<F32>(c, words); break;
      case ValueKind::kF16: ModifyFloat<F16>(c, words); break;
      case ValueKind::kF64: ModifyFloat<F64>(c, words); break;
      case ValueKind::kBits:
        if (c.clamp) c.error = "clamp, which the emulator does not have for this instruction";
    }
  }
  if (FlushesOutput(c.r, kind)) Flush(kind, words[0].lane, words[kind == ValueKind::kF64].lane);
}

void Write(Context& c, int word, const Words& words) {
  if (c.error == nullptr) {
    WriteMasked(c.write_mask, words.lane, c.r.vgpr[c.in.dst[0].index + word]);
  }
}

void Store(Context& c, ValueKind kind, bool is_16_bit, int num_words, Words* words) {
  Finish(c, kind, words);
  if (c.in.is_sdwa) {
    ApplySdwaDestination(c, words[0].lane);
  } else if (is_16_bit) {
    Place16Bit(c, words[0].lane);
  }
  for (int w = 0; w < num_words; ++w) Write(c, w, words[w]);
}

void StoreMask(Context& c, const Operand& operand, uint64_t mask) {
  if (c.error != nullptr) return;
  mask &= c.exec;
  c.r.sgpr[operand.index] = static_cast<uint32_t>(mask);
  c.r.sgpr[operand.index + 1] = static_cast<uint32_t>(mask >> 32);
}

}  // namespace jaxgemm::emulator
