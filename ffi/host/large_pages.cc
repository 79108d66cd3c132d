#include "host/large_pages.h"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace jaxgemm {

void AskForLargePages([[maybe_unused]] void* data, [[maybe_unused]] int64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes <= kLargestOfHeap) return;
  // Only whole large pages, so that no other buffer is in them.
  constexpr uintptr_t kLargePage = 2 << 20;
  const auto start = reinterpret_cast<uintptr_t>(data);
  const uintptr_t begin = (start + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t end = (start + static_cast<uintptr_t>(bytes)) / kLargePage * kLargePage;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char has_page = 1;
  if (mincore(reinterpret_cast<void*>(end - page), page, &has_page) != 0 || has_page & 1) return;
  // It is a hint: without large pages the result is the same.
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace jaxgemm
