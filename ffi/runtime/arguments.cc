#include "runtime/launch.h"

namespace jaxgemm {

GemmArgs PackArguments(const Call& call) {
  const Problem& p = call.problem;
  const Plan& plan = call.plan;
  GroupedMap groups = plan.grouped_map(p);
  groups.group_sizes = call.group_sizes;
  char* partials =
      call.workspace +
      (plan.choice.reduction == Reduction::kAtomic ? plan.atomic_offset : plan.partials_offset);
  GemmArgs args = {
      .lhs = call.lhs,
      .rhs = call.rhs,
      .out = call.out,
      .preact = call.preact,
      .out_scales = call.out_scales,
      .claims = reinterpret_cast<int32_t*>(call.workspace + plan.claim_offset),
      .arrivals = reinterpret_cast<int32_t*>(call.workspace + plan.arrivals_offset),
      .partials = partials,
      .m = p.m,
      .n = p.n,
      .k = p.k,
      .lhs_batch_stride = p.lhs_batched ? p.lhs_size() : 0,
      .rhs_batch_stride =
          p.rhs_batched ? p.rhs_size() * (p.ragged == Ragged::kM ? p.local_groups : 1) : 0,
      .map = p.grouped() ? StreamKMap{} : plan.stream_k_map(),
      .groups = groups,
      .group_offset = call.group_offset,
      .lhs_gather = {.indices = call.lhs_indices,
                     .lines = p.lhs_lines,
                     .batch_stride = p.lhs_indices_batched ? p.ragged_extent() : 0},
      .rhs_gather = {.indices = call.rhs_indices,
                     .lines = p.rhs_lines,
                     .batch_stride = p.rhs_indices_batched ? p.ragged_extent() : 0},
      .chunks = call.chunks(),
      .max_shares = static_cast<Index>(p.grouped() ? plan.choice.num_shares : 0),
      .claim = plan.claim_args(),
      .out_dtype = p.out_dtype,
      .activation = p.activation,
      .reduction = plan.choice.reduction,
      .block_n = static_cast<int32_t>(p.block_n),
      .blocks_k = static_cast<int32_t>(p.blocks_k()),
      .lhs_scales = call.lhs_scales,
      .rhs_scales = call.rhs_scales,
      .lhs_scales_batch_stride = p.lhs_batched ? p.blocks_m() * p.blocks_k() : 0,
      .rhs_scales_batch_stride =
          p.rhs_batched || p.ragged == Ragged::kM ? p.blocks_n() * p.blocks_k() : 0};
#define JAXGEMM_VECTOR(type, name, ...) \
  args.name = call.name;                \
  args.name##_batch_stride = call.strides.name.batch;
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
#define JAXGEMM_BROADCAST_VECTOR(type, name, ...) \
  args.name##_stride = static_cast<int32_t>(call.strides.name.row + call.strides.name.column);
#include "spec/call_schema.def"
#undef JAXGEMM_BROADCAST_VECTOR
#define JAXGEMM_KERNEL_CHOICE(type, name, ...) args.name = plan.choice.name;
#include "spec/call_schema.def"
#undef JAXGEMM_KERNEL_CHOICE
#define JAXGEMM_KERNEL_PROBLEM(type, name, ...) args.name = p.name;
#include "spec/call_schema.def"
#undef JAXGEMM_KERNEL_PROBLEM
  return args;
}

}  // namespace jaxgemm
