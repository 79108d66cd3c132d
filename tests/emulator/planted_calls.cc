// Custom calls with faults, for tests/emulator/planted_faults.py. Each copies its operand.
#include "xla/ffi/api/ffi.h"

extern "C" {
int hipMalloc(void** pointer, size_t bytes);
int hipFree(void* pointer);
int hipStreamCreateWithFlags(void** stream, unsigned flags);
int hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream);
const char* hipGetErrorString(int error);
}

namespace ffi = xla::ffi;

namespace {

constexpr int kDeviceToDevice = 3;
constexpr unsigned kNonBlocking = 1;

ffi::Error Checked(int error) {
  return error == 0 ? ffi::Error::Success() : ffi::Error::Internal(hipGetErrorString(error));
}

ffi::Error Copy(void* stream, ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out) {
  return Checked(hipMemcpyAsync(out->untyped_data(), in.untyped_data(), in.size_bytes(),
                                kDeviceToDevice, stream));
}

ffi::Error Right(void* stream, ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out) {
  return Copy(stream, in, out);
}

// Allocates memory, which HIP refuses while a stream is captured.
ffi::Error Allocates(void* stream, ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out) {
  void* pointer = nullptr;
  if (ffi::Error error = Checked(hipMalloc(&pointer, 64)); error.failure()) return error;
  if (ffi::Error error = Checked(hipFree(pointer)); error.failure()) return error;
  return Copy(stream, in, out);
}

// Copies on a stream of its own; no event orders it and XLA's stream.
ffi::Error OnAnotherStream(void*, ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out) {
  void* stream = nullptr;  // it is never destroyed, as the copy is late
  if (ffi::Error error = Checked(hipStreamCreateWithFlags(&stream, kNonBlocking));
      error.failure()) {
    return error;
  }
  return Copy(stream, in, out);
}

}  // namespace

#define PLANTED(name, function)                                        \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(name, function,                        \
                                ffi::Ffi::Bind()                       \
                                    .Ctx<ffi::PlatformStream<void*>>() \
                                    .Arg<ffi::AnyBuffer>()             \
                                    .Ret<ffi::AnyBuffer>(),            \
                                {ffi::Traits::kCmdBufferCompatible})

PLANTED(right, Right);
PLANTED(allocates, Allocates);
PLANTED(another_stream, OnAnotherStream);
