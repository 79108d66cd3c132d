// Ctrl-C: a launch ends when the process gets SIGINT. Python only notes the signal, and acts when
// its main thread runs Python again, which may wait for the launch.
#pragma once

#include <cstdint>

#include "emulator/checks/error.h"

namespace jaxgemm::emulator {

// What an interrupted launch throws.
struct Interruption : EmulationError {
  Interruption() : EmulationError("The emulation was interrupted by SIGINT (Ctrl-C).") {}
};

// While one of these exists, SIGINT is counted before the process's own handler runs. Where the
// process has no handler, nothing changes: SIGINT ends the process, or is ignored.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;

  bool interrupted() const;  // whether SIGINT came after this was made

 private:
  uint64_t before_;
};

}  // namespace jaxgemm::emulator
