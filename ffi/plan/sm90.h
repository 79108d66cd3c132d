// Hopper's part of a plan: its clusters and the form of its kernel.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// Whether the plan's kernel has the plan's form and cluster for the problem. On other targets than
// sm90 there are only kGeneral and, with scales of blocks, kScaled or kMx, without clusters.
bool HasSm90Form(const Problem& problem, const Plan& plan);

// The grid of a plan with peers, counted in clusters instead of tiles. The CTAs of a cluster split
// each of its tiles along k.
TileGrid ClusterGrid(const Plan& plan);

// How many clusters of `ctas` CTAs run at once.
int64_t ClustersAtOnce(int64_t ctas, KernelForm form, const Chip& chip);

// Whether results are only cast and stored.
bool HasNoEpilogue(const Problem& problem);

// Whether the epilogue has no more than a cast to bfloat16 or float16 (float32, too, in kernels
// that store out^T) of accumulators that are floats. The model adds the cost of longer ones.
bool HasShortEpilogue(const Problem& problem, const GpuInstance& instance);

// Whether warpgroups ping-pong, if tiles are whole and at a fixed stride. With one tile for each
// CTA one of its two warpgroups would have nothing to do.
bool PingPongs(const Problem& problem, const GpuInstance& instance, double tiles,
               int64_t workgroups);

}  // namespace jaxgemm
