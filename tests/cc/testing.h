// Helpers for the C++ tests: a failure count, random numbers, and workgroups on real threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
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
