// The candidates on AMD GPUs: their tiles, queues and cuts. The plan takes the one whose predicted
// time (model.cc) is least.
#include "plan/candidates.h"

#include <algorithm>
#include <set>

#include "amdgpu/plain_product.h"
#include "plan/amd/model.h"
#include "plan/amd/path.h"
#include "plan/tiles.h"

namespace jaxgemm {
namespace {

// The number of queues of one XCD. With one queue its CUs compute neighbouring tiles, which share
// operands in the L2; with several they wait less for each other's atomics. The thresholds are
// tritonBLAS's (ROCm/tritonBLAS PR 64).
int64_t QueuesPerXcd(int64_t tiles) {
  return tiles <= 512 ? 8 : tiles <= 1536 ? 4 : tiles <= 2048 ? 2 : 1;
}

// Adds a tile's candidates with stream-K: as many shares as there are CUs, as many as there are
// workgroups at once, and the same number of shares for each tile.
void AddCuts(const Problem& p, const GpuInstance& instance, const Chip& chip, const Draft& whole,
             std::vector<Draft>* drafts) {
  constexpr double kMaxTiles = 1e9;  // keeps the integers below in range
  const double all_tiles = NumTiles(p, instance);
  if (all_tiles < 1 || all_tiles > kMaxTiles) return;
  const auto tiles = static_cast<int64_t>(all_tiles);
  const int64_t tiles_k = CeilDiv(p.k, instance.tile_k);
  const int64_t at_once = whole.scheduling.workgroups;
  auto add = [&](int64_t workgroups, int64_t shares, int64_t shares_per_tile) {
    drafts->push_back(whole);
    drafts->back().scheduling.schedule = Schedule::kStreamK;
    drafts->back().scheduling.workgroups = workgroups;
    drafts->back().scheduling.shares_per_tile = shares_per_tile;
    drafts->back().candidate.plan.choice.num_shares = shares;
  };
  for (int64_t workgroups : std::set{chip.num_cus, at_once}) {
    const int64_t cut = tiles < workgroups ? tiles : tiles % workgroups;
    if (cut > 0 && tiles_k > 1) {
      add(workgroups, std::clamp(workgroups, cut + 1, cut * tiles_k), 0);
    }
  }
  const int64_t most = std::min(at_once / tiles, tiles_k);
  // The powers of two were not fitted.
  for (int64_t shares : std::set<int64_t>{2, 4, 8, 16, 32, chip.num_cus / tiles, most}) {
    // The loop above has added these.
    const bool added = shares * tiles == chip.num_cus || shares * tiles == at_once;
    if (shares > 1 && shares <= most && !added) add(at_once, 0, shares);
  }
}

// Whether 32-bit offsets address a tile of each operand. Kernels whose waves divide k have no other
// offsets.
bool AddressesTiles(const Problem& p, const GpuInstance& tile) {
  const int waves_k = static_cast<int>(tile.waves_k);
  auto fits = [&](int64_t contracting, int64_t rows, int64_t tile_rows) {
    const int64_t line = (contracting == 1 ? p.k : rows) * Bytes(tile.lhs);
    const int64_t up = contracting == 1 && p.gated ? p.n : 0;
    return FitsOffsets(line, static_cast<int>(tile_rows), waves_k, up);
  };
  return waves_k == 1 || (fits(p.lhs_contracting, p.m, tile.tile_m) &&
                          fits(p.rhs_contracting, p.num_columns(), tile.tile_n));
}

// Whether the product may have a workgroup for each tile: the user fixed no grid, queues or shares.
bool MayHaveWorkgroupPerTile(const Problem& p, const Config& config) {
  return p.tiles_per_chunk == 0 && !config.num_workgroups && !config.num_queues &&
         !config.num_shares &&
         (config.schedule == Schedule::kAuto || config.schedule == Schedule::kPersistent);
}

// Whether RunOneTile (amdgpu/gemm.h) computes all tiles of such a product. Kernels that convert
// operands have none.
bool HasOneTileKernel(const Problem& p, const GpuInstance& instance) {
  return !p.grouped() && IsGeneral(p.scales_form()) && !Converts(instance) && p.k > 0 &&
         !p.save_preact && p.n % 8 == 0 && !LoadsByElement(p, instance);
}

}  // namespace

std::vector<Draft> AmdDrafts(const Problem& p, const Config& config, const Chip& chip,
                             std::string* error) {
  // If the user fixed grid, queues or shares, each tile has one candidate. A product with chunks
  // takes at least as long as their arrival, so cutting gains nothing.
  const bool plan_cuts =
      (config.schedule == Schedule::kAuto || config.schedule == Schedule::kStreamK) &&
      !p.grouped() && p.tiles_per_chunk == 0 && !config.num_workgroups && !config.num_shares &&
      !config.num_queues;
  // The plan may do without counters, which are zeroed first, except for long products. All tiles
  // of a product take equally long, those of groups along m, too. With ragged k a tile's k is that
  // of its group, and a fixed stride would not share the work well.
  const bool may_stride = config.schedule == Schedule::kAuto && p.ragged != Ragged::kK &&
                          p.tiles_per_chunk == 0 && !config.num_workgroups && !config.num_shares &&
                          !config.num_queues;
  std::vector<Draft> drafts;
  for (const GpuInstance& instance : GpuInstances(chip.target)) {
    if (!Suits(instance, p, config)) continue;
    if (!HasForm(instance, p.scales_form()) || !AddressesTiles(p, instance)) continue;
    const bool stream_k = config.schedule == Schedule::kAuto && config.num_shares;
    Draft whole{
        .candidate = {.plan = {.choice = WithInstance(instance, config), .instance = &instance}},
        .scheduling = {
            .schedule = stream_k ? Schedule::kStreamK : config.schedule,
            .workgroups = config.num_workgroups ? config.num_workgroups : AtOnce(instance, chip),
            .steals = true,
            .num_queues = [xcds = chip.num_xcds](int64_t all) { return xcds * QueuesPerXcd(all); },
            .claims_ahead = true,
            .num_xcds = chip.num_xcds,
            .decide = ChoosePath,
            .cost = AmdgpuCost,
            .margin = CutMargin}};
    whole.candidate.plan.choice.form = p.scales_form();
    const bool for_one_row =
        !p.grouped() && p.m <= instance.tile_m && MayHaveWorkgroupPerTile(p, config);
    if (instance.for_few_rows() && for_one_row) {
      drafts.push_back(whole);
      drafts.back().scheduling.workgroup_per_tile = true;
      continue;
    }
    // A tile that has no more rows than most groups is taken, and some groups have several tiles.
    if (MayFindTilesOfGroups(p, instance) && MayHaveWorkgroupPerTile(p, config)) {
      drafts.push_back(whole);
      drafts.back().scheduling.workgroups = MostTilesOfGroups(p, instance);
      drafts.back().scheduling.steals = false;
      drafts.back().scheduling.margin = nullptr;
      // If few tiles have a long k, the kernel cuts them.
      if (instance.waves_k > 1 && p.k > instance.tile_k && config.schedule == Schedule::kAuto) {
        drafts.push_back(whole);
        drafts.back().scheduling.schedule = Schedule::kStreamK;
      }
    }
    // These kernels compute other products only if the user asks for them, or if operands are
    // loaded by element, where a small tile waits least. For other products the model has not been
    // compared with the emulator's clock.
    const bool by_element = !p.grouped() && LoadsByElement(p, instance);
    if (instance.for_few_rows() && !by_element && !config.tile_m && config.kernel.empty()) continue;
    drafts.push_back(whole);
    if (may_stride) {
      drafts.push_back(whole);
      drafts.back().scheduling.steals = false;
      drafts.back().scheduling.needs_rounds = true;
      drafts.back().scheduling.margin = StrideMargin;
    }
    // The hardware starts a workgroup where another one ends, so a slow CU computes fewer of them.
    if (may_stride && HasOneTileKernel(p, instance)) {
      drafts.push_back(drafts.back());
      drafts.back().scheduling.workgroup_per_tile = true;
      drafts.back().scheduling.margin = nullptr;
    }
    if (plan_cuts) AddCuts(TypicalGroup(p), instance, chip, whole, &drafts);
  }
  if (drafts.empty()) *error = NoInstance(p, config, chip);
  return drafts;
}

}  // namespace jaxgemm
