// The rows of isa.def, for the decoder, the disassembler and the arithmetic.
#pragma once

#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

struct OpInfo {
  const char* mnemonic;
  Format format;
  int16_t opcode[kNumArchs];  // by Arch; -1 if the arch does not have it
  Unit unit;
  uint8_t cycles;
  const char* destinations;  // letters of isa.def; they end at the colon
  const char* sources;       // letters after the colon
};

inline constexpr int kNumOps = 0
#define JAXGEMM_INSTRUCTION(...) +1
#include "emulator/isa/isa.def"
#undef JAXGEMM_INSTRUCTION
    ;

const OpInfo& InfoOf(Op op);

// The operation with this opcode in a format's own encoding, or null.
const OpInfo* FindOp(Arch arch, Format format, int opcode, Op* op);

// The VOP3 encodings of VOP1 and VOP2 instructions start at these opcodes; those of VOPC at 0.
inline constexpr int kVop1InVop3 = 0x140, kVop2InVop3 = 0x100;

// The opcode of v_mfma_ld_scale_b32, and what is added to the opcode of the matrix instruction
// after it. VOP3P's own opcodes are below 128.
inline constexpr int kLoadScale = 0x2c, kScaledMatrix = 0x80;

// VOP3 instructions of gfx8 that gfx9 has kept: they write zeros above their 16 bits, and have no
// op_sel.
constexpr bool IsLegacy16(Op op) {
  return op == Op::v_mad_legacy_u16 || op == Op::v_mad_legacy_i16 || op == Op::v_mad_legacy_f16 ||
         op == Op::v_fma_legacy_f16 || op == Op::v_div_fixup_legacy_f16;
}

// Number of dwords of an operand with this letter (0: not a register operand).
int Dwords(char letter);

inline constexpr int kVcc = 106, kM0 = 124, kExec = 126;

}  // namespace jaxgemm::emulator
