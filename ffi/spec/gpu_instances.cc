#include "spec/gpu_instances.h"

#include <map>
#include <utility>

#include "spec/names.h"

namespace jaxgemm {
namespace {

struct Tile {
  std::string_view target;
  int64_t m, n, row_bytes, waves, waves_k;
  bool transposed;
};
constexpr Tile kTiles[] = {
#define JAXGEMM_GPU_TILE(target, m, n, row_bytes, waves_m, waves_n, out) \
  {target, m, n, row_bytes, waves_m * waves_n * row_bytes / 128, row_bytes / 128, *out == 'c'},
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

std::vector<GpuInstance> MakeInstances() {
  std::vector<GpuInstance> instances;
  auto add = [&instances](const Operands& operands, const Tile& tile, int64_t lhs_contracting,
                          int64_t rhs_contracting) {
    GpuInstance instance{
        .id = static_cast<int>(instances.size()),
        .target = operands.target,
        .lhs = operands.lhs,
        .rhs = operands.rhs,
        .tile_m = tile.m,
        .tile_n = tile.n,
        .tile_k = tile.row_bytes / Bytes(operands.lhs) * PackedElements(operands.lhs),
        .waves = tile.waves,
        .waves_k = tile.waves_k,
        .lhs_contracting = lhs_contracting,
        .rhs_contracting = rhs_contracting,
        .transposed = tile.transposed};
    instance.name = "gemm_" + std::string(Name(operands.lhs)) + "_" +
                    std::string(Name(operands.rhs)) + "_" + std::to_string(instance.tile_m) + "x" +
                    std::to_string(instance.tile_n) + "x" + std::to_string(instance.tile_k) +
                    (lhs_contracting == 1 ? "_r" : "_c") + (rhs_contracting == 0 ? "r" : "c") +
                    (tile.transposed ? "c" : "r");
    instances.push_back(std::move(instance));
  };
  for (const Operands& operands : kOperands) {
    for (const Tile& tile : kTiles) {
      if (tile.target != operands.target) continue;
      for (int64_t lhs_contracting : {1, 0}) {
        for (int64_t rhs_contracting : {0, 1}) {
          // Hopper has no instances for these, unless an operand goes to wgmma through registers
          // and the other one is k-contiguous:
          // - 16-bit types: tiles of less than 112 columns that are no multiple of 64 columns, if
          //   rhs is not k-contiguous. They were left out while TMA loaded whole boxes of 64
          //   columns of such an rhs (TileBoxes in sm90/loaders.h). With up to 104 rows and an lhs
          //   of [K, M] they would be a little faster now.
          // - Other types: tiles of 112 columns or more that are no multiple of 64 columns. And all
          //   tiles but 128 x 128, unless both operands are k-contiguous: wgmma reads these types
          //   k-major only, so the kernel transposes an operand while it loads it. An rhs of floats
          //   also goes to wgmma through registers, in tiles of 128 x 128 and 128 x 256.
          bool small = tile.m == 128 && tile.n == 128, narrow = tile.n < 112;
          bool k_contiguous = lhs_contracting == 1 && rhs_contracting == 1;
          bool in_boxes = tile.n % 64 == 0;
          bool by_registers =
              (rhs_contracting == 1 &&
               LhsInRegisters(operands.lhs, lhs_contracting == 1, tile.transposed)) ||
              (tile.m == 128 && tile.n % 128 == 0 &&
               RhsInRegisters(KernelForm::kGrouped, operands.lhs, lhs_contracting == 1,
                              rhs_contracting == 1, tile.transposed));
          if (tile.target == "sm90" && !by_registers &&
              (Bytes(operands.lhs) == 2 ? narrow && !in_boxes && rhs_contracting == 0
                                        : (!narrow && !in_boxes) || (!k_contiguous && !small))) {
            continue;
          }
          // On AMD GPUs, types that do not have 16 bits get only the square tiles and the tile with
          // 32 rows.
          if (tile.target != "sm90" && tile.m != tile.n && tile.m > 32 &&
              Bytes(operands.lhs) != 2) {
            continue;
          }
          // Kernels of float4 are for operands in an MX format, which are k-contiguous. Tiles whose
          // waves divide a k tile are compiled only for 16-bit types, and those of 16 rows, which
          // are for a few rows of activations, only for a k-contiguous lhs.
          if (IsF4(operands.lhs) && (!k_contiguous || !HasMx(tile.m, tile.n))) continue;
          if (tile.waves_k > 1 && Bytes(operands.lhs) != 2) continue;
          if (tile.m == 16 && lhs_contracting != 1) continue;
          add(operands, tile, lhs_contracting, rhs_contracting);
        }
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
