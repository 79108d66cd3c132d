// Hopper's part of a plan: its clusters and the form of its kernel.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// Whether the plan's kernel has the plan's form and cluster for the problem. Targets other than
// sm90 have no clusters, and only the forms kGeneral and, with scales of blocks, kScaled or kMx.
bool HasSm90Form(const Problem& problem, const Plan& plan);

// The grid of a plan with peers, in clusters instead of tiles. The CTAs of a cluster split each of
// its tiles along k.
TileGrid ClusterGrid(const Plan& plan);

// How many clusters of `ctas` CTAs run at once.
int64_t ClustersAtOnce(int64_t ctas, KernelForm form, const Chip& chip);

// Whether the epilogue only applies vectors, if there are any, casts, and stores.
bool NeedsOnlyVectors(const Problem& problem);

// Whether the epilogue only casts and stores.
bool HasNoEpilogue(const Problem& problem);

// Whether the epilogue only casts float accumulators to bfloat16 or float16, or in kernels that
// store out^T to float32. The model adds the cost of longer epilogues.
bool HasShortEpilogue(const Problem& problem, const GpuInstance& instance);

// Whether a kernel of out^T stores tiles that one CTA has whole in lines of 128 bytes; see
// StoresLines in sm90/cluster_split_k_epilogue.h. The problem is as the kernel has it, with m
// columns of out.
bool StoresLines(const Problem& problem, const GpuInstance& instance);

// Whether warpgroups ping-pong if tiles are whole and at a fixed stride. They do not if each CTA
// has only one tile, because one of its two warpgroups would have nothing to do.
bool PingPongs(const Problem& problem, const GpuInstance& instance, double tiles,
               int64_t workgroups);

}  // namespace jaxgemm
