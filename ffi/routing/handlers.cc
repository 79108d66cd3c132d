#include "routing/handlers.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/decode.h"
#include "routing/launch.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

using Integers = ffi::Buffer<ffi::DataType::S32>;
using Result = ffi::Result<Integers>;

constexpr char kCalls[] = "jaxgemm's routing";  // the messages of loading begin with it

struct TableCall {
  TableArgs args;
  int64_t batch;
};

int64_t LastSize(const auto& buffer) {
  const auto sizes = buffer.dimensions();
  return sizes.size() ? sizes.back() : 0;
}

// Adds the buffers of a table's call.
auto BindTable(auto binding) {
  return std::move(binding)
      .template Arg<Integers>()
      .template Ret<Integers>()
      .template Ret<Integers>()
      .template Ret<Integers>()
      .template Ret<Integers>()
      .template Ret<Integers>()
      .template Ret<Integers>();
}

// The call of these buffers. The last dimension of group_sizes is that of the experts.
Refusal Parse(Integers chosen, Result group_sizes, Result experts, Result choice, Result token,
              Result row, TableCall* call) {
  const int64_t num_experts = LastSize(*group_sizes), top_k = LastSize(chosen);
  const int64_t batch = num_experts ? group_sizes->element_count() / num_experts : 0;
  const int64_t all = chosen.element_count(), choices = batch ? all / batch : 0;
  constexpr int64_t kMost = INT32_MAX;
  if (num_experts == 0 || choices * batch != all || all > kMost ||
      group_sizes->element_count() > kMost || experts->element_count() != all ||
      choice->element_count() != all || token->element_count() != all ||
      row->element_count() != all) {
    return Concat("the arrays do not fit each other, or have 2**31 elements or more; chosen has ",
                  Str(all), ", and group_sizes ", Str(int64_t(group_sizes->element_count())), ".");
  }
  call->batch = batch;
  call->args = {.chosen = chosen.typed_data(),
                .group_sizes = group_sizes->typed_data(),
                .experts = experts->typed_data(),
                .choice = choice->typed_data(),
                .token = token->typed_data(),
                .row = row->typed_data(),
                .choices = static_cast<int32_t>(choices),
                .num_experts = static_cast<int32_t>(num_experts),
                .top_k = static_cast<int32_t>(std::max<int64_t>(top_k, 1))};
  return "";
}

// ------------------------------------------------------------------------------------- CPU

void SortChoices(const TableArgs& args) {
  const auto expert_of = [&args](int32_t choice) {
    return std::clamp(args.chosen[choice], 0, args.num_experts - 1);
  };
  std::fill_n(args.group_sizes, args.num_experts, 0);
  for (int32_t choice = 0; choice < args.choices; ++choice) ++args.group_sizes[expert_of(choice)];
  std::vector<int32_t> next(args.num_experts);  // the next row of each expert
  for (int32_t expert = 1; expert < args.num_experts; ++expert) {
    next[expert] = next[expert - 1] + args.group_sizes[expert - 1];
  }
  for (int32_t choice = 0; choice < args.choices; ++choice) {
    const int32_t expert = expert_of(choice), row = next[expert]++;
    args.experts[row] = expert;
    args.choice[row] = choice;
    args.token[row] = choice / args.top_k;
    args.row[choice] = row;
  }
}

// ------------------------------------------------------------------------------------ GPUs

// A platform's kernels. Null, with the reason in *error, if its runtime library cannot be opened.
template <OpenDriver kOpen>
RoutingKernels* TheKernels(std::string* error) {
  const Driver* driver = kOpen(error);
  if (!driver) return nullptr;
  static auto* kernels = new RoutingKernels(driver);
  return kernels;
}

