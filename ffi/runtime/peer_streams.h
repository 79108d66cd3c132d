// Copies between the devices of one process, beside other work. Gather: each device multiplies its
// own rows while the rows of the other devices are copied to it. Then it multiplies the copied
// rows, block by block. Scatter: each device first computes its parts of the other devices' sums.
// While the other devices copy those parts, it computes the part of its own sum. Start and Done:
// the copies begin with one call and end with another, and any work of the program runs between
// them.
//
// The stream of a product waits for the event of its rows, so the kernel starts only when they have
// arrived. A kernel that has not started holds no multiprocessors, so a copy that needs some can
// run.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/driver.h"
#include "runtime/rendezvous.h"

namespace jaxgemm {

// One device's call.
struct PeerCall {
  int64_t run = 0;
  std::string group;  // names the devices that meet
  int size = 0, rank = 0;
  int device = 0;
  void* stream = nullptr;  // XLA's
  // What other devices copy. Gather: this device's rows. Scatter: its parts of their sums, where
  // block step - 1 is for the device that is `step` places after this one.
  const char* mine = nullptr;
  // Room for what is copied from them. Block step - 1 comes from the device that is `step` places
  // after this one (gather) or before it (scatter).
  char* others = nullptr;
  int64_t block_bytes = 0;
  int pieces = 1;          // a block is computed and copied in so many equal pieces
  int64_t timeout_ns = 0;  // how long a device waits for the others

  int after(int step) const { return (rank + step) % size; }
  int before(int step) const { return (rank + size - step) % size; }
};

// One product of a call. Gather: it multiplies one piece of the rows of the device that is `step`
// places after the calling device. Scatter: it computes one piece of the calling device's part of
// that other device's sum. Step 0 is the calling device itself.
struct PeerProduct {
  int step, piece;
  int stream_number;  // 0 or 1; products on different streams run at the same time
  void* stream;
};
using LaunchProduct = std::function<std::string(const PeerProduct&)>;

// Blocks that are copied from a Start to its Done. In `peers`, mine is the block of step 1 that
// other devices copy, and others is room for the block that this device copies at step 1.
struct Exchange {
  PeerCall peers;
  const char* x = nullptr;   // what Done gets, too: later work may write to it
  char* received = nullptr;  // the same for all blocks that arrive
  bool sends_all = false;    // every device copies one block; mine has no others
  bool from_after = false;   // step s: the block comes from the device s places after this one
  bool with_own = false;     // the first blocks of x and received are this device's own
};

// The streams and events of these copies and products. All functions return an empty string, or the
// error as sentences for the user.
class PeerStreams {
 public:
  PeerStreams(const Driver* driver, const StreamDriver* streams)
      : driver_(*driver), streams_(*streams) {}

  // Makes the device's streams, unless they exist. May wait for the device.
  std::string Open(int device);

  // Enqueue copies and products. `launch` is called once for each piece of each block.
  std::string Gather(const PeerCall& call, const LaunchProduct& launch);
  std::string Scatter(const PeerCall& call, const LaunchProduct& launch);

  // Enqueues the copies of an exchange. Several may run, each with its own `received`.
  std::string Start(const Exchange& exchange);
  // Makes `stream` wait for the copies into `received` of this run's Start, and for those that
  // other devices make of its x.
  std::string Done(int64_t run, const char* received, const char* x, int device, void* stream,
                   int64_t timeout_ns);

 private:
  // A Start without its Done so far.
  struct Started {
    int64_t run;
    const char* x;
    int rank, size;
    std::chrono::steady_clock::time_point until;  // when a program that has failed is forgotten
    std::shared_ptr<Rendezvous> rendezvous;
  };
  struct Side {
    std::mutex mutex;  // guards the members
    void* copies = nullptr;
    void* small_copies = nullptr;  // so that these need not wait for large ones
    void* products = nullptr;      // every other product; the rest are on XLA's stream
    std::vector<void*> free_events;
    std::map<const char*, Started> started;  // by `received`
  };
  class Events;
  class Queue;

  // Calls enqueue(queue, rendezvous). If that fails, ends the rendezvous and waits for the streams.
  using Enqueue = std::function<std::string(Queue&, const std::shared_ptr<Rendezvous>&)>;
  std::string Run(const PeerCall& call, const Enqueue& enqueue);

  const Driver& driver_;
  const StreamDriver& streams_;
  OpenRendezvous open_rendezvous_;
  std::array<Side, kMaxDevices> sides_;
};

}  // namespace jaxgemm
