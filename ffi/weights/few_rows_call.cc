#include "weights/few_rows_call.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "bindings/decode.h"
#include "plan/plan.h"
#include "runtime/code_object.h"
#include "runtime/driver.h"
#include "weights/few_rows_args.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

constexpr char kName[] = "few_rows";  // the name of the code object

constexpr int kForms = sizeof(kFewForms) / sizeof(kFewForms[0]);
constexpr int kAmdForms = sizeof(kFewAmdBlocks) / sizeof(kFewAmdBlocks[0]);
constexpr const char* kX[] = {"float16", "bfloat16"};
constexpr const char* kWeights[] = {"int4", "float4_e2m1fn"};
constexpr int kKernels = 2 * 2 * kForms;

int KernelOf(bool bf16, bool e2m1, int form) { return (bf16 * 2 + e2m1) * kForms + form; }
bool IsE2M1(int kernel) { return kernel / kForms % 2; }
std::string NameOf(int kernel) {
  return Concat("jaxgemm_few_rows_", kX[kernel / kForms / 2], "_", kWeights[kernel / kForms % 2],
                "_", Str(int64_t{kernel % kForms}));
}

constexpr int kMostSplit = 8;  // CTAs of a cluster

// The kernels of each device.
struct Loaded {
  void* functions[kKernels];
  // Not of AMD GPUs: the clusters of 1, 2, ... CTAs that run at the same time.
  int clusters[kKernels][kMostSplit];
};
using LoadedOfDevices = std::atomic<Loaded*>[kMaxDevices];
std::mutex loading;

bool IsAmd(const Driver& driver) { return !driver.launch_early; }

std::string Load(const Driver& driver, int device, LoadedOfDevices& loaded) {
  std::string error = CheckDevice(device);
  if (!error.empty() || loaded[device].load(std::memory_order_acquire)) return error;
  std::lock_guard lock(loading);
  if (loaded[device].load(std::memory_order_relaxed)) return "";
  DriverResult result = 0;
  const std::string target = TargetOf(driver, device, &result);
  CurrentDevice current(driver, device);
  if (result == 0) result = current.result();
  auto found = std::make_unique<Loaded>();
  const bool amd = IsAmd(driver);
  if (result != 0) return KernelFailure("asking for the device", driver, kName, device, result);
  void* module = nullptr;
  error = LoadCodeObject(driver, target, kName, device, &module);
  if (!error.empty()) return error;
  for (int i = 0; i < kKernels; ++i) {
    if (amd && i % kForms >= kAmdForms) continue;
    const std::string name = NameOf(i);
    result = driver.get_function(&found->functions[i], module, name.c_str());
    constexpr int kMaxDynamicShared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    if (result == 0 && !amd) {
      result = driver.set_function_attribute(found->functions[i], kMaxDynamicShared,
                                             kFewForms[i % kForms].SharedBytes(IsE2M1(i)));
    }
    if (result != 0) {
      driver.unload_module(module);
      return KernelFailure("finding the kernel in its code object", driver, name, device, result);
    }
    for (int split = 1; !amd && split <= kMostSplit; ++split) {
      const FewForm& form = kFewForms[i % kForms];
      int& clusters = found->clusters[i][split - 1];
      // A part of a device may have no room for so large ones.
      if (driver.most_clusters(&clusters, found->functions[i], split, form.threads(),
                               form.SharedBytes(IsE2M1(i))) != 0) {
        clusters = 0;
      }
    }
  }
  loaded[device].store(found.release(), std::memory_order_release);
  return "";
}

using Integers = ffi::Buffer<ffi::DataType::S32>;

// The groups that may have rows: CTAs are launched for so many.
int64_t GroupsOf(const FewRowsArgs& args) {
  return args.sizes ? std::min(args.local_groups, args.rows) : 1;
}

// The rows of a group, of which a form should have as many: the mean of twice as many groups.
int64_t RowsOf(const FewRowsArgs& args) {
  return args.sizes ? CeilDiv(int64_t{2} * args.rows, args.local_groups) : int64_t{args.rows};
}

