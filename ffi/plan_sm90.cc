#include "plan_sm90.h"

#include <algorithm>
#include <cmath>

namespace jaxgemm {
namespace {

bool CanBePeers(int64_t count) { return count >= 2 && count <= kMostPeers; }

}  // namespace

int64_t OpenShares(const Problem& p, int64_t cut, int64_t tiles_k, int64_t workgroups) {
  // Partial sums cost memory traffic: a share is worth at least 512 of k.
  return std::min({workgroups, cut * tiles_k, std::max(cut, cut * p.k / 512)});
}

// Tiles one after another, each k tile as long as its wgmmas or as its bytes take, into one
// multiprocessor or from the L2 to all. From an H100's timings.
std::optional<double> Sm90Cycles(const Problem& p, const Target& target,
                                 const GpuInstance& instance, Sm90Sharing sharing) {
  constexpr double kMacsPerCycle = 2048, kL2Bytes = 6000, kSmBytes = 51, kPerTile = 400,
                   kPerColumn = 6, kMeeting = 5000, kZeroing = 3500, kPartialBytes = 25;
  const int64_t workgroups = target.num_cus * target.waves_per_cu / instance.waves;
  const int64_t tiles_k = CeilDiv(p.k, instance.tile_k);
  const double cluster = static_cast<double>(instance.waves) / 2;
  const double m = static_cast<double>(instance.tile_m) / cluster;
  const double n = static_cast<double>(instance.tile_n), k = static_cast<double>(instance.tile_k);
  const double tiles = static_cast<double>(p.batch) *
                       static_cast<double>(CeilDiv(p.m, instance.tile_m)) *
                       static_cast<double>(CeilDiv(p.n, instance.tile_n));
  const double at_once = static_cast<double>(workgroups);
  const double shares = tiles * static_cast<double>(sharing.peers);
  const double element = static_cast<double>(Bytes(instance.lhs));
  const double ctas = std::min(shares, at_once) * cluster;
  const double per_k =
      std::max({m * n * k * element / 2 / kMacsPerCycle, (m + n) * k * element / kSmBytes,
                (m + n / cluster) * k * element * ctas / kL2Bytes});
  const double epilogue = kPerTile + kPerColumn * n;
  const double tile = static_cast<double>(CeilDiv(tiles_k, sharing.peers)) * per_k + epilogue;
  if (!sharing.cut) return std::ceil(shares / at_once) * tile + (sharing.peers > 1 ? kMeeting : 0);
  if (tiles > 2e9) return std::nullopt;
  const int64_t count = static_cast<int64_t>(tiles);
  const int64_t cut = count < workgroups ? count : count % workgroups;
  const int64_t parts = OpenShares(p, cut, tiles_k, workgroups);
  if (parts <= cut) return std::nullopt;
  // Whoever comes last at a tile adds up the sums of all its peers.
  const double peers = static_cast<double>(CeilDiv(parts, cut) + (parts % cut != 0));
  return static_cast<double>((count - cut) / workgroups) * tile +
         static_cast<double>(CeilDiv(cut * tiles_k, parts)) * per_k + epilogue + kZeroing +
         m * n * 4 / kPartialBytes * (1 + peers);
}

double Sm90ChunkCycles(Problem p, const Target& target, const GpuInstance& instance) {
  constexpr double kWeight = 0.25;  // so that the whole product is not much slower for it
  const int64_t workgroups = target.num_cus * target.waves_per_cu / instance.waves;
  const int64_t tiles_n = std::max<int64_t>(CeilDiv(p.n, instance.tile_n), 1);
  const int64_t rows = std::max(p.tiles_per_chunk, CeilDiv(workgroups, tiles_n)) * instance.tile_m;
  const double parts = std::max(1.0, static_cast<double>(p.m) / static_cast<double>(rows));
  p.m = std::min(p.m, rows);
  // Whole tiles can always be shared out.
  return kWeight * parts * *Sm90Cycles(p, target, instance, {});
}

bool PeersFit(const Problem& p, const GpuInstance& instance, int64_t peers) {
  // As cuOccupancyMaxActiveClusters counts on an H100: clusters lie within a group of
  // multiprocessors, and leave some over.
  constexpr int64_t kClusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
  const double tiles = static_cast<double>(p.batch) *
                       static_cast<double>(CeilDiv(p.m, instance.tile_m)) *
                       static_cast<double>(CeilDiv(p.n, instance.tile_n));
  return CanBePeers(peers) && instance.waves == 2 && instance.tile_n == 128 &&
         CeilDiv(p.k, instance.tile_k) >= peers &&
         tiles <= static_cast<double>(kClusters[peers]);
}

int64_t ClusterPeers(const Problem& p, const Plan& plan, const Target& target) {
  const Config& c = plan.config;
  const int64_t tiles = plan.grid.num_tiles();
  if (target.name != "sm90" || plan.grouped || p.tiles_per_chunk > 0 || tiles == 0 ||
      plan.instance->waves != 2 || plan.instance->tile_n != 128 ||
      c.schedule != Schedule::kStreamK || c.reduction != Reduction::kLinear || c.num_queues ||
      c.num_shares != c.num_workgroups || c.num_shares % tiles) {
    return 1;
  }
  const int64_t peers = c.num_shares / tiles;
  return CanBePeers(peers) && peers <= plan.grid.tiles_k ? peers : 1;
}

Sm90Form ChooseForm(const Problem& p, const Plan& plan) {
  if (plan.cluster_peers > 1) return Sm90Form::kPeers;
  if (!plan.instance || plan.instance->target != "sm90") return Sm90Form::kGeneral;
  const bool claims = plan.stealing() || p.tiles_per_chunk > 0;
  const Sm90Form form = plan.grouped ? Sm90Form::kGrouped
                        : claims     ? Sm90Form::kClaimed
                                     : Sm90Form::kPlain;
  const bool cuts = plan.grouped ? claims || plan.config.num_shares > 0 : plan.cut_tiles > 0;
  const bool is_plain = !cuts && !p.bias && !p.scale && !p.save_preact &&
                        p.activation == Activation::kNone && !p.gated && !p.accumulate &&
                        p.out_dtype == PlainOut(p.lhs_dtype) &&
                        (form != Sm90Form::kPlain || plan.grid.tiles_k >= kPlainKTiles);
  return is_plain && HasForm(*plan.instance, form) ? form : Sm90Form::kGeneral;
}

}  // namespace jaxgemm
