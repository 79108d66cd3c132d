// The XLA FFI handlers of the custom call "jaxgemm_routing_table"; jaxgemm/flax/table.py emits it.
//   operand: chosen s32[..., T, k]. The leading dimensions are those of a batch.
//   results: group_sizes s32[..., E], experts s32[..., R], choice s32[..., R], row s32[..., T, k],
//   and a workspace s32[RoutingWorkspace(batch, R, E)], with R = T k; see routing_args.h. The CPU
//   needs no workspace.
#pragma once

#include <cstdint>

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kRoutingTarget[] = "jaxgemm_routing_table";

// The number of integers in the workspace on a GPU.
int64_t RoutingWorkspace(int64_t batch, int64_t choices, int64_t num_experts);

// On platform "cpu".
XLA_FFI_Error* RoutingHost(XLA_FFI_CallFrame* call_frame);

// On GPUs. Of the two launches only `captured` may become part of a command buffer.
struct RoutingHandlers {
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* captured;
  XLA_FFI_Handler* uncaptured;
};
extern const RoutingHandlers kRocmRoutingHandlers, kCudaRoutingHandlers;

}  // namespace jaxgemm
