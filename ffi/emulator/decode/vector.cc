// Decoding of VOP1, VOP2, VOPC (with their SDWA and DPP forms), VOP3 and VOP3P.
#include <cstring>

#include "emulator/decode/decode.h"

namespace jaxgemm::emulator {
namespace {

constexpr uint32_t kSdwa = 249, kDpp = 250;

bool Is16Bit(char letter) { return letter == 'h' || letter == 'w'; }
bool IsFloat(char letter) { return std::strchr("fFh", letter) != nullptr && letter != 0; }

// DPP controls of gfx9 and gfx90a: quad_perm, row_shl/shr/ror 1-15, wave_shl/rol/shr/ror by
// one, row_mirror, row_half_mirror, row_bcast 15 and 31, row_newbcast.
bool DppControlKnown(uint32_t control) {
  if (control < 0x100) return true;
  if (control >= 0x101 && control <= 0x12f) return (control & 15) != 0;
  return control == 0x130 || control == 0x134 || control == 0x138 || control == 0x13c ||
         (control >= 0x140 && control <= 0x143) || (control >= 0x150 && control <= 0x15f);
}

bool Is64Bit(const OpInfo& info) {
  for (const char* letter = info.destinations; *letter != 0; ++letter) {
    if (std::strchr("BLF", *letter) != nullptr) return true;
  }
  return false;
}

// Whether the instruction has an SDWA or DPP form here. The DPP form of v_add_co_u32 and its like
// is left out: its carries for lanes that it does not write are not documented.
bool HasExtraForm(const OpInfo& info, const Instruction& in) {
  const std::string_view operands = info.destinations;
  if (operands == ":" || operands.find_first_of("vaskK") != std::string_view::npos) return false;
  if (in.is_dpp) return operands.substr(0, operands.find(':')).find('m') == std::string_view::npos;
  return !Is64Bit(info) && operands.find('=') == std::string_view::npos;
}

// Decodes the extra dword. *src0 receives its field of source 0, as a 9-bit source.
std::string DecodeExtra(const Encoding& e, const OpInfo& info, uint32_t* src0, bool* src1_sgpr,
                        Instruction* in) {
  if (e.size < 8) return "code that ends in the middle of an instruction";
  const uint32_t extra = e.high;
  in->sdwa_dpp = extra;
  in->bytes = 8;
  if (in->is_dpp) {
    const uint32_t control = Field(extra, 16, 8);
    if (!DppControlKnown(control)) return "DPP control " + std::to_string(control);
    if (Field(extra, 18, 17) != 0) return "DPP with reserved bits";
    if (Is64Bit(info) && control < 0x150) return "64-bit DPP other than row_newbcast";
    *src0 = 256 + Field(extra, 7, 0);
    in->neg = static_cast<uint8_t>(Field(extra, 20, 20) | (Field(extra, 22, 22) << 1));
    in->abs = static_cast<uint8_t>(Field(extra, 21, 21) | (Field(extra, 23, 23) << 1));
    return "";
  }
  *src0 = Field(extra, 7, 0) + (Field(extra, 23, 23) ? 0 : 256);
  *src1_sgpr = Field(extra, 31, 31) != 0;
  in->neg = static_cast<uint8_t>(Field(extra, 20, 20) | (Field(extra, 28, 28) << 1));
  in->abs = static_cast<uint8_t>(Field(extra, 21, 21) | (Field(extra, 29, 29) << 1));
  if (info.format != Format::kVopc) {
    in->clamp = Field(extra, 13, 13) != 0;
    in->omod = static_cast<uint8_t>(Field(extra, 15, 14));
    if (Field(extra, 10, 8) == 7 || Field(extra, 12, 11) == 3) return "SDWA with reserved bits";
  }
  if (Field(extra, 18, 16) == 7 || Field(extra, 26, 24) == 7) return "SDWA with reserved bits";
  return "";
}

// neg and abs are for float sources. By the manual, v_cndmask_b32 and DPP or SDWA moves of bits
// take them too; of these only v_cndmask_b32 is implemented.
std::string CheckModifiers(const OpInfo& info, const Instruction& in) {
  int i = 0;
  for (const char* s = info.sources; *s != 0 && i < 3; ++s, ++i) {
    const bool modified = ((in.neg | in.abs) >> i) & 1;
    if (in.is_sdwa && i < 2 && IsFloat(*s) && ((in.sdwa_dpp >> (19 + 8 * i)) & 1)) {
      return std::string("sign extension of a float source of ") + info.mnemonic;
    }
    if (modified && !IsFloat(*s) && in.op != Op::v_cndmask_b32) {
      return std::string("a neg or abs modifier on an integer source of ") + info.mnemonic;
    }
  }
  if ((in.neg | in.abs) >> i) {
    return std::string("a neg or abs modifier on a source that ") + info.mnemonic +
           " does not have";
  }
  if (in.omod != 0 && !IsFloat(info.destinations[0])) {
    return std::string("an output modifier on the integer result of ") + info.mnemonic;
  }
  return "";
}

// A vector instruction reads at most one scalar register (or pair) or one literal.
std::string CheckConstantBus(const Instruction& in) {
  if (in.op == Op::v_writelane_b32 || in.op == Op::v_readlane_b32) return "";
  int index = -1;
  for (const Operand& source : in.src) {
    const bool scalar = source.kind == Operand::kSgpr;
    if (!scalar && !(source.kind == Operand::kConstant && source.is_literal)) continue;
    const int this_index = scalar ? source.index : 1000;
    if (index >= 0 && index != this_index) {
      return "more than one scalar register or literal in a vector instruction";
    }
    index = this_index;
  }
  return "";
}

std::string DecodeVopShort(const Encoding& e, Format format, const OpInfo& info, Instruction* in) {
  in->format = format;
  uint32_t src0 = Field(e.low, 8, 0);
  bool src1_sgpr = false;
  in->is_sdwa = src0 == kSdwa;
  in->is_dpp = src0 == kDpp;
  if (in->is_sdwa || in->is_dpp) {
    if (!HasExtraForm(info, *in)) {
      return std::string(in->is_sdwa ? "SDWA on " : "DPP on ") + info.mnemonic;
    }
    const std::string error = DecodeExtra(e, info, &src0, &src1_sgpr, in);
    if (!error.empty()) return error;
  }
  const bool literal_ok = !in->is_sdwa && !in->is_dpp;
  const uint32_t vdst = Field(e.low, 24, 17);
  int num_dst = 0, num_src = 0;
  for (const char* d = info.destinations; *d != ':'; ++d) {
    if (*d == '~' || *d == 'e') continue;
    Operand& operand = in->dst[num_dst++];
    if (*d == 's') {
      const std::string error = DecodeSgpr(vdst & 127, 1, &operand);
      if (!error.empty()) return error;
    } else if (*d == 'm') {
      operand = ScalarPair(kVcc);
      if (format == Format::kVopc && in->is_sdwa && Field(e.high, 15, 15)) {
        const std::string error = DecodeSgpr(Field(e.high, 14, 8), 2, &operand);
        if (!error.empty()) return error;
      }
    } else {
      const std::string error = DecodeVgpr(vdst, Dwords(*d), *d == 'a', &operand);
      if (!error.empty()) return error;
    }
  }
  bool first = true;
  for (const char* s = info.sources; *s != 0; ++s) {
    if (*s == '=' || *s == 'c' || *s == 'e') continue;
    Operand& operand = in->src[num_src++];
    std::string error;
    if (*s == 'm') {
      operand = ScalarPair(kVcc);
    } else if (*s == 'k' || *s == 'K') {
      error = DecodeSource(e, 255, *s == 'K' ? 'h' : *s, true, in, &operand);
    } else if (first) {
      error = DecodeSource(e, src0, *s, literal_ok, in, &operand);
      first = false;
    } else {
      error = DecodeSource(e, Field(e.low, 16, 9) + (src1_sgpr ? 0 : 256), *s, literal_ok, in,
                           &operand);
    }
    if (!error.empty()) return error;
  }
  AddImplicit(info, num_dst, num_src, in);
  // A destination that keeps its other bytes is also a source.
  if (in->is_sdwa && format != Format::kVopc && Field(e.high, 12, 11) == 2) {
    int i = 0;
    while (i < 4 && in->src[i].kind != Operand::kNone) ++i;
    if (i < 4) in->src[i] = in->dst[0];
  }
  const std::string error = CheckModifiers(info, *in);
  return error.empty() ? CheckConstantBus(*in) : error;
}

// The bits of op_sel that a VOP3 instruction has. An instruction that gfx9 added only as VOP3 has
// one bit for each 16-bit operand. A conversion to float8 has the bit of the destination's half. A
// conversion from float8 has the number of the source's byte in two bits, or of its half in one.
uint8_t OpSelAllowed(const OpInfo& info, Op op) {
  switch (op) {
    case Op::v_cvt_pk_fp8_f32:
    case Op::v_cvt_pk_bf8_f32:
    case Op::v_cvt_scalef32_pk_fp8_f32:
    case Op::v_cvt_scalef32_pk_bf8_f32:
    case Op::v_cvt_scalef32_pk_fp8_f16:
    case Op::v_cvt_scalef32_pk_bf8_f16:
    case Op::v_cvt_scalef32_pk_fp8_bf16:
    case Op::v_cvt_scalef32_pk_bf8_bf16: return 8;
    case Op::v_cvt_scalef32_pk_f32_fp8:
    case Op::v_cvt_scalef32_pk_f32_bf8:
    case Op::v_cvt_scalef32_pk_f16_fp8:
    case Op::v_cvt_scalef32_pk_f16_bf8:
    case Op::v_cvt_scalef32_pk_bf16_fp8:
    case Op::v_cvt_scalef32_pk_bf16_bf8: return 1;
    case Op::v_cvt_scalef32_f32_fp8:
    case Op::v_cvt_scalef32_f32_bf8:
    case Op::v_cvt_scalef32_pk_f32_fp4:
    case Op::v_cvt_scalef32_pk_f16_fp4:
    case Op::v_cvt_scalef32_pk_bf16_fp4: return 3;
    case Op::v_cvt_scalef32_pk_fp4_f32:
    case Op::v_cvt_scalef32_pk_fp4_f16:
    case Op::v_cvt_scalef32_pk_fp4_bf16: return 8 | 4;
    case Op::v_cvt_scalef32_f16_fp8:
    case Op::v_cvt_scalef32_f16_bf8: return 8 | 3;
    default: break;
  }
  if (op == Op::v_permlane16_swap_b32 || op == Op::v_permlane32_swap_b32) return 3;
  if (info.format != Format::kVop3 || IsLegacy16(op)) return 0;
  uint8_t allowed = Is16Bit(info.destinations[0]) ? 8 : 0;
  for (int i = 0; info.sources[i] != 0; ++i) {
    if (Is16Bit(info.sources[i])) allowed |= static_cast<uint8_t>(1 << i);
  }
  return allowed;
}

std::string DecodeVop3(const Encoding& e, Instruction* in) {
  if (e.size < 8) return "code that ends in the middle of an instruction";
  const int opcode = Field(e.low, 25, 16);
  const OpInfo* info = FindOp(e.arch, Format::kVop3, opcode, &in->op);
  if (info == nullptr && opcode < kVop2InVop3) {
    info = FindOp(e.arch, Format::kVopc, opcode, &in->op);
  } else if (info == nullptr && opcode < kVop1InVop3) {
    info = FindOp(e.arch, Format::kVop2, opcode - kVop2InVop3, &in->op);
  } else if (info == nullptr && opcode < kVop1InVop3 + 128) {
    info = FindOp(e.arch, Format::kVop1, opcode - kVop1InVop3, &in->op);
  }
  if (info == nullptr || std::strpbrk(info->sources, "kK") != nullptr) return Unknown(e);
  in->format = Format::kVop3;
  in->bytes = 8;
  const uint32_t vdst = Field(e.low, 7, 0);
  // VOP3B has a scalar destination where other VOP3 instructions have abs and op_sel.
  const bool vop3b =
      info->format != Format::kVopc && info->destinations[0] != ':' && info->destinations[1] == 'm';
  in->clamp = Field(e.low, 15, 15) != 0;
  in->omod = static_cast<uint8_t>(Field(e.high, 28, 27));
  in->neg = static_cast<uint8_t>(Field(e.high, 31, 29));
  if (!vop3b) {
    in->abs = static_cast<uint8_t>(Field(e.low, 10, 8));
    in->op_sel = static_cast<uint8_t>(Field(e.low, 14, 11));
  }
  if (in->op == Op::v_bitop3_b32 || in->op == Op::v_bitop3_b16) {
    // The truth table of v_bitop3 takes the place of omod, abs and neg.
    in->imm = (in->omod << 6) | (in->abs << 3) | in->neg;
    in->omod = in->abs = in->neg = 0;
  }
  if (in->op_sel & ~OpSelAllowed(*info, in->op)) {
    return std::string("an op_sel that ") + info->mnemonic + " does not have";
  }
  if (in->clamp && std::string_view(info->mnemonic).starts_with("v_cvt_scalef32")) {
    return std::string("clamp, which ") + info->mnemonic + " does not have";
  }
  int num_dst = 0, num_src = 0;
  for (const char* d = info->destinations; *d != ':'; ++d) {
    if (*d == '~' || *d == 'e') continue;
    Operand& operand = in->dst[num_dst++];
    std::string error;
    if (*d == 's' || *d == 'm') {
      error = DecodeSgpr(vop3b ? Field(e.low, 14, 8) : vdst & 127, Dwords(*d), &operand);
    } else {
      error = DecodeVgpr(vdst, Dwords(*d), false, &operand);
    }
    if (!error.empty()) return error;
  }
  for (const char* s = info->sources; *s != 0; ++s) {
    if (*s == '=' || *s == 'c' || *s == 'e') continue;
    const std::string error = DecodeSource(e, Field(e.high, 9 * num_src + 8, 9 * num_src), *s,
                                           false, in, &in->src[num_src]);
    if (!error.empty()) return error;
    ++num_src;
  }
  AddImplicit(*info, num_dst, num_src, in);
  const std::string error = CheckModifiers(*info, *in);
  return error.empty() ? CheckConstantBus(*in) : error;
}

// v_mfma_ld_scale_b32 and the matrix instruction that it belongs to, as one instruction.
std::string DecodeScaledMatrix(const Encoding& e, Instruction* in) {
  if (e.size < 16) return "code that ends in the middle of an instruction";
  const Encoding matrix{e.arch, e.code + 8, e.size - 8, e.Dword(2), e.Dword(3)};
  const int opcode = Field(matrix.low, 22, 16);
  Op op;
  const OpInfo* info = (matrix.low >> 23) == 0x1a7
                           ? FindOp(e.arch, Format::kVop3p, opcode + kScaledMatrix, &op)
                           : nullptr;
  if (info == nullptr) return "v_mfma_ld_scale_b32 without a matrix instruction that has scales";
  std::string error = DecodeVop3p(matrix, in);
  if (!error.empty()) return error;
  // abid is 1 if there are scales.
  if (in->abid != 1) return "a scaled matrix instruction without the bit for it";
  in->abid = 0;
  in->op = op;
  in->bytes = 16;
  in->op_sel = static_cast<uint8_t>(Field(e.low, 12, 11));
  in->op_sel_hi = static_cast<uint8_t>(Field(e.high, 28, 27));
  // Neither the manual nor LLVM has a use for the other fields.
  if (Field(e.low, 10, 0) != 0 || Field(e.low, 15, 13) != 0 || Field(e.high, 31, 29) != 0) {
    return "modifiers of v_mfma_ld_scale_b32";
  }
  for (int i = 0; i < 2 && error.empty(); ++i) {
    error = DecodeSource(e, Field(e.high, 9 * i + 8, 9 * i), 'v', false, in, &in->src[3 + i]);
  }
  return error;
}

}  // namespace

std::string DecodeVector(const Encoding& e, Instruction* in) {
  if ((e.low >> 31) != 0) return DecodeVop3(e, in);
  const uint32_t prefix = e.low >> 25;
  const Format format = prefix == 0x3f   ? Format::kVop1
                        : prefix == 0x3e ? Format::kVopc
                                         : Format::kVop2;
  const int opcode = format == Format::kVop1   ? Field(e.low, 16, 9)
                     : format == Format::kVopc ? Field(e.low, 24, 17)
                                               : Field(e.low, 30, 25);
  const OpInfo* info = FindOp(e.arch, format, opcode, &in->op);
  return info == nullptr ? Unknown(e) : DecodeVopShort(e, format, *info, in);
}

std::string DecodeVop3p(const Encoding& e, Instruction* in) {
  if (e.size < 8) return "code that ends in the middle of an instruction";
  const int opcode = Field(e.low, 22, 16);
  if (e.arch == Arch::kGfx950 && opcode == kLoadScale) return DecodeScaledMatrix(e, in);
  const OpInfo* info = FindOp(e.arch, Format::kVop3p, opcode, &in->op);
  if (info == nullptr) return Unknown(e);
  in->format = Format::kVop3p;
  in->bytes = 8;
  const uint32_t vdst = Field(e.low, 7, 0);
  const bool matrix = info->unit == Unit::kMatrix;
  const char dst_letter = info->destinations[0];
  const bool accumulates = dst_letter == 'a' || (matrix && Field(e.low, 15, 15));
  const std::string bad = DecodeVgpr(vdst, Dwords(dst_letter), accumulates, &in->dst[0]);
  if (!bad.empty()) return bad;
  if (matrix) {
    in->cbsz = static_cast<uint8_t>(Field(e.low, 10, 8));
    in->abid = static_cast<uint8_t>(Field(e.low, 14, 11));
    in->blgp = static_cast<uint8_t>(Field(e.high, 31, 29));
  } else {
    in->clamp = Field(e.low, 15, 15) != 0;
    in->neg_hi = static_cast<uint8_t>(Field(e.low, 10, 8));
    in->op_sel = static_cast<uint8_t>(Field(e.low, 13, 11));
    in->op_sel_hi = static_cast<uint8_t>(Field(e.high, 28, 27) | (Field(e.low, 14, 14) << 2));
    in->neg = static_cast<uint8_t>(Field(e.high, 31, 29));
  }
  int num_src = 0;
  for (const char* s = info->sources; *s != 0; ++s) {
    if (*s == '=') continue;
    const uint32_t code = Field(e.high, 9 * num_src + 8, 9 * num_src);
    Operand& operand = in->src[num_src];
    char letter = *s;
    // The size of an operand of f8f6f4 depends on its format.
    if (letter == '8') {
      const int format = num_src == 0 ? in->cbsz : in->blgp;
      if (format > 4) return std::string("an unknown format of ") + info->mnemonic;
      letter = format == 4 ? '4' : format >= 2 ? '6' : '8';
    }
    if (letter == 'x' && code >= 240 && code <= 248) {
      // Float constants of v_fma_mix have 16 bits (LLVM, mad-mix.ll). No source says what such an
      // operand is as float32.
      if (!((in->op_sel_hi >> num_src) & 1)) return "a float constant as float32 of v_fma_mix";
      letter = 'h';
    }
    const std::string error = DecodeSource(e, code, letter, false, in, &operand);
    if (!error.empty()) return error;
    if (matrix && operand.kind == Operand::kVgpr) {
      const bool accumulation =
          num_src == 2 ? accumulates && letter != 'v' : Field(e.high, 27 + num_src, 27 + num_src);
      operand.index = static_cast<uint16_t>(operand.index + (accumulation ? 256 : 0));
    } else if (matrix && num_src < 2) {
      return std::string("a scalar matrix operand of ") + info->mnemonic;
    } else if (matrix && operand.kind == Operand::kSgpr) {
      return std::string("a scalar register as the sums of ") + info->mnemonic;
    }
    ++num_src;
  }
  AddImplicit(*info, 1, num_src, in);
  if (std::string_view(info->mnemonic).starts_with("v_dot") &&
      (in->op_sel != 0 || in->op_sel_hi != 7 || in->neg != 0 || in->neg_hi != 0)) {
    return "modifiers of a dot product";
  }
  return CheckConstantBus(*in);
}

}  // namespace jaxgemm::emulator
