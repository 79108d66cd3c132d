#include "decode.h"

#include <algorithm>
#include <tuple>

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

std::string Shape(const ffi::AnyBuffer& buffer) {
  std::string text = "[";
  for (int64_t dim : buffer.dimensions()) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
  }
  return text + "]";
}

Refusal ParseDType(const char* what, const ffi::AnyBuffer& buffer, DType* dtype) {
  switch (buffer.element_type()) {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) \
  case ffi::DataType::xla:                                      \
    *dtype = DType::id;                                         \
    return "";
#include "instances.def"
#undef JAXGEMM_DTYPE
    default:
      return std::string(what) + " has an element type that jaxgemm does not know.";
  }
}

// Reads a [rows, cols] or [batch, rows, cols] buffer's dimensions.
Refusal ParseMatrix(const char* what, const ffi::AnyBuffer& buffer, int64_t* batch,
                    int64_t* rows, int64_t* cols) {
  auto dims = buffer.dimensions();
  if (dims.size() != 2 && dims.size() != 3) {
    return std::string(what) + " has shape " + Shape(buffer) + "; it must have 2 or 3 dimensions.";
  }
  *batch = dims.size() == 3 ? dims[0] : 0;  // 0: shared by all batches
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
  int64_t lhs_batch, rhs_batch, out_batch, rhs_k, out_m, out_n;
  bool lhs_row = p->lhs_contracting == 1, rhs_row = p->rhs_contracting == 0;
  refusal = ParseMatrix("lhs", lhs, &lhs_batch, lhs_row ? &p->m : &p->k, lhs_row ? &p->k : &p->m);
  if (refusal.empty()) {
    refusal = ParseMatrix("rhs", rhs, &rhs_batch, rhs_row ? &rhs_k : &p->n,
                          rhs_row ? &p->n : &rhs_k);
  }
  if (refusal.empty()) refusal = ParseMatrix("out", out, &out_batch, &out_m, &out_n);
  if (!refusal.empty()) return refusal;

  p->lhs_batched = lhs.dimensions().size() == 3;
  p->rhs_batched = rhs.dimensions().size() == 3;
  bool batched = out.dimensions().size() == 3;
  p->batch = batched ? out_batch : 1;
  if (rhs_k != p->k || out_m != p->m || out_n != p->n ||
      batched != (p->lhs_batched || p->rhs_batched) ||
      (p->lhs_batched && lhs_batch != p->batch) || (p->rhs_batched && rhs_batch != p->batch)) {
    return "lhs " + Shape(lhs) + " (contracting " + std::to_string(p->lhs_contracting) +
           "), rhs " + Shape(rhs) + " (contracting " + std::to_string(p->rhs_contracting) +
           ") and out " + Shape(out) + " do not belong together.";
  }
  return "";
}

// bias and scale: a vector over n, or over batch and n. A dimension of n may be 1 if
// `may_broadcast`.
Refusal ParseVector(const char* what, const ffi::AnyBuffer& buffer, ffi::DataType dtype,
                    const Problem& p, bool may_broadcast, int64_t* batch_stride, int* stride) {
  auto dims = buffer.dimensions();
  int64_t cols = dims.size() == 0 ? -1 : dims[dims.size() - 1];
  if (buffer.element_type() != dtype || dims.size() < 1 || dims.size() > 2 ||
      (dims.size() == 2 && dims[0] != p.batch) ||
      (cols != p.n && !(may_broadcast && cols == 1))) {
    return std::string(what) + " has shape " + Shape(buffer) + " or the wrong element type; it "
           "must be " + (dtype == ffi::DataType::S32 ? "int32" : "float32") + " over n or over "
           "batch and n.";
  }
  *stride = cols == p.n ? 1 : 0;
  *batch_stride = dims.size() == 2 ? cols : 0;
  return "";
}

}  // namespace

