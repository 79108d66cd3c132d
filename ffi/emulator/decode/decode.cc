// Decoding: the top level, operands, and the scalar formats. Encodings: chapter "Microcode
// Formats" of the CDNA2, CDNA3 and CDNA4 ISA manuals, which differ in opcodes, in the names of the
// cache bits and in the address of scratch instructions.
#include "emulator/decode/decode.h"

#include <cstring>

namespace jaxgemm::emulator {
namespace {

// Inline constants 240 to 248 as float32, float16 and the upper half of float64. The lower half is
// zero except for 1/(2 pi).
constexpr uint32_t kInlineF32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint32_t kInlineF16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                   0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t kInlineF64[] = {0x3fe00000, 0xbfe00000, 0x3ff00000, 0xbff00000, 0x40000000,
                                   0xc0000000, 0x40100000, 0xc0100000, 0x3fc45f30};
constexpr uint32_t kInv2PiF64Low = 0x6dc9c882;

std::string DecodeInline(uint32_t code, char letter, Operand* operand) {
  if (code <= 208) {
    const int32_t value =
        code <= 192 ? static_cast<int32_t>(code) - 128 : 192 - static_cast<int32_t>(code);
    // A 16-bit operand uses the low half; a packed operand uses all 32 bits.
    operand->constant = static_cast<uint32_t>(value);
    operand->constant_high = value < 0 ? ~0u : 0;
    return "";
  }
  const uint32_t i = code - 240;
  switch (letter) {
    case 'h':
    case 'p': operand->constant = kInlineF16[i]; return "";
    case 'F':
    case 'O':
    case 'B':
    case 'L':
      operand->constant = i == 8 ? kInv2PiF64Low : 0;
      operand->constant_high = kInlineF64[i];
      return "";
    case 'w':
    case 'y':
    case 'Y':
    case 'm': return "a float constant for an operand that is no float32, float64 or float16";
    default: operand->constant = kInlineF32[i]; return "";
  }
}

bool ScalarRegistersKnown(uint32_t code, int count) {
  if (count > 1 && code % (count == 2 ? 2 : 4) != 0) return false;
  if (code + count <= 102) return true;
  return (code == kVcc || code == kExec)
             ? count <= 2
             : (code == kVcc + 1 || code == kExec + 1 || code == kM0) && count == 1;
}

std::string DecodeScalar(const Encoding& e, const OpInfo& info, Instruction* instruction) {
  const uint32_t low = e.low;
  const uint32_t fields[2] = {Field(low, 7, 0), Field(low, 15, 8)};
  int num_dst = 0, num_src = 0, field = 0;
  for (const char* d = info.destinations; *d != ':'; ++d) {
    if (*d == 'e') continue;
    const std::string error =
        DecodeSgpr(Field(low, 22, 16), Dwords(*d), &instruction->dst[num_dst++]);
    if (!error.empty()) return error;
  }
  const int32_t imm16 = static_cast<int16_t>(low & 0xffff);
  for (const char* s = info.sources; *s != 0; ++s) {
    std::string error;
    switch (*s) {
      case '=':
      case 'e': continue;
      case 'u':
      case 'r':
      case 'n':
      case 'z':
      case 'M':
        instruction->imm = imm16 & 0xffff;
        if (*s == 'M' && imm16 != 1) return "a message other than MSG_INTERRUPT";
        continue;
      case 'X':  // in the field of the second source, or alone
        instruction->imm = info.format == Format::kSopc ? fields[1] : imm16 & 0xffff;
        if (instruction->imm > 15) return std::string("reserved bits of ") + info.mnemonic;
        continue;
      case 'i':
      case 'j': instruction->imm = imm16; continue;
      case 'k':
        error = DecodeSource(e, 255, 'b', true, instruction, &instruction->src[num_src++]);
        break;
      default:
        if (info.format == Format::kSopk) {
          error = DecodeSgpr(Field(low, 22, 16), 1, &instruction->src[num_src++]);
        } else {
          error =
              DecodeSource(e, fields[field++], *s, true, instruction, &instruction->src[num_src++]);
        }
        if (info.unit == Unit::kBranch && error.empty() &&
            instruction->src[0].kind != Operand::kSgpr) {
          error = "a jump to a constant address";
        }
    }
    if (!error.empty()) return error;
  }
  AddImplicit(info, num_dst, num_src, instruction);
  const Op op = instruction->op;
  if ((op == Op::s_movrels_b32 || op == Op::s_movrels_b64) &&
      instruction->src[0].kind != Operand::kSgpr) {
    return std::string("a constant as the source of ") + info.mnemonic;
  }
  return "";
}

}  // namespace

uint32_t Encoding::Dword(int i) const {
  uint32_t word;
  std::memcpy(&word, code + 4 * i, 4);
  return word;
}

std::string DecodeVgpr(uint32_t index, int count, bool accumulation, Operand* operand) {
  operand->kind = Operand::kVgpr;
  operand->index = static_cast<uint16_t>(index + (accumulation ? 256 : 0));
  operand->count = static_cast<uint8_t>(count);
  operand->code = static_cast<uint16_t>(256 + index);
  if (index + static_cast<uint32_t>(count) > 256) return "a vector register past v255";
  return count > 1 && index % 2 != 0 ? "vector registers from an odd number on" : "";
}

Operand ScalarPair(int index) {
  Operand operand;
  operand.kind = Operand::kSgpr;
  operand.index = operand.code = static_cast<uint16_t>(index);
  operand.count = 2;
  return operand;
}

std::string DecodeSgpr(uint32_t code, int count, Operand* operand) {
  if (!ScalarRegistersKnown(code, count)) {
    return std::to_string(count) + " scalar registers from " + std::to_string(code) +
           " on: the emulator has s0-s101, VCC, M0 and EXEC, aligned";
  }
  operand->kind = Operand::kSgpr;
  operand->index = operand->code = static_cast<uint16_t>(code);
  operand->count = static_cast<uint8_t>(count);
  return "";
}

std::string DecodeSource(const Encoding& e, uint32_t code, char letter, bool literal_ok,
                         Instruction* instruction, Operand* operand) {
  const int count = Dwords(letter);
  if (code >= 256) {
    return DecodeVgpr(code - 256, count, letter == 'a', operand);
  }
  if (letter == 'v' || letter == 'a') return "a scalar operand where a vector register must be";
  if (code < 128) return DecodeSgpr(code, count, operand);
  operand->kind = Operand::kConstant;
  operand->count = static_cast<uint8_t>(count);
  operand->code = static_cast<uint16_t>(code);
  if (code == 255 && literal_ok) {
    if (e.size < static_cast<size_t>(instruction->bytes) + 4) return "code that ends in a literal";
    uint32_t literal = e.Dword(instruction->bytes / 4);
    instruction->bytes += 4;
    operand->is_literal = true;
    if (std::strchr("hwy", letter) != nullptr) {
      // LLVM writes a negative literal with its sign extended to 32 bits.
      if (literal > 0xffff && literal < 0xffff8000) {
        return "a literal of more than 16 bits for an operand of 16";
      }
      literal &= 0xffff;
    }
    // A literal is the upper half of a float64; for a 64-bit integer it is extended.
    operand->constant = letter == 'F' ? 0 : literal;
    operand->constant_high = letter == 'F' ? literal : letter == 'L' && (literal >> 31) ? ~0u : 0;
    return "";
  }
  if (code <= 208 || (code >= 240 && code <= 248)) return DecodeInline(code, letter, operand);
  // The hardware gives 32-bit operands the lower half, which no compiler uses.
  if ((code == kSharedBase || code == kPrivateBase) && std::strchr("BL", letter) != nullptr) {
    operand->constant_high = code == kSharedBase ? kSharedBaseHigh : kPrivateBaseHigh;
    return "";
  }
  return "source operand " + std::to_string(code) +
         " (an aperture, a status bit or a reserved one), which the emulator does not have";
}

void AddImplicit(const OpInfo& info, int num_dst, int num_src, Instruction* instruction) {
  for (const char* s = info.sources; *s != 0; ++s) {
    if (*s == '=') instruction->src[num_src++] = instruction->dst[0];
    if (*s == 'c') instruction->src[num_src++] = ScalarPair(kVcc);
    if (*s == 'e') instruction->src[num_src++] = ScalarPair(kExec);
  }
  for (const char* d = info.destinations; *d != ':'; ++d) {
    if (*d == '~') instruction->dst[num_dst++] = instruction->src[0];
    if (*d == 'e') instruction->dst[num_dst++] = ScalarPair(kExec);
  }
}

std::string Decode(Arch arch, const uint8_t* code, size_t size, Instruction* instruction) {
  *instruction = Instruction{.arch = arch};
  if (size < 4) return "code that ends in the middle of an instruction";
  Encoding e{arch, code, size};
  e.low = e.Dword(0);
  if (size >= 8) e.high = e.Dword(1);
  instruction->bytes = 4;
  std::string error;
  if ((e.low >> 30) != 2) {
    error = (e.low >> 30) == 3
                ? ((e.low >> 26) == 0x34 ? ((e.low >> 23) == 0x1a7 ? DecodeVop3p(e, instruction)
                                                                   : DecodeVector(e, instruction))
                                         : DecodeMemory(e, instruction))
                : DecodeVector(e, instruction);
  } else {
    const uint32_t prefix = e.low >> 23;
    int opcode;
    if (prefix == 0x17d) {
      instruction->format = Format::kSop1;
      opcode = Field(e.low, 15, 8);
    } else if (prefix == 0x17e) {
      instruction->format = Format::kSopc;
      opcode = Field(e.low, 22, 16);
    } else if (prefix == 0x17f) {
      instruction->format = Format::kSopp;
      opcode = Field(e.low, 22, 16);
    } else if ((e.low >> 28) == 0xb) {
      instruction->format = Format::kSopk;
      opcode = Field(e.low, 27, 23);
    } else {
      instruction->format = Format::kSop2;
      opcode = Field(e.low, 29, 23);
    }
    const OpInfo* info = FindOp(arch, instruction->format, opcode, &instruction->op);
    if (info == nullptr) return Unknown(e);
    error = DecodeScalar(e, *info, instruction);
  }
  return error;
}

}  // namespace jaxgemm::emulator
