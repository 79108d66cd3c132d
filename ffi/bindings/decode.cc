#include "bindings/decode.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>

#include "bindings/attributes.h"
#include "spec/text.h"

namespace ffi = xla::ffi;

namespace jaxgemm {

ffi::Error Refused(std::string_view call, const Refusal& refusal) {
  return ffi::Error::InvalidArgument(Concat(call, ": ", refusal));
}
ffi::Error Outcome(std::string_view call, const std::string& error) {
  return error.empty() ? ffi::Error::Success() : ffi::Error::Internal(Concat(call, ": ", error));
}

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

// Reads the dimensions of a buffer, [rows, cols] or [batch, rows, cols]. If `groups` is not null,
// there is one more dimension before the rows.
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
  // ParseIndices has set the number of lines to that of the indices, which is the product's size.
  if (p->lhs_gathered) std::swap(ragged_m ? p->m : p->k, p->lhs_lines);
  if (p->rhs_gathered) std::swap(rhs_k, p->rhs_lines);
  p->n = p->gated ? columns / 2 : columns;
  p->lhs_batched = lhs.dimensions().size() == 3;
  p->rhs_batched = rhs.dimensions().size() == 3 + ragged_m;

  // With ragged k the columns of out may be several dimensions, because XLA would copy a buffer
  // that is reshaped before the product is added to it.
  bool batched = p->lhs_batched || p->rhs_batched || p->sizes_batched || p->signals_batched ||
                 p->lhs_indices_batched || p->rhs_indices_batched;
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

// Reads the shapes of group_sizes and, if there is one, of group_offset. This must come before
// ParseOperands.
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

// Reads the shape of the indices of a gathered operand: how many there are, and whether each batch
// has its own. This must come before ParseOperands.
Refusal ParseIndices(const char* what, const ffi::AnyBuffer& indices, int64_t* count,
                     bool* batched) {
  auto dims = indices.dimensions();
  if (indices.element_type() != ffi::DataType::S32 || dims.size() < 1 || dims.size() > 2) {
    return std::string(what) + " has shape " + Shape(indices) +
           " or the wrong element type; it must be int32 over rows or over batch and rows.";
  }
  *batched = dims.size() == 2;
  *count = dims[dims.size() - 1];
  return "";
}

// Reads the shapes of chunk_signals and chunk_epoch. This must come before ParseOperands.
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

// Checks a vector operand and sets its strides. It has an element for each row or column of out;
// with `may_broadcast` it may have only one. There may be such a vector for each batch or, along
// columns with ragged m, for each group.
Refusal ParseVector(const char* what, const ffi::AnyBuffer& buffer, const Problem& p, DType dtype,
                    Along along, bool may_broadcast, VectorStrides* strides) {
  DType given;
  Refusal refusal = ParseDType(what, buffer, &given);
  if (!refusal.empty()) return refusal;
  const int64_t length = p.length(along), batch = p.num_vectors(along);
  auto dims = buffer.dimensions();
  const int64_t size = dims.size() == 0 ? -1 : dims.back();
  if (given != dtype || dims.size() < 1 || dims.size() > 2 ||
      (dims.size() == 2 && dims[0] != batch) || (size != length && !(may_broadcast && size == 1))) {
    const std::string type(Name(dtype)), all = std::to_string(length);
    return std::string(what) + " is " + std::string(Name(given)) + Shape(buffer) + "; it must be " +
           type + "[" + all + "] or " + type + "[" + std::to_string(batch) + ", " + all + "]" +
           (may_broadcast ? ", or have 1 element in place of " + all + "." : ".");
  }
  const int64_t step = size == length ? 1 : 0;
  *strides = {.batch = dims.size() == 2 ? size : 0,
              .row = along == Along::kRows ? step : 0,
              .column = along == Along::kColumns ? step : 0};
  return "";
}

// Checks the scales of an operand's blocks, [rows, columns] for each of its matrices.
Refusal ParseScales(const char* what, const ffi::AnyBuffer& buffer, const ffi::AnyBuffer& operand,
                    bool mx, int64_t rows, int64_t columns) {
  auto dims = buffer.dimensions(), of = operand.dimensions();
  const ffi::DataType dtype = mx ? ffi::DataType::U8 : ffi::DataType::F32;
  const bool fits = buffer.element_type() == dtype && dims.size() == of.size() &&
                    std::equal(of.begin(), of.end() - 2, dims.begin()) &&
                    dims[dims.size() - 2] == rows && dims[dims.size() - 1] == columns;
  if (fits) return "";
  return std::string(what) + " has shape " + Shape(buffer) + " or the wrong element type for " +
         Shape(operand) + "; it must be " + (mx ? "uint8" : "float32") + " with " +
         std::to_string(rows) + " x " + std::to_string(columns) + " scales for each matrix.";
}

// XLA's header counts a byte for each element of float4, although two of them share a byte.
int64_t SizeBytes(const ffi::AnyBuffer& buffer) {
  DType dtype;
  const bool is_float4 = ParseDType("", buffer, &dtype).empty() && IsF4(dtype);
  const auto bytes = static_cast<int64_t>(buffer.size_bytes());
  return is_float4 ? (bytes + 1) / 2 : bytes;
}

// The buffers of a call. A buffer that the problem does not have is without a value.
struct Buffers {
#define JAXGEMM_OPERAND(type, name, is_there) std::optional<ffi::AnyBuffer> name;
#define JAXGEMM_RESULT(type, name, is_there) std::optional<ffi::AnyBuffer> name;
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
#undef JAXGEMM_RESULT
};

Refusal ParseBuffers(ffi::RemainingArgs args, ffi::RemainingRets rets, const Problem& p,
                     Buffers* buffers) {
  size_t num_args = 0, num_rets = 0;
#define JAXGEMM_OPERAND(type, name, is_there)                                        \
  if (is_there) {                                                                    \
    if (num_args < args.size()) buffers->name = *args.get<ffi::AnyBuffer>(num_args); \
    ++num_args;                                                                      \
  }
#define JAXGEMM_RESULT(type, name, is_there)                                          \
  if (is_there) {                                                                     \
    if (num_rets < rets.size()) buffers->name = **rets.get<ffi::AnyBuffer>(num_rets); \
    ++num_rets;                                                                       \
  }
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
#undef JAXGEMM_RESULT
  if (args.size() == num_args && rets.size() == num_rets) return "";
  return "got " + std::to_string(args.size()) + " operands and " + std::to_string(rets.size()) +
         " results; the attributes ask for " + std::to_string(num_args) + " and " +
         std::to_string(num_rets) + ".";
}

}  // namespace

