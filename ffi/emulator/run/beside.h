// A kernel that runs beside launches. It stands for another stream, another GPU or a copy engine
// that writes data that a launch waits for. Its waves take turns with the launch's waves from the
// start of the launch until both have ended, and share memory in the order of the system
// (ordering.h).
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

  // An argument that is the address of a buffer of the launch, given by name. The kernel may write
  // to that buffer.
  struct Link {
    uint32_t offset;
    std::string buffer;
  };

  Module module;
  Function* function;
  Launch launch;  // its buffers are those that it has besides the linked ones
  std::vector<Link> links;

  // The launch of this kernel beside `other`, with the links filled in from the buffers of `other`.
  // Throws EmulationError.
  Launch LaunchWith(Launch* other) const;
};

// Kernels beside launches have numbers. A removed kernel lives on until no launch uses it.
uint64_t AddBeside(std::shared_ptr<Beside> beside);
void RemoveBeside(uint64_t number);
std::shared_ptr<Beside> FindBeside(uint64_t number);  // null if there is none

}  // namespace jaxgemm::emulator
