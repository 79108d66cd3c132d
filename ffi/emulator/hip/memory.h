// The memory that programs allocate through HIP: this process's own, between guard pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/hip/state.h"

namespace jaxgemm::emulator {

// Values of hipMemoryType.
enum class MemoryType { kUnregistered = 0, kHost = 1, kDevice = 2, kManaged = 3 };

struct Allocation {
  uint64_t base = 0, bytes = 0;
  MemoryType type = MemoryType::kUnregistered;
  int device = 0;
  void* pages = nullptr;  // the mapped pages and guard pages; null: the program's own memory
  size_t pages_bytes = 0;
};

// The allocation ends at a guard page, or up to 255 bytes before the page because of its alignment.
// An allocation of at most 64 MiB is filled with bytes of 0xff, which are NaNs for floats. A larger
// one holds zeros. Throws HipFailure.
void* Allocate(size_t bytes, MemoryType type, int device);
void Register(void* pointer, size_t bytes, int device);
// Throws HipFailure with `error` if `pointer` is not the start of an allocation of this kind.
void Release(void* pointer, bool is_registered, hipError_t error);

// The allocation that holds the address, or one of kUnregistered.
Allocation FindAllocation(const void* pointer);

// All allocations, as the memory that a kernel of any device may access.
std::vector<Buffer> AllAllocations();

// Throws HipFailure unless `bytes` at `pointer` lie within one allocation or outside of all.
void CheckRange(const void* pointer, size_t bytes, const char* what);

}  // namespace jaxgemm::emulator
