// The XLA FFI handlers of the custom calls for a mixture's routing, which
// jaxgemm/grouped/routing_calls.py emits. routing_args.h says what they compute.
//
// "jaxgemm_routing_table"
//   operand: chosen s32[..., T, k]; the leading dimensions are those of a batch. results:
//   group_sizes s32[..., E]; experts, choice and token s32[..., R]; row s32[..., T, k]; and a
//   workspace s32[TableWorkspace(batch, R, E)], with R = T k. The CPU needs no workspace.
// "jaxgemm_top_k", on GPUs
//   operand: scores f32[..., E]. result: chosen s32[..., k].
#pragma once

#include <cstdint>

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kTableTarget[] = "jaxgemm_routing_table";
inline constexpr char kTopKTarget[] = "jaxgemm_top_k";

// The number of integers in a table's workspace on a GPU.
int64_t TableWorkspace(int64_t batch, int64_t choices, int64_t num_experts);

// On platform "cpu".
XLA_FFI_Error* TableHost(XLA_FFI_CallFrame* call_frame);

// On GPUs. Of the launches only those in `captured` may become part of a command buffer.
struct RoutingHandlers {
  XLA_FFI_Handler* initialize;
  struct Launches {
    XLA_FFI_Handler *table, *top_k;
  } captured, uncaptured;
};
extern const RoutingHandlers kRocmRoutingHandlers, kCudaRoutingHandlers;

}  // namespace jaxgemm
