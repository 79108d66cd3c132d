// The text of an instruction, as clang's assembler prints it.
#include <cstdio>
#include <cstring>

#include "emulator/isa/info.h"

namespace jaxgemm::emulator {
namespace {

std::string Number(const char* format, uint32_t value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string SignedHex(int32_t value) {
  return value < 0 ? Number("-0x%x", static_cast<uint32_t>(-value))
                   : Number("0x%x", static_cast<uint32_t>(value));
}

std::string Registers(char bank, int index, int count) {
  const std::string first = std::to_string(index);
  if (count == 1) return bank + first;
  return std::string(1, bank) + "[" + first + ":" + std::to_string(index + count - 1) + "]";
}

std::string Scalar(const Operand& operand) {
  const bool pair = operand.count == 2;
  switch (operand.index) {
    case kVcc: return pair ? "vcc" : "vcc_lo";
    case kVcc + 1: return "vcc_hi";
    case kM0: return "m0";
    case kExec: return pair ? "exec" : "exec_lo";
    case kExec + 1: return "exec_hi";
    default: return Registers('s', operand.index, operand.count);
  }
}

std::string Text(const Operand& operand, char letter = 'b') {
  switch (operand.kind) {
    case Operand::kNone: return "off";
    case Operand::kSgpr: return Scalar(operand);
    case Operand::kVgpr:
      return operand.index < 256 ? Registers('v', operand.index, operand.count)
                                 : Registers('a', operand.index - 256, operand.count);
    case Operand::kConstant: break;
  }
  static constexpr const char* kFloats[] = {"0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
                                            "-2.0", "4.0",  "-4.0", "0.15915494"};
  const int code = operand.code;
  if (operand.is_literal) {
    if (letter == 'i') return std::to_string(static_cast<int32_t>(operand.constant));
    return Number("0x%x", letter == 'F' ? operand.constant_high : operand.constant);
  }
  if (code <= 192) return std::to_string(code - 128);
  if (code <= 208) return std::to_string(192 - code);
  if (code == kSharedBase) return "src_shared_base";
  if (code == kPrivateBase) return "src_private_base";
  if (code == 248 && std::strchr("FOBL", letter)) return "0.15915494309189532";
  return kFloats[code - 240];
}

std::string Bits(const char* name, unsigned value, int count) {
  std::string text = std::string(" ") + name + ":[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += (value >> i) & 1 ? '1' : '0';
  }
  return text + "]";
}

std::string IndexedOperands(uint32_t imm) {
  static constexpr const char* kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  std::string text;
  for (int i = 0; i < 4; ++i) {
    if (imm >> i & 1) text += (text.empty() ? "" : ",") + std::string(kNames[i]);
  }
  return "gpr_idx(" + text + ")";
}

std::string WaitCounters(uint32_t imm) {
  // vmcnt [3:0] and [15:14], expcnt [6:4], lgkmcnt [11:8]. Counters at their maximum are omitted.
  const uint32_t vm = (imm & 15) | ((imm >> 10) & 48), exp = (imm >> 4) & 7;
  const uint32_t lgkm = (imm >> 8) & 15;
  const bool all = vm == 63 && exp == 7 && lgkm == 15;
  std::string text;
  if (vm != 63 || all) text += " vmcnt(" + std::to_string(vm) + ")";
  if (exp != 7 || all) text += " expcnt(" + std::to_string(exp) + ")";
  if (lgkm != 15 || all) text += " lgkmcnt(" + std::to_string(lgkm) + ")";
  return text;
}

std::string HardwareRegister(uint32_t imm) {
  static constexpr const char* kNames[] = {
      "",       "MODE",   "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS",
      "",       "",       "",       "",        "",      "",          "",          "SH_MEM_BASES",
      "TBA_LO", "TBA_HI", "TMA_LO", "TMA_HI",  "XCC_ID"};
  const uint32_t id = imm & 63, offset = (imm >> 6) & 31, size = ((imm >> 11) & 31) + 1;
  std::string text = "hwreg(";
  text += id <= 20 && *kNames[id] ? std::string("HW_REG_") + kNames[id] : std::to_string(id);
  if (offset != 0 || size != 32) {
    text += ", " + std::to_string(offset) + ", " + std::to_string(size);
  }
  return text + ")";
}

void Add(std::string* text, const std::string& operand) {
  *text += (*text).empty() ? " " : ", ";
  *text += operand;
}

std::string ScalarText(const Instruction& in, const OpInfo& info) {
  std::string text;
  int num_dst = 0, num_src = 0;
  for (const char* d = info.destinations; *d != ':'; ++d) {
    if (*d != 'e') Add(&text, Text(in.dst[num_dst++]));
  }
  for (const char* s = info.sources; *s != 0; ++s) {
    switch (*s) {
      case '=':
      case 'e': break;
      case 'i':
      case 'u': Add(&text, Number("0x%x", static_cast<uint32_t>(in.imm) & 0xffff)); break;
      case 'j': Add(&text, std::to_string(static_cast<uint32_t>(in.imm) & 0xffff)); break;
      case 'n': Add(&text, std::to_string(in.imm)); break;
      case 'X': Add(&text, IndexedOperands(static_cast<uint32_t>(in.imm))); break;
      case 'M': Add(&text, "sendmsg(MSG_INTERRUPT)"); break;
      case 'r': Add(&text, HardwareRegister(static_cast<uint32_t>(in.imm))); break;
      case 'z': text += WaitCounters(static_cast<uint32_t>(in.imm)); break;
      default: {
        // The literal of s_setreg_imm32_b32 may be a number that also has an inline constant.
        const Operand& source = in.src[num_src++];
        const int32_t literal = static_cast<int32_t>(source.constant);
        Add(&text, Text(source, *s == 'k' && literal >= -16 && literal <= 64 ? 'i' : *s));
      }
    }
  }
  return text;
}

std::string DppText(const Instruction& in) {
  const uint32_t control = (in.sdwa_dpp >> 8) & 0x1ff, count = control & 15;
  std::string text;
  if (control < 0x100) {
    text = " quad_perm:[";
    for (int i = 0; i < 4; ++i) {
      if (i > 0) text += ',';
      text += std::to_string((control >> (2 * i)) & 3);
    }
    text += "]";
  } else if (control < 0x130) {
    static constexpr const char* kShifts[] = {" row_shl:", " row_shr:", " row_ror:"};
    text = kShifts[(control >> 4) & 3] + std::to_string(count);
  } else if (control < 0x140) {
    static constexpr const char* kWaves[] = {" wave_shl:1", " wave_rol:1", " wave_shr:1",
                                             " wave_ror:1"};
    text = kWaves[count >> 2];
  } else if (control < 0x150) {
    static constexpr const char* kRows[] = {" row_mirror", " row_half_mirror", " row_bcast:15",
                                            " row_bcast:31"};
    text = kRows[count];
  } else {
    text = " row_newbcast:" + std::to_string(count);
  }
  text += Number(" row_mask:0x%x", in.sdwa_dpp >> 28) +
          Number(" bank_mask:0x%x", (in.sdwa_dpp >> 24) & 15);
  return text + ((in.sdwa_dpp >> 19) & 1 ? " bound_ctrl:1" : "");
}

std::string SdwaText(const Instruction& in, const OpInfo& info) {
  static constexpr const char* kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                             "WORD_0", "WORD_1", "DWORD"};
  static constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  const uint32_t extra = in.sdwa_dpp;
  std::string text;
  // The conversions from float8 have no dst_sel.
  const bool float8 = in.op == Op::v_cvt_f32_fp8 || in.op == Op::v_cvt_f32_bf8 ||
                      in.op == Op::v_cvt_pk_f32_fp8 || in.op == Op::v_cvt_pk_f32_bf8;
  if (info.format != Format::kVopc && !float8) {
    text += std::string(" dst_sel:") + kSelects[(extra >> 8) & 7] +
            " dst_unused:" + kUnused[(extra >> 11) & 3];
  }
  text += std::string(" src0_sel:") + kSelects[(extra >> 16) & 7];
  if (info.format != Format::kVop1) text += std::string(" src1_sel:") + kSelects[(extra >> 24) & 7];
  return text;
}

std::string WithModifiers(const Instruction& in, int i, const std::string& plain) {
  std::string text = plain;
  if (in.is_sdwa && i < 2 && ((in.sdwa_dpp >> (19 + 8 * i)) & 1)) text = "sext(" + text + ")";
  if ((in.abs >> i) & 1) text = "|" + text + "|";
  if ((in.neg >> i) & 1) {
    const bool ambiguous = in.src[i].kind == Operand::kConstant && !((in.abs >> i) & 1);
    text = ambiguous ? "neg(" + text + ")" : "-" + text;
  }
  return text;
}

std::string Vop3pModifiers(const Instruction& in, const OpInfo& info, int count) {
  std::string text;
  const bool mix = info.sources[0] == 'x';
  const unsigned all = (1u << count) - 1;
  if (in.op_sel & all) text += Bits("op_sel", in.op_sel, count);
  if ((in.op_sel_hi & all) != (mix ? 0 : all)) text += Bits("op_sel_hi", in.op_sel_hi, count);
  if (!mix && (in.neg & all)) text += Bits("neg_lo", in.neg, count);
  if (!mix && (in.neg_hi & all)) text += Bits("neg_hi", in.neg_hi, count);
  return text + (in.clamp ? " clamp" : "");
}

std::string VectorText(const Instruction& in, const OpInfo& info) {
  std::string text;
  int num_dst = 0, num_src = 0;
  for (const char* d = info.destinations; *d != ':'; ++d) {
    if (*d != '~' && *d != 'e') Add(&text, Text(in.dst[num_dst++]));
  }
  const bool packed = in.format == Format::kVop3p, mix = info.sources[0] == 'x';
  for (const char* s = info.sources; *s != 0; ++s) {
    if (*s == '=' || *s == 'c' || *s == 'e') continue;
    const std::string plain = Text(in.src[num_src], *s);
    if (mix) {
      Instruction with_abs = in;
      with_abs.abs = in.neg_hi;
      Add(&text, WithModifiers(with_abs, num_src, plain));
    } else if (packed) {
      Add(&text, plain);
    } else {
      Add(&text, WithModifiers(in, num_src, plain));
    }
    ++num_src;
  }
  if (info.unit == Unit::kMatrix) {
    if (in.src[4].kind != Operand::kNone) {
      if (in.op_sel) text += Bits("op_sel", in.op_sel, 3);
      if (in.op_sel_hi != 3) text += Bits("op_sel_hi", in.op_sel_hi, 3);
    }
    // In float64, blgp negates A, B and C (not on gfx90a).
    const bool is_f64 = info.sources[1] == 'F';
    if (in.blgp && is_f64 && in.arch != Arch::kGfx90a) return text + Bits("neg", in.blgp, 3);
    if (in.cbsz) text += " cbsz:" + std::to_string(in.cbsz);
    if (in.abid) text += " abid:" + std::to_string(in.abid);
    if (in.blgp) text += " blgp:" + std::to_string(in.blgp);
    return text;
  }
  if (packed) {
    const bool plain = info.sources[0] == 'a' || info.sources[0] == 'd';
    return plain ? text : text + Vop3pModifiers(in, info, num_src);
  }
  if (in.op == Op::v_bitop3_b32 || in.op == Op::v_bitop3_b16) {
    return in.imm ? text + Number(" bitop3:0x%x", static_cast<uint32_t>(in.imm)) : text;
  }
  if (in.op == Op::v_permlane16_swap_b32 || in.op == Op::v_permlane32_swap_b32) {
    if (in.op_sel & 2) text += " bound_ctrl:1";
    return text + (in.op_sel & 1 ? " fi:1" : "");
  }
  if (in.op_sel) {
    const unsigned sources = (1u << num_src) - 1;
    text += Bits("op_sel", (in.op_sel & sources) | ((in.op_sel >> 3) << num_src), num_src + 1);
  }
  if (in.clamp) text += " clamp";
  static constexpr const char* kOmod[] = {"", " mul:2", " mul:4", " div:2"};
  text += kOmod[in.omod];
  if (in.is_dpp) text += DppText(in);
  if (in.is_sdwa) text += SdwaText(in, info);
  return text;
}

std::string CacheBits(const Instruction& in) {
  const bool gfx90a = in.arch == Arch::kGfx90a;
  std::string text;
  if (in.sc0) text += gfx90a ? " glc" : " sc0";
  if (in.nt) text += gfx90a ? " slc" : " nt";
  if (in.sc1) text += gfx90a ? " scc" : " sc1";
  return text;
}

std::string MemoryText(const Instruction& in, const OpInfo& info) {
  std::string text;
  if (in.dst[0].kind != Operand::kNone) Add(&text, Text(in.dst[0]));
  const bool has_data = in.src[1].kind != Operand::kNone;
  switch (in.format) {
    case Format::kSmem:
      if (in.src[2].kind == Operand::kNone) return text;
      Add(&text, Text(in.src[2]));
      if (in.src[3].kind != Operand::kNone) {
        Add(&text, Text(in.src[3]));
        if (in.offset) text += " offset:" + SignedHex(in.offset);
      } else {
        Add(&text, SignedHex(in.offset));
      }
      return text + (in.sc0 ? " glc" : "");
    case Format::kDs:
      if (info.unit == Unit::kNop) return text;
      Add(&text, Text(in.src[0]));
      if (has_data) Add(&text, Text(in.src[1]));
      if (in.src[3].kind != Operand::kNone) Add(&text, Text(in.src[3]));
      if (std::string_view(info.mnemonic).starts_with("ds_read2") ||
          std::string_view(info.mnemonic).starts_with("ds_write2")) {
        if (in.offset) text += " offset0:" + std::to_string(in.offset);
        if (in.offset1) text += " offset1:" + std::to_string(in.offset1);
      } else if (in.offset) {
        text += " offset:" + std::to_string(in.offset);
      }
      return text;
    case Format::kMubuf:
      if (info.unit == Unit::kCache) return CacheBits(in);
      // A returning atomic has one register field for data and result, as wide as the data.
      if (has_data) {
        text.clear();
        Add(&text, Text(in.src[1]));
      }
      Add(&text, Text(in.src[0]));
      Add(&text, Text(in.src[2]));
      Add(&text, Text(in.src[3]));
      text += std::string(in.idxen ? " idxen" : "") + (in.offen ? " offen" : "");
      if (in.offset) text += " offset:" + std::to_string(in.offset);
      return text + CacheBits(in) + (in.lds ? " lds" : "");
    default:
      Add(&text, Text(in.src[0]));
      if (has_data) Add(&text, Text(in.src[1]));
      if (in.format != Format::kFlat) Add(&text, Text(in.src[2]));
      if (in.offset) text += " offset:" + std::to_string(in.offset);
      return text + CacheBits(in);
  }
}

}  // namespace

