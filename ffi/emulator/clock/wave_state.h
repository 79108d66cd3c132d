// A wave while the clock replays it: its place in the trace, the times at which its registers
// have their results, and its counters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "emulator/clock/compute_unit.h"

namespace jaxgemm::emulator {

class WaveState {
 public:
  WaveState(const WaveTrace& trace, WaveTimes* times, int slot)
      : trace_(trace), times_(*times), slot_(slot) {
    times_.issued.reserve(trace.events.size());
    times_.waited.reserve(trace.events.size());
    times_.done.assign(trace.events.size(), 0);
  }

  const WaveTrace& trace() const { return trace_; }
  WaveTimes& times() { return times_; }
  int slot() const { return slot_; }
  bool ended() const { return next_ == trace_.events.size(); }
  const TraceEvent& event() const { return trace_.events[next_]; }
  size_t next() const { return next_; }
  const TraceEvent* following() const {
    return next_ + 1 < trace_.events.size() ? &trace_.events[next_ + 1] : nullptr;
  }

  // The time at which the registers that the step reads have their values. Loads do not count:
  // software waits for them.
  uint64_t OperandsReady(const Step& step) const {
    uint64_t ready = 0;
    for (int i = 0; i < step.num_reads; ++i) {
      const RegisterRange& range = step.reads[i];
      for (int reg = range.first; reg < range.first + range.count; ++reg) {
        const Result& result = results_[reg];
        const bool forwarded =
            step.ReadsC(i) && result.first == range.first && result.count == range.count;
        ready = std::max(ready, forwarded ? result.forwarded : result.ready);
      }
    }
    return ready;
  }

  // Notes the results of an arithmetic instruction. `forwarded` is the time for a matrix
  // instruction that accumulates on the same registers.
  void NoteResults(const Step& step, uint64_t ready, uint64_t forwarded) {
    for (int i = 0; i < step.num_writes; ++i) {
      const RegisterRange& range = step.writes[i];
      for (int reg = range.first; reg < range.first + range.count; ++reg) {
        results_[reg] = {ready, forwarded, range.first, range.count};
      }
    }
  }

  // vmcnt: operations count in order.
  size_t IssueVector() {
    vector_.push_back(false);
    return vector_first_ + vector_.size() - 1;
  }
  void FinishVector(size_t number) {
    vector_[number - vector_first_] = true;
    for (; !vector_.empty() && vector_.front(); ++vector_first_) vector_.pop_front();
  }
  int vm() const { return static_cast<int>(vector_.size()); }
  int lgkm = 0;

  // Ends the issue of the current instruction.
  void Advance(uint64_t now) {
    times_.issued.push_back(now);
    times_.waited.push_back(waited);
    waited = WaveClock::k_issue;
    ++next_;
  }

  uint64_t ready = 0;                          // no instruction issues before this time
  WaveClock waits = WaveClock::k_arbitration;  // what it does until then
  WaveClock waited = WaveClock::k_issue;       // its last turn without an instruction
  bool at_barrier = false;
  int priority = 0;

 private:
  struct Result {
    uint64_t ready = 0, forwarded = 0;
    uint16_t first = 0;
    uint8_t count = 0;
  };

  const WaveTrace& trace_;
  WaveTimes& times_;
  const int slot_;
  size_t next_ = 0;
  Result results_[kScalarBase + 128];
  std::deque<bool> vector_;
  size_t vector_first_ = 0;
};

}  // namespace jaxgemm::emulator
