// What is reported of the clock's times, as JSON.
#pragma once

#include <string>

#include "emulator/clock/compute_unit.h"
#include "emulator/clock/trace.h"

namespace jaxgemm::emulator {

// The steady state of the main loop: the innermost loop with half of the first wave's matrix
// instructions.
struct LoopTimes {
  uint64_t first_pc = 0, last_pc = 0;  // the branch's target, and the branch
  uint64_t iterations = 0;             // of the first wave, that were timed
  double cycles = 0;                   // of such an iteration
  double matrix_share = 0;             // of the time of the four matrix pipes
};

// The iterations of the first wave during which all waves that run with it are in their longest run
// of iterations. There are none if they are fewer than two, or if a run has fewer than five.
LoopTimes FindLoop(const Times& times, const std::vector<GroupTrace>& groups);

// `entry` is the address of the kernel's first instruction. With `timeline` the times of each
// instruction are added.
std::string ClockJson(const Times& times, const std::vector<GroupTrace>& groups, uint64_t entry,
                      bool timeline);

}  // namespace jaxgemm::emulator
