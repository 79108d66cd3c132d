// Tests that threads of several devices meet, as those of a collective by copies do. In many calls
// of several runs at once each must get the right participants. If a thread fails or does not come,
// the others must get its error.
#include "runtime/rendezvous.h"

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

// Each device of four groups brings an address that is different for each run, group, call and
// rank.
void TestManyCalls() {
  constexpr int kSize = 3, kCalls = 300, kGroups = 2;
  OpenRendezvous open_rendezvous;
  static char addresses[2][kGroups][kCalls][kSize];
  std::vector<std::thread> threads;
  for (int64_t run = 0; run < 2; ++run) {
    for (int group = 0; group < kGroups; ++group) {
      for (int rank = 0; rank < kSize; ++rank) {
        threads.emplace_back([&open_rendezvous, run, group, rank] {
          for (int call = 0; call < kCalls; ++call) {
            auto rendezvous = open_rendezvous.Next(run, std::to_string(group), kSize);
            auto& wanted = addresses[run][group][call];
            std::string error = rendezvous->Arrive(rank, {.data = &wanted[rank]}, kLong);
            CHECK_THAT(error.empty(), "%s", error.c_str());
            for (int other = 0; other < kSize; ++other) {
              CHECK_THAT(rendezvous->participant(other).data == &wanted[other],
                         "run %d group %d call %d: device %d is at another rendezvous",
                         static_cast<int>(run), group, call, other);
            }
            error = rendezvous->Leave(rank, kLong);
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
  OpenRendezvous open_rendezvous;
  std::atomic<bool> is_late = true;
  std::thread late([&] {
    auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
    CHECK_THAT(rendezvous->Arrive(1, {}, kLong).empty(), "arriving failed");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    is_late = false;
    CHECK_THAT(rendezvous->Leave(1, kLong).empty(), "leaving failed");
  });
  auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
  CHECK_THAT(rendezvous->Arrive(0, {}, kLong).empty(), "arriving failed");
  CHECK_THAT(rendezvous->Leave(0, kLong).empty() && !is_late, "a device left before the other");
  late.join();
}

// A device that has said that it has copied is not waited for; one that has not is.
void TestLeavingAfterCopied() {
  OpenRendezvous open_rendezvous;
  std::thread other([&] {
    auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
    CHECK_THAT(rendezvous->Arrive(1, {}, kLong).empty(), "arriving failed");
    rendezvous->Copied(1);
  });
  auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
  CHECK_THAT(rendezvous->Arrive(0, {}, kLong).empty(), "arriving failed");
  CHECK_THAT(rendezvous->Leave(0, kLong).empty(), "it waits for a device that has copied");
  other.join();
  std::thread late([&] { open_rendezvous.Next(2, "0 1", 2)->Arrive(1, {}, kLong); });
  rendezvous = open_rendezvous.Next(2, "0 1", 2);
  CHECK_THAT(rendezvous->Arrive(0, {}, kLong).empty(), "arriving failed");
  CHECK_THAT(Contains(rendezvous->Leave(0, kShort), "device 1 of the 2"), "it left too early");
  late.join();
}

void TestAMissingDevice() {
  OpenRendezvous open_rendezvous;
  auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
  const std::string error = rendezvous->Arrive(0, {}, kShort);
  CHECK_THAT(Contains(error, "device 1 of the 2 along the axis did not come within 50 ms"), "%s",
             error.c_str());
  // Device 1 comes later, and does not wait for device 0, which has left.
  auto late = open_rendezvous.Next(1, "0 1", 2);
  CHECK_THAT(late == rendezvous && late->Arrive(1, {}, kLong) == error, "the error is another");
  // Another run works as before.
  std::thread other([&] { open_rendezvous.Next(2, "0 1", 2)->Arrive(1, {}, kLong); });
  CHECK_THAT(open_rendezvous.Next(2, "0 1", 2)->Arrive(0, {}, kLong).empty(), "the next run fails");
  other.join();
}

void TestADeviceThatGivesUp() {
  OpenRendezvous open_rendezvous;
  std::thread failing([&] { open_rendezvous.Next(1, "0 1", 2)->GiveUp("it is broken"); });
  auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
  const std::string error = rendezvous->Arrive(0, {}, kLong);
  CHECK_THAT(error == "it is broken", "%s", error.c_str());
  failing.join();
}

void TestTwoDevicesOfOneNumber() {
  OpenRendezvous open_rendezvous;
  std::thread first([&] { open_rendezvous.Next(1, "0 1", 2)->Arrive(0, {}, kLong); });
  std::string error;
  auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
  while (error.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    error = rendezvous->Arrive(0, {}, kShort);
  }
  CHECK_THAT(Contains(error, "two devices came as number 0"), "%s", error.c_str());
  first.join();
}

// What a device brings lives until the last one has left.
void TestOwners() {
  OpenRendezvous open_rendezvous;
  auto owner = std::make_shared<int>(7);
  std::weak_ptr<int> watched = owner;
  std::thread other([&] {
    auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
    rendezvous->Arrive(1, {}, kLong);
    CHECK_THAT(!watched.expired(), "the owner is gone before the end");
    rendezvous->Leave(1, kLong);
  });
  {
    auto rendezvous = open_rendezvous.Next(1, "0 1", 2);
    rendezvous->Arrive(0, {.owner = std::move(owner)}, kLong);
    rendezvous->Leave(0, kLong);
  }
  other.join();
  CHECK_THAT(watched.expired(), "the owner outlives the rendezvous");
}

}  // namespace
}  // namespace jaxgemm

int main() {
  jaxgemm::TestManyCalls();
  jaxgemm::TestNobodyLeavesEarly();
  jaxgemm::TestLeavingAfterCopied();
  jaxgemm::TestAMissingDevice();
  jaxgemm::TestADeviceThatGivesUp();
  jaxgemm::TestTwoDevicesOfOneNumber();
  jaxgemm::TestOwners();
  std::printf("rendezvous_test: %d failures\n", jaxgemm::failures);
  return jaxgemm::failures != 0;
}
