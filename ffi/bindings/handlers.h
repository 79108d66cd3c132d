// The XLA FFI handlers of the custom calls "jaxgemm_gemm" and "jaxgemm_chunked_gemm".
// jaxgemm/custom_call.py emits them; decode.h describes their operands, which are the same. The
// second is for an lhs in chunks that a copy may bring (chunk_handlers.h). It begins that copy, so
// it may not become part of a command buffer.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kGemmTarget[] = "jaxgemm_gemm";
inline constexpr char kChunkedGemmTarget[] = "jaxgemm_chunked_gemm";

// Both calls on platform "cpu". The emulator runs a call for a GPU target there.
XLA_FFI_Error* GemmHost(XLA_FFI_CallFrame* call_frame);

// On platform "ROCM". Of the three launches only GemmRocm may become part of a command buffer.
XLA_FFI_Error* GemmRocmInitialize(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmRocm(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmRocmUncaptured(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* ChunkedGemmRocm(XLA_FFI_CallFrame* call_frame);

// The same on platform "CUDA".
XLA_FFI_Error* GemmCudaInitialize(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmCuda(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmCudaUncaptured(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* ChunkedGemmCuda(XLA_FFI_CallFrame* call_frame);

}  // namespace jaxgemm
