// Loads GPU kernels and launches calls, with any Driver.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/call.h"
#include "runtime/code_object.h"
#include "runtime/driver.h"

namespace jaxgemm {

// The kernels that one driver has loaded, by device. Functions that return a string return an empty
// one, or the error as sentences for the user.
class GpuLauncher {
 public:
  explicit GpuLauncher(const Driver* driver);

  // The first device with this target of instances.def, or -1.
  int FindDevice(std::string_view target) const;

  // Loads an instance on a device, unless it is loaded already. Takes a lock only to load.
  std::string Load(const GpuInstance& instance, int device);
  // The same for the instance that a call names.
  std::string Load(const Choice& choice, int device);

  // Zeroes the zeroed part of the workspace and launches the kernel, both on the device's
  // `stream`. Allocates nothing, waits for nothing, takes no lock. Load must come first.
  std::string Launch(const Call& call, int device, void* stream);

 private:
  // The functions of an instance: one for each form, and then one for each form with multicast. It
  // has those that HasForm and MayMulticast tell.
  static constexpr int kFunctions = 2 * kKernelForms;
  static constexpr int FunctionOf(KernelForm form, bool multicasts) {
    return static_cast<int>(form) + (multicasts ? kKernelForms : 0);
  }
  // Loads the code object and sets the functions that the instance has.
  std::string LoadModule(const GpuInstance& instance, int device, void** functions);
  std::atomic<void*>* Functions(const GpuInstance& instance, int device) {
    return &functions_[(device * GpuInstances().size() + instance.id) * kFunctions];
  }

  const Driver& driver_;
  std::mutex mutex_;  // held while loading
  // The kernels by device, instance and FunctionOf. Null: not loaded, or there is no such kernel.
  std::vector<std::atomic<void*>> functions_;
};

// The launcher of a platform, made at the first call. Null, with the reason in *error, if its
// runtime library cannot be opened.
template <OpenDriver kOpen>
GpuLauncher* TheLauncher(std::string* error) {
  const Driver* driver = kOpen(error);
  if (!driver) return nullptr;
  static auto* launcher = new GpuLauncher(driver);
  return launcher;
}

}  // namespace jaxgemm
