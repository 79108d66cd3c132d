#include "plan/candidates.h"

#include <algorithm>
#include <utility>

#include "plan/check.h"
#include "plan/derive.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// Stream-K: chooses the number of shares into which the tiles of the last, partial round are cut
// along k. cut_tiles stays 0 if nothing can be cut.
std::string CutTiles(const Problem& p, const Config& asked, const Scheduling& s, Plan* plan,
                     Candidate* candidate) {
  Choice& c = plan->choice;
  const int64_t tiles = plan->grid.num_tiles(), tiles_k = plan->grid.tiles_k;
  const int64_t cut = tiles < s.workgroups ? tiles : tiles % s.workgroups;
  candidate->last_round = cut;
  int64_t shares = asked.num_shares ? asked.num_shares : c.num_shares;
  if (shares && cut * tiles_k <= cut) {
    return "num_shares=" + Str(shares) + ", but there is nothing to cut: " + Str(cut) +
           " tiles of " + Str(tiles_k) +
           " k tiles are left to share. Use a smaller tile_k, or leave num_shares out.";
  }
  if (shares && (shares <= cut || shares > cut * tiles_k)) {
    return "num_shares=" + Str(shares) + "; allowed are " + Str(cut + 1) + " to " +
           Str(cut * tiles_k) + ", the k tiles of the " + Str(cut) + " cut tiles.";
  }
  if (!shares) {
    shares = asked.num_workgroups ? std::min(s.workgroups, cut * tiles_k)
                                  : OpenShares(p, cut, tiles_k, s.workgroups);
  }
  if (shares <= cut) return "";
  c.cut_tiles = cut, c.num_shares = shares;
  // If the user fixed nothing of the cut, the workspace stays under its cap.
  const bool open = !asked.num_shares && !asked.num_workgroups && !s.shares_per_tile;
  while (open && c.num_shares > cut + 1) {
    LayOutWorkspace(p, plan);
    if (plan->workspace_bytes <= kWorkspaceCap) break;
    c.num_shares = std::max(cut + 1, c.num_shares / 2);
    candidate->fewer_shares = true;
  }
  return "";
}

// Grouped stream-K: chooses the largest number of shares into which the kernel may cut. Only the
// kernel knows the tiles.
void ChooseGroupedShares(const Problem& p, const Config& asked, int64_t workgroups, Plan* plan,
                         Candidate* candidate) {
  Choice& c = plan->choice;
  if (plan->grid.tiles_k < 2) return;  // there is nothing to cut
  c.num_shares = asked.num_shares ? asked.num_shares : workgroups;
  LayOutWorkspace(p, plan);
  while (plan->workspace_bytes > kWorkspaceCap && c.num_shares > 2) {
    c.num_shares /= 2;
    candidate->fewer_shares = true;
    LayOutWorkspace(p, plan);
  }
}

// Completes a candidate: cut tiles, shares, queues, order of tiles, workgroups. Returns the error
// if the configuration does not fit the problem.
std::string Complete(const Problem& p, const Config& asked, const Chip& chip, Scheduling s,
                     Candidate* candidate) {
  Plan plan{.choice = candidate->choice};
  Choice& c = plan.choice;
  const bool chunked = p.tiles_per_chunk > 0;
  std::string error = SetGrid(p, &plan);
  if (error.empty() && chunked) error = CheckChunks(p, c.tile_m, plan.grid.tiles_m);
  if (!error.empty()) return error;
  const int64_t tiles = plan.grid.num_tiles();
  if (s.needs_rounds && tiles <= s.workgroups) return "There are not more tiles than workgroups.";
  if (s.workgroup_per_tile) s.workgroups = tiles;
  if (s.workgroup_per_tile && tiles > kMaxWorkgroups) return "There are too many tiles.";
  c.num_queues = asked.num_queues;
  if (s.shares_per_tile) s.workgroups = c.num_shares = tiles * s.shares_per_tile;

  if (s.schedule == Schedule::kStreamK) {
    if (p.grouped()) {
      ChooseGroupedShares(p, asked, s.workgroups, &plan, candidate);
      if (!c.num_shares) s.schedule = Schedule::kAuto;
    } else {
      if (s.cuts) error = CutTiles(p, asked, s, &plan, candidate);
      if (!error.empty()) return error;
      if (!c.cut_tiles) {
        s.schedule = c.num_queues ? Schedule::kWorkStealing : Schedule::kPersistent;
      }
    }
  }
  if (s.schedule == Schedule::kAuto) {
    const bool steals = (s.steals && tiles > s.workgroups && s.workgroups > 1) || c.num_queues;
    s.schedule = steals ? Schedule::kWorkStealing : Schedule::kPersistent;
  }
  c.schedule = s.schedule;
  if (c.schedule == Schedule::kWorkStealing && !c.num_queues) {
    // Each queue has a part of the rows. With several queues the workgroups of the last one would
    // wait for the last chunk from their start on.
    c.num_queues = chunked ? 1 : s.num_queues(tiles);
  }
  c.claim_ahead =
      asked.claim_ahead < 0 ? s.claims_ahead && c.num_queues > 0 : asked.claim_ahead != 0;

  c.num_xcds = s.num_xcds;
  // While chunks arrive, no more tile rows than a chunk has are visited together, so that the first
  // tiles need only the first chunk. With cut tiles this is decided here and not at the launch,
  // because the same tiles must be cut on every run.
  c.group_m = asked.group_m                ? asked.group_m
              : chunked && c.cut_tiles > 0 ? std::min(s.group_m, p.tiles_per_chunk)
                                           : s.group_m;
  error = SetGrid(p, &plan);
  if (!error.empty()) return error;
  c.order_at_launch = !asked.group_m && chunked && p.tiles_per_chunk < plan.grid.group_m;
  c.num_workgroups = asked.num_workgroups
                         ? asked.num_workgroups
                         : std::max<int64_t>(1, std::min(s.workgroups, plan.num_indices()));
  if (s.finish) s.finish(p, chip, &plan);
  candidate->choice = c;
  return "";
}

}  // namespace

