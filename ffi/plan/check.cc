#include "plan/check.h"

#include <algorithm>
#include <initializer_list>

#include "kernel/gemm_args.h"
#include "plan/tiles.h"
#include "sm90/launch_args.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

constexpr int64_t kMaxTile = 1 << 14;  // a limit, not fitted

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

// For example "blocks of 1 x 64 of lhs and 64 x 64 of rhs".
std::string Blocks(const Problem& p) {
  const std::string depth = Str(p.block_k);
  return Concat("blocks of ", Str(p.block_m), " x ", depth, " of lhs and ", Str(p.block_n), " x ",
                depth, " of rhs");
}

bool AreF4(DType lhs, DType rhs) { return IsF4(lhs) && IsF4(rhs); }

// Checks the scales of an operand in an MX format.
std::string CheckMx(const Problem& p, const Chip& chip) {
  // The kernels address the rows of a tile with 31 bits.
  constexpr int64_t kMost = 1 << 22;
  const int64_t elements = 16 * PackedElements(p.lhs_dtype);  // of a vector of 16 bytes
  if (!FindTarget(chip.target).has_mx) {
    return "the operands are in an MX format, and the kernels of " + Str(chip.target) +
           " do not read its scales.";
  }
  if (p.block_k != kMxBlock || p.block_m != 1 || p.block_n != 1) {
    return "scales in E8M0 are for " + Blocks(p) + ", and the MX formats have blocks of 1 x 32.";
  }
  if (p.k % elements != 0 || p.k > kMost) {
    return "k is " + Str(p.k) + ", and the kernels of " + Str(chip.target) +
           " apply the scales of the MX formats only if k is a multiple of " + Str(elements) +
           " and at most 2**22.";
  }
  return "";
}

// Checks scales of blocks along k.
std::string CheckBlocks(const Problem& p, const Chip& chip) {
  constexpr int64_t kLeast = 32;  // with less the CPU's kernels would mostly move partial sums
  if (p.block_k < 0 || p.block_m < 1 || p.block_n < 1) {
    return "scales are for " + Blocks(p) + "; 1 or more is allowed.";
  }
  if (IsInteger(p.lhs_dtype) || p.tiles_per_chunk > 0) {
    return "scales of blocks along k need float operands that do not arrive in chunks.";
  }
  if (p.block_k < kLeast) {
    return "the kernels take blocks of " + Str(kLeast) + " or more along k, and these have " +
           Str(p.block_k) + ".";
  }
  if (!chip.gpu()) return p.mx ? CheckMx(p, chip) : "";
  const bool is_hopper = chip.family() == Family::kHopper;
  if (p.mx) {
    const std::string error = CheckMx(p, chip);
    if (!error.empty()) return error;
  } else if (p.block_k != kScaleBlock || p.block_m != 1 ||
             (p.block_n != kScaleBlock && !(is_hopper && p.block_n == 1))) {
    return "scales are for " + Blocks(p) + ", and the kernels of " + Str(chip.target) +
           " apply them to blocks of 1 x 128 of lhs and " + (is_hopper ? "1 x 128 or " : "") +
           "128 x 128 of rhs.";
  }
  if (is_hopper && p.k % 16 != 0) {
    return "k is " + Str(p.k) + ", and the kernels of " + Str(chip.target) +
           " apply scales of blocks only if k is a multiple of 16.";
  }
  const bool are_small =
      (IsF8(p.lhs_dtype) && IsF8(p.rhs_dtype)) || (p.mx && AreF4(p.lhs_dtype, p.rhs_dtype));
  if (!are_small || p.lhs_contracting != 1 || p.rhs_contracting != 1 || p.ragged == Ragged::kK ||
      p.gated) {
    return "the kernels of " + Str(chip.target) +
           " apply scales of blocks only to float8 operands with k last (those of MX formats also "
           "to two float4 operands), in products without a gate and without groups along k.";
  }
  return "";
}

