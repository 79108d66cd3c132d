#include "emulator/clock/trace.h"

#include <algorithm>

namespace jaxgemm::emulator {
namespace {

uint64_t LdsCyclesOf(const Cost& cost) {
  return cost.lds_read_cycles + cost.lds_write_cycles + cost.lds_dma_cycles +
         cost.lds_conflict_cycles;
}

}  // namespace

void AccessLog::Note(uint64_t address, uint32_t bytes) {
  auto inside = [&](const Buffer& buffer) {
    return address >= buffer.base && address - buffer.base < buffer.bytes;
  };
  for (size_t i = 0; i < buffers_.size(); ++i) {  // in most cases the same buffer as before
    const size_t number = (last_buffer_ + i) % buffers_.size();
    if (!inside(buffers_[number])) continue;
    last_buffer_ = number;
    address = address - buffers_[number].base + ((number + 1) << 48);
    break;
  }
  const uint64_t last = address + bytes - 1;
  for (uint64_t at = address / kSegmentBytes; at <= last / kSegmentBytes; ++at) {
    if (at == last_segment_) continue;
    last_segment_ = at;
    ++segments;
    lines.push_back(at * kSegmentBytes / kLineBytes);
  }
}

void AccessLog::Clear() {
  lines.clear();
  segments = 0;
  last_segment_ = ~uint64_t{0};
}

void Recorder::Add(const Wave& wave, const Step& step, const Cost& before, const Cost& after,
                   AccessLog* log) {
  GroupTrace& group = groups_[wave.group->id];
  if (group.waves.empty()) group.waves.resize(wave.group->num_waves);
  WaveTrace& trace = group.waves[wave.index];
  TraceEvent event{.step = &step};
  event.lds_cycles = static_cast<uint16_t>(LdsCyclesOf(after) - LdsCyclesOf(before));
  // Private memory is interleaved by lane, so an access of all lanes fills its segments.
  const uint64_t scratch = (after.scratch_bytes - before.scratch_bytes) / kSegmentBytes;
  event.segments = static_cast<uint16_t>(log->segments + scratch);
  std::vector<uint64_t>& lines = log->lines;
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  event.first_line = static_cast<uint32_t>(trace.lines.size());
  event.num_lines = static_cast<uint16_t>(lines.size());
  trace.lines.insert(trace.lines.end(), lines.begin(), lines.end());
  log->Clear();
  trace.events.push_back(event);
}

}  // namespace jaxgemm::emulator
