#include "plan/tiles.h"

#include <algorithm>

#include "plan/hopper/tma.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// For example " tile_m=7"; "" if the user did not fix the field.
std::string Field(std::string_view name, int64_t value) {
  return value ? Concat(" ", name, "=", Str(value)) : std::string();
}

}  // namespace

bool HasWholeBlocks(const Problem& p, int64_t tile_n) {
  return p.quantize_out == QuantizeOut::kNone ||
         tile_n / (p.gated ? 2 : 1) % QuantizedColumns(p.quantize_out) == 0;
}

bool Computes(const GpuInstance& instance, const Problem& given) {
  // Tiles for few rows have an epilogue of their own, which does not quantise.
  if (given.quantize_out != QuantizeOut::kNone &&
      (instance.transposed || instance.waves_k > 1 || IsForFewRows(instance) ||
       !HasWholeBlocks(given, instance.tile_n))) {
    return false;
  }
  if (instance.transposed && (given.grouped() || given.tiles_per_chunk > 0 || given.k == 0)) {
    return false;
  }
  const Problem p = instance.transposed ? Transposed(given) : given;
  if (HasOnlyGroupedForm(instance) && !(p.grouped() && Tma(p).registers_read_rhs)) return false;
  if (IsForFewRows(instance) && !(p.ragged == Ragged::kM && Tma(p).reads_both())) return false;
  return instance.lhs == p.lhs_dtype && instance.rhs == p.rhs_dtype &&
         instance.lhs_contracting == p.lhs_contracting &&
         instance.rhs_contracting == p.rhs_contracting;
}

bool Suits(const GpuInstance& instance, const Problem& p, const Config& c) {
  return Computes(instance, p) && (c.kernel.empty() || c.kernel == instance.name) &&
         (!c.tile_m || c.tile_m == instance.out_tile_m()) &&
         (!c.tile_n || c.tile_n == instance.out_tile_n()) &&
         (!c.tile_k || c.tile_k == instance.tile_k);
}

std::string NoInstance(const Problem& p, const Config& c, const Chip& chip) {
  std::string asked =
      Field("tile_m", c.tile_m) + Field("tile_n", c.tile_n) + Field("tile_k", c.tile_k);
  if (!c.kernel.empty()) asked = " kernel='" + Str(c.kernel) + "'" + asked;
  if (p.quantize_out != QuantizeOut::kNone && asked.empty()) {
    return "no kernel of " + Str(chip.target) +
           " for these operands quantises the result in blocks of " +
           Str(QuantizedColumns(p.quantize_out)) + " columns.";
  }
  std::string names;
  for (const GpuInstance& each : GpuInstances(chip.target)) {
    const bool has_scales = p.block_k == 0 || HasForm(each, p.scales_form());
    if (has_scales && Computes(each, p)) names += " " + each.name;
  }
  if (c.multicast == 1) {
    return "multicast=True, but no kernel of " + Str(chip.target) + " for this product" +
           (asked.empty() ? "" : " that has" + asked) +
           " loads rows or columns for two tiles. Dense kernels of out^T do, and those in which a "
           "cluster divides a tile along k, if out has two tiles and both operands have lines of a "
           "multiple of 16 bytes. Leave multicast out.";
  }
  return "no kernel of " + Str(chip.target) + " for this product has" + asked + "; there are" +
         names + ". Give the name or the tile of one of these, or leave kernel and tile out.";
}

Choice WithInstance(const GpuInstance& instance, const Config& config) {
  return {.target = instance.target,
          .kernel = instance.name,
          .reduction = config.reduction,
          .tile_m = instance.tile_m,
          .tile_n = instance.tile_n,
          .tile_k = instance.tile_k,
          .transposed = instance.transposed};
}

Problem TypicalGroup(Problem p) {
  constexpr int64_t kLeast = 32;  // not fitted: the rows, or the k, of a typical group at least
  int64_t groups = std::max<int64_t>(p.local_groups, 1);
  // No more groups have rows than there are rows.
  if (p.ragged == Ragged::kM) groups = std::clamp<int64_t>(p.m, 1, groups);
  if (p.ragged == Ragged::kM) p.m = std::min(p.m, std::max(kLeast, CeilDiv(p.m, groups)));
  if (p.ragged == Ragged::kK) p.k = std::min(p.k, std::max(kLeast, CeilDiv(p.k, groups)));
  if (p.grouped()) p.batch *= groups;
  p.n = p.num_columns();
  return p;
}

double NumTiles(const Problem& p, const GpuInstance& instance) {
  return static_cast<double>(p.batch) * static_cast<double>(CeilDiv(p.m, instance.tile_m)) *
         static_cast<double>(CeilDiv(p.n, instance.tile_n));
}

// A share has a k of at least 512, because partial sums cost memory traffic. The number was not
// fitted.
int64_t OpenShares(const Problem& p, int64_t cut, int64_t tiles_k, int64_t workgroups) {
  return std::min({workgroups, cut * tiles_k, std::max(cut, cut * p.k / 512)});
}

}  // namespace jaxgemm
