// Loads and launches the kernels of a routing table, with any Driver.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "routing/routing_args.h"
#include "runtime/driver.h"

namespace jaxgemm {

// Sets how many workgroups share the choices.
void DivideChoices(RoutingArgs* args);

// The kernels that one driver has loaded, by device. Functions that return a string return an empty
// one, or the error as sentences for the user.
class RoutingKernels {
 public:
  explicit RoutingKernels(const Driver* driver) : driver_(*driver) {}

  // Loads the kernels on a device, unless they are loaded already.
  std::string Load(int device);

  // Launches them on the device's `stream`. Allocates nothing and waits for nothing. Load must come
  // first.
  std::string Launch(const RoutingArgs& args, int64_t batch, int device, void* stream);

 private:
  const Driver& driver_;
  std::mutex mutex_;  // held while loading
  struct Functions {
    std::atomic<void*> counts = nullptr;
    std::atomic<void*> table = nullptr;  // stored last
  };
  Functions functions_[kMaxDevices];
};

}  // namespace jaxgemm
