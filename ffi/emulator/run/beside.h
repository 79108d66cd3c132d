// A kernel that runs beside launches: as one on another stream, another GPU or a copy engine would
// write what a launch waits for. Its waves take turns with the launch's own, from its start until
// both have ended, and share memory with them in the order of the system (ordering.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/api/session.h"
#include "emulator/run/machine.h"

namespace jaxgemm::emulator {

struct Beside {
  Beside(std::string_view code, std::string_view kernel)
      : module(code), function(module.GetFunction(kernel)) {}

  // An argument that is the address of a buffer of the launch, by name. It may write there.
  struct Link {
    uint32_t offset;
    std::string buffer;
  };

  Module module;
  Function* function;
  Launch launch;  // its buffers are those that it brings along
  std::vector<Link> links;

  // What to launch it with beside `other`, whose buffers it is shown. Throws EmulationError.
  Launch LaunchWith(Launch* other) const;
};

// They are known by number, from when they are added until they are removed and no launch has them
// any more.
uint64_t AddBeside(std::shared_ptr<Beside> beside);
void RemoveBeside(uint64_t number);
std::shared_ptr<Beside> FindBeside(uint64_t number);  // null: there is none

}  // namespace jaxgemm::emulator
