// HIP's functions of memory.
#include "emulator/hip/graph.h"
#include "emulator/hip/memory.h"
#include "emulator/hip/stream.h"

namespace jaxgemm::emulator {
namespace {

// Values of hipPointer_attribute.
enum {
  kMemoryType = 2,
  kDevicePointer = 3,
  kHostPointer = 4,
  kIsManaged = 8,
  kOrdinal = 9,
  kRangeStart = 11,
  kRangeBytes = 12,
  kIsMapped = 13
};

hipError_t AllocateInto(void** pointer, size_t bytes, MemoryType type, const char* function) {
  return Guarded([&] {
    RefuseInCapture(function);
    *pointer = Allocate(bytes, type, CurrentDevice().number);
  });
}

// Freeing waits for the device's work, as HIP does.
hipError_t Free(void* pointer, const char* function) {
  return Guarded([&] {
    RefuseInCapture(function);
    for (int device = 0; device < NumDevices(); ++device) WaitForStreams(device, Streams::kAll);
    Release(pointer, /*is_registered=*/false, hipErrorInvalidValue);
  });
}

template <class T>
void Store(void* data, T value) {
  *static_cast<T*>(data) = value;
}

}  // namespace

hipError_t hipMalloc(void** pointer, size_t bytes) {
  return AllocateInto(pointer, bytes, MemoryType::kDevice, "hipMalloc");
}

hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned) {
  return AllocateInto(pointer, bytes, MemoryType::kManaged, "hipMallocManaged");
}

hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned) {
  return AllocateInto(pointer, bytes, MemoryType::kHost, "hipHostMalloc");
}

hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned) {
  return AllocateInto(pointer, bytes, MemoryType::kDevice, "hipExtMallocWithFlags");
}

hipError_t hipFree(void* pointer) { return Free(pointer, "hipFree"); }

hipError_t hipHostFree(void* pointer) { return Free(pointer, "hipHostFree"); }

hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned) {
  return Guarded([&] { Register(pointer, bytes, CurrentDevice().number); });
}

hipError_t hipHostUnregister(void* pointer) {
  return Guarded(
      [&] { Release(pointer, /*is_registered=*/true, hipErrorHostMemoryNotRegistered); });
}

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  return Guarded([&] {
    const Device& device = CurrentDevice();
    size_t used = 0;
    for (const Buffer& buffer : AllAllocations()) used += buffer.bytes;
    *total = device.memory_bytes;
    *free = used < *total ? *total - used : 0;
  });
}

hipError_t hipMemGetAddressRange(void** base, size_t* bytes, void* pointer) {
  return Guarded([&] {
    const Allocation found = FindAllocation(pointer);
    if (found.type == MemoryType::kUnregistered) {
      throw HipFailure{hipErrorNotFound, Text("%p is in no allocation.", pointer)};
    }
    *base = reinterpret_cast<void*>(found.base);
    *bytes = found.bytes;
  });
}

hipError_t hipPointerGetAttribute(void* data, int attribute, void* pointer) {
  return Guarded([&] {
    const Allocation found = FindAllocation(pointer);
    if (found.type == MemoryType::kUnregistered) {
      throw HipFailure{hipErrorInvalidValue, Text("%p is in no allocation.", pointer)};
    }
    switch (attribute) {
      case kMemoryType: return Store(data, static_cast<int>(found.type));
      case kDevicePointer: return Store(data, pointer);
      case kHostPointer: return Store(data, found.type == MemoryType::kDevice ? nullptr : pointer);
      case kIsManaged: return Store(data, found.type == MemoryType::kManaged);
      case kOrdinal: return Store(data, found.device);
      case kRangeStart: return Store(data, found.base);
      case kRangeBytes: return Store(data, size_t{found.bytes});
      case kIsMapped: return Store(data, true);
    }
    throw HipFailure{hipErrorInvalidValue,
                     Text("The emulator does not know pointer attribute %d.", attribute)};
  });
}

hipError_t hipDrvPointerGetAttributes(unsigned count, int* attributes, void** data, void* pointer) {
  for (unsigned i = 0; i < count; ++i) {
    const hipError_t error = hipPointerGetAttribute(data[i], attributes[i], pointer);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}

hipError_t hipPointerGetAttributes(hipPointerAttributes* attributes, const void* pointer) {
  return Guarded([&] {
    void* own = const_cast<void*>(pointer);
    const Allocation found = FindAllocation(own);
    const bool on_device = found.type == MemoryType::kDevice;
    const bool is_known = found.type != MemoryType::kUnregistered;
    *attributes = {.type = static_cast<int>(found.type),
                   .device = is_known ? found.device : -1,
                   .device_pointer = is_known ? own : nullptr,
                   .host_pointer = on_device || !is_known ? nullptr : own,
                   .is_managed = found.type == MemoryType::kManaged,
                   .allocation_flags = 0};
  });
}

hipError_t hipHostGetDevicePointer(void** device_pointer, void* pointer, unsigned) {
  return Guarded([&] {
    const MemoryType type = FindAllocation(pointer).type;
    if (type != MemoryType::kHost && type != MemoryType::kManaged) {
      throw HipFailure{hipErrorInvalidValue, Text("%p is no memory of the host.", pointer)};
    }
    *device_pointer = pointer;
  });
}

}  // namespace jaxgemm::emulator
