#include "emulator/hip/stream.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "emulator/hip/graph.h"

namespace jaxgemm::emulator {
namespace {

struct AllStreams {
  std::mutex mutex;
  std::set<const Stream*> streams;
  uint64_t made = 0;
};
AllStreams& TheStreams() {
  static auto* streams = new AllStreams;  // never freed, so that it outlives all threads
  return *streams;
}

uint64_t NextRandom(uint64_t* state) {  // xorshift64
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

struct SetMark : Work {
  explicit SetMark(std::shared_ptr<Mark> mark) : mark(std::move(mark)) {}
  const char* kind() const override { return "event"; }
  bool RunsAfterInterruption() const override { return true; }
  void Run(Device&) const override { mark->Set(); }

  std::shared_ptr<Mark> mark;
};

// Ends the process after a failure in the thread of a stream. Perhaps no later HIP call could
// return the error, because the program may wait only for a host function of the stream. ROCm
// also ends the process if a kernel accesses memory that is not allocated.
[[noreturn]] void EndProcess(int device, const char* message) {
  std::fprintf(stderr, "jaxgemm: the emulated device %d failed, and the process ends: %s\n", device,
               message);
  std::abort();
}

// Returns false if SIGINT interrupted the work.
bool RunOrEndProcess(const Work& work, int device) {
  try {
    work.Run(DeviceAt(device));
    return true;
  } catch (const Interruption&) {
    return false;
  } catch (const HipFailure& failure) {
    EndProcess(device, failure.message.c_str());
  } catch (const std::exception& error) {
    EndProcess(device, error.what());
  }
}

[[noreturn]] void ThrowInterrupted() {
  throw HipFailure{hipErrorLaunchFailure, Interruption().what()};
}

// If the work sets a mark, the mark says that work before it was interrupted.
void MarkInterrupted(const Work& work) {
  if (const auto* set = dynamic_cast<const SetMark*>(&work)) {
    std::lock_guard guard(set->mark->mutex);
    set->mark->is_interrupted = true;
  }
}

// Runs the work in the calling thread, to which a failure is thrown.
void RunOnNullStream(const Work& work) {
  Device& device = CurrentDevice();
  RefuseNullStreamInCapture();
  WaitForStreams(device.number, Streams::kBlocking);
  work.Run(device);
}

}  // namespace

void Mark::Set() {
  std::lock_guard guard(mutex);
  is_set = true;
  time = std::chrono::steady_clock::now();
  changed.notify_all();
}

void Mark::Wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return is_set; });
}

void Mark::CheckInterrupted() {
  std::lock_guard guard(mutex);
  if (is_interrupted) ThrowInterrupted();
}

bool Mark::IsSet() {
  std::lock_guard guard(mutex);
  return is_set;
}

Stream::Stream(int device, bool is_blocking, uint64_t number)
    : device_(device), is_blocking_(is_blocking), number_(number) {
  thread_ = std::thread([this] { RunAll(); });
}

Stream::~Stream() {
  {
    std::lock_guard guard(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Stream::Push(WorkPtr work) {
  std::lock_guard guard(mutex_);
  if (!is_interrupted_) is_untold_ = false;
  queue_.push_back(std::move(work));
  changed_.notify_all();
}

bool Stream::IsIdle() {
  std::lock_guard guard(mutex_);
  return queue_.empty() && !is_running_;
}

void Stream::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.empty() && !is_running_; });
  if (std::exchange(is_untold_, false)) ThrowInterrupted();
}

void Stream::RunAll() {
  ThisThread().device = device_;
  uint64_t random = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !queue_.empty() || is_ending_; });
    if (queue_.empty()) return;
    if (is_interrupted_) MarkInterrupted(*queue_.front());
    if (is_interrupted_ && !queue_.front()->RunsAfterInterruption()) {
      queue_.pop_front();
      is_interrupted_ = !queue_.empty();
      changed_.notify_all();
      continue;
    }
    const WorkPtr work = std::move(queue_.front());
    queue_.pop_front();
    is_running_ = true;
    lock.unlock();
    const StreamMode mode = TheStreamMode();
    if (mode.seed != 0 && mode.most_microseconds != 0) {
      if (random == 0) random = (mode.seed + number_) * 0x9e3779b97f4a7c15 | 1;
      std::this_thread::sleep_for(
          std::chrono::microseconds(NextRandom(&random) % mode.most_microseconds));
    }
    const bool is_whole = RunOrEndProcess(*work, device_);
    // Work of the host is interrupted only if it waits for another stream, which has called this.
    if (!is_whole && !work->RunsAfterInterruption()) CallOnInterruption();
    lock.lock();
    is_running_ = false;
    if (!is_whole) is_interrupted_ = is_untold_ = true;
    is_interrupted_ = is_interrupted_ && !queue_.empty();
    changed_.notify_all();
  }
}

int DeviceOf(const Stream* stream) {
  return stream == nullptr ? ThisThread().device : stream->device();
}

void Submit(Stream* stream, WorkPtr work) {
  CheckStream(stream);
  if (stream == nullptr) return RunOnNullStream(*work);
  if (stream->capture != nullptr) return CaptureWork(stream, std::move(work));
  stream->Push(std::move(work));
}

void SubmitMark(Stream* stream, std::shared_ptr<Mark> mark) {
  if (stream == nullptr) return RunOnNullStream(SetMark(std::move(mark)));
  stream->Push(std::make_shared<SetMark>(std::move(mark)));
}

Stream* MakeStream(bool is_blocking) {
  AllStreams& all = TheStreams();
  const int device = CurrentDevice().number;
  std::lock_guard guard(all.mutex);
  auto* stream = new Stream(device, is_blocking, ++all.made);
  all.streams.insert(stream);
  return stream;
}

void RemoveStream(Stream* stream) {
  AllStreams& all = TheStreams();
  {
    std::lock_guard guard(all.mutex);
    if (all.streams.erase(stream) == 0) {
      throw HipFailure{hipErrorInvalidHandle, "The stream does not exist."};
    }
  }
  delete stream;
}

void CheckStream(const Stream* stream) {
  AllStreams& all = TheStreams();
  std::lock_guard guard(all.mutex);
  if (stream != nullptr && all.streams.count(stream) == 0) {
    throw HipFailure{hipErrorInvalidHandle, "The stream does not exist."};
  }
}

void WaitForStreams(int device, Streams which) {
  AllStreams& all = TheStreams();
  std::vector<std::shared_ptr<Mark>> marks;
  {
    std::lock_guard guard(all.mutex);
    for (const Stream* constant : all.streams) {
      auto* stream = const_cast<Stream*>(constant);
      if (stream->device() != device) continue;
      if (which == Streams::kBlocking && !stream->is_blocking()) continue;
      marks.push_back(std::make_shared<Mark>());
      SubmitMark(stream, marks.back());
    }
  }
  for (const auto& mark : marks) mark->Wait();
  for (const auto& mark : marks) mark->CheckInterrupted();
}

}  // namespace jaxgemm::emulator
