// Execution of memory instructions. Each throws Fault, or has executed the instruction and
// marked what is outstanding.
#pragma once

#include <cstdint>

#include "emulator/decode/program.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/lds.h"
#include "emulator/run/cost.h"
#include "emulator/run/options.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

// What passes while a launch and the kernel beside it run.
struct Progress {
  uint64_t instructions = 0;  // executed so far
  // Of the last instruction that counts as progress: a wave that polls a flag makes none.
  uint64_t last = 0;
  // Time: four for each instruction, as if one wave ran at a time, and what all sleep through.
  uint64_t cycles = 0;
};

// What the instructions of a kernel share.
struct KernelContext {
  Arch arch;
  const Options& options;
  GlobalMemory& memory;
  Cost& cost;
  Progress& progress;

  void NoteProgress() { progress.last = progress.instructions; }
};

void ExecuteScalarMemory(const Step& step, Wave* wave, KernelContext* context);
void ExecuteLds(const Step& step, Wave* wave, KernelContext* context);
void ExecuteVectorMemory(const Step& step, Wave* wave, KernelContext* context);
void ExecuteCache(const Step& step, Wave* wave, KernelContext* context);

// The value of a scalar operand.
inline uint32_t ScalarValue(const Operand& operand, const Wave& wave) {
  return operand.kind == Operand::kSgpr       ? wave.registers.sgpr[operand.index]
         : operand.kind == Operand::kConstant ? operand.constant
                                              : 0;
}
inline uint64_t ScalarPairValue(const Operand& operand, const Wave& wave) {
  const uint32_t* pair = wave.registers.sgpr + operand.index;
  return pair[0] | uint64_t{pair[1]} << 32;
}

// Calls f(lane) for each lane of the mask.
template <class F>
inline void ForEachLane(uint64_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(__builtin_ctzll(mask));
}

// One loaded element -> the register that it fills, whose old value is `old`.
uint32_t ExtendElement(const MemoryOp& op, uint32_t element, uint32_t old);

// The new value of an atomic operation at `bytes` 4 or 8.
uint64_t ApplyAtomic(AtomicOp op, int bytes, uint64_t old, uint64_t data, uint64_t compare);

}  // namespace jaxgemm::emulator
