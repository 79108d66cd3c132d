#include "routing/launch.h"

#include <algorithm>

#include "plan/plan.h"
#include "runtime/code_object.h"

namespace jaxgemm {
namespace {

constexpr char kName[] = "routing_table";  // the name of the code object

// Tuning constants. So many choices are sorted by one workgroup; and for more there are at most so
// many workgroups, each with at least so many choices.
constexpr int64_t kMostAlone = 4096, kMostWorkgroups = 128, kLeastChoices = 1024;

}  // namespace

void DivideChoices(RoutingArgs* args) {
  const int64_t choices = std::max(args->choices, 1);
  const int64_t part =
      choices <= kMostAlone ? choices : std::max(kLeastChoices, CeilDiv(choices, kMostWorkgroups));
  args->part = static_cast<int32_t>(RoundUp(part, kRoutingThreads));
  args->workgroups = static_cast<int32_t>(CeilDiv(choices, args->part));
}

std::string RoutingKernels::Load(int device) {
  std::string error = CheckDevice(device);
  if (!error.empty()) return error;
  Functions& functions = functions_[device];
  if (functions.table.load(std::memory_order_acquire)) return "";
  std::lock_guard lock(mutex_);
  if (functions.table.load(std::memory_order_relaxed)) return "";
  const char* what = "asking for the architecture";
  DriverResult result = 0;
  const std::string target = TargetOf(driver_, device, &result);
  CurrentDevice current(driver_, device);
  if (result == 0) {
    what = "choosing the device";
    result = current.result();
  }
  void *module = nullptr, *counts = nullptr, *table = nullptr;
  if (result == 0) {
    error = LoadCodeObject(driver_, target, kName, device, &module);
    if (!error.empty()) return error;
    what = "finding the kernel in its code object";
    result = driver_.get_function(&counts, module, "jaxgemm_routing_counts");
  }
  if (result == 0) result = driver_.get_function(&table, module, "jaxgemm_routing_table");
  if (result != 0) {
    if (module) driver_.unload_module(module);
    return KernelFailure(what, driver_, kName, device, result);
  }
  functions.counts.store(counts, std::memory_order_relaxed);
  functions.table.store(table, std::memory_order_release);
  return "";
}

std::string RoutingKernels::Launch(const RoutingArgs& args, int64_t batch, int device,
                                   void* stream) {
  if (batch == 0) return "";
  void* table = CheckDevice(device).empty()
                    ? functions_[device].table.load(std::memory_order_acquire)
                    : nullptr;
  if (!table) {
    return Concat(kName, " is not loaded on device ", Str(int64_t{device}),
                  ": the call's Initialize stage has not run there.");
  }
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  const auto grid = static_cast<unsigned>(batch * args.workgroups);
  void* arguments[] = {const_cast<RoutingArgs*>(&args)};
  const auto launch = [&](void* function) {
    if (result != 0) return;
    result =
        driver_.launch(function, grid, 1, 1, kRoutingThreads, 1, 1, 0, stream, arguments, nullptr);
  };
  if (args.workgroups > 1) launch(functions_[device].counts.load(std::memory_order_relaxed));
  launch(table);
  return result == 0 ? "" : KernelFailure("launching", driver_, kName, device, result);
}

}  // namespace jaxgemm
