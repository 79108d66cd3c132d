#include "routing/launch.h"

#include <algorithm>

#include "plan/plan.h"
#include "runtime/code_object.h"

namespace jaxgemm {
namespace {

constexpr char kName[] = "routing";  // the name of the code object
constexpr const char* kFunctions[] = {"jaxgemm_routing_counts",
                                      "jaxgemm_routing_table",
                                      "jaxgemm_top_k",
                                      "jaxgemm_gated_gradient_float32",
                                      "jaxgemm_gated_gradient_float16",
                                      "jaxgemm_gated_gradient_bfloat16",
                                      "jaxgemm_quantized_gradient_float32",
                                      "jaxgemm_quantized_gradient_float16",
                                      "jaxgemm_quantized_gradient_bfloat16",
                                      "jaxgemm_quantize_rows_float32",
                                      "jaxgemm_quantize_rows_float16",
                                      "jaxgemm_quantize_rows_bfloat16",
                                      "jaxgemm_quantize_hidden_float32",
                                      "jaxgemm_quantize_hidden_float16",
                                      "jaxgemm_quantize_hidden_bfloat16",
                                      "jaxgemm_quantize_columns_float32",
                                      "jaxgemm_quantize_columns_float16",
                                      "jaxgemm_quantize_columns_bfloat16",
                                      "jaxgemm_gather_rows"};

// Tuning constants. So many choices are sorted by one workgroup; and for more there are at most so
// many workgroups, each with at least so many choices.
constexpr int64_t kMostAlone = 2048, kMostWorkgroups = 128, kLeastChoices = 1024;
// Tuning constants. 2**kLeastLaneBits lanes share a row, and so many more that each has at most so
// many vectors.
constexpr int kLeastLaneBits = 3, kMostVectors = 8;

}  // namespace

void DivideChoices(TableArgs* args) {
  const int64_t choices = std::max(args->choices, 1);
  const int64_t part =
      choices <= kMostAlone ? choices : std::max(kLeastChoices, CeilDiv(choices, kMostWorkgroups));
  args->part = static_cast<int32_t>(RoundUp(part, kTableThreads));
  args->workgroups = static_cast<int32_t>(CeilDiv(choices, args->part));
}

namespace {

// The lanes of a block share a row.
int64_t Divide(int64_t rows, int32_t vectors, int block_bits, int32_t* lane_bits) {
  const auto lanes = [lane_bits] { return int64_t{1} << *lane_bits; };
  for (*lane_bits = std::max(kLeastLaneBits, block_bits);
       lanes() < kGatedThreads && lanes() * kMostVectors < vectors;) {
    ++*lane_bits;
  }
  return CeilDiv(rows, kGatedThreads / lanes());
}

}  // namespace

int64_t DivideRows(GatedArgs* args, const Float8Rows& out) {
  return Divide(args->rows, args->vectors, out.block_bits, &args->lane_bits);
}
int64_t DivideRows(QuantizeArgs* args) {
  return Divide(args->rows, args->vectors, args->out.block_bits, &args->lane_bits);
}
int64_t DivideRows(GatherArgs* args) {
  return Divide(args->rows, args->vectors, /*block_bits=*/0, &args->lane_bits);
}

int64_t DivideColumns(ColumnsArgs* args, int64_t batch) {
  args->row_tiles = static_cast<int32_t>(CeilDiv(args->rows, kColumnsTile));
  args->column_tiles = static_cast<int32_t>(CeilDiv(args->columns, kColumnsTile));
  return batch * args->row_tiles * args->column_tiles;
}

std::string RoutingKernels::Load(int device) {
  std::string error = CheckDevice(device);
  if (!error.empty()) return error;
  std::atomic<void*>* functions = functions_[device];
  if (functions[kKernels - 1].load(std::memory_order_acquire)) return "";
  std::lock_guard lock(mutex_);
  if (functions[kKernels - 1].load(std::memory_order_relaxed)) return "";
  DriverResult result = 0;
  const std::string target = TargetOf(driver_, device, &result);
  if (result != 0) {
    return KernelFailure("asking for the architecture", driver_, kName, device, result);
  }
  CurrentDevice current(driver_, device);
  if (current.result() != 0) {
    return KernelFailure("choosing the device", driver_, kName, device, current.result());
  }
  void *module = nullptr, *found[kKernels];
  error = LoadCodeObject(driver_, target, kName, device, &module);
  if (!error.empty()) return error;
  for (int i = 0; i < kKernels; ++i) {
    result = driver_.get_function(&found[i], module, kFunctions[i]);
    if (result != 0) {
      driver_.unload_module(module);
      return KernelFailure("finding the kernel in its code object", driver_, kFunctions[i], device,
                           result);
    }
  }
  is_fnuz_[device] = FindTarget(target).float8 == Float8::kFnuz;
  for (int i = 0; i < kKernels; ++i) functions[i].store(found[i], std::memory_order_release);
  return "";
}

std::string RoutingKernels::CheckFloat8(DType dtype, int device) const {
  const bool is_loaded = CheckDevice(device).empty() &&
                         functions_[device][kKernels - 1].load(std::memory_order_acquire);
  const bool is_fnuz = dtype == DType::kF8E4M3FNUZ || dtype == DType::kF8E5M2FNUZ;
  if (!is_loaded || is_fnuz == is_fnuz_[device]) return "";
  const bool e5m2 = dtype == DType::kF8E5M2 || dtype == DType::kF8E5M2FNUZ;
  const DType own = is_fnuz ? (e5m2 ? DType::kF8E5M2 : DType::kF8E4M3FN)
                            : (e5m2 ? DType::kF8E5M2FNUZ : DType::kF8E4M3FNUZ);
  return Concat("the kernels of device ", Str(int64_t{device}), " store ", Name(own), ", and ",
                Name(dtype),
                " is wanted: the program was lowered for another GPU. Lower it for this one.");
}

std::string RoutingKernels::Launch(const TableArgs& args, int64_t batch, int device, void* stream) {
  const int64_t workgroups = batch * args.workgroups;
  std::string error;
  if (args.workgroups > 1) {
    error = Launch(kCounts, workgroups, kTableThreads, &args, device, stream);
  }
  return error.empty() ? Launch(kTable, workgroups, kTableThreads, &args, device, stream) : error;
}

std::string RoutingKernels::Launch(const TopKArgs& args, int device, void* stream) {
  const bool is_amd = !driver_.launch_early;
  const int64_t waves = kTopKThreads / (is_amd ? 64 : 32);
  return Launch(kTopK, CeilDiv(args.tokens, waves), kTopKThreads, &args, device, stream);
}

std::string RoutingKernels::Launch(DType dtype, const PlacedGatedArgs& args, int64_t workgroups,
                                   int device, void* stream) {
  return Launch(Of(kGated, dtype), workgroups, kGatedThreads, &args, device, stream);
}

std::string RoutingKernels::Launch(DType dtype, const QuantizedGatedArgs& args, int64_t workgroups,
                                   int device, void* stream) {
  return Launch(Of(kQuantizedGated, dtype), workgroups, kGatedThreads, &args, device, stream);
}

std::string RoutingKernels::Launch(DType dtype, bool hidden, const QuantizeArgs& args,
                                   int64_t workgroups, int device, void* stream) {
  return Launch(Of(hidden ? kQuantizeHidden : kQuantizeRows, dtype), workgroups, kQuantizeThreads,
                &args, device, stream);
}

std::string RoutingKernels::Launch(DType dtype, const ColumnsArgs& args, int64_t workgroups,
                                   int device, void* stream) {
  return Launch(Of(kQuantizeColumns, dtype), workgroups, kColumnsThreads, &args, device, stream);
}

std::string RoutingKernels::Launch(const GatherArgs& args, int64_t workgroups, int device,
                                   void* stream) {
  return Launch(kGatherRows, workgroups, kRowsThreads, &args, device, stream);
}

RoutingKernels::Kernel RoutingKernels::Of(Kernel first, DType dtype) {
  return static_cast<Kernel>(first + (dtype == DType::kF32 ? 0 : dtype == DType::kF16 ? 1 : 2));
}

std::string RoutingKernels::Launch(Kernel kernel, int64_t workgroups, int threads, const void* args,
                                   int device, void* stream) {
  if (workgroups == 0) return "";
  void* function = CheckDevice(device).empty()
                       ? functions_[device][kernel].load(std::memory_order_acquire)
                       : nullptr;
  if (!function) {
    return Concat(kFunctions[kernel], " is not loaded on device ", Str(int64_t{device}),
                  ": the call's Initialize stage has not run there.");
  }
  CurrentDevice current(driver_, device);
  DriverResult result = current.result();
  void* arguments[] = {const_cast<void*>(args)};
  if (result == 0) {
    result = driver_.launch(function, static_cast<unsigned>(workgroups), 1, 1, threads, 1, 1, 0,
                            stream, arguments, nullptr);
  }
  return result == 0 ? "" : KernelFailure("launching", driver_, kFunctions[kernel], device, result);
}

}  // namespace jaxgemm
