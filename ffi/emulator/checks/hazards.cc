#include "emulator/checks/hazards.h"

#include <algorithm>

#include "emulator/decode/program.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {
namespace {

constexpr int kVcc = 106, kM0 = 124, kExec = 126;

std::string RegisterName(int reg) {
  if (reg < 256) return Text("v%d", reg);
  if (reg < kScalarBase) return Text("a%d", reg - 256);
  int s = reg - kScalarBase;
  if (s == kVcc || s == kVcc + 1) return "vcc";
  if (s == kExec || s == kExec + 1) return "exec";
  return s == kM0 ? "m0" : Text("s%d", s);
}

// Throws Fault unless `states` wait states lie between `mark` and now.
void Need(const HazardState& state, uint32_t mark, uint32_t states, int reg, const char* what) {
  if (mark == 0 || state.now - mark > states) return;
  throw Fault{Text(
      "%s of %s: %u wait states are needed in between, there are %u; insert "
      "s_nop %u or other instructions.",
      what, RegisterName(reg).c_str(), states, state.now - mark - 1, states - (state.now - mark))};
}

void CheckMatrixRead(Arch arch, const Step& step, const HazardState& state,
                     const RegisterRange& range, bool is_c) {
  for (int reg = range.first; reg < range.first + range.count; ++reg) {
    const HazardState::Matrix& by = state.matrix[reg];
    if (by.written == 0) continue;
    if (!step.hazard.matrix) {
      Need(state, by.written, StatesUntilResult(arch, by.passes, by.xdl), reg,
           step.hazard.memory ? "A memory instruction reads a matrix result"
                              : "A vector instruction reads a matrix result");
    } else if (!is_c) {
      Need(state, by.written, StatesUntilResult(arch, by.passes, by.xdl), reg,
           "A matrix instruction reads, as A or B, the matrix result");
    } else if (by.first == range.first && by.count == range.count) {
      // The hardware forwards a result that the next instruction accumulates in place.
      if (by.passes == 2 && arch != Arch::kGfx90a)
        Need(state, by.written, 2, reg, "A matrix instruction accumulates on");
    } else if (!(step.hazard.xdl && !by.xdl)) {
      const uint32_t more = by.xdl && arch != Arch::kGfx90a ? 1 : 0;
      Need(state, by.written, by.passes + more + ExtraStates(arch, by.passes, by.xdl), reg,
           "A matrix instruction reads, as a C that overlaps in part, the matrix result");
    }
  }
}

// gfx90a's hardware itself waits in the cases that `interlocks` leaves out, here and below.
void CheckVectorRead(Arch arch, const Step& step, const HazardState& state,
                     const RegisterRange& range) {
  const HazardTraits& traits = step.hazard;
  const bool interlocks = arch == Arch::kGfx90a;
  for (int reg = range.first; reg < range.first + range.count; ++reg) {
    if (traits.matrix && !state.dot_at[reg]) {
      Need(state, state.vector_by_vector[reg], 2, reg, "A matrix instruction after a vector write");
    }
    if (traits.dpp) {
      Need(state, state.vector_by_any[reg], 2, reg, "DPP after a write");
    }
    if (traits.reads_lane && !interlocks) {
      Need(state, state.vector_by_vector[reg], 1, reg, "A lane read after a vector write");
    }
    if (traits.permlane_swap) {
      Need(state, state.vector_by_vector[reg], 2, reg, "v_permlane*_swap after a vector write");
    }
    if (state.dot_at[reg] &&
        !(traits.dot && state.dot_op[reg] == static_cast<int>(step.instruction.op))) {
      Need(state, state.dot_at[reg], 3, reg, "A read after a dot product's write");
    }
    if (interlocks) continue;
    if (traits.vector_alu && !traits.transcendental && reg >= state.transcendental_first &&
        reg < state.transcendental_end) {
      Need(state, state.transcendental_at, 1, reg,
           "A vector instruction after a transcendental one's write");
    }
    if (traits.vector_alu && reg >= state.partial_first && reg < state.partial_end) {
      Need(state, state.partial_at, 1, reg,
           "A vector instruction after a write of a part (SDWA, op_sel)");
    }
  }
}

void CheckScalarRead(Arch arch, const Step& step, const HazardState& state,
                     const RegisterRange& range) {
  const HazardTraits& traits = step.hazard;
  for (int reg = range.first; reg < range.first + range.count; ++reg) {
    uint32_t mark = state.scalar_by_vector[reg - kScalarBase];
    if (mark == 0) continue;
    if (traits.vector_memory) {
      Need(state, mark, 5, reg, "A vector memory instruction reads after a vector write");
    } else if (traits.vector_alu && arch != Arch::kGfx90a) {
      Need(state, mark, 2, reg, "A vector instruction reads after a vector write");
    }
  }
}

void CheckWrites(Arch arch, const Step& step, bool stores, const HazardState& state) {
  for (int i = 0; i < step.num_writes; ++i) {
    const RegisterRange& range = step.writes[i];
    if (!range.vector()) continue;
    for (int reg = range.first; reg < range.first + range.count; ++reg) {
      if (stores && step.hazard.vector_alu) {
        Need(state, state.stored[reg], arch == Arch::kGfx90a ? 1 : 2, reg,
             "A vector write after a store of more than 64 bits");
      }
      if (state.dot_at[reg] && state.dot_op[reg] != static_cast<int>(step.instruction.op)) {
        Need(state, state.dot_at[reg], 3, reg, "A write after a dot product's write");
      }
      if (step.hazard.matrix) continue;
      const HazardState::Matrix& by = state.matrix[reg];
      Need(state, by.written, StatesUntilResult(arch, by.passes, by.xdl), reg,
           "A write after a matrix result's write");
      if (by.read_as_c && by.passes_as_c > 0) {
        Need(state, by.read_as_c, by.passes_as_c - 1, reg,
             "A write after a matrix instruction's read, as C,");
      }
    }
  }
}

void CheckSpecial(Arch arch, const Step& step, const HazardState& state) {
  const HazardTraits& traits = step.hazard;
  const bool interlocks = arch == Arch::kGfx90a;
  uint32_t exec = std::max(state.scalar_by_vector[kExec], state.scalar_by_vector[kExec + 1]);
  uint32_t vcc = std::max(state.scalar_by_vector[kVcc], state.scalar_by_vector[kVcc + 1]);
  int exec_reg = kScalarBase + kExec;
  if (traits.matrix) Need(state, exec, 4, exec_reg, "A matrix instruction after a vector write");
  if (traits.dpp) Need(state, exec, 5, exec_reg, "DPP after a vector write");
  if ((traits.reads_lane || traits.lane_select) && !interlocks) {
    Need(state, exec, 4, exec_reg, "A lane access after a vector write");
  }
  if (traits.permlane_swap) {
    Need(state, exec, 4, exec_reg, "v_permlane*_swap after a vector write");
  }
  if (traits.div_fmas) Need(state, vcc, 4, kScalarBase + kVcc, "v_div_fmas after a vector write");
  if (traits.lane_select && step.instruction.src[1].kind == Operand::kSgpr) {
    int s = step.instruction.src[1].index;
    Need(state, state.scalar_by_vector[s], 4, kScalarBase + s,
         "A lane select after a vector write");
  }
  if (traits.to_lds) {
    Need(state, state.m0_by_scalar, 1, kScalarBase + kM0, "A load to the LDS after a write");
  }
}

bool IsSetReg(Op op) { return op == Op::s_setreg_b32 || op == Op::s_setreg_imm32_b32; }

void NoteWrites(const Step& step, HazardState* state) {
  const HazardTraits& traits = step.hazard;
  for (int i = 0; i < step.num_writes; ++i) {
    const RegisterRange& range = step.writes[i];
    int begin = range.first, end = begin + range.count;
    if (!range.vector()) {
      for (int reg = begin; reg < end; ++reg) {
        state->scalar_by_vector[reg - kScalarBase] = traits.vector_alu ? state->now : 0;
        if (reg == kScalarBase + kM0) state->m0_by_scalar = state->now;
      }
      continue;
    }
    for (int reg = begin; reg < end; ++reg) {
      state->vector_by_any[reg] = state->now;
      state->vector_by_vector[reg] = traits.vector_alu && !traits.matrix ? state->now : 0;
      state->dot_at[reg] = traits.dot ? state->now : 0;
      state->dot_op[reg] = static_cast<uint16_t>(step.instruction.op);
      HazardState::Matrix& matrix = state->matrix[reg];
      matrix.written = traits.matrix ? state->now : 0;
      if (traits.matrix) {
        matrix.first = begin;
        matrix.count = range.count;
        matrix.passes = traits.passes;
        matrix.xdl = traits.xdl;
      }
    }
    if (traits.transcendental) {
      state->transcendental_at = state->now;
      state->transcendental_first = begin;
      state->transcendental_end = end;
    }
    if (traits.partial_write) {
      state->partial_at = state->now;
      state->partial_first = begin;
      state->partial_end = end;
    }
  }
  if (traits.matrix) {
    state->matrix_until = std::max(state->matrix_until, state->now + traits.passes + 5u);
    const Operand& c = step.instruction.src[traits.sparse ? 3 : 2];
    if (c.kind == Operand::kVgpr && traits.xdl) {
      for (int reg = c.index; reg < c.index + c.count; ++reg) {
        state->matrix[reg].read_as_c = state->now;
        state->matrix[reg].passes_as_c = traits.passes;
      }
    }
  }
  if (traits.wide_store) {
    for (int reg = step.data.first; reg < step.data.first + step.data.count; ++reg) {
      state->stored[reg] = state->now;
    }
  }
}

}  // namespace

