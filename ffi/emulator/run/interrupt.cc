#include "emulator/run/interrupt.h"

#include <atomic>
#include <csignal>
#include <mutex>

namespace jaxgemm::emulator {
namespace {

std::atomic<uint64_t> num_signals = 0;
std::mutex mutex;  // guards the rest, but not from the handler, which only reads `earlier`
int num_watches = 0;
struct sigaction earlier;  // the process's own handler

void Count(int signal, siginfo_t* info, void* context) {
  num_signals.fetch_add(1, std::memory_order_relaxed);
  if (earlier.sa_flags & SA_SIGINFO) {
    earlier.sa_sigaction(signal, info, context);
  } else {
    earlier.sa_handler(signal);
  }
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
  before_ = num_signals.load(std::memory_order_relaxed);
}

InterruptWatch::~InterruptWatch() {
  std::lock_guard guard(mutex);
  if (--num_watches > 0) return;
  struct sigaction found;
  sigaction(SIGINT, nullptr, &found);
  if (IsOurs(found)) sigaction(SIGINT, &earlier, nullptr);  // else the process has set another
}

bool InterruptWatch::interrupted() const {
  return num_signals.load(std::memory_order_relaxed) != before_;
}

}  // namespace jaxgemm::emulator
