// The candidates of each target: plan/host.cc, plan/amdgpu.cc and plan/sm90.cc. What they have in
// common is plan/candidates.cc.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace jaxgemm {

// A group's share of a grouped problem, with all columns, for the choice of the tile. Other
// problems as they are, but for a gated one's n, which counts both matrices' columns.
Problem TypicalGroup(Problem problem);

// Whether a GPU kernel computes the problem and is what the configuration asks for.
bool Suits(const GpuInstance& instance, const Problem& problem, const Config& config,
           const Chip& chip);

// Takes the kernel's name and tile, and what the user fixed, into a choice.
Choice WithInstance(const GpuInstance& instance, const Config& config, const Chip& chip);

// What a target decides of a schedule, for a candidate whose tile is set.
struct Scheduling {
  Schedule schedule = Schedule::kAuto;  // kAuto: whole tiles, persistent or stolen
  int64_t workgroups = 0;               // that run at the same time
  bool cuts = true;                     // stream-K may cut tiles
  bool steals = false;                  // where there are more tiles than workgroups
  // Queues of a schedule that steals, by the number of tiles.
  std::function<int64_t(int64_t tiles)> num_queues;
  bool claims_ahead = false;
  int64_t group_m = 8;
  int64_t num_xcds = 1;
  // Stream-K: all tiles are cut, each into so many shares; 0: those of the last wave, as it is
  // worth.
  int64_t shares_per_tile = 0;
  // Completes what only the target has, of a plan with a grid.
  void (*finish)(const Problem& problem, const Chip& chip, Plan* plan) = nullptr;
  // Predicts the cost of a plan that has been derived; null where the draft has it already.
  double (*cost)(const Problem& problem, const Chip& chip, const Plan& plan) = nullptr;
};

// A candidate with its tile, whose schedule is to be worked out.
struct Draft {
  Candidate candidate;
  Scheduling scheduling;
};

// Of candidates that cost the same the first is chosen. Sets *error where there is none.
std::vector<Draft> HostCandidates(const Problem& problem, const Config& config, const Chip& chip,
                                  std::string* error);
std::vector<Draft> AmdgpuCandidates(const Problem& problem, const Config& config, const Chip& chip,
                                    std::string* error);
std::vector<Draft> Sm90Candidates(const Problem& problem, const Config& config, const Chip& chip,
                                  std::string* error);

// Stream-K's number of shares of `cut` tiles, where it is open.
int64_t OpenShares(const Problem& problem, int64_t cut, int64_t tiles_k, int64_t workgroups);

}  // namespace jaxgemm
