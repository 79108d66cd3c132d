// Candidates on AMD GPUs.
#include <algorithm>

#include "plan/candidates.h"
#include "plan/check.h"

namespace jaxgemm {
namespace {

// Queues of one XCD. One queue keeps its CUs' tiles together in the L2; more spare the CUs the wait
// for each other. The thresholds are tritonBLAS's (ROCm/tritonBLAS PR 64).
int64_t QueuesPerXcd(int64_t tiles) {
  return tiles <= 512 ? 8 : tiles <= 1536 ? 4 : tiles <= 2048 ? 2 : 1;
}

}  // namespace

std::vector<Draft> AmdgpuCandidates(const Problem& p, const Config& config, const Chip& chip,
                                    std::string* error) {
  const Problem typical = TypicalGroup(p);
  // Few output tiles and a long k.
  const bool deep = p.k >= 4096 && p.k >= 8 * std::max(p.m, p.n) && p.batch == 1 && !p.grouped();
  std::vector<Draft> drafts;
  for (const GpuInstance& instance : GpuInstances()) {
    if (!Suits(instance, p, config, chip)) continue;
    Candidate candidate{.choice = WithInstance(instance, config, chip)};
    // In floating point nothing overflows.
    const double tiles = static_cast<double>(typical.batch) *
                         static_cast<double>(CeilDiv(typical.m, instance.tile_m)) *
                         static_cast<double>(CeilDiv(typical.n, instance.tile_n));
    // A rule until there are timings: the largest tile that gives each CU one, or else the
    // smallest.
    const double area = static_cast<double>(instance.tile_m * instance.tile_n);
    const bool fills =
        tiles >= static_cast<double>(config.num_workgroups ? config.num_workgroups : chip.num_cus);
    candidate.cost = fills ? 1 / area : area;
    Scheduling s{
        .schedule = config.schedule,
        .workgroups = config.num_workgroups ? config.num_workgroups
                                            : chip.num_cus * chip.waves_per_cu / instance.waves,
        .steals = true,
        .num_queues = [xcds = chip.num_xcds](int64_t all) { return xcds * QueuesPerXcd(all); },
        .claims_ahead = true,
        .num_xcds = chip.num_xcds};
    if (s.schedule == Schedule::kAuto && (deep || config.num_shares)) {
      s.schedule = Schedule::kStreamK;
    }
    drafts.push_back({candidate, s});
  }
  if (drafts.empty()) *error = NoInstance(p, config, chip);
  return drafts;
}

}  // namespace jaxgemm
