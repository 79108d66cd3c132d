// What the waves of some workgroups executed, with the work that each instruction gives the memory
// pipes. The clock replays it.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/decode/program.h"
#include "emulator/memory/global_memory.h"
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

inline constexpr int kLineBytes = 128;    // of the L1 and the L2 (CDNA3 white paper)
inline constexpr int kSegmentBytes = 64;  // of a request (ROCm Compute Profiler, vL1D)

// The global memory that one instruction touches. The launch's buffers are taken to begin at
// multiples of a page, as allocations on a GPU do, wherever they are in this process.
class AccessLog {
 public:
  void SetBuffers(const std::vector<Buffer>& buffers) { buffers_ = buffers; }
  // Notes the bytes of a lane, in the order of the lanes.
  void Note(uint64_t address, uint32_t bytes);
  void Clear();

  std::vector<uint64_t> lines;  // addresses / kLineBytes
  uint32_t segments = 0;        // of kSegmentBytes; one counts again if another came in between

 private:
  std::vector<Buffer> buffers_;
  size_t last_buffer_ = 0;
  uint64_t last_segment_ = ~uint64_t{0};
};

// Records the first workgroups of a launch.
class Recorder {
 public:
  explicit Recorder(uint32_t workgroups) : groups_(workgroups) {}

  bool Wants(const Wave& wave) const {
    return !wave.group->beside && wave.group->id < groups_.size();
  }
  // `before` and `after` are the launch's counters around the instruction. Clears the log.
  void Add(const Wave& wave, const Step& step, const Cost& before, const Cost& after,
           AccessLog* log);

  const std::vector<GroupTrace>& groups() const { return groups_; }

 private:
  std::vector<GroupTrace> groups_;  // by id
};

}  // namespace jaxgemm::emulator
