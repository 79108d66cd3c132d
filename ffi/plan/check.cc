#include "plan/check.h"

#include <algorithm>
#include <initializer_list>

#include "spec/text.h"

namespace jaxgemm {
namespace {

constexpr Target kTargets[] = {
#define JAXGEMM_TARGET(name, platform, num_cus, num_xcds, waves_per_cu) \
  {name, platform, num_cus, num_xcds, waves_per_cu},
#include "spec/instances.def"
#undef JAXGEMM_TARGET
};

constexpr int64_t kMaxTile = 1 << 14;

bool IsFnuz(DType dtype) { return dtype == DType::kF8E4M3FNUZ || dtype == DType::kF8E5M2FNUZ; }

std::string CheckSize(std::string_view what, std::initializer_list<int64_t> dims, int64_t bytes) {
  int64_t size = bytes;
  for (int64_t dim : dims) {
    if (dim < 0) return Str(what) + " has a negative dimension.";
    if (__builtin_mul_overflow(size, dim, &size) || size > (int64_t{1} << 62)) {
      return Str(what) +
             " is larger than 2**62 bytes: dimensions are 64-bit, but the "
             "array must be addressable. Split the product.";
    }
  }
  return "";
}

// " tile_m=7", or nothing where the field is left open.
std::string Field(std::string_view name, int64_t value) {
  return value ? Concat(" ", name, "=", Str(value)) : std::string();
}

std::string CheckGroups(const Problem& p) {
  constexpr int64_t kMost = int64_t{1} << 30;
  int64_t extent = p.ragged == Ragged::kM ? p.m : p.k;
  if (p.gated && p.n > kMost) {
    return "a gated product has " + Str(p.n) + " columns; at most 2**30 are allowed. Split it.";
  }
  if (extent > kMost || p.groups > kMost || p.local_groups > kMost) {
    return Str(extent) + " rows in " + Str(p.groups) +
           " groups; at most 2**30 of either are "
           "allowed, for group sizes are int32. Split the product.";
  }
  if (p.groups < 0 || p.local_groups < 0 || (p.groups != p.local_groups && !p.group_offset)) {
    return Str(p.local_groups) + " of " + Str(p.groups) +
           " groups are to be computed; that "
           "needs a group offset.";
  }
  if (p.ragged == Ragged::kK && (p.bias || p.scale || p.activation != Activation::kNone)) {
    return "bias, scale and activation do not go with a ragged contracting dimension.";
  }
  if (p.accumulate && (p.out_dtype != DType::kF32 || IsInteger(p.lhs_dtype))) {
    return "products of floats are accumulated, in float32; the operands are " +
           Str(Name(p.lhs_dtype)) + " and out is " + Str(Name(p.out_dtype)) + ".";
  }
  return "";
}

}  // namespace

const Target* FindTarget(std::string_view name, std::string* error) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  *error = "target '" + Str(name) + "' is unknown; there are";
  for (const Target& target : kTargets) *error += Concat(" ", target.name);
  *error += ".";
  return nullptr;
}

std::string CheckOperands(DType lhs, DType rhs, const Target& target) {
  for (DType dtype : {lhs, rhs}) {
    if (!IsOperand(dtype)) {
      return "an operand is " + Str(Name(dtype)) +
             "; allowed are float32, bfloat16, float16, "
             "the four float8 types and int8.";
    }
    if (target.platform == "rocm" && IsF8(dtype) && IsFnuz(dtype) != (target.name == "gfx942")) {
      return Str(target.name) + " decodes " + (IsFnuz(dtype) ? "OCP" : "FNUZ") +
             " float8, and an operand is " + Str(Name(dtype)) + ". Convert it to float8_" +
             (IsFnuz(dtype) ? "e4m3fn or float8_e5m2." : "e4m3fnuz or float8_e5m2fnuz.");
    }
  }
  if (IsInteger(lhs) != IsInteger(rhs)) {
    return "the operands are " + Str(Name(lhs)) + " and " + Str(Name(rhs)) +
           "; int8 goes with int8 only. Convert one of them.";
  }
  if (!target.gpu()) return "";
  for (const GpuInstance& instance : GpuInstances()) {
    if (instance.lhs == lhs && instance.rhs == rhs && instance.target == target.name) return "";
  }
  return "no kernel of " + Str(target.name) + " takes " + Str(Name(lhs)) + " with " +
         Str(Name(rhs)) + ". Convert one of them: operands of one type, or two float8 types.";
}

