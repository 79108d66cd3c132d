// The XLA FFI handlers of the custom calls of a mixture of experts, but for those of its products,
// which routing_calls.py and gated_gradient.py of jaxgemm/grouped/ emit. routing_args.h says what
// they compute.
//
// "jaxgemm_routing_table"
//   operand: chosen s32[..., T, k]; the leading dimensions are those of a batch. results:
//   group_sizes s32[..., E]; experts, choice and token s32[..., R]; row s32[..., T, k]; and a
//   workspace s32[TableWorkspace(batch, R, E)], with R = T k. The CPU needs no workspace.
// "jaxgemm_top_k", on GPUs
//   operand: scores f32[..., E]. result: chosen s32[..., k].
// "jaxgemm_gated_gradient", on GPUs
//   operands: z [..., 2, H] of float32, float16 or bfloat16; g [..., H] in this dtype, and
//   w f32[...]. results: dz like z, hw like g, and dw like w. dz may be in z's
//   place, and hw in that of g. attribute: activation, which is "silu".
//   There may be one operand more: count s32[1]. A row from count on is not computed.
//   Or there may be five operands more: places s32[R] of the R rows in the results, count s32[1],
//   and three arrays like dz, hw and dw, whose places these take. Then the results may have any
//   number of rows. A row from count on, or without a place there, is not computed, and what no row
//   is written to stays as it was.
// "jaxgemm_quantized_gradient", on GPUs
//   The same, with two results more: dz in float8, [..., 2, H], and its scales [..., 1 or 2 H /
//   block] of float32 or float8_e8m0fnu. attribute: block, 0 for a scale for each row.
// "jaxgemm_quantize_rows", on GPUs
//   operands: x [..., R, K] of float32, float16 or bfloat16, or [..., R, 2, K] with the attribute
//   activation, which is "silu" then and else ""; and bounds s32[..., 2]. results: values of float8
//   [..., R, K], and scales [..., R, 1 or K / block]. attribute: block.
// "jaxgemm_quantize_columns", on GPUs
//   operands: x [..., T, K] of float32, float16 or bfloat16; lines s32[..., R], the row of x for
//   each row, or s32[..., 0] if R is T; factors f32[..., R]; and bounds s32[..., 2]. result: values
//   of float8 [..., K, R]. R is a multiple of 8.
// "jaxgemm_gather_rows", on GPUs
//   operands: x [T, K] of any dtype; lines s32[R], the row of x for each row; and bounds s32[2].
//   result: [R, K] in x's dtype, where rows out of bounds are not written.
#pragma once

#include <cstdint>

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kTableTarget[] = "jaxgemm_routing_table";
inline constexpr char kTopKTarget[] = "jaxgemm_top_k";
inline constexpr char kGatedTarget[] = "jaxgemm_gated_gradient";
inline constexpr char kQuantizedGatedTarget[] = "jaxgemm_quantized_gradient";
inline constexpr char kQuantizeTarget[] = "jaxgemm_quantize_rows";
inline constexpr char kColumnsTarget[] = "jaxgemm_quantize_columns";
inline constexpr char kGatherTarget[] = "jaxgemm_gather_rows";

// The number of integers in a table's workspace on a GPU.
int64_t TableWorkspace(int64_t batch, int64_t choices, int64_t num_experts);

// On platform "cpu".
XLA_FFI_Error* TableHost(XLA_FFI_CallFrame* call_frame);

// On GPUs. Of the launches only those in `captured` may become part of a command buffer.
struct RoutingHandlers {
  XLA_FFI_Handler* initialize;
  struct Launches {
    XLA_FFI_Handler *table, *top_k, *gated, *quantized_gated, *quantize, *columns, *gather;
  } captured, uncaptured;
};
extern const RoutingHandlers kRocmRoutingHandlers, kCudaRoutingHandlers;

}  // namespace jaxgemm