Refusal ParseCall(ffi::RemainingArgs args, ffi::RemainingRets rets, const Attributes& attributes,
                  Call* call) {
  call->problem = attributes.problem;
  Problem& p = call->problem;
  size_t num_args = 2 + p.bias + p.scale, num_rets = 2 + p.save_preact;
  if (args.size() != num_args || rets.size() != num_rets) {
    return "got " + std::to_string(args.size()) + " operands and " + std::to_string(rets.size()) +
           " results; the attributes ask for " + std::to_string(num_args) + " and " +
           std::to_string(num_rets) + ".";
  }
  auto arg = [&](size_t index) { return *args.get<ffi::AnyBuffer>(index); };
  auto ret = [&](size_t index) { return **rets.get<ffi::AnyBuffer>(index); };
  ffi::AnyBuffer lhs = arg(0), rhs = arg(1), out = ret(0), workspace = ret(num_rets - 1);

  Refusal refusal = ParseOperands(lhs, rhs, out, &p);
  if (refusal.empty()) refusal = MakePlan(p, attributes.config, attributes.target, &call->plan);
  if (!refusal.empty()) return refusal;
  if (p.bias) {
    ffi::AnyBuffer bias = arg(2);
    int stride;
    refusal = ParseVector("bias", bias,
                          IsInteger(p.out_dtype) ? ffi::DataType::S32 : ffi::DataType::F32, p,
                          false, &call->bias_batch_stride, &stride);
    call->bias = bias.untyped_data();
  }
  if (p.scale && refusal.empty()) {
    ffi::AnyBuffer scale = arg(2 + p.bias);
    refusal = ParseVector("scale", scale, ffi::DataType::F32, p, true, &call->scale_batch_stride,
                          &call->scale_stride);
    call->scale = static_cast<const float*>(scale.untyped_data());
  }
  if (p.save_preact && refusal.empty()) {
    ffi::AnyBuffer preact = ret(1);
    auto a = preact.dimensions(), b = out.dimensions();
    if (preact.element_type() != out.element_type() ||
        !std::equal(a.begin(), a.end(), b.begin(), b.end())) {
      return "preact has shape " + Shape(preact) + "; it must be like out, " + Shape(out) + ".";
    }
    call->preact = preact.untyped_data();
  }
  if (!refusal.empty()) return refusal;

  if (workspace.element_type() != ffi::DataType::U8 ||
      static_cast<int64_t>(workspace.element_count()) < call->plan.workspace_bytes) {
    return "the workspace has " + std::to_string(workspace.size_bytes()) + " bytes; this plan "
           "needs uint8[" + std::to_string(call->plan.workspace_bytes) + "].";
  }
  call->lhs = lhs.untyped_data();
  call->rhs = rhs.untyped_data();
  call->out = out.untyped_data();
  auto start = reinterpret_cast<uintptr_t>(workspace.untyped_data());
  call->workspace = reinterpret_cast<char*>((start + 63) / 64 * 64);
  return "";
}

Refusal ParseAttributes(Attributes* attributes, std::string_view activation, int64_t bias,
                        int64_t claim_ahead, int64_t group_m, std::string_view kernel,
                        int64_t lhs_contracting, int64_t num_queues, int64_t num_shares,
                        int64_t num_threads, int64_t num_workgroups, std::string_view reduction,
                        int64_t rhs_contracting, int64_t save_preact, int64_t scale,
                        std::string_view schedule, std::string_view target, int64_t tile_k,
                        int64_t tile_m, int64_t tile_n) {
  *attributes = {.problem = {.lhs_contracting = lhs_contracting,
                             .rhs_contracting = rhs_contracting,
                             .bias = bias != 0,
                             .scale = scale != 0,
                             .save_preact = save_preact != 0},
                 .config = {.tile_m = tile_m,
                            .tile_n = tile_n,
                            .tile_k = tile_k,
                            .num_workgroups = num_workgroups,
                            .group_m = group_m,
                            .num_queues = num_queues,
                            .num_shares = num_shares,
                            .num_threads = num_threads,
                            .claim_ahead = claim_ahead,
                            .kernel = kernel},
                 .target = target};
  if (!Parse(activation, &attributes->problem.activation)) {
    return "activation '" + std::string(activation) + "' is unknown.";
  }
  if (!Parse(reduction, &attributes->config.reduction)) {
    return "reduction '" + std::string(reduction) + "' is unknown.";
  }
  if (!Parse(schedule, &attributes->config.schedule)) {
    return "schedule '" + std::string(schedule) + "' is unknown.";
  }
  return "";
}

}  // namespace jaxgemm
