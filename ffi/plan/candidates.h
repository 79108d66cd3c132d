// The candidates of each target (plan/host.cc, plan/amdgpu.cc and plan/sm90.cc), and what the
// targets share (plan/candidates.cc).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace jaxgemm {

// The problem for which a tile is chosen: a group of average size, times the number of groups, if
// the problem is grouped. n counts the columns of the gate and of the up projection.
Problem TypicalGroup(Problem problem);

// The number of output tiles of a problem that is not grouped (or that TypicalGroup returns). It is
// a double, because it may overflow int64_t.
double NumTiles(const Problem& problem, const GpuInstance& instance);

// Whether a GPU kernel computes the problem and has the configuration's name and tile.
bool Suits(const GpuInstance& instance, const Problem& problem, const Config& config,
           const Chip& chip);

// A choice with the kernel's name and tile, the chip's target and the user's reduction.
Choice WithInstance(const GpuInstance& instance, const Config& config, const Chip& chip);

// What a target says about the schedule of a candidate that has its tile.
struct Scheduling {
  Schedule schedule = Schedule::kAuto;  // kAuto: whole tiles, persistent or stolen
  int64_t workgroups = 0;               // the most that run at the same time
  bool cuts = true;                     // stream-K may cut tiles
  bool steals = false;                  // kAuto: steals if there are more tiles than workgroups
  // There is no such candidate if there are no more tiles than workgroups: it would be another
  // one's twin.
  bool needs_rounds = false;
  bool workgroup_per_tile = false;  // the grid has as many workgroups as tiles
  // If the schedule steals: the number of queues for a number of tiles.
  std::function<int64_t(int64_t tiles)> num_queues;
  bool claims_ahead = false;
  int64_t group_m = 8;  // tile rows that are visited together; chosen by hand
  int64_t num_xcds = 1;
  // Stream-K: the number of shares into which every tile is cut. 0: only tiles of the last round
  // are cut, if that is estimated to be faster.
  int64_t shares_per_tile = 0;
  // Makes the decisions that only this target has, when the plan has its grid.
  void (*finish)(const Problem& problem, const Chip& chip, Plan* plan) = nullptr;
  // Predicts the cost of a plan that has been derived. Null: the candidate has its cost already.
  double (*cost)(const Problem& problem, const Chip& chip, const Plan& plan) = nullptr;
  // Then Candidate::margin is set, too; null: 1.
  double (*margin)(const Problem& problem, const Chip& chip, const Plan& plan) = nullptr;
};

// A candidate with its tile, and what candidates.cc decides its schedule from.
struct Draft {
  Candidate candidate;
  Scheduling scheduling;
};

// The drafts of each target. If candidates cost the same, the first of them is chosen. *error is
// set if there is none.
std::vector<Draft> HostCandidates(const Problem& problem, const Config& config, const Chip& chip,
                                  std::string* error);
std::vector<Draft> AmdgpuCandidates(const Problem& problem, const Config& config, const Chip& chip,
                                    std::string* error);
std::vector<Draft> Sm90Candidates(const Problem& problem, const Config& config, const Chip& chip,
                                  std::string* error);

// The number of shares into which stream-K cuts `cut` tiles, if the user did not fix it.
int64_t OpenShares(const Problem& problem, int64_t cut, int64_t tiles_k, int64_t workgroups);

}  // namespace jaxgemm
