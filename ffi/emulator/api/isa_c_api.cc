// C functions for the tests of the decoder and of single instructions.
#include <algorithm>
#include <cstring>
#include <memory>

#include "emulator/alu/host_float.h"
#include "emulator/api/session.h"
#include "emulator/isa/info.h"

using namespace jaxgemm::emulator;

// The layout of the registers in the tests; see isa.h.
struct JaxgemmEmulatorRegisters {
  uint64_t pc;
  uint32_t scc, mode;
  uint32_t hardware_known, reserved;
  uint32_t hardware[32];
  uint32_t sgpr[128];
  uint32_t vgpr[512][kWaveSize];
};

// The number of rows of isa.def, and one row. An opcode is -1 if the arch does not have it.
JAXGEMM_EXPORT int jaxgemm_emulator_num_instructions() { return kNumOps; }

JAXGEMM_EXPORT const char* jaxgemm_emulator_instruction(int row, int* opcodes, int* format,
                                                        int* unit, int* cycles,
                                                        const char** operands) {
  const OpInfo& info = InfoOf(static_cast<Op>(row));
  std::copy_n(info.opcode, kNumArchs, opcodes);
  *format = static_cast<int>(info.format);
  *unit = static_cast<int>(info.unit);
  *cycles = info.cycles;
  *operands = info.destinations;
  return info.mnemonic;
}

// Writes the text of the instruction at `code` into `out`. Returns its size in bytes, or -1 with
// the error in `out`. `arch` is the number of an Arch.
JAXGEMM_EXPORT int jaxgemm_emulator_decode(int arch, const uint8_t* code, size_t size, char* out,
                                           size_t capacity) {
  Instruction instruction;
  const std::string error = Decode(static_cast<Arch>(arch), code, size, &instruction);
  CopyText(error.empty() ? Disassemble(instruction) : error, out, capacity);
  return error.empty() ? instruction.bytes : -1;
}

// Executes the instructions in `code`, branches included, until pc reaches `size`; a million at
// most. `registers->pc` is an offset into `code`. Returns 0, or -1 with an error in `out`.
JAXGEMM_EXPORT int jaxgemm_emulator_step(int arch_number, const uint8_t* code, size_t size,
                                         JaxgemmEmulatorRegisters* registers, char* out,
                                         size_t capacity) {
  const HostFloatMode float_mode;
  const Arch arch = static_cast<Arch>(arch_number);
  const auto wave = std::make_unique<Registers>();
  wave->pc = registers->pc;
  wave->scc = registers->scc != 0;
  wave->mode = registers->mode;
  wave->hardware_known = registers->hardware_known;
  std::memcpy(wave->hardware, registers->hardware, sizeof wave->hardware);
  std::memcpy(wave->sgpr, registers->sgpr, sizeof wave->sgpr);
  std::memcpy(wave->vgpr, registers->vgpr, sizeof wave->vgpr);
  std::string error;
  for (int steps = 0; error.empty() && wave->pc < size; ++steps) {
    if (steps == 1000000) {
      error = "a loop that does not end";
      break;
    }
    Instruction instruction;
    error = Decode(arch, code + wave->pc, size - wave->pc, &instruction);
    if (!error.empty()) break;
    wave->pc += instruction.bytes;
    error = ExecuteAlu(arch, instruction, wave.get());
  }
  registers->pc = wave->pc;
  registers->scc = wave->scc;
  registers->mode = wave->mode;
  std::memcpy(registers->sgpr, wave->sgpr, sizeof wave->sgpr);
  std::memcpy(registers->vgpr, wave->vgpr, sizeof wave->vgpr);
  CopyText(error, out, capacity);
  return error.empty() ? 0 : -1;
}
