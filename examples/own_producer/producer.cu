// The producer of producer.cc for NVIDIA GPUs: a kernel on a separate stream. The product must
// leave some multiprocessors free for it: GemmConfig(num_workgroups=...).
#include <cuda_runtime.h>

#include <cstdint>
#include <mutex>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// Each block squares one chunk, and blocks start in order.
static __global__ void Square(const float* from, float* to, uint32_t* signals, int64_t size,
                              int64_t chunk_size, int64_t pause_us) {
  for (int64_t waited = 0; waited < pause_us * (blockIdx.x + 1); ++waited) __nanosleep(1000);
  const int64_t begin = blockIdx.x * chunk_size;
  const int64_t end = begin + chunk_size < size ? begin + chunk_size : size;
  for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) to[i] = from[i] * from[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    // The chunk becomes visible to the whole system before its signal. The signal is written last.
    __threadfence_system();
    *static_cast<volatile uint32_t*>(signals + blockIdx.x) = 1;
  }
}

// A device's stream beside XLA's, and an event after the work on XLA's stream before a call.
struct Side {
  cudaStream_t stream = nullptr;
  cudaEvent_t begun = nullptr;
};

static cudaError_t Enqueue(cudaStream_t xla_stream, const float* from, float* to, uint32_t* signals,
                           int64_t size, int64_t chunks, int64_t chunk_size, int64_t pause_us) {
  static std::mutex mutex;
  static Side sides[64];
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  if (device >= 64) return cudaErrorInvalidDevice;
  std::lock_guard<std::mutex> lock(mutex);
  Side& side = sides[device];
  if (!side.stream) {
    error = cudaEventCreateWithFlags(&side.begun, cudaEventDisableTiming);
    if (error == cudaSuccess) {
      error = cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking);
    }
    if (error != cudaSuccess) return error;
  }
  // The buffers are uninitialised. Other work may use them until XLA's stream reaches this point.
  error = cudaMemsetAsync(signals, 0, chunks * sizeof(uint32_t), xla_stream);
  if (error == cudaSuccess) error = cudaEventRecord(side.begun, xla_stream);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(side.stream, side.begun, 0);
  if (error != cudaSuccess) return error;
  Square<<<static_cast<unsigned>(chunks), 1024, 0, side.stream>>>(from, to, signals, size,
                                                                  chunk_size, pause_us);
  return cudaGetLastError();
}

static ffi::Error Start(cudaStream_t stream, ffi::Buffer<ffi::F32> x,
                        ffi::ResultBuffer<ffi::F32> data, ffi::ResultBuffer<ffi::U32> signals,
                        int64_t chunk_rows, int64_t pause_us) {
  const int64_t rows = x.dimensions()[0];
  const int64_t chunks = chunk_rows < 1 ? -1 : (rows + chunk_rows - 1) / chunk_rows;
  const int64_t size = static_cast<int64_t>(x.element_count());
  if (static_cast<int64_t>(signals->element_count()) != chunks) {
    return ffi::Error::InvalidArgument("own_producer: there must be one signal for each chunk.");
  }
  if (size == 0) return ffi::Error::InvalidArgument("own_producer: the array is empty.");
  const cudaError_t error =
      Enqueue(stream, x.typed_data(), data->typed_data(), signals->typed_data(), size, chunks,
              chunk_rows * (size / rows), pause_us);
  return error == cudaSuccess ? ffi::Error::Success()
                              : ffi::Error::Internal(cudaGetErrorString(error));
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(OwnProducer, Start,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<cudaStream_t>>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::U32>>()
                                  .Attr<int64_t>("chunk_rows")
                                  .Attr<int64_t>("pause_us"));
