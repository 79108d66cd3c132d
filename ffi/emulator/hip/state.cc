#include "emulator/hip/state.h"

#include <utility>

namespace jaxgemm::emulator {
namespace {

std::mutex mode_mutex;
StreamMode stream_mode;
std::atomic<void (*)()> on_interruption = nullptr;
thread_local hipError_t last_error = hipSuccess;

}  // namespace

hipError_t Failed(hipError_t error, std::string message) {
  ThisThread().error = std::move(message);
  last_error = error;
  return error;
}

StreamMode TheStreamMode() {
  std::lock_guard guard(mode_mutex);
  return stream_mode;
}

void SetStreamMode(StreamMode mode) {
  std::lock_guard guard(mode_mutex);
  stream_mode = mode;
}

void SetOnInterruption(void (*function)()) { on_interruption = function; }

void CallOnInterruption() {
  if (auto* function = on_interruption.load()) function();
}

const char* hipGetErrorName(hipError_t error) {
  switch (error) {
#define JAXGEMM_HIP_ERROR(name, value) \
  case name: return #name;
#include "emulator/hip/errors.def"
#undef JAXGEMM_HIP_ERROR
  }
  return "hipErrorUnknown";
}

// Returns the whole message of this thread's last failure.
const char* hipGetErrorString(hipError_t error) {
  if (error == hipSuccess) return "no error";
  return ThisThread().error.empty() ? hipGetErrorName(error) : ThisThread().error.c_str();
}

hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }

hipError_t hipPeekAtLastError() { return last_error; }

}  // namespace jaxgemm::emulator
