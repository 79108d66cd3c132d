// What the waves of some workgroups executed, with the work that each instruction gives the memory
// pipes. The clock replays it.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/decode/program.h"
#include "emulator/run/cost.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

struct TraceEvent {
  const Step* step;
  uint32_t first_line = 0;  // in WaveTrace::lines
  uint16_t num_lines = 0;   // different lines of the L1 that a vector memory instruction touches
  uint16_t segments = 0;    // 64-byte segments, in the order of the lanes
  uint16_t lds_cycles = 0;  // of the LDS, conflicts included
};

struct WaveTrace {
  std::vector<TraceEvent> events;
  std::vector<uint64_t> lines;  // addresses / kLineBytes
};

struct GroupTrace {
  std::vector<WaveTrace> waves;
};

inline constexpr int kLineBytes = 128;  // of the L1 and the L2 (CDNA3 white paper)

// Records the first workgroups of a launch.
class Recorder {
 public:
  explicit Recorder(uint32_t workgroups) : groups_(workgroups) {}

  bool Wants(const Wave& wave) const {
    return !wave.group->beside && wave.group->id < groups_.size();
  }
  // `before` and `after` are the launch's counters around the instruction; `lines` are the lines
  // that it touched, in any order.
  void Add(const Wave& wave, const Step& step, const Cost& before, const Cost& after,
           std::vector<uint64_t>* lines);

  const std::vector<GroupTrace>& groups() const { return groups_; }

 private:
  std::vector<GroupTrace> groups_;  // by id
};

}  // namespace jaxgemm::emulator
