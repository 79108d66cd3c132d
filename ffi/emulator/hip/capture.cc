// The capture of streams: submitted work does not run, but becomes nodes of a graph.
#include <algorithm>

#include "emulator/hip/graph.h"
#include "emulator/hip/stream.h"

namespace jaxgemm::emulator {
namespace {

struct Captures {
  std::mutex mutex;  // guards everything of all captures
  std::set<std::shared_ptr<Capture>> running;
};
Captures& TheCaptures() {
  static auto* captures = new Captures;  // never freed, so that it outlives all threads
  return *captures;
}

[[noreturn]] void Refuse(Capture* capture, hipError_t error, std::string message) {
  if (capture->failure.empty()) capture->failure = message;
  throw HipFailure{error, std::move(message)};
}

// Whether a capture's restrictions apply to the calling thread.
bool Forbids(const Capture& capture) {
  return capture.mode == CaptureMode::kGlobal || (capture.mode == CaptureMode::kThreadLocal &&
                                                  capture.thread == std::this_thread::get_id());
}

void CheckValid(const Capture& capture) {
  if (capture.failure.empty()) return;
  throw HipFailure{hipErrorStreamCaptureInvalidated,
                   "The capture has failed before: " + capture.failure};
}

// The nodes of `last`, and all nodes that they depend on.
std::set<const Node*> Before(const std::vector<Node*>& last) {
  std::set<const Node*> seen;
  std::vector<const Node*> left(last.begin(), last.end());
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    if (!seen.insert(node).second) continue;
    left.insert(left.end(), node->after.begin(), node->after.end());
  }
  return seen;
}

}  // namespace

void BeginCapture(Stream* stream, CaptureMode mode) {
  Captures& captures = TheCaptures();
  std::lock_guard guard(captures.mutex);
  if (stream == nullptr) {
    throw HipFailure{hipErrorStreamCaptureUnsupported, "The null stream cannot be captured."};
  }
  if (stream->capture != nullptr) {
    throw HipFailure{hipErrorIllegalState, "The stream is captured already."};
  }
  auto capture = std::make_shared<Capture>();
  capture->origin = stream;
  capture->streams = {stream};
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  stream->capture = capture;
  stream->tail.clear();
  captures.running.insert(std::move(capture));
}

std::unique_ptr<Graph> EndCapture(Stream* stream) {
  Captures& captures = TheCaptures();
  std::lock_guard guard(captures.mutex);
  const std::shared_ptr<Capture> capture = stream == nullptr ? nullptr : stream->capture;
  if (capture == nullptr) {
    throw HipFailure{hipErrorIllegalState, "The stream is not captured."};
  }
  if (capture->origin != stream) {
    throw HipFailure{hipErrorStreamCaptureUnmatched, "The capture began on another stream."};
  }
  if (capture->mode != CaptureMode::kRelaxed && capture->thread != std::this_thread::get_id()) {
    throw HipFailure{hipErrorStreamCaptureWrongThread, "Another thread began the capture."};
  }
  const bool is_joined = Before(stream->tail).size() == capture->graph->nodes().size();
  for (Stream* captured : capture->streams) {
    captured->capture = nullptr;
    captured->tail.clear();
  }
  captures.running.erase(capture);
  CheckValid(*capture);
  if (!is_joined) {
    throw HipFailure{hipErrorStreamCaptureUnjoined,
                     "The stream does not wait for all work that was captured on other streams."};
  }
  return std::move(capture->graph);
}

void CaptureWork(Stream* stream, WorkPtr work) {
  std::lock_guard guard(TheCaptures().mutex);
  const std::shared_ptr<Capture> capture = stream->capture;
  CheckValid(*capture);
  stream->tail = {capture->graph->Add(std::move(work), stream->tail)};
}

void CaptureRecord(Stream* stream, Event* event) {
  std::lock_guard guard(TheCaptures().mutex);
  CheckValid(*stream->capture);
  std::lock_guard event_guard(event->mutex);
  event->mark = nullptr;
  event->capture = stream->capture;
  event->captured_after = stream->tail;
}

bool CaptureWait(Stream* stream, Event* event) {
  Captures& captures = TheCaptures();
  std::lock_guard guard(captures.mutex);
  std::lock_guard event_guard(event->mutex);
  if (event->capture == nullptr) {
    if (stream == nullptr || stream->capture == nullptr) return false;
    if (event->mark == nullptr) return true;  // never recorded: nothing to wait for
    Refuse(stream->capture.get(), hipErrorStreamCaptureIsolation,
           "A captured stream waits for an event that was recorded outside of the capture.");
  }
  Capture* capture = event->capture.get();
  if (captures.running.count(event->capture) == 0) {
    throw HipFailure{hipErrorCapturedEvent, "The event's last record was in a capture."};
  }
  CheckValid(*capture);
  if (stream == nullptr) {
    Refuse(capture, hipErrorStreamCaptureImplicit, "The null stream waits for a captured event.");
  }
  if (stream->capture != nullptr && stream->capture != event->capture) {
    Refuse(capture, hipErrorStreamCaptureMerge, "A wait would join two captures.");
  }
  if (stream->capture == nullptr) {
    stream->capture = event->capture;
    stream->tail.clear();
    capture->streams.insert(stream);
  }
  stream->tail.insert(stream->tail.end(), event->captured_after.begin(),
                      event->captured_after.end());
  return true;
}

void RefuseInCapture(const char* function) {
  std::lock_guard guard(TheCaptures().mutex);
  for (const auto& capture : TheCaptures().running) {
    if (Forbids(*capture)) {
      Refuse(capture.get(), hipErrorStreamCaptureUnsupported,
             Text("%s was called while a stream is captured.", function));
    }
  }
}

void RefuseNullStreamInCapture() {
  std::lock_guard guard(TheCaptures().mutex);
  for (const auto& capture : TheCaptures().running) {
    const bool is_blocking =
        std::any_of(capture->streams.begin(), capture->streams.end(),
                    [](const Stream* stream) { return stream->is_blocking(); });
    if (Forbids(*capture) || is_blocking) {
      Refuse(capture.get(), hipErrorStreamCaptureImplicit,
             "The null stream was used while a stream is captured.");
    }
  }
}

void RefuseCaptured(Stream* stream, const char* function) {
  std::lock_guard guard(TheCaptures().mutex);
  if (stream == nullptr || stream->capture == nullptr) return;
  Refuse(stream->capture.get(), hipErrorStreamCaptureUnsupported,
         Text("%s was called for a stream that is captured.", function));
}

}  // namespace jaxgemm::emulator
