#include "emulator/alu/alu.h"

#include <array>

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
      Context context(arch, instruction, *registers);
      execute(context);
      error = context.error;
      break;
    }
    default: error = "an instruction that the arithmetic units do not execute";
  }
  return error == nullptr ? std::string() : error + (": " + Disassemble(instruction));
}

}  // namespace jaxgemm::emulator
