#include "plan/sm90.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plan/candidates.h"
#include "plan/check.h"
#include "plan/relayout_sm90.h"
#include "plan/sm90_model.h"
#include "sm90/launch_args.h"

namespace jaxgemm {
namespace {

// Whether TMA moves all arrays, and out has the type that the plain forms store.
bool IsStoredByTma(const Problem& p) {
  return TmaMovesAll(p) && p.out_dtype == PlainOut(p.lhs_dtype);
}
// Whether the plain forms store the result.
bool IsPlainProduct(const Problem& p) { return IsStoredByTma(p) && HasNoEpilogue(p); }
// Whether a dense product can have a fused form. These forms have any epilogue that is not gated.
bool CanBeFused(const Problem& p) { return TmaReadsLhs(p) && TmaReadsRhs(p) && !p.gated; }

// Whether a form that loads both operands by TMA stores the product's result.
bool Stores(const Problem& p, const GpuInstance& instance, KernelForm form) {
  if (RhsInRegisters(instance, form)) return RegistersReadRhs(p);
  if (HasOnlyVectors(form, instance.lhs, instance.tile_n)) {
    return IsStoredByTma(p) && NeedsOnlyVectors(p);
  }
  switch (StoreOf(form)) {
    case FormStore::kGated: return p.gated && IsStoredByTma(p);
    case FormStore::kWide:
      return TmaMovesAll(p) && p.out_dtype == DType::kF32 && (p.accumulate || HasNoEpilogue(p));
    case FormStore::kFused: return CanBeFused(p);
    default: return IsPlainProduct(p);
  }
}

// The product that the instance computes.
Problem Computed(const GpuInstance& instance, const Problem& p) {
  return instance.transposed ? Transposed(p) : p;
}

// The form with peers of which a multiprocessor runs most CTAs at once.
KernelForm MostPeersForm(const GpuInstance& instance) {
  return HasForm(instance, KernelForm::kPeersHalfSm) ? KernelForm::kPeersHalfSm
                                                     : KernelForm::kPeers;
}

// Whether clusters of cluster_k CTAs can compute all tiles, with at least one k tile for each CTA.
// In kernels that store out row-major they must compute all tiles at the same time.
bool ClustersFit(const Problem& p, const Chip& chip, const GpuInstance& instance,
                 int64_t cluster_k) {
  constexpr int64_t kRounds = 4;  // limit for kernels that store out^T, chosen by hand
  const int64_t at_once = ClustersAtOnce(cluster_k, MostPeersForm(instance), chip);
  return CanBePeers(instance.tile_n, cluster_k) && HasForm(instance, KernelForm::kPeers) &&
         CeilDiv(p.k, instance.tile_k) >= cluster_k && NumTiles(p, instance) > 0 &&
         NumTiles(p, instance) <=
             static_cast<double>(instance.transposed ? kRounds * at_once : at_once);
}

// The number of CTAs that share each tile, if a cluster can do what this stream-K plan asks for:
// every tile has the same number of shares, and every workgroup has one share. Else 1.
int64_t ClusterK(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const GpuInstance& instance = *FindGpuInstance(c.target, c.kernel);
  const int64_t tiles = plan.grid.num_tiles();
  if (p.grouped() || p.block_k > 0 || p.tiles_per_chunk > 0 || tiles == 0 ||
      !HasForm(instance, KernelForm::kPeers) || c.schedule != Schedule::kStreamK ||
      c.reduction != Reduction::kLinear || c.num_queues || c.num_shares != c.num_workgroups ||
      c.num_shares % tiles) {
    return 1;
  }
  const int64_t ctas = c.num_shares / tiles;
  return CanBePeers(instance.tile_n, ctas) && ctas <= plan.grid.tiles_k ? ctas : 1;
}

// Whether the CTAs of clusters of cluster_m x cluster_n tiles may load operands for each other, if
// the product has tiles_m x tiles_n tiles. In a cluster of 2 x 2 tiles each CTA must receive
// something from another one in every k tile. Else it would run ahead, and its next release of a
// stage would be taken for that of a CTA which still reads the stage. So there must be no cluster
// of which three tiles are outside of out (tests/protocols/multicast.py shows it).
bool MayMulticast(const Problem& p, const GpuInstance& instance, int64_t tiles_m, int64_t tiles_n,
                  int64_t cluster_k, int64_t cluster_m, int64_t cluster_n) {
  const bool has_one_tile = tiles_m % 2 == 1 && tiles_n % 2 == 1;
  return MayMulticast(instance, KernelForm::kPeers) && TmaReadsLhs(p) && TmaReadsRhs(p) &&
         cluster_m <= std::min<int64_t>(tiles_m, kMostSharers) &&
         cluster_n <= std::min<int64_t>(tiles_n, kMostSharers) &&
         cluster_k * cluster_m * cluster_n <= kMaxClusterSize &&
         !(cluster_m * cluster_n == 4 && has_one_tile);
}

// The same for a plan that has clusters.
bool MayMulticast(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  return MayMulticast(Computed(*plan.instance, p), *plan.instance, plan.grid.tiles_m,
                      plan.grid.tiles_n, c.cluster_k, c.cluster_m, c.cluster_n);
}

// Whether a CTA can count the k tiles of all its work tiles. Dense forms in clusters count those of
// which they release the stage (Multiplier in sm90/mainloop.h). A count that overflows would
// release none, and the kernel would wait for ever.
bool CountsKTiles(const Plan& plan) {
  const int64_t rounds = CeilDiv(int64_t{plan.grid.num_tiles()}, plan.choice.num_workgroups);
  return rounds <= std::numeric_limits<Index>::max() / std::max<int64_t>(plan.grid.tiles_k, 1);
}

// Whether a form without peers has all that the plan needs.
bool FormFits(const Problem& p, const Plan& plan, const GpuInstance& instance, KernelForm form) {
  const Choice& c = plan.choice;
  if (IsScaled(form) || p.block_k > 0) {
    return IsScaled(form) && p.block_k > 0 && HasForm(instance, form);
  }
  if (IsGeneral(form)) return true;
  const bool claims = plan.stealing() || p.tiles_per_chunk > 0;
  const bool cuts = p.grouped() ? claims || c.num_shares > 0 : c.cut_tiles > 0;
  const int64_t least_k = p.grouped() ? 0 : AlwaysPingPongs(form) ? kPingPongKTiles : 1;
  const bool suits = IsGrouped(form) ? p.grouped() : !p.grouped() && claims == IsClaimed(form);
  return suits && !cuts && Stores(p, instance, form) && plan.grid.tiles_k >= least_k &&
         (!IsDense(form) || CountsKTiles(plan)) && HasForm(instance, form);
}

void ChooseForm(const Problem& p, const Chip& chip, Plan* plan) {
  Choice& c = plan->choice;
  c.cluster_k = ClusterK(p, *plan);
  if (c.cluster_k > 1 || c.transposed) {
    c.form = KernelForm::kPeers;
    const bool fits =
        ClusterGrid(*plan).num_tiles() <= ClustersAtOnce(plan->cluster_size(), c.form, chip);
    if (!fits) c.form = MostPeersForm(*FindGpuInstance(c.target, c.kernel));
    return;
  }
  if (p.block_k > 0) {
    c.form = KernelForm::kScaled;
    return;
  }
  const GpuInstance& instance = *FindGpuInstance(c.target, c.kernel);
  const bool ping_pongs =
      PingPongs(p, instance, static_cast<double>(plan->grid.num_tiles()), c.num_workgroups);
  const KernelForm grouped = p.gated                                     ? KernelForm::kGroupedGated
                             : Stores(p, instance, KernelForm::kGrouped) ? KernelForm::kGrouped
                             : p.out_dtype == DType::kF32 ? KernelForm::kGroupedWide
                                                          : KernelForm::kGroupedVectors;
  const KernelForm form = p.grouped()                                 ? grouped
                          : plan->stealing() || p.tiles_per_chunk > 0 ? KernelForm::kClaimed
                          : IsPlainProduct(p)
                              ? ping_pongs ? KernelForm::kPingPong : KernelForm::kPlain
                          : ping_pongs ? KernelForm::kFusedPingPong
                                       : KernelForm::kFused;
  if (FormFits(p, *plan, instance, form)) c.form = form;
}

double CyclesOfPlan(const Problem& p, const Chip& chip, const Plan& plan) {
  return Sm90Cycles(p, chip, plan);
}

// The tiles of a cluster, [rows, columns], whose CTAs load operands for each other: the most of
// which no more rounds of clusters run one after the other than without multicast. If `forced`, any
// number of rounds will do. {1, 1}: none.
std::pair<int64_t, int64_t> MulticastShape(const Problem& p, const Chip& chip,
                                           const GpuInstance& instance, int64_t cluster_k,
                                           bool forced) {
  constexpr std::pair<int64_t, int64_t> kShapes[] = {{2, 2}, {2, 1}, {1, 2}};
  const int64_t tiles_m = CeilDiv(p.m, instance.tile_m), tiles_n = CeilDiv(p.n, instance.tile_n);
  auto rounds = [&](int64_t m, int64_t n) {
    const auto clusters = static_cast<double>(CeilDiv(tiles_m, m) * CeilDiv(tiles_n, n)) *
                          static_cast<double>(p.batch);
    const int64_t at_once = ClustersAtOnce(cluster_k * m * n, KernelForm::kPeers, chip);
    return std::ceil(clusters / static_cast<double>(at_once));
  };
  auto fits = [&](int64_t m, int64_t n) {
    return MayMulticast(p, instance, tiles_m, tiles_n, cluster_k, m, n);
  };
  for (auto [m, n] : kShapes) {
    if (fits(m, n) && rounds(m, n) <= rounds(1, 1)) return {m, n};
  }
  for (auto [m, n] : kShapes) {
    if (forced && fits(m, n)) return {m, n};
  }
  return {1, 1};
}

// Whether stream-K can cut the last round into more shares than it has tiles, each with a k that is
// long enough (OpenShares).
bool Cuts(const Problem& p, const GpuInstance& instance, int64_t workgroups) {
  constexpr double kMaxTiles = 2e9;  // keeps `count` in range
  const double tiles = NumTiles(p, instance);
  if (tiles > kMaxTiles) return false;
  const int64_t count = static_cast<int64_t>(tiles);
  const int64_t cut = count < workgroups ? count : count % workgroups;
  return OpenShares(p, cut, CeilDiv(p.k, instance.tile_k), workgroups) > cut;
}

}  // namespace

// The numbers are those that cuOccupancyMaxActiveClusters returns on an H100 of 132
// multiprocessors. A cluster lies within one group of multiprocessors (a GPC), so some
// multiprocessors are left over. Chips with another number of multiprocessors are assumed to run
// clusters in proportion.
int64_t ClustersAtOnce(int64_t ctas, KernelForm form, const Chip& chip) {
  constexpr int64_t kClusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
  return kClusters[ctas] * Sm90CtasPerSm(form) * chip.num_cus / kClusters[1];
}

bool NeedsOnlyVectors(const Problem& p) {
  return !p.save_preact && p.activation == Activation::kNone && !p.gated && !p.accumulate;
}

bool HasNoEpilogue(const Problem& p) { return !p.has_vectors() && NeedsOnlyVectors(p); }

bool HasShortEpilogue(const Problem& p, const GpuInstance& instance) {
  return HasNoEpilogue(p) && IsWideFloat(p.out_dtype) && p.lhs_dtype != DType::kS8 &&
         (instance.transposed || p.out_dtype != DType::kF32);
}

bool StoresLines(const Problem& p, const GpuInstance& instance) {
  return instance.transposed && NeedsOnlyVectors(p) && !p.row_scale && p.m % 8 == 0 &&
         p.out_dtype == PlainOut(p.lhs_dtype);
}

bool PingPongs(const Problem& p, const GpuInstance& instance, double tiles, int64_t workgroups) {
  const KernelForm form = IsPlainProduct(p) ? KernelForm::kPingPong : KernelForm::kFusedPingPong;
  return HasForm(instance, form) && Stores(p, instance, form) &&
         tiles > static_cast<double>(workgroups) &&
         CeilDiv(p.k, instance.tile_k) >= kPingPongKTiles;
}

std::vector<Draft> Sm90Candidates(const Problem& p, const Config& config, const Chip& chip,
                                  std::string* error) {
  const bool stream_k = config.schedule == Schedule::kStreamK || config.num_shares > 0;
  // If the user fixed neither the grid nor the shares, clusters may split tiles along k, and
  // stream-K cuts tiles only if that is faster by estimate.
  const bool plan_decides =
      !p.grouped() && p.tiles_per_chunk == 0 && !config.num_workgroups && !config.num_shares;
  const bool may_share = plan_decides && !config.num_queues && !p.block_k &&
                         config.reduction == Reduction::kLinear &&
                         (stream_k || config.schedule == Schedule::kAuto);
  std::vector<Draft> drafts;
  // Adds the draft, and the same draft with multicast.
  auto add = [&](const GpuInstance& instance, const Problem& computed, const Draft& draft) {
    const double tiles = std::max(1.0, NumTiles(computed, instance));
    const int64_t cluster_k =
        draft.scheduling.shares_per_tile
            ? draft.scheduling.shares_per_tile
            : std::max<int64_t>(1, static_cast<int64_t>(config.num_shares / tiles));
    if (config.multicast != 1) drafts.push_back(draft);
    if (config.multicast == 0 || !MayMulticast(instance, KernelForm::kPeers)) return;
    // Tiles that are cut for the last round, claimed, grouped or awaited have no form with peers.
    const bool has_peers = (plan_decides || config.multicast == 1) && !p.grouped() &&
                           p.tiles_per_chunk == 0 && !p.block_k && !config.num_queues &&
                           config.schedule != Schedule::kWorkStealing;
    if (!has_peers || (cluster_k == 1 && !instance.transposed)) return;
    auto [cluster_m, cluster_n] =
        MulticastShape(computed, chip, instance, cluster_k, config.multicast == 1);
    if (cluster_m * cluster_n == 1) return;
    drafts.push_back(draft);
    Choice& choice = drafts.back().candidate.choice;
    choice.cluster_m = cluster_m, choice.cluster_n = cluster_n;
  };
  for (const GpuInstance& instance : GpuInstances()) {
    // Half of a tile's columns are the gate's, the other half the up projection's. Each half is
    // loaded in multiples of 64 columns.
    if (!Suits(instance, p, config, chip) || (p.gated && instance.tile_n % 128 != 0)) continue;
    if (p.block_k > 0 && !HasForm(instance, KernelForm::kScaled)) continue;
    const Problem computed = Computed(instance, p);
    // Kernels that store out^T have a CTA for each tile or share.
    const int64_t at_once =
        instance.transposed ? kMaxWorkgroups : chip.num_cus * chip.waves_per_cu / instance.waves;
    const Draft whole{
        .candidate = {.choice = WithInstance(instance, config, chip)},
        .scheduling = {.schedule = stream_k ? Schedule::kStreamK : config.schedule,
                       .workgroups = config.num_workgroups ? config.num_workgroups : at_once,
                       .num_queues = [](int64_t) { return 1; },
                       .claims_ahead = true,
                       .finish = ChooseForm,
                       .cost = CyclesOfPlan}};
    Draft uncut = whole;
    if (plan_decides && stream_k) {
      uncut.scheduling.cuts = false;
      uncut.candidate.whole_is_faster = true;
      if (!instance.transposed && Cuts(p, instance, at_once)) add(instance, computed, whole);
    }
    add(instance, computed, uncut);
    for (int64_t cluster_k = 2; may_share && cluster_k <= kMaxClusterSize; ++cluster_k) {
      if (!ClustersFit(computed, chip, instance, cluster_k)) continue;
      Draft shared = whole;
      shared.scheduling.schedule = Schedule::kStreamK;
      shared.scheduling.shares_per_tile = cluster_k;
      add(instance, computed, shared);
    }
  }
  if (drafts.empty()) *error = NoInstance(p, config, chip);
  return drafts;
}

bool HasSm90Form(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const int64_t tiles = plan.grid.num_tiles();
  // Each CTA of a kernel that stores out^T has one tile or one share.
  if (c.transposed && c.target == "sm90") {
    return IsPeers(c.form) && HasForm(*plan.instance, c.form) &&
           (c.cluster_m * c.cluster_n == 1 || MayMulticast(p, plan)) && !c.num_queues &&
           ClusterK(p, plan) == c.cluster_k && c.cut_tiles == (c.cluster_k > 1 ? tiles : 0) &&
           c.num_workgroups == tiles * c.cluster_k;
  }
  if (plan.cluster_size() > 1 && c.target != "sm90") return false;
  if (c.cluster_m * c.cluster_n > 1 && !(IsPeers(c.form) && MayMulticast(p, plan))) return false;
  if (c.cluster_k > 1 || IsPeers(c.form)) {
    return plan.instance && c.target == "sm90" && c.form == KernelForm::kPeers && c.cluster_k > 1 &&
           ClusterK(p, plan) == c.cluster_k && c.cut_tiles == tiles;
  }
  if (c.target == "sm90") {
    return HasForm(*plan.instance, c.form) && FormFits(p, plan, *plan.instance, c.form);
  }
  if (!plan.instance) return IsGeneral(c.form);
  return c.form == p.scales_form() && HasForm(*plan.instance, c.form);
}

TileGrid ClusterGrid(const Plan& plan) {
  const Choice& c = plan.choice;
  auto index = [](int64_t count) { return static_cast<Index>(count); };
  TileGrid grid = plan.grid;
  // With multicast and an odd number of tile rows or columns, CTAs at the end compute tiles that
  // are not stored.
  grid.tiles_m = index(CeilDiv(grid.tiles_m, c.cluster_m));
  grid.tiles_n = index(CeilDiv(grid.tiles_n, c.cluster_n));
  // With clusters of 1 x 2 tiles, consecutive clusters have the same rows.
  grid.group_m = c.cluster_m < c.cluster_n ? 1 : std::min(grid.group_m, grid.tiles_m);
  return grid;
}

}  // namespace jaxgemm