// Chooses the form, and sets what follows from it: the tiles, and the CTAs that share k. The result
// is the kernel. A tuning choice.
int Choose(FewRowsArgs* args, const Loaded& loaded, bool bf16, bool e2m1) {
  const int64_t rows = RowsOf(*args);
  int first = 0;
  while (kFewForms[first].rows() < std::min<int64_t>(rows, kFewForms[kForms - 1].rows())) ++first;
  int chosen = first, split = 1;
  int64_t least = INT64_MAX;
  for (int form = first; form < kForms && kFewForms[form].blocks == kFewForms[first].blocks;
       ++form) {
    const FewForm& of = kFewForms[form];
    const int64_t tiles = CeilDiv(args->n, of.columns) * GroupsOf(*args);
    const int64_t stages = CeilDiv(args->k, kFewStep * of.stage_steps());
    // If more CTAs than fit hide their begin and end behind each other, the last form is the best.
    if (least == INT64_MAX) chosen = form;
    for (int count = 1; count <= kMostSplit && count <= stages; ++count) {
      if (tiles > loaded.clusters[KernelOf(bf16, e2m1, form)][count - 1]) continue;
      // Otherwise the multiprocessors should have little to do, and clusters few CTAs.
      const int64_t work = CeilDiv(stages, count) * of.stage_steps() * of.columns;
      const int64_t time = (work * of.time + 16384 * count) * of.ctas;
      if (time < least) least = time, chosen = form, split = count;
    }
  }
  args->tiles_n = static_cast<int32_t>(CeilDiv(args->n, kFewForms[chosen].columns));
  args->split = split;
  return KernelOf(bf16, e2m1, chosen);
}

// The same for AMD GPUs, where the result says how many workgroups share k.
int ChooseOnAmd(FewRowsArgs* args, bool bf16, bool e2m1) {
  const int64_t rows = RowsOf(*args);
  int choice = 0;
  while (choice < kAmdForms - 1 && 16 * kFewAmdBlocks[choice] < rows) ++choice;
  args->tiles_n = static_cast<int32_t>(2 * CeilDiv(args->n, 2 * kFewAmdColumns));
  return KernelOf(bf16, e2m1, choice);
}

std::string Launch(const Driver& driver, const Loaded& kernels, int device, bool bf16, bool e2m1,
                   FewRowsArgs args, void* stream) {
  const bool amd = IsAmd(driver);
  const int kernel = amd ? ChooseOnAmd(&args, bf16, e2m1) : Choose(&args, kernels, bf16, e2m1);
  const auto ctas = static_cast<unsigned>(args.tiles_n * GroupsOf(args) * args.split);
  void *function = kernels.functions[kernel], *arguments[] = {&args};
  CurrentDevice current(driver, device);
  DriverResult result = current.result();
  if (result == 0 && amd) {
    result =
        driver.launch(function, ctas, 1, 1, kFewAmdThreads, 1, 1, 0, stream, arguments, nullptr);
  } else if (result == 0) {
    const FewForm& form = kFewForms[kernel % kForms];
    result = driver.launch_early(function, ctas, args.split, form.threads(), form.SharedBytes(e2m1),
                                 stream, arguments);
  }
  if (result == 0) return "";
  return KernelFailure("launching", driver, NameOf(kernel), device, result);
}

int64_t Dimension(const auto& buffer, int i) { return buffer.dimensions()[i]; }

// Calls through one driver, for the devices that it has.
template <OpenDriver kOpen>
struct Calls {
  static inline LoadedOfDevices loaded;

