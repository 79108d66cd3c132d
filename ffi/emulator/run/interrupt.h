// Ctrl-C: a launch ends when the process gets SIGINT. Python only notes the signal, and acts when
// its main thread runs Python again, which may wait for the launch. In that thread Python's handler
// is run here, and the launch goes on if it raises no exception.
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

  // Whether SIGINT has come and the launch shall end.
  bool interrupted() const;

 private:
  mutable uint64_t before_;  // signals that the launch has seen
};

// Functions of Python, and its main thread. Without them a launch ends in that thread, too.
struct Python {
  uint64_t main_thread;  // pthread_t
  int (*ensure)();       // PyGILState_Ensure
  void (*release)(int);
  int (*check_signals)();  // PyErr_CheckSignals
  void (*clear)();         // PyErr_Clear
  void (*set_interrupt)();
};
void SetPython(const Python& functions);

// Whether this is Python's main thread, which raises KeyboardInterrupt as soon as it runs Python.
bool IsPythonsMainThread();

}  // namespace jaxgemm::emulator