std::string CheckProblem(const Problem& p, const Target& target) {
  std::string error = CheckOperands(p.lhs_dtype, p.rhs_dtype, target);
  if (!error.empty()) return error;
  bool integer = IsInteger(p.lhs_dtype);
  if (!IsOut(p.out_dtype) || (IsInteger(p.out_dtype) && !integer)) {
    return "out is " + Str(Name(p.out_dtype)) + ", which " + Str(Name(p.lhs_dtype)) + " x " +
           Str(Name(p.rhs_dtype)) + " cannot give. Ask for a float type.";
  }
  if (IsInteger(p.out_dtype) && (p.scale || p.activation != Activation::kNone)) {
    return "scale and activation work in float, and out is " + Str(Name(p.out_dtype)) +
           ". Pass preferred_element_type=float32 (or another float type).";
  }
  if (p.save_preact && p.activation == Activation::kNone && !p.gated) {
    return "save_preact=1 needs an activation.";
  }
  if ((p.accumulate && p.ragged != Ragged::kK) || (p.gated && p.ragged != Ragged::kM)) {
    return "accumulate=1 needs ragged='k' and gated=1 needs ragged='m'.";
  }
  if (p.gated && IsInteger(p.out_dtype)) {
    return "a gate works in float, and out is " + Str(Name(p.out_dtype)) +
           ". Pass preferred_element_type=float32 (or another float type).";
  }
  for (int64_t contracting : {p.lhs_contracting, p.rhs_contracting}) {
    if (contracting != 0 && contracting != 1) return "a contracting dimension is not 0 or 1.";
  }
  constexpr int64_t kMostTiles = int64_t{1} << 30;
  if (p.tiles_per_chunk < 0 || p.tiles_per_chunk > kMostTiles || p.timeout_ns < 0 ||
      p.num_chunks > kMostTiles || (p.tiles_per_chunk > 0 && p.ragged != Ragged::kNone)) {
    return "tiles_per_chunk_m=" + Str(p.tiles_per_chunk) +
           "; allowed are 1 to 2**30 tile rows in "
           "a chunk of lhs, for products without groups, and a timeout that is not negative.";
  }
  error = CheckSize("lhs", {p.batch, p.m, p.k}, Bytes(p.lhs_dtype));
  if (error.empty()) {
    error = CheckSize("rhs", {p.num_rhs(), p.k, p.num_columns()}, Bytes(p.rhs_dtype));
  }
  if (error.empty()) error = CheckSize("out", {p.num_out(), p.m, p.num_columns()}, 4);
  if (error.empty() && p.ragged != Ragged::kNone) error = CheckGroups(p);
  return error;
}

std::string CheckChunks(const Problem& p, int64_t tile_m, int64_t tiles_m) {
  if (p.pivot < 0 || p.pivot >= std::max<int64_t>(tiles_m, 1)) {
    return "tile_idx_pivot_m=" + Str(p.pivot) + "; lhs has " + Str(tiles_m) + " tile rows of " +
           Str(tile_m) +
           " rows, and the pivot is one of them, counted from 0. Pass 0 to begin "
           "with the first.";
  }
  const int64_t needed = (tiles_m + p.tiles_per_chunk - 1) / p.tiles_per_chunk;
  if (p.num_chunks >= 0 && p.num_chunks != needed) {
    return "chunk_signals has " + Str(p.num_chunks) + " signals; lhs has " + Str(tiles_m) +
           " tile rows of " + Str(tile_m) + " rows, which make " + Str(needed) + " chunks of " +
           Str(p.tiles_per_chunk) +
           ". Pass as many, ask jaxgemm.chunk_rows for the rows of a "
           "chunk, or choose the tile by GemmConfig(tile_m=...).";
  }
  return "";
}

std::string CheckConfig(const Config& c, const Target& target) {
  struct Limit {
    const char* name;
    int64_t value, most;
  };
  for (auto [name, value, most] : {Limit{"tile_m", c.tile_m, kMaxTile},
                                   {"tile_n", c.tile_n, kMaxTile},
                                   {"tile_k", c.tile_k, kMaxTile},
                                   {"num_workgroups", c.num_workgroups, kMaxWorkgroups},
                                   {"group_m", c.group_m, kMaxWorkgroups},
                                   {"num_queues", c.num_queues, kMaxQueues},
                                   {"num_shares", c.num_shares, kMaxWorkgroups},
                                   {"num_threads", c.num_threads, kMaxWorkgroups}}) {
    if (value < 0 || value > most) {
      return Str(name) + "=" + Str(value) + "; allowed are 1 to " + Str(most) +
             ", or leave it out to let the plan choose.";
    }
  }
  if (c.claim_ahead < -1 || c.claim_ahead > 1) {
    return "claim_ahead=" + Str(c.claim_ahead) + "; allowed are 0, 1 and -1, the plan's choice.";
  }
  if (c.deterministic && c.reduction == Reduction::kAtomic) {
    return "deterministic=True and reduction='atomic' exclude each other: the order of atomic "
           "additions changes from run to run. Use reduction='linear' or 'tree'.";
  }
  if (c.num_queues > 0 && c.schedule == Schedule::kPersistent) {
    return "num_queues=" + Str(c.num_queues) +
           " needs queues to steal from, and the "
           "persistent schedule has none. Use schedule='work_stealing' or 'stream_k'.";
  }
  return "";
}

bool Computes(const GpuInstance& instance, const Problem& p, const Target& target) {
  return instance.lhs == p.lhs_dtype && instance.rhs == p.rhs_dtype &&
         instance.lhs_contracting == p.lhs_contracting &&
         instance.rhs_contracting == p.rhs_contracting && instance.target == target.name;
}

std::string NoInstance(const Problem& p, const Config& c, const Target& target) {
  std::string asked =
      Field("tile_m", c.tile_m) + Field("tile_n", c.tile_n) + Field("tile_k", c.tile_k);
  if (!c.kernel.empty()) asked = " kernel='" + Str(c.kernel) + "'" + asked;
  std::string names;
  for (const GpuInstance& each : GpuInstances()) {
    if (Computes(each, p, target)) names += " " + each.name;
  }
  return "no kernel of " + Str(target.name) + " for this product has" + asked + "; there are" +
         names + ". Give the name or the tile of one of these, or leave kernel and tile out.";
}

}  // namespace jaxgemm
