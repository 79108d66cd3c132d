// Producers on a GPU: copies on a stream of the device's own, beside XLA's, and after each a word
// written for its signal, on another stream, so that the next copy does not wait for it. Copies that
// may need a multiprocessor end before what comes next on XLA's stream, unless the product is said
// to leave them one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/driver.h"
#include "chunked_copy.h"

namespace jaxgemm {

// One vendor's. All functions return an empty string, or the error as sentences for the user.
class SideStreams {
 public:
  static constexpr int kMaxDevices = 64;

  SideStreams(const Driver* driver, const StreamDriver* streams)
      : driver_(*driver), streams_(*streams) {}

  // Makes the device's streams, unless they are there. May wait for the device.
  std::string Open(int device);

  // Puts the copy behind what is on XLA's `stream` now and returns; before what comes next there
  // unless copy.beside_products(). Open comes first, and a Join before the buffers are anything
  // else's.
  std::string Start(const ChunkedCopy& copy, int device, void* stream);

  // Makes `stream` wait for the producer of these signals, if there is one.
  std::string Join(const uint32_t* signals, int device, void* stream);

  // Makes `stream` wait until each of the signals equals `epoch`: for producers of others.
  std::string JoinSignals(uint32_t* signals, int64_t count, uint32_t epoch, int device,
                          void* stream);

  // What XLA did not alias.
  std::string Copy(void* destination, const void* source, size_t bytes, int device,
                   void* stream);

  // Copies the word at `status` to the host once `stream` has got there. Where it is not zero,
  // all producers of the device have ended when this returns.
  std::string ReadStatus(const int32_t* status, int device, void* stream, int32_t* value);

 private:
  // Of one device.
  struct Side {
    std::atomic<void*> copies = nullptr;  // a stream; with it there are
    void* signals = nullptr;
    std::map<const uint32_t*, void*> running;  // events, by the producers' signals
    std::vector<void*> free_events;
  };

  DriverResult TakeEvent(Side* side, void** event);
  // Records the event when all is done.
  DriverResult Enqueue(const ChunkedCopy& copy, void* copies, void* signals, void* event);
  DriverResult CopyChunk(const ChunkedCopy& copy, int64_t chunk, void* stream);
  std::string Failure(const char* what, int device, DriverResult result) const;

  const Driver& driver_;
  const StreamDriver& streams_;
  std::mutex mutex_;  // of all but the streams' addresses
  std::array<Side, kMaxDevices> sides_;
};

}  // namespace jaxgemm
