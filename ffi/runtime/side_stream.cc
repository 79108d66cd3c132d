#include "runtime/side_stream.h"

#include <algorithm>
#include <limits>

#include "schedule/atomics.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// The largest pitch of a copy of rows (CU_DEVICE_ATTRIBUTE_MAX_PITCH).
constexpr int64_t kMaxPitch = std::numeric_limits<int32_t>::max();

}  // namespace

std::string SideStreams::Open(int device) {
  std::string error = CheckDevice(device);
  if (!error.empty()) return error;
  Side& side = sides_[device];
  if (side.copies.load(std::memory_order_acquire)) return "";
  std::lock_guard lock(mutex_);
  if (side.copies.load(std::memory_order_relaxed)) return "";
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  // The lowest number is the highest priority: a copy should not queue behind other work.
  int least = 0, greatest = 0;
  if (result == 0) result = streams_.priority_range(&least, &greatest);
  void* copies = nullptr;
  if (result == 0 && !side.signals) {
    result = streams_.create_stream(&side.signals, StreamDriver::kNonBlocking, greatest);
  }
  if (result == 0) result = streams_.create_stream(&copies, StreamDriver::kNonBlocking, greatest);
  if (result != 0) return Failure("making a stream for producers", driver_, device, result);
  side.copies.store(copies, std::memory_order_release);
  return "";
}

DriverResult SideStreams::CopyChunk(const ChunkedCopy& copy, int64_t chunk, void* stream) {
  const int64_t offset = copy.offset(chunk);
  const size_t bytes = static_cast<size_t>(copy.bytes(chunk));
  const size_t pieces = static_cast<size_t>(copy.outer);
  const size_t pitch = static_cast<size_t>(copy.pitch());
  if (bytes == 0 || pieces == 0) return 0;
  if (pieces > 1 && copy.pitch() <= kMaxPitch) {
    return streams_.copy_rows(copy.data + offset, copy.source + offset, pitch, bytes, pieces,
                              stream);
  }
  DriverResult result = 0;
  for (size_t i = 0; i < pieces && result == 0; ++i) {
    const size_t at = i * pitch + offset;
    result = streams_.copy(copy.data + at, copy.source + at, bytes, stream);
  }
  return result;
}

DriverResult SideStreams::Enqueue(const ChunkedCopy& copy, void* copies, void* signals,
                                  void* event) {
  DriverResult result = 0;
  for (int64_t turn = 0; turn < copy.num_chunks() && result == 0; ++turn) {
    const int64_t chunk = copy.chunk(turn);
    result = CopyChunk(copy, chunk, copies);
    // No copy follows the last chunk, so its signal is written on the stream of the copies: the
    // change to another stream would take time.
    void* const writer = turn == copy.num_chunks() - 1 ? copies : signals;
    if (result == 0 && writer != copies) result = streams_.record_event(event, copies);
    if (result == 0 && writer != copies) result = streams_.wait_event(writer, event, 0);
    if (result == 0) result = streams_.write_word(writer, copy.signals + chunk, 1);
  }
  if (result == 0) result = streams_.record_event(event, signals);
  if (result == 0) result = streams_.wait_event(copies, event, 0);
  if (result == 0) result = streams_.record_event(event, copies);
  return result;
}

std::string SideStreams::List(int64_t run, const ChunkedCopy& copy, int device, void* stream) {
  if (copy.num_chunks() == 0) return "";
  if (device < 0 || device >= kMaxDevices ||
      !sides_[device].copies.load(std::memory_order_acquire)) {
    return "device " + Str(device) +
           " has no stream for producers: the call's Initialize stage "
           "has not run there.";
  }
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  if (result == 0) {
    result = driver_.set_words(copy.signals, 0, static_cast<size_t>(copy.num_chunks()), stream);
  }
  if (result != 0) return Failure("zeroing the signals", driver_, device, result);
  std::lock_guard lock(mutex_);
  sides_[device].listed[copy.signals] = {run, copy};
  return "";
}

