// Calls of the CPU's products that were checked before. Decoding the attributes, deriving the plan
// and checking the buffers take longer than a small product.
#pragma once

#include "host/workgroups.h"
#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

// The checked call of this frame, if this thread has run a call with the same attributes, types and
// shapes before, or can check this one now; the addresses are those of this frame. Null for a call
// that is refused, for one of several threads or chunks, and for one that is not for the CPU. The
// call is valid until this thread's next KeptCall.
const HostCall* KeptCall(const XLA_FFI_CallFrame& frame);

}  // namespace jaxgemm
