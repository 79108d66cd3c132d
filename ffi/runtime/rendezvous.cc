#include "runtime/rendezvous.h"

#include <algorithm>
#include <chrono>

#include "spec/text.h"

namespace jaxgemm {
namespace {

constexpr int kArrived = 1, kLeft = 2;

}  // namespace

std::string Rendezvous::Wait(std::unique_lock<std::mutex>& lock, int rank, int step,
                             int64_t timeout_ns) {
  at_[rank] = step;
  changed_.notify_all();
  auto is_there = [step](int at) { return at >= step; };
  const bool in_time = changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] {
    return !error_.empty() || std::all_of(at_.begin(), at_.end(), is_there);
  });
  if (!in_time) {
    const auto missing = std::find_if_not(at_.begin(), at_.end(), is_there) - at_.begin();
    error_ =
        "device " + Str(int64_t{missing}) + " of the " + Str(static_cast<int64_t>(at_.size())) +
        " along the axis did not come within " + Str(timeout_ns / 1'000'000) +
        " ms, so nothing was copied between them. All devices of the axis must run the same calls "
        "in the same order; set JAXGEMM_PEER_COPIES=0 where they cannot.";
    changed_.notify_all();
  }
  return error_;
}

std::string Rendezvous::Arrive(int rank, Participant participant, int64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  if (at_[rank] != 0 && error_.empty()) {
    error_ = "two devices came as number " + Str(int64_t{rank}) +
             " of the axis: the program was lowered for a mesh of other devices. Lower it again.";
    changed_.notify_all();
  }
  if (!error_.empty()) return error_;
  participants_[rank] = std::move(participant);
  return Wait(lock, rank, kArrived, timeout_ns);
}

void Rendezvous::Copied(int rank) {
  std::lock_guard lock(mutex_);
  at_[rank] = kLeft;
  changed_.notify_all();
}

std::string Rendezvous::Leave(int rank, int64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  return Wait(lock, rank, kLeft, timeout_ns);
}

void Rendezvous::GiveUp(const std::string& error) {
  std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = error;
  changed_.notify_all();
}

std::shared_ptr<Rendezvous> OpenRendezvous::Next(int64_t run, const std::string& group, int size) {
  std::lock_guard lock(mutex_);
  auto [found, is_new] = open_.try_emplace({run, group});
  Open& open = found->second;
  if (is_new) open = {std::make_shared<Rendezvous>(size), size};
  std::shared_ptr<Rendezvous> rendezvous = open.rendezvous;
  // A run that fails leaves its rendezvous here. No other run uses it.
  if (--open.missing == 0) open_.erase(found);
  return rendezvous;
}

}  // namespace jaxgemm
