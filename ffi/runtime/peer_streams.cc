#include "runtime/peer_streams.h"

#include <chrono>
#include <map>
#include <utility>

#include "spec/text.h"

namespace jaxgemm {
namespace {

constexpr int kNormal = 0;                          // the priority of XLA's streams
constexpr char kWhat[] = "copies between devices";  // what failed, in messages
constexpr int64_t kSmallBlock = 1 << 20;            // bytes

}  // namespace

// The events of one call. They go back to the device's free events when no device needs them any
// more.
class PeerStreams::Events {
 public:
  Events(const StreamDriver& streams, Side* side) : streams_(streams), side_(side) {}
  ~Events() {
    std::lock_guard lock(side_->mutex);
    side_->free_events.insert(side_->free_events.end(), taken_.begin(), taken_.end());
  }

  // An event of the thread's current device.
  DriverResult Take(void** event) {
    std::lock_guard lock(side_->mutex);
    const DriverResult result = streams_.TakeEvent(&side_->free_events, event);
    if (result == 0) taken_.push_back(*event);
    return result;
  }

 private:
  const StreamDriver& streams_;
  Side* side_;
  std::vector<void*> taken_;
};

// Enqueues the work of one call, until something fails; then it does nothing more.
class PeerStreams::Queue {
 public:
  Queue(const PeerStreams& peers, const PeerCall& call, Side* side)
      : call(call),
        products{call.stream, side->products},
        copies(call.block_bytes <= kSmallBlock ? side->small_copies : side->copies),
        driver_(peers.driver_),
        streams_(peers.streams_),
        events_(std::make_shared<Events>(streams_, side)) {
    // The memory that copies and products write to may be in use by earlier work of XLA's stream.
    self.owner = events_;
    self.data = call.mine;
    self.copied = NewEvent();
    start_ = Record(call.stream);
    Wait(copies, start_);
  }

  void* NewEvent() {
    void* event = nullptr;
    if (result_ == 0) result_ = events_->Take(&event);
    return event;
  }
  void Record(void* event, void* stream) {
    if (result_ == 0) result_ = streams_.record_event(event, stream);
  }
  void* Record(void* stream) {
    void* const event = NewEvent();
    Record(event, stream);
    return event;
  }
  void Wait(void* stream, void* event) {
    if (result_ == 0) result_ = streams_.wait_event(stream, event, 0);
  }
  // Copies a piece of the block `from` of another device's data to block step - 1 of `others`.
  void Copy(int step, int piece, const char* from) {
    const int64_t bytes = call.block_bytes / call.pieces, at = piece * bytes;
    Copy(call.others + (step - 1) * call.block_bytes + at, from + at, bytes);
  }
  void Copy(char* to, const char* from, int64_t bytes) {
    if (result_ != 0 || bytes == 0) return;
    result_ = streams_.copy(to, from, static_cast<size_t>(bytes), copies);
  }

  // Launches the products of a block on the two streams in turn, and records an event after each
  // if `done` is not null. Each waits for its event of `arrived`, if there are any.
  std::string Multiply(int step, const std::vector<void*>& arrived, const LaunchProduct& launch,
                       std::vector<void*>* done) {
    for (int piece = 0; piece < call.pieces; ++piece, ++turn_) {
      const int number = turn_ % 2;
      if (!arrived.empty()) Wait(products[number], arrived[piece]);
      if (result_ != 0) return Error();
      std::string error = launch({step, piece, number, products[number]});
      if (!error.empty()) return error;
      if (done) done->push_back(Record(products[number]));
    }
    return Error();
  }

  // Ends the call: later work of XLA's stream comes after the products, after this device's copies
  // and after those that other devices make of this device's data.
  std::string End(const std::shared_ptr<Rendezvous>& rendezvous) {
    Record(self.copied, copies);
    Wait(call.stream, Record(products[1]));
    std::string error = Error();
    if (error.empty()) error = rendezvous->Leave(call.rank, call.timeout_ns);
    for (int rank = 0; rank < call.size && error.empty(); ++rank) {
      Wait(call.stream, rendezvous->participant(rank).copied);
    }
    return error.empty() ? Error() : error;
  }

