// The decoded code of one kernel. Each instruction is decoded once, when a wave first reaches it,
// together with all its properties that are the same for every wave.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/isa/isa.h"
#include "emulator/memory/memory_op.h"
#include "emulator/run/code_object.h"

namespace jaxgemm::emulator {

inline constexpr int kScalarBase = 512;  // scalar register s is register kScalarBase + s

struct RegisterRange {
  uint16_t first = 0;  // 0-511 vector, kScalarBase and up scalar
  uint8_t count = 0;
  bool vector() const { return first < kScalarBase; }
};

// Traits of an instruction that the wait-state rules use (hazards.cc).
struct HazardTraits {
  bool vector_alu = false;  // matrix instructions included
  bool matrix = false;
  bool xdl = false;     // LLVM's "XDL": a matrix instruction, on gfx942 and gfx950 not of float32
  bool sparse = false;  // a matrix instruction with a sparse A
  bool transcendental = false;
  bool dot = false;
  bool dpp = false;
  bool partial_write = false;  // writes a part of its destination (SDWA, op_sel)
  bool reads_lane = false;     // v_readlane, v_readfirstlane
  bool lane_select = false;    // v_readlane, v_writelane: src[1] selects the lane
  bool div_fmas = false;
  bool permlane_swap = false;
  bool vector_memory = false;
  bool memory = false;      // vector memory or LDS
  bool wide_store = false;  // store of more than 64 bits a lane, without a scalar offset
  bool to_lds = false;      // load to the LDS, which reads M0
  uint8_t passes = 0;       // passes of a matrix instruction
  uint8_t states = 1;       // wait states that its issue takes
};

struct Step {
  Instruction instruction;
  Unit unit{};
  MemoryOp memory;
  HazardTraits hazard;
  RegisterRange reads[7], writes[3];
  uint8_t num_reads = 0, num_writes = 0;
  RegisterRange data;  // stores and atomics: the data registers (also in `reads`)
  uint16_t matrix_cycles = 0, issue_cycles = 0;
  uint64_t pc = 0;
  uint64_t executed = 0;  // number of executions, counted under Options::profile
  uint32_t number = 0;    // a different one for each instruction, in the order of decoding
  bool decides = false;   // whether its operands may decide which way the wave goes

  // Whether reads[i] is C of a matrix instruction, whose A and B are always registers. That of a
  // sparse one comes after the register of indices.
  bool ReadsC(int i) const {
    return hazard.matrix && i == (hazard.sparse ? 3 : 2) &&
           instruction.src[i].kind == Operand::kVgpr;
  }
};

class Program {
 public:
  Program(const CodeObject& object, const Kernel& kernel);

  // The instruction at an address. Throws Fault if it is unknown, is outside the object or uses
  // registers that the kernel did not allocate.
  Step& At(uint64_t pc) {
    uint64_t offset = pc - base_;
    if (offset < size_ && offset % 4 == 0) {
      if (Step* step = steps_[offset / 4]) return *step;
    }
    return DecodeAt(pc);
  }

  // log2 of the bytes of the kernel's smallest store to the LDS (to global memory), at most 2.
  // Accesses are tracked in grains of this size.
  int lds_grain_shift() const { return lds_grain_shift_; }
  int global_grain_shift() const { return global_grain_shift_; }

  uint64_t Offset(uint64_t pc) const { return pc - base_; }
  std::deque<Step>& steps() { return arena_; }

 private:
  Step& DecodeAt(uint64_t pc);
  void Scan();
  void CheckRegisters(const Step& step) const;
  bool Decides(const Step& step) const;

  Arch arch_;
  const Kernel& kernel_;
  uint64_t base_, size_;
  std::vector<Step*> steps_;  // indexed by dword of the code
  std::deque<Step> arena_;
  int lds_grain_shift_ = 2, global_grain_shift_ = 2;
};

}  // namespace jaxgemm::emulator
