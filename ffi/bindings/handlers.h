// The XLA FFI handlers of the custom calls "jaxgemm_gemm" and "jaxgemm_chunked_gemm".
// jaxgemm/call/lower.py emits them; decode.h describes their operands, which are the same. The
// second is for an lhs in chunks that a copy may bring (chunk_handlers.h). It begins that copy, so
// it may not become part of a command buffer.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kGemmTarget[] = "jaxgemm_gemm";
inline constexpr char kChunkedGemmTarget[] = "jaxgemm_chunked_gemm";

// Both calls on platform "cpu". The emulator runs a call for a GPU target there.
XLA_FFI_Error* GemmHost(XLA_FFI_CallFrame* call_frame);

// On GPUs. Of the three launches only `captured` may become part of a command buffer.
struct GemmHandlers {
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* captured;
  XLA_FFI_Handler* uncaptured;
  XLA_FFI_Handler* chunked;
};
extern const GemmHandlers kRocmGemmHandlers, kCudaGemmHandlers;

}  // namespace jaxgemm
