#include "plan/amd/path.h"

#include <algorithm>

#include "amdgpu/plain_product.h"
#include "plan/candidates.h"

namespace jaxgemm {
namespace {

// RunOneTile has sizes in 32 bits, and rows of out in 24 bits of bytes.
bool FitsOneTile(const Problem& p) {
  constexpr int64_t kLargest = 1 << 30, kMostColumns = (1 << 22) - 1;
  return std::max(p.m, p.k) <= kLargest && p.n <= kMostColumns;
}

// Whether RunOneTile stores the result.
bool StoresWholeVectors(const Problem& p, const GpuInstance& instance) {
  if (!FitsOneTile(p)) return false;
  // What StoresVec4s and StoresVectors read of a call.
  const GemmArgs args{.preact = p.save_preact ? const_cast<Problem*>(&p) : nullptr,
                      .n = p.n,
                      .out_dtype = p.out_dtype,
                      .accumulate = p.accumulate,
                      .gated = p.gated,
                      .quantize_out = p.quantize_out};
  const int rows = static_cast<int>(instance.tile_m);
  const bool is_ocp = FindTarget(instance.target).float8 == Float8::kOcp;
  return instance.waves_k > 1
             ? StoresVec4s(args, instance.lhs, rows)
             : StoresVectors(args, instance.lhs, is_ocp ? kOcpFloat8 : kFnuzFloat8, rows);
}
// The same of a result that is quantised.
bool StoresQuantized(const Problem& p, const GpuInstance& instance) {
  const int64_t fragments = instance.tile_m * instance.tile_n / 256 / instance.waves;
  return p.quantize_out != QuantizeOut::kNone && FitsOneTile(p) && instance.waves_k == 1 &&
         !p.gated && !p.save_preact && p.activation == Activation::kNone &&
         (!p.has_vectors() || QuantizesAfterVectors(static_cast<int>(fragments)));
}

bool GathersK(const GpuInstance& instance) {
  return MayGatherK(instance.lhs_contracting == 1, instance.rhs_contracting == 1,
                    static_cast<int>(instance.tile_m));
}

bool OperandFits(const Problem& p, const GpuInstance& instance, bool is_lhs) {
  const int64_t rows = is_lhs ? p.m : p.n;
  const int64_t contracting = is_lhs ? instance.lhs_contracting : instance.rhs_contracting;
  const int64_t line = (contracting == 1 ? p.k : rows) * Bytes(instance.lhs);
  return FitsVectors(/*base=*/0, line, line,
                     static_cast<int>(is_lhs ? instance.tile_m : instance.tile_n),
                     static_cast<int>(instance.waves_k), /*up=*/0);
}

bool MayRunOneTile(const Problem& p, const Plan& plan) {
  const GpuInstance& instance = *plan.instance;
  return IsGeneral(plan.choice.form) &&
         (StoresWholeVectors(p, instance) || StoresQuantized(p, instance)) &&
         RunsAsOneTile(p, plan) && OperandFits(p, instance, true) &&
         OperandFits(p, instance, false);
}

}  // namespace

bool Converts(const GpuInstance& tile) {
  const Target& target = FindTarget(tile.target);
  return !target.Decodes(tile.lhs) || !target.Decodes(tile.rhs);
}

bool LoadsByElement(const Problem& p, const GpuInstance& tile) {
  const int64_t lhs_line = p.lhs_contracting == 1 ? p.k : p.m;
  const int64_t rhs_line = p.rhs_contracting == 1 ? p.k : p.n;
  return (lhs_line | rhs_line) / PackedElements(tile.lhs) * Bytes(tile.lhs) % kVecBytes != 0;
}

bool RunsAsOneTile(const Problem& p, const Plan& plan) {
  const StreamKMap map = plan.stream_k_map();
  // Kernels for few rows know only the tiles of one row.
  const bool fits = !plan.instance->for_few_rows() || (map.cut_tiles == 0 && map.grid.tiles_m == 1);
  return !p.grouped() && p.k > 0 && p.tiles_per_chunk == 0 && !plan.stealing() && fits &&
         !LoadsByElement(p, *plan.instance) && map.EqualSlices() > 0 &&
         plan.choice.num_workgroups >= map.whole_tiles + map.num_shares;
}

int64_t MostTilesOfGroups(const Problem& p, const GpuInstance& tile) {
  // There may be rows before the groups of the shard and after them, too.
  const int64_t groups = std::min(p.m, p.local_groups + 2);
  return (groups + (p.m - groups) / tile.tile_m) * CeilDiv(p.num_columns(), tile.tile_n);
}

bool MayFindTilesOfGroups(const Problem& p, const GpuInstance& tile) {
  return p.ragged == Ragged::kM && p.batch == 1 && p.groups > 0 && p.n > 0 &&
         FindsTilesOfGroups(static_cast<int>(tile.tile_m)) &&
         MostTilesOfGroups(p, tile) <= kMaxWorkgroups;
}

bool FindsTilesOfGroups(const Problem& p, const Plan& plan) {
  return MayFindTilesOfGroups(p, *plan.instance) && !plan.stealing() &&
         plan.choice.num_shares == 0 &&
         plan.choice.num_workgroups >= MostTilesOfGroups(p, *plan.instance);
}

void ChoosePath(const Problem& p, const Chip&, Plan* plan) {
  if (MayRunOneTile(p, *plan) || FindsTilesOfGroups(p, *plan)) {
    plan->choice.path = KernelPath::kOneTile;
  }
}

bool IsOnlyRounded(const Problem& p, const Plan& plan) {
  const GpuInstance& instance = *plan.instance;
  return IsGeneral(plan.choice.form) && StoresWholeVectors(p, instance) &&
         p.out_dtype == HalfTypeOf(instance.lhs) &&
         IsOnlyRounded(/*log_bytes=*/1, /*in_memory=*/false, p.has_vectors(), p.activation);
}

bool AmdGathers(const Problem& p, bool is_lhs) {
  if (!IsGeneral(p.scales_form())) return false;
  const int64_t lines = is_lhs ? p.lhs_lines : p.rhs_lines, bytes = Bytes(p.lhs_dtype);
  if (p.ragged == Ragged::kM) return FitsGather(lines, p.k / PackedElements(p.lhs_dtype) * bytes);
  // The kernels gather one operand along k.
  if (!is_lhs && p.lhs_gathered) return false;
  constexpr int64_t kMost24 = (1 << 24) - 1, kMostK = 1 << 28;
  const int64_t line = (is_lhs ? p.m : p.num_columns()) * bytes;
  return MayGatherK(p.lhs_contracting == 1, p.rhs_contracting == 1, /*tile_m=*/64) &&
         p.k <= kMostK && std::max(lines, line) <= kMost24 && FitsGather(lines, line);
}

bool AmdHas(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const bool gathers_k = p.ragged == Ragged::kK && (p.lhs_gathered || p.rhs_gathered);
  return plan.cluster_size() == 1 && (!gathers_k || GathersK(*plan.instance)) &&
         c.form == p.scales_form() && HasForm(*plan.instance, c.form) &&
         (c.path == KernelPath::kTiles ||
          (c.path == KernelPath::kOneTile &&
           (MayRunOneTile(p, plan) || FindsTilesOfGroups(p, plan))));
}

}  // namespace jaxgemm
