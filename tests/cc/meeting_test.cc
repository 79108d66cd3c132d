// Threads of several devices that meet, as those of a gathering call do: who gets what, in many
// calls of several runs at once, and what each hears when one of them fails or does not come.
#include "runtime/meeting.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "testing.h"

namespace jaxgemm {
namespace {

constexpr int64_t kLong = 60'000'000'000, kShort = 50'000'000;  // nanoseconds

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Each device of four groups brings an address that tells run, group, call and rank.
void TestManyCalls() {
  constexpr int kSize = 3, kCalls = 300, kGroups = 2;
  Meetings meetings;
  static char addresses[2][kGroups][kCalls][kSize];
  std::vector<std::thread> threads;
  for (int64_t run = 0; run < 2; ++run) {
    for (int group = 0; group < kGroups; ++group) {
      for (int rank = 0; rank < kSize; ++rank) {
        threads.emplace_back([&meetings, run, group, rank] {
          for (int call = 0; call < kCalls; ++call) {
            auto meeting = meetings.Next(run, std::to_string(group), kSize);
            auto& wanted = addresses[run][group][call];
            std::string error = meeting->Arrive(rank, {.data = &wanted[rank]}, kLong);
            CHECK_THAT(error.empty(), "%s", error.c_str());
            for (int other = 0; other < kSize; ++other) {
              CHECK_THAT(meeting->guest(other).data == &wanted[other],
                         "run %d group %d call %d: device %d is at another meeting",
                         static_cast<int>(run), group, call, other);
            }
            error = meeting->Leave(rank, kLong);
            CHECK_THAT(error.empty(), "%s", error.c_str());
          }
        });
      }
    }
  }
  for (std::thread& thread : threads) thread.join();
}

// No device leaves before all have come so far.
void TestNobodyLeavesEarly() {
  Meetings meetings;
  std::atomic<bool> is_late = true;
  std::thread late([&] {
    auto meeting = meetings.Next(1, "0 1", 2);
    CHECK_THAT(meeting->Arrive(1, {}, kLong).empty(), "arriving failed");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    is_late = false;
    CHECK_THAT(meeting->Leave(1, kLong).empty(), "leaving failed");
  });
  auto meeting = meetings.Next(1, "0 1", 2);
  CHECK_THAT(meeting->Arrive(0, {}, kLong).empty(), "arriving failed");
  CHECK_THAT(meeting->Leave(0, kLong).empty() && !is_late, "a device left before the other");
  late.join();
}

void TestAMissingDevice() {
  Meetings meetings;
  auto meeting = meetings.Next(1, "0 1", 2);
  const std::string error = meeting->Arrive(0, {}, kShort);
  CHECK_THAT(Contains(error, "device 1 of the 2 along the axis did not come within 50 ms"), "%s",
             error.c_str());
  // It comes later, and does not wait for the one that has gone.
  auto late = meetings.Next(1, "0 1", 2);
  CHECK_THAT(late == meeting && late->Arrive(1, {}, kLong) == error, "the error is another");
  // Another run is not concerned.
  std::thread other([&] { meetings.Next(2, "0 1", 2)->Arrive(1, {}, kLong); });
  CHECK_THAT(meetings.Next(2, "0 1", 2)->Arrive(0, {}, kLong).empty(), "the next run fails");
  other.join();
}

void TestADeviceThatGivesUp() {
  Meetings meetings;
  std::thread failing([&] { meetings.Next(1, "0 1", 2)->GiveUp("it is broken"); });
  auto meeting = meetings.Next(1, "0 1", 2);
  const std::string error = meeting->Arrive(0, {}, kLong);
  CHECK_THAT(error == "it is broken", "%s", error.c_str());
  failing.join();
}

void TestTwoDevicesOfOneNumber() {
  Meetings meetings;
  std::thread first([&] { meetings.Next(1, "0 1", 2)->Arrive(0, {}, kLong); });
  std::string error;
  auto meeting = meetings.Next(1, "0 1", 2);
  while (error.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    error = meeting->Arrive(0, {}, kShort);
  }
  CHECK_THAT(Contains(error, "two devices came as number 0"), "%s", error.c_str());
  first.join();
}

// What a device brings lives until the last one has left.
void TestOwners() {
  Meetings meetings;
  auto owner = std::make_shared<int>(7);
  std::weak_ptr<int> watched = owner;
  std::thread other([&] {
    auto meeting = meetings.Next(1, "0 1", 2);
    meeting->Arrive(1, {}, kLong);
    CHECK_THAT(!watched.expired(), "the owner is gone before the end");
    meeting->Leave(1, kLong);
  });
  {
    auto meeting = meetings.Next(1, "0 1", 2);
    meeting->Arrive(0, {.owner = std::move(owner)}, kLong);
    meeting->Leave(0, kLong);
  }
  other.join();
  CHECK_THAT(watched.expired(), "the owner outlives the meeting");
}

}  // namespace
}  // namespace jaxgemm

int main() {
  jaxgemm::TestManyCalls();
  jaxgemm::TestNobodyLeavesEarly();
  jaxgemm::TestAMissingDevice();
  jaxgemm::TestADeviceThatGivesUp();
  jaxgemm::TestTwoDevicesOfOneNumber();
  jaxgemm::TestOwners();
  std::printf("meeting_test: %d failures\n", jaxgemm::failures);
  return jaxgemm::failures != 0;
}
