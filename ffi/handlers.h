// The XLA FFI handlers of the custom call "jaxgemm_gemm"; jaxgemm/gemm.py emits it, decode.h
// describes it.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kGemmTarget[] = "jaxgemm_gemm";

// On platform "cpu". A call for a GPU target goes through the emulator there.
XLA_FFI_Error* GemmHost(XLA_FFI_CallFrame* call_frame);

// On platform "ROCM". The second may not become part of a command buffer.
XLA_FFI_Error* GemmRocmInitialize(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmRocm(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmRocmUncaptured(XLA_FFI_CallFrame* call_frame);

// On platform "CUDA", likewise.
XLA_FFI_Error* GemmCudaInitialize(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmCuda(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* GemmCudaUncaptured(XLA_FFI_CallFrame* call_frame);

}  // namespace jaxgemm
