#include "bindings/decode.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace ffi = xla::ffi;

namespace jaxgemm {

std::string Shape(const ffi::AnyBuffer& buffer) {
  std::string text = "[";
  for (int64_t dim : buffer.dimensions()) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
  }
  return text + "]";
}

namespace {

Refusal ParseDType(const char* what, const ffi::AnyBuffer& buffer, DType* dtype) {
  switch (buffer.element_type()) {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) \
  case ffi::DataType::xla: *dtype = DType::id; return "";
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
    default: return std::string(what) + " has an element type that jaxgemm does not know.";
  }
}

// Reads a [rows, cols] or [batch, rows, cols] buffer's dimensions, with one more before the rows
// if it has `groups`.
Refusal ParseMatrix(const char* what, const ffi::AnyBuffer& buffer, int64_t* batch, int64_t* groups,
                    int64_t* rows, int64_t* cols) {
  auto dims = buffer.dimensions();
  size_t least = groups ? 3 : 2;
  if (dims.size() != least && dims.size() != least + 1) {
    return std::string(what) + " has shape " + Shape(buffer) + "; it must have " +
           std::to_string(least) + " or " + std::to_string(least + 1) + " dimensions.";
  }
  *batch = dims.size() > least ? dims[0] : 0;  // 0: shared by all batches
  if (groups) *groups = dims[dims.size() - 3];
  *rows = dims[dims.size() - 2];
  *cols = dims[dims.size() - 1];
  return "";
}

Refusal ParseOperands(const ffi::AnyBuffer& lhs, const ffi::AnyBuffer& rhs,
                      const ffi::AnyBuffer& out, Problem* p) {
  Refusal refusal;
  for (auto [what, buffer, dtype] : {std::tuple{"lhs", &lhs, &p->lhs_dtype},
                                     {"rhs", &rhs, &p->rhs_dtype},
                                     {"out", &out, &p->out_dtype}}) {
    if (!(refusal = ParseDType(what, *buffer, dtype)).empty()) return refusal;
  }
  int64_t lhs_batch, rhs_batch, rhs_k, columns;
  bool lhs_row = p->lhs_contracting == 1, rhs_row = p->rhs_contracting == 0;
  bool ragged_m = p->ragged == Ragged::kM, ragged_k = p->ragged == Ragged::kK;
  refusal = ParseMatrix("lhs", lhs, &lhs_batch, nullptr, lhs_row ? &p->m : &p->k,
                        lhs_row ? &p->k : &p->m);
  if (refusal.empty()) {
    refusal = ParseMatrix("rhs", rhs, &rhs_batch, ragged_m ? &p->local_groups : nullptr,
                          rhs_row ? &rhs_k : &columns, rhs_row ? &columns : &rhs_k);
  }
  if (!refusal.empty()) return refusal;
  p->n = p->gated ? columns / 2 : columns;
  p->lhs_batched = lhs.dimensions().size() == 3;
  p->rhs_batched = rhs.dimensions().size() == 3 + ragged_m;

  // Of groups' results the columns may be several dimensions: XLA would copy a buffer that is
  // reshaped before it is added to.
  bool batched = p->lhs_batched || p->rhs_batched || p->sizes_batched || p->signals_batched;
  auto dims = out.dimensions();
  size_t rows = batched + ragged_k, rank = rows + 2;
  bool fits = dims.size() == rank || (ragged_k && dims.size() > rank);
  if (fits) {
    p->batch = batched ? dims[0] : 1;
    if (ragged_k) p->local_groups = dims[rows - 1];
    int64_t out_columns =
        std::accumulate(dims.begin() + rows + 1, dims.end(), int64_t{1}, std::multiplies<>());
    fits = dims[rows] == p->m && out_columns == p->n;
  }
  if (!fits || rhs_k != p->k || columns != p->num_columns() ||
      (p->lhs_batched && lhs_batch != p->batch) || (p->rhs_batched && rhs_batch != p->batch)) {
    return "lhs " + Shape(lhs) + " (contracting " + std::to_string(p->lhs_contracting) + "), rhs " +
           Shape(rhs) + " (contracting " + std::to_string(p->rhs_contracting) + ") and out " +
           Shape(out) + " do not belong together.";
  }
  return "";
}

// Of a grouped problem: group_sizes and, if there is one, the offset. Comes before ParseOperands.
Refusal ParseGroups(const ffi::AnyBuffer& sizes, const ffi::AnyBuffer* offset, Problem* p) {
  auto dims = sizes.dimensions();
  if (sizes.element_type() != ffi::DataType::S32 || dims.size() < 1 || dims.size() > 2) {
    return "group_sizes has shape " + Shape(sizes) +
           " or the wrong element type; it must be "
           "int32 over groups or over batch and groups.";
  }
  if (offset && (offset->element_type() != ffi::DataType::S32 || offset->element_count() != 1)) {
    return "group_offset has shape " + Shape(*offset) +
           " or the wrong element type; it must be "
           "int32[1].";
  }
  p->sizes_batched = dims.size() == 2;
  p->groups = dims[dims.size() - 1];
  return "";
}

