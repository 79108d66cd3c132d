// Products of rows that other devices of this process have. Each device multiplies its own rows
// while copy engines bring those of the others, and then these, block by block. A product is
// launched when its rows have arrived, so no multiprocessor waits for them, and a copy that needs
// multiprocessors cannot be kept from them for ever.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/driver.h"
#include "runtime/meeting.h"

namespace jaxgemm {

// One device's call.
struct GatheredRows {
  int64_t run = 0;
  std::string group;  // names the devices that meet
  int size = 0, rank = 0;
  int device = 0;
  void* stream = nullptr;  // XLA's
  const char* rows = nullptr;
  char* gathered = nullptr;  // room for size - 1 blocks
  int64_t block_bytes = 0;   // of one device's rows
  int pieces = 1;            // a block is multiplied in so many equal pieces
  int64_t timeout_ns = 0;    // how long a device waits for the others

  // The number of the device whose rows are multiplied `step` steps after this device's own.
  int owner(int step) const { return (rank + step) % size; }
};

// A product of one piece of rows.
struct GatheredPiece {
  int owner;          // number of the device whose rows they are
  int piece;          // of that device's rows
  const char* rows;   // on this device
  int stream_number;  // 0 or 1; products on different streams run at the same time
  void* stream;
};

// The streams and events for it. All functions return an empty string, or the error as sentences
// for the user.
class GatheringStreams {
 public:
  GatheringStreams(const Driver* driver, const StreamDriver* streams)
      : driver_(*driver), streams_(*streams) {}

  // Makes the device's streams, unless they exist. May wait for the device.
  std::string Open(int device);

  // Enqueues copies and products. `launch` is called once for each piece of each block.
  std::string Run(const GatheredRows& call,
                  const std::function<std::string(const GatheredPiece&)>& launch);

 private:
  struct Side {
    std::mutex mutex;  // guards the members
    void* copies = nullptr;
    void* products = nullptr;  // every other product; the rest are on XLA's stream
    std::vector<void*> free_events;
  };
  // Events of one call. They return to the device's when no device needs them any more.
  class Events;

  std::string Enqueue(const GatheredRows& call, Meeting* meeting,
                      const std::shared_ptr<Events>& events,
                      const std::function<std::string(const GatheredPiece&)>& launch);
  std::string Failure(int device, DriverResult result) const;

  const Driver& driver_;
  const StreamDriver& streams_;
  Meetings meetings_;
  std::array<Side, kMaxDevices> sides_;
};

// The streams of a platform, made at the first call. Null, with the reason in *error, if that
// fails.
template <const Driver* (*kOpen)(std::string*),
          const StreamDriver* (*kStreams)(const Driver&, std::string*)>
GatheringStreams* TheGatheringStreams(std::string* error) {
  const Driver* driver = kOpen(error);
  const StreamDriver* streams = driver ? kStreams(*driver, error) : nullptr;
  if (!streams) return nullptr;
  static auto* gathering = new GatheringStreams(driver, streams);
  return gathering;
}

}  // namespace jaxgemm
