#include "runtime/one_tile.h"

#include <algorithm>

#include "amdgpu/plain_product.h"
#include "plan/amdgpu_model.h"

namespace jaxgemm {
namespace {

bool OperandFits(const GemmArgs& args, const GpuInstance& instance, bool is_lhs) {
  const int64_t rows = is_lhs ? args.m : args.n;
  const int64_t contracting = is_lhs ? instance.lhs_contracting : instance.rhs_contracting;
  const int64_t line = (contracting == 1 ? args.k : rows) * Bytes(instance.lhs);
  return FitsVectors(reinterpret_cast<uint64_t>(is_lhs ? args.lhs : args.rhs), line, line,
                     static_cast<int>(is_lhs ? instance.tile_m : instance.tile_n),
                     static_cast<int>(instance.waves_k), /*up=*/0);
}

}  // namespace

void SetOneTile(const Problem& problem, const Plan& plan, GemmArgs* args) {
  // RunOneTile has sizes in 32 bits, and rows of out in 24 bits of bytes.
  constexpr int64_t kLargest = 1 << 30, kMostColumns = (1 << 22) - 1;
  const GpuInstance& instance = *plan.instance;
  const bool divides_k = instance.waves_k > 1;
  const int rows = static_cast<int>(instance.tile_m);
  const TargetFloat8 float8 = instance.target == "gfx950" ? kOcpFloat8 : kFnuzFloat8;
  args->one_tile = {};
  args->only_rounded = false;
  if (!IsGeneral(plan.choice.form)) return;
  if (std::max(args->m, args->k) > kLargest || args->n > kMostColumns) return;
  if (!(divides_k ? StoresVec4s(*args, instance.lhs, rows)
                  : StoresVectors(*args, instance.lhs, float8, rows))) {
    return;
  }
  const bool has_vectors = args->bias || args->scale || args->row_scale;
  args->only_rounded = args->out_dtype == HalfTypeOf(instance.lhs) &&
                       IsOnlyRounded(/*log_bytes=*/1, false, has_vectors, args->activation);
  if (!KnowsItsTile(problem, plan)) return;
  if (!OperandFits(*args, instance, true) || !OperandFits(*args, instance, false)) return;
  args->one_tile = OneTileMap::Of(args->map);
}

}  // namespace jaxgemm
