#include "host/crew.h"

#include <chrono>
#include <thread>
#include <utility>

namespace jaxgemm {

bool Crew::Run(std::function<void()> ended) {
  RunWorkgroups(call_, 0, &next_workgroup_);
  state_.fetch_or(kClosed, std::memory_order_acq_rel);
  // To wake the thread that waits for a future takes about as long (two processors of a virtual
  // machine). Others may run meanwhile, above all a helper that has this processor.
  constexpr std::chrono::microseconds kMostWait(100);
  const auto begin = std::chrono::steady_clock::now();
  while (state_.load(std::memory_order_acquire) & kHelpers) {
    if (std::chrono::steady_clock::now() - begin > kMostWait) {
      ended_ = std::move(ended);
      return !(state_.fetch_or(kAwaited, std::memory_order_acq_rel) & kHelpers);
    }
    std::this_thread::yield();
  }
  return true;
}

void Crew::Help() {
  if (!Join()) return;
  RunWorkgroups(call_, next_thread_.fetch_add(1, std::memory_order_relaxed), &next_workgroup_);
  Leave();
}

bool Crew::Join() {
  int64_t state = state_.load(std::memory_order_relaxed);
  do {
    if (state & kClosed) return false;
  } while (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel));
  return true;
}

void Crew::Leave() {
  const int64_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
  if (before & kAwaited && (before & kHelpers) == 1) ended_();
}

}  // namespace jaxgemm
