// Runs one launch: workgroups in flight take turns wave by wave, in an order drawn from the
// seed, until all have ended, one does what it must not, or nobody gets anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/decode/program.h"
#include "emulator/memory/global_memory.h"
#include "emulator/run/code_object.h"
#include "emulator/run/cost.h"
#include "emulator/run/options.h"

namespace jaxgemm::emulator {

struct Launch {
  uint32_t grid[3] = {1, 1, 1};   // workgroups
  uint32_t block[3] = {1, 1, 1};  // work-items of each
  uint32_t dynamic_lds = 0;       // bytes beyond what the kernel declares
  std::string arguments;          // the explicit ones, as they lie in memory
  // What the kernel may access; without (buffers_given is false) anything in this process.
  std::vector<Buffer> buffers;
  bool buffers_given = false;
};

struct Record {
  std::string kernel, arch;
  uint32_t grid[3] = {}, block[3] = {};
  Cost cost;
  struct Line {
    uint64_t offset;  // from the kernel's entry
    uint64_t executed;
    std::string text;
  };
  std::vector<Line> profile;  // under Options::profile

  std::string ToJson() const;
};

struct Code {
  const CodeObject& object;
  const Kernel& kernel;
  Program& program;
};

// Throws EmulationError.
Record Run(const Code& code, Launch launch, const Options& options);

}  // namespace jaxgemm::emulator
