// Predicts the time of a plan for an AMD GPU, to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// A prediction, in cycles of the chip at its peak frequency, for a plan that has been derived. A
// grouped problem is predicted as TypicalGroup.
double AmdgpuCycles(const Problem& problem, const Chip& chip, const Plan& plan);

// The chip's peak frequency.
double AmdgpuMegahertz(const Chip& chip);

}  // namespace jaxgemm
