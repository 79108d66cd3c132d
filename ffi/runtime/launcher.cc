#include "runtime/launcher.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "plan/sm90.h"
#include "runtime/one_tile.h"
#include "runtime/tensor_maps.h"
#include "runtime/whole_elf.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

constexpr int kWaveSize = 64;
// Suffixes of the kernels' names, by KernelForm.
constexpr const char* kFormSuffixes[kKernelForms] = {
#define JAXGEMM_FORM(id, name, suffix, ...) #suffix,
#include "sm90/forms.def"
#undef JAXGEMM_FORM
};

std::string& KernelFolder() {
  static std::string folder;
  return folder;
}

bool IsAligned(const void* array) { return reinterpret_cast<uintptr_t>(array) % 16 == 0; }
bool IsAlignedForMx(const Call& call) {
  return IsAligned(call.lhs) && IsAligned(call.rhs) && IsAligned(call.lhs_scales) &&
         IsAligned(call.rhs_scales);
}

}  // namespace

void SetKernelFolder(std::string folder) { KernelFolder() = std::move(folder); }

GemmArgs PackArguments(const Call& call) {
  const Problem& p = call.problem;
  const Plan& plan = call.plan;
  GroupedMap groups = plan.grouped_map(p);
  groups.group_sizes = call.group_sizes;
  char* sums =
      call.workspace +
      (plan.choice.reduction == Reduction::kAtomic ? plan.atomic_offset : plan.partials_offset);
  GemmArgs args = {
      .lhs = call.lhs,
      .rhs = call.rhs,
      .out = call.out,
      .preact = call.preact,
      .claims = reinterpret_cast<int32_t*>(call.workspace + plan.claim_offset),
      .arrivals = reinterpret_cast<int32_t*>(call.workspace + plan.arrivals_offset),
      .partials = sums,
      .m = p.m,
      .n = p.n,
      .k = p.k,
      .lhs_batch_stride = p.lhs_batched ? p.m * p.k : 0,
      .rhs_batch_stride =
          p.rhs_batched ? p.k * p.num_columns() * (p.ragged == Ragged::kM ? p.local_groups : 1) : 0,
      .map = p.grouped() ? StreamKMap{} : plan.stream_k_map(),
      .groups = groups,
      .group_offset = call.group_offset,
      .chunks = call.chunks(),
      .max_shares = static_cast<Index>(p.grouped() ? plan.choice.num_shares : 0),
      .claim = plan.claim_args(),
      .out_dtype = p.out_dtype,
      .activation = p.activation,
      .reduction = plan.choice.reduction,
      .block_n = static_cast<int32_t>(p.block_n),
      .blocks_k = static_cast<int32_t>(p.blocks_k()),
      .lhs_scales = call.lhs_scales,
      .rhs_scales = call.rhs_scales,
      .lhs_scales_batch_stride = p.lhs_batched ? p.blocks_m() * p.blocks_k() : 0,
      .rhs_scales_batch_stride =
          p.rhs_batched || p.ragged == Ragged::kM ? p.blocks_n() * p.blocks_k() : 0};
#define JAXGEMM_VECTOR(type, name, ...) \
  args.name = call.name;                \
  args.name##_batch_stride = call.strides.name.batch;
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
#define JAXGEMM_BROADCAST_VECTOR(type, name, ...) \
  args.name##_stride = static_cast<int32_t>(call.strides.name.row + call.strides.name.column);
#include "spec/call_schema.def"
#undef JAXGEMM_BROADCAST_VECTOR
#define JAXGEMM_KERNEL_CHOICE(type, name, ...) args.name = plan.choice.name;
#include "spec/call_schema.def"
#undef JAXGEMM_KERNEL_CHOICE
#define JAXGEMM_KERNEL_PROBLEM(type, name, ...) args.name = p.name;
#include "spec/call_schema.def"
#undef JAXGEMM_KERNEL_PROBLEM
  if (plan.choice.target != "sm90") SetOneTile(p, plan, &args);
  return args;
}

GpuLauncher::GpuLauncher(const Driver* driver)
    : driver_(*driver), functions_(kMaxDevices * GpuInstances().size() * kFunctions) {}

std::string GpuLauncher::TargetOf(int device, DriverResult* result) const {
  int major = 0, minor = 0;
  *result = driver_.get_device_attribute(&major, driver_.capability_major, device);
  if (*result == 0) {
    *result = driver_.get_device_attribute(&minor, driver_.capability_minor, device);
  }
  return *result == 0 ? driver_.target(major, minor) : "";
}

int GpuLauncher::FindDevice(std::string_view target) const {
  DriverResult result = 0;
  for (int device = 0; device < kMaxDevices; ++device) {
    if (TargetOf(device, &result) == target) return device;
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
           "'. Lower the program again.";
  }
  return Load(*instance, device);
}

