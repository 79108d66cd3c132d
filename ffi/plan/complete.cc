#include "plan/complete.h"

#include <algorithm>

#include "plan/check.h"
#include "plan/layout.h"
#include "plan/tiles.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

bool HasKernel(const Problem& p, const Plan& plan) {
  auto has = [&](auto gathers, auto has_plan) {
    return (!p.lhs_gathered || gathers(p, true)) && (!p.rhs_gathered || gathers(p, false)) &&
           has_plan(p, plan);
  };
  if (!plan.instance) return has(HostGathers, HostHas);
  return plan.instance->family == Family::kHopper ? has(HopperGathers, HopperHas)
                                                  : has(AmdGathers, AmdHas);
}

// Checks that the schedule computes each tile once, and that the kernel has what the plan asks for.
std::string CheckSchedule(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const int64_t tiles = plan.grid.num_tiles();
  bool fits = false;
  switch (c.schedule) {
    case Schedule::kPersistent: fits = !c.num_queues && !c.cut_tiles && !c.num_shares; break;
    case Schedule::kWorkStealing: fits = c.num_queues && !c.cut_tiles && !c.num_shares; break;
    case Schedule::kStreamK:
      fits = p.grouped() ? !c.cut_tiles && c.num_shares
                         : c.cut_tiles > 0 && c.cut_tiles <= tiles && c.num_shares > c.cut_tiles &&
                               c.num_shares <= c.cut_tiles * plan.grid.tiles_k;
      break;
    case Schedule::kAuto: break;
  }
  if (!fits) {
    return Concat("schedule='", Name(c.schedule), "' with ", Str(c.num_queues), " queues, ",
                  Str(c.cut_tiles), " cut tiles and ", Str(c.num_shares), " shares cannot compute ",
                  Str(tiles), " tiles of ", Str(int64_t{plan.grid.tiles_k}),
                  " k tiles. Trace and compile the function again with this jaxgemm.");
  }
  const bool has_kernel = HasKernel(p, plan);
  if (!has_kernel && c.transposed) {
    return Concat(c.kernel, " computes the transpose of out, and has a workgroup for each of its ",
                  Str(tiles), " tiles or, with schedule='stream_k' and reduction='linear', 2 to ",
                  Str(kMaxClusterSize), " that share a tile; asked for are schedule='",
                  Name(c.schedule), "' and ", Str(c.num_workgroups),
                  " workgroups. Leave schedule and num_workgroups out.");
  }
  if (!has_kernel && plan.instance && HasOnlyDenseForms(*plan.instance)) {
    return Concat(c.kernel, " computes whole tiles of dense products, or with ",
                  "reduction='linear' the same number of shares of each tile. It does not steal ",
                  "work, wait for chunks, or read rows that are no multiple of 16 bytes. Choose ",
                  "another tile_n, or leave kernel and tile out.");
  }
  if (!has_kernel && plan.instance && IsForFewRows(*plan.instance)) {
    return Concat(c.kernel,
                  " computes whole tiles of groups of rows, at a fixed stride. It does not ",
                  "steal work or cut tiles. Leave schedule out, choose another tile_m, or leave ",
                  "kernel and tile out.");
  }
  if (!has_kernel) {
    return Concat("form='", Name(c.form), "' with a cluster of ", Str(c.cluster_m), " x ",
                  Str(c.cluster_n), " x ", Str(c.cluster_k), " is none of ", c.kernel,
                  " for this product. Trace and compile the function again with this jaxgemm.");
  }
  return "";
}

// SetGrid, for an lhs in chunks with the check of these.
std::string SetCheckedGrid(const Problem& p, Plan* plan) {
  const std::string error = SetGrid(p, plan);
  if (!error.empty() || p.tiles_per_chunk == 0) return error;
  return CheckChunks(p, plan->choice.tile_m, plan->grid.tiles_m);
}

// For a plan that has its grid: the checks that need it, and the workspace.
std::string CheckAndLayOut(const Problem& p, Plan* plan) {
  const std::string error = CheckSchedule(p, *plan);
  if (!error.empty()) return error;
  LayOutWorkspace(p, plan);
  if (plan->workspace_bytes > kWorkspaceCap) {
    const Choice& c = plan->choice;
    return "the workspace would take " + Str(plan->workspace_bytes) + " bytes, and the cap is " +
           Str(kWorkspaceCap) + " (" + Str(kWorkspaceCapMiB) +
           " MiB). Use fewer workgroups or a smaller tile than " + Str(c.num_workgroups) +
           " workgroups of " + Str(c.out_tile_m()) + "x" + Str(c.out_tile_n()) + ".";
  }
  return "";
}

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

}  // namespace

std::string Complete(const Problem& p, const Config& asked, const Chip& chip, Scheduling s,
                     Candidate* candidate) {
  Plan& plan = candidate->plan;
  Choice& c = plan.choice;
  const bool chunked = p.tiles_per_chunk > 0;
  std::string error = SetCheckedGrid(p, &plan);
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
  if (s.decide) s.decide(p, chip, &plan);
  return CheckAndLayOut(p, &plan);
}

std::string Derive(const Problem& p, const Choice& c, Plan* plan) {
  std::string error;
  const Chip chip = FirstChip(c.target, &error);
  if (error.empty()) error = CheckProblem(p, chip);
  if (error.empty()) error = CheckChoice(p, c, chip);
  if (!error.empty()) return error;
  *plan = Plan{.choice = c};
  if (chip.gpu()) plan->instance = FindGpuInstance(c.target, c.kernel);
  error = SetCheckedGrid(p, plan);
  return error.empty() ? CheckAndLayOut(p, plan) : error;
}

}  // namespace jaxgemm
