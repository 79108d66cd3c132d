// Loads and launches the kernels of routing_args.h, with any Driver.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "routing/routing_args.h"
#include "runtime/driver.h"

namespace jaxgemm {

// Sets how many workgroups share the choices.
void DivideChoices(TableArgs* args);
// Sets how many lanes share a row, and returns the number of workgroups.
int64_t DivideRows(GatedArgs* args);

// The kernels that one driver has loaded, by device. Functions that return a string return an empty
// one, or the error as sentences for the user.
class RoutingKernels {
 public:
  explicit RoutingKernels(const Driver* driver) : driver_(*driver) {}

  // Loads the kernels on a device, unless they are loaded already.
  std::string Load(int device);

  // Launch a call on the device's `stream`. They allocate nothing and wait for nothing. Load must
  // come first.
  std::string Launch(const TableArgs& args, int64_t batch, int device, void* stream);
  std::string Launch(const TopKArgs& args, int device, void* stream);
  std::string Launch(DType dtype, const GatedArgs& args, int64_t workgroups, int device,
                     void* stream);

 private:
  enum Kernel { kCounts, kTable, kTopK, kGatedF32, kGatedF16, kGatedBF16, kKernels };
  std::string Launch(Kernel kernel, int64_t workgroups, int threads, const void* args, int device,
                     void* stream);

  const Driver& driver_;
  std::mutex mutex_;  // held while loading
  // The functions; all are there when the last one is.
  std::atomic<void*> functions_[kMaxDevices][kKernels] = {};
};

}  // namespace jaxgemm