  void* start() const { return start_; }
  std::string Error() const {
    return result_ == 0 ? "" : Failure(kWhat, driver_, call.device, result_);
  }

  const PeerCall& call;
  void* const products[2];
  void* const copies;
  Participant self;

 private:
  const Driver& driver_;
  const StreamDriver& streams_;
  std::shared_ptr<Events> events_;
  void* start_ = nullptr;
  DriverResult result_ = 0;
  int turn_ = 0;
};

std::string PeerStreams::Open(int device) {
  std::string error = CheckDevice(device);
  if (!error.empty()) return error;
  Side& side = sides_[device];
  std::lock_guard lock(side.mutex);
  if (side.copies && side.small_copies && side.products) return "";
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  int least = 0, greatest = 0;
  if (result == 0) result = streams_.priority_range(&least, &greatest);
  // Copies should not queue behind other work.
  for (void** stream : {&side.copies, &side.small_copies}) {
    if (result != 0 || *stream) continue;
    result = streams_.create_stream(stream, StreamDriver::kNonBlocking, greatest);
  }
  if (result == 0 && !side.products) {
    result = streams_.create_stream(&side.products, StreamDriver::kNonBlocking, kNormal);
  }
  return result == 0 ? "" : Failure(kWhat, driver_, device, result);
}

std::string PeerStreams::Run(const PeerCall& call, const Enqueue& enqueue) {
  if (call.device < 0 || call.device >= kMaxDevices || !sides_[call.device].products) {
    return "device " + Str(int64_t{call.device}) +
           " has no streams to copy from others: the call's Initialize stage has not run there.";
  }
  Side& side = sides_[call.device];
  const std::shared_ptr<Rendezvous> rendezvous =
      open_rendezvous_.Next(call.run, call.group, call.size);
  CurrentDevice current(driver_, call.device);
  std::string error;
  if (current.result() == 0) {
    Queue queue(*this, call, &side);
    error = enqueue(queue, rendezvous);
  } else {
    error = Failure(kWhat, driver_, call.device, current.result());
  }
  if (error.empty()) return "";
  rendezvous->GiveUp(error);
  // After an error XLA may free the memory that copies and products still use.
  streams_.synchronize_stream(side.copies);
  streams_.synchronize_stream(side.small_copies);
  streams_.synchronize_stream(side.products);
  return error;
}

std::string PeerStreams::Gather(const PeerCall& call, const LaunchProduct& launch) {
  return Run(call, [&](Queue& queue, const std::shared_ptr<Rendezvous>& rendezvous) {
    queue.Wait(queue.products[1], queue.start());
    queue.self.ready = {queue.start()};
    // This device's own product needs no other device, so it is launched before they meet.
    std::string error = queue.Multiply(0, {}, launch, nullptr);
    if (error.empty()) error = rendezvous->Arrive(call.rank, queue.self, call.timeout_ns);
    if (!error.empty()) return error;
    // At each step every device copies from another one.
    std::vector<std::vector<void*>> arrived(call.size);
    for (int step = 1; step < call.size; ++step) {
      const Participant& peer = rendezvous->participant(call.after(step));
      queue.Wait(queue.copies, peer.ready[0]);
      for (int piece = 0; piece < call.pieces; ++piece) {
        queue.Copy(step, piece, peer.data);
        arrived[step].push_back(queue.Record(queue.copies));
      }
    }
    for (int step = 1; step < call.size && error.empty(); ++step) {
      error = queue.Multiply(step, arrived[step], launch, nullptr);
    }
    return error.empty() ? queue.End(rendezvous) : error;
  });
}

std::string PeerStreams::Scatter(const PeerCall& call, const LaunchProduct& launch) {
  return Run(call, [&](Queue& queue, const std::shared_ptr<Rendezvous>& rendezvous) {
    queue.Wait(queue.products[1], queue.start());
    std::string error;
    // The part of this device's own sum is computed last, while the other parts are copied.
    for (int step = 1; step < call.size && error.empty(); ++step) {
      error = queue.Multiply(step, {}, launch, &queue.self.ready);
    }
    if (error.empty()) error = queue.Multiply(0, {}, launch, nullptr);
    if (error.empty()) error = rendezvous->Arrive(call.rank, queue.self, call.timeout_ns);
    if (!error.empty()) return error;
    for (int step = 1; step < call.size; ++step) {
      const Participant& peer = rendezvous->participant(call.before(step));
      for (int piece = 0; piece < call.pieces; ++piece) {
        queue.Wait(queue.copies, peer.ready[(step - 1) * call.pieces + piece]);
        queue.Copy(step, piece, peer.data + (step - 1) * call.block_bytes);
      }
    }
    return queue.End(rendezvous);
  });
}

std::string PeerStreams::Start(const Exchange& exchange) {
  const PeerCall& call = exchange.peers;
  return Run(call, [&](Queue& queue, const std::shared_ptr<Rendezvous>& rendezvous) {
    Side& side = sides_[call.device];
    const auto now = std::chrono::steady_clock::now();
    // Those without a done. Their events go back under the lock, so they are destroyed after it.
    std::vector<Started> dropped;
    {
      std::lock_guard lock(side.mutex);
      for (auto at = side.started.begin(); at != side.started.end();) {
        Started& started = at->second;
        if (started.run == call.run && at->first == exchange.received) {
          return std::string("the blocks of an earlier start in this memory have no done.");
        }
        const bool ends =
            started.run != call.run && (started.until < now || at->first == exchange.received);
        if (ends) dropped.push_back(std::move(started));
        at = ends ? side.started.erase(at) : std::next(at);
      }
    }
    queue.self.ready = {queue.start()};
    std::string error = queue.Error();
    if (error.empty()) error = rendezvous->Arrive(call.rank, queue.self, call.timeout_ns);
    if (!error.empty()) return error;
    // At each step every device copies from another one.
    for (int step = 1; step < call.size; ++step) {
      const Participant& peer =
          rendezvous->participant(exchange.from_after ? call.after(step) : call.before(step));
      queue.Wait(queue.copies, peer.ready[0]);
      queue.Copy(step, 0, peer.data + (exchange.sends_all ? 0 : (step - 1) * call.block_bytes));
    }
    // This device's own block comes last: within a device a copy may need free multiprocessors, and
    // so wait for a product.
    if (exchange.with_own) queue.Copy(exchange.received, exchange.x, call.block_bytes);
    queue.Record(queue.self.copied, queue.copies);
    error = queue.Error();
    if (!error.empty()) return error;
    {
      std::lock_guard lock(side.mutex);
      side.started[exchange.received] = {call.run,
                                         exchange.x,
                                         call.rank,
                                         call.size,
                                         now + 2 * std::chrono::nanoseconds(call.timeout_ns),
                                         rendezvous};
    }
    rendezvous->Copied(call.rank);
    return std::string();
  });
}

std::string PeerStreams::Done(int64_t run, const char* received, const char* x, int device,
                              void* stream, int64_t timeout_ns) {
  std::string error = CheckDevice(device);
  if (!error.empty()) return error;
  Side& side = sides_[device];
  std::unique_lock lock(side.mutex);
  const auto found = side.started.find(received);
  if (found == side.started.end() || found->second.run != run) {
    return "these blocks have no start in this run, or XLA has moved them since.";
  }
  const Started started = found->second;
  side.started.erase(found);
  lock.unlock();
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  error = started.rendezvous->Leave(started.rank, timeout_ns);
  if (error.empty() && x != started.x) {
    error =
        "XLA has moved x since the start, so other devices may have copied from memory that "
        "was written to.";
  }
  for (int rank = 0; rank < started.size && error.empty() && result == 0; ++rank) {
    result = streams_.wait_event(stream, started.rendezvous->participant(rank).copied, 0);
  }
  if (error.empty() && result != 0) error = Failure(kWhat, driver_, device, result);
  if (error.empty()) return "";
  started.rendezvous->GiveUp(error);
  // After an error XLA may free the memory that copies still write to.
  streams_.synchronize_stream(side.copies);
  streams_.synchronize_stream(side.small_copies);
  return error;
}

}  // namespace jaxgemm
