// Hopper's part of a plan: its clusters and the form of its kernel.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// Whether the plan's kernel has this form and cluster for the problem. On other
// targets than sm90 there is only kGeneral, without clusters.
bool HasSm90Form(const Problem& problem, const Plan& plan);

// The grid of clusters, of split-K across clusters.
TileGrid ClusterGrid(const Plan& plan);

// Output tiles of a dense problem, and of a grouped one with a typical group's rows.
double NumTiles(const Problem& problem, const GpuInstance& instance);

// Whether whole tiles at a fixed stride are computed by warpgroups that ping-pong: with one tile
// for each CTA one of the two would have nothing to do.
bool PingPongs(const Problem& problem, const GpuInstance& instance, double tiles,
               int64_t workgroups);

}  // namespace jaxgemm
