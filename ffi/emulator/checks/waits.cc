#include "emulator/checks/waits.h"

namespace jaxgemm::emulator {
namespace {

[[noreturn]] void Report(const Wave& wave, int reg, bool write) {
  Queue queue = static_cast<Queue>(wave.pending[reg] >> Wave::kPendingShift);
  uint32_t number = wave.pending[reg] & Wave::kPendingCount;
  std::string name = reg < 256           ? Text("v%d", reg)
                     : reg < kScalarBase ? Text("a%d", reg - 256)
                                         : Text("s%d", reg - kScalarBase);
  static const char* const kWaits[] = {"s_waitcnt vmcnt(%u)", "s_waitcnt lgkmcnt(%u)",
                                       "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)"};
  static const char* const kLoads[] = {"vector memory load", "LDS read", "scalar load",
                                       "flat load"};
  std::string wait = kWaits[queue];
  if (size_t at = wait.find("%u"); at != wait.npos) {
    wait.replace(at, 2, std::to_string(wave.issued[queue] - number));
  }
  throw Fault{
      Text("Register %s is %s while the %s that writes it is outstanding; %s is "
           "missing before it.",
           name.c_str(), write ? "overwritten" : "read", kLoads[queue], wait.c_str())};
}

}  // namespace

void CheckWaits(const Step& step, const Wave& wave) {
  for (int i = 0; i < step.num_reads; ++i) {
    const RegisterRange& range = step.reads[i];
    for (int reg = range.first; reg < range.first + range.count; ++reg) {
      if (wave.IsPending(reg)) Report(wave, reg, /*write=*/false);
    }
  }
  // Loads of one queue return in order, so a later one may overwrite. Scalar loads do not.
  uint32_t same = step.unit == Unit::kLds ? kLdsQueue
                  : step.unit == Unit::kVectorMemory && step.instruction.format != Format::kFlat
                      ? kVectorQueue
                      : kNumQueues;
  for (int i = 0; i < step.num_writes; ++i) {
    const RegisterRange& range = step.writes[i];
    for (int reg = range.first; reg < range.first + range.count; ++reg) {
      if (wave.IsPending(reg) && wave.pending[reg] >> Wave::kPendingShift != same) {
        Report(wave, reg, /*write=*/true);
      }
    }
  }
}

void ExecuteWait(const Step& step, Wave* wave) {
  uint32_t imm = static_cast<uint32_t>(step.instruction.imm);
  uint32_t vm = (imm & 15) | (imm >> 14 & 3) << 4, lgkm = imm >> 8 & 15;
  wave->WaitVector(vm == 63 ? -1 : static_cast<int>(vm));
  wave->WaitLgkm(lgkm == 15 ? -1 : static_cast<int>(lgkm));
}

}  // namespace jaxgemm::emulator
