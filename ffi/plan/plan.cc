#include "plan/plan.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "host/kernel.h"
#include "plan/check.h"
#include "plan/sm90.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

// ------------------------------------------------------------------------- heuristics

// XLA sizes its thread pool by the same count.
int64_t NumProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Stream-K's cut, and so its bits, must not depend on how many processors a machine has.
constexpr int64_t kHostStreamKWorkgroups = 8;

// Relative time of the busiest workgroup of a host plan: k columns of multiply-adds, plus
// packing lhs (worth kPackA columns of out) and rhs (kPackB rows), plus moving partial sums
// (kPartial k's). Rough figures from the micro-kernels' timings.
double HostTileCost(const Plan& plan, int64_t batch, int64_t tile_m, int64_t tile_n,
                    int64_t workgroups, bool stream_k) {
  constexpr double kPackA = 12, kPackB = 20, kPartial = 24;
  double area = static_cast<double>(tile_m) * static_cast<double>(tile_n);
  double tile = area * static_cast<double>(plan.k) *
                (1 + kPackA / static_cast<double>(tile_n) + kPackB / static_cast<double>(tile_m));
  int64_t tiles = batch * CeilDiv(plan.m, tile_m) * CeilDiv(plan.n, tile_n);
  if (stream_k) {
    return tile * static_cast<double>(tiles) / static_cast<double>(workgroups) + area * kPartial;
  }
  return tile * static_cast<double>(CeilDiv(tiles, workgroups));
}

int64_t HostScratchBytes(const Plan& plan) {
  const Config& c = plan.config;
  bool atomic = c.num_shares > 0 && c.reduction == Reduction::kAtomic;
  int64_t bytes = RoundUp(HostPackedABytes(c.tile_m), 64);
  if (!plan.skinny) bytes += RoundUp(HostPackedBBytes(c.tile_n, plan.k), 64);
  if (!plan.in_place || atomic) bytes += RoundUp(c.tile_m * c.tile_n * 4, 64);
  return bytes;
}

// Tile rows that are visited together. Where chunks are on their way, no more than a chunk's, so
// that the first tiles need the first chunk only; cut tiles are the order's last, and must be the
// same on every run.
int64_t GroupM(const Problem& p, const Target& target, const Plan& plan) {
  if (plan.config.group_m) return plan.config.group_m;
  const int64_t most = target.gpu() ? 8 : 4;
  return p.tiles_per_chunk > 0 && plan.cut_tiles > 0 ? std::min(most, p.tiles_per_chunk) : most;
}

// Counts of tiles must fit Index, with room for what stream-K and idle claims add.
std::string SetGrid(const Problem& p, const Target& target, Plan* plan) {
  const Config& c = plan->config;
  const int64_t group_m = GroupM(p, target, *plan);
  int64_t tiles_m = CeilDiv(plan->m, c.tile_m), tiles_n = CeilDiv(plan->n, c.tile_n);
  int64_t tiles_k = CeilDiv(plan->k, c.tile_k), tiles, batch = p.num_out();
  // Each group's rows may end in a tile of their own, as may the rows before and after.
  if (p.ragged == Ragged::kM) tiles_m += p.local_groups + 2;
  constexpr int64_t kMost = (int64_t{1} << 31) - 4 * kMaxWorkgroups;
  if (__builtin_mul_overflow(tiles_m, tiles_n, &tiles) ||
      __builtin_mul_overflow(tiles, batch, &tiles) || tiles > kMost || batch > kMost ||
      tiles_m > kMost || tiles_n > kMost || tiles_k > kMost) {
    return Str(batch) + " x " + Str(tiles_m) + " x " + Str(tiles_n) + " work tiles of " +
           Str(tiles_k) +
           " k tiles do not fit the 32-bit claim counters. Use a larger tile or "
           "split the product.";
  }
  plan->grid = {.batch = static_cast<Index>(batch),
                .tiles_m = static_cast<Index>(tiles_m),
                .tiles_n = static_cast<Index>(tiles_n),
                .tiles_k = static_cast<Index>(tiles_k),
                // More rows than there are would overflow their product with tiles_n.
                .group_m = static_cast<Index>(std::clamp<int64_t>(tiles_m, 1, group_m)),
                // Chunks of lhs arrive in order, and so are their tiles dealt out.
                .num_xcds = static_cast<Index>(
                    c.num_queues > 0 || p.tiles_per_chunk > 0 ? 1 : target.num_xcds)};
  return "";
}