std::string Disassemble(const Instruction& in) {
  const OpInfo& info = InfoOf(in.op);
  std::string name = info.mnemonic;
  const bool short_form =
      info.format == Format::kVop1 || info.format == Format::kVop2 || info.format == Format::kVopc;
  switch (info.format) {
    case Format::kSop1:
    case Format::kSop2:
    case Format::kSopk:
    case Format::kSopc:
    case Format::kSopp: return name + ScalarText(in, info);
    case Format::kVop1:
    case Format::kVop2:
    case Format::kVopc:
    case Format::kVop3:
    case Format::kVop3p: break;
    default: return name + MemoryText(in, info);
  }
  // Instructions with only one encoding have no suffix.
  const bool one_form =
      in.op == Op::v_nop || in.op == Op::v_readfirstlane_b32 || in.op == Op::v_swap_b32 ||
      in.op == Op::v_accvgpr_mov_b32 || in.op == Op::v_fmamk_f32 || in.op == Op::v_fmaak_f32 ||
      in.op == Op::v_madmk_f32 || in.op == Op::v_madak_f32 || in.op == Op::v_madmk_f16 ||
      in.op == Op::v_madak_f16 || in.op == Op::v_clrexcp;
  if (short_form && !one_form) {
    name += in.is_sdwa                   ? "_sdwa"
            : in.is_dpp                  ? "_dpp"
            : in.format == Format::kVop3 ? "_e64"
                                         : "_e32";
  }
  return name + VectorText(in, info);
}

}  // namespace jaxgemm::emulator
