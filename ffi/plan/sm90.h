// Hopper's part of a plan that has been made: its clusters and the form of its kernel.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

// Whether the plan's form and cluster are ones that its kernel has for the problem. On other
// targets than sm90 there is only kGeneral, without clusters.
bool HasSm90Form(const Problem& problem, const Plan& plan);

// The grid of clusters, of split-K across clusters.
TileGrid ClusterGrid(const Plan& plan);

}  // namespace jaxgemm
