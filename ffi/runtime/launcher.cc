#include "runtime/launcher.h"

#include <optional>

#include "runtime/launch.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// Suffixes of the kernels' names, by KernelForm.
constexpr const char* kFormSuffixes[kKernelForms] = {
#define JAXGEMM_FORM(id, name, suffix, ...) #suffix,
#include "sm90/forms.def"
#undef JAXGEMM_FORM
};

}  // namespace

GpuLauncher::GpuLauncher(const Driver* driver)
    : driver_(*driver), functions_(kMaxDevices * GpuInstances().size() * kFunctions) {}

int GpuLauncher::FindDevice(std::string_view target) const {
  DriverResult result = 0;
  for (int device = 0; device < kMaxDevices; ++device) {
    if (TargetOf(driver_, device, &result) == target) return device;
    if (result != 0) break;
  }
  return -1;
}

std::string GpuLauncher::Load(const GpuInstance& instance, int device) {
  std::string error = CheckDevice(device);
  if (!error.empty()) return error;
  std::atomic<void*>* slots = Functions(instance, device);
  // There is one slot for each function. Slot 0, that of the general form, is stored last, so all
  // slots are set when slot 0 is. If an instance has no general form, slot 0 holds any function.
  if (slots[0].load(std::memory_order_acquire)) return "";
  std::lock_guard lock(mutex_);
  if (slots[0].load(std::memory_order_relaxed)) return "";
  void* functions[kFunctions] = {};
  error = LoadModule(instance, device, functions);
  for (void* any : functions) {
    if (!functions[0]) functions[0] = any;
  }
  for (int i = kFunctions; error.empty() && i-- > 0;) {
    slots[i].store(functions[i], std::memory_order_release);
  }
  return error;
}

std::string GpuLauncher::Load(const Choice& choice, int device) {
  const GpuInstance* instance = FindGpuInstance(choice.target, choice.kernel);
  if (!instance) {
    return "there is no kernel '" + Str(choice.kernel) + "' for '" + Str(choice.target) +
           "'. Trace and compile the function again with this jaxgemm.";
  }
  return Load(*instance, device);
}

std::string GpuLauncher::LoadModule(const GpuInstance& instance, int device, void** functions) {
  DriverResult result = 0;
  std::string target = TargetOf(driver_, device, &result);
  if (result != 0)
    return KernelFailure("asking for the architecture", driver_, instance.name, device, result);
  if (target != instance.target) {
    return "device " + Str(device) + " is a " + target + ", and the program was lowered for " +
           Str(instance.target) + ". Lower it again" +
           (driver_.launch_early ? "" : ", with JAXGEMM_ROCM_ARCH set to the GPUs' architecture") +
           ", or pass implementation='xla'.";
  }

  CurrentDevice current(driver_, device);
  if (current.result() != 0) {
    return KernelFailure("choosing the device", driver_, instance.name, device, current.result());
  }
  void* module = nullptr;
  const std::string error =
      LoadCodeObject(driver_, instance.target, instance.name, device, &module);
  if (!error.empty()) return error;
  const bool is_sm90 = driver_.encode_tensor_map != nullptr;
  for (int i = 0; i < kFunctions; ++i) {
    const auto form = static_cast<KernelForm>(i % kKernelForms);
    const bool multicasts = i >= kKernelForms;
    if (!HasForm(instance, form) || (multicasts && !MayMulticast(instance, form))) continue;
    const std::string name =
        instance.name + kFormSuffixes[i % kKernelForms] + (multicasts ? "_multicast" : "");
    const char* what = "finding the kernel in its code object";
    result = driver_.get_function(&functions[i], module, name.c_str());
    if (result == 0 && is_sm90) {
      constexpr int kMaxDynamicSharedBytes = 8;
      what = "asking for shared memory";
      result = driver_.set_function_attribute(functions[i], kMaxDynamicSharedBytes,
                                              Sm90SharedBytes(form));
    }
    if (result != 0) {
      driver_.unload_module(module);
      return KernelFailure(what, driver_, name, device, result);
    }
  }
  return "";
}

std::string GpuLauncher::Launch(const Call& given, int device, void* stream) {
  const Plan& plan = given.plan;
  if (plan.num_indices() == 0) return "";
  const GpuInstance& instance = *plan.instance;
  if (device < 0 || device >= kMaxDevices ||
      !Functions(instance, device)->load(std::memory_order_acquire)) {
    return instance.name + " is not loaded on device " + Str(device) +
           ": the call's Initialize stage has not run there.";
  }
  CurrentDevice current(driver_, device);
  if (current.result() != 0) {
    return KernelFailure("choosing the device", driver_, instance.name, device, current.result());
  }
  std::optional<Call> transposed;
  const Call& call = plan.choice.transposed ? transposed.emplace(Transposed(given)) : given;
  if (plan.zeroed_bytes > 0) {
    DriverResult result = driver_.set_words(
        call.workspace, 0, static_cast<size_t>(plan.zeroed_bytes) / sizeof(int32_t), stream);
    if (result != 0)
      return KernelFailure("zeroing the workspace", driver_, instance.name, device, result);
  }
  KernelLaunch launch{.arguments = PackArguments(call), .form = plan.choice.form};
  const std::string error = instance.family == Family::kHopper
                                ? LayOutForHopper(driver_, call, &launch)
                                : LayOutForAmd(call, &launch);
  if (!error.empty()) return error;
  void* function = Functions(instance, device)[FunctionOf(launch.form, launch.multicasts)].load(
      std::memory_order_acquire);
  void* pointers[] = {&launch.arguments, &launch.maps};
  const DriverResult result =
      driver_.launch_early
          ? driver_.launch_early(function, launch.grid, launch.cluster > 1 ? launch.cluster : 0,
                                 launch.block, launch.shared_bytes, stream, pointers)
          : driver_.launch(function, launch.grid, 1, 1, launch.block, 1, 1, launch.shared_bytes,
                           stream, pointers, nullptr);
  return result == 0 ? "" : KernelFailure("launching", driver_, instance.name, device, result);
}

}  // namespace jaxgemm