void CheckHazards(Arch arch, const Step& step, bool stores, Wave* wave) {
  HazardState& state = wave->hazards;
  const HazardTraits& traits = step.hazard;
  if (traits.vector_alu || traits.memory) {
    for (int i = 0; i < step.num_reads; ++i) {
      const RegisterRange& range = step.reads[i];
      if (range.vector()) {
        if (state.now < state.matrix_until) {
          CheckMatrixRead(arch, step, state, range, step.ReadsC(i));
        }
        CheckVectorRead(arch, step, state, range);
      } else {
        CheckScalarRead(arch, step, state, range);
      }
    }
    CheckWrites(arch, step, stores, state);
    CheckSpecial(arch, step, state);
  }
  if (step.instruction.format == Format::kSopk) {
    int hardware_register = step.instruction.imm & 63;
    bool setreg = IsSetReg(step.instruction.op);
    if (setreg || step.instruction.op == Op::s_getreg_b32) {
      uint32_t mark = state.setreg_at[hardware_register];
      if (mark && state.now - mark <= 2) {
        throw Fault{
            "A hardware register is accessed too early after s_setreg: 2 wait states are "
            "needed in between."};
      }
      if (setreg) state.setreg_at[hardware_register] = state.now;
    }
  }
  NoteWrites(step, &state);
  state.now += traits.states;
}

}  // namespace jaxgemm::emulator
