#include "spec/gpu_instances.h"

#include <algorithm>
#include <map>
#include <utility>

#include "spec/names.h"

namespace jaxgemm {
namespace {

// A line of instances.def.
struct Tile {
  std::string_view target;
  int64_t m, n, row_bytes, waves_m, waves_n;
  std::string_view out, bits16, float8, int8, float32, scales;

  int64_t waves_k() const { return row_bytes / 128; }
  int64_t waves() const { return waves_m * waves_n * waves_k(); }
  bool transposed() const { return out == "c"; }
};
constexpr Tile kTiles[] = {
#define JAXGEMM_GPU_TILE(...) {__VA_ARGS__},
#include "spec/instances.def"
#undef JAXGEMM_GPU_TILE
};

struct Operands {
  std::string_view target;
  DType lhs, rhs;
};
constexpr Operands kOperands[] = {
#define JAXGEMM_GPU_OPERANDS(target, lhs, rhs) {target, DType::lhs, DType::rhs},
#include "spec/instances.def"
#undef JAXGEMM_GPU_OPERANDS
};

bool Lists(std::string_view words, std::string_view word) { return words.find(word) != words.npos; }

// The layouts in which a tile has kernels for an lhs of this type: "all", or a list.
std::string_view Layouts(const Tile& tile, DType lhs) {
  if (IsF4(lhs)) return Lists(tile.scales, "mx") ? "rc" : "";
  if (IsF8(lhs)) return tile.float8;
  if (lhs == DType::kS8) return tile.int8;
  return Bytes(lhs) == 2 ? tile.bits16 : tile.float32;
}

// Whether a kernel of the tile has this form. On Hopper forms.h says it.
bool TileHasForm(const Tile& tile, const GpuInstance& instance, KernelForm form) {
  const bool lhs_k = instance.lhs_contracting == 1, rhs_k = instance.rhs_contracting == 1;
  if (instance.family == Family::kHopper) {
    return HasForm(form, instance.lhs, tile.m, tile.n, lhs_k, rhs_k, tile.transposed());
  }
  if (IsGeneral(form)) return !IsF4(instance.lhs);
  return lhs_k && rhs_k && (IsF8(instance.lhs) || (IsF4(instance.lhs) && IsMx(form))) &&
         Lists(tile.scales, Name(form));
}

GpuInstance MakeInstance(int id, const Operands& operands, const Tile& tile,
                         std::string_view layout) {
  GpuInstance instance{
      .id = id,
      .target = operands.target,
      .family = FindTarget(operands.target).family,
      .lhs = operands.lhs,
      .rhs = operands.rhs,
      .tile_m = tile.m,
      .tile_n = tile.n,
      .tile_k = tile.row_bytes / Bytes(operands.lhs) * PackedElements(operands.lhs),
      .waves = tile.waves(),
      .waves_k = tile.waves_k(),
      .lhs_contracting = layout[0] == 'r' ? 1 : 0,
      .rhs_contracting = layout[1] == 'r' ? 0 : 1,
      .transposed = tile.transposed()};
  for (int form = 0; form < kKernelForms; ++form) {
    if (TileHasForm(tile, instance, static_cast<KernelForm>(form))) instance.forms |= 1u << form;
  }
  instance.name = "gemm_" + std::string(Name(operands.lhs)) + "_" +
                  std::string(Name(operands.rhs)) + "_" + std::to_string(instance.tile_m) + "x" +
                  std::to_string(instance.tile_n) + "x" + std::to_string(instance.tile_k) + "_" +
                  std::string(layout) + std::string(tile.out);
  return instance;
}

std::vector<GpuInstance> MakeInstances() {
  std::vector<GpuInstance> instances;
  for (const Operands& operands : kOperands) {
    for (const Tile& tile : kTiles) {
      if (tile.target != operands.target) continue;
      const std::string_view layouts = Layouts(tile, operands.lhs);
      for (std::string_view layout : {"rr", "rc", "cr", "cc"}) {
        if (layouts != "all" && !Lists(layouts, layout)) continue;
        const int id = static_cast<int>(instances.size());
        instances.push_back(MakeInstance(id, operands, tile, layout));
      }
    }
  }
  return instances;
}

}  // namespace

const std::vector<GpuInstance>& GpuInstances() {
  static const std::vector<GpuInstance> instances = MakeInstances();
  return instances;
}

std::span<const GpuInstance> GpuInstances(std::string_view target) {
  const auto begin = std::ranges::find(GpuInstances(), target, &GpuInstance::target);
  const auto of_other = [target](const GpuInstance& each) { return each.target != target; };
  return {begin, std::find_if(begin, GpuInstances().end(), of_other)};
}

const GpuInstance* FindGpuInstance(std::string_view target, std::string_view name) {
  using Key = std::pair<std::string_view, std::string_view>;
  static const std::map<Key, const GpuInstance*> by_name = [] {
    std::map<Key, const GpuInstance*> map;
    for (const GpuInstance& each : GpuInstances()) map[{each.target, each.name}] = &each;
    return map;
  }();
  const auto found = by_name.find({target, name});
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace jaxgemm