// Comes before ParseOperands.
Refusal ParseChunks(const ffi::AnyBuffer& signals, const ffi::AnyBuffer& epoch, Problem* p) {
  auto dims = signals.dimensions();
  if (p->ragged != Ragged::kNone || signals.element_type() != ffi::DataType::U32 ||
      dims.size() < 1 || dims.size() > 2 || epoch.element_type() != ffi::DataType::U32 ||
      epoch.element_count() != 1) {
    return "chunk_signals has shape " + Shape(signals) + " and the epoch " + Shape(epoch) +
           "; they must be uint32 over chunks or over batch and chunks, and uint32[1], of a "
           "product without groups.";
  }
  p->signals_batched = dims.size() == 2;
  p->num_chunks = dims[dims.size() - 1];
  return "";
}

// bias and scale: a vector over n, or over batch (ragged m: group) and n. A dimension of n may be
// 1 if `may_broadcast`.
Refusal ParseVector(const char* what, const ffi::AnyBuffer& buffer, ffi::DataType dtype,
                    const Problem& p, bool may_broadcast, int64_t* batch_stride, int* stride) {
  auto dims = buffer.dimensions();
  int64_t cols = dims.size() == 0 ? -1 : dims[dims.size() - 1];
  if (buffer.element_type() != dtype || dims.size() < 1 || dims.size() > 2 ||
      (dims.size() == 2 && dims[0] != (p.ragged == Ragged::kM ? p.local_groups : p.batch)) ||
      (cols != p.num_columns() && !(may_broadcast && cols == 1))) {
    return std::string(what) + " has shape " + Shape(buffer) +
           " or the wrong element type; it "
           "must be " +
           (dtype == ffi::DataType::S32 ? "int32" : "float32") +
           " over n or over "
           "batch and n" +
           (p.gated ? ", twice as long as out's." : ".");
  }
  *stride = cols == p.num_columns() ? 1 : 0;
  *batch_stride = dims.size() == 2 ? cols : 0;
  return "";
}

}  // namespace

Refusal ParseCall(ffi::RemainingArgs args, ffi::RemainingRets rets, const Attributes& attributes,
                  Call* call) {
  call->problem = attributes.problem;
  Problem& p = call->problem;
  bool grouped = p.ragged != Ragged::kNone;
  const bool chunked = p.tiles_per_chunk > 0;
  size_t addend = 2 + grouped + p.group_offset + 2 * chunked, first_vector = addend + p.accumulate;
  size_t num_args = first_vector + p.bias + p.scale, num_rets = 2 + p.save_preact;
  if (args.size() != num_args || rets.size() != num_rets) {
    return "got " + std::to_string(args.size()) + " operands and " + std::to_string(rets.size()) +
           " results; the attributes ask for " + std::to_string(num_args) + " and " +
           std::to_string(num_rets) + ".";
  }
  auto arg = [&](size_t index) { return *args.get<ffi::AnyBuffer>(index); };
  auto ret = [&](size_t index) { return **rets.get<ffi::AnyBuffer>(index); };
  ffi::AnyBuffer lhs = arg(0), rhs = arg(1), out = ret(0), workspace = ret(num_rets - 1);

  Refusal refusal;
  if (grouped) {
    ffi::AnyBuffer sizes = arg(2), offset = arg(2 + p.group_offset);
    refusal = ParseGroups(sizes, p.group_offset ? &offset : nullptr, &p);
    call->group_sizes = static_cast<const int32_t*>(sizes.untyped_data());
    if (p.group_offset) call->group_offset = static_cast<const int32_t*>(offset.untyped_data());
  }
  if (chunked) {
    refusal = ParseChunks(arg(2), arg(3), &p);
    call->chunk_signals = static_cast<const uint32_t*>(arg(2).untyped_data());
    call->chunk_epoch = static_cast<const uint32_t*>(arg(3).untyped_data());
  }
  if (refusal.empty()) refusal = ParseOperands(lhs, rhs, out, &p);
  if (refusal.empty() && p.signals_batched && arg(2).dimensions()[0] != p.batch) {
    refusal = "chunk_signals has shape " + Shape(arg(2)) + "; there are " +
              std::to_string(p.batch) + " batches.";
  }
  if (refusal.empty() && p.sizes_batched && arg(2).dimensions()[0] != p.batch) {
    refusal = "group_sizes has shape " + Shape(arg(2)) + "; there are " + std::to_string(p.batch) +
              " batches.";
  }
  if (refusal.empty()) refusal = MakePlan(p, attributes.config, attributes.target, &call->plan);
  if (!refusal.empty()) return refusal;
  if (p.bias) {
    ffi::AnyBuffer bias = arg(first_vector);
    int stride;
    refusal =
        ParseVector("bias", bias, IsInteger(p.out_dtype) ? ffi::DataType::S32 : ffi::DataType::F32,
                    p, false, &call->bias_batch_stride, &stride);
    call->bias = bias.untyped_data();
  }
  if (p.scale && refusal.empty()) {
    ffi::AnyBuffer scale = arg(first_vector + p.bias);
    refusal = ParseVector("scale", scale, ffi::DataType::F32, p, true, &call->scale_batch_stride,
                          &call->scale_stride);
    call->scale = static_cast<const float*>(scale.untyped_data());
  }
  auto is_like_out = [&](const ffi::AnyBuffer& buffer, int64_t columns) {
    auto a = buffer.dimensions(), b = out.dimensions();
    return buffer.element_type() == out.element_type() && a.size() == b.size() &&
           std::equal(a.begin(), a.end() - 1, b.begin()) && a[a.size() - 1] == columns;
  };
  if (p.save_preact && refusal.empty()) {
    ffi::AnyBuffer preact = ret(1);
    if (!is_like_out(preact, p.num_columns())) {
      return "preact has shape " + Shape(preact) + "; it must be like out, " + Shape(out) +
             (p.gated ? ", with twice its columns." : ".");
    }
    call->preact = preact.untyped_data();
  }
  if (p.accumulate && refusal.empty() &&
      (!is_like_out(arg(addend), out.dimensions().back()) ||
       arg(addend).untyped_data() != out.untyped_data())) {
    return "what is added to has shape " + Shape(arg(addend)) + "; it must be like out, " +
           Shape(out) + ", and aliased to it.";
  }
  if (!refusal.empty()) return refusal;

  if (workspace.element_type() != ffi::DataType::U8 ||
      static_cast<int64_t>(workspace.element_count()) < call->plan.workspace_bytes) {
    return "the workspace has " + std::to_string(workspace.size_bytes()) +
           " bytes; this plan "
           "needs uint8[" +
           std::to_string(call->plan.workspace_bytes) + "].";
  }
  call->lhs = lhs.untyped_data();
  call->rhs = rhs.untyped_data();
  call->out = out.untyped_data();
  call->workspace = AlignWorkspace(workspace.untyped_data());
  return "";
}