// The kernel, and with it the tile: on AMD GPUs the largest that gives every CU one, or else the
// smallest.
std::string ChooseInstance(const Problem& p, const Target& target, int64_t workgroups, bool gated,
                           bool may_share, bool may_cut, Sm90Sharing* best_sharing, Plan* plan) {
  Config& c = plan->config;
  const GpuInstance* best = nullptr;
  const bool sm90 = target.name == "sm90";
  double best_cycles = 0;
  for (const GpuInstance& each : GpuInstances()) {
    if (!Computes(each, p, target) || (!c.kernel.empty() && c.kernel != each.name) ||
        (c.tile_m && c.tile_m != each.tile_m) || (c.tile_n && c.tile_n != each.tile_n) ||
        (c.tile_k && c.tile_k != each.tile_k)) {
      continue;
    }
    if (sm90) {
      // Columns of the gate and of the up projection are loaded by halves of a tile.
      if (gated && each.tile_n % 128 != 0) continue;
      auto consider = [&](Sm90Sharing sharing) {
        std::optional<double> cycles = Sm90Cycles(p, target, each, sharing);
        if (!cycles) return;
        if (p.tiles_per_chunk > 0) *cycles += Sm90ChunkCycles(p, target, each);
        if (!best || *cycles < best_cycles) {
          best = &each, best_cycles = *cycles, *best_sharing = sharing;
        }
      };
      consider({.fixed_stride = p.tiles_per_chunk == 0 && !c.num_queues &&
                                c.schedule != Schedule::kWorkStealing});
      for (int64_t peers = 2; may_share && peers <= kMostPeers; ++peers) {
        if (PeersFit(p, each, peers)) consider({.peers = peers});
      }
      if (may_cut) consider({.cut = true});
      continue;
    }
    // Large tiles come first. In floating point nothing overflows.
    if (best && static_cast<double>(p.batch) * static_cast<double>(CeilDiv(p.m, best->tile_m)) *
                        static_cast<double>(CeilDiv(p.n, best->tile_n)) >=
                    static_cast<double>(workgroups)) {
      break;
    }
    best = &each;
  }
  if (!best) return NoInstance(p, c, target);
  plan->instance = best;
  c.kernel = best->name;
  c.tile_m = best->tile_m, c.tile_n = best->tile_n, c.tile_k = best->tile_k;
  return "";
}

// The host's tile, where the configuration leaves it open.
void ChooseHostTile(const Problem& p, bool stream_k, int64_t workgroups, Plan* plan) {
  Config& c = plan->config;
  // Stream-K's tile must not depend on this machine.
  int64_t threads = stream_k ? workgroups : c.num_threads;
  constexpr int64_t kSizes[] = {32, 64, 96, 128, 192, 256, 384, 512, 768};
  constexpr int64_t kMaxArea = 512 * 768;  // sums that stay in an L2
  // Of groups, whose rows and columns seldom are as many as the tile's: what one block of packed
  // rows and a share of an L2 hold. Many threads share a cache, and the load is evened out.
  const int64_t most_m = plan->grouped ? kHostBlockM : 768;
  const int64_t most_n = plan->grouped ? 512 : 768;
  int64_t m = std::max<int64_t>(plan->m, 1), n = std::max<int64_t>(plan->n, 1);
  if (!c.tile_k) c.tile_k = 256;
  if (plan->skinny) {
    // Long rows of rhs, but a few tiles for each workgroup.
    if (!c.tile_n) {
      c.tile_n = std::clamp<int64_t>(RoundUp(CeilDiv(n, 2 * workgroups), 64), 128, 1024);
    }
    if (!c.tile_m) c.tile_m = m;
  }
  double best = 0;
  int64_t best_m = c.tile_m, best_n = c.tile_n;
  bool open = !c.tile_m || !c.tile_n;
  for (int64_t size_m : kSizes) {
    if (!open || size_m > most_m) break;
    // Rows spread evenly over as many tiles as this size gives.
    int64_t tile_m = c.tile_m ? c.tile_m : std::min(m, RoundUp(CeilDiv(m, CeilDiv(m, size_m)), 16));
    for (int64_t size_n : kSizes) {
      if (size_n > most_n) break;
      int64_t tile_n =
          c.tile_n ? c.tile_n : std::min(n, RoundUp(CeilDiv(n, CeilDiv(n, size_n)), 32));
      double cost = HostTileCost(*plan, p.batch, tile_m, tile_n, workgroups, stream_k);
      // All threads' scratch together must leave room for partial sums.
      Plan trial = *plan;
      trial.config.tile_m = tile_m, trial.config.tile_n = tile_n;
      bool fits =
          tile_m * tile_n <= kMaxArea && HostScratchBytes(trial) * threads <= kWorkspaceCap / 2;
      if (best == 0 || (fits && cost <= best)) best = cost, best_m = tile_m, best_n = tile_n;
    }
  }
  // A tile never reaches past the problem, whoever asked for it.
  c.tile_m = std::min(best_m, m), c.tile_n = std::min(best_n, n);
  c.tile_k = std::min(c.tile_k, std::max<int64_t>(plan->k, 1));
}

