// The threads that run one call: the caller's own, and others that help.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "host/workgroups.h"

namespace jaxgemm {

// A thread that is asked to help may need longer to wake than the caller needs for the whole
// product. So nobody waits for it: each thread takes workgroups until none is left, and one that
// comes after the caller has run out of work touches no buffer.
class Crew {
 public:
  explicit Crew(HostCall call) : call_(call) {}
  const HostCall& call() const { return call_; }

  // The caller runs workgroups until none is left. Then it waits a short while for helpers that
  // still run theirs. True: all have ended. False: the last helper will call `ended`.
  bool Run(std::function<void()> ended);
  // Another thread does the same, and waits for nobody. It does nothing after the caller has run
  // out of work. At most call.plan.choice.num_threads - 1 threads may help.
  void Help();

  // Between Join and Leave a thread may use the call's buffers. False: it is too late.
  bool Join();
  void Leave();

 private:
  static constexpr int64_t kClosed = int64_t{1} << 32, kAwaited = int64_t{1} << 33;
  static constexpr int64_t kHelpers = kClosed - 1;  // the bits that count helpers

  const HostCall call_;
  std::atomic<int64_t> next_workgroup_ = 0, next_thread_ = 1;
  std::atomic<int64_t> state_ = 0;  // the number of helpers, kClosed and kAwaited
  std::function<void()> ended_;     // written before kAwaited is set
};

}  // namespace jaxgemm
