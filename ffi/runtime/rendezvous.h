// A rendezvous of one call in one run: the host threads of the devices of one process exchange
// pointers and events. XLA runs every device's part of a program on a thread of its own, and all in
// the same order, so a thread may wait here for the others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace jaxgemm {

// What one device provides. The events are of the driver, and `owner` returns them when no device
// can wait for them any more.
struct Participant {
  const char* data = nullptr;  // what the others copy
  std::vector<void*> ready;    // events: `data`, or its parts, are complete
  void* copied = nullptr;      // event: this device has copied what it needs from the others
  std::shared_ptr<void> owner;
};

// One call's rendezvous. Functions return an empty string, or the error as sentences for the user.
class Rendezvous {
 public:
  explicit Rendezvous(int size) : participants_(size), at_(size, 0) {}

  // Waits until every device has arrived, each with its `rank`.
  std::string Arrive(int rank, Participant participant, int64_t timeout_ns);
  // Says that this device has recorded its event `copied`. Arrive must come first.
  void Copied(int rank);
  // Says so, too, and waits until every device has recorded its event.
  std::string Leave(int rank, int64_t timeout_ns);
  // Ends the waits of all devices, now and later, with this error. The first error stays.
  void GiveUp(const std::string& error);

  // What the device of this rank provides; after Arrive.
  const Participant& participant(int rank) const { return participants_[rank]; }

 private:
  // Waits until all devices have reached this step.
  std::string Wait(std::unique_lock<std::mutex>& lock, int rank, int step, int64_t timeout_ns);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Participant> participants_;
  std::vector<int> at_;  // the last step that each device reached
  std::string error_;
};

// The rendezvous of all runs for which some devices are still missing.
class OpenRendezvous {
 public:
  // This device's next rendezvous. `group` names the devices that meet, the same for all of them.
  std::shared_ptr<Rendezvous> Next(int64_t run, const std::string& group, int size);

 private:
  struct Open {
    std::shared_ptr<Rendezvous> rendezvous;
    int missing = 0;
  };
  std::mutex mutex_;
  std::map<std::pair<int64_t, std::string>, Open> open_;
};

}  // namespace jaxgemm
