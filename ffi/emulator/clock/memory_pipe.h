// The compute unit's path to memory: the address unit and L1, which take instructions in order,
// and this unit's share of the L2 and of what lies behind it.
#pragma once

#include <cstdint>

#include "emulator/clock/constants.h"
#include "emulator/clock/l1.h"
#include "emulator/clock/trace.h"

namespace jaxgemm::emulator {

class MemoryPipe {
 public:
  explicit MemoryPipe(const ClockConstants& constants) : constants_(constants), l1_(constants) {}

  // Whether an instruction can issue at `now`: the queue before the L1 is not full.
  bool Accepts(uint64_t now) const { return free_ <= now + constants_.memory_queue_cycles; }

  // Takes an instruction at `now` and returns the time at which its data is back, or a store's
  // confirmation.
  uint64_t Access(const TraceEvent& event, const WaveTrace& wave, uint64_t now);
  void Invalidate() { l1_.Clear(); }

  uint64_t busy_cycles = 0;                                             // of the L1
  uint64_t l1_hits = 0, l1_misses = 0, l2_misses = 0, store_lines = 0;  // lines

 private:
  // The time at which a line that is asked for at `when` arrives from the L2 or from behind it.
  double Fetch(double when, bool hits_l2);

  const ClockConstants& constants_;
  L1 l1_;
  uint64_t free_ = 0;
  double l2_free_ = 0, miss_free_ = 0;
  double hits_owed_ = 0;  // makes every so many instructions miss the L2
};

}  // namespace jaxgemm::emulator
