// The handlers on platform "cpu" as a library of their own, which is compiled with the sanitizers.
// tests/support/fuzz/sanitized.py registers them instead of the module's.
#include "bindings/chunk_handlers.h"
#include "bindings/handlers.h"
#include "host/producer.h"
#include "runtime/emulated.h"
#include "runtime/launcher.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

extern "C" {

XLA_FFI_Error* jaxgemm_gemm(XLA_FFI_CallFrame* frame) { return jaxgemm::GemmHost(frame); }
XLA_FFI_Error* jaxgemm_chunked_gemm(XLA_FFI_CallFrame* frame) { return jaxgemm::GemmHost(frame); }
XLA_FFI_Error* jaxgemm_chunks_start(XLA_FFI_CallFrame* frame) { return jaxgemm::StartHost(frame); }
XLA_FFI_Error* jaxgemm_chunks_join(XLA_FFI_CallFrame* frame) { return jaxgemm::JoinHost(frame); }

void set_paths(const char* kernel_folder, const char* emulator_library) {
  jaxgemm::SetKernelFolder(kernel_folder);
  jaxgemm::SetEmulatorLibrary(emulator_library);
}

void wait_for_copies() { jaxgemm::WaitForHostCopies(); }

}  // extern "C"

namespace {

// Copies its operand. Fault 1 reads one byte past its end, fault 2 writes one byte past the end of
// the result, and fault 3 overflows an integer.
ffi::Error Planted(int64_t fault, ffi::Buffer<ffi::S8> in, ffi::ResultBuffer<ffi::S8> out) {
  const int8_t* from = in.typed_data();
  int8_t* to = out->typed_data();
  const int64_t size = in.element_count();
  int32_t sum = 2147483647 - size;
  for (int64_t i = 0; i < size; ++i) {
    to[i] = from[i];
    ++sum;
  }
  if (fault == 1) to[0] = from[size];
  if (fault == 2) to[size] = 0;
  if (fault == 3) ++sum;
  return sum == 0 ? ffi::Error::Internal("no such sum") : ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(planted, Planted,
                              ffi::Ffi::Bind()
                                  .Attr<int64_t>("fault")
                                  .Arg<ffi::Buffer<ffi::S8>>()
                                  .Ret<ffi::Buffer<ffi::S8>>());
