// Runs one launch. The waves of the resident workgroups take turns, in an order drawn from the
// seed, until all have ended, one fails a check, or none makes progress.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/decode/program.h"
#include "emulator/memory/global_memory.h"
#include "emulator/run/code_object.h"
#include "emulator/run/cost.h"
#include "emulator/run/interrupt.h"
#include "emulator/run/options.h"

namespace jaxgemm::emulator {

struct Launch {
  uint32_t grid[3] = {1, 1, 1};   // workgroups
  uint32_t block[3] = {1, 1, 1};  // work-items of each workgroup
  uint32_t dynamic_lds = 0;       // bytes of LDS in addition to those that the kernel declares
  std::string arguments;          // the explicit arguments, packed as in memory
  // Buffers that the kernel may access. If buffers_given is false, it may access anything in this
  // process.
  std::vector<Buffer> buffers;
  bool buffers_given = false;
};

struct Record {
  std::string kernel, arch;
  uint32_t grid[3] = {}, block[3] = {};
  Cost cost;
  struct Line {
    uint64_t offset;  // in bytes from the kernel's entry
    uint64_t executed;
    std::string text;
  };
  std::vector<Line> profile;   // filled under Options::profile
  std::string clock = "null";  // ClockJson, under Options::clock

  std::string ToJson() const;
};

struct Code {
  const CodeObject& object;
  const Kernel& kernel;
  Program& program;
};

// Throws EmulationError; Interruption, if SIGINT came.
Record Run(const Code& code, Launch launch, const Options& options, const InterruptWatch& watch);

}  // namespace jaxgemm::emulator
