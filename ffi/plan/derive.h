// The steps of Derive, which candidates.cc and host.cc use as well.
#pragma once

#include <string>

#include "plan/plan.h"

namespace jaxgemm {

// Sets m, n and k, and on the host skinny, scaled and in_place. They follow from the problem, the
// target and `transposed`.
void SetSizes(const Problem& problem, Plan* plan);

// Sets these sizes and the grid, which follow from the problem, the tile and the order of tiles.
// Returns the error if the grid's counts do not fit the kernels' 32-bit counters.
std::string SetGrid(const Problem& problem, Plan* plan);

// Sets the workspace's offsets and size in a plan that has its grid.
void LayOutWorkspace(const Problem& problem, Plan* plan);

// Bytes of a host thread's scratch, for a plan that has its tile.
int64_t HostScratchBytes(const Plan& plan);

}  // namespace jaxgemm
