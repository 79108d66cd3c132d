// Helpers for the C++ tests: a failure count, random numbers, and workgroups on real threads.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace jaxgemm {

inline int failures = 0;

#define CHECK_THAT(condition, ...)                                       \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ++jaxgemm::failures;                                               \
      std::printf("%s:%d: false: %s: ", __FILE__, __LINE__, #condition); \
      std::printf(__VA_ARGS__);                                          \
      std::printf("\n");                                                 \
    }                                                                    \
  } while (false)

inline std::mt19937_64 rng(20261121);

// Uniform in [low, high].
inline int64_t Random(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(rng);
}

// A copy of an array between two pages that nobody may read: it begins after the first one, or ends
// before the second one.
class Guarded {
 public:
  Guarded(const void* from, int64_t bytes) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    const int64_t inside = (bytes + page - 1) / page * page;
    size_ = inside + 2 * page;
    pages_ =
        static_cast<char*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages_ == MAP_FAILED ||
        (inside && mprotect(pages_ + page, inside, PROT_READ | PROT_WRITE) != 0)) {
      std::abort();
    }
    data_ = pages_ + page + (Random(0, 1) ? inside - bytes : 0);
    if (bytes) std::memcpy(data_, from, bytes);
  }
  ~Guarded() { munmap(pages_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  char *pages_, *data_;
  int64_t size_;
};

// Indices of lines 0 to lines - 1: the first and the last line, others, and some that are none. In
// one case of four all are none.
inline std::vector<int32_t> RandomIndices(int64_t count, int64_t lines) {
  const bool none = Random(0, 3) == 0;
  std::vector<int32_t> indices(count);
  for (int32_t& index : indices) {
    const int64_t inside[] = {0, lines - 1, Random(0, std::max<int64_t>(lines - 1, 0))};
    const int64_t outside[] = {-1, lines, lines + Random(0, 99), INT32_MIN, INT32_MAX};
    index = static_cast<int32_t>(none || lines == 0 || Random(0, 9) == 0 ? outside[Random(0, 4)]
                                                                         : inside[Random(0, 2)]);
  }
  return indices;
}

// Runs workgroups 0 .. count - 1 on `num_threads` threads, in a random order.
inline void RunOnThreads(int64_t count, int num_threads,
                         const std::function<void(int64_t)>& workgroup) {
  std::vector<int64_t> order(count);
  for (int64_t i = 0; i < count; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), rng);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < num_threads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int64_t i = thread; i < count; i += num_threads) workgroup(order[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace jaxgemm
