// A user's own producer for jaxgemm.chunked_matmul, on the CPU: it squares an array chunk by chunk
// on a thread, while the product multiplies the chunks that have arrived.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// Returns at once. The results must stay allocated until all signals are 1, which
// jaxgemm.join(..., epoch=1) makes sure of.
static ffi::Error Start(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> data,
                        ffi::ResultBuffer<ffi::U32> signals, int64_t chunk_rows, int64_t pause_us) {
  const int64_t rows = x.dimensions()[0];
  const int64_t chunks = chunk_rows < 1 ? -1 : (rows + chunk_rows - 1) / chunk_rows;
  if (static_cast<int64_t>(signals->element_count()) != chunks) {
    return ffi::Error::InvalidArgument("own_producer: there must be one signal for each chunk.");
  }
  const float* from = x.typed_data();
  float* to = data->typed_data();
  uint32_t* set = signals->typed_data();
  const int64_t size = static_cast<int64_t>(x.element_count());
  const int64_t chunk_size = rows == 0 ? 0 : chunk_rows * (size / rows);

  // The buffers are uninitialised: an old value may be equal to the epoch.
  std::fill(set, set + chunks, 0u);
  // A separate thread: all of XLA's threads may be waiting for the chunks.
  std::thread([=] {
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      // As if the chunk came from a disk, or from another machine.
      if (pause_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
      const int64_t end = std::min(size, (chunk + 1) * chunk_size);
      for (int64_t i = chunk * chunk_size; i < end; ++i) to[i] = from[i] * from[i];
      // The signal is written after its chunk; nothing is written after the last signal.
      __atomic_store_n(set + chunk, 1u, __ATOMIC_RELEASE);
    }
  }).detach();
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(OwnProducer, Start,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::U32>>()
                                  .Attr<int64_t>("chunk_rows")
                                  .Attr<int64_t>("pause_us"));
