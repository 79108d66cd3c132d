// The clock of one compute unit: computes when each instruction of a trace issues. Four SIMDs take
// turns, one a cycle. In its cycle a SIMD issues at most one instruction of each kind (vector or
// matrix, scalar, branch, LDS, vector memory) from different waves, in the order of priority, then
// of age. The instructions of a wave issue in order, at most one in four cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/clock/constants.h"
#include "emulator/clock/trace.h"

namespace jaxgemm::emulator {

// What a wave does in a turn of its SIMD.
#define JAXGEMM_CLOCK_STATES(JAXGEMM_STATE)                                        \
  JAXGEMM_STATE(issue)                                                             \
  JAXGEMM_STATE(matrix_pipe) /* waits: another matrix instruction runs */          \
  JAXGEMM_STATE(vector_port) /* another vector instruction issues */               \
  JAXGEMM_STATE(dependency)  /* a result of vector, matrix or scalar arithmetic */ \
  JAXGEMM_STATE(vmcnt)                                                             \
  JAXGEMM_STATE(lgkmcnt)                                                           \
  JAXGEMM_STATE(barrier)                                                           \
  JAXGEMM_STATE(lds_queue)    /* the LDS, or its counter, takes no more */         \
  JAXGEMM_STATE(memory_queue) /* the L1, or its counter, takes no more */          \
  JAXGEMM_STATE(arbitration)  /* another wave issued this kind */                  \
  JAXGEMM_STATE(branch)       /* fetches after a taken branch */                   \
  JAXGEMM_STATE(idle)         /* s_nop, s_sleep */

enum class WaveClock : uint8_t {
#define JAXGEMM_STATE(name) k_##name,
  JAXGEMM_CLOCK_STATES(JAXGEMM_STATE)
#undef JAXGEMM_STATE
};
inline constexpr int kWaveClockStates = static_cast<int>(WaveClock::k_idle) + 1;

// The times of one wave.
struct WaveTimes {
  uint32_t group = 0;
  int index = 0, simd = 0;
  uint64_t start = 0, end = 0;
  uint64_t cycles[kWaveClockStates] = {};  // by WaveClock
  std::vector<uint64_t> issued;            // by event of its trace
  std::vector<uint64_t> done;              // likewise; memory: when its counter falls
  std::vector<WaveClock> waited;           // what the wave did last before it; k_issue: nothing
};

struct Times {
  uint64_t cycles = 0;                                    // until the last wave's end
  int resident = 0;                                       // most workgroups that ran at once
  uint64_t matrix_cycles[4] = {}, vector_cycles[4] = {};  // busy, by SIMD
  uint64_t scalar_cycles = 0, lds_cycles = 0, memory_cycles = 0;
  uint64_t l1_hits = 0, l1_misses = 0, l2_misses = 0, store_lines = 0;
  std::vector<WaveTimes> waves;
};

struct Residency {
  uint32_t registers = 0;  // vector registers that a wave allocates
  uint32_t lds_bytes = 0;  // of a workgroup
};

// Throws EmulationError if a workgroup does not fit.
Times ComputeTimes(Arch arch, const std::vector<GroupTrace>& groups, const Residency& residency,
                   const ClockConstants& constants);

}  // namespace jaxgemm::emulator
