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
// Set how many lanes share a row, and return the number of workgroups.
int64_t DivideRows(GatedArgs* args, const Float8Rows& out = {.block_bits = -1});
int64_t DivideRows(QuantizeArgs* args);
int64_t DivideRows(GatherArgs* args);
// Sets how many tiles there are, and returns the number of workgroups.
int64_t DivideColumns(ColumnsArgs* args, int64_t batch);

// The kernels that one driver has loaded, by device. Functions that return a string return an empty
// one, or the error as sentences for the user.
class RoutingKernels {
 public:
  explicit RoutingKernels(const Driver* driver) : driver_(*driver) {}

  // Loads the kernels on a device, unless they are loaded already.
  std::string Load(int device);

  // Why a device's kernels do not store this float8 type; empty if they do. Load must come first.
  std::string CheckFloat8(DType dtype, int device) const;

  // Launch a call on the device's `stream`. They allocate nothing and wait for nothing. Load must
  // come first.
  std::string Launch(const TableArgs& args, int64_t batch, int device, void* stream);
  std::string Launch(const TopKArgs& args, int device, void* stream);
  std::string Launch(DType dtype, const PlacedGatedArgs& args, int64_t workgroups, int device,
                     void* stream);
  std::string Launch(DType dtype, const QuantizedGatedArgs& args, int64_t workgroups, int device,
                     void* stream);
  // hidden: the rows are made of gate and up.
  std::string Launch(DType dtype, bool hidden, const QuantizeArgs& args, int64_t workgroups,
                     int device, void* stream);
  std::string Launch(DType dtype, const ColumnsArgs& args, int64_t workgroups, int device,
                     void* stream);
  std::string Launch(const GatherArgs& args, int64_t workgroups, int device, void* stream);

 private:
  // A kernel with a dtype has three forms: float32, float16 and bfloat16.
  enum Kernel {
    kCounts,
    kTable,
    kTopK,
    kGated,
    kQuantizedGated = kGated + 3,
    kQuantizeRows = kQuantizedGated + 3,
    kQuantizeHidden = kQuantizeRows + 3,
    kQuantizeColumns = kQuantizeHidden + 3,
    kGatherRows = kQuantizeColumns + 3,
    kKernels
  };
  static Kernel Of(Kernel first, DType dtype);
  std::string Launch(Kernel kernel, int64_t workgroups, int threads, const void* args, int device,
                     void* stream);

  const Driver& driver_;
  std::mutex mutex_;  // held while loading
  // Whether float8 of a device is FNUZ, else OCP. It is known when the last function is there.
  bool is_fnuz_[kMaxDevices] = {};
  // The functions; all are there when the last one is.
  std::atomic<void*> functions_[kMaxDevices][kKernels] = {};
};

}  // namespace jaxgemm
