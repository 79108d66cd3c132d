#include "emulator/isa/info.h"

#include <array>

namespace jaxgemm::emulator {
namespace {

constexpr const char* AfterColon(const char* operands) {
  while (*operands != ':') ++operands;
  return operands + 1;
}

constexpr int OpcodeOnGfx90a(Op op, int on_gfx942) {
  switch (op) {
#define JAXGEMM_GFX90A(name, opcode) \
  case Op::name: return opcode;
#include "emulator/isa/gfx90a.def"
#undef JAXGEMM_GFX90A
    default: return on_gfx942;
  }
}

constexpr OpInfo kOps[] = {
#define JAXGEMM_INSTRUCTION(name, format, gfx942, gfx950, unit, cycles, operands) \
  {#name,                                                                         \
   Format::format,                                                                \
   {gfx942, gfx950, OpcodeOnGfx90a(Op::name, gfx942)},                            \
   Unit::unit,                                                                    \
   cycles,                                                                        \
   operands,                                                                      \
   AfterColon(operands)},
#include "emulator/isa/isa.def"
#undef JAXGEMM_INSTRUCTION
};

constexpr int kFormats = static_cast<int>(Format::kScratch) + 1;
constexpr int kOpcodes = 1024;  // VOP3 has ten bits of opcode, the others fewer

struct Lookup {
  // Op + 1 by arch, format and opcode; 0 if there is none.
  std::array<std::array<std::array<uint16_t, kOpcodes>, kFormats>, kNumArchs> table{};
  Lookup() {
    for (int i = 0; i < kNumOps; ++i) {
      for (int arch = 0; arch < kNumArchs; ++arch) {
        const int opcode = kOps[i].opcode[arch];
        if (opcode >= 0) table[arch][static_cast<int>(kOps[i].format)][opcode] = i + 1;
      }
    }
  }
};

}  // namespace

const OpInfo& InfoOf(Op op) { return kOps[static_cast<int>(op)]; }

const OpInfo* FindOp(Arch arch, Format format, int opcode, Op* op) {
  static const Lookup lookup;
  const int found = lookup.table[static_cast<int>(arch)][static_cast<int>(format)][opcode];
  if (found == 0) return nullptr;
  *op = static_cast<Op>(found - 1);
  return &kOps[found - 1];
}

std::string_view Mnemonic(Op op) { return InfoOf(op).mnemonic; }
Unit UnitOf(Op op) { return InfoOf(op).unit; }

int MatrixCycles(Arch arch, const Instruction& instruction) {
  const OpInfo& info = InfoOf(instruction.op);
  if (info.unit != Unit::kMatrix) return 0;
  const bool has_formats = info.sources[0] == '8';  // f8f6f4
  const bool narrow = has_formats && instruction.cbsz > 1 && instruction.blgp > 1;
  const bool slow = arch == Arch::kGfx950 && info.sources[2] == 'O';  // 16 x 16 of float64
  return narrow ? info.cycles / 2 : slow ? info.cycles * 2 : info.cycles;
}

int IssueCycles(Arch, const Instruction& instruction) {
  const OpInfo& info = InfoOf(instruction.op);
  return info.unit == Unit::kMatrix ? 4 : info.cycles;
}

int Dwords(char letter) {
  switch (letter) {
    case 'B':
    case 'L':
    case 'F':
    case 't':
    case 'T':
    case 'm':
    case 'c':
    case 'e': return 2;
    case 'o':
    case 'O': return 8;
    case 'g': return 16;
    case 'G': return 32;
    case 'i':
    case 'u':
    case 'j':
    case 'r':
    case 'n':
    case 'z':
    case 'M':
    case 'X': return 0;
    default: return letter >= '1' && letter <= '8' ? letter - '0' : 1;
  }
}

}  // namespace jaxgemm::emulator
