// The XLA FFI handlers of this module.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

// Custom call target of the CPU backend; jaxgemm/gemm.py emits it. Operands, results and
// attributes are described in handlers.cc.
inline constexpr char kGemmTarget[] = "jaxgemm_gemm";
XLA_FFI_Error* GemmHost(XLA_FFI_CallFrame* call_frame);

}  // namespace jaxgemm
