// Errors of the emulator, and their text.
#pragma once

#include <stdexcept>
#include <string>

namespace jaxgemm::emulator {

// An error in a code object, a launch or a kernel. Its message is complete.
struct EmulationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A fault of the running instruction; the machine adds kernel, instruction and wave.
struct Fault {
  std::string text;
  int lane = -1;
  bool unwritten_lds = false;  // a read of LDS that nothing has written
};

// printf that returns a string.
[[gnu::format(printf, 1, 2)]] std::string Text(const char* format, ...);

}  // namespace jaxgemm::emulator
