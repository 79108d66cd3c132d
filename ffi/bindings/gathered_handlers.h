// The XLA FFI handlers of products whose rows are gathered from other devices of this process;
// jaxgemm/collective/copies.py emits the call.
//
// "jaxgemm_gathered_gemm"
//   operands: those of the product of one piece (spec/call_schema.def), but that lhs has all rows
//   of this device: rows[m, K]. results: out[D * m, N], and preact like it, with the rows of all D
//   devices; gathered[(D - 1) * m, K], where the others' rows arrive; two workspaces, one after
//   the other. attributes: product, the attributes of one piece's product; devices, the ordinals
//   of the mesh's devices in groups that gather from each other, as "0 1;2 3"; pieces, into how
//   many products the rows of one device are cut; timeout_ns, how long a device waits for others.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kGatheredGemmTarget[] = "jaxgemm_gathered_gemm";

// None may become part of a command buffer: devices meet while a call runs.
struct GatheredHandlers {
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;
};
extern const GatheredHandlers kRocmGatheredHandlers, kCudaGatheredHandlers;

}  // namespace jaxgemm