// A share has a k of at least 512, because partial sums cost memory traffic. The number was chosen
// by hand.
int64_t OpenShares(const Problem& p, int64_t cut, int64_t tiles_k, int64_t workgroups) {
  return std::min({workgroups, cut * tiles_k, std::max(cut, cut * p.k / 512)});
}

Problem TypicalGroup(Problem p) {
  constexpr int64_t kLeast = 32;  // chosen by hand: the rows, or the k, of a typical group at least
  const int64_t groups = std::max<int64_t>(p.local_groups, 1);
  if (p.ragged == Ragged::kM) p.m = std::min(p.m, std::max(kLeast, CeilDiv(p.m, groups)));
  if (p.ragged == Ragged::kK) p.k = std::min(p.k, std::max(kLeast, CeilDiv(p.k, groups)));
  if (p.grouped()) p.batch *= groups;
  p.n = p.num_columns();
  return p;
}

double NumTiles(const Problem& p, const GpuInstance& instance) {
  return static_cast<double>(p.batch) * static_cast<double>(CeilDiv(p.m, instance.tile_m)) *
         static_cast<double>(CeilDiv(p.n, instance.tile_n));
}

bool Suits(const GpuInstance& instance, const Problem& p, const Config& c, const Chip& chip) {
  return Computes(instance, p, chip) && (c.kernel.empty() || c.kernel == instance.name) &&
         (!c.tile_m || c.tile_m == instance.out_tile_m()) &&
         (!c.tile_n || c.tile_n == instance.out_tile_n()) &&
         (!c.tile_k || c.tile_k == instance.tile_k);
}

Choice WithInstance(const GpuInstance& instance, const Config& config, const Chip& chip) {
  return {.target = chip.target,
          .kernel = instance.name,
          .reduction = config.reduction,
          .tile_m = instance.tile_m,
          .tile_n = instance.tile_n,
          .tile_k = instance.tile_k,
          .transposed = instance.transposed};
}

std::vector<Candidate> Candidates(const Problem& p, const Config& config, const Chip& chip,
                                  std::string* error) {
  *error = CheckProblem(p, chip);
  if (error->empty()) *error = CheckConfig(config);
  if (!error->empty()) return {};
  if (config.num_shares && config.schedule != Schedule::kStreamK &&
      config.schedule != Schedule::kAuto) {
    *error = "num_shares=" + Str(config.num_shares) + " is stream-K's; the schedule is '" +
             Str(Name(config.schedule)) + "'. Use schedule='stream_k'.";
    return {};
  }
  if (config.multicast == 1 && chip.target != "sm90") {
    *error = "multicast=True is for Hopper GPUs (sm90); this is " + Str(chip.target) +
             ". Leave multicast out.";
    return {};
  }
  auto* of_target = !chip.gpu()             ? HostCandidates
                    : chip.target == "sm90" ? Sm90Candidates
                                            : AmdgpuCandidates;
  std::vector<Draft> drafts = of_target(p, config, chip, error);
  std::vector<Candidate> candidates;
  for (auto& [candidate, scheduling] : drafts) {
    Plan plan;
    std::string reason = Complete(p, config, chip, scheduling, &candidate);
    if (reason.empty()) reason = Derive(p, candidate.choice, &plan);
    if (reason.empty()) {
      if (scheduling.margin) candidate.margin = scheduling.margin(p, chip, plan);
      if (scheduling.cost) candidate.cost = candidate.margin * scheduling.cost(p, chip, plan);
      candidates.push_back(candidate);
    } else if (error->empty()) {
      *error = std::move(reason);
    }
  }
  if (!candidates.empty()) error->clear();
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return candidates;
}

Candidate Choose(const Problem& p, const Config& config, const Chip& chip, std::string* error) {
  const std::vector<Candidate> candidates = Candidates(p, config, chip, error);
  return candidates.empty() ? Candidate{} : candidates.front();
}

std::string MakePlan(const Problem& p, const Config& config, const Chip& chip, Plan* plan) {
  std::string error;
  const Candidate chosen = Choose(p, config, chip, &error);
  return error.empty() ? Derive(p, chosen.choice, plan) : error;
}

}  // namespace jaxgemm