  static ffi::Error Load(int32_t device) {
    std::string error;
    const Driver* driver = kOpen(&error);
    return Outcome(kFewRowsTarget, driver ? jaxgemm::Load(*driver, device, loaded) : error);
  }
  static ffi::Error Multiply(int32_t device, void* stream, ffi::AnyBuffer x, ffi::AnyBuffer weights,
                             ffi::AnyBuffer scales, Integers sizes, Integers offset,
                             Integers indices, ffi::Result<ffi::AnyBuffer> out) {
    const auto refuse = [](const std::string& why) { return Refused(kFewRowsTarget, why); };
    const size_t out_rank = out->dimensions().size();
    if (x.dimensions().size() != 2 || weights.dimensions().size() != 3 ||
        scales.dimensions().size() != 3 || (out_rank != 2 && out_rank != 3)) {
      return refuse("an array has another rank than the call.");
    }
    const bool bf16 = x.element_type() == ffi::DataType::BF16;
    const bool e2m1 = weights.element_type() == ffi::DataType::F4E2M1FN;
    const bool wide = out->element_type() == ffi::DataType::F32;
    const int64_t lines = Dimension(x, 0), k = Dimension(x, 1), n = Dimension(weights, 2);
    const int64_t planes = out_rank == 3 ? Dimension(*out, 0) : 1;
    const int64_t rows = Dimension(*out, out_rank - 2), groups = Dimension(weights, 0);
    const int64_t blocks = Dimension(scales, 1), steps = k / kFewStep;
    const bool types_fit = (bf16 || x.element_type() == ffi::DataType::F16) &&
                           (e2m1 || weights.element_type() == ffi::DataType::S4) &&
                           (wide || out->element_type() == x.element_type()) &&
                           scales.element_type() == (e2m1 ? ffi::DataType::U8 : ffi::DataType::F32);
    const bool gathers = indices.element_count() > 0 || rows == 0;
    if (!types_fit || Dimension(weights, 1) != k || k % kFewStep != 0 || n % kFewStep != 0 ||
        k == 0 || blocks == 0 || steps % blocks != 0 || Dimension(scales, 0) != groups ||
        Dimension(scales, 2) != n || Dimension(*out, out_rank - 1) != n || planes < 1 ||
        (out_rank == 3 && !wide) ||
        (gathers ? int64_t(indices.element_count()) != rows : lines != rows) ||
        (sizes.element_count() == 0 && groups != 1) || groups < 1 ||
        std::max({planes, lines, rows, k, n, groups, int64_t(sizes.element_count())}) >
            INT32_MAX / 256) {
      return refuse(Concat("the arrays do not fit each other; x is ", Shape(x),
                           ", and the weights ", Shape(weights), "."));
    }
    FewRowsArgs args{.x = x.untyped_data(),
                     .weights = weights.untyped_data(),
                     .scales = scales.untyped_data(),
                     .sizes = sizes.element_count() ? sizes.typed_data() : nullptr,
                     .offset = offset.element_count() ? offset.typed_data() : nullptr,
                     .indices = indices.element_count() ? indices.typed_data() : nullptr,
                     .out = out->untyped_data(),
                     .rows = static_cast<int32_t>(rows),
                     .lines = static_cast<int32_t>(lines),
                     .k = static_cast<int32_t>(k),
                     .n = static_cast<int32_t>(n),
                     .groups = static_cast<int32_t>(sizes.element_count()),
                     .local_groups = static_cast<int32_t>(groups),
                     .steps_of_block = static_cast<int32_t>(steps / blocks),
                     .split = static_cast<int32_t>(planes),
                     .wide = wide};
    if (rows == 0 || n == 0) return ffi::Error::Success();
    std::string error;
    const Driver* driver = kOpen(&error);
    if (!driver) return Outcome(kFewRowsTarget, error);
    if (planes > 1 && !IsAmd(*driver)) return refuse("only AMD's kernel divides its sums.");
    if (IsAmd(*driver) &&
        std::max(2 * lines, std::max<int64_t>(n / 2, 4 * n / kFewStep)) * k >= int64_t{1} << 31) {
      return refuse("the rows, or the weights of a group, have 2 GiB or more.");
    }
    const Loaded* kernels =
        CheckDevice(device).empty() ? loaded[device].load(std::memory_order_acquire) : nullptr;
    if (!kernels) return refuse("its kernels are not loaded: the Initialize stage has not run.");
    return Outcome(kFewRowsTarget, Launch(*driver, *kernels, device, bf16, e2m1, args, stream));
  }
};

auto Binding() {
  return ffi::Ffi::Bind()
      .Ctx<ffi::DeviceOrdinal>()
      .Ctx<ffi::PlatformStream<void*>>()
      .Arg<ffi::AnyBuffer>()
      .Arg<ffi::AnyBuffer>()
      .Arg<ffi::AnyBuffer>()
      .Arg<Integers>()
      .Arg<Integers>()
      .Arg<Integers>()
      .Ret<ffi::AnyBuffer>();
}

template <OpenDriver kOpen>
XLA_FFI_Error* Initialize(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>()
                             .Ctx<ffi::DeviceOrdinal>()
                             .To(Calls<kOpen>::Load)
                             .release();
  return handler->Call(call_frame);
}
template <OpenDriver kOpen>
XLA_FFI_Error* Captured(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      Binding().To(Calls<kOpen>::Multiply, {ffi::Traits::kCmdBufferCompatible}).release();
  return handler->Call(call_frame);
}
template <OpenDriver kOpen>
XLA_FFI_Error* Uncaptured(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = Binding().To(Calls<kOpen>::Multiply).release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen>
constexpr FewRowsHandlers kHandlers = {Initialize<kOpen>, Captured<kOpen>, Uncaptured<kOpen>};

}  // namespace

constexpr FewRowsHandlers kRocmFewRowsHandlers = kHandlers<OpenHip>;
constexpr FewRowsHandlers kCudaFewRowsHandlers = kHandlers<OpenCuda>;

}  // namespace jaxgemm
