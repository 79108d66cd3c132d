// How AMD's kernels run a plan.
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

// Whether the kernel converts operands of a float8 type that the target does not decode.
bool Converts(const GpuInstance& tile);

// Whether tiles of a product, as TypicalGroup returns it, load their operands element by element,
// because the operands' lines are no whole vectors. This is the test of OperandMemory::FitsVectors
// (amdgpu/buffer.h), without the base address and the groups' bounds, which only the kernel knows.
bool LoadsByElement(const Problem& problem, const GpuInstance& tile);

// Whether each workgroup has one tile, or one slice of a tile, and knows it from the start.
bool RunsAsOneTile(const Problem& problem, const Plan& plan);

// The most tiles that the groups of a product can have (ragged m). Groups without rows have none.
int64_t MostTilesOfGroups(const Problem& problem, const GpuInstance& tile);

// Whether workgroups of a grouped product can find their tile from their number and the group
// sizes, which they look at once (OneTileMap::OfGroups), and whether a plan has one for each
// tile. Other kernels claim their tiles.
bool MayFindTilesOfGroups(const Problem& problem, const GpuInstance& tile);
bool FindsTilesOfGroups(const Problem& problem, const Plan& plan);

// Decides a plan's path. A path kOneTile needs operands that begin at whole vectors: RunOneTile has
// no other loads.
void ChoosePath(const Problem& problem, const Chip& chip, Plan* plan);

// Whether the epilogue only rounds the accumulators to 16 bits and stores whole vectors of them
// (amdgpu/half_epilogue.h).
bool IsOnlyRounded(const Problem& problem, const Plan& plan);

}  // namespace jaxgemm
