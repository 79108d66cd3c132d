// Streams. Each has a thread, which runs the submitted work in order. The null stream of a device
// runs its work in the calling thread, when the device's blocking streams have finished.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "emulator/hip/work.h"

namespace jaxgemm::emulator {

struct Capture;

// A point in a stream: set when everything before it has finished, or was interrupted.
struct Mark {
  void Set();
  void Wait();
  bool IsSet();
  // Throws HipFailure if work before it was interrupted.
  void CheckInterrupted();

  std::mutex mutex;
  std::condition_variable changed;
  bool is_set = false, is_interrupted = false;
  std::chrono::steady_clock::time_point time;
};

struct Event {
  std::mutex mutex;
  std::shared_ptr<Mark> mark;         // of the last record; null: never recorded
  std::shared_ptr<Capture> capture;   // the capture of the last record; null: there was none
  std::vector<Node*> captured_after;  // the nodes before that record
};

class Stream {
 public:
  // `number`: distinguishes the streams' random delays.
  Stream(int device, bool is_blocking, uint64_t number);
  ~Stream();  // waits until all work has finished

  int device() const { return device_; }
  bool is_blocking() const { return is_blocking_; }

  void Push(WorkPtr work);
  bool IsIdle();
  // Throws HipFailure, once, if the last work was interrupted.
  void Wait();

  std::shared_ptr<Capture> capture;  // null: the stream is not captured, its work runs
  std::vector<Node*> tail;           // the last nodes that the stream captured

 private:
  void RunAll();

  const int device_;
  const bool is_blocking_;
  const uint64_t number_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<WorkPtr> queue_;
  bool is_running_ = false, is_ending_ = false;
  // After SIGINT: whether the work that was submitted before is skipped, and whether Wait has yet
  // to say so.
  bool is_interrupted_ = false, is_untold_ = false;
  std::thread thread_;
};

// Submits work to a stream, or to its capture. Null: the current device's null stream. Throws
// HipFailure.
void Submit(Stream* stream, WorkPtr work);
// Submit marks and waits for marks, which are not captured.
void SubmitMark(Stream* stream, std::shared_ptr<Mark> mark);

// Waits for streams of a device. Throws HipFailure if work of one was interrupted.
enum class Streams { kAll, kBlocking };
void WaitForStreams(int device, Streams which);

int DeviceOf(const Stream* stream);

// Throws HipFailure unless the pointer is a stream that exists, or null.
void CheckStream(const Stream* stream);
Stream* MakeStream(bool is_blocking);
void RemoveStream(Stream* stream);

}  // namespace jaxgemm::emulator