// Checks a result that the kernel quantises.
std::string CheckQuantizeOut(const Problem& p, const Chip& chip) {
  const int64_t block = QuantizedColumns(p.quantize_out);
  if (!IsF8(p.out_dtype) || IsInteger(p.lhs_dtype)) {
    return "quantize_out gives float8 from float operands; the operands are " +
           Str(Name(p.lhs_dtype)) + " and out is " + Str(Name(p.out_dtype)) + ".";
  }
  if (p.n % block != 0) {
    return "out has " + Str(p.n) + " columns, and blocks of " + Str(block) +
           " of them have a scale each; a multiple is allowed.";
  }
  if (chip.gpu()) {
    const Float8 own = FindTarget(chip.target).float8;
    const bool is_ocp = p.out_dtype == DType::kF8E4M3FN || p.out_dtype == DType::kF8E5M2;
    if (own == Float8::kNone || is_ocp != (own == Float8::kOcp)) {
      return "out is " + Str(Name(p.out_dtype)) + ", and the kernels of " + Str(chip.target) +
             " quantise to " +
             (own == Float8::kNone  ? "no type."
              : own == Float8::kOcp ? "float8_e4m3fn and float8_e5m2."
                                    : "float8_e4m3fnuz and float8_e5m2fnuz.");
    }
  }
  constexpr int64_t kMostColumns = 1 << 22;  // AMD kernels have offsets in rows in 32 bits
  if (chip.family() == Family::kAmd && p.n > kMostColumns) {
    return "out has " + Str(p.n) + " columns; the kernels of " + Str(chip.target) +
           " quantise results of 2**22 at most.";
  }
  if (p.ragged == Ragged::kK || p.tiles_per_chunk > 0 || (p.save_preact && p.block_k > 0)) {
    return "the kernels quantise results of products without chunks and without groups along k, "
           "and store no values before the activation if the operands have scales of blocks.";
  }
  return "";
}

std::string CheckGroups(const Problem& p) {
  constexpr int64_t kMax = int64_t{1} << 30;
  int64_t extent = p.ragged == Ragged::kM ? p.m : p.k;
  if (p.gated && p.n > kMax) {
    return "a gated product has " + Str(p.n) + " columns; at most 2**30 are allowed. Split it.";
  }
  if (extent > kMax || p.groups > kMax || p.local_groups > kMax) {
    return Str(extent) + (p.ragged == Ragged::kM ? " rows" : " k") + " in " + Str(p.groups) +
           " groups; at most 2**30 of either are "
           "allowed, because group sizes are int32. Split the product.";
  }
  if (p.groups < 0 || p.local_groups < 0 || (p.groups != p.local_groups && !p.group_offset)) {
    return Str(p.local_groups) + " of " + Str(p.groups) +
           " groups are to be computed; that "
           "needs a group offset.";
  }
  if (p.ragged == Ragged::kK &&
      (p.bias || p.scale || p.activation != Activation::kNone || (p.row_scale && p.accumulate))) {
    return "bias, scale and activation do not go with a ragged contracting dimension, and scales "
           "of rows not with accumulation there.";
  }
  if ((p.lhs_gathered && (p.lhs_contracting == 1) != (p.ragged == Ragged::kM)) ||
      (p.rhs_gathered && (p.rhs_contracting == 1 || p.ragged == Ragged::kM))) {
    return "an operand is gathered along lines of its memory, or rhs has no ragged dimension; the "
           "kernels gather whole lines: the rows of lhs, or the k of operands that have k first.";
  }
  if (p.accumulate && (p.out_dtype != DType::kF32 || IsInteger(p.lhs_dtype))) {
    return "accumulate=1 needs float operands and a float32 out; the operands are " +
           Str(Name(p.lhs_dtype)) + " and out is " + Str(Name(p.out_dtype)) + ".";
  }
  return "";
}

}  // namespace

std::string CheckOperands(DType lhs, DType rhs, const Chip& chip) {
  const Target& target = FindTarget(chip.target);
  for (DType dtype : {lhs, rhs}) {
    if (!IsOperand(dtype)) {
      std::string error = Concat("an operand is ", Name(dtype), "; allowed are");
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) \
  if (is_operand) error += " " name;
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
      return error + ".";
    }
    if (IsF8(dtype) && target.float8 == Float8::kNone) {
      return Str(chip.target) + " has no instructions for 8-bit floats, and an operand is " +
             Str(Name(dtype)) + ". Convert it to bfloat16.";
    }
    if (!target.Decodes(dtype) && target.float8 == Float8::kOcp) {
      return Str(chip.target) + " decodes OCP float8, and an operand is " + Str(Name(dtype)) +
             ". Convert it to float8_e4m3fn or float8_e5m2.";
    }
  }
  if (IsInteger(lhs) != IsInteger(rhs)) {
    return "the operands are " + Str(Name(lhs)) + " and " + Str(Name(rhs)) +
           "; int8 goes with int8 only. Convert one of them.";
  }
  if (!chip.gpu()) return "";
  for (const GpuInstance& instance : GpuInstances(chip.target)) {
    if (instance.lhs == lhs && instance.rhs == rhs) return "";
  }
  return "no kernel of " + Str(chip.target) + " takes " + Str(Name(lhs)) + " with " +
         Str(Name(rhs)) + ". Convert one of them: operands of one type, or two float8 types.";
}

