#include "plan/sm90.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace jaxgemm {
namespace {

// Whether out is what was summed up.
bool IsStoredPlainly(const Problem& p) {
  return !p.bias && !p.scale && !p.save_preact && p.activation == Activation::kNone && !p.gated &&
         !p.accumulate && p.out_dtype == PlainOut(p.lhs_dtype);
}

// Whether whole tiles are multiplied and stored by warpgroups that take turns: with one tile a CTA,
// one of them would have nothing to do.
bool TakesTurns(const Problem& p, const GpuInstance& instance, double tiles, int64_t workgroups) {
  return HasForm(instance, Sm90Form::kPingPong) && IsStoredPlainly(p) &&
         tiles > static_cast<double>(workgroups) && CeilDiv(p.k, instance.tile_k) >= kPlainKTiles;
}

// Clusters that run at once, by their CTAs, as cuOccupancyMaxActiveClusters counts on an H100: they
// lie within a group of multiprocessors, and leave some over.
constexpr int64_t kClusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};

}  // namespace

int64_t OpenShares(const Problem& p, int64_t cut, int64_t tiles_k, int64_t workgroups) {
  // Partial sums cost memory traffic: a share is worth at least 512 of k.
  return std::min({workgroups, cut * tiles_k, std::max(cut, cut * p.k / 512)});
}

// Tiles one after another, each k tile as long as its wgmmas, its bytes into one multiprocessor and
// those from the L2 to all take, which get into each other's way, and CTAs that share rhs wait for
// each other; and what the last store takes, which nothing hides. Where warpgroups take turns, no
// other store costs time, and what the L2 has is waited for less, as long as neighbours have
// neighbouring tiles: not where they are claimed. Fitted to an H200's timings of 259 products.
std::optional<double> Sm90Cycles(const Problem& p, const Target& target,
                                 const GpuInstance& instance, Sm90Sharing sharing) {
  constexpr double kMacsPerCycle = 2048, kL2Bytes = 9000, kSmBytes = 150, kNorm = 3,
                   kPerTile = 1000, kSharing = 50, kLastPerColumn = 20, kTurns = 1.1,
                   kExchange = 1800, kExchangedBytes = 22, kPerOwnedColumn = 20, kZeroing = 3500,
                   kPartialBytes = 25;
  const int64_t workgroups = target.num_cus * target.waves_per_cu / instance.waves;
  const int64_t tiles_k = CeilDiv(p.k, instance.tile_k);
  const double cluster = static_cast<double>(instance.waves) / 2;
  const double m = static_cast<double>(instance.tile_m) / cluster;
  const double n = static_cast<double>(instance.tile_n), k = static_cast<double>(instance.tile_k);
  const double tiles = static_cast<double>(p.batch) *
                       static_cast<double>(CeilDiv(p.m, instance.tile_m)) *
                       static_cast<double>(CeilDiv(p.n, instance.tile_n));
  const double at_once = static_cast<double>(workgroups);
  const double peers = static_cast<double>(sharing.peers), shares = tiles * peers;
  const double element = static_cast<double>(Bytes(instance.lhs));
  const double ctas = std::min(shares, at_once) * cluster;
  auto power = [](double cycles) { return std::pow(cycles, kNorm); };
  const double busy =
      power(m * n * k * element / 2 / kMacsPerCycle) + power((m + n) * k * element / kSmBytes);
  const double waits = cluster > 1 ? kSharing : 0;
  // A box of 128 bytes that straddles two lines of the L2 takes two reads: then the L2 is waited
  // for wherever the tiles are.
  auto reads = [&](int64_t line) { return line * Bytes(instance.lhs) % 128 == 0 ? 1.0 : 2.0; };
  const double lhs_reads = reads(p.lhs_contracting == 1 ? p.k : p.m);
  const double rhs_reads = reads(p.rhs_contracting == 1 ? p.k : p.n);
  const double from_l2 =
      power((m * lhs_reads + n / cluster * rhs_reads) * k * element * ctas / kL2Bytes);
  const double per_k = waits + std::pow(busy + from_l2, 1 / kNorm);
  const double tile = static_cast<double>(CeilDiv(tiles_k, sharing.peers)) * per_k + kPerTile;
  const double last = kLastPerColumn * n;
  if (sharing.fixed_stride && TakesTurns(p, instance, tiles, workgroups)) {
    const double in_turns = busy + (lhs_reads * rhs_reads > 1 ? from_l2 : 0);
    return last + kPerTile +
           std::ceil(tiles / at_once) * static_cast<double>(tiles_k) *
               (waits + kTurns * std::pow(in_turns, 1 / kNorm));
  }
  if (!sharing.cut) {
    const double exchange = peers > 1 ? kExchange + kPerOwnedColumn * n / peers +
                                            m * n * 4 * (1 - 1 / peers) / kExchangedBytes
                                      : 0;
    return last + std::ceil(shares / at_once) * tile + exchange;
  }
  if (tiles > 2e9) return std::nullopt;
  const int64_t count = static_cast<int64_t>(tiles);
  const int64_t cut = count < workgroups ? count : count % workgroups;
  const int64_t parts = OpenShares(p, cut, tiles_k, workgroups);
  if (parts <= cut) return std::nullopt;
  // Whoever comes last at a tile adds up the sums of all its slices.
  const double slices = static_cast<double>(CeilDiv(parts, cut) + (parts % cut != 0));
  return last + static_cast<double>((count - cut) / workgroups) * tile +
         static_cast<double>(CeilDiv(cut * tiles_k, parts)) * per_k + kPerTile + kZeroing +
         m * n * 4 / kPartialBytes * (1 + slices);
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
  const double tiles = static_cast<double>(p.batch) *
                       static_cast<double>(CeilDiv(p.m, instance.tile_m)) *
                       static_cast<double>(CeilDiv(p.n, instance.tile_n));
  return CanBePeers(instance.tile_n, peers) && HasForm(instance, Sm90Form::kPeers) &&
         CeilDiv(p.k, instance.tile_k) >= peers && tiles <= static_cast<double>(kClusters[peers]);
}

