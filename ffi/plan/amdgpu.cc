// The candidates on AMD GPUs (gfx942, gfx950): their tiles, queues and cuts.
#include <algorithm>
#include <cmath>

#include "plan/candidates.h"
#include "plan/check.h"

namespace jaxgemm {
namespace {

// Queues of one XCD. With one queue its CUs share tiles in the L2; with several they wait less for
// each other's atomics. The thresholds are tritonBLAS's (ROCm/tritonBLAS PR 64).
int64_t QueuesPerXcd(int64_t tiles) {
  return tiles <= 512 ? 8 : tiles <= 1536 ? 4 : tiles <= 2048 ? 2 : 1;
}

// A rule until there are timings: the cycles in which a CU computes one k of a tile, and those in
// which it loads it, 64 bytes each (CDNA3's data sheet: 1024 multiply-adds of 16-bit elements).
// A large tile loads less for each product, a small one wastes less at the edges of out.
double CyclesPerK(const GpuInstance& instance) {
  const auto bytes = static_cast<double>(Bytes(instance.lhs));
  const auto area = static_cast<double>(instance.tile_m * instance.tile_n);
  return bytes * (area / 2 / 1024 + static_cast<double>(instance.tile_m + instance.tile_n) / 64);
}

// Whether stream-K is faster if there are fewer tiles than CUs: all tiles are then cut along k. A
// tile's partial sums go to memory and come back: 8 bytes of each element. A CU's share of the
// memory's bandwidth is 8 bytes in a cycle, in which it computes 1024 multiply-adds of 16-bit
// elements (CDNA3's data sheet: 5.3 TB/s and 1307 TFLOP/s, 304 CUs, 2.1 GHz). Before the kernel the
// counters are set to zero: 7 microseconds on an H200, by the fit to its timings. AMD GPUs have not
// been timed.
bool CutsGain(const Problem& p, const GpuInstance& instance, double tiles, const Chip& chip) {
  // A product that waits for chunks takes as long as their arrival.
  if (p.grouped() || p.tiles_per_chunk > 0) return false;
  if (tiles == 0 || tiles >= static_cast<double>(chip.num_cus)) return false;
  const int64_t cut = static_cast<int64_t>(tiles);
  const int64_t shares = OpenShares(p, cut, CeilDiv(p.k, instance.tile_k), chip.num_cus);
  const double area = static_cast<double>(instance.tile_m * instance.tile_n);
  const double k_cycles = area * static_cast<double>(Bytes(instance.lhs)) / 2 / 1024;
  constexpr double kZeroing = 7 * 2100;
  const double saved = 1 - tiles / static_cast<double>(std::max(shares, cut));
  return saved * static_cast<double>(p.k) * k_cycles > area + kZeroing;
}

}  // namespace

std::vector<Draft> AmdgpuCandidates(const Problem& p, const Config& config, const Chip& chip,
                                    std::string* error) {
  const Problem typical = TypicalGroup(p);
  std::vector<Draft> drafts;
  for (const GpuInstance& instance : GpuInstances()) {
    if (!Suits(instance, p, config, chip)) continue;
    Candidate candidate{.choice = WithInstance(instance, config, chip)};
    // The product may overflow int64_t, so it is computed in double.
    const double tiles = static_cast<double>(typical.batch) *
                         static_cast<double>(CeilDiv(typical.m, instance.tile_m)) *
                         static_cast<double>(CeilDiv(typical.n, instance.tile_n));
    const int64_t cus = config.num_workgroups ? config.num_workgroups : chip.num_cus;
    // Each CU computes one tile after another.
    candidate.cost = std::ceil(tiles / static_cast<double>(cus)) * CyclesPerK(instance);
    Scheduling s{
        .schedule = config.schedule,
        .workgroups = config.num_workgroups ? config.num_workgroups
                                            : chip.num_cus * chip.waves_per_cu / instance.waves,
        .steals = true,
        .num_queues = [xcds = chip.num_xcds](int64_t all) { return xcds * QueuesPerXcd(all); },
        .claims_ahead = true,
        .num_xcds = chip.num_xcds};
    if (s.schedule == Schedule::kAuto &&
        (config.num_shares || CutsGain(p, instance, tiles, chip))) {
      s.schedule = Schedule::kStreamK;
    }
    drafts.push_back({candidate, s});
  }
  if (drafts.empty()) *error = NoInstance(p, config, chip);
  return drafts;
}

}  // namespace jaxgemm
