#include "emulator/alu/alu.h"

#include <array>
#include <utility>

namespace jaxgemm::emulator {
namespace {

struct Executors {
  std::array<Executor, kNumOps> table{};
  Executors() {
    constexpr Executor (*kFind[])(Op) = {FindFloat,   FindInteger, FindConvert, FindSpecial,
                                         FindCompare, FindPacked,  FindLanes,   FindMatrix};
    for (int i = 0; i < kNumOps; ++i) {
      for (const auto find : kFind) {
        if (table[i] == nullptr) table[i] = find(static_cast<Op>(i));
      }
    }
  }
};

// Adds the index in M0[7:0] to the numbers of the registers that M0[15:12] selects: sources 0 to 2
// and the destination. LLVM uses it for v_mov_b32 alone.
const char* AddIndex(const Registers& registers, Instruction* in) {
  const uint32_t m0 = registers.sgpr[kM0], index = m0 & 0xff, which = m0 >> 12 & 15;
  if (in->op != Op::v_mov_b32 || in->is_dpp || in->is_sdwa) {
    return "an instruction other than v_mov_b32 between s_set_gpr_idx_on and s_set_gpr_idx_off";
  }
  for (auto [operand, bit] : {std::pair{&in->src[0], 0}, std::pair{&in->dst[0], 3}}) {
    if (!(which >> bit & 1) || operand->kind != Operand::kVgpr) continue;
    if ((operand->index & 255) + index > 255) return "a register index past the last register";
    operand->index = static_cast<uint16_t>(operand->index + index);
  }
  return nullptr;
}

}  // namespace

std::string ExecuteAlu(Arch arch, const Instruction& instruction, Registers* registers) {
  static const Executors executors;
  const char* error = nullptr;
  switch (UnitOf(instruction.op)) {
    case Unit::kScalar:
    case Unit::kBranch: ExecuteScalar(instruction, registers, &error); break;
    case Unit::kVector:
    case Unit::kTranscendental:
    case Unit::kMatrix: {
      const Executor execute = executors.table[static_cast<int>(instruction.op)];
      if (execute == nullptr) {
        error = "an instruction whose arithmetic the emulator does not have";
        break;
      }
      Instruction indexed;
      const bool has_index = registers->mode & kGprIndexMode;
      if (has_index) {
        indexed = instruction;
        error = AddIndex(*registers, &indexed);
        if (error != nullptr) break;
      }
      Context context(arch, has_index ? indexed : instruction, *registers);
      execute(context);
      error = context.error;
      break;
    }
    default: error = "an instruction that the arithmetic units do not execute";
  }
  return error == nullptr ? std::string() : error + (": " + Disassemble(instruction));
}

}  // namespace jaxgemm::emulator
