// Predicts the time of a plan for an AMD GPU, to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// The workgroups of a kernel that a CU holds. Those for few rows need half as many registers.
inline int64_t WorkgroupsOnCu(const GpuInstance& tile, const Chip& chip) {
  return chip.waves_per_cu * (tile.for_few_rows() ? 2 : 1) / tile.waves;
}

// Whether the kernel computes the plan as RunOneTile (amdgpu/gemm.h), if the operands' lines are
// whole vectors.
bool IsOneRow(const Plan& plan);

// The cost of a plan that Derive (plan/derive.h) has completed: the predicted cycles of the chip at
// its peak frequency, and a margin if the plan cuts tiles. A grouped problem is predicted as
// TypicalGroup.
double AmdgpuCost(const Problem& problem, const Chip& chip, const Plan& plan);

// Candidate::margin of a candidate whose workgroups take several tiles at a fixed stride, although
// they could steal them.
double StrideMargin(const Chip& chip);

// The predicted time of a candidate with such a cost.
double AmdgpuMicroseconds(const Candidate& candidate, const Chip& chip);

}  // namespace jaxgemm