Refusal ParseCall(ffi::RemainingArgs args, ffi::RemainingRets rets, const Attributes& attributes,
                  Call* call) {
  call->problem = attributes.problem;
  Problem& p = call->problem;
  Buffers buffers;
  Refusal refusal = ParseBuffers(args, rets, p, &buffers);
  if (!refusal.empty()) return refusal;
  const ffi::AnyBuffer &lhs = *buffers.lhs, &rhs = *buffers.rhs, &out = *buffers.out;
  const ffi::AnyBuffer& workspace = *buffers.workspace;
  if (p.grouped()) {
    const auto& offset = buffers.group_offset;
    refusal = ParseGroups(*buffers.group_sizes, offset ? &*offset : nullptr, &p);
  }
  if (refusal.empty() && p.tiles_per_chunk > 0) {
    refusal = ParseChunks(*buffers.chunk_signals, *buffers.chunk_epoch, &p);
  }
  if (refusal.empty() && p.lhs_gathered) {
    refusal =
        ParseIndices("lhs_indices", *buffers.lhs_indices, &p.lhs_lines, &p.lhs_indices_batched);
  }
  if (refusal.empty() && p.rhs_gathered) {
    refusal =
        ParseIndices("rhs_indices", *buffers.rhs_indices, &p.rhs_lines, &p.rhs_indices_batched);
  }
  if (refusal.empty()) refusal = ParseOperands(lhs, rhs, out, &p);
  if (refusal.empty() && p.signals_batched && buffers.chunk_signals->dimensions()[0] != p.batch) {
    refusal = "chunk_signals has shape " + Shape(*buffers.chunk_signals) + "; there are " +
              std::to_string(p.batch) + " batches.";
  }
  for (const auto& [name, is_batched, buffer] :
       {std::tuple{"lhs_indices", p.lhs_indices_batched, &buffers.lhs_indices},
        {"rhs_indices", p.rhs_indices_batched, &buffers.rhs_indices}}) {
    if (refusal.empty() && is_batched && (**buffer).dimensions()[0] != p.batch) {
      refusal = Concat(name, " has shape ", Shape(**buffer), "; there are ",
                       std::to_string(p.batch), " batches.");
    }
  }
  if (refusal.empty() && p.sizes_batched && buffers.group_sizes->dimensions()[0] != p.batch) {
    refusal = "group_sizes has shape " + Shape(*buffers.group_sizes) + "; there are " +
              std::to_string(p.batch) + " batches.";
  }
  if (refusal.empty()) refusal = Derive(p, attributes.choice, &call->plan);
  if (!refusal.empty()) return refusal;
#define JAXGEMM_VECTOR(type, name, is_there, dtype, along)                                \
  if (buffers.name && refusal.empty()) {                                                  \
    refusal = ParseVector(#name, *buffers.name, p, dtype, along, /*may_broadcast=*/false, \
                          &call->strides.name);                                           \
  }
#define JAXGEMM_BROADCAST_VECTOR(type, name, is_there, dtype, along)                     \
  if (buffers.name && refusal.empty()) {                                                 \
    refusal = ParseVector(#name, *buffers.name, p, dtype, along, /*may_broadcast=*/true, \
                          &call->strides.name);                                          \
  }
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
#undef JAXGEMM_BROADCAST_VECTOR
  if (p.mx && refusal.empty()) {
    const int64_t chunks = p.blocks_k() / kMxChunk;
    refusal = ParseScales("lhs_scales", *buffers.lhs_scales, lhs, true, chunks, p.m * kMxChunk);
    if (refusal.empty()) {
      refusal = ParseScales("rhs_scales", *buffers.rhs_scales, rhs, true, chunks, p.n * kMxChunk);
    }
  } else if (p.block_k > 0 && refusal.empty()) {
    refusal =
        ParseScales("lhs_scales", *buffers.lhs_scales, lhs, false, p.blocks_m(), p.blocks_k());
    const bool by_k = p.block_n == 1;
    if (refusal.empty()) {
      refusal = ParseScales("rhs_scales", *buffers.rhs_scales, rhs, false,
                            by_k ? p.blocks_k() : p.blocks_n(), by_k ? p.blocks_n() : p.blocks_k());
    }
  }
  auto has_rows_of_out = [&](const ffi::AnyBuffer& buffer, ffi::DataType type, int64_t columns) {
    auto a = buffer.dimensions(), b = out.dimensions();
    return buffer.element_type() == type && a.size() == b.size() &&
           std::equal(a.begin(), a.end() - 1, b.begin()) && a[a.size() - 1] == columns;
  };
  auto is_like_out = [&](const ffi::AnyBuffer& buffer, int64_t columns) {
    return has_rows_of_out(buffer, out.element_type(), columns);
  };
  const bool quantizes = p.quantize_out != QuantizeOut::kNone;
  if (p.save_preact && refusal.empty()) {
    const ffi::AnyBuffer& preact = *buffers.preact;
    const auto type = quantizes ? ffi::DataType::BF16 : out.element_type();
    if (!has_rows_of_out(preact, type, p.num_columns())) {
      return "preact has shape " + Shape(preact) + "; it must be like out, " + Shape(out) +
             (p.gated ? ", with twice its columns" : "") +
             (quantizes ? ", in bfloat16, because out is quantised." : ".");
    }
  }
  if (quantizes && refusal.empty()) {
    const bool mx = p.quantize_out == QuantizeOut::kMx;
    const int64_t blocks = p.n / QuantizedColumns(p.quantize_out);
    if (!has_rows_of_out(*buffers.out_scales, mx ? ffi::DataType::U8 : ffi::DataType::F32,
                         blocks)) {
      return "out_scales has shape " + Shape(*buffers.out_scales) + "; it must be like out, " +
             Shape(out) + ", with " + std::to_string(blocks) + " columns of " +
             (mx ? "uint8." : "float32.");
    }
  }
  if (p.accumulate && refusal.empty() &&
      (!is_like_out(*buffers.addend, out.dimensions().back()) ||
       buffers.addend->untyped_data() != out.untyped_data())) {
    return "the addend has shape " + Shape(*buffers.addend) + "; it must be like out, " +
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
#define JAXGEMM_OPERAND(type, name, is_there)                            \
  if (buffers.name) {                                                    \
    call->name = static_cast<const type*>(buffers.name->untyped_data()); \
    call->sizes.name = SizeBytes(*buffers.name);                         \
  }
#define JAXGEMM_RESULT(type, name, is_there)                       \
  if (buffers.name) {                                              \
    call->name = static_cast<type*>(buffers.name->untyped_data()); \
    call->sizes.name = SizeBytes(*buffers.name);                   \
  }
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
#undef JAXGEMM_RESULT
  call->workspace = AlignWorkspace(call->workspace);
  call->sizes.workspace = std::max<int64_t>(0, call->plan.workspace_bytes - kWorkspaceAlignment);
  return "";
}

namespace {

// Reads attributes and keeps the first reason to refuse. Exactly the attributes of call_schema.def
// must be given, so each is at its index among the sorted names.
class AttributeReader {
 public:
  explicit AttributeReader(const XLA_FFI_Attrs* given) : given_(given) {
    if (int64_t version = GivenVersion(); version != kCallVersion) {
      Refuse("the program was made by another jaxgemm: its call has version " +
             std::to_string(version) + ", and this one reads version " +
             std::to_string(kCallVersion) + ". Lower or export the program again with this one.");
    } else if (given->size != kNumAttributes) {
      Refuse("there are " + std::to_string(given->size) + " attributes; allowed are " +
             std::to_string(kNumAttributes) +
             ". Trace and compile the function again with this jaxgemm.");
    }
  }

  void Read(std::string_view name, int64_t index, int64_t* value) {
    *value = Get<int64_t>(name, index);
  }
  void Read(std::string_view name, int64_t index, bool* value) {
    const auto given = Get<int64_t>(name, index);
    if (given != 0 && given != 1) Refuse(std::string(name) + " is neither 0 nor 1.");
    *value = given != 0;
  }
  void Read(std::string_view name, int64_t index, std::string_view* value) {
    *value = Get<std::string_view>(name, index);
  }
  // Reads the name of an enumerator (names.h).
  template <class E>
  void Read(std::string_view name, int64_t index, E* value) {
    const auto text = Get<std::string_view>(name, index);
    if (!Parse(text, value)) {
      Refuse(std::string(name) + " '" + std::string(text) + "' is unknown.");
    }
  }
  const Refusal& refusal() const { return refusal_; }

 private:
  // The version that the call names. It is 0 if the call names none: such calls are older than the
  // first version.
  int64_t GivenVersion() const {
    static constexpr std::string_view kName = "call_version";
    auto names_version = [this](int64_t i) {
      const XLA_FFI_ByteSpan& given = *given_->names[i];
      return std::string_view(given.ptr, given.len) == kName;
    };
    // A call of this version has the attribute at a known index. In others it is searched for.
    int64_t i = SortedIndex(kName);
    if (i >= given_->size || !names_version(i)) {
      for (i = 0; i < given_->size && !names_version(i);) ++i;
      if (i == given_->size) return 0;
    }
    ffi::DiagnosticEngine diagnostic;
    return ffi::AttrDecoding<int64_t>::Decode(given_->types[i], given_->attrs[i], diagnostic)
        .value_or(0);
  }

  template <class T>
  T Get(std::string_view name, int64_t index) {
    if (!refusal_.empty()) return T{};
    const XLA_FFI_ByteSpan& given = *given_->names[index];
    if (std::string_view(given.ptr, given.len) != name) {
      Refuse("attribute '" + std::string(name) +
             "' is missing. Trace and compile the function again with this jaxgemm.");
      return T{};
    }
    ffi::DiagnosticEngine diagnostic;
    const auto value =
        ffi::AttrDecoding<T>::Decode(given_->types[index], given_->attrs[index], diagnostic);
    if (value.has_value()) return *value;
    Refuse("attribute '" + std::string(name) + "': " + diagnostic.Result());
    return T{};
  }
  void Refuse(Refusal refusal) {
    if (refusal_.empty()) refusal_ = std::move(refusal);
  }

  const XLA_FFI_Attrs* given_;
  Refusal refusal_;
};

}  // namespace

Refusal ParseAttributes(GivenAttributes given, Attributes* attributes) {
  AttributeReader reader(given.attrs);
  *attributes = {};
#define JAXGEMM_ATTRIBUTE(record, type, name) \
  reader.Read(#name, SortedIndex(#name), &attributes->record.name);
#include "spec/call_schema.def"
#undef JAXGEMM_ATTRIBUTE
  if (!reader.refusal().empty()) return reader.refusal();
  const Problem& p = attributes->problem;
  if (p.ragged == Ragged::kNone && p.group_offset) return "group_offset=1 needs groups.";
  return "";
}

}  // namespace jaxgemm
