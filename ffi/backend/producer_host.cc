#include "backend/producer_host.h"

#include <cstring>
#include <future>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "trace.h"

namespace jaxgemm {
namespace {

// By their signals; each until a join.
struct Producers {
  std::mutex mutex;
  std::unordered_map<const uint32_t*, std::shared_future<void>> running;
};
Producers& TheProducers() {
  static auto* producers = new Producers;
  return *producers;
}

void Run(const ChunkedCopy& copy) {
  for (int64_t turn = 0; turn < copy.num_chunks(); ++turn) {
    const int64_t chunk = copy.chunk(turn);
    {
      Span span("copy", chunk);
      for (int64_t i = 0; i < copy.outer; ++i) {
        const int64_t offset = i * copy.pitch() + copy.offset(chunk);
        std::memcpy(copy.data + offset, copy.source + offset,
                    static_cast<size_t>(copy.bytes(chunk)));
      }
    }
    __atomic_store_n(copy.signals + chunk, 1u, __ATOMIC_RELEASE);
  }
}

}  // namespace

void StartHostProducer(const ChunkedCopy& copy) {
  if (copy.num_chunks() == 0) return;
  // One that no join came for, as where a program failed: the memory is another's by now.
  JoinHostProducer(copy.signals);
  for (int64_t i = 0; i < copy.num_chunks(); ++i) {
    __atomic_store_n(copy.signals + i, 0u, __ATOMIC_RELAXED);
  }
  Producers& producers = TheProducers();
  std::lock_guard lock(producers.mutex);
  try {
    producers.running[copy.signals] = std::async(std::launch::async, Run, copy).share();
  } catch (const std::system_error&) {
    Run(copy);  // no more threads can be had
  }
}

void JoinHostProducer(const uint32_t* signals) {
  Producers& producers = TheProducers();
  std::shared_future<void> running;
  {
    std::lock_guard lock(producers.mutex);
    auto found = producers.running.find(signals);
    if (found == producers.running.end()) return;
    running = found->second;
  }
  running.wait();
  std::lock_guard lock(producers.mutex);
  producers.running.erase(signals);
}

void JoinAllHostProducers() {
  Producers& producers = TheProducers();
  std::vector<std::shared_future<void>> all;
  {
    std::lock_guard lock(producers.mutex);
    for (const auto& [signals, running] : producers.running) all.push_back(running);
  }
  // They stay listed: joins of other programs may be about to wait for them.
  for (const auto& running : all) running.wait();
}

}  // namespace jaxgemm
