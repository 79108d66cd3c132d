// The initial state of a kernel: arguments and registers (AMDGPUUsage, "Initial Kernel Execution
// State").
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/run/code_object.h"
#include "emulator/run/machine.h"
#include "emulator/run/options.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

class LaunchState {
 public:
  // Checks the launch against the kernel. Throws EmulationError.
  LaunchState(const CodeObject& object, const Kernel& kernel, const Launch& launch);

  uint32_t workgroups() const { return launch_.grid[0] * launch_.grid[1] * launch_.grid[2]; }
  int waves_per_workgroup() const { return waves_; }
  uint32_t lds_bytes() const { return kernel_.lds_bytes + launch_.dynamic_lds; }
  // The launch's buffers and those that the runtime adds: arguments, dispatch packet, code object.
  // `beside`: they are those of the kernel beside the launch.
  std::vector<Buffer> Buffers(bool beside) const;

  void StartWorkgroup(uint32_t id, uint32_t xcc, Workgroup* group) const;

 private:
  void FillArguments();
  void FillPacket();
  void StartWave(const Workgroup& group, Wave* wave) const;

  const CodeObject& object_;
  const Kernel& kernel_;
  const Launch& launch_;
  int waves_ = 0;
  std::vector<uint64_t> arguments_;
  uint64_t packet_[8] = {};
};

}  // namespace jaxgemm::emulator
