// Execution of memory instructions. Each function throws Fault, or executes the instruction and
// marks the registers that it will write as outstanding.
#pragma once

#include <cstdint>

#include "emulator/decode/program.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/lds.h"
#include "emulator/run/cost.h"
#include "emulator/run/options.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

// The progress of a launch and the kernel beside it. Stores and arithmetic alone are no progress:
// endless loops have them, too. What counts is what may change which way a wave goes.
struct Progress {
  uint64_t instructions = 0;  // executed so far
  // `instructions` when a wave last decided by operands other than those of its last time there
  // (Wave::DecidesAnew). A wave that polls a flag, or a loop without an exit, has no such decision.
  uint64_t decided = 0;
  // `instructions` at the last event of those that no launch has without end: a workgroup started,
  // a wave ended, or it reached code or global memory that it had not reached before.
  uint64_t advanced = 0;
  // The time: four cycles for each instruction, as if one wave ran at a time, plus the cycles in
  // which all waves sleep.
  uint64_t cycles = 0;
};

// State that the instructions of a kernel share.
struct KernelContext {
  Arch arch;
  const Options& options;
  GlobalMemory& memory;
  Cost& cost;
  Progress& progress;
  class AccessLog* log = nullptr;  // if not null, gets what vector memory instructions touch

  void NoteDecision() { progress.decided = progress.instructions; }
  void NoteAdvance() { progress.decided = progress.advanced = progress.instructions; }
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

// The new value of a register that a loaded element fills; `old` is its old value.
uint32_t ExtendElement(const MemoryOp& op, uint32_t element, uint32_t old);

// The new value of a memory location of 4 or 8 bytes after an atomic operation.
uint64_t ApplyAtomic(AtomicOp op, int bytes, uint64_t old, uint64_t data, uint64_t compare);

}  // namespace jaxgemm::emulator