template <OpenDriver kOpen>
XLA_FFI_Error* Initialize(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>()
                             .Ctx<ffi::DeviceOrdinal>()
                             .To([](int32_t device) {
    std::string error;
    RoutingKernels* kernels = TheKernels<kOpen>(&error);
    return Outcome(kCalls, kernels ? kernels->Load(device) : error);
  }).release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen>
ffi::Error MakeTable(int32_t device, void* stream, Integers chosen, Result group_sizes,
                     Result experts, Result choice, Result token, Result row, Result workspace) {
  TableCall call;
  Refusal refusal = Parse(chosen, group_sizes, experts, choice, token, row, &call);
  TableArgs& args = call.args;
  if (refusal.empty() && args.num_experts > kMostTableExperts) {
    refusal = Concat("the kernels take at most ", Str(int64_t{kMostTableExperts}), " experts.");
  }
  if (refusal.empty() && static_cast<int64_t>(workspace->element_count()) <
                             TableWorkspace(call.batch, args.choices, args.num_experts)) {
    refusal = "the workspace is too small. Trace and compile the function again with this jaxgemm.";
  }
  if (!refusal.empty()) return Refused(kTableTarget, refusal);
  args.counts = workspace->typed_data();
  DivideChoices(&args);
  std::string error;
  RoutingKernels* kernels = TheKernels<kOpen>(&error);
  return Outcome(kTableTarget, kernels ? kernels->Launch(args, call.batch, device, stream) : error);
}

template <OpenDriver kOpen>
ffi::Error ChooseExperts(int32_t device, void* stream, ffi::Buffer<ffi::DataType::F32> scores,
                         Result chosen, ffi::Result<ffi::Buffer<ffi::DataType::F32>> weights) {
  const int64_t num_experts = LastSize(scores), top_k = LastSize(*chosen);
  const int64_t tokens =
      num_experts ? static_cast<int64_t>(scores.element_count()) / num_experts : 0;
  if (top_k > num_experts || top_k > kMostTopK || num_experts > kMostTopKExperts ||
      static_cast<int64_t>(chosen->element_count()) != tokens * top_k ||
      weights->element_count() != chosen->element_count()) {
    return Refused(kTopKTarget, Concat("it cannot choose ", Str(top_k), " of ", Str(num_experts),
                                       " experts for ", Str(tokens), " tokens."));
  }
  const TopKArgs args{.scores = reinterpret_cast<const int32_t*>(scores.typed_data()),
                      .chosen = chosen->typed_data(),
                      .weights = weights->typed_data(),
                      .tokens = top_k ? tokens : 0,
                      .num_experts = static_cast<int32_t>(num_experts),
                      .top_k = static_cast<int32_t>(top_k)};
  std::string error;
  RoutingKernels* kernels = TheKernels<kOpen>(&error);
  return Outcome(kTopKTarget, kernels ? kernels->Launch(args, device, stream) : error);
}

constexpr int kVectorBytes = 16;

Refusal ParseWide(std::string_view name, const ffi::AnyBuffer& x, DType* dtype) {
  switch (x.element_type()) {
    case ffi::DataType::F32: *dtype = DType::kF32; return "";
    case ffi::DataType::F16: *dtype = DType::kF16; return "";
    case ffi::DataType::BF16: *dtype = DType::kBF16; return "";
    default: return Concat(name, " has another dtype than float32, float16 and bfloat16.");
  }
}

Refusal ParseFloat8(const ffi::AnyBuffer& values, DType* format, bool* e5m2) {
  switch (values.element_type()) {
    case ffi::DataType::F8E4M3FN: *format = DType::kF8E4M3FN; break;
    case ffi::DataType::F8E4M3FNUZ: *format = DType::kF8E4M3FNUZ; break;
    case ffi::DataType::F8E5M2: *format = DType::kF8E5M2; break;
    case ffi::DataType::F8E5M2FNUZ: *format = DType::kF8E5M2FNUZ; break;
    default: return "the values have another dtype than e4m3 and e5m2 of float8.";
  }
  *e5m2 = *format == DType::kF8E5M2 || *format == DType::kF8E5M2FNUZ;
  return "";
}

// Rows of float8 of `length` elements, made of rows of `dtype`.
Refusal Parse(const ffi::AnyBuffer& values, const ffi::AnyBuffer& scales, int64_t block,
              DType dtype, int64_t rows, int64_t length, DType* format, Float8Rows* out) {
  using Type = ffi::DataType;
  const Type of_scales = scales.element_type();
  out->mx = of_scales == Type::F8E8M0FNU;
  const Refusal refusal = ParseFloat8(values, format, &out->e5m2);
  if (!refusal.empty()) return refusal;
  if ((!out->mx && of_scales != Type::F32) || (block != 0 && block != 32 && block != 128)) {
    return Concat("there is no kernel for blocks of ", Str(block),
                  ", or for the dtype of the scales.");
  }
  const int64_t blocks = block ? length / block : 1;
  if ((block && length % block) || static_cast<int64_t>(values.element_count()) != rows * length ||
      static_cast<int64_t>(scales.element_count()) != rows * blocks) {
    return Concat("the values, ", Shape(values), ", and the scales, ", Shape(scales),
                  ", do not fit ", Str(rows), " rows of ", Str(length), " elements in blocks of ",
                  Str(block), ".");
  }
  out->block_bits = -1;
  for (int64_t lanes = block * ElementBytes(dtype) / kVectorBytes; lanes > 0; lanes /= 2) {
    ++out->block_bits;
  }
  out->values = values.untyped_data();
  out->scales = scales.untyped_data();
  return "";
}

// HIP launches fewer than 2**32 threads.
bool AreTooMany(int64_t workgroups) { return workgroups > UINT32_MAX / kGatedThreads; }

// The call of these buffers, whose results have `results` rows, and the dtype of z.
Refusal Parse(ffi::AnyBuffer z, ffi::AnyBuffer g, ffi::Buffer<ffi::DataType::F32> w,
              ffi::Result<ffi::AnyBuffer> dz, ffi::Result<ffi::AnyBuffer> hw,
              ffi::Result<ffi::Buffer<ffi::DataType::F32>> dw, int64_t results, DType* dtype,
              GatedArgs* args) {
  Refusal refusal = ParseWide("z", z, dtype);
  if (!refusal.empty()) return refusal;
  const int64_t length = LastSize(g), row_bytes = length * ElementBytes(*dtype);
  const int64_t rows = w.element_count(), all = g.element_count();
  for (const ffi::AnyBuffer& each : {g, *dz, *hw}) {
    if (each.element_type() != z.element_type()) return "z, g, dz and hw differ in their dtypes.";
  }
  if (rows * length != all || z.element_count() != 2 * all ||
      dz->element_count() != 2 * results * length || hw->element_count() != results * length ||
      dw->element_count() != results || LastSize(z) != length || row_bytes % kVectorBytes != 0 ||
      row_bytes > INT32_MAX) {
    return Concat("the arrays do not fit each other, or a row has no multiple of 16 bytes; z is ",
                  Shape(z), ", g ", Shape(g), ", and there are ", Str(rows), " weights.");
  }
  *args = {.z = z.untyped_data(),
           .g = g.untyped_data(),
           .w = w.typed_data(),
           .dz = dz->untyped_data(),
           .hw = hw->untyped_data(),
           .dw = dw->typed_data(),
           .rows = rows,
           .vectors = static_cast<int32_t>(row_bytes / kVectorBytes)};
  return "";
}

// Where the rows of a call go: `given` are the places, their count, and the arrays that dz, hw and
// dw are written over. It may be nothing.
Refusal Parse(ffi::RemainingArgs given, ffi::AnyBuffer dz, ffi::AnyBuffer hw,
              ffi::Buffer<ffi::DataType::F32> dw, int64_t rows, GatedPlaces* to) {
  if (given.size() == 0) return "";
  if (const auto count = given.get<Integers>(0); given.size() == 1 && count) {
    *to = {.count = count->typed_data()};
    return count->element_count() == 1 ? "" : "the count is not one number.";
  }
  const auto places = given.get<Integers>(0), count = given.get<Integers>(1);
  if (given.size() != 5 || !places || !count ||
      static_cast<int64_t>(places->element_count()) != rows || count->element_count() != 1) {
    return Concat("beside z, g and w it takes the s32 places of the ", Str(rows),
                  " rows, their s32 count, and three arrays that are written over.");
  }
  const auto is_over = [&given](size_t operand, const auto& out) {
    const auto into = given.get<ffi::AnyBuffer>(operand);
    return into && into->element_count() == out.element_count() &&
           (out.element_count() == 0 || into->untyped_data() == out.untyped_data());
  };
  if (!is_over(2, dz) || !is_over(3, hw) || !is_over(4, dw)) {
    return "dz, hw and dw are not in the memory of the arrays that they are written over.";
  }
  *to = {.places = places->typed_data(),
         .count = count->typed_data(),
         .rows = static_cast<int64_t>(dw.element_count())};
  return "";
}

template <OpenDriver kOpen>
ffi::Error GatedGradient(int32_t device, void* stream, ffi::AnyBuffer z, ffi::AnyBuffer g,
                         ffi::Buffer<ffi::DataType::F32> w, ffi::Result<ffi::AnyBuffer> dz,
                         ffi::Result<ffi::AnyBuffer> hw,
                         ffi::Result<ffi::Buffer<ffi::DataType::F32>> dw, ffi::RemainingArgs placed,
                         std::string_view activation) {
  DType dtype = DType::kF32;
  PlacedGatedArgs args{};
  const int64_t rows = w.element_count(), results = placed.size() > 1 ? dw->element_count() : rows;
  Refusal refusal = Parse(z, g, w, dz, hw, dw, results, &dtype, &args.gated);
  if (refusal.empty()) refusal = Parse(placed, *dz, *hw, *dw, rows, &args.to);
  if (activation != Name(Activation::kSilu)) {
    refusal = Concat("there is no kernel for the activation ", activation, ".");
  }
  const int64_t workgroups = refusal.empty() ? DivideRows(&args.gated) : 0;
  if (AreTooMany(workgroups)) {
    refusal = Concat(Str(rows), " rows are more than one kernel takes.");
  }
  if (!refusal.empty()) return Refused(kGatedTarget, refusal);
  std::string error;
  RoutingKernels* kernels = TheKernels<kOpen>(&error);
  return Outcome(kGatedTarget,
                 kernels ? kernels->Launch(dtype, args, workgroups, device, stream) : error);
}

template <OpenDriver kOpen>
ffi::Error QuantizedGradient(int32_t device, void* stream, ffi::AnyBuffer z, ffi::AnyBuffer g,
                             ffi::Buffer<ffi::DataType::F32> w, ffi::Result<ffi::AnyBuffer> dz,
                             ffi::Result<ffi::AnyBuffer> hw,
                             ffi::Result<ffi::Buffer<ffi::DataType::F32>> dw,
                             ffi::Result<ffi::AnyBuffer> values, ffi::Result<ffi::AnyBuffer> scales,
                             std::string_view activation, int64_t block) {
  DType dtype = DType::kF32, format = dtype;
  QuantizedGatedArgs args;
  const int64_t length = LastSize(g);
  Refusal refusal = Parse(z, g, w, dz, hw, dw, w.element_count(), &dtype, &args.gated);
  if (refusal.empty()) {
    refusal =
        Parse(*values, *scales, block, dtype, args.gated.rows, 2 * length, &format, &args.out);
  }
  if (refusal.empty() && (activation != Name(Activation::kSilu) || (block && length % block))) {
    refusal = Concat("there is no kernel for the activation ", activation, " and ", Str(length),
                     " elements in blocks of ", Str(block), ".");
  }
  const int64_t workgroups = refusal.empty() ? DivideRows(&args.gated, args.out) : 0;
  if (AreTooMany(workgroups)) {
    refusal = Concat(Str(args.gated.rows), " rows are more than one kernel takes.");
  }
  if (!refusal.empty()) return Refused(kQuantizedGatedTarget, refusal);
  std::string error;
  RoutingKernels* kernels = TheKernels<kOpen>(&error);
  if (kernels) error = kernels->CheckFloat8(format, device);
  return Outcome(kQuantizedGatedTarget,
                 error.empty() ? kernels->Launch(dtype, args, workgroups, device, stream) : error);
}

template <OpenDriver kOpen>
ffi::Error QuantizeRows(int32_t device, void* stream, ffi::AnyBuffer x, Integers bounds,
                        ffi::Result<ffi::AnyBuffer> values, ffi::Result<ffi::AnyBuffer> scales,
                        std::string_view activation, int64_t block) {
  DType dtype = DType::kF32, format = dtype;
  Refusal refusal = ParseWide("x", x, &dtype);
  const bool hidden = !activation.empty();
  const int64_t length = LastSize(x), parts = hidden ? 2 : 1;
  const int64_t rows = length ? static_cast<int64_t>(x.element_count()) / (parts * length) : 0;
  const int64_t batch = static_cast<int64_t>(bounds.element_count()) / 2;
  const int64_t row_bytes = length * ElementBytes(dtype);
  QuantizeArgs args{.x = x.untyped_data(), .bounds = bounds.typed_data(), .rows = rows};
  if (refusal.empty()) {
    refusal = Parse(*values, *scales, block, dtype, rows, length, &format, &args.out);
  }
  if (refusal.empty() && ((hidden && activation != Name(Activation::kSilu)) || batch == 0 ||
                          rows % batch || row_bytes % kVectorBytes || row_bytes > INT32_MAX)) {
    refusal = Concat("there is no kernel for the activation ", activation, " and x of shape ",
                     Shape(x), " with ", Str(batch), " bounds.");
  }
  if (refusal.empty()) {
    args.batch_rows = rows / batch;
    args.vectors = static_cast<int32_t>(row_bytes / kVectorBytes);
  }
  const int64_t workgroups = refusal.empty() ? DivideRows(&args) : 0;
  if (AreTooMany(workgroups)) refusal = Concat(Str(rows), " rows are more than one kernel takes.");
  if (!refusal.empty()) return Refused(kQuantizeTarget, refusal);
  std::string error;
  RoutingKernels* kernels = TheKernels<kOpen>(&error);
  if (kernels) error = kernels->CheckFloat8(format, device);
  return Outcome(
      kQuantizeTarget,
      error.empty() ? kernels->Launch(dtype, hidden, args, workgroups, device, stream) : error);
}

template <OpenDriver kOpen>
ffi::Error QuantizeColumns(int32_t device, void* stream, ffi::AnyBuffer x, Integers lines,
                           ffi::Buffer<ffi::DataType::F32> factors, Integers bounds,
                           ffi::Result<ffi::AnyBuffer> out) {
  DType dtype = DType::kF32, format = dtype;
  Refusal refusal = ParseWide("x", x, &dtype);
  bool e5m2 = false;
  if (refusal.empty()) refusal = ParseFloat8(*out, &format, &e5m2);
  const int64_t columns = LastSize(x), rows = LastSize(factors);
  const int64_t batch = static_cast<int64_t>(bounds.element_count()) / 2;
  const int64_t all = batch * columns;
  const int64_t num_lines = all ? static_cast<int64_t>(x.element_count()) / all : 0;
  const bool gathers = lines.element_count() != 0;
  if (refusal.empty() &&
      (all == 0 || num_lines * all != static_cast<int64_t>(x.element_count()) ||
       static_cast<int64_t>(factors.element_count()) != batch * rows ||
       static_cast<int64_t>(out->element_count()) != all * rows || rows % 8 ||
       (gathers ? lines.element_count() != factors.element_count() : num_lines != rows) ||
       columns * ElementBytes(dtype) % kVectorBytes || std::max(rows, columns) > INT32_MAX)) {
    refusal =
        Concat("the arrays do not fit each other, or a row has no multiple of 16 bytes; x is ",
               Shape(x), ", out ", Shape(*out), ", and there are ", Str(rows),
               " factors, of which a multiple of 8 is allowed.");
  }
  ColumnsArgs args{.x = x.untyped_data(),
                   .lines = gathers ? lines.typed_data() : nullptr,
                   .factors = factors.typed_data(),
                   .bounds = bounds.typed_data(),
                   .out = out->untyped_data(),
                   .rows = rows,
                   .num_lines = num_lines,
                   .columns = columns,
                   .e5m2 = e5m2};
  const int64_t workgroups = refusal.empty() ? DivideColumns(&args, batch) : 0;
  if (AreTooMany(workgroups)) refusal = Concat(Str(rows), " rows are more than one kernel takes.");
  if (!refusal.empty()) return Refused(kColumnsTarget, refusal);
  std::string error;
  RoutingKernels* kernels = TheKernels<kOpen>(&error);
  if (kernels) error = kernels->CheckFloat8(format, device);
  return Outcome(kColumnsTarget,
                 error.empty() ? kernels->Launch(dtype, args, workgroups, device, stream) : error);
}

// The number of vectors in a row of x, or 0 if that is not whole.
int32_t VectorsOf(const ffi::AnyBuffer& x) {
  const int64_t bytes = LastSize(x) * static_cast<int64_t>(ffi::ByteWidth(x.element_type()));
  return bytes % kVectorBytes || bytes > INT32_MAX ? 0 : static_cast<int32_t>(bytes / kVectorBytes);
}

template <OpenDriver kOpen>
ffi::Error GatherRows(int32_t device, void* stream, ffi::AnyBuffer x, Integers lines,
                      Integers bounds, ffi::Result<ffi::AnyBuffer> out) {
  const int64_t length = LastSize(x);
  GatherArgs args{.x = x.untyped_data(),
                  .lines = lines.typed_data(),
                  .bounds = bounds.typed_data(),
                  .out = out->untyped_data(),
                  .rows = static_cast<int64_t>(lines.element_count()),
                  .num_lines = length ? static_cast<int64_t>(x.element_count()) / length : 0,
                  .vectors = VectorsOf(x)};
  Refusal refusal;
  if (args.vectors == 0 || out->element_type() != x.element_type() ||
      static_cast<int64_t>(out->element_count()) != args.rows * length ||
      bounds.element_count() != 2) {
    refusal =
        Concat("the arrays do not fit each other, or a row has no multiple of 16 bytes; x is ",
               Shape(x), ", and out ", Shape(*out), ".");
  }
  const int64_t workgroups = refusal.empty() ? DivideRows(&args) : 0;
  if (AreTooMany(workgroups)) {
    refusal = Concat(Str(args.rows), " rows are more than one kernel takes.");
  }
  if (!refusal.empty()) return Refused(kGatherTarget, refusal);
  std::string error;
  RoutingKernels* kernels = TheKernels<kOpen>(&error);
  return Outcome(kGatherTarget,
                 kernels ? kernels->Launch(args, workgroups, device, stream) : error);
}

using Traits = std::initializer_list<ffi::Traits>;

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallTable(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      BindTable(ffi::Ffi::Bind().Ctx<ffi::DeviceOrdinal>().Ctx<ffi::PlatformStream<void*>>())
          .To(MakeTable<kOpen>, kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
          .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallTopK(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = ffi::Ffi::Bind()
                             .Ctx<ffi::DeviceOrdinal>()
                             .Ctx<ffi::PlatformStream<void*>>()
                             .Arg<ffi::Buffer<ffi::DataType::F32>>()
                             .Ret<Integers>()
                             .Ret<ffi::Buffer<ffi::DataType::F32>>()
                             .To(ChooseExperts<kOpen>,
                                 kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
                             .release();
  return handler->Call(call_frame);
}

// Adds the buffers of a gated gradient's call, and its activation.
auto BindGated(auto binding) {
  return std::move(binding)
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::Buffer<ffi::DataType::F32>>()
      .template Ret<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>()
      .template Ret<ffi::Buffer<ffi::DataType::F32>>();
}

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallGated(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      BindGated(ffi::Ffi::Bind().Ctx<ffi::DeviceOrdinal>().Ctx<ffi::PlatformStream<void*>>())
          .RemainingArgs()
          .template Attr<std::string_view>("activation")
          .To(GatedGradient<kOpen>,
              kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
          .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallQuantizedGated(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      BindGated(ffi::Ffi::Bind().Ctx<ffi::DeviceOrdinal>().Ctx<ffi::PlatformStream<void*>>())
          .template Ret<ffi::AnyBuffer>()
          .template Ret<ffi::AnyBuffer>()
          .template Attr<std::string_view>("activation")
          .template Attr<int64_t>("block")
          .To(QuantizedGradient<kOpen>,
              kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
          .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallQuantize(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      ffi::Ffi::Bind()
          .Ctx<ffi::DeviceOrdinal>()
          .Ctx<ffi::PlatformStream<void*>>()
          .Arg<ffi::AnyBuffer>()
          .Arg<Integers>()
          .Ret<ffi::AnyBuffer>()
          .Ret<ffi::AnyBuffer>()
          .Attr<std::string_view>("activation")
          .Attr<int64_t>("block")
          .To(QuantizeRows<kOpen>, kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
          .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallColumns(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = ffi::Ffi::Bind()
                             .Ctx<ffi::DeviceOrdinal>()
                             .Ctx<ffi::PlatformStream<void*>>()
                             .Arg<ffi::AnyBuffer>()
                             .Arg<Integers>()
                             .Arg<ffi::Buffer<ffi::DataType::F32>>()
                             .Arg<Integers>()
                             .Ret<ffi::AnyBuffer>()
                             .To(QuantizeColumns<kOpen>,
                                 kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
                             .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallGather(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      ffi::Ffi::Bind()
          .Ctx<ffi::DeviceOrdinal>()
          .Ctx<ffi::PlatformStream<void*>>()
          .Arg<ffi::AnyBuffer>()
          .Arg<Integers>()
          .Arg<Integers>()
          .Ret<ffi::AnyBuffer>()
          .To(GatherRows<kOpen>, kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
          .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, bool kCaptured>
constexpr RoutingHandlers::Launches kLaunches = {
    CallTable<kOpen, kCaptured>,    CallTopK<kOpen, kCaptured>,
    CallGated<kOpen, kCaptured>,    CallQuantizedGated<kOpen, kCaptured>,
    CallQuantize<kOpen, kCaptured>, CallColumns<kOpen, kCaptured>,
    CallGather<kOpen, kCaptured>};
template <OpenDriver kOpen>
constexpr RoutingHandlers kHandlers = {Initialize<kOpen>, kLaunches<kOpen, true>,
                                       kLaunches<kOpen, false>};

}  // namespace

int64_t TableWorkspace(int64_t batch, int64_t choices, int64_t num_experts) {
  TableArgs args{.choices = static_cast<int32_t>(choices)};
  DivideChoices(&args);
  return args.workgroups > 1 ? batch * args.workgroups * num_experts : 0;
}

XLA_FFI_Error* TableHost(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = BindTable(ffi::Ffi::Bind())
                             .To([](Integers chosen, Result group_sizes, Result experts,
                                    Result choice, Result token, Result row, Result) {
    TableCall call;
    Refusal refusal = Parse(chosen, group_sizes, experts, choice, token, row, &call);
    if (!refusal.empty()) return Refused(kTableTarget, refusal);
    for (int64_t i = 0; i < call.batch; ++i) SortChoices(call.args.OfBatch(i));
    return ffi::Error::Success();
  }).release();
  return handler->Call(call_frame);
}

constexpr RoutingHandlers kRocmRoutingHandlers = kHandlers<OpenHip>;
constexpr RoutingHandlers kCudaRoutingHandlers = kHandlers<OpenCuda>;

}  // namespace jaxgemm
