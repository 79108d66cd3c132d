// Predicts the time of a plan for an AMD GPU, to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// The cost of a plan that complete.cc has laid out: the predicted cycles of the chip at
// its peak frequency. A grouped problem is predicted as groups of equal size.
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

// The predicted time of a candidate, whose cost includes its margin.
double AmdgpuMicroseconds(const Candidate& candidate, const Chip& chip);

}  // namespace jaxgemm
