// HIP's functions of streams and events.
#include "emulator/hip/graph.h"
#include "emulator/hip/stream.h"

namespace jaxgemm::emulator {
namespace {

constexpr unsigned kNonBlocking = 1;
constexpr int kLeastPriority = 1, kGreatestPriority = -1;

std::shared_ptr<Mark> LastMark(hipEvent_t event, const char* function) {
  std::lock_guard guard(event->mutex);
  if (event->capture != nullptr) {
    throw HipFailure{hipErrorCapturedEvent,
                     Text("%s was called for an event that was recorded in a capture.", function)};
  }
  return event->mark;
}

void WaitForStream(hipStream_t stream) {
  if (stream == nullptr) {
    WaitForStreams(CurrentDevice().number, Streams::kBlocking);
  } else {
    stream->Wait();
  }
}

}  // namespace

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = kLeastPriority;
  *greatest = kGreatestPriority;
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() {
  return Guarded([&] {
    RefuseInCapture("hipDeviceSynchronize");
    WaitForStreams(CurrentDevice().number, Streams::kAll);
  });
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return Guarded([&] { *stream = MakeStream((flags & kNonBlocking) == 0); });
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int) {
  return hipStreamCreateWithFlags(stream, flags);
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return Guarded([&] {
    CheckStream(stream);
    *flags = stream == nullptr || stream->is_blocking() ? 0 : kNonBlocking;
  });
}

// Priorities change nothing, and are not kept.
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return Guarded([&] {
    CheckStream(stream);
    *priority = 0;
  });
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  return Guarded([&] {
    CheckStream(stream);
    RefuseCaptured(stream, "hipStreamDestroy");
    RemoveStream(stream);
  });
}

hipError_t hipStreamQuery(hipStream_t stream) {
  return Guarded([&] {
    CheckStream(stream);
    RefuseCaptured(stream, "hipStreamQuery");
    if (stream != nullptr && !stream->IsIdle()) {
      throw HipFailure{hipErrorNotReady, "The stream has work left."};
    }
  });
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  return Guarded([&] {
    CheckStream(stream);
    RefuseCaptured(stream, "hipStreamSynchronize");
    WaitForStream(stream);
  });
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  return Guarded([&] {
    CheckStream(stream);
    if (CaptureWait(stream, event)) return;
    const std::shared_ptr<Mark> mark = LastMark(event, "hipStreamWaitEvent");
    if (mark == nullptr) return;
    if (mark->IsSet()) return mark->CheckInterrupted();
    Submit(stream, std::make_shared<HostWork>("wait", [=] {
      mark->Wait();
      if (mark->is_interrupted) throw Interruption();
    }));
  });
}

int hipGetStreamDeviceId(hipStream_t stream) { return DeviceOf(stream); }

hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void*), void* data) {
  return Guarded(
      [&] { Submit(stream, std::make_shared<HostWork>("host", [=] { function(data); })); });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) {
  *event = new Event;
  return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t event) {
  delete event;
  return hipSuccess;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return Guarded([&] {
    CheckStream(stream);
    if (stream != nullptr && stream->capture != nullptr) return CaptureRecord(stream, event);
    auto mark = std::make_shared<Mark>();
    {
      std::lock_guard guard(event->mutex);
      event->mark = mark;
      event->capture = nullptr;
      event->captured_after.clear();
    }
    SubmitMark(stream, std::move(mark));
  });
}

hipError_t hipEventQuery(hipEvent_t event) {
  return Guarded([&] {
    const std::shared_ptr<Mark> mark = LastMark(event, "hipEventQuery");
    if (mark != nullptr && !mark->IsSet()) {
      throw HipFailure{hipErrorNotReady, "The work before the event has not finished."};
    }
    if (mark != nullptr) mark->CheckInterrupted();
  });
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  return Guarded([&] {
    const std::shared_ptr<Mark> mark = LastMark(event, "hipEventSynchronize");
    if (mark == nullptr) return;
    mark->Wait();
    mark->CheckInterrupted();
  });
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  return Guarded([&] {
    const auto first = LastMark(begin, "hipEventElapsedTime");
    const auto last = LastMark(end, "hipEventElapsedTime");
    if (first == nullptr || last == nullptr) {
      throw HipFailure{hipErrorInvalidHandle, "An event was never recorded."};
    }
    if (!first->IsSet() || !last->IsSet()) {
      throw HipFailure{hipErrorNotReady, "The work before an event has not finished."};
    }
    *milliseconds = std::chrono::duration<float, std::milli>(last->time - first->time).count();
  });
}

}  // namespace jaxgemm::emulator
