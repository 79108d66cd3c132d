#include "host/trace.h"

#include <mutex>
#include <utility>

#include "schedule/atomics.h"

namespace jaxgemm {
namespace {

struct Trace {
  std::mutex mutex;
  std::vector<TracedSpan> spans;
};
Trace& TheTrace() {
  static auto* trace = new Trace;
  return *trace;
}

int64_t ThreadNumber() {
  static std::atomic<int64_t> threads = 0;
  thread_local const int64_t number = threads++;
  return number;
}

}  // namespace

namespace internal {

int64_t TraceClock() { return Nanoseconds(); }

void Record(const char* what, int64_t number, int64_t begin_ns) {
  const int64_t end_ns = Nanoseconds();
  Trace& trace = TheTrace();
  std::lock_guard lock(trace.mutex);
  if (!tracing.load(std::memory_order_relaxed)) return;  // StopTrace ran meanwhile
  trace.spans.push_back({what, number, ThreadNumber(), begin_ns, end_ns});
}

}  // namespace internal

void StartTrace() {
  Trace& trace = TheTrace();
  std::lock_guard lock(trace.mutex);
  trace.spans.clear();
  internal::tracing.store(true, std::memory_order_relaxed);
}

std::vector<TracedSpan> StopTrace() {
  Trace& trace = TheTrace();
  std::lock_guard lock(trace.mutex);
  internal::tracing.store(false, std::memory_order_relaxed);
  return std::exchange(trace.spans, {});
}

}  // namespace jaxgemm
