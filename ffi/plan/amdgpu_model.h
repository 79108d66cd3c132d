// Predicts the time of a plan for an AMD GPU, to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// The cost of a plan that Derive (plan/derive.h) has completed: the predicted cycles of the chip at
// its peak frequency, and a margin if the plan cuts tiles. A grouped problem is predicted as
// TypicalGroup.
double AmdgpuCost(const Problem& problem, const Chip& chip, const Plan& plan);

// The predicted time of a candidate with such a cost.
double AmdgpuMicroseconds(const Candidate& candidate, const Chip& chip);

}  // namespace jaxgemm
