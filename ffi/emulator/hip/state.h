// The errors and the devices, which all functions of the stand-in HIP runtime use.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/api/session.h"
#include "emulator/hip/api.h"

namespace jaxgemm::emulator {

// A call of HIP that fails: the error, and the text for hipGetErrorString.
struct HipFailure {
  hipError_t error;
  std::string message;
};

// Records the failure as this thread's last error and returns its number.
hipError_t Failed(hipError_t error, std::string message);

// Runs the body of a HIP function. Returns the error of the exception that the body threw, if any.
template <class F>
hipError_t Guarded(F&& f) {
  try {
    f();
    return hipSuccess;
  } catch (const HipFailure& failure) {
    return Failed(failure.error, failure.message);
  } catch (const std::exception& error) {
    return Failed(hipErrorLaunchFailure, error.what());
  }
}

struct Device {
  int number;
  std::string chip, name;  // "MI300X", "AMD Instinct MI300X (emulated by jaxgemm)"
  Arch arch;
  int minor_version;  // of the compute capability; the major version is 9
  int compute_units, dies, lds_bytes;
  size_t memory_bytes;
};

// Device 0 is an MI300X, device 1 an MI355X and device 2 an MI250X, unless SetDevices was called.
int NumDevices();
Device& DeviceAt(int number);  // throws HipFailure
Device& CurrentDevice();

// Replaces the devices, before they are first used: `count` devices of the chip, which is a name
// ("MI300A") or an arch, for its first chip. Throws EmulationError.
void SetDevices(const std::string& chip, int count);

// How streams run. With a seed, each operation starts after a random delay, and the nodes of a
// graph run in a random order that their dependencies allow.
struct StreamMode {
  uint64_t seed = 0;  // 0: no delays
  unsigned most_microseconds = 0;
};
StreamMode TheStreamMode();
void SetStreamMode(StreamMode mode);

// See jaxgemm_emulator_on_interruption in c_api.cc.
void SetOnInterruption(void (*function)());
void CallOnInterruption();

}  // namespace jaxgemm::emulator