int64_t ClusterPeers(const Problem& p, const Plan& plan, const Target& target) {
  const Config& c = plan.config;
  const int64_t tiles = plan.grid.num_tiles();
  if (target.name != "sm90" || plan.grouped || p.tiles_per_chunk > 0 || tiles == 0 ||
      !HasForm(*plan.instance, Sm90Form::kPeers) || c.schedule != Schedule::kStreamK ||
      c.reduction != Reduction::kLinear || c.num_queues || c.num_shares != c.num_workgroups ||
      c.num_shares % tiles) {
    return 1;
  }
  const int64_t peers = c.num_shares / tiles;
  return CanBePeers(plan.instance->tile_n, peers) && peers <= plan.grid.tiles_k ? peers : 1;
}

void ShapeCluster(Plan* plan) {
  constexpr int64_t kFewColumns = 64;
  if (plan->instance->tile_n > kFewColumns) return;
  // From an H200's timings.
  constexpr std::pair<int64_t, int64_t> kShapes[] = {{2, 2}, {1, 2}};
  const TileGrid& grid = plan->grid;
  for (auto [m, n] : kShapes) {
    const int64_t size = plan->cluster_peers * m * n;
    if (size <= kMostPeers && grid.tiles_m % m == 0 && grid.tiles_n % n == 0 &&
        grid.num_tiles() / (m * n) <= kClusters[size]) {
      plan->cluster_m = m, plan->cluster_n = n;
      return;
    }
  }
}

TileGrid ClusterGrid(const Plan& plan) {
  auto index = [](int64_t count) { return static_cast<Index>(count); };
  TileGrid grid = plan.grid;
  grid.tiles_m /= index(plan.cluster_m), grid.tiles_n /= index(plan.cluster_n);
  // Pairs one after another share their rows.
  grid.group_m = plan.cluster_m < plan.cluster_n ? 1 : std::min(grid.group_m, grid.tiles_m);
  return grid;
}

Sm90Form ChooseForm(const Problem& p, const Plan& plan) {
  if (plan.cluster_peers > 1) return Sm90Form::kPeers;
  if (!plan.instance || plan.instance->target != "sm90") return Sm90Form::kGeneral;
  const bool claims = plan.stealing() || p.tiles_per_chunk > 0;
  const bool takes_turns =
      TakesTurns(p, *plan.instance, plan.grid.num_tiles(), plan.config.num_workgroups);
  const Sm90Form form = plan.grouped  ? Sm90Form::kGrouped
                        : claims      ? Sm90Form::kClaimed
                        : takes_turns ? Sm90Form::kPingPong
                                      : Sm90Form::kPlain;
  const bool cuts = plan.grouped ? claims || plan.config.num_shares > 0 : plan.cut_tiles > 0;
  const bool is_plain = !cuts && IsStoredPlainly(p) &&
                        (plan.grouped || plan.grid.tiles_k >= (claims ? 1 : kPlainKTiles));
  return is_plain && HasForm(*plan.instance, form) ? form : Sm90Form::kGeneral;
}

}  // namespace jaxgemm