void LayOutWorkspace(const Problem& p, const Target& target, Plan* plan) {
  const Config& c = plan->config;
  bool grouped = plan->grouped;
  int64_t slots = grouped ? GroupedMap::MaxSlots(c.num_shares) : plan->stream_k_map().num_slots();
  if (plan->cluster_peers > 1) slots = 0;
  int64_t cut_tiles = grouped ? c.num_shares / 2 : plan->cut_tiles;
  int64_t tile_bytes = c.tile_m * c.tile_n * 4;
  bool atomic = c.reduction == Reduction::kAtomic;
  int64_t end = 0;
  auto part = [&end](int64_t bytes) { return std::exchange(end, end + RoundUp(bytes, 64)); };
  plan->claim_offset = part(c.num_queues * StealClaim::kCounterStride * 4);
  plan->arrivals_offset = part(slots * 4);
  plan->status_offset = part(p.tiles_per_chunk > 0 ? 4 : 0);
  plan->order_offset = part(plan->order_at_launch ? 4 : 0);
  plan->atomic_offset = part(atomic ? cut_tiles * tile_bytes : 0);
  plan->zeroed_bytes = end;
  plan->partials_offset = part(atomic ? 0 : slots * tile_bytes);
  plan->scratch_bytes = target.gpu() ? 0 : HostScratchBytes(*plan);
  plan->scratch_offset = part(plan->scratch_bytes * c.num_threads);
  // Room to align the start, whatever buffer the caller brings.
  plan->workspace_bytes = end == 0 ? 0 : end + 64;
}

// Stream-K: chooses the tiles that are cut along k, those of the last, partial wave, and the
// number of shares. Leaves cut_tiles at 0 where nothing can be cut.
std::string CutTiles(const Problem& p, const Target& target, const Config& asked,
                     int64_t workgroups, Plan* plan) {
  Config& c = plan->config;
  int64_t tiles = plan->grid.num_tiles(), tiles_k = plan->grid.tiles_k;
  int64_t cut = tiles < workgroups ? tiles : tiles % workgroups;
  plan->last_wave = cut;
  if (c.num_shares && cut * tiles_k <= cut) {
    return "num_shares=" + Str(c.num_shares) + ", but there is nothing to cut: " + Str(cut) +
           " tiles of " + Str(tiles_k) +
           " k tiles are left to share. Use a smaller "
           "tile_k, or leave num_shares out.";
  }
  if (c.num_shares && (c.num_shares <= cut || c.num_shares > cut * tiles_k)) {
    return "num_shares=" + Str(c.num_shares) + "; allowed are " + Str(cut + 1) + " to " +
           Str(cut * tiles_k) + ", the k tiles of the " + Str(cut) + " cut tiles.";
  }
  int64_t shares = c.num_shares;
  if (!shares) {
    shares = asked.num_workgroups ? std::min(workgroups, cut * tiles_k)
                                  : OpenShares(p, cut, tiles_k, workgroups);
  }
  if (shares <= cut) return "";
  plan->cut_tiles = cut;
  c.num_shares = shares;
  // Where the split is ours to choose, it stays under the cap.
  while (!asked.num_shares && !asked.num_workgroups && c.num_shares > cut + 1) {
    LayOutWorkspace(p, target, plan);
    if (plan->workspace_bytes <= kWorkspaceCap) break;
    c.num_shares = std::max(cut + 1, c.num_shares / 2);
    plan->fewer_shares = true;
  }
  return "";
}

// Grouped stream-K: how many shares the kernel may cut. Its tiles are known only there.
void ChooseGroupedShares(const Problem& p, const Target& target, int64_t workgroups, Plan* plan) {
  Config& c = plan->config;
  if (plan->grid.tiles_k < 2) {
    c.num_shares = 0;  // nothing to cut
    return;
  }
  if (!c.num_shares) c.num_shares = workgroups;
  LayOutWorkspace(p, target, plan);
  while (plan->workspace_bytes > kWorkspaceCap && c.num_shares > 2) {
    c.num_shares /= 2;
    plan->fewer_shares = true;
    LayOutWorkspace(p, target, plan);
  }
}

