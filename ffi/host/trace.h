// A trace of what the CPU's threads do and when.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace jaxgemm {

struct TracedSpan {
  const char* what;  // "copy", "compute" or "wait"
  int64_t number;    // of the chunk ("copy"), or of the tile row
  int64_t thread;    // counted from 0
  int64_t begin_ns, end_ns;
};

// Discards recorded spans and starts recording.
void StartTrace();
// Stops recording and returns the recorded spans, in no order.
std::vector<TracedSpan> StopTrace();

namespace internal {
inline std::atomic<bool> tracing = false;
int64_t TraceClock();
void Record(const char* what, int64_t number, int64_t begin_ns);
}  // namespace internal

// Records the time from its construction to the end of its scope. It costs one load while no
// trace is recorded.
class Span {
 public:
  Span(const char* what, int64_t number) : what_(what), number_(number) {
    if (internal::tracing.load(std::memory_order_relaxed)) begin_ns_ = internal::TraceClock();
  }
  ~Span() {
    if (begin_ns_ != 0) internal::Record(what_, number_, begin_ns_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  const char* what_;
  int64_t number_, begin_ns_ = 0;
};

}  // namespace jaxgemm
