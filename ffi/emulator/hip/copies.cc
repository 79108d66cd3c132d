// Copies and memsets. Host and device memory are the same here, so only delayed streams show that a
// program does not wait for a copy before it uses the memory.
#include <algorithm>
#include <cstring>

#include "emulator/hip/graph.h"
#include "emulator/hip/memory.h"
#include "emulator/hip/stream.h"

namespace jaxgemm::emulator {
namespace {

hipError_t Copy(hipStream_t stream, void* to, const void* from, size_t bytes) {
  return Guarded([&] {
    if (bytes != 0) Submit(stream, MakeCopy(to, from, bytes));
  });
}

hipError_t Set(hipStream_t stream, void* to, unsigned element_bytes, unsigned value,
               size_t elements) {
  return Guarded([&] {
    if (elements != 0) Submit(stream, MakeMemset({to, element_bytes, 1, 0, value, elements}));
  });
}

void FillRow(char* row, const hipMemsetParams& parameters) {
  for (size_t i = 0; i < parameters.elements; ++i) {
    std::memcpy(row + i * parameters.element_bytes, &parameters.value, parameters.element_bytes);
  }
}

}  // namespace

WorkPtr MakeCopy(void* to, const void* from, size_t bytes) {
  CheckRange(to, bytes, "are copied to");
  CheckRange(from, bytes, "are copied from");
  return std::make_shared<HostWork>("memcpy", [=] { std::memmove(to, from, bytes); });
}

WorkPtr MakeMemset(const hipMemsetParams& parameters) {
  const unsigned element = parameters.element_bytes;
  if (element != 1 && element != 2 && element != 4) {
    throw HipFailure{hipErrorInvalidValue,
                     Text("A memset has elements of 1, 2 or 4 bytes, not %u.", element)};
  }
  const size_t row_bytes = parameters.elements * element;
  const size_t rows = std::max<size_t>(parameters.rows, 1);
  CheckRange(parameters.to, (rows - 1) * parameters.pitch + row_bytes, "are set from");
  return std::make_shared<HostWork>("memset", [parameters, rows] {
    for (size_t row = 0; row < rows; ++row) {
      FillRow(static_cast<char*>(parameters.to) + row * parameters.pitch, parameters);
    }
  });
}

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, int) {
  return Copy(nullptr, to, from, bytes);
}

hipError_t hipMemcpyHtoD(void* to, void* from, size_t bytes) {
  return Copy(nullptr, to, from, bytes);
}

hipError_t hipMemcpyDtoH(void* to, void* from, size_t bytes) {
  return Copy(nullptr, to, from, bytes);
}

hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, int, hipStream_t stream) {
  const hipError_t error = Copy(stream, to, from, bytes);
  return error != hipSuccess ? error : hipStreamSynchronize(stream);
}

hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, int, hipStream_t stream) {
  return Copy(stream, to, from, bytes);
}

hipError_t hipMemcpyHtoDAsync(void* to, void* from, size_t bytes, hipStream_t stream) {
  return Copy(stream, to, from, bytes);
}

hipError_t hipMemcpyDtoHAsync(void* to, void* from, size_t bytes, hipStream_t stream) {
  return Copy(stream, to, from, bytes);
}

hipError_t hipMemcpyDtoDAsync(void* to, void* from, size_t bytes, hipStream_t stream) {
  return Copy(stream, to, from, bytes);
}

hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                            size_t bytes, size_t rows, int, hipStream_t stream) {
  return Guarded([&] {
    if (bytes == 0 || rows == 0) return;
    if (to_pitch < bytes || from_pitch < bytes) {
      throw HipFailure{hipErrorInvalidValue, "A row of a copy is longer than its pitch."};
    }
    CheckRange(to, (rows - 1) * to_pitch + bytes, "are copied to");
    CheckRange(from, (rows - 1) * from_pitch + bytes, "are copied from");
    Submit(stream, std::make_shared<HostWork>("memcpy 2D", [=] {
      for (size_t row = 0; row < rows; ++row) {
        std::memmove(static_cast<char*>(to) + row * to_pitch,
                     static_cast<const char*>(from) + row * from_pitch, bytes);
      }
    }));
  });
}

hipError_t hipMemset(void* to, int value, size_t bytes) {
  return Set(nullptr, to, 1, static_cast<unsigned>(value), bytes);
}

hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
  return Set(stream, to, 1, static_cast<unsigned>(value), bytes);
}

hipError_t hipMemsetD8Async(void* to, unsigned char value, size_t count, hipStream_t stream) {
  return Set(stream, to, 1, value, count);
}

hipError_t hipMemsetD32Async(void* to, int value, size_t count, hipStream_t stream) {
  return Set(stream, to, 4, static_cast<unsigned>(value), count);
}

namespace {

template <class T>
hipError_t WriteValue(hipStream_t stream, void* address, T value, const char* function) {
  return Guarded([&] {
    RefuseCaptured(stream, function);
    CheckRange(address, sizeof value, "are written at");
    Submit(stream, std::make_shared<HostWork>("write", [=] {
      __atomic_store_n(static_cast<T*>(address), value, __ATOMIC_RELEASE);
    }));
  });
}

}  // namespace

hipError_t hipStreamWriteValue32(hipStream_t stream, void* address, uint32_t value, unsigned) {
  return WriteValue(stream, address, value, "hipStreamWriteValue32");
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, uint64_t value, unsigned) {
  return WriteValue(stream, address, value, "hipStreamWriteValue64");
}

}  // namespace jaxgemm::emulator
