// Producers on a GPU: copies on a stream of the device's own, beside XLA's, and after each a word
// written for its signal, on another stream, so that the next copy does not wait for it. Copies
// that may need a multiprocessor end before what comes next on XLA's stream, unless the product is
// said to leave them one.
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

// One vendor's. All functions return an empty string, or the error as sentences for the user.
class SideStreams {
 public:
  static constexpr int kMaxDevices = 64;

  SideStreams(const Driver* driver, const StreamDriver* streams)
      : driver_(*driver), streams_(*streams) {}

  // Makes the device's streams, unless they are there. May wait for the device.
  std::string Open(int device);

  // Sets the signals to zero on XLA's `stream` and lists the copy, for the first product of this
  // run (an execution of a program) that waits for these signals. Open comes first.
  std::string List(int64_t run, const ChunkedCopy& copy, int device, void* stream);

  // Puts the copy that is listed under these signals, if there is one, behind what is on `stream`
  // now; before what comes next there unless copy.beside_products(). Calls `launch`, and makes
  // `stream` wait for the copy: what is put there later may use its memory. So nothing can fail
  // between the two; an error of `launch` is returned when the copy has ended.
  std::string Around(int64_t run, const uint32_t* signals, int device, void* stream,
                     const std::function<std::string()>& launch);

  // Around nothing, where no product has begun the copy.
  std::string Join(int64_t run, const uint32_t* signals, int device, void* stream);

  // Waits on the host until `stream` has got here and each of the signals equals `epoch`: for
  // producers of others. *missing is the first that did not within the limit, or -1.
  std::string JoinSignals(const uint32_t* signals, int64_t count, uint32_t epoch,
                          int64_t timeout_ns, int device, void* stream, int64_t* missing);

  // What XLA did not alias.
  std::string Copy(void* destination, const void* source, size_t bytes, int device, void* stream);

  // Copies the word at `status` to the host once `stream` has got there, and with it the product
  // and the copy that it began.
  std::string ReadStatus(const int32_t* status, int device, void* stream, int32_t* value);

 private:
  // Of one device.
  struct Side {
    std::atomic<void*> copies = nullptr;  // a stream; with it there are
    void* signals = nullptr;
    // By their signals, with their runs. Those of a program that failed stay until the memory is
    // another copy's.
    std::map<const uint32_t*, std::pair<int64_t, ChunkedCopy>> listed;
    std::vector<void*> free_events;
  };

  DriverResult TakeEvent(Side* side, void** event);
  // Between XLA's stream and the side's, `event` recorded when all is done.
  DriverResult Begin(const ChunkedCopy& copy, Side* side, void* event, void* stream);
  // Records the event when all is done.
  DriverResult Enqueue(const ChunkedCopy& copy, void* copies, void* signals, void* event);
  DriverResult CopyChunk(const ChunkedCopy& copy, int64_t chunk, void* stream);
  std::string Failure(const char* what, int device, DriverResult result) const;

  const Driver& driver_;
  const StreamDriver& streams_;
  std::mutex mutex_;  // of all but the streams' addresses
  std::array<Side, kMaxDevices> sides_;
};

// The platform's, made when they are first asked for. Null, and why in *error, where they cannot
// be.
template <const Driver* (*kOpen)(std::string*),
          const StreamDriver* (*kStreams)(const Driver&, std::string*)>
SideStreams* TheSideStreams(std::string* error) {
  const Driver* driver = kOpen(error);
  const StreamDriver* streams = driver ? kStreams(*driver, error) : nullptr;
  if (!streams) return nullptr;
  static auto* sides = new SideStreams(driver, streams);
  return sides;
}

}  // namespace jaxgemm
