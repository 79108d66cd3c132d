// The candidates on Hopper: tiles, each as it is, cut along k by stream-K or among the CTAs of a
// cluster, and with multicast.
#include "plan/candidates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plan/hopper/forms.h"
#include "plan/hopper/model.h"
#include "plan/tiles.h"
#include "sm90/launch_args.h"

namespace jaxgemm {
namespace {

// Whether clusters of cluster_k CTAs can compute all tiles, with at least one k tile for each CTA.
// In kernels that store out row-major they must compute all tiles at the same time.
bool ClustersFit(const Problem& p, const Chip& chip, const GpuInstance& instance,
                 int64_t cluster_k) {
  constexpr int64_t kRounds = 4;  // limit for kernels that store out^T, not fitted
  const int64_t at_once = ClustersAtOnce(cluster_k, MostPeersForm(instance), chip);
  return CanBePeers(instance.tile_n, cluster_k) && HasForm(instance, KernelForm::kPeers) &&
         CeilDiv(p.k, instance.tile_k) >= cluster_k && NumTiles(p, instance) > 0 &&
         NumTiles(p, instance) <=
             static_cast<double>(instance.transposed ? kRounds * at_once : at_once);
}

// The tiles of a cluster, [rows, columns], whose CTAs load operands for each other: the most of
// which no more rounds of clusters run one after the other than without multicast. If `forced`, any
// number of rounds will do. {1, 1}: none.
std::pair<int64_t, int64_t> MulticastShape(const Problem& p, const Tma& tma, const Chip& chip,
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
    return MayMulticast(tma, instance, tiles_m, tiles_n, cluster_k, m, n);
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

// What a tile of more rows must gain over one for few rows, if the groups have few. The limit and
// the factor are not fitted: with 1, 16 and 128 tokens of five models the tile for few rows was the
// fastest on an H200, also where another one was predicted to be as fast.
double FewRowsMargin(const Problem& p, const Chip&, const Plan& plan) {
  constexpr int64_t kMostRows = 32;
  const bool is_few = p.ragged == Ragged::kM && TypicalGroup(p).m <= kMostRows;
  return is_few && !IsForFewRows(*plan.instance) ? 1.1 : 1;
}
double PredictedCycles(const Problem& p, const Chip& chip, const Plan& plan) {
  return Sm90Cycles(p, chip, plan);
}

}  // namespace

std::vector<Draft> HopperDrafts(const Problem& p, const Config& config, const Chip& chip,
                                std::string* error) {
  const bool stream_k = config.schedule == Schedule::kStreamK || config.num_shares > 0;
  // If the user fixed neither the grid nor the shares, clusters may split tiles along k, and
  // stream-K cuts tiles only if that is faster by estimate.
  const bool plan_decides =
      !p.grouped() && p.tiles_per_chunk == 0 && !config.num_workgroups && !config.num_shares;
  const bool may_share =
      plan_decides && !config.num_queues && !p.block_k && p.quantize_out == QuantizeOut::kNone &&
      config.reduction == Reduction::kLinear && (stream_k || config.schedule == Schedule::kAuto);
  // Whether the form that only casts what has scales of blocks may compute all tiles.
  const bool casts_scaled = CastsScaled(p) && !stream_k && !config.num_queues &&
                            config.schedule != Schedule::kWorkStealing && p.tiles_per_chunk == 0;
  // TMA's facts of the problem, and of out^T's product.
  const Tma as_it_is(p), of_transposed(Transposed(p));
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
                           p.quantize_out == QuantizeOut::kNone &&
                           config.schedule != Schedule::kWorkStealing;
    if (!has_peers || (cluster_k == 1 && !instance.transposed)) return;
    auto [cluster_m, cluster_n] =
        MulticastShape(computed, instance.transposed ? of_transposed : as_it_is, chip, instance,
                       cluster_k, config.multicast == 1);
    if (cluster_m * cluster_n == 1) return;
    drafts.push_back(draft);
    Choice& choice = drafts.back().candidate.plan.choice;
    choice.cluster_m = cluster_m, choice.cluster_n = cluster_n;
  };
  for (const GpuInstance& instance : GpuInstances(chip.target)) {
    // Half of a tile's columns are the gate's, the other half the up projection's. Each half is
    // loaded in multiples of 64 columns.
    if (!Suits(instance, p, config) || (p.gated && instance.tile_n % 128 != 0)) continue;
    if (p.block_k > 0 && !HasForm(instance, ScaledForm(p)) &&
        !(casts_scaled && HasForm(instance, KernelForm::kScaledCast))) {
      continue;
    }
    if (p.quantize_out != QuantizeOut::kNone && !p.block_k &&
        !(as_it_is.reads_both() && HasForm(instance, QuantizedForm(p)))) {
      continue;
    }
    const Problem computed = ComputedBy(instance, p);
    // Kernels that store out^T have a CTA for each tile or share.
    const int64_t at_once = instance.transposed ? kMaxWorkgroups : CtasAtOnce(instance, chip);
    const Draft whole{
        .candidate = {.plan = {.choice = WithInstance(instance, config), .instance = &instance}},
        .scheduling = {.schedule = stream_k ? Schedule::kStreamK : config.schedule,
                       .workgroups = config.num_workgroups ? config.num_workgroups : at_once,
                       .num_queues = [](int64_t) { return 1; },
                       .claims_ahead = true,
                       .decide = ChooseForm,
                       .cost = PredictedCycles,
                       .margin = FewRowsMargin}};
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

}  // namespace jaxgemm
