#include "emulator/clock/trace.h"

#include <algorithm>

namespace jaxgemm::emulator {
namespace {

uint64_t LdsCyclesOf(const Cost& cost) {
  return cost.lds_read_cycles + cost.lds_write_cycles + cost.lds_dma_cycles +
         cost.lds_conflict_cycles;
}

// Private memory is interleaved by lane, so an access of all lanes fills its segments.
uint64_t SegmentsOf(const Cost& cost) { return cost.global_lines + cost.scratch_bytes / 64; }

}  // namespace

void Recorder::Add(const Wave& wave, const Step& step, const Cost& before, const Cost& after,
                   std::vector<uint64_t>* lines) {
  GroupTrace& group = groups_[wave.group->id];
  if (group.waves.empty()) group.waves.resize(wave.group->num_waves);
  WaveTrace& trace = group.waves[wave.index];
  TraceEvent event{.step = &step};
  event.lds_cycles = static_cast<uint16_t>(LdsCyclesOf(after) - LdsCyclesOf(before));
  event.segments = static_cast<uint16_t>(SegmentsOf(after) - SegmentsOf(before));
  if (!lines->empty()) {
    std::sort(lines->begin(), lines->end());
    lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
    event.first_line = static_cast<uint32_t>(trace.lines.size());
    event.num_lines = static_cast<uint16_t>(lines->size());
    trace.lines.insert(trace.lines.end(), lines->begin(), lines->end());
    lines->clear();
  }
  trace.events.push_back(event);
}

}  // namespace jaxgemm::emulator