namespace {

// Reads attributes by name, counts them, and keeps the first reason to refuse.
class AttributeReader {
 public:
  explicit AttributeReader(const ffi::Dictionary& given) : given_(given) {}

  template <class T>
  T Get(const char* name) {
    ++count_;
    ffi::ErrorOr<T> value = given_.get<T>(name);
    if (value.has_value()) return *value;
    Refuse("attribute '" + std::string(name) + "': " + value.error().message());
    return T{};
  }
  int64_t Int(const char* name) { return Get<int64_t>(name); }
  bool Bool(const char* name) { return Int(name) != 0; }
  std::string_view Text(const char* name) { return Get<std::string_view>(name); }
  // A name of an enum of names.h.
  template <class E>
  E Enum(const char* name) {
    E value{};
    const std::string_view text = Text(name);
    if (!Parse(text, &value))
      Refuse(std::string(name) + " '" + std::string(text) + "' is unknown.");
    return value;
  }
  Refusal Finish() {
    if (given_.size() != count_) {
      Refuse("there are " + std::to_string(given_.size()) + " attributes; allowed are " +
             std::to_string(count_) + ". Lower the program again.");
    }
    return refusal_;
  }

 private:
  void Refuse(Refusal refusal) {
    if (refusal_.empty()) refusal_ = std::move(refusal);
  }

  const ffi::Dictionary& given_;
  size_t count_ = 0;
  Refusal refusal_;
};

}  // namespace

Refusal ParseAttributes(const ffi::Dictionary& given, Attributes* attributes) {
  AttributeReader read(given);
  *attributes = {.problem = {.lhs_contracting = read.Int("lhs_contracting"),
                             .rhs_contracting = read.Int("rhs_contracting"),
                             .bias = read.Bool("bias"),
                             .scale = read.Bool("scale"),
                             .save_preact = read.Bool("save_preact"),
                             .activation = read.Enum<Activation>("activation"),
                             .ragged = read.Enum<Ragged>("ragged"),
                             .group_offset = read.Bool("group_offset"),
                             .accumulate = read.Bool("accumulate"),
                             .gated = read.Bool("gated"),
                             .tiles_per_chunk = read.Int("tiles_per_chunk_m"),
                             .pivot = read.Int("tile_idx_pivot_m"),
                             .timeout_ns = read.Int("timeout_ns")},
                 .config = {.schedule = read.Enum<Schedule>("schedule"),
                            .reduction = read.Enum<Reduction>("reduction"),
                            .tile_m = read.Int("tile_m"),
                            .tile_n = read.Int("tile_n"),
                            .tile_k = read.Int("tile_k"),
                            .num_workgroups = read.Int("num_workgroups"),
                            .group_m = read.Int("group_m"),
                            .num_queues = read.Int("num_queues"),
                            .num_shares = read.Int("num_shares"),
                            .num_threads = read.Int("num_threads"),
                            .claim_ahead = read.Int("claim_ahead"),
                            .kernel = read.Text("kernel")},
                 .target = read.Text("target")};
  const Refusal refusal = read.Finish();
  if (!refusal.empty()) return refusal;
  const Problem& p = attributes->problem;
  if (p.ragged == Ragged::kNone && p.group_offset) return "group_offset=1 needs groups.";
  return "";
}

}  // namespace jaxgemm
