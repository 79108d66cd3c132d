// The tiles of kernels: which kernels compute a problem, and how many tiles and shares they give
// it.
#pragma once

#include <string>

#include "plan/plan.h"
#include "spec/gpu_instances.h"

namespace jaxgemm {

// Whether a tile of out with these columns of accumulators has whole blocks of a quantised result.
bool HasWholeBlocks(const Problem& problem, int64_t tile_n);

// Whether a GPU kernel of the problem's target has its types and layouts.
bool Computes(const GpuInstance& instance, const Problem& problem);

// Whether it also has the configuration's name and tile.
bool Suits(const GpuInstance& instance, const Problem& problem, const Config& config);

// The error if no kernel of the chip suits.
std::string NoInstance(const Problem& problem, const Config& config, const Chip& chip);

// A choice with the kernel's name and tile, and the user's reduction.
Choice WithInstance(const GpuInstance& instance, const Config& config);

// The problem for which a tile is chosen: a group of average size, times the number of groups, if
// the problem is grouped. n counts the columns of the gate and of the up projection.
Problem TypicalGroup(Problem problem);

// The number of output tiles of a problem that is not grouped (or that TypicalGroup returns). It is
// a double, because it may overflow int64_t.
double NumTiles(const Problem& problem, const GpuInstance& instance);

// The number of shares into which stream-K cuts `cut` tiles, if the user did not fix it.
int64_t OpenShares(const Problem& problem, int64_t cut, int64_t tiles_k, int64_t workgroups);

}  // namespace jaxgemm
