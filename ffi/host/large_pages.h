// Large pages for the CPU's results.
#pragma once

#include <cstdint>

namespace jaxgemm {

// Asks the system for large pages if `data` is large and has no pages yet. glibc's malloc takes the
// memory of each buffer above 32 MiB from the system, and gives it back with the buffer. So such a
// result's pages would be made one by one, at its first stores. With 4 KiB each that takes most of
// the time of a product with short k.
void AskForLargePages(void* data, int64_t bytes);

}  // namespace jaxgemm
