// What is reported of the clock's times, as JSON.
#pragma once

#include <string>

#include "emulator/clock/compute_unit.h"
#include "emulator/clock/trace.h"

namespace jaxgemm::emulator {

// The steady state of a wave's main loop: the innermost one with half of the matrix instructions.
struct LoopTimes {
  uint64_t first_pc = 0, last_pc = 0;  // the branch's target, and the branch
  uint64_t iterations = 0;             // that were timed
  double cycles = 0;                   // of an iteration
  double matrix_cycles = 0;            // of this wave's matrix instructions in an iteration
};

// The middle half of the longest run of iterations. No iterations if there are fewer than five.
LoopTimes FindLoop(const WaveTrace& trace, const WaveTimes& times);

// `entry` is the address of the kernel's first instruction. With `timeline` the times of each
// instruction are added.
std::string ClockJson(const Times& times, const std::vector<GroupTrace>& groups, uint64_t entry,
                      bool timeline);

}  // namespace jaxgemm::emulator
