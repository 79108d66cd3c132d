// Loads GPU kernels and launches calls, through any driver.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/gemm_args.h"
#include "runtime/call.h"
#include "runtime/driver.h"

namespace jaxgemm {

// Where the code objects are: <folder>/<target>/<instance>.hsaco or .cubin. Set once, before any
// load.
void SetKernelFolder(std::string folder);

// A call as its kernel gets it.
GemmArgs PackArguments(const Call& call);

// One driver's loaded kernels, by device. All functions return an empty string, or the error as
// sentences for the user.
class GpuLauncher {
 public:
  static constexpr int kMaxDevices = 64;

  explicit GpuLauncher(const Driver* driver);

  // The first device that is a `target` of instances.def, or -1.
  int FindDevice(std::string_view target) const;

  // Loads an instance on a device, unless it is there already. Takes a lock only to load.
  std::string Load(const GpuInstance& instance, int device);

  // Zeroes what the workspace must have zeroed and launches the kernel, both on the device's
  // `stream`: allocates nothing, waits for nothing, takes no lock. Load comes first.
  std::string Launch(const Call& call, int device, void* stream);

 private:
  // What a device is, or "" and why in *result.
  std::string TargetOf(int device, DriverResult* result) const;
  // One function for each form that it has.
  std::string LoadModule(const GpuInstance& instance, int device, void** functions);
  std::atomic<void*>* Functions(const GpuInstance& instance, int device) {
    return &functions_[(device * GpuInstances().size() + instance.id) * kSm90Forms];
  }
  std::string Failure(const char* what, const std::string& kernel, int device,
                      DriverResult result) const;

  const Driver& driver_;
  std::mutex mutex_;  // while loading; of code_objects_
  std::deque<std::string> code_objects_;
  std::vector<std::atomic<void*>> functions_;  // by form, of which AMD's have the first; null: not
                                               // loaded
};

}  // namespace jaxgemm
