// SMEM: loads through the scalar cache.
#include <cstring>

#include "emulator/memory/units.h"

namespace jaxgemm::emulator {

// CDNA3 ISA, "Scalar Memory Operations": address = base + (soffset or M0) + offset, with the
// low two bits ignored; buffer loads clamp to num_records. Here a misaligned address is an error,
// because it is never intended.
void ExecuteScalarMemory(const Step& step, Wave* wave, KernelContext* context) {
  const Instruction& instruction = step.instruction;
  Registers& registers = wave->registers;
  const Operand& to = instruction.dst[0];
  int dwords = step.memory.bytes / 4;
  uint32_t loaded[16] = {};
  if (step.memory.access == Access::kTime) {
    // s_memtime counts cycles. s_memrealtime counts a constant 100 MHz (CDNA3 ISA, "Scalar Memory
    // Operations", S_MEMREALTIME; its rate: LLVM AMDGPUUsage, llvm.readsteadycounter). The emulator
    // assumes cycles of 2.1 GHz.
    constexpr uint64_t kCyclesPerTick = 21;
    uint64_t clock = context->progress.cycles;
    if (instruction.op == Op::s_memrealtime) clock /= kCyclesPerTick;
    std::memcpy(loaded, &clock, 8);
  } else {
    uint64_t base = ScalarPairValue(instruction.src[2], *wave);
    uint64_t offset = static_cast<int64_t>(instruction.offset);
    offset += ScalarValue(instruction.src[3], *wave);
    bool buffer = instruction.src[2].count == 4;
    uint64_t records = ~uint64_t{0};
    if (buffer) {
      const uint32_t* resource = registers.sgpr + instruction.src[2].index;
      if (resource[1] >> 16 & 0x3fff) {
        throw Fault{"A scalar buffer load from a resource with a stride is not emulated."};
      }
      base &= (uint64_t{1} << 48) - 1;
      records = resource[2];
    }
    for (int d = 0; d < dwords; ++d, offset += 4) {
      if (buffer && offset + 4 > records) continue;  // reads as 0
      std::memcpy(&loaded[d], context->memory.ReadScalar(wave, base + offset, 4), 4);
    }
    context->cost.scalar_read_bytes += step.memory.bytes;
  }
  std::memcpy(registers.sgpr + to.index, loaded, step.memory.bytes);
  wave->MarkPending(kScalarBase + to.index, dwords, kScalarQueue, wave->Issue(kScalarQueue));
  ++context->cost.scalar_memory;
}

}  // namespace jaxgemm::emulator
