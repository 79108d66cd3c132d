// The CDNA2, CDNA3 and CDNA4 instructions that the emulator supports: their decoded form, the
// registers of a wave, and the execution of arithmetic. Sources: AMD's ISA manuals of these names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxgemm::emulator {

enum class Arch : uint8_t { kGfx942, kGfx950, kGfx90a };
inline constexpr int kNumArchs = 3;

// The names are the mnemonics of isa.def, the one table of instructions (format, opcode by arch,
// unit, cycles, operands).
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

// The operands src_shared_base and src_private_base, and the upper halves of their values. FLAT
// instructions access the LDS and a lane's scratch at addresses with these upper halves. No host
// has memory there.
inline constexpr uint16_t kSharedBase = 235, kPrivateBase = 237;
inline constexpr uint32_t kSharedBaseHigh = 0x10000, kPrivateBaseHigh = 0x20000;

// One operand: `count` consecutive registers from `index`, or a constant.
struct Operand {
  enum Kind : uint8_t { kNone, kSgpr, kVgpr, kConstant } kind = kNone;
  uint8_t count = 1;  // dwords
  // kSgpr: the hardware's number (0-101, 106/107 VCC, 124 M0, 126/127 EXEC; others are refused).
  // kVgpr: 0-255 architectural, 256-511 accumulation.
  uint16_t index = 0;
  uint32_t constant = 0;       // kConstant: low 32 bits of the value in the operand's type
  uint32_t constant_high = 0;  // kConstant: high 32 bits, for a 64-bit operand
  bool is_literal = false;     // whether it is a 32-bit literal (matters for 64-bit operands)
  uint16_t code = 0;           // as encoded: 0-511
};

struct Instruction {
  Arch arch{};
  Op op{};
  Format format{};
  uint8_t bytes = 0;  // size of the encoding: 4, 8 or more
  // Arithmetic: destinations and sources in the assembler's order, then the implicit ones: VCC
  // or EXEC, and as a source the destination of an instruction that accumulates or writes only
  // a part of it. Scaled matrix instructions: src[3] and src[4] are the scales of A and B. Memory:
  // dst[0] receives loaded data (also of returning atomics); src[0] is the address VGPRs, src[1]
  // the data VGPRs, src[2] the scalar base or resource, src[3] soffset (MUBUF) or second data (DS
  // 2-address).
  Operand dst[2], src[5];
  // Modifiers of VOP3, VOP3P, SDWA and DPP.
  // neg, abs, op_sel: bit i is source i; bit 3 of VOP3's op_sel is the destination.
  uint8_t neg = 0, abs = 0, neg_hi = 0, op_sel = 0, op_sel_hi = 0, omod = 0;
  bool clamp = false;
  uint8_t cbsz = 0, abid = 0, blgp = 0;
  bool is_sdwa = false, is_dpp = false;
  uint32_t sdwa_dpp = 0;  // the extra dword as encoded
  // Memory. On gfx90a the bits sc0, nt and sc1 have the names glc, slc and scc.
  int32_t offset = 0, offset1 = 0;
  bool sc0 = false, sc1 = false, nt = false, lds = false, offen = false, idxen = false;
  bool saddr = false;  // FLAT formats: whether src[2] is used
  // SOPP, SOPK: the 16-bit immediate, sign-extended if it is a number or a branch distance.
  int32_t imm = 0;
};

// The registers of one wave.
struct Registers {
  uint64_t pc = 0;
  bool scc = false;
  uint32_t sgpr[128] = {};             // by hardware number, with VCC, M0 and EXEC
  uint32_t vgpr[512][kWaveSize] = {};  // 256 and up: accumulation
  // The MODE register: rounding (bits 3:0) and denormals (7:4) as in the kernel descriptor's
  // FLOAT_MODE, DX10_CLAMP (8), IEEE (9).
  uint32_t mode = 0;
  // The registers that s_getreg_b32 reads, by number (XCC_ID is 20). Only those with their bit set
  // in `hardware_known` may be read. MODE (1) is the field above.
  uint32_t hardware[32] = {};
  uint32_t hardware_known = 0;

  uint64_t exec() const { return sgpr[126] | (uint64_t{sgpr[127]} << 32); }
};

// Decodes the instruction at `code` (`size` bytes are left). Returns an empty string or an error;
// an unknown encoding is an error, never a guess.
std::string Decode(Arch arch, const uint8_t* code, size_t size, Instruction* instruction);

// The text of an instruction as clang's assembler writes it, for messages and the decoder's test.
std::string Disassemble(const Instruction& instruction);
std::string_view Mnemonic(Op op);

// The unit that executes an instruction, for the scheduler and the cost record.
enum class Unit : uint8_t {
  // Executed by ExecuteAlu.
  kScalar,
  kVector,
  kTranscendental,
  kMatrix,
  kBranch,
  // Executed by the machine (machine.cc).
  kWait,
  kBarrier,
  kMessage,
  kNop,
  kEnd,
  kPriority,
  kSleep,
  // Executed by the memory units (memory/units.h).
  kScalarMemory,
  kLds,
  kVectorMemory,
  kCache,
};
Unit UnitOf(Op op);

// Executes one instruction of the scalar, vector or matrix units, or a branch, which changes pc.
// The caller has already advanced pc. Returns an empty string, or an error if the instruction, a
// modifier or an operand is not implemented exactly.
std::string ExecuteAlu(Arch arch, const Instruction& instruction, Registers* registers);

// Matrix pipe cycles of one wave's instruction (passes x 4), and issue cycles of any other
// arithmetic instruction on its SIMD (4 for a 64-lane vector instruction of full rate).
int MatrixCycles(Arch arch, const Instruction& instruction);
int IssueCycles(Arch arch, const Instruction& instruction);

}  // namespace jaxgemm::emulator
