// The candidates on the host (the CPU). All instruction sets have the same cost model, so a plan
// does not depend on them.
#include "plan/candidates.h"

#include <algorithm>

#include "host/kernel.h"
#include "plan/layout.h"
#include "plan/tiles.h"

namespace jaxgemm {
namespace {

// Stream-K cuts for this many workgroups on every machine, so that a product has the same bits
// whatever the number of processors. The number was not fitted.
constexpr int64_t kStreamKWorkgroups = 8;

// Whether nothing but the products of a batch is to be computed.
bool HasNothingBesides(const Problem& p) {
  return p.tiles_per_chunk == 0 && p.block_k == 0 && !p.gated && !p.accumulate && !p.save_preact &&
         !p.has_vectors() && p.activation == Activation::kNone &&
         p.quantize_out == QuantizeOut::kNone;
}

// The number of shares into which stream-K cuts each tile of the last round.
double SharesPerTile(const Problem& p, const Choice& c, int64_t workgroups) {
  const int64_t tiles = p.batch * CeilDiv(p.m, c.tile_m) * CeilDiv(p.n, c.tile_n);
  const int64_t cut = tiles < workgroups ? tiles : tiles % workgroups;
  const int64_t shares = OpenShares(p, cut, CeilDiv(p.k, c.tile_k), workgroups);
  return cut ? static_cast<double>(shares) / static_cast<double>(cut) : 1;
}

// The relative time of the busiest workgroup. Packing a tile's lhs costs as much as kPackA more
// columns of out, packing its rhs as much as kPackB more rows. If tiles of the last round are cut,
// moving partial sums costs as much as kPartial more k. The three are estimates from timings of the
// micro-kernels, which were not kept.
double TileCost(const Problem& p, int64_t tile_m, int64_t tile_n, int64_t workgroups,
                double shares_per_tile) {
  constexpr double kPackA = 12, kPackB = 20, kPartial = 24;
  const double area = static_cast<double>(tile_m) * static_cast<double>(tile_n);
  const double tile =
      area * static_cast<double>(p.k) *
      (1 + kPackA / static_cast<double>(tile_n) + kPackB / static_cast<double>(tile_m));
  const int64_t tiles = p.batch * CeilDiv(p.m, tile_m) * CeilDiv(p.n, tile_n);
  if (shares_per_tile <= 1) return tile * static_cast<double>(CeilDiv(tiles, workgroups));
  return tile * (static_cast<double>(tiles / workgroups) + 1 / shares_per_tile) + area * kPartial;
}

// The sizes of a tile to try along a dimension of `extent`: the size that was asked for; or, for
// each size in the list below (not fitted), that of equal tiles that are not larger, rounded up
// to `unit`.
std::vector<int64_t> TileSizes(int64_t asked, int64_t extent, int64_t most, int64_t unit) {
  if (asked) return {std::min(asked, extent)};
  std::vector<int64_t> sizes;
  for (int64_t size : {32, 64, 96, 128, 192, 256, 384, 512, 768}) {
    if (size > most) break;
    sizes.push_back(std::min(extent, RoundUp(CeilDiv(extent, CeilDiv(extent, size)), unit)));
  }
  return sizes;
}

// The largest number of workgroups for which it pays to wake threads: each should have kFewRows or
// kWide operations. Both are from the timings cpu-4 and cpu-16 of benchmarks/model/data, by
// benchmarks/model/host.py of 16b01adb. There 2e5 would lose 1 % less time for kFewRows; if other
// work keeps processors busy, the larger number loses less.
int64_t WorthwhileWorkgroups(const Problem& p, bool few_rows, int64_t processors) {
  constexpr double kFewRows = 7e5, kWide = 1.5e6;
  const double flops = 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) *
                       static_cast<double>(p.n) * static_cast<double>(p.k);
  const double worth = std::max(1.0, flops / (few_rows ? kFewRows : kWide));
  return static_cast<int64_t>(std::min(static_cast<double>(processors), worth));
}

// The path of a choice that has its tile, unless all tiles pack rhs (kPacked).
KernelPath PathOf(const Problem& p, const Choice& c) {
  const int64_t m = c.transposed ? p.n : p.m, n = c.transposed ? p.m : p.n;
  const bool has_types =
      p.lhs_dtype == p.rhs_dtype && (p.lhs_dtype == DType::kF32 || p.lhs_dtype == DType::kBF16);
  if (p.grouped()) return KernelPath::kTiles;
  if (HasNothingBesides(p) && has_types && p.batch > 1 && IsSmallOnHost(p.m, p.n, p.k) &&
      c.num_shares == 0 && c.tile_m >= m && c.tile_n >= n) {
    return KernelPath::kSmall;
  }
  return m <= kHostFewRows ? KernelPath::kFewRows : KernelPath::kTiles;
}

// Adds the candidates with whole tiles, or those with stream-K. `open`: the user did not choose the
// schedule, so of stream-K's only candidates that cut tiles are added.
void AddCandidates(const Problem& p, const Config& config, const Chip& chip, bool stream_k,
                   bool open, std::vector<Draft>* drafts) {
  const bool grouped = p.grouped();
  Problem tiled = TypicalGroup(p);
  // With few columns and k below their square, rows of lhs are faster than dot products with the
  // columns: those of float32 are read in place, and of out^T in bfloat16 each element would be
  // stored by itself. In float32 they are as fast or faster with any k, if the columns nearly fill
  // vectors. If lhs is [K, M], out^T loads vectors along m and needs no dot products, so that rows
  // of lhs are faster with shorter k only. The numbers were not fitted (EPYC with AVX-512, and
  // its AVX2).
  constexpr int64_t kFewestColumns = 4, kFewestColumnsOfKM = 8, kFewestColumnsBF16 = 5;
  constexpr int64_t kFullColumns = 14, kLongK = 32;
  const bool is_f32 = p.lhs_dtype == DType::kF32, is_bf16 = p.lhs_dtype == DType::kBF16;
  const bool is_km = p.lhs_contracting == 0;
  const int64_t fewest = is_f32              ? is_km ? kFewestColumnsOfKM : kFewestColumns
                         : is_bf16 && !is_km ? kFewestColumnsBF16
                                             : kHostFewRows + 1;
  const bool reads_rows = p.lhs_dtype == p.rhs_dtype && p.n >= fewest &&
                          ((is_km ? 3 : 1) * p.k < p.n * p.n || (is_f32 && p.n >= kFullColumns));
  // A result that has few rows, too, is computed as out^T if that has fewer rows by a factor, which
  // depends on the layouts.
  const bool is_nk = p.rhs_contracting == 1;
  const int64_t fewer = (is_km ? 1 : 2) * (is_nk ? 1 : 2);
  const bool few_rows_pay = p.lhs_dtype == p.rhs_dtype && (is_f32 || is_bf16) &&
                            p.m > fewer * p.n && (is_km || (p.k >= kLongK && (is_nk || is_f32)));
  const bool packs = config.same_rows;
  const bool transposed = !packs && !grouped && !reads_rows && p.tiles_per_chunk == 0 &&
                          p.quantize_out == QuantizeOut::kNone && p.n <= kHostFewRows &&
                          p.m > p.n && (p.m > kHostFewRows || few_rows_pay);
  if (transposed) std::swap(tiled.m, tiled.n);
  const bool few_rows = !packs && !grouped && tiled.m <= kHostFewRows;
  const int64_t worthwhile = WorthwhileWorkgroups(p, few_rows, chip.num_cus);
  // With few workgroups whole tiles are as fast.
  if (open && stream_k &&
      (worthwhile < kStreamKWorkgroups || few_rows || grouped || p.batch != 1)) {
    return;
  }

  Scheduling s{.schedule = stream_k ? Schedule::kStreamK : config.schedule,
               .steals = true,
               .group_m = 4,  // not fitted
               .num_xcds = chip.num_xcds};
  s.workgroups = config.num_workgroups ? config.num_workgroups
                 : stream_k            ? kStreamKWorkgroups
                                       : worthwhile;
  s.num_queues = [workgroups = s.workgroups](int64_t) { return std::min(workgroups, kMaxQueues); };

  Choice choice{.target = chip.target, .kernel = config.kernel, .reduction = config.reduction};
  choice.transposed = transposed;
  choice.num_threads =
      config.num_threads ? config.num_threads : std::min(s.workgroups, chip.num_cus);
  const int64_t m = std::max<int64_t>(tiled.m, 1), n = std::max<int64_t>(tiled.n, 1);
  choice.tile_k = std::min(config.tile_k ? config.tile_k : 256, std::max<int64_t>(tiled.k, 1));
  // Stream-K's tile must not depend on this machine.
  const int64_t threads = stream_k ? s.workgroups : choice.num_threads;
  constexpr int64_t kMaxArea = 512 * 768;  // 1.5 MiB of accumulators, which stay in the L2
  // Grouped products have smaller tiles, with at most one block of packed rows: a group seldom
  // fills a large tile, and small tiles balance the threads. With short k the accumulators of a
  // large result that are not computed in out are converted soon after they were stored, while they
  // are in the L2. The numbers were not fitted.
  constexpr int64_t kFewK = 128, kLargeOut = 1 << 19;
  const bool is_converted = p.lhs_dtype != DType::kF32 && p.out_dtype != DType::kF32 &&
                            tiled.k <= kFewK && tiled.m * tiled.n >= kLargeOut;
  const int64_t most_m = grouped || is_converted ? kHostBlockM : 768, most_n = grouped ? 512 : 768;
  int64_t asked_m = config.tile_m, asked_n = config.tile_n;
  if (transposed) std::swap(asked_m, asked_n);
  // A tile has whole blocks of a quantised result; a gated one, of both halves.
  const int64_t quantized = QuantizedColumns(p.quantize_out) * (p.gated ? 2 : 1);
  const int64_t unit_n = p.quantize_out == QuantizeOut::kNone ? 32 : quantized;
  if (few_rows) {
    // rhs is read in pieces as long as they can be if each of several workgroups has about two
    // tiles.
    const bool row_major = (transposed ? p.lhs_contracting : p.rhs_contracting) == 0;
    const int64_t pieces =
        s.workgroups == 1 ? 1 : CeilDiv(2 * s.workgroups, std::max<int64_t>(p.batch, 1));
    if (!asked_n) {
      asked_n = std::clamp<int64_t>(RoundUp(CeilDiv(n, pieces), std::max<int64_t>(64, unit_n)), 128,
                                    row_major ? 4096 : 1024);
    }
    if (!asked_m) asked_m = m;
  }
  for (int64_t tile_m : TileSizes(asked_m, m, most_m, 16)) {
    for (int64_t tile_n : TileSizes(asked_n, n, most_n, unit_n)) {
      Candidate candidate{.plan = {.choice = choice}};
      Choice& c = candidate.plan.choice;
      c.tile_m = tile_m, c.tile_n = tile_n;
      const double shares = stream_k ? SharesPerTile(tiled, c, s.workgroups) : 1;
      if (open && stream_k && shares <= 1) continue;
      candidate.cost = TileCost(tiled, tile_m, tile_n, s.workgroups, shares);
      // All threads' scratch together must leave half of the workspace's cap for partial sums.
      c.path = packs ? KernelPath::kPacked : PathOf(p, c);
      Plan trial{.choice = c};
      SetSizes(p, &trial);
      trial.k = tiled.k;  // with ragged k, the k of a group
      const bool is_asked = asked_m && asked_n;
      const bool fits =
          tile_m * tile_n <= kMaxArea && HostScratchBytes(trial) * threads <= kWorkspaceCap / 2;
      if (!fits && !is_asked) candidate.cost *= 1e6;  // such tiles come last
      drafts->push_back({candidate, s});
    }
  }
}

}  // namespace

std::vector<Draft> HostDrafts(const Problem& p, const Config& config, const Chip& chip,
                              std::string*) {
  const bool asked = config.schedule == Schedule::kStreamK || config.num_shares;
  const bool open = config.schedule == Schedule::kAuto && !config.num_shares;
  std::vector<Draft> drafts;
  const bool may_cut = asked || (open && !config.same_rows);
  if (may_cut) AddCandidates(p, config, chip, true, open, &drafts);
  if (!asked) AddCandidates(p, config, chip, false, open, &drafts);
  // If tiles cost the same, the largest comes first.
  std::reverse(drafts.begin(), drafts.end());
  return drafts;
}

bool HostGathers(const Problem&, bool) { return true; }

bool HostHas(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  return IsGeneral(c.form) && plan.cluster_size() == 1 &&
         (c.path == KernelPath::kTiles || c.path == KernelPath::kPacked || c.path == PathOf(p, c));
}

}  // namespace jaxgemm
