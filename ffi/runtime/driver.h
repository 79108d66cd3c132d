// A GPU's runtime library as a table of functions. The library is opened at its first use, because
// this module links with no GPU library. HIP's module API and CUDA's driver API have the same
// signatures, with a few exceptions (cuda.cc, hip.cc).
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "spec/text.h"

namespace jaxgemm {

// Kernels and streams are kept for this many devices of a process, an arbitrary limit.
inline constexpr int kMaxDevices = 64;

// 0 is success. Other values are the library's error codes.
using DriverResult = int;

struct Driver {
  void* handle;         // from dlopen()
  std::string library;  // the file that was opened, for messages
  std::string advice;   // what a user may try when a call fails

  DriverResult (*get_device)(int* device);
  DriverResult (*set_device)(int device);
  DriverResult (*get_device_attribute)(int* value, int attribute, int device);
  DriverResult (*load_module)(void** module, const void* code_object);
  DriverResult (*unload_module)(void* module);
  DriverResult (*get_function)(void** function, void* module, const char* name);
  DriverResult (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, void* stream, void** arguments, void** extra);
  DriverResult (*set_words)(void* destination, int word, size_t count, void* stream);
  const char* (*error_name)(DriverResult);
  const char* (*error_text)(DriverResult);

  const char* suffix;  // of the code objects' file names

  // CUDA only; null for HIP. The first raises a function's limit of shared memory, the second
  // describes an operand for TMA.
  DriverResult (*set_function_attribute)(void* function, int attribute, int value) = nullptr;
  DriverResult (*encode_tensor_map)(void* map, int type, uint32_t rank, void* address,
                                    const uint64_t* sizes, const uint64_t* strides,
                                    const uint32_t* box, const uint32_t* element_strides,
                                    int interleave, int swizzle, int l2_promotion,
                                    int out_of_bounds) = nullptr;

  // CUDA only. Launches a kernel by programmatic dependent launch: it may start before the earlier
  // kernels of the stream have ended, and the kernel itself waits for them (griddepcontrol.wait).
  // cluster_x: CTAs in a cluster, for a kernel that is compiled without a cluster size; 0 for other
  // kernels.
  DriverResult (*launch_early)(void* function, unsigned grid_x, unsigned cluster_x,
                               unsigned block_x, unsigned shared_bytes, void* stream,
                               void** arguments) = nullptr;

  // CUDA only: how many clusters of a kernel run at the same time; see launch_early.
  DriverResult (*most_clusters)(int* count, void* function, unsigned cluster_x, unsigned block_x,
                                unsigned shared_bytes) = nullptr;

  // The device attributes of the compute capability, and the target for a capability.
  int capability_major, capability_minor;
  std::string (*target)(int major, int minor);
};

// The error for a device that kernels and side streams are not kept for; "" for others.
inline std::string CheckDevice(int device) {
  if (device >= 0 && device < kMaxDevices) return "";
  return Concat("device ", Str(int64_t{device}), " is beyond the ", Str(int64_t{kMaxDevices}),
                " that jaxgemm can use. Hide some with ROCR_VISIBLE_DEVICES or "
                "CUDA_VISIBLE_DEVICES.");
}

// The error for what failed on a device.
inline std::string Failure(std::string_view what, const Driver& driver, int device,
                           DriverResult result) {
  return Concat(what, " failed: device ", Str(int64_t{device}), ", ", driver.error_name(result),
                ": ", driver.error_text(result), " (", driver.library, ").");
}

// Sets *function to the library's symbol, or adds the symbol's name to *missing.
template <class Function>
void Resolve(void* library, const char* symbol, Function** function, std::string* missing) {
  *function = reinterpret_cast<Function*>(dlsym(library, symbol));
  if (!*function) *missing += (missing->empty() ? "" : ", ") + std::string(symbol);
}

// The result of the first open() that succeeded. After a failure, the next Get() tries again.
template <class T>
class OpenedOnce {
 public:
  template <class Open>
  T* Get(Open&& open) {
    if (T* before = opened_.load(std::memory_order_acquire)) return before;
    std::lock_guard lock(mutex_);
    if (!opened_.load(std::memory_order_relaxed)) opened_.store(open());
    return opened_.load(std::memory_order_relaxed);
  }

