// What each family of targets has to say of a plan (the folders host, amd and hopper): its drafts
// of candidates, which operands its kernels gather, and whether they have what a plan asks for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace jaxgemm {

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
  int64_t group_m = 8;  // tile rows that are visited together; not fitted
  int64_t num_xcds = 1;
  // Stream-K: the number of shares into which every tile is cut. 0: only tiles of the last round
  // are cut, if that is estimated to be faster.
  int64_t shares_per_tile = 0;
  // Makes the decisions that only this target has, when the plan has its grid.
  void (*decide)(const Problem& problem, const Chip& chip, Plan* plan) = nullptr;
  // Predicts the cost of a plan that has been derived. Null: the candidate has its cost already.
  double (*cost)(const Problem& problem, const Chip& chip, const Plan& plan) = nullptr;
  // Then Candidate::margin is set, too; null: 1.
  double (*margin)(const Problem& problem, const Chip& chip, const Plan& plan) = nullptr;
};

// A candidate with its tile, and what complete.cc decides its schedule from.
struct Draft {
  Candidate candidate;
  Scheduling scheduling;
};

// The drafts of each family. If candidates cost the same, the first of them is chosen. *error is
// set if there is none.
std::vector<Draft> HostDrafts(const Problem& problem, const Config& config, const Chip& chip,
                              std::string* error);
std::vector<Draft> AmdDrafts(const Problem& problem, const Config& config, const Chip& chip,
                             std::string* error);
std::vector<Draft> HopperDrafts(const Problem& problem, const Config& config, const Chip& chip,
                                std::string* error);

// Whether the family's kernels read lhs, or rhs, of a gathered problem by index. Else XLA gathers
// the operand before the call.
bool HostGathers(const Problem& problem, bool is_lhs);
bool AmdGathers(const Problem& problem, bool is_lhs);
bool HopperGathers(const Problem& problem, bool is_lhs);

// Whether the family's kernels have the form, the path and the cluster of a plan that has its grid.
bool HostHas(const Problem& problem, const Plan& plan);
bool AmdHas(const Problem& problem, const Plan& plan);
bool HopperHas(const Problem& problem, const Plan& plan);

}  // namespace jaxgemm
