// Predicts the time of a plan for an AMD GPU, to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// The predicted time of a plan, in microseconds.
struct AmdgpuTime {
  double launch;       // before the kernel starts: its command, and counters that are set to zero
  double kernel;       // from the kernel's start to its end, as a profiler shows it
  double cus, memory;  // of the kernel: those of the CUs alone, and of the memory alone
  double activity;     // the part of the CUs' time in which their arithmetic pipes work
  double mhz;          // the frequency that the chip keeps then

  double total() const { return launch + kernel; }
};

// The time of a plan that complete.cc has laid out. A grouped problem is predicted as groups of
// equal size.
AmdgpuTime PredictAmdgpu(const Problem& problem, const Chip& chip, const Plan& plan);

// Its total().
double AmdgpuCost(const Problem& problem, const Chip& chip, const Plan& plan);

// Candidate::margin. A plan that cuts tiles is taken only if it is faster than the others by this
// factor, because the model may be wrong by as much.
double CutMargin(const Problem& problem, const Chip& chip, const Plan& plan);

// The same of a plan whose workgroups take several tiles at a fixed stride, although they could
// steal them. What stealing gains is not predicted: some CUs may be slower than others, busy with
// another kernel, or masked, and then the others take over their tiles. So it is assumed that the
// slowest CU with a fixed stride takes a bit longer. Bandwidth of the memory that a slow CU does
// not use is there for the others, so this counts less where the memory is the limit.
double StrideMargin(const Problem& problem, const Chip& chip, const Plan& plan);

}  // namespace jaxgemm
