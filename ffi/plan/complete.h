// Decides what a draft of a candidate leaves open, and lays out its plan.
#pragma once

#include <string>

#include "plan/candidates.h"

namespace jaxgemm {

// Decides cut tiles, shares, queues, the order of tiles and workgroups, lets the family decide its
// own (Scheduling::decide), and lays out grid and workspace. Returns the error if the configuration
// does not fit the problem.
std::string Complete(const Problem& problem, const Config& asked, const Chip& chip,
                     Scheduling scheduling, Candidate* candidate);

}  // namespace jaxgemm