std::string CheckProblem(const Problem& p, const Chip& chip) {
  // CheckBlocks checks float4 operands: they need scales.
  const bool of_blocks = p.mx && AreF4(p.lhs_dtype, p.rhs_dtype);
  std::string error = of_blocks ? "" : CheckOperands(p.lhs_dtype, p.rhs_dtype, chip);
  if (!error.empty()) return error;
  if (p.bias_bf16 && (chip.family() != Family::kHopper || IsInteger(p.out_dtype))) {
    return "bias is bfloat16; only Hopper's kernels read that. Cast it to float32.";
  }
  bool integer = IsInteger(p.lhs_dtype);
  if (!IsOut(p.out_dtype) || (IsInteger(p.out_dtype) && !integer)) {
    return "out is " + Str(Name(p.out_dtype)) + ", which " + Str(Name(p.lhs_dtype)) + " x " +
           Str(Name(p.rhs_dtype)) + " cannot give. Ask for a float type.";
  }
  if (IsInteger(p.out_dtype) && (p.scale || p.row_scale || p.activation != Activation::kNone)) {
    return "scale and activation work in float, and out is " + Str(Name(p.out_dtype)) +
           ". Pass preferred_element_type=float32 (or another float type).";
  }
  if (p.save_preact && p.activation == Activation::kNone && !p.gated) {
    return "save_preact=1 needs an activation.";
  }
  if ((p.accumulate && p.ragged != Ragged::kK) ||
      ((p.gated || p.skips_rest) && p.ragged != Ragged::kM)) {
    return "accumulate=1 needs ragged='k', and gated=1 and skips_rest=1 need ragged='m'.";
  }
  if (p.quantize_out != QuantizeOut::kNone) {
    const std::string error = CheckQuantizeOut(p, chip);
    if (!error.empty()) return error;
  }
  if (p.gated && IsInteger(p.out_dtype)) {
    return "a gate works in float, and out is " + Str(Name(p.out_dtype)) +
           ". Pass preferred_element_type=float32 (or another float type).";
  }
  for (int64_t contracting : {p.lhs_contracting, p.rhs_contracting}) {
    if (contracting != 0 && contracting != 1) return "a contracting dimension is not 0 or 1.";
  }
  constexpr int64_t kMaxTiles = int64_t{1} << 30;
  if (p.tiles_per_chunk < 0 || p.tiles_per_chunk > kMaxTiles) {
    return "tiles_per_chunk_m=" + Str(p.tiles_per_chunk) +
           "; 1 to 2**30 tile rows in a chunk of lhs are allowed.";
  }
  if ((p.lhs_gathered || p.rhs_gathered) && !p.grouped()) {
    return "an operand is gathered in a product without groups; grouped products gather.";
  }
  if (p.lhs_lines > kMaxTiles || p.rhs_lines > kMaxTiles) {
    return "a gathered operand has more than 2**30 lines; 2**30 at most are allowed.";
  }
  if (p.tiles_per_chunk > 0 && p.ragged != Ragged::kNone) {
    return "tiles_per_chunk_m=" + Str(p.tiles_per_chunk) +
           " was given for a grouped product; products without groups wait for chunks.";
  }
  if (p.timeout_ns < 0 || p.timeout_ns > kMostTimeoutNs) {
    return "timeout_ns=" + Str(p.timeout_ns) + "; 0 to " + Str(kMostTimeoutNs) +
           " nanoseconds are allowed.";
  }
  if (p.num_chunks > kMaxTiles) {
    return "chunk_signals has " + Str(p.num_chunks) + " signals; 2**30 at most are allowed.";
  }
  error = CheckSize("lhs", {p.batch, p.m, p.k}, Bytes(p.lhs_dtype));
  if (error.empty()) {
    error = CheckSize("rhs", {p.num_rhs(), p.k, p.num_columns()}, Bytes(p.rhs_dtype));
  }
  if (error.empty()) error = CheckSize("out", {p.num_out(), p.m, p.num_columns()}, 4);
  if (error.empty() && p.lhs_gathered) {
    error = CheckSize("lhs", {p.batch, p.lhs_lines, p.ragged == Ragged::kM ? p.k : p.m},
                      Bytes(p.lhs_dtype));
  }
  if (error.empty() && p.rhs_gathered) {
    error = CheckSize("rhs", {p.num_rhs(), p.rhs_lines, p.num_columns()}, Bytes(p.rhs_dtype));
  }
  if (error.empty() && p.ragged != Ragged::kNone) error = CheckGroups(p);
  const bool has_blocks = p.block_k != 0 || p.block_m != 1 || p.block_n != 1 || p.mx;
  if (error.empty() && has_blocks) error = CheckBlocks(p, chip);
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
           " tile rows of " + Str(tile_m) + " rows, which make " + Str(needed) +
           " chunks of tiles_per_chunk_m=" + Str(p.tiles_per_chunk) + ", or " +
           Str(p.tiles_per_chunk * tile_m) +
           " rows. Pass chunk_rows=" + Str(p.tiles_per_chunk * tile_m) +
           " to the producer (jaxgemm.chunk_rows says it), or choose the tile by "
           "GemmConfig(tile_m=...).";
  }
  return "";
}

