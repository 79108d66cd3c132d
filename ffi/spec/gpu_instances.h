// The GPU kernels that follow from instances.def. An instance's name is that of its symbol and
// file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sm90/forms.h"
#include "sm90/launch_args.h"
#include "spec/chip.h"
#include "spec/names.h"
#include "spec/types.h"

namespace jaxgemm {

struct GpuInstance {
  int id;  // its place in GpuInstances()
  std::string_view target;
  Family family;
  DType lhs, rhs;
  int64_t tile_m, tile_n, tile_k;
  int64_t waves;
  int64_t waves_k;                           // how many of the waves divide a k tile along k
  int64_t lhs_contracting, rhs_contracting;  // which of an operand's two dimensions is k
  bool transposed;     // computes out^T = rhs^T lhs^T; the fields above describe that product
  uint32_t forms = 0;  // the forms that it has, a bit for each KernelForm

  // The rows and columns of out that a tile has.
  int64_t out_tile_m() const { return transposed ? tile_n : tile_m; }
  int64_t out_tile_n() const { return transposed ? tile_m : tile_n; }
  // Whether this is AMD's tile for products of at most 16 rows.
  bool for_few_rows() const { return waves_k > 1 && tile_m == 16; }

  // gemm_<lhs>_<rhs>_<tile>_<layouts of lhs, rhs and out: r(ow) or c(olumn) major>.
  std::string name;
};

static_assert(kKernelForms <= 32, "each form has a bit in GpuInstance::forms");
inline bool HasForm(const GpuInstance& instance, KernelForm form) {
  return instance.forms >> static_cast<int>(form) & 1;
}

inline bool LhsInRegisters(const GpuInstance& instance) {
  return instance.family == Family::kHopper &&
         LhsInRegisters(instance.lhs, instance.lhs_contracting == 1, instance.transposed);
}
inline bool RhsInRegisters(const GpuInstance& instance, KernelForm form) {
  return instance.family == Family::kHopper &&
         RhsInRegisters(form, instance.lhs, instance.lhs_contracting == 1,
                        instance.rhs_contracting == 1, instance.transposed);
}
inline bool HasOnlyGroupedForm(const GpuInstance& instance) {
  return instance.family == Family::kHopper &&
         HasOnlyGroupedForm(instance.lhs, instance.tile_n, instance.lhs_contracting == 1,
                            instance.rhs_contracting == 1, instance.transposed);
}
// The CTAs that share a tile's rhs on Hopper.
inline int64_t Sm90Cluster(const GpuInstance& instance) {
  return Sm90Cluster(instance.tile_m, instance.tile_n);
}
// Whether this is Hopper's tile for groups of few rows.
inline bool IsForFewRows(const GpuInstance& instance) {
  return instance.family == Family::kHopper && !instance.transposed &&
         IsForFewRows(instance.tile_m);
}
inline bool MayMulticast(const GpuInstance& instance, KernelForm form) {
  return instance.family == Family::kHopper && HasForm(instance, form) &&
         MayMulticast(form, instance.lhs, instance.lhs_contracting == 1, instance.transposed);
}
inline bool HasOnlyDenseForms(const GpuInstance& instance) {
  return instance.family == Family::kHopper &&
         HasOnlyDenseForms(instance.tile_n, instance.transposed);
}

// All instances. Those of one target and one pair of operands are neighbours, large tiles first.
const std::vector<GpuInstance>& GpuInstances();
std::span<const GpuInstance> GpuInstances(std::string_view target);

// Null if there is no such instance.
const GpuInstance* FindGpuInstance(std::string_view target, std::string_view name);

}  // namespace jaxgemm
