#include "runtime/gathered.h"

#include "spec/text.h"

namespace jaxgemm {
namespace {

constexpr unsigned kNonBlocking = 1;  // for streams, as XLA's are
constexpr unsigned kNoTimes = 2;      // for events: no timing
constexpr int kNormal = 0;            // priority of streams: that of XLA's

}  // namespace

class GatheringStreams::Events {
 public:
  Events(const StreamDriver& streams, Side* side) : streams_(streams), side_(side) {}
  ~Events() {
    std::lock_guard lock(side_->mutex);
    side_->free_events.insert(side_->free_events.end(), taken_.begin(), taken_.end());
  }

  // An event of the thread's current device.
  DriverResult Take(void** event) {
    {
      std::lock_guard lock(side_->mutex);
      if (!side_->free_events.empty()) {
        *event = side_->free_events.back();
        side_->free_events.pop_back();
        taken_.push_back(*event);
        return 0;
      }
    }
    const DriverResult result = streams_.create_event(event, kNoTimes);
    if (result == 0) taken_.push_back(*event);
    return result;
  }

 private:
  const StreamDriver& streams_;
  Side* side_;
  std::vector<void*> taken_;
};

std::string GatheringStreams::Open(int device) {
  if (device < 0 || device >= kMaxDevices) {
    return "device " + Str(int64_t{device}) + " is beyond the " + Str(int64_t{kMaxDevices}) +
           " that jaxgemm counts. Hide some.";
  }
  Side& side = sides_[device];
  std::lock_guard lock(side.mutex);
  if (side.copies && side.products) return "";
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  int least = 0, greatest = 0;
  if (result == 0) result = streams_.priority_range(&least, &greatest);
  // Copies should not queue behind other work.
  if (result == 0 && !side.copies) {
    result = streams_.create_stream(&side.copies, kNonBlocking, greatest);
  }
  if (result == 0 && !side.products) {
    result = streams_.create_stream(&side.products, kNonBlocking, kNormal);
  }
  return result == 0 ? "" : Failure(device, result);
}

std::string GatheringStreams::Run(const GatheredRows& call,
                                  const std::function<std::string(const GatheredPiece&)>& launch) {
  if (call.device < 0 || call.device >= kMaxDevices || !sides_[call.device].copies) {
    return "device " + Str(int64_t{call.device}) +
           " has no streams to gather rows: the call's Initialize stage has not run there.";
  }
  const std::shared_ptr<Meeting> meeting = meetings_.Next(call.run, call.group, call.size);
  CurrentDevice current(driver_, call.device);
  auto events = std::make_shared<Events>(streams_, &sides_[call.device]);
  std::string error = current.result() == 0 ? Enqueue(call, meeting.get(), events, launch)
                                            : Failure(call.device, current.result());
  if (error.empty()) return "";
  meeting->GiveUp(error);
  // After an error XLA may free the memory that copies and products still use.
  streams_.synchronize_stream(sides_[call.device].copies);
  streams_.synchronize_stream(sides_[call.device].products);
  return error;
}

std::string GatheringStreams::Enqueue(
    const GatheredRows& call, Meeting* meeting, const std::shared_ptr<Events>& events,
    const std::function<std::string(const GatheredPiece&)>& launch) {
  const Side& side = sides_[call.device];
  const int64_t piece_bytes = call.block_bytes / call.pieces;
  void* const on[] = {call.stream, side.products};
  Guest self{.device = call.device, .rows = call.rows, .owner = events};
  std::vector<void*> arrived((call.size - 1) * call.pieces);
  DriverResult result = events->Take(&self.ready);
  if (result == 0) result = events->Take(&self.copied);
  for (void*& event : arrived) {
    if (result == 0) result = events->Take(&event);
  }
  if (result == 0) result = streams_.record_event(self.ready, call.stream);
  if (result == 0) result = streams_.wait_event(side.products, self.ready, 0);
  // `gathered` may be in use by earlier work of XLA's stream.
  if (result == 0) result = streams_.wait_event(side.copies, self.ready, 0);
  if (result != 0) return Failure(call.device, result);

  int turn = 0;
  auto multiply = [&](int step, const char* block) {
    std::string error;
    for (int piece = 0; piece < call.pieces && error.empty(); ++piece, ++turn) {
      const int number = turn % 2;
      if (step > 0) {
        result = streams_.wait_event(on[number], arrived[(step - 1) * call.pieces + piece], 0);
        if (result != 0) return Failure(call.device, result);
      }
      error = launch({.owner = call.owner(step),
                      .piece = piece,
                      .rows = block + piece * piece_bytes,
                      .stream_number = number,
                      .stream = on[number]});
    }
    return error;
  };
  // This device's own product needs no other device, so it is launched before they meet.
  std::string error = multiply(0, call.rows);
  if (error.empty()) error = meeting->Arrive(call.rank, self, call.timeout_ns);
  if (!error.empty()) return error;

  // At each step every device copies from another one.
  for (int step = 1; step < call.size; ++step) {
    const Guest& peer = meeting->guest(call.owner(step));
    char* const to = call.gathered + (step - 1) * call.block_bytes;
    if (result == 0) result = streams_.wait_event(side.copies, peer.ready, 0);
    for (int piece = 0; piece < call.pieces && result == 0; ++piece) {
      const int64_t at = piece * piece_bytes;
      if (piece_bytes > 0) {
        result =
            streams_.copy(to + at, peer.rows + at, static_cast<size_t>(piece_bytes), side.copies);
      }
      if (result == 0) {
        result = streams_.record_event(arrived[(step - 1) * call.pieces + piece], side.copies);
      }
    }
  }
  if (result == 0) result = streams_.record_event(self.copied, side.copies);
  if (result != 0) return Failure(call.device, result);
  for (int step = 1; step < call.size && error.empty(); ++step) {
    error = multiply(step, call.gathered + (step - 1) * call.block_bytes);
  }
  if (!error.empty()) return error;
  // Later work of XLA's stream comes after the products, after the copies into `gathered`, and
  // after those that other devices make of this device's rows.
  void* multiplied = nullptr;
  result = events->Take(&multiplied);
  if (result == 0) result = streams_.record_event(multiplied, side.products);
  if (result == 0) result = streams_.wait_event(call.stream, multiplied, 0);
  if (result != 0) return Failure(call.device, result);
  error = meeting->Leave(call.rank, call.timeout_ns);
  if (!error.empty()) return error;
  for (int step = 0; step < call.size && result == 0; ++step) {
    result = streams_.wait_event(call.stream, meeting->guest(call.owner(step)).copied, 0);
  }
  return result == 0 ? "" : Failure(call.device, result);
}

std::string GatheringStreams::Failure(int device, DriverResult result) const {
  return "gathering rows failed: device " + Str(int64_t{device}) + ", " +
         driver_.error_name(result) + ": " + driver_.error_text(result) + " (" + driver_.library +
         ").";
}

}  // namespace jaxgemm
