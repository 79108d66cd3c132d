#include "emulator/decode/program.h"

#include <algorithm>
#include <string_view>

#include "emulator/run/wave.h"

namespace jaxgemm::emulator {
namespace {

bool IsVectorUnit(Unit unit) {
  return unit == Unit::kVector || unit == Unit::kTranscendental || unit == Unit::kMatrix;
}

RegisterRange RangeOf(const Operand& operand) {
  if (operand.kind == Operand::kVgpr) return {operand.index, operand.count};
  if (operand.kind == Operand::kSgpr && operand.index < 128) {
    return {static_cast<uint16_t>(kScalarBase + operand.index), operand.count};
  }
  return {};
}

HazardTraits TraitsOf(Arch arch, const Step& step) {
  const Instruction& instruction = step.instruction;
  std::string_view name = Mnemonic(instruction.op);
  HazardTraits traits;
  traits.vector_alu = IsVectorUnit(step.unit);
  traits.matrix = step.unit == Unit::kMatrix;
  traits.passes = step.matrix_cycles / 4;
  // AMDGPU's "XDL" matrix instructions are all except those with float32 or float64 operands. On
  // gfx90a those of float32 take as long as the others.
  traits.xdl =
      traits.matrix && !name.ends_with("f64") && (arch == Arch::kGfx90a || !name.ends_with("_f32"));
  traits.sparse = name.starts_with("v_smfmac");
  traits.transcendental = step.unit == Unit::kTranscendental;
  traits.dot = name.starts_with("v_dot");
  traits.dpp = instruction.is_dpp;
  // A write is partial if SDWA's dst_sel (bits 10:8 of the extra dword) is not DWORD (6), or if
  // bit 3 of VOP3's op_sel is set.
  traits.partial_write =
      traits.vector_alu && ((instruction.is_sdwa && instruction.format != Format::kVopc &&
                             (instruction.sdwa_dpp >> 8 & 7) != 6) ||
                            (instruction.format == Format::kVop3 && (instruction.op_sel & 8)));
  traits.reads_lane =
      instruction.op == Op::v_readlane_b32 || instruction.op == Op::v_readfirstlane_b32;
  traits.lane_select =
      instruction.op == Op::v_readlane_b32 || instruction.op == Op::v_writelane_b32;
  traits.div_fmas = name.starts_with("v_div_fmas");
  traits.permlane_swap =
      instruction.op == Op::v_permlane16_swap_b32 || instruction.op == Op::v_permlane32_swap_b32;
  traits.vector_memory = step.unit == Unit::kVectorMemory;
  traits.memory = traits.vector_memory || step.unit == Unit::kLds;
  traits.wide_store =
      traits.vector_memory && step.memory.access == Access::kStore && step.memory.bytes > 8 &&
      !(instruction.format == Format::kMubuf && instruction.src[3].kind == Operand::kSgpr);
  traits.to_lds = traits.vector_memory && (instruction.lds || step.memory.to_lds);
  if (step.unit == Unit::kNop) traits.states = static_cast<uint8_t>(instruction.imm + 1);
  return traits;
}

}  // namespace

Program::Program(const CodeObject& object, const Kernel& kernel)
    : arch_(object.arch()),
      kernel_(kernel),
      base_(reinterpret_cast<uint64_t>(object.image())),
      size_(object.size()),
      steps_(object.size() / 4 + 1) {
  Scan();
}

Step& Program::DecodeAt(uint64_t pc) {
  uint64_t offset = pc - base_;
  if (offset >= size_ || offset % 4 != 0) {
    throw Fault{Text("The program counter 0x%llx is outside the code object.",
                     static_cast<unsigned long long>(pc))};
  }
  Step step;
  step.pc = pc;
  const auto* code = reinterpret_cast<const uint8_t*>(pc);
  std::string error = Decode(arch_, code, size_ - offset, &step.instruction);
  if (!error.empty()) throw Fault{"The emulator cannot execute this: " + error + "."};
  const Instruction& instruction = step.instruction;
  step.unit = UnitOf(instruction.op);
  step.memory = DescribeMemory(instruction.format, Mnemonic(instruction.op));
  step.matrix_cycles = MatrixCycles(arch_, instruction);
  step.issue_cycles = IssueCycles(arch_, instruction);
  for (const Operand& operand : instruction.dst) {
    if (RegisterRange range = RangeOf(operand); range.count) {
      step.writes[step.num_writes++] = range;
    }
  }
  for (const Operand& operand : instruction.src) {
    if (RegisterRange range = RangeOf(operand); range.count) {
      step.reads[step.num_reads++] = range;
    }
  }
  if (step.memory.access == Access::kStore || step.memory.access == Access::kAtomic) {
    step.data = RangeOf(instruction.src[1]);
  }
  step.hazard = TraitsOf(arch_, step);
  CheckRegisters(step);
  step.number = static_cast<uint32_t>(arena_.size());
  step.decides = Decides(step);
  arena_.push_back(step);
  steps_[offset / 4] = &arena_.back();
  return arena_.back();
}

void Program::CheckRegisters(const Step& step) const {
  uint32_t accum = kernel_.accum_offset(), total = kernel_.allocated_vgprs();
  auto check = [&](const RegisterRange& range) {
    if (!range.vector()) return;
    bool accumulation = range.first >= 256;
    uint32_t end = (range.first & 255) + range.count;
    uint32_t limit = accumulation ? (total > accum ? total - accum : 0) : std::min(accum, total);
    if (end > limit) {
      throw Fault{Text("Register %s%d is used, but the kernel allocated %u %s registers.",
                       accumulation ? "a" : "v", end - 1, limit,
                       accumulation ? "accumulation" : "vector")};
    }
  };
  for (int i = 0; i < step.num_reads; ++i) check(step.reads[i]);
  for (int i = 0; i < step.num_writes; ++i) check(step.writes[i]);
}

// Comparisons decide, and jumps to an address in registers, and other scalar instructions whose SCC
// the next branch reads.
bool Program::Decides(const Step& step) const {
  if (step.instruction.format == Format::kSopc) return true;
  if (step.unit == Unit::kBranch) return step.num_reads > 0;
  const std::string_view name = Mnemonic(step.instruction.op);
  if (name.starts_with("v_cmp") || name.starts_with("s_cmpk")) return true;
  if (step.unit != Unit::kScalar) return false;
  uint64_t offset = step.pc - base_ + step.instruction.bytes;
  Instruction next;
  while (offset < size_ &&
         Decode(arch_, reinterpret_cast<const uint8_t*>(base_ + offset), size_ - offset, &next)
             .empty()) {
    const std::string_view following = Mnemonic(next.op);
    if (following.starts_with("s_cbranch_scc")) return true;
    const Unit unit = UnitOf(next.op);
    if (unit == Unit::kBranch || unit == Unit::kEnd) return false;
    if (unit == Unit::kScalar && !following.starts_with("s_mov")) return false;
    offset += next.bytes;
  }
  return false;
}

// Reads the code once for the sizes of stores. If it finds data that does not decode, it stops, and
// the grains are one byte.
void Program::Scan() {
  uint64_t pc = base_ + kernel_.entry, end = base_ + kernel_.code_end;
  auto shift = [](int bytes) { return bytes >= 4 ? 2 : bytes / 2; };
  while (pc < end) {
    Instruction instruction;
    if (!Decode(arch_, reinterpret_cast<const uint8_t*>(pc), end - pc, &instruction).empty()) {
      lds_grain_shift_ = global_grain_shift_ = 0;
      return;
    }
    MemoryOp memory = DescribeMemory(instruction.format, Mnemonic(instruction.op));
    if (memory.access == Access::kStore) {
      int& grain = instruction.format == Format::kDs ? lds_grain_shift_ : global_grain_shift_;
      grain = std::min(grain, shift(memory.bytes));
    }
    pc += instruction.bytes;
  }
}

}  // namespace jaxgemm::emulator