 private:
  std::mutex mutex_;
  std::atomic<T*> opened_ = nullptr;
};

// Makes a device the thread's current one for the lifetime of this object. A module is loaded for
// the current device, and a launch must use the same device.
class CurrentDevice {
 public:
  CurrentDevice(const Driver& driver, int device) : driver_(driver), device_(device) {
    result_ = driver.get_device(&before_);
    if (result_ == 0 && before_ != device) result_ = driver.set_device(device);
  }
  ~CurrentDevice() {
    if (result_ == 0 && before_ != device_) driver_.set_device(before_);
  }
  DriverResult result() const { return result_; }

 private:
  const Driver& driver_;
  int device_, before_ = 0;
  DriverResult result_;
};

// Driver::advice for GPUs. For the emulator it is empty.
inline constexpr const char* kGpuAdvice =
    " Set JAXGEMM_COMMAND_BUFFERS=0 if XLA was recording a command buffer, or pass "
    "implementation='xla'.";

// Opens ROCm's runtime, or takes the copy that this process has open. Null, with the reason in
// *error, if it cannot be opened; a later call tries again.
const Driver* OpenHip(std::string* error);

// The same for CUDA's driver.
const Driver* OpenCuda(std::string* error);

using OpenDriver = const Driver* (*)(std::string* error);

// Further functions, for copies in chunks and between devices. They have a table of their own,
// because only these use them.
struct StreamDriver {
  static constexpr unsigned kNonBlocking = 1;  // flag of streams; XLA's have it, too
  static constexpr unsigned kNoTimes = 2;      // flag of events, which need no times

  // Takes a free event of the thread's current device, or creates one.
  DriverResult TakeEvent(std::vector<void*>* free_events, void** event) const {
    if (free_events->empty()) return create_event(event, kNoTimes);
    *event = free_events->back();
    free_events->pop_back();
    return 0;
  }

  DriverResult (*priority_range)(int* least, int* greatest);
  DriverResult (*create_stream)(void** stream, unsigned flags, int priority);
  DriverResult (*synchronize_stream)(void* stream);
  DriverResult (*create_event)(void** event, unsigned flags);
  DriverResult (*record_event)(void* event, void* stream);
  DriverResult (*wait_event)(void* stream, void* event, unsigned flags);
  DriverResult (*copy_to_host)(void* destination, const void* source, size_t bytes, void* stream);
  // Copy from host or device memory: `bytes` in one piece, or `rows` rows of `bytes` each, with
  // `pitch` bytes from one row to the next.
  DriverResult (*copy)(void* destination, const void* source, size_t bytes, void* stream);
  DriverResult (*copy_rows)(void* destination, const void* source, size_t pitch, size_t bytes,
                            size_t rows, void* stream);
  // Writes the word after all earlier work on the stream is done and visible to every processor.
  DriverResult (*write_word)(void* stream, void* address, uint32_t value);
};
// Null, with the reason in *error, if the driver's library lacks one of the functions.
const StreamDriver* HipStreams(const Driver& driver, std::string* error);
const StreamDriver* CudaStreams(const Driver& driver, std::string* error);

using OpenStreams = const StreamDriver* (*)(const Driver&, std::string* error);

// The SideStreams or the PeerStreams of a platform, made at the first call. Null, with the reason
// in *error, if that fails.
template <class Streams, OpenDriver kOpen, OpenStreams kStreams>
Streams* StreamsOf(std::string* error) {
  const Driver* driver = kOpen(error);
  const StreamDriver* functions = driver ? kStreams(*driver, error) : nullptr;
  if (!functions) return nullptr;
  static auto* streams = new Streams(driver, functions);
  return streams;
}

// Makes the table for a library that dlopen() has opened: ROCm's runtime, or the emulator in its
// place.
const Driver* MakeHipDriver(void* library, std::string name, std::string advice,
                            std::string* error);

}  // namespace jaxgemm