std::string GpuLauncher::LoadModule(const GpuInstance& instance, int device, void** functions) {
  DriverResult result = 0;
  std::string target = TargetOf(device, &result);
  if (result != 0) return Failure("asking for the architecture", instance.name, device, result);
  if (target != instance.target) {
    return "device " + Str(device) + " is a " + target + ", and the program was lowered for " +
           Str(instance.target) + ". Lower it again" +
           (driver_.launch_early ? "" : ", with JAXGEMM_ROCM_ARCH set to the GPUs' architecture") +
           ", or pass implementation='xla'.";
  }

  std::string path =
      KernelFolder() + "/" + Str(instance.target) + "/" + instance.name + driver_.suffix;
  std::ifstream file(path, std::ios::binary);
  std::string code{std::istreambuf_iterator<char>(file), {}};
  if (!file || code.empty()) {
    return "there is no code object " + path +
           ": this build was made without it. Build again "
           "with JAXGEMM_GPU_KERNELS=all, or pass implementation='xla'.";
  }
  if (!IsWholeElf(code)) {
    return "the code object " + path +
           " is cut short. Build jaxgemm again, or pass "
           "implementation='xla'.";
  }
  CurrentDevice current(driver_, device);
  if (current.result() != 0) {
    return Failure("choosing the device", instance.name, device, current.result());
  }
  // HIP does not copy the code object, so it must stay in memory.
  const std::string& kept = code_objects_.emplace_back(std::move(code));
  void* module = nullptr;
  result = driver_.load_module(&module, kept.data());
  if (result != 0) return Failure("loading the code object", instance.name, device, result);
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
      return Failure(what, name, device, result);
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
    return Failure("choosing the device", instance.name, device, current.result());
  }
  std::optional<Call> transposed;
  const Call& call = plan.choice.transposed ? transposed.emplace(Transposed(given)) : given;
  if (plan.zeroed_bytes > 0) {
    DriverResult result = driver_.set_words(
        call.workspace, 0, static_cast<size_t>(plan.zeroed_bytes) / sizeof(int32_t), stream);
    if (result != 0) return Failure("zeroing the workspace", instance.name, device, result);
  }
  GemmArgs arguments = PackArguments(call);
  unsigned grid = static_cast<unsigned>(plan.choice.num_workgroups), block, shared_bytes = 0;
  int64_t cluster = plan.cluster_size();
  bool multicasts = false;
  TensorMaps maps;
  KernelForm form = plan.choice.form;
  void* pointers[] = {&arguments, nullptr};
  if (driver_.encode_tensor_map) {
    maps = MakeTensorMaps(driver_, call);
    // The general form and those with peers always run as planned. With scales of blocks TMA must
    // read both operands, else the call fails. The remaining forms need TMA for both operands and,
    // unless they are fused, for out. If TMA cannot move one of these (for example, because its
    // address is no multiple of 16 bytes), the general form runs instead. In tiles that have none,
    // kFused does, which then also copies operands (MayLoadByElement).
    const bool by_registers = RhsInRegisters(instance, plan.choice.form);
    const bool tma_moves_all =
        maps.lhs_valid && maps.rhs_valid &&
        (by_registers ? IsAligned(call.out) : maps.out_valid || IsFused(plan.choice.form));
    if (IsScaled(form) && !(maps.lhs_valid && maps.rhs_valid)) {
      return instance.name + " reads operands with scales of blocks at multiples of 16 bytes.";
    }
    if (by_registers && !tma_moves_all) {
      return instance.name + " reads operands and writes out at multiples of 16 bytes.";
    }
    const bool as_planned = tma_moves_all || IsGeneral(form) || IsScaled(form) || IsPeers(form);
    TileGrid clusters = ClusterGrid(plan);
    multicasts = cluster > plan.choice.cluster_k;
    if (!as_planned || (multicasts && !(maps.lhs_valid && maps.rhs_valid))) {
      // CTAs load operands for each other only by TMA, and another form may read rhs in other
      // boxes.
      Call alone = call;
      alone.plan.choice.cluster_m = alone.plan.choice.cluster_n = 1;
      if (!as_planned) {
        form = HasForm(instance, KernelForm::kGeneral) ? KernelForm::kGeneral : KernelForm::kFused;
        alone.plan.choice.form = form;
      }
      maps = MakeTensorMaps(driver_, alone);
      multicasts = false;
      cluster = plan.choice.cluster_k, clusters = ClusterGrid(alone.plan);
    }
    if (IsPeers(form)) {
      arguments.map.grid = clusters;
      grid = static_cast<unsigned>(clusters.num_tiles() * cluster);
    }
    pointers[1] = &maps;
    grid *= static_cast<unsigned>(instance.waves / kSm90Consumers);
    block = kSm90Threads;
    shared_bytes = static_cast<unsigned>(Sm90SharedBytes(plan.choice.form));
  } else {
    if (IsMx(form) && !IsAlignedForMx(call)) {
      return instance.name + " reads operands in an MX format at multiples of 16 bytes.";
    }
    block = static_cast<unsigned>(instance.waves * kWaveSize);
    // Workgroups without work are not launched.
    if (arguments.one_tile.size > 0) grid = static_cast<unsigned>(arguments.one_tile.size);
  }
  void* function =
      Functions(instance, device)[FunctionOf(form, multicasts)].load(std::memory_order_acquire);
  DriverResult result =
      driver_.launch_early
          ? driver_.launch_early(function, grid, static_cast<unsigned>(cluster > 1 ? cluster : 0),
                                 block, shared_bytes, stream, pointers)
          : driver_.launch(function, grid, 1, 1, block, 1, 1, shared_bytes, stream, pointers,
                           nullptr);
  if (result != 0) return Failure("launching", instance.name, device, result);
  return "";
}

std::string GpuLauncher::Failure(const char* what, const std::string& kernel, int device,
                                 DriverResult result) const {
  return Str(std::string_view(what)) + " failed: kernel " + kernel + ", device " + Str(device) +
         ", " + driver_.error_name(result) + ": " + driver_.error_text(result) + " (" +
         driver_.library + ")." + driver_.advice;
}

}  // namespace jaxgemm
