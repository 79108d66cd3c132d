#include "emulator/clock/memory_pipe.h"

#include <algorithm>
#include <cmath>

namespace jaxgemm::emulator {

double MemoryPipe::Fetch(double when, bool hits_l2) {
  l2_free_ = std::max(l2_free_, when) + kLineBytes / constants_.l2_bytes_per_cycle;
  if (hits_l2) return l2_free_ + constants_.l2_latency;
  ++l2_misses;
  miss_free_ = std::max(miss_free_, when) + kLineBytes / constants_.miss_bytes_per_cycle;
  return std::max(l2_free_, miss_free_) + constants_.miss_latency;
}

uint64_t MemoryPipe::Access(const TraceEvent& event, const WaveTrace& wave, uint64_t now) {
  const MemoryOp& op = event.step->memory;
  const Instruction& instruction = event.step->instruction;
  const bool loads = op.access == Access::kLoad;
  const double rate = loads ? constants_.l1_bytes_per_cycle : constants_.store_bytes_per_cycle;
  const double cycles =
      std::max(constants_.address_cycles, double{kSegmentBytes} * event.segments / rate);
  const uint64_t start = std::max(now, free_);
  free_ = start + static_cast<uint64_t>(std::ceil(cycles));
  busy_cycles += free_ - start;
  // Stores, atomics, and loads with sc0 or sc1 bypass the L1: they neither look for their lines in
  // it nor fill it.
  const bool passes = !loads || instruction.sc0 || instruction.sc1;
  bool hits_l2 = true;
  double done = free_ + constants_.l1_latency;
  bool missed = false;
  for (uint32_t i = 0; i < event.num_lines; ++i) {
    const uint64_t line = wave.lines[event.first_line + i];
    if (!passes) {
      if (const uint64_t* arrives = l1_.Find(line)) {
        ++l1_hits;
        done = std::max(done, static_cast<double>(*arrives));
        continue;
      }
    }
    if (loads) {
      ++l1_misses;
      if (!missed) {
        // l2_hit_percent of the loads that miss the L1 hit the L2, evenly spread. The lines of one
        // instruction that miss the L1 hit the L2 together, or miss it together.
        hits_owed_ += constants_.l2_hit_percent;
        hits_l2 = hits_owed_ >= 100;
        if (hits_l2) hits_owed_ -= 100;
        missed = true;
      }
    } else {
      ++store_lines;
    }
    const double arrives = Fetch(start, hits_l2);
    done = std::max(done, arrives);
    if (!passes) l1_.Fill(line, static_cast<uint64_t>(std::ceil(arrives)));
  }
  return static_cast<uint64_t>(std::ceil(done));
}

}  // namespace jaxgemm::emulator