DriverResult SideStreams::Begin(const ChunkedCopy& copy, Side* side, void* event, void* stream) {
  void* const copies = side->copies.load(std::memory_order_acquire);
  // The event is recorded several times. Each wait is for the last record before it.
  DriverResult result = streams_.record_event(event, stream);
  if (result == 0) result = streams_.wait_event(copies, event, 0);
  if (result == 0) result = Enqueue(copy, copies, side->signals, event);
  if (result == 0 && !copy.beside_products()) result = streams_.wait_event(stream, event, 0);
  return result;
}

std::string SideStreams::Around(int64_t run, const uint32_t* signals, int device, void* stream,
                                const std::function<std::string()>& launch) {
  if (device < 0 || device >= kMaxDevices) return launch();
  Side& side = sides_[device];
  std::unique_lock lock(mutex_);
  auto found = side.listed.find(signals);
  if (found == side.listed.end() || found->second.first != run) {
    lock.unlock();
    return launch();
  }
  const ChunkedCopy copy = found->second.second;
  side.listed.erase(found);
  CurrentDevice current(driver_, device);
  void* event = nullptr;
  DriverResult result = current.result();
  if (result == 0) result = streams_.TakeEvent(&side.free_events, &event);
  if (result == 0) result = Begin(copy, &side, event, stream);
  lock.unlock();
  const std::string error = result == 0 ? launch() : "";
  if (result == 0) result = streams_.wait_event(stream, event, 0);
  if (result != 0 || !error.empty()) {
    // After an error XLA may free memory that copies still write to, so the copies are waited for.
    streams_.synchronize_stream(side.copies.load(std::memory_order_acquire));
    streams_.synchronize_stream(side.signals);
  }
  lock.lock();
  if (event) side.free_events.push_back(event);
  return result == 0 ? error : Failure("a producer's copy", driver_, device, result);
}

std::string SideStreams::Join(int64_t run, const uint32_t* signals, int device, void* stream) {
  return Around(run, signals, device, stream, [] { return std::string(); });
}

std::string SideStreams::JoinSignals(const uint32_t* signals, int64_t count, uint32_t epoch,
                                     int64_t timeout_ns, int device, void* stream,
                                     int64_t* missing) {
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  std::vector<uint32_t> seen(static_cast<size_t>(count));
  // The time limit begins when the stream has reached this call.
  if (result == 0) result = streams_.synchronize_stream(stream);
  const int64_t begin = Nanoseconds();
  *missing = -1;
  while (result == 0 && count > 0) {
    const bool is_last = Nanoseconds() - begin > timeout_ns;
    result = streams_.copy_to_host(seen.data(), signals, seen.size() * sizeof(uint32_t), stream);
    if (result == 0) result = streams_.synchronize_stream(stream);
    auto other = std::find_if(seen.begin(), seen.end(), [=](uint32_t x) { return x != epoch; });
    if (other == seen.end()) break;
    if (is_last) {
      *missing = other - seen.begin();
      break;
    }
    SleepBriefly();
  }
  return result == 0 ? "" : Failure("waiting for signals", driver_, device, result);
}

std::string SideStreams::Copy(void* destination, const void* source, size_t bytes, int device,
                              void* stream) {
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  if (result == 0) result = streams_.copy(destination, source, bytes, stream);
  return result == 0 ? "" : Failure("copying a result", driver_, device, result);
}

std::string SideStreams::ReadStatus(const int32_t* status, int device, void* stream,
                                    int32_t* value) {
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  if (result == 0) result = streams_.copy_to_host(value, status, sizeof(*value), stream);
  if (result == 0) result = streams_.synchronize_stream(stream);
  return result == 0 ? "" : Failure("reading whether all chunks came", driver_, device, result);
}

}  // namespace jaxgemm
