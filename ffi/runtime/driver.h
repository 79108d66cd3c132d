// A GPU's runtime library as a table of functions, opened when it is first needed: this module
// links with none. HIP's module API and CUDA's driver API have the same shapes.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace jaxgemm {

// 0: success. The library's own numbers otherwise.
using DriverResult = int;

struct Driver {
  void* handle;         // of dlopen()
  std::string library;  // the file that was opened, for messages
  std::string advice;   // what a user may try where a call of it fails

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

  // How the target's code objects end, and what a launch of one is. CUDA only: a function may have
  // more shared memory than others, and operands are described for the copy engine; else null.
  const char* suffix;
  DriverResult (*set_function_attribute)(void* function, int attribute, int value) = nullptr;
  DriverResult (*encode_tensor_map)(void* map, int type, uint32_t rank, void* address,
                                    const uint64_t* sizes, const uint64_t* strides,
                                    const uint32_t* box, const uint32_t* element_strides,
                                    int interleave, int swizzle, int l2_promotion,
                                    int out_of_bounds) = nullptr;

  // Launches a kernel that waits for those before it itself, and may be started before they have
  // ended. cluster_x: of kernels that have no cluster of their own; 0 otherwise.
  DriverResult (*launch_early)(void* function, unsigned grid_x, unsigned cluster_x,
                               unsigned block_x, unsigned shared_bytes, void* stream,
                               void** arguments) = nullptr;

  // Attributes: a device's compute capability; and what architecture it means.
  int capability_major, capability_minor;
  std::string (*target)(int major, int minor);
};

// Adds the symbol's name to *missing if the library has none.
template <class Function>
void Resolve(void* library, const char* symbol, Function** function, std::string* missing) {
  *function = reinterpret_cast<Function*>(dlsym(library, symbol));
  if (!*function) *missing += (missing->empty() ? "" : ", ") + std::string(symbol);
}

// What opening gave, once it gave something; where it failed the next call tries again.
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

// A device as the thread's current one, for as long as this lives: a module is loaded for that
// one, and a launch must agree with it.
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

// A GPU's advice: the emulator has none.
inline constexpr const char* kGpuAdvice =
    " Set JAXGEMM_COMMAND_BUFFERS=0 if XLA was recording a command buffer, or pass "
    "implementation='xla'.";

// ROCm's runtime, the copy that is open already if there is one. Null, and why in *error,
// where it cannot be opened; a later call tries again.
const Driver* OpenHip(std::string* error);

// CUDA's driver, likewise.
const Driver* OpenCuda(std::string* error);

// What producers of chunks need besides, in a table of its own: what stands in for ROCm's runtime
// does not have it. Null, and why in *error, where the driver's library lacks some of it.
struct StreamDriver {
  DriverResult (*priority_range)(int* least, int* greatest);
  DriverResult (*create_stream)(void** stream, unsigned flags, int priority);
  DriverResult (*synchronize_stream)(void* stream);
  DriverResult (*create_event)(void** event, unsigned flags);
  DriverResult (*record_event)(void* event, void* stream);
  DriverResult (*wait_event)(void* stream, void* event, unsigned flags);
  DriverResult (*copy_to_host)(void* destination, const void* source, size_t bytes, void* stream);
  // From host or device memory, at once or in rows of `bytes` each, `pitch` from one another.
  DriverResult (*copy)(void* destination, const void* source, size_t bytes, void* stream);
  DriverResult (*copy_rows)(void* destination, const void* source, size_t pitch, size_t bytes,
                            size_t rows, void* stream);
  // Once all that is before it on the stream has been done and can be seen by every processor.
  DriverResult (*write_word)(void* stream, void* address, uint32_t value);
};
const StreamDriver* HipStreams(const Driver& driver, std::string* error);
const StreamDriver* CudaStreams(const Driver& driver, std::string* error);

// The same table of a library that dlopen() has opened: also what stands in for ROCm's.
const Driver* MakeHipDriver(void* library, std::string name, std::string advice,
                            std::string* error);

}  // namespace jaxgemm
