// Producers on a GPU. Each device has two streams beside XLA's: copies run on one, and after each
// copy its signal is written on the other, so that the next copy does not wait for that write. A
// copy that may need a multiprocessor ends before the next work on XLA's stream, unless the user
// has said that the product leaves a multiprocessor free.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/chunked_copy.h"
#include "runtime/driver.h"

namespace jaxgemm {

// The side streams of one vendor's devices. All functions return an empty string, or the error as
// sentences for the user.
class SideStreams {
 public:
  SideStreams(const Driver* driver, const StreamDriver* streams)
      : driver_(*driver), streams_(*streams) {}

  // Makes the device's streams, unless they exist. May wait for the device.
  std::string Open(int device);

  // Sets the signals to zero on XLA's `stream` and registers the copy, which starts later: the
  // first product of this run (one execution of a program) that waits for these signals begins the
  // copy. Open must come first.
  std::string List(int64_t run, const ChunkedCopy& copy, int device, void* stream);

  // Begins the copy that is listed under these signals, if there is one, after the work that is on
  // `stream` now. Then calls `launch`, and makes `stream` wait for the copy, because later work may
  // use the memory of the copy. Without copy.beside_products(), `stream` waits for the copy before
  // `launch`, too. One function does all of this, so that no failure can leave a copy that `stream`
  // does not wait for. If `launch` fails, its error is returned when the copy has ended.
  std::string Around(int64_t run, const uint32_t* signals, int device, void* stream,
                     const std::function<std::string()>& launch);

  // Begins the copy if no product has begun it, and makes `stream` wait for it.
  std::string Join(int64_t run, const uint32_t* signals, int device, void* stream);

  // For producers that are not jaxgemm's: waits on the host until `stream` has reached this call
  // and each of the signals equals `epoch`. *missing is the first signal that did not become
  // `epoch` within the limit, or -1.
  std::string JoinSignals(const uint32_t* signals, int64_t count, uint32_t epoch,
                          int64_t timeout_ns, int device, void* stream, int64_t* missing);

  // Copies an operand to a result that XLA did not alias to it.
  std::string Copy(void* destination, const void* source, size_t bytes, int device, void* stream);

  // Waits for the work on `stream` (the product, and the copy that it began) and copies the word at
  // `status` to the host.
  std::string ReadStatus(const int32_t* status, int device, void* stream, int32_t* value);

 private:
  // The state of one device.
  struct Side {
    std::atomic<void*> copies = nullptr;  // stream for copies; set last
    void* signals = nullptr;              // stream for writing signals
    // The run and the copy, by the address of the signals. A copy of a program that failed stays
    // until another copy has its signals at the same address.
    std::map<const uint32_t*, std::pair<int64_t, ChunkedCopy>> listed;
    std::vector<void*> free_events;
  };

  // Enqueues the copy after the work on XLA's `stream`; `event` is recorded at its end. Without
  // copy.beside_products() `stream` waits for `event`.
  DriverResult Begin(const ChunkedCopy& copy, Side* side, void* event, void* stream);
  // Enqueues the chunks and their signals on these two streams; `event` is recorded at the end.
  DriverResult Enqueue(const ChunkedCopy& copy, void* copies, void* signals, void* event);
  DriverResult CopyChunk(const ChunkedCopy& copy, int64_t chunk, void* stream);

  const Driver& driver_;
  const StreamDriver& streams_;
  std::mutex mutex_;  // guards `sides_`, except the addresses of the streams
  std::array<Side, kMaxDevices> sides_;
};

}  // namespace jaxgemm
