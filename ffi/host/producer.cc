#include "host/producer.h"

#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "host/trace.h"

namespace jaxgemm {
namespace {

struct Copies {
  std::mutex mutex;
  std::condition_variable ended;
  // The run and the copy, by the address of the signals. A copy of a program that failed stays
  // until another copy has its signals at the same address.
  std::map<const uint32_t*, std::pair<int64_t, ChunkedCopy>> listed;
  std::map<const uint32_t*, int64_t> running;  // the run, by the address of the signals
};
Copies& TheCopies() {
  static auto* copies = new Copies;
  return *copies;
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

// Moves the copy from `listed` to `running`. The caller then calls Run and End.
std::optional<ChunkedCopy> Take(int64_t run, const uint32_t* signals) {
  Copies& copies = TheCopies();
  std::lock_guard lock(copies.mutex);
  auto found = copies.listed.find(signals);
  if (found == copies.listed.end() || found->second.first != run) return std::nullopt;
  const ChunkedCopy copy = found->second.second;
  copies.listed.erase(found);
  copies.running[signals] = run;
  return copy;
}

void End(const uint32_t* signals) {
  Copies& copies = TheCopies();
  std::lock_guard lock(copies.mutex);
  copies.running.erase(signals);
  copies.ended.notify_all();
}

}  // namespace

void ListHostCopy(int64_t run, const ChunkedCopy& copy) {
  if (copy.num_chunks() == 0) return;
  for (int64_t i = 0; i < copy.num_chunks(); ++i) {
    __atomic_store_n(copy.signals + i, 0u, __ATOMIC_RELAXED);
  }
  Copies& copies = TheCopies();
  std::lock_guard lock(copies.mutex);
  copies.listed[copy.signals] = {run, copy};
}

bool BeginHostCopy(int64_t run, const uint32_t* signals, std::function<void()> ended) {
  const std::optional<ChunkedCopy> taken = Take(run, signals);
  if (!taken) return false;
  auto work = [copy = *taken, ended = std::move(ended)] {
    Run(copy);
    // End comes first: after `ended`, XLA may free the signals, and another copy may be listed
    // under the same address.
    End(copy.signals);
    ended();
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    work();  // the system could not make another thread
  }
  return true;
}

void JoinHostCopy(int64_t run, const uint32_t* signals) {
  if (const std::optional<ChunkedCopy> copy = Take(run, signals)) {
    Run(*copy);
    End(signals);
    return;
  }
  Copies& copies = TheCopies();
  std::unique_lock lock(copies.mutex);
  copies.ended.wait(lock, [&] {
    auto found = copies.running.find(signals);
    return found == copies.running.end() || found->second != run;
  });
}

void WaitForHostCopies() {
  Copies& copies = TheCopies();
  std::unique_lock lock(copies.mutex);
  copies.ended.wait(lock, [&] { return copies.running.empty(); });
}

}  // namespace jaxgemm
