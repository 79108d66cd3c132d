// Large pages for the CPU's results.
#pragma once

#include <cstdint>

namespace jaxgemm {

inline constexpr int64_t kLargestOfHeap = 32 << 20;  // of glibc's (DEFAULT_MMAP_THRESHOLD_MAX)

// Asks the system for large pages if `data` is large and has no pages yet. glibc's malloc takes the
// memory of each buffer above kLargestOfHeap from the system, and gives it back with the buffer. So
// such a result's pages would be made one by one, at its first stores. With 4 KiB each that takes
// most of the time of a product with short k.
void AskForLargePages(void* data, int64_t bytes);

}  // namespace jaxgemm
