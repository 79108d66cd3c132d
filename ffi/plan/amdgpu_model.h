// Predicts the time of a plan for an AMD GPU, to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// The workgroups of a kernel that a CU holds. Those for few rows need half as many registers.
inline int64_t WorkgroupsOnCu(const GpuInstance& tile, const Chip& chip) {
  return chip.waves_per_cu * (tile.for_few_rows() ? 2 : 1) / tile.waves;
}

// The workgroups of a kernel that run at the same time.
inline int64_t AtOnce(const GpuInstance& tile, const Chip& chip) {
  return chip.num_cus * WorkgroupsOnCu(tile, chip);
}

// Whether each workgroup has one tile, or one slice of a tile, and knows it from the start. Then
// RunOneTile (amdgpu/gemm.h) computes it, if the operands begin at whole vectors.
bool KnowsItsTile(const Problem& problem, const Plan& plan);

// Whether tiles of a product, as TypicalGroup returns it, load their operands element by element,
// because the operands' lines are no whole vectors. This is the test of OperandMemory::FitsVectors
// (amdgpu/buffer.h), without the base address and the groups' bounds, which only the kernel knows.
bool LoadsByElement(const Problem& problem, const GpuInstance& tile);

// The cost of a plan that Derive (plan/derive.h) has completed: the predicted cycles of the chip at
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
