#include "emulator/run/interrupt.h"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <mutex>

namespace jaxgemm::emulator {
namespace {

std::atomic<uint64_t> num_signals = 0;
std::mutex mutex;  // guards the rest, but not from the handler, which only reads `earlier`
int num_watches = 0;
struct sigaction earlier;  // the process's own handler
std::atomic<const Python*> python = nullptr;
// Whether the handler has raised an exception that Python may not have thrown yet.
std::atomic<bool> is_raised = false;

void Count(int signal, siginfo_t* info, void* context) {
  num_signals.fetch_add(1, std::memory_order_relaxed);
  if (earlier.sa_flags & SA_SIGINFO) {
    earlier.sa_sigaction(signal, info, context);
  } else {
    earlier.sa_handler(signal);
  }
}

// Runs Python's handler in its main thread. Returns false if it raised no exception. Else the
// signal is noted again, so that Python raises the exception where it can.
bool RaisesInPython(const Python& functions) {
  const int state = functions.ensure();
  const bool raises = functions.check_signals() != 0;
  if (raises) {
    functions.clear();
    functions.set_interrupt();
  }
  functions.release(state);
  return raises;
}

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == Count;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  std::lock_guard guard(mutex);
  if (num_watches++ == 0) {
    struct sigaction found;
    sigaction(SIGINT, nullptr, &found);
    const bool has_handler = (found.sa_flags & SA_SIGINFO) ||
                             (found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN);
    if (has_handler && !IsOurs(found)) {
      earlier = found;
      struct sigaction ours = found;
      ours.sa_flags |= SA_SIGINFO;
      ours.sa_sigaction = Count;
      sigaction(SIGINT, &ours, nullptr);
    }
  }
  // A program may launch more kernels before it returns to Python. They end at once.
  const bool looks_at_once = is_raised && IsPythonsMainThread();
  before_ = num_signals.load(std::memory_order_relaxed) - looks_at_once;
}

InterruptWatch::~InterruptWatch() {
  std::lock_guard guard(mutex);
  if (--num_watches > 0) return;
  struct sigaction found;
  sigaction(SIGINT, nullptr, &found);
  if (IsOurs(found)) sigaction(SIGINT, &earlier, nullptr);  // else the process has set another
}

bool InterruptWatch::interrupted() const {
  const uint64_t now = num_signals.load(std::memory_order_relaxed);
  if (now == before_) return false;
  before_ = now;
  if (!IsPythonsMainThread()) return true;
  is_raised = RaisesInPython(*python);
  return is_raised;
}

void SetPython(const Python& functions) {
  static Python kept;
  kept = functions;
  python = &kept;
}

bool IsPythonsMainThread() {
  const Python* functions = python;
  return functions != nullptr && functions->main_thread == pthread_self();
}

}  // namespace jaxgemm::emulator
