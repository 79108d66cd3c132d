// The sizes, the grid and the workspace of a plan. They follow from the problem and the choice.
#pragma once

#include <string>

#include "plan/plan.h"

namespace jaxgemm {

// Sets m, n and k, and on the host also scaled and in_place.
void SetSizes(const Problem& problem, Plan* plan);

// Calls SetSizes, and sets the grid. Returns the error if the grid's counts do not fit the kernels'
// 32-bit counters.
std::string SetGrid(const Problem& problem, Plan* plan);

// Sets the workspace's offsets and size in a plan that has its grid.
void LayOutWorkspace(const Problem& problem, Plan* plan);

// The bytes of scratch that one thread of the host needs, for a plan that has its tile.
int64_t HostScratchBytes(const Plan& plan);

}  // namespace jaxgemm
