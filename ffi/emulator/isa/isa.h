// The CDNA3 and CDNA4 instructions that the emulator knows: decoded form, registers of a
// wave, and what the arithmetic ones do. Sources: AMD's "CDNA3" and "CDNA4" ISA manuals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxgemm::emulator {

enum class Arch : uint8_t { kGfx942, kGfx950 };

// isa.def is the one table: mnemonic (which is the name here), format, opcode by arch, unit,
// cycles, operands.
enum class Op : uint16_t {
#define JAXGEMM_INSTRUCTION(id, ...) id,
#include "emulator/isa/isa.def"
#undef JAXGEMM_INSTRUCTION
};

enum class Format : uint8_t {
  kSop1,
  kSop2,
  kSopk,
  kSopc,
  kSopp,
  kSmem,
  kVop1,
  kVop2,
  kVop3,
  kVop3p,
  kVopc,
  kDs,
  kMubuf,
  kFlat,
  kGlobal,
  kScratch,
};

inline constexpr int kWaveSize = 64;

// One operand: `count` consecutive registers from `index`, or a constant.
struct Operand {
  enum Kind : uint8_t { kNone, kSgpr, kVgpr, kConstant } kind = kNone;
  uint8_t count = 1;  // dwords
  // kSgpr: the hardware's number (0-101, 106/107 VCC, 124 M0, 126/127 EXEC; others are refused).
  // kVgpr: 0-255 architectural, 256-511 accumulation.
  uint16_t index = 0;
  uint32_t constant = 0;       // kConstant: the value as the operand's type has it, low 32 bits
  uint32_t constant_high = 0;  // of a 64-bit operand
  bool is_literal = false;     // of a 32-bit literal (matters for 64-bit operands)
  uint16_t code = 0;           // as encoded: 0-511
};

struct Instruction {
  Op op{};
  Format format{};
  uint8_t bytes = 0;  // 4, 8 or more
  // Arithmetic: destinations and sources in the assembler's order, then the implicit ones: VCC
  // or EXEC, and as a source the destination of an instruction that accumulates or writes only
  // a part of it. Memory: dst[0] is the
  // register loaded to (also of returning atomics); src[0] address VGPRs, src[1] data VGPRs,
  // src[2] the scalar base or resource, src[3] soffset (MUBUF) or second data (DS 2-address).
  Operand dst[2], src[4];
  // Modifiers of VOP3, VOP3P, SDWA and DPP.
  // neg, abs, op_sel: bit i is source i; bit 3 of VOP3's op_sel is the destination.
  uint8_t neg = 0, abs = 0, neg_hi = 0, op_sel = 0, op_sel_hi = 0, omod = 0;
  bool clamp = false;
  uint8_t cbsz = 0, abid = 0, blgp = 0;
  bool is_sdwa = false, is_dpp = false;
  uint32_t sdwa_dpp = 0;  // the extra dword as encoded
  // Memory.
  int32_t offset = 0, offset1 = 0;
  bool sc0 = false, sc1 = false, nt = false, lds = false, offen = false, idxen = false;
  bool saddr = false;  // FLAT formats: src[2] is used; scratch: else src[0] or offset only
  // SOPP, SOPK: the 16 bits, sign-extended where they are a number or a branch distance.
  int32_t imm = 0;
};

// The registers of one wave.
struct Registers {
  uint64_t pc = 0;
  bool scc = false;
  uint32_t sgpr[128] = {};             // by hardware number: VCC, M0, EXEC live here
  uint32_t vgpr[512][kWaveSize] = {};  // 256 and up: accumulation
  // The MODE register: rounding (bits 3:0) and denormals (7:4) as in the kernel descriptor's
  // FLOAT_MODE, DX10_CLAMP (8), IEEE (9).
  uint32_t mode = 0;
  // What s_getreg_b32 reads, by number (XCC_ID is 20), where the bit in `hardware_known` is
  // set; reading another is an error. MODE (1) is the field above.
  uint32_t hardware[32] = {};
  uint32_t hardware_known = 0;

  uint64_t exec() const { return sgpr[126] | (uint64_t{sgpr[127]} << 32); }
};

// Decodes the instruction at `code` (`size` bytes are left). Returns an empty string, or why
// not: an unknown encoding is an error, never a guess.
std::string Decode(Arch arch, const uint8_t* code, size_t size, Instruction* instruction);

// As clang's assembler writes it, for messages and for the decoder's own test.
std::string Disassemble(const Instruction& instruction);
std::string_view Mnemonic(Op op);

// What kind of work an instruction is, for the scheduler and the cost record.
enum class Unit : uint8_t {
  kScalar,
  kVector,
  kTranscendental,
  kMatrix,  // executed by ExecuteAlu
  kBranch,
  kWait,
  kBarrier,
  kMessage,
  kNop,
  kEnd,
  kPriority,
  kSleep,  // by the wave
  kScalarMemory,
  kLds,
  kVectorMemory,
  kCache,  // by the memory
};
Unit UnitOf(Op op);

// Executes one instruction of the scalar, vector or matrix units, branches included (they
// change pc; otherwise the caller has advanced it already). Returns an empty string or an error:
// an instruction, modifier or operand whose meaning is not implemented exactly.
std::string ExecuteAlu(Arch arch, const Instruction& instruction, Registers* registers);

// Matrix pipe cycles of one wave's instruction (passes x 4), and issue cycles of any other
// arithmetic instruction on its SIMD (4 for a 64-lane vector instruction of full rate).
int MatrixCycles(Arch arch, const Instruction& instruction);
int IssueCycles(Arch arch, const Instruction& instruction);

}  // namespace jaxgemm::emulator
