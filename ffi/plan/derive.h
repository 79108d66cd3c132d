// The parts of Derive, for those who look for a choice.
#pragma once

#include <string>

#include "plan/plan.h"

namespace jaxgemm {

// Sets what follows from the problem, the tile and the order of tiles: sizes and grid. Returns the
// error if the grid's counts do not fit the kernels' 32-bit counters.
std::string SetGrid(const Problem& problem, Plan* plan);

// Sets the workspace's offsets and size, of a plan with a grid.
void LayOutWorkspace(const Problem& problem, Plan* plan);

// Bytes of a host thread's scratch, of a plan with its tile.
int64_t HostScratchBytes(const Plan& plan);

}  // namespace jaxgemm
