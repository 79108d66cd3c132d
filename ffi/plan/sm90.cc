#include "plan/sm90.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "plan/candidates.h"
#include "plan/check.h"
#include "sm90/launch_args.h"

namespace jaxgemm {
namespace {

// How output tiles are spread over the CTAs: each whole, at a fixed stride or claimed; or each by
// cluster_k CTAs; or those of the last wave cut by stream-K, with partial sums in the workspace.
struct Sharing {
  int64_t cluster_k = 1;
  bool cut = false;
  bool fixed_stride = false;
};

// Whether out is stored without an epilogue.
bool IsStoredPlainly(const Problem& p) {
  return !p.bias && !p.scale && !p.save_preact && p.activation == Activation::kNone && !p.gated &&
         !p.accumulate && p.out_dtype == PlainOut(p.lhs_dtype);
}

// Whether whole tiles are computed by warpgroups that ping-pong: with one tile for each CTA one of
// the two would have nothing to do.
bool PingPongs(const Problem& p, const GpuInstance& instance, double tiles, int64_t workgroups) {
  return HasForm(instance, Sm90Form::kPingPong) && IsStoredPlainly(p) &&
         tiles > static_cast<double>(workgroups) && CeilDiv(p.k, instance.tile_k) >= kPlainKTiles;
}

// Clusters that run at once, by their CTAs, as cuOccupancyMaxActiveClusters counts on an H100 of
// 132 multiprocessors: they lie within a group of multiprocessors, and leave some over. Of chips
// with other numbers of multiprocessors as many in proportion.
int64_t ClustersAtOnce(int64_t ctas, const Chip& chip) {
  constexpr int64_t kClusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
  return kClusters[ctas] * chip.num_cus / kClusters[1];
}

double NumTiles(const Problem& p, const GpuInstance& instance) {
  return static_cast<double>(p.batch) * static_cast<double>(CeilDiv(p.m, instance.tile_m)) *
         static_cast<double>(CeilDiv(p.n, instance.tile_n));
}

// Whether all tiles can be shared by clusters at once, with whole k tiles for each CTA.
bool ClustersFit(const Problem& p, const Chip& chip, const GpuInstance& instance,
                 int64_t cluster_k) {
  return CanBePeers(instance.tile_n, cluster_k) && HasForm(instance, Sm90Form::kPeers) &&
         CeilDiv(p.k, instance.tile_k) >= cluster_k && NumTiles(p, instance) > 0 &&
         NumTiles(p, instance) <= static_cast<double>(ClustersAtOnce(cluster_k, chip));
}

// The CTAs of a cluster that share each tile of a stream-K plan: where all tiles are cut into
// equally many shares, and each share is a workgroup's only one.
int64_t ClusterK(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const GpuInstance& instance = *FindGpuInstance(c.target, c.kernel);
  const int64_t tiles = plan.grid.num_tiles();
  if (p.grouped() || p.tiles_per_chunk > 0 || tiles == 0 || !HasForm(instance, Sm90Form::kPeers) ||
      c.schedule != Schedule::kStreamK || c.reduction != Reduction::kLinear || c.num_queues ||
      c.num_shares != c.num_workgroups || c.num_shares % tiles) {
    return 1;
  }
  const int64_t ctas = c.num_shares / tiles;
  return CanBePeers(instance.tile_n, ctas) && ctas <= plan.grid.tiles_k ? ctas : 1;
}

// Tiles of few columns need more of the L2 than it gives, but less where neighbouring tiles are in
// one cluster: sets the tiles of a cluster.
void ShapeCluster(const Chip& chip, Plan* plan) {
  constexpr int64_t kFewColumns = 64;
  Choice& c = plan->choice;
  if (c.tile_n > kFewColumns) return;
  // From an H200's timings.
  constexpr std::pair<int64_t, int64_t> kShapes[] = {{2, 2}, {1, 2}};
  const TileGrid& grid = plan->grid;
  for (auto [m, n] : kShapes) {
    const int64_t size = c.cluster_k * m * n;
    if (size <= kMostPeers && grid.tiles_m % m == 0 && grid.tiles_n % n == 0 &&
        grid.num_tiles() / (m * n) <= ClustersAtOnce(size, chip)) {
      c.cluster_m = m, c.cluster_n = n;
      return;
    }
  }
}

// Whether a form other than kPeers can do all that the plan asks of the kernel.
bool FormFits(const Problem& p, const Plan& plan, const GpuInstance& instance, Sm90Form form) {
  const Choice& c = plan.choice;
  if (form == Sm90Form::kGeneral) return true;
  const bool claims = plan.stealing() || p.tiles_per_chunk > 0;
  const bool cuts = p.grouped() ? claims || c.num_shares > 0 : c.cut_tiles > 0;
  const int64_t least_k = p.grouped() ? 0 : claims ? 1 : kPlainKTiles;
  const bool suits = form == Sm90Form::kGrouped   ? p.grouped()
                     : form == Sm90Form::kClaimed ? !p.grouped() && claims
                                                  : !p.grouped() && !claims;
  return suits && !cuts && IsStoredPlainly(p) && plan.grid.tiles_k >= least_k &&
         HasForm(instance, form);
}

void ChooseForm(const Problem& p, Plan* plan) {
  std::string error;
  Choice& c = plan->choice;
  c.cluster_k = ClusterK(p, *plan);
  if (c.cluster_k > 1) {
    c.form = Sm90Form::kPeers;
    ShapeCluster(FindChip(c.target, 0, &error), plan);
    return;
  }
  const GpuInstance& instance = *FindGpuInstance(c.target, c.kernel);
  const bool ping_pongs =
      PingPongs(p, instance, static_cast<double>(plan->grid.num_tiles()), c.num_workgroups);
  const Sm90Form form = p.grouped()                                 ? Sm90Form::kGrouped
                        : plan->stealing() || p.tiles_per_chunk > 0 ? Sm90Form::kClaimed
                        : ping_pongs                                ? Sm90Form::kPingPong
                                                                    : Sm90Form::kPlain;
  if (FormFits(p, *plan, instance, form)) c.form = form;
}

// Tiles one after another, each k tile as long as its wgmmas, its bytes into one multiprocessor and
// those from the L2 to all take, which get into each other's way, and CTAs that share rhs wait for
// each other; and what the last store takes, which nothing hides. Where warpgroups take turns, no
// other store costs time, and what the L2 has is waited for less, as long as neighbours have
// neighbouring tiles: not where they are claimed. Fitted to an H200's timings of 259 products.
std::optional<double> Cycles(const Problem& p, const Chip& chip, const GpuInstance& instance,
                             Sharing sharing) {
  constexpr double kMacsPerCycle = 2048, kL2Bytes = 9000, kSmBytes = 150, kNorm = 3,
                   kPerTile = 1000, kSharing = 50, kLastPerColumn = 20, kTurns = 1.1,
                   kExchange = 1800, kExchangedBytes = 22, kPerOwnedColumn = 20, kZeroing = 3500,
                   kPartialBytes = 25;
  const int64_t workgroups = chip.num_cus * chip.waves_per_cu / instance.waves;
  const int64_t tiles_k = CeilDiv(p.k, instance.tile_k);
  const double cluster = static_cast<double>(instance.waves) / 2;
  const double m = static_cast<double>(instance.tile_m) / cluster;
  const double n = static_cast<double>(instance.tile_n), k = static_cast<double>(instance.tile_k);
  const double tiles = NumTiles(p, instance);
  const double at_once = static_cast<double>(workgroups);
  const double peers = static_cast<double>(sharing.cluster_k), shares = tiles * peers;
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
  const double tile = static_cast<double>(CeilDiv(tiles_k, sharing.cluster_k)) * per_k + kPerTile;
  const double last = kLastPerColumn * n;
  if (sharing.fixed_stride && PingPongs(p, instance, tiles, workgroups)) {
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

// What tiles that fit a chunk of lhs badly cost: as if the problem came in parts, each a chunk or
// as many as give all multiprocessors a tile. To be added to Cycles.
double ChunkCycles(Problem p, const Chip& chip, const GpuInstance& instance) {
  constexpr double kWeight = 0.25;  // so that the whole product is not much slower for it
  const int64_t workgroups = chip.num_cus * chip.waves_per_cu / instance.waves;
  const int64_t tiles_n = std::max<int64_t>(CeilDiv(p.n, instance.tile_n), 1);
  const int64_t rows = std::max(p.tiles_per_chunk, CeilDiv(workgroups, tiles_n)) * instance.tile_m;
  const double parts = std::max(1.0, static_cast<double>(p.m) / static_cast<double>(rows));
  p.m = std::min(p.m, rows);
  // Whole tiles can always be shared out.
  return kWeight * parts * *Cycles(p, chip, instance, {});
}

}  // namespace

std::vector<Draft> Sm90Candidates(const Problem& p, const Config& config, const Chip& chip,
                                  std::string* error) {
  const Problem typical = TypicalGroup(p);
  const bool chunked = p.tiles_per_chunk > 0;
  const bool stream_k = config.schedule == Schedule::kStreamK || config.num_shares > 0;
  // Where nothing else is asked for, clusters may share tiles, and stream-K cuts only where that is
  // worth it.
  const bool open = !p.grouped() && !chunked && !config.num_workgroups && !config.num_shares;
  const bool may_share = open && !config.num_queues && config.reduction == Reduction::kLinear &&
                         (stream_k || config.schedule == Schedule::kAuto);
  std::vector<Draft> drafts;
  for (const GpuInstance& instance : GpuInstances()) {
    // Columns of the gate and of the up projection are loaded by halves of a tile.
    if (!Suits(instance, p, config, chip) || (p.gated && instance.tile_n % 128 != 0)) continue;
    auto add = [&](Sharing sharing) {
      const std::optional<double> cycles = Cycles(typical, chip, instance, sharing);
      if (!cycles) return;
      Draft draft{
          .candidate = {.choice = WithInstance(instance, config, chip), .cost = *cycles},
          .scheduling = {.schedule = stream_k ? Schedule::kStreamK : config.schedule,
                         .workgroups = config.num_workgroups
                                           ? config.num_workgroups
                                           : chip.num_cus * chip.waves_per_cu / instance.waves,
                         .num_queues = [](int64_t) { return 1; },
                         .claims_ahead = true,
                         .finish = ChooseForm}};
      if (chunked) draft.candidate.cost += ChunkCycles(typical, chip, instance);
      if (sharing.cluster_k > 1) {
        draft.scheduling.schedule = Schedule::kStreamK;
        draft.scheduling.shares_per_tile = sharing.cluster_k;
      } else if (open && stream_k && !sharing.cut) {
        draft.scheduling.cuts = false;
        draft.candidate.whole_is_faster = true;
      }
      drafts.push_back(std::move(draft));
    };
    add({.fixed_stride =
             !chunked && !config.num_queues && config.schedule != Schedule::kWorkStealing});
    for (int64_t cluster_k = 2; may_share && cluster_k <= kMostPeers; ++cluster_k) {
      if (ClustersFit(typical, chip, instance, cluster_k)) add({.cluster_k = cluster_k});
    }
    if (open && stream_k) add({.cut = true});
  }
  if (drafts.empty()) *error = NoInstance(p, config, chip);
  return drafts;
}

bool HasSm90Form(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const int64_t tiles = plan.grid.num_tiles();
  if (c.cluster_k * c.cluster_m * c.cluster_n > 1 || c.form == Sm90Form::kPeers) {
    return plan.instance && c.target == "sm90" && c.form == Sm90Form::kPeers && c.cluster_k > 1 &&
           ClusterK(p, plan) == c.cluster_k && c.cut_tiles == tiles &&
           c.cluster_k * c.cluster_m * c.cluster_n <= kMostPeers &&
           plan.grid.tiles_m % c.cluster_m == 0 && plan.grid.tiles_n % c.cluster_n == 0;
  }
  return c.form == Sm90Form::kGeneral ||
         (c.target == "sm90" && FormFits(p, plan, *plan.instance, c.form));
}

TileGrid ClusterGrid(const Plan& plan) {
  const Choice& c = plan.choice;
  auto index = [](int64_t count) { return static_cast<Index>(count); };
  TileGrid grid = plan.grid;
  grid.tiles_m /= index(c.cluster_m), grid.tiles_n /= index(c.cluster_n);
  // Pairs one after another share their rows.
  grid.group_m = c.cluster_m < c.cluster_n ? 1 : std::min(grid.group_m, grid.tiles_m);
  return grid;
}

}  // namespace jaxgemm
