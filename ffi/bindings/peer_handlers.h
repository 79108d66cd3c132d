// The XLA FFI handlers of products beside copies between the devices of one process;
// jaxgemm/collective/copies.py emits the calls.
//
// "jaxgemm_gathered_gemm"
//   operands: those of the product of one piece (spec/call_schema.def), except that lhs has all
//   rows of this device, [m, K]. results: out[D * m, N], and preact like it, with the rows of all D
//   devices; gathered[(D - 1) * m, K], where the others' rows arrive; two workspaces, one after
//   the other.
// "jaxgemm_scattered_gemm"
//   operands: the same, except that lhs has the rows of all devices, [D * m, K]. results: this
//   device's part of its own sum, out[m, N]; its parts of the others' sums, sent[(D - 1) * m, N];
//   the others' parts of its own, received[(D - 1) * m, N]; two workspaces.
// Both have these attributes: product, the attributes of one piece's product; devices, the ordinals
// of the mesh's devices in groups that copy from each other, such as "0 1;2 3"; pieces, the number
// of products into which the rows of one device are cut; timeout_ns, how long a device waits for
// others.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kGatheredGemmTarget[] = "jaxgemm_gathered_gemm";
inline constexpr char kScatteredGemmTarget[] = "jaxgemm_scattered_gemm";

// None may become part of a command buffer, because devices meet while a call runs.
struct PeerHandlers {
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* gather;
  XLA_FFI_Handler* scatter;
};
extern const PeerHandlers kRocmPeerHandlers, kCudaPeerHandlers;

}  // namespace jaxgemm