std::string CheckConfig(const Config& c, const Chip& chip) {
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
  for (auto [name, value] : {std::pair{"claim_ahead", c.claim_ahead}, {"multicast", c.multicast}}) {
    if (value < -1 || value > 1) {
      return Str(name) + "=" + Str(value) + "; allowed are 0, 1 and -1, the plan's choice.";
    }
  }
  if (c.deterministic && c.reduction == Reduction::kAtomic) {
    return "deterministic=True and reduction='atomic' exclude each other: the order of atomic "
           "additions changes from run to run. Use reduction='linear' or 'tree'.";
  }
  if (c.same_rows && (c.schedule == Schedule::kStreamK || c.num_shares)) {
    return "deterministic='rows' excludes schedule='stream_k' and num_shares, which cut k into "
           "shares by the number of tiles. Leave them out.";
  }
  if (c.num_queues > 0 && c.schedule == Schedule::kPersistent) {
    return "num_queues=" + Str(c.num_queues) +
           " needs queues to steal from, and the "
           "persistent schedule has none. Use schedule='work_stealing' or 'stream_k'.";
  }
  if (c.num_shares && c.schedule != Schedule::kStreamK && c.schedule != Schedule::kAuto) {
    return "num_shares=" + Str(c.num_shares) + " is stream-K's; the schedule is '" +
           Str(Name(c.schedule)) + "'. Use schedule='stream_k'.";
  }
  if (c.multicast == 1 && chip.family() != Family::kHopper) {
    return "multicast=True is for Hopper GPUs (sm90); this is " + Str(chip.target) +
           ". Leave multicast out.";
  }
  return "";
}

std::string CheckChoice(const Problem& p, const Choice& c, const Chip& chip) {
  constexpr const char* kAgain = " Trace and compile the function again with this jaxgemm.";
  struct Limit {
    const char* name;
    int64_t value, least, most;
  };
  for (auto [name, value, least, most] :
       {Limit{"tile_m", c.tile_m, 1, kMaxTile},
        {"tile_n", c.tile_n, 1, kMaxTile},
        {"tile_k", c.tile_k, 1, kMaxTile},
        {"cluster_m", c.cluster_m, 1, kMaxClusterSize},
        {"cluster_n", c.cluster_n, 1, kMaxClusterSize},
        {"cluster_k", c.cluster_k, 1, kMaxClusterSize},
        {"num_workgroups", c.num_workgroups, 1, kMaxWorkgroups},
        {"num_threads", c.num_threads, chip.gpu() ? 0 : 1, chip.gpu() ? 0 : kMaxWorkgroups},
        {"num_queues", c.num_queues, 0, kMaxQueues},
        {"num_shares", c.num_shares, 0, kMaxWorkgroups},
        {"group_m", c.group_m, 1, kMaxWorkgroups},
        {"num_xcds", c.num_xcds, 1, kMaxQueues}}) {
    if (value < least || value > most) {
      return Concat(name, "=", Str(value), "; allowed are ", Str(least), " to ", Str(most), ".",
                    kAgain);
    }
  }
  if (c.schedule == Schedule::kAuto) return Concat("schedule='auto' is not a decision.", kAgain);
  if (chip.gpu()) {
    const GpuInstance* instance = FindGpuInstance(c.target, c.kernel);
    if (!instance) {
      return Concat("there is no kernel '", c.kernel, "' for '", c.target, "'.", kAgain);
    }
    if (!Computes(*instance, p) || instance->transposed != c.transposed ||
        instance->tile_m != c.tile_m || instance->tile_n != c.tile_n ||
        instance->tile_k != c.tile_k) {
      return Concat("the kernel '", c.kernel, "' has other operands or another tile.", kAgain);
    }
  }
  if (c.transposed && (p.grouped() || p.tiles_per_chunk > 0)) {
    return Concat("transposed=1 is for products without groups and chunks.", kAgain);
  }
  if (c.order_at_launch && p.tiles_per_chunk == 0) {
    return Concat("order_at_launch=1 is for lhs that arrives in chunks.", kAgain);
  }
  if (p.quantize_out != QuantizeOut::kNone &&
      (c.transposed || (!HasWholeBlocks(p, c.tile_n) && c.tile_n < p.num_columns()))) {
    return "tile_n=" + Str(c.tile_n) + "; the result is quantised in blocks of " +
           Str(QuantizedColumns(p.quantize_out)) +
           " columns, and a tile has whole blocks (a gated one, of the gate and of the up "
           "projection).";
  }
  if (p.gated && p.n > 0 && c.tile_n % 2) {
    return "tile_n=" + Str(c.tile_n) +
           "; it must be even: a gated product's tiles have as many columns of the gate as of "
           "the up projection.";
  }
  return "";
}

}  // namespace jaxgemm