// A group's share of a grouped problem, with all columns, for the choice of the tile.
Problem Typical(Problem p) {
  constexpr int64_t kLeast = 32;
  int64_t groups = std::max<int64_t>(p.local_groups, 1);
  if (p.ragged == Ragged::kM) p.m = std::min(p.m, std::max(kLeast, CeilDiv(p.m, groups)));
  if (p.ragged == Ragged::kK) p.k = std::min(p.k, std::max(kLeast, CeilDiv(p.k, groups)));
  if (p.ragged != Ragged::kNone) p.batch *= groups;
  p.n = p.num_columns();
  return p;
}

}  // namespace

GroupedMap Plan::grouped_map(const Problem& p) const {
  auto index = [](int64_t count) { return static_cast<Index>(count); };
  StreamKMap cut{.grid = grid, .whole_tiles = 0, .cut_tiles = 0, .num_shares = 0};
  cut.grid.batch = index(p.batch);
  return {.ragged = p.ragged,
          .sizes_batched = p.sizes_batched,
          .num_groups = index(p.groups),
          .local_groups = index(p.local_groups),
          .extent = index(p.ragged == Ragged::kM ? p.m : p.k),
          .tile = index(p.ragged == Ragged::kM ? config.tile_m : config.tile_k),
          .batch = index(p.batch),
          .skips_empty = p.accumulate,
          .cut = cut};
}

ChunkSignals Plan::chunk_signals(const Problem& p) const {
  auto index = [](int64_t count) { return static_cast<Index>(count); };
  return {.signals = nullptr,
          .epoch = nullptr,
          .status = nullptr,
          .order = nullptr,
          .timeout_ns = p.timeout_ns,
          .tiles_per_chunk = index(p.tiles_per_chunk),
          .pivot = index(p.pivot),
          .tiles_m = grid.tiles_m,
          .batch_stride = index(p.signals_batched ? p.num_chunks : 0)};
}

// ------------------------------------------------------------------------------- plan

