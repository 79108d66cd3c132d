// The XLA FFI handlers of the custom calls "jaxgemm_gemm" and "jaxgemm_chunked_gemm", which are one
// call; jaxgemm/custom_call.py emits it, decode.h describes it. The second is for chunks that a
// copy of chunk_handlers.h may bring: the product begins the copy, and is no part of a command
// buffer.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kGemmTarget[] = "jaxgemm_gemm";
inline constexpr char kChunkedGemmTarget[] = "jaxgemm_chunked_gemm";

// On platform "cpu", both. A call for a GPU target goes through the emulator there.
XLA_FFI_Error* GemmHost(XLA_FFI_CallFrame* call_frame);

// On platform "ROCM". Only the first of the launches may become part of a command buffer.
XLA_FFI_Error* GemmRocmInitialize(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmRocm(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmRocmUncaptured(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* ChunkedGemmRocm(XLA_FFI_CallFrame* call_frame);

// On platform "CUDA", likewise.
XLA_FFI_Error* GemmCudaInitialize(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmCuda(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmCudaUncaptured(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* ChunkedGemmCuda(XLA_FFI_CallFrame* call_frame);

}  // namespace jaxgemm