std::string MakePlan(const Problem& p, const Config& config, std::string_view target_name,
                     Plan* plan) {
  std::string error;
  const Target* found = FindTarget(target_name, &error);
  if (!found) return error;
  const Target& target = *found;
  bool host = !target.gpu();
  error = CheckProblem(p, target);
  if (error.empty()) error = CheckConfig(config, target);
  if (!error.empty()) return error;

  *plan = Plan{.config = config};
  Config& c = plan->config;
  plan->grouped = p.ragged != Ragged::kNone;
  const Problem typical = Typical(p);
  plan->m = typical.m, plan->n = typical.n, plan->k = typical.k;
  plan->transposed = host && !plan->grouped && p.tiles_per_chunk == 0 && p.n <= kHostSkinnyM &&
                     p.m > p.n && p.m > kHostSkinnyM;
  if (plan->transposed) std::swap(plan->m, plan->n);
  plan->skinny = host && !plan->grouped && plan->m <= kHostSkinnyM;
  plan->in_place = host && !plan->transposed && !p.gated &&
                   p.out_dtype == (IsInteger(p.lhs_dtype) ? DType::kS32 : DType::kF32);

  if (c.schedule == Schedule::kAuto) {
    bool deep = target.name != "sm90" && p.k >= 4096 && p.k >= 8 * std::max(p.m, p.n) &&
                p.batch == 1 && !plan->skinny && !plan->grouped;
    // A few processors do as well with whole tiles.
    bool many = !host || NumProcessors() >= kHostStreamKWorkgroups;
    if ((deep && many) || c.num_shares > 0) c.schedule = Schedule::kStreamK;
  }
  bool stream_k = c.schedule == Schedule::kStreamK;
  if (c.num_shares && !stream_k) {
    return "num_shares=" + Str(c.num_shares) + " is stream-K's; the schedule is '" +
           Str(Name(c.schedule)) + "'. Use schedule='stream_k'.";
  }

  int64_t workgroups = c.num_workgroups;
  if (!workgroups) {
    workgroups = !host ? target.num_cus : stream_k ? kHostStreamKWorkgroups : NumProcessors();
    if (host && !stream_k) {
      // A workgroup must be worth waking a thread for: about 50 microseconds of work.
      double flops = 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) *
                     static_cast<double>(p.n) * static_cast<double>(p.k);
      double worth = std::max(1.0, flops / (plan->skinny ? 5e5 : 4e6));
      workgroups = static_cast<int64_t>(std::min<double>(static_cast<double>(workgroups), worth));
    }
  }
  // On Hopper, where nothing else is asked for, peers of a cluster may share tiles, and stream-K
  // cuts only where that is worth it.
  const bool weighs = target.name == "sm90" && !plan->grouped && p.tiles_per_chunk == 0 &&
                      !c.num_workgroups && !c.num_shares;
  const bool may_share = weighs && !c.num_queues && c.reduction == Reduction::kLinear &&
                         (stream_k || config.schedule == Schedule::kAuto);
  Sm90Sharing sharing;
  if (host && !c.num_threads) c.num_threads = std::min(workgroups, NumProcessors());
  if (host) {
    ChooseHostTile(typical, stream_k, workgroups, plan);
  } else {
    error = ChooseInstance(typical, target, workgroups, p.gated, may_share, weighs && stream_k,
                           &sharing, plan);
    if (!error.empty()) return error;
    // Kernels of few waves share a CU.
    if (!c.num_workgroups) {
      workgroups = target.num_cus * target.waves_per_cu / plan->instance->waves;
    }
  }
  if (p.gated && p.n > 0 && c.tile_n % 2) {
    return "tile_n=" + Str(c.tile_n) +
           "; it must be even, for a gated product's tiles have as "
           "many columns of the gate as of the up projection.";
  }
  if (plan->grouped) plan->m = p.m, plan->k = p.k;
  error = SetGrid(p, target, plan);
  if (!error.empty()) return error;
  if (p.tiles_per_chunk > 0) error = CheckChunks(p, c.tile_m, plan->grid.tiles_m);
  if (!error.empty()) return error;
  int64_t tiles = plan->grid.num_tiles();

  if (sharing.peers > 1) {
    stream_k = true;
    c.schedule = Schedule::kStreamK;
    c.num_shares = c.num_workgroups = workgroups = tiles * sharing.peers;
  }
  plan->whole_is_faster = weighs && stream_k && sharing.peers == 1 && !sharing.cut;
  plan->cluster_peers = ClusterPeers(p, *plan, target);
  if (stream_k && plan->grouped) {
    ChooseGroupedShares(p, target, workgroups, plan);
    if (!c.num_shares) c.schedule = Schedule::kAuto;
  } else if (stream_k) {
    if (!plan->whole_is_faster) error = CutTiles(p, target, config, workgroups, plan);
    if (!error.empty()) return error;
    if (plan->cut_tiles == 0)
      c.schedule = c.num_queues ? Schedule::kWorkStealing : Schedule::kPersistent;
  }
  if (c.schedule == Schedule::kAuto) {
    // Counters cost a memset, which a few microseconds of unequal CUs have to be worth.
    bool steal = (tiles > workgroups && workgroups > 1 && target.name != "sm90") || c.num_queues;
    c.schedule = steal ? Schedule::kWorkStealing : Schedule::kPersistent;
  }
  if (c.schedule == Schedule::kWorkStealing && !c.num_queues) {
    // One queue keeps its multiprocessors' tiles together in the L2; more spare a chiplet's CUs the
    // wait for each other.
    int64_t per_xcd = target.name == "sm90" ? 1
                      : tiles <= 512        ? 8
                      : tiles <= 1536       ? 4
                      : tiles <= 2048       ? 2
                                            : 1;
    c.num_queues = host ? std::min<int64_t>(workgroups, kMaxQueues) : target.num_xcds * per_xcd;
    // Each queue has a share of the rows, and the last would wait for the last chunk.
    if (p.tiles_per_chunk > 0) c.num_queues = 1;
  }
  // A claim's latency is worth hiding where it is an atomic operation on device memory.
  if (c.claim_ahead < 0) c.claim_ahead = !host && c.num_queues > 0;
  error = SetGrid(p, target, plan);
  if (!error.empty()) return error;
  // Left open in the configuration: the handler finds it so, too.
  plan->order_at_launch =
      !c.group_m && p.tiles_per_chunk > 0 && p.tiles_per_chunk < plan->grid.group_m;
  if (!plan->order_at_launch && !c.group_m) c.group_m = GroupM(p, target, *plan);
  if (!c.num_workgroups) {
    c.num_workgroups = std::max<int64_t>(1, std::min(workgroups, plan->num_indices()));
  }
  // Of what is resolved, as the handler makes it again.
  plan->cluster_peers = ClusterPeers(p, *plan, target);
  if (plan->cluster_peers > 1) ShapeCluster(plan);
  plan->form = ChooseForm(p, *plan);
  LayOutWorkspace(p, target, plan);
  if (plan->workspace_bytes > kWorkspaceCap) {
    return "the workspace would take " + Str(plan->workspace_bytes) + " bytes, and the cap is " +
           Str(kWorkspaceCap) + " (128 MiB). Use fewer workgroups or a smaller tile than " +
           Str(c.num_workgroups) + " workgroups of " + Str(c.tile_m) + "x" + Str(c.tile_n) + ".";
  }
  return "";
}

}  // namespace jaxgemm
