// Tests Hopper's kernels on stand-ins for its instructions (hopper/machine.h): the launcher, the
// forms of the kernels, and their barriers. Operands are small integers, so results are exact.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "hopper/machine.h"
#include "plan/relayout_sm90.h"
#include "runtime/launcher.h"
#include "sm90/gemm.h"
#include "sm90/gemm_dense.h"
#include "testing.h"

namespace jaxgemm {
namespace {

// ------------------------------------------------------------------------------ the driver

struct Kernel {
  std::string name;
  int cluster;
  void (*run)(const GemmArgs&, const TensorMaps&);
};
std::map<std::string, Kernel>& Kernels() {
  static std::map<std::string, Kernel> kernels;
  return kernels;
}
std::vector<std::string> launched;
uint64_t seed = 0;

template <DType lhs, DType rhs, int tile_m, int tile_n, int cluster, bool lhs_k, bool rhs_k,
          bool transposed, KernelForm form>
struct Form {
  using Traits = Sm90Traits<lhs, rhs, tile_m, tile_n, cluster, lhs_k, rhs_k, transposed, form>;
  static_assert(sizeof(SharedMemory<Traits>) <= Sm90SharedBytes(form));
  using Its = std::conditional_t<Traits::kIsDense, DenseWorkgroup<Traits>, Workgroup<Traits>>;

  static void Run(const GemmArgs& args, const TensorMaps& maps) {
    Its(args, maps, *reinterpret_cast<SharedMemory<Traits>*>(stand_in::Shared())).Run();
  }
};

// Adds an instance with all its forms to Kernels(). Returns its name.
template <DType lhs, DType rhs, int tile_m, int tile_n, int cluster, bool lhs_k, bool rhs_k,
          bool transposed = false>
std::string Add() {
  constexpr int kTileK = kBoxBytes / ElementBytes(lhs);
  std::string name;
  for (const GpuInstance& each : GpuInstances()) {
    if (each.target == "sm90" && each.lhs == lhs && each.rhs == rhs && each.tile_m == tile_m &&
        each.tile_n == tile_n && each.tile_k == kTileK && each.waves == cluster * kSm90Consumers &&
        (each.lhs_contracting == 1) == lhs_k && (each.rhs_contracting == 1) == rhs_k &&
        each.transposed == transposed) {
      name = each.name;
    }
  }
  CHECK_THAT(!name.empty(), "no such instance");
  auto add = [&]<KernelForm form>(const char* suffix) {
    if constexpr (HasForm(form, lhs, tile_n, cluster, lhs_k, rhs_k, transposed)) {
      using TheForm = Form<lhs, rhs, tile_m, tile_n, cluster, lhs_k, rhs_k, transposed, form>;
      Kernels()[name + suffix] = {name + suffix, cluster, TheForm::Run};
    }
  };
  add.template operator()<KernelForm::kGeneral>("");
  add.template operator()<KernelForm::kPlain>("_plain");
  add.template operator()<KernelForm::kGrouped>("_grouped");
  add.template operator()<KernelForm::kGroupedVectors>("_grouped_vectors");
  add.template operator()<KernelForm::kGroupedWide>("_grouped_wide");
  add.template operator()<KernelForm::kGroupedGated>("_grouped_gated");
  add.template operator()<KernelForm::kClaimed>("_claimed");
  add.template operator()<KernelForm::kPeers>("_peers");
  add.template operator()<KernelForm::kPeersHalfSm>("_peers_half_sm");
  add.template operator()<KernelForm::kPingPong>("_pingpong");
  add.template operator()<KernelForm::kFused>("_fused");
  add.template operator()<KernelForm::kFusedPingPong>("_fused_pingpong");
  add.template operator()<KernelForm::kScaled>("_scaled");
  return name;
}

DriverResult LaunchHere(void* function, unsigned grid, unsigned cluster, unsigned threads,
                        unsigned shared_bytes, void*, void** arguments) {
  const auto& kernel = *static_cast<const Kernel*>(function);
  launched.push_back(kernel.name);
  const int size = cluster ? static_cast<int>(cluster) : kernel.cluster;
  if (threads != stand_in::kThreads || shared_bytes > stand_in::kSharedBytes || grid % size) {
    return 1;
  }
  const auto& args = *static_cast<const GemmArgs*>(arguments[0]);
  const auto& maps = *static_cast<const TensorMaps*>(arguments[1]);
  return !stand_in::Launch(static_cast<int>(grid) / size, size, ++seed,
                           [&] { kernel.run(args, maps); });
}

DriverResult EncodeMap(void* map, int type, uint32_t rank, void* address, const uint64_t* sizes,
                       const uint64_t* strides, const uint32_t* box, const uint32_t*, int,
                       int swizzle, int, int) {
  constexpr int kUint32 = 2, kFloat16 = 6, kFloat32 = 7, kBFloat16 = 9, kTFloat32 = 11;
  constexpr int kSwizzle128 = 3;
  const int64_t bytes = type == kTFloat32 || type == kUint32 || type == kFloat32 ? 4
                        : type == kFloat16 || type == kBFloat16                  ? 2
                                                                                 : 1;
  const auto x = static_cast<int64_t>(sizes[0]), y = static_cast<int64_t>(sizes[1]);
  if (rank != 3 || swizzle != kSwizzle128 || box[0] * bytes > kBoxBytes || box[0] * bytes % 16 ||
      box[1] > 256 || box[2] != 1 || x * bytes % 16 ||
      static_cast<int64_t>(strides[0]) != x * bytes ||
      static_cast<int64_t>(strides[1]) != x * y * bytes) {
    return 1;
  }
  const HostMap host{static_cast<char*>(address),
                     x,
                     y,
                     static_cast<int64_t>(sizes[2]),
                     bytes,
                     box[0],
                     box[1],
                     type == kFloat32};
  std::memcpy(map, &host, sizeof(host));
  return 0;
}

Driver MakeDriver() {
  Driver driver{};
  driver.library = "stand-in";
  driver.suffix = ".cubin";
  driver.get_device = [](int* device) { return *device = 0; };
  driver.set_device = [](int) { return 0; };
  driver.get_device_attribute = [](int* value, int attribute, int) {
    *value = attribute == 75 ? 9 : 0;
    return 0;
  };
  driver.capability_major = 75, driver.capability_minor = 76;
  driver.target = [](int major, int minor) {
    return "sm" + std::to_string(major) + std::to_string(minor);
  };
  driver.load_module = [](void** module, const void*) {
    *module = module;
    return 0;
  };
  driver.unload_module = [](void*) { return 0; };
  driver.get_function = [](void** function, void*, const char* name) {
    auto found = Kernels().find(name);
    if (found == Kernels().end()) return 500;
    *function = &found->second;
    return 0;
  };
  driver.set_function_attribute = [](void*, int, int) { return 0; };
  driver.set_words = [](void* to, int word, size_t count, void*) {
    std::fill_n(static_cast<int*>(to), count, word);
    return 0;
  };
  driver.error_name = driver.error_text = [](DriverResult) { return "failed"; };
  driver.encode_tensor_map = EncodeMap;
  driver.launch_early = LaunchHere;
  return driver;
}

// ------------------------------------------------------------------------------- problems

void Encode(DType type, double value, char* to) {
  const auto f = static_cast<float>(value);
  const auto put = [to](auto code) { std::memcpy(to, &code, sizeof(code)); };
  switch (type) {
    case DType::kF32: return put(f);
    case DType::kBF16: return put(EncodeBF16(f));
    case DType::kF16: return put(static_cast<uint16_t>(EncodeSmallFloat<F16Format>(f)));
    case DType::kF8E4M3FN: return put(static_cast<uint8_t>(EncodeSmallFloat<F8E4M3FNFormat>(f)));
    case DType::kF8E5M2: return put(static_cast<uint8_t>(EncodeSmallFloat<F8E5M2Format>(f)));
    case DType::kS8: return put(static_cast<int8_t>(value));
    default: return put(static_cast<int32_t>(value));
  }
}

// Elements, aligned to 256 bytes, and guard bytes after them, which must not be written.
struct Buffer {
  static constexpr size_t kGuard = 512;
  std::vector<char> bytes;
  size_t size;

  explicit Buffer(size_t size) : bytes(size + kGuard + 256, '\xff'), size(size) {}
  char* data() {
    return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(bytes.data()) + 255) / 256 * 256);
  }
  bool IsWhole() {
    return std::all_of(data() + size, data() + size + kGuard, [](char c) { return c == '\xff'; });
  }
};

// Random small integers, in float64 and in the type of the operand.
struct Operand {
  std::vector<double> values;
  Buffer buffer;

  Operand(DType type, int64_t count) : values(count), buffer(count * ElementBytes(type)) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = static_cast<double>(Random(-4, 4));
      Encode(type, values[i], buffer.data() + i * ElementBytes(type));
    }
  }
};

struct Case {
  Problem p;
  Config config;
  std::string form;              // suffix of the expected kernel
  std::vector<int32_t> sizes{};  // group sizes
  bool one_scale = false;        // one for all columns
  bool misplaced = false;        // lhs is not aligned to 16 bytes
};

void Run(GpuLauncher& launcher, Case c) {
  Problem& p = c.p;
  Plan plan;
  std::string error;
  error = MakePlan(p, c.config, FindChip("sm90", 0, &error), &plan);
  CHECK_THAT(error.empty(), "%s (%ld x %ld x %ld x %ld)", error.c_str(), p.batch, p.m, p.n, p.k);
  if (!error.empty()) return;
  const bool by_m = p.ragged == Ragged::kM, by_k = p.ragged == Ragged::kK;
  Operand lhs(p.lhs_dtype, (p.lhs_batched ? p.batch : 1) * p.m * p.k + 1);
  // Each batch has vectors of its own; with groups of rows, each group has its own column vectors.
  const int64_t vectors = by_m ? p.local_groups : p.batch;
  // With a gate rhs has 2 n columns.
  const int64_t columns = p.num_columns();
  Operand rhs(p.rhs_dtype, p.num_rhs() * p.k * columns), scale(DType::kF32, vectors * columns);
  Operand row_scale(DType::kF32, p.batch * p.m);
  Operand bias(p.bias_bf16              ? DType::kBF16
               : IsInteger(p.out_dtype) ? DType::kS32
                                        : DType::kF32,
               vectors * columns);
  // Scales of blocks are powers of two, so that results stay exact.
  const int64_t blocks = p.blocks_k();
  auto powers = [](int64_t count) {
    Operand scales(DType::kF32, count);
    for (int64_t i = 0; i < count; ++i) {
      scales.values[i] = std::ldexp(1, static_cast<int>(Random(-2, 2)));
      Encode(DType::kF32, scales.values[i], scales.buffer.data() + i * 4);
    }
    return scales;
  };
  Operand lhs_scales = powers((p.lhs_batched ? p.batch : 1) * p.m * blocks);
  Operand rhs_scales = powers(p.num_rhs() * p.blocks_n() * blocks);
  const int bytes = ElementBytes(p.out_dtype);
  const int64_t out_bytes = p.num_out() * p.m * p.n * bytes;
  Buffer out(out_bytes), workspace(plan.workspace_bytes);
  Buffer preact(p.save_preact ? out_bytes / p.n * columns : 0);
  Operand addend(DType::kF32, p.accumulate ? p.num_out() * p.m * p.n : 0);
  if (p.accumulate) std::memcpy(out.data(), addend.buffer.data(), out_bytes);
  std::vector<uint32_t> signals(64, 1);
  if (c.misplaced) {
    // The values are the same, moved by one element.
    std::memmove(lhs.buffer.data() + ElementBytes(p.lhs_dtype), lhs.buffer.data(),
                 (lhs.values.size() - 1) * ElementBytes(p.lhs_dtype));
  }
  Call call{.problem = p,
            .plan = plan,
            .lhs = lhs.buffer.data() + (c.misplaced ? ElementBytes(p.lhs_dtype) : 0),
            .rhs = rhs.buffer.data(),
            .group_sizes = c.sizes.data(),
            .chunk_signals = p.tiles_per_chunk ? signals.data() : nullptr,
            .chunk_epoch = signals.data(),
            .lhs_scales = reinterpret_cast<float*>(lhs_scales.buffer.data()),
            .rhs_scales = reinterpret_cast<float*>(rhs_scales.buffer.data()),
            .bias = p.bias ? bias.buffer.data() : nullptr,
            .scale = p.scale ? reinterpret_cast<float*>(scale.buffer.data()) : nullptr,
            .row_scale = p.row_scale ? reinterpret_cast<float*>(row_scale.buffer.data()) : nullptr,
            .out = out.data(),
            .preact = p.save_preact ? preact.data() : nullptr,
            .workspace = workspace.data()};
  call.strides.bias = {.batch = columns, .column = 1};
  call.strides.scale = {.batch = c.one_scale ? 1 : columns, .column = !c.one_scale};
  call.strides.row_scale = {.batch = p.m, .row = 1, .column = 0};
  error = launcher.Load(*plan.instance, 0);
  if (error.empty()) error = launcher.Launch(call, 0, nullptr);
  CHECK_THAT(error.empty(), "%s", error.c_str());
  const std::string ran = launched.empty() ? "" : launched.back();
  CHECK_THAT(ran == plan.instance->name + c.form,
             "%s ran, not %s: %ld x %ld x %ld x %ld, %ld workgroups", ran.c_str(), c.form.c_str(),
             p.batch, p.m, p.n, p.k, plan.choice.num_workgroups);

  // Checks row by row; `matrix` and [begin, end) are the rhs and the range of k of the row.
  int64_t wrong = 0, first_wrong = -1;
  std::vector<double> sums(columns);
  for (int64_t row = 0; row < p.num_out() * p.m; ++row) {
    const int64_t z = row / p.m, m = row % p.m;
    int64_t matrix = p.rhs_batched ? z : 0, begin = 0, end = p.k;
    if (by_m) {
      int64_t rows = 0;
      for (matrix = 0; matrix < std::ssize(c.sizes); ++matrix) {
        rows += c.sizes[matrix];
        if (m < rows) break;
      }
      if (matrix == std::ssize(c.sizes)) end = 0;
    } else if (by_k) {
      for (int64_t g = 0; g < z; ++g) begin += c.sizes[g];
      end = std::min(begin + c.sizes[z], p.k), matrix = 0;
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t lhs_z = p.lhs_batched && !by_k ? z : 0;
      double a =
          lhs.values[lhs_z * p.m * p.k + (p.lhs_contracting == 1 ? m * p.k + k : k * p.m + m)];
      const double* of_rhs = nullptr;
      int64_t column_step = 0;
      if (p.block_k > 0) {
        const int64_t block = k / p.block_k;
        a *= lhs_scales.values[(lhs_z * p.m + m) * blocks + block];
        of_rhs = rhs_scales.values.data() + matrix * p.blocks_n() * blocks +
                 (p.block_n == 1 ? block * p.n : block);
        column_step = p.block_n == 1 ? 1 : blocks;
      }
      const double* b = rhs.values.data() + matrix * p.k * columns;
      for (int64_t n = 0; n < columns; ++n) {
        const double scale = of_rhs ? of_rhs[n / p.block_n * column_step] : 1;
        sums[n] += a * scale * (p.rhs_contracting == 0 ? b[k * columns + n] : b[n * p.k + k]);
      }
    }
    auto check = [&](double value, Buffer& result, int64_t at) {
      char wanted[4];
      Encode(p.out_dtype, value, wanted);
      if (std::memcmp(wanted, result.data() + at * bytes, bytes) && wrong++ == 0) first_wrong = at;
    };
    for (int64_t n = 0; n < columns; ++n) {
      const int64_t vector = by_m ? matrix : p.grouped() ? 0 : z;
      // Rows of no group are zero, not -0.
      const bool is_zero = by_m && end == 0;
      if (p.scale && !is_zero) sums[n] *= scale.values[c.one_scale ? vector : vector * columns + n];
      if (p.row_scale && !is_zero) sums[n] *= row_scale.values[row];
      if (p.bias && !is_zero) sums[n] += bias.values[vector * columns + n];
      if (p.save_preact) check(sums[n], preact, row * columns + n);
    }
    for (int64_t n = 0; n < p.n; ++n) {
      WithActivation(p.activation,
                     [&](auto activate) { sums[n] = activate(static_cast<float>(sums[n])); });
      if (p.gated) sums[n] *= sums[p.n + n];
      if (p.accumulate) sums[n] += addend.values[row * p.n + n];
      check(sums[n], out, row * p.n + n);
    }
  }
  CHECK_THAT(wrong == 0 && out.IsWhole() && preact.IsWhole() && workspace.IsWhole(),
             "%s: %ld of %ld x %ld x %ld x %ld are wrong, the first at %ld; out %s, workspace %s; "
             "%ld workgroups",
             ran.c_str(), wrong, p.num_out(), p.m, p.n, p.k, first_wrong,
             out.IsWhole() && preact.IsWhole() ? "whole" : "overrun",
             workspace.IsWhole() ? "whole" : "overrun", plan.choice.num_workgroups);
}

// Random problems for one instance, of about two by two tiles.
template <DType lhs, DType rhs, int tile_m, int tile_n, int cluster, bool lhs_k, bool rhs_k>
void RunInstance(GpuLauncher& launcher, int rounds) {
  const std::string name = Add<lhs, rhs, tile_m, tile_n, cluster, lhs_k, rhs_k>();
  constexpr int kBytes = ElementBytes(lhs), kTileK = kBoxBytes / kBytes, kNeighbours = 16 / kBytes;
  constexpr bool kInteger = lhs == DType::kS8;
  constexpr bool kHasPlain = HasForm(KernelForm::kPlain, lhs, tile_n, cluster, lhs_k, rhs_k, false);
  constexpr bool kHasPingPong =
      HasForm(KernelForm::kPingPong, lhs, tile_n, cluster, lhs_k, rhs_k, false);
  constexpr bool kHasPeers = HasForm(KernelForm::kPeers, lhs, tile_n, cluster, lhs_k, rhs_k, false);
  const DType sums_type = kInteger ? DType::kS32 : DType::kF32;
  for (int round = 0; round < rounds; ++round) {
    // A random row length that TMA can read; if `any`, also other lengths.
    auto some = [&](int64_t least, int64_t most, bool any = false) {
      return any ? Random(least, most) : (Random(least, most) + 7) / kNeighbours * kNeighbours;
    };
    auto problem = [&](bool any) {
      return Problem{.m = some(tile_m / 2, 2 * tile_m + 30, any),
                     .n = some(tile_n / 2, 2 * tile_n + 30, any),
                     .k = some(3 * kTileK + 1, 6 * kTileK, any),
                     .lhs_dtype = lhs,
                     .rhs_dtype = rhs,
                     .out_dtype = kHasPlain ? PlainOut(lhs) : sums_type,
                     .lhs_contracting = lhs_k,
                     .rhs_contracting = rhs_k};
    };
    auto num_tiles = [](const Problem& p) {
      return p.batch * ((p.m + tile_m - 1) / tile_m) * ((p.n + tile_n - 1) / tile_n);
    };
    Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    // The form for products with an epilogue, if TMA can load the operands.
    auto fused_form = [&](const Problem& p) {
      const bool has = HasForm(KernelForm::kFused, lhs, tile_n, cluster, lhs_k, rhs_k, false) &&
                       TmaReadsLhs(p) && TmaReadsRhs(p);
      constexpr KernelForm kTurns = KernelForm::kFusedPingPong;
      const bool stores = !HasOnlyVectors(kTurns, lhs, tile_n) ||
                          (p.activation == Activation::kNone && p.out_dtype == PlainOut(lhs) &&
                           p.n * ElementBytes(p.out_dtype) % 16 == 0);
      const bool turns = HasForm(kTurns, lhs, tile_n, cluster, lhs_k, rhs_k, false) && stores &&
                         p.k > 3 * kTileK && num_tiles(p) > config.num_workgroups;
      return !has ? "" : turns ? "_fused_pingpong" : "_fused";
    };
    const std::string claimed = kHasPlain ? "_claimed" : "";
    auto if_there = [](KernelForm form, const char* suffix) -> std::string {
      return HasForm(form, lhs, tile_n, cluster, lhs_k, rhs_k, false) ? suffix : "";
    };
    const std::string grouped_wide = if_there(KernelForm::kGroupedWide, "_grouped_wide");
    const std::string grouped_form = kHasPlain ? "_grouped" : grouped_wide;

    Problem batched = problem(false);
    batched.batch = 2, batched.lhs_batched = true, batched.rhs_batched = round % 2;
    const bool turns = kHasPingPong && num_tiles(batched) > config.num_workgroups;
    Run(launcher, {batched, config,
                   !kHasPlain ? fused_form(batched)
                   : turns    ? "_pingpong"
                              : "_plain"});
    if (kHasPlain) {
      Run(launcher, {problem(false), config, "", {}, false, /*misplaced=*/true});
      Problem few = problem(false);
      few.k = some(1, 2 * kTileK);
      Run(launcher, {few, config, "_plain"});
    }
    Problem odd = problem(true);
    odd.out_dtype = sums_type;
    Run(launcher, {odd, config, fused_form(odd)});
    // Every epilogue and every type of out, with rows that TMA could store and with others.
    const std::vector<DType> types =
        kInteger ? std::vector{DType::kS32, DType::kS8, DType::kF32, DType::kBF16}
                 : std::vector{DType::kF32, DType::kBF16, DType::kF16, DType::kF8E4M3FN};
    for (DType type : types) {
      Problem more = problem(false);
      more.out_dtype = type, more.bias = true;
      if (rhs_k) more.n -= Random(0, 7);
      if (round % 2) more.k = some(1, 3 * kTileK);
      if (type == types[round % 4]) more.batch = 2, more.lhs_batched = true;
      if (!IsInteger(type)) {
        more.scale = Random(0, 1), more.row_scale = Random(0, 1);
        more.activation = static_cast<Activation>(Random(0, 3));
        more.save_preact = more.activation != Activation::kNone && Random(0, 1);
        more.bias_bf16 = Random(0, 1);
      }
      Run(launcher, {more, config, fused_form(more), {}, /*one_scale=*/Random(0, 1) == 1});
    }
    if (kBytes == 1 && !kInteger) {
      Problem scaled = problem(false);
      scaled.scale = Random(0, 1), scaled.row_scale = true, scaled.bias = true;
      Run(launcher, {scaled, config, fused_form(scaled), {}, /*one_scale=*/Random(0, 1) == 1});
    }
    if (kHasPlain && cluster == 1) {
      // Clusters of 2 x 2 tiles, one tile or several for each CTA.
      Problem many = problem(false);
      many.m = some(tile_m + 1, 3 * tile_m), many.n = some(tile_n + 1, 3 * tile_n);
      Config together{.schedule = Schedule::kPersistent, .multicast = 1, .kernel = name};
      Run(launcher, {many, together, "_plain"});
      Run(launcher, {many, together, "", {}, false, /*misplaced=*/true});
      together.num_workgroups = 4;
      const bool rounds = many.m > 2 * tile_m || many.n > 2 * tile_n;
      Run(launcher, {many, together, kHasPingPong && rounds ? "_pingpong" : "_plain"});
      many.bias = true, many.activation = Activation::kRelu, many.batch = 2;
      many.lhs_batched = true;
      Run(launcher, {many, together,
                     HasForm(KernelForm::kFusedPingPong, lhs, tile_n, cluster, lhs_k, rhs_k, false)
                         ? "_fused_pingpong"
                         : "_fused"});
    }
    Config other = config;
    other.schedule = Schedule::kWorkStealing;
    Run(launcher, {problem(false), other, claimed});
    other.schedule = Schedule::kStreamK;
    other.reduction = static_cast<Reduction>(Random(0, 2));
    other.num_workgroups = 3;
    Problem cut = problem(false);
    cut.m = 2 * tile_m, cut.n = 2 * tile_n;  // four tiles for three CTAs
    Run(launcher, {cut, other, ""});
    if (kHasPeers) {
      const int64_t peers = Random(2, 3);
      Problem shared = problem(round % 2);
      shared.out_dtype = round % 2 ? sums_type : shared.out_dtype;
      const int64_t tiles = num_tiles(shared);
      Config config{.schedule = Schedule::kStreamK,
                    .num_workgroups = tiles * peers,
                    .num_shares = tiles * peers,
                    .kernel = name};
      Run(launcher, {shared, config, "_peers"});
      // Here clusters compute more than one tile.
      shared.m = 2 * tile_m, shared.n = 2 * tile_n;
      config.num_workgroups = config.num_shares = 4 * peers;
      Run(launcher, {shared, config, "_peers"});
    }
    Problem chunked = problem(false);
    chunked.tiles_per_chunk = 1, chunked.timeout_ns = 1'000'000'000;
    chunked.num_chunks = (chunked.m + tile_m - 1) / tile_m;
    Run(launcher, {chunked, config, claimed});
    chunked.bias = !kInteger;
    Run(launcher, {chunked, config, kInteger ? claimed : ""});

    // There are a small group, an empty one, and rows that belong to no group.
    Problem grouped = problem(false);
    grouped.ragged = Ragged::kM, grouped.rhs_batched = true;
    grouped.groups = grouped.local_groups = 4;
    if (round % 2) grouped.k = some(1, 2 * kTileK);
    std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, grouped.m / 2)), 0,
                               static_cast<int32_t>(Random(1, 20)),
                               static_cast<int32_t>(Random(0, grouped.m / 3))};
    if (!lhs_k) grouped.m = (grouped.m + 15) / 16 * 16;
    // If the rows of lhs are along its lines, a group may begin where no box of TMA can.
    Run(launcher, {grouped, config, lhs_k ? grouped_form : "", sizes});
    if (!kInteger) {
      Problem wide = grouped;
      wide.out_dtype = DType::kF32;
      Run(launcher, {wide, config, lhs_k ? grouped_wide : "", sizes});
      const std::string with_vectors =
          !lhs_k ? ""
          : HasOnlyVectors(KernelForm::kGrouped, lhs, tile_n)
              ? grouped_form
              : if_there(KernelForm::kGroupedVectors, "_grouped_vectors");
      grouped.row_scale = true;
      Run(launcher, {grouped, config, with_vectors, sizes});
      grouped.scale = true, grouped.bias = true, grouped.bias_bf16 = Random(0, 1);
      Run(launcher, {grouped, config, with_vectors, sizes, /*one_scale=*/round % 2 == 0});
      grouped.activation = Activation::kRelu;
      Run(launcher, {grouped, config, "", sizes});
      if (tile_n % 128 == 0) {
        const std::string gated =
            lhs_k ? if_there(KernelForm::kGroupedGated, "_grouped_gated") : "";
        grouped.gated = true, grouped.save_preact = Random(0, 1);
        grouped.n = some(tile_n / 4, tile_n + 30);
        Run(launcher, {grouped, config, gated, sizes});
        grouped.bias = grouped.scale = grouped.row_scale = false;
        Run(launcher, {grouped, config, gated, sizes});
        grouped.out_dtype = DType::kF32;
        Run(launcher, {grouped, config, "", sizes});
      }
    }
    if constexpr ((lhs_k && rhs_k) || kBytes == 2) {
      grouped = problem(false);
      grouped.ragged = Ragged::kK, grouped.groups = grouped.local_groups = 4;
      sizes = {static_cast<int32_t>(Random(0, kTileK)), 0, 2 * kTileK + 5, 1};
      Run(launcher, {grouped, config, grouped_form, sizes});
      // Two groups end in the same vector of 16 bytes.
      sizes = {static_cast<int32_t>(Random(1, kTileK)), 3, 1, static_cast<int32_t>(grouped.k)};
      Run(launcher, {grouped, config, grouped_form, sizes});
      if (!kInteger) {
        grouped.out_dtype = DType::kF32;
        Run(launcher, {grouped, config, grouped_wide, sizes});
        grouped.accumulate = true;
        Run(launcher, {grouped, config, grouped_wide, sizes});
        // TMA cannot store such rows.
        if (rhs_k && kBytes == 2) grouped.n -= Random(1, 3);
        Run(launcher, {grouped, config, grouped.n % 4 ? "" : grouped_wide, sizes});
      }
    }
  }
}

// Random grouped problems for an instance whose rhs goes to wgmma through registers.
template <DType lhs, DType rhs, int tile_n>
void RunByRegisters(GpuLauncher& launcher, int rounds) {
  constexpr int kTileM = 128, kBytes = ElementBytes(lhs), kTileK = kBoxBytes / kBytes;
  const std::string name = Add<lhs, rhs, kTileM, tile_n, 1, true, false>();
  for (int round = 0; round < rounds; ++round) {
    Problem p{.m = Random(1, 3 * kTileM),
              .n = RoundUp(Random(1, 2 * tile_n + 30), 16 / kBytes),
              .k = RoundUp(Random(1, 6 * kTileK), 16 / kBytes),
              .lhs_dtype = lhs,
              .rhs_dtype = rhs,
              .out_dtype = round % 3 == 0   ? DType::kF32
                           : round % 3 == 1 ? DType::kBF16
                                            : DType::kF16,
              .lhs_contracting = 1,
              .rhs_contracting = 0,
              .ragged = Ragged::kM,
              .groups = 4,
              .local_groups = 4};
    const std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, p.m)), 0,
                                     static_cast<int32_t>(Random(1, 20)),
                                     static_cast<int32_t>(Random(0, p.m))};
    const Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    Run(launcher, {p, config, "_grouped", sizes});
    p.row_scale = Random(0, 1), p.scale = Random(0, 1), p.bias = true;
    p.bias_bf16 = Random(0, 1);
    Run(launcher, {p, config, "_grouped", sizes, /*one_scale=*/round % 2 == 0});
  }
}

// Random problems for an instance that has only dense forms.
template <DType type, int tile_n, bool lhs_k, bool rhs_k>
void RunDenseOnly(GpuLauncher& launcher, int rounds) {
  constexpr int kTileM = CtaRows(tile_n), kTileK = kBoxBytes / ElementBytes(type);
  const std::string name = Add<type, type, kTileM, tile_n, 1, lhs_k, rhs_k>();
  for (int round = 0; round < rounds; ++round) {
    auto problem = [&](int64_t least_k) {
      return Problem{.batch = round % 3 == 0 ? 2 : 1,
                     .m = RoundUp(Random(1, 2 * kTileM + 30), 8),
                     .n = RoundUp(Random(1, 2 * tile_n + 30), 8),
                     .k = RoundUp(Random(least_k, 6 * kTileK), 8),
                     .lhs_dtype = type,
                     .rhs_dtype = type,
                     .out_dtype = type,
                     .lhs_contracting = lhs_k,
                     .rhs_contracting = rhs_k,
                     .lhs_batched = true,
                     .rhs_batched = round % 2 == 1};
    };
    auto num_tiles = [](const Problem& p) {
      return p.batch * CeilDiv(p.m, kTileM) * CeilDiv(p.n, tile_n);
    };
    Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    auto suffix = [&](KernelForm form, KernelForm turns, const Problem& p) {
      const bool takes_turns = HasForm(turns, type, tile_n, 1, lhs_k, rhs_k, false) &&
                               p.k > 3 * kTileK && num_tiles(p) > config.num_workgroups;
      return std::string(form == KernelForm::kPlain ? takes_turns ? "_pingpong" : "_plain"
                         : takes_turns              ? "_fused_pingpong"
                                                    : "_fused");
    };
    Problem plain = problem(round % 2 ? 1 : 3 * kTileK + 1);
    Run(launcher, {plain, config, suffix(KernelForm::kPlain, KernelForm::kPingPong, plain)});
    Problem misplaced = problem(1);
    misplaced.batch = 1;
    Run(launcher, {misplaced, config, "_fused", {}, false, /*misplaced=*/true});
    for (DType out : {DType::kF32, type, DType::kF8E4M3FN}) {
      Problem more = problem(round % 2 ? 3 * kTileK + 1 : 1);
      more.out_dtype = out, more.bias = true, more.scale = Random(0, 1);
      more.row_scale = Random(0, 1);
      more.activation = static_cast<Activation>(Random(0, 3));
      more.save_preact = more.activation != Activation::kNone && Random(0, 1);
      if (rhs_k) more.n -= Random(0, 7);
      more.bias_bf16 = Random(0, 1);
      Run(launcher, {more, config, suffix(KernelForm::kFused, KernelForm::kFusedPingPong, more)});
    }
    Problem many = problem(3 * kTileK + 1);
    many.m += kTileM, many.n += tile_n;
    Config together{.schedule = Schedule::kPersistent, .multicast = 1, .kernel = name};
    together.num_workgroups = round % 2 ? 0 : 4;
    const bool rounds =
        together.num_workgroups &&
        4 < many.batch * RoundUp(CeilDiv(many.m, kTileM), 2) * RoundUp(CeilDiv(many.n, tile_n), 2);
    const bool turns = HasForm(KernelForm::kPingPong, type, tile_n, 1, lhs_k, rhs_k, false);
    Run(launcher, {many, together, rounds && turns ? "_pingpong" : "_plain"});
    many.bias = true;
    Run(launcher,
        {many, together,
         rounds && HasForm(KernelForm::kFusedPingPong, type, tile_n, 1, lhs_k, rhs_k, false)
             ? "_fused_pingpong"
             : "_fused"});
    if constexpr (HasForm(KernelForm::kPeers, type, tile_n, 1, lhs_k, rhs_k, false)) {
      const int64_t peers = Random(2, MostPeers(tile_n) / 2);
      Problem shared = problem(6 * kTileK - 8);
      config.schedule = Schedule::kStreamK;
      config.num_workgroups = config.num_shares = num_tiles(shared) * peers;
      shared.bias = round % 2, shared.bias_bf16 = shared.bias && Random(0, 1);
      shared.row_scale = round % 2 && Random(0, 1);
      Run(launcher, {shared, config, "_peers"});
      shared.m += kTileM, shared.n += tile_n, config.multicast = 1;
      config.num_workgroups = config.num_shares = num_tiles(shared) * 2;
      Run(launcher, {shared, config, "_peers"});
    }
  }
}

// Random problems of few rows for an instance that stores out^T. lhs_k and rhs_k are the kernel's.
template <DType lhs, DType rhs, int tile_n, bool lhs_k, bool rhs_k>
void RunTransposed(GpuLauncher& launcher, int rounds) {
  constexpr int kTileM = 128, kBytes = ElementBytes(lhs), kTileK = kBoxBytes / kBytes;
  const std::string name = Add<lhs, rhs, kTileM, tile_n, 1, lhs_k, rhs_k, true>();
  const DType sums_type = lhs == DType::kS8 ? DType::kS32 : DType::kF32;
  for (int round = 0; round < rounds; ++round) {
    int64_t peers = Random(1, kMaxClusterSize);
    if (!CanBePeers(tile_n, peers)) peers = 1;
    const bool any = round % 3 == 2;  // lines that TMA cannot read, too
    auto some = [&](int64_t least, int64_t most) {
      return any ? Random(least, most) : RoundUp(Random(least, most), 16 / kBytes);
    };
    Problem p{.m = Random(1, 2 * tile_n),
              .n = some(1, 3 * kTileM),
              // Every fourth time with more k tiles than a CTA has stages.
              .k = some((peers - 1) * kTileK + 1, (peers + 3) * kTileK) +
                   (round % 4 == 3 ? 12 * peers * kTileK : 0),
              .lhs_dtype = rhs,
              .rhs_dtype = lhs,
              .out_dtype = round % 2                ? sums_type
                           : ElementBytes(lhs) == 2 ? lhs
                                                    : sums_type,
              .lhs_contracting = rhs_k,
              .rhs_contracting = lhs_k};
    if (!rhs_k) p.m = RoundUp(p.m, 16 / kBytes);
    if (round % 4 == 1) p.batch = 2, p.lhs_batched = true, p.rhs_batched = round % 8 == 1;
    if (round % 2 && lhs != DType::kS8) p.bias = true, p.activation = Activation::kRelu;
    p.bias_bf16 = p.bias && Random(0, 1);
    p.scale = p.bias && Random(0, 1), p.row_scale = p.bias && Random(0, 1);
    const int64_t tiles = p.batch * CeilDiv(p.n, kTileM) * CeilDiv(p.m, tile_n);
    Config config{.schedule = peers > 1 ? Schedule::kStreamK : Schedule::kPersistent,
                  .kernel = name};
    if (peers > 1) config.num_workgroups = config.num_shares = tiles * peers;
    Run(launcher, {p, config, "_peers"});
    if (!MayMulticast(KernelForm::kPeers, lhs, 1, lhs_k, true) || 2 * peers > kMaxClusterSize) {
      continue;
    }
    // Clusters have 2 x 2, 2 x 1 or 1 x 2 tiles, and the last tile may end early.
    p.n = some(1, kTileM) + Random(1, 3) * kTileM;
    p.m = Random(1, 3 * tile_n);
    if (!rhs_k) p.m = RoundUp(p.m, 16 / kBytes);
    if (peers > 1) {
      config.num_workgroups = config.num_shares =
          p.batch * CeilDiv(p.n, kTileM) * CeilDiv(p.m, tile_n) * peers;
    }
    if (!TmaReadsLhs(p) || !TmaReadsRhs(p)) continue;
    config.multicast = 1;
    Run(launcher, {p, config, "_peers"});
  }
}

// Random problems with scales of blocks along k.
template <int tile_m>
void RunScaled(GpuLauncher& launcher, int rounds) {
  constexpr DType kType = DType::kF8E4M3FN;
  const std::string name = Add<kType, kType, tile_m, 128, tile_m / 128, true, true>();
  for (int round = 0; round < rounds; ++round) {
    Problem p{.batch = round % 3 == 0 ? 2 : 1,
              .m = Random(1, 2 * tile_m + 30),
              .n = Random(1, 300),
              .k = RoundUp(Random(1, 700), 16),
              .lhs_dtype = kType,
              .rhs_dtype = kType,
              .out_dtype = round % 2 ? DType::kF32 : DType::kBF16,
              .lhs_contracting = 1,
              .rhs_contracting = 1,
              .lhs_batched = true,
              .rhs_batched = round % 2 == 1};
    p.block_k = 128, p.block_n = round % 4 < 2 ? 128 : 1;
    if (round % 2) p.bias = true, p.activation = Activation::kRelu;
    Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    Run(launcher, {p, config, "_scaled"});
    config.schedule = Schedule::kWorkStealing;
    Run(launcher, {p, config, "_scaled"});
    p.m = 2 * tile_m, p.n = 256, p.k = 512 + 48, p.batch = 1;
    config.schedule = Schedule::kStreamK, config.num_workgroups = 3;
    Run(launcher, {p, config, "_scaled"});
    p.bias = false, p.activation = Activation::kNone;
    p.m = Random(50, 2 * tile_m), p.n = Random(1, 300);
    p.ragged = Ragged::kM, p.lhs_batched = p.rhs_batched = false;
    p.groups = p.local_groups = 4;
    config.schedule = Schedule::kPersistent;
    const std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, p.m / 2)), 0,
                                     static_cast<int32_t>(Random(1, 20)),
                                     static_cast<int32_t>(Random(0, p.m / 3))};
    Run(launcher, {p, config, "_scaled", sizes});
  }
}

// Rows of no group are zero with any activation, because GPUs apply no epilogue to them.
void TestEpilogueOfNoGroup() {
  const uint32_t bias[8] = {};
  const float scale[8] = {}, row_scale[8] = {};
  const GemmArgs args{.bias = bias,
                      .scale = scale,
                      .row_scale = row_scale,
                      .bias_batch_stride = 4,
                      .scale_batch_stride = 4,
                      .row_scale_batch_stride = 4,
                      .activation = Activation::kGelu};
  WorkTile tile{.group = 1};
  const TileEpilogue group(args, tile, Ragged::kM);
  CHECK_THAT(group.bias == static_cast<const void*>(bias + 4) && group.scale == scale + 4 &&
                 group.row_scales == 0 && group.activation == Activation::kGelu,
             "group");
  tile.zero = true;
  const TileEpilogue none(args, tile, Ragged::kM);
  CHECK_THAT(!none.HasVectors() && none.activation == Activation::kNone, "no group");
}

}  // namespace
}  // namespace jaxgemm

// The default build runs instances with small tiles, once. Each instance takes seconds to compile,
// and ThreadSanitizer is slow.
#ifdef JAXGEMM_FEW_INSTANCES
constexpr bool kFew = true;
#else
constexpr bool kFew = false;
#endif

int main() {
  using namespace jaxgemm;
  using enum DType;
  const auto folder = std::filesystem::temp_directory_path() /
                      ("hopper_test." + std::to_string(rng()) + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "sm90");
  for (const GpuInstance& each : GpuInstances()) {
    std::ofstream(folder / "sm90" / (each.name + ".cubin")) << "a kernel";
  }
  SetKernelFolder(folder.string());
  TestEpilogueOfNoGroup();
  const Driver driver = MakeDriver();
  GpuLauncher launcher(&driver);
  RunInstance<kBF16, kBF16, 128, 128, 1, false, false>(launcher, kFew ? 1 : 2);
  RunInstance<kBF16, kBF16, 128, 64, 1, true, false>(launcher, kFew ? 1 : 2);
  RunInstance<kBF16, kBF16, 128, 128, 1, true, false>(launcher, 2);
  RunInstance<kBF16, kBF16, 256, 64, 2, false, false>(launcher, kFew ? 1 : 2);
  RunTransposed<kBF16, kBF16, 16, true, true>(launcher, kFew ? 4 : 16);
  RunTransposed<kBF16, kBF16, 32, false, true>(launcher, kFew ? 4 : 16);
  RunTransposed<kBF16, kBF16, 64, true, false>(launcher, kFew ? 2 : 8);
  RunTransposed<kF16, kF16, 96, false, true>(launcher, kFew ? 2 : 8);
  RunTransposed<kF32, kF32, 16, false, true>(launcher, kFew ? 4 : 16);
  RunDenseOnly<kBF16, 112, true, false>(launcher, kFew ? 2 : 8);
  RunScaled<128>(launcher, kFew ? 4 : 12);
  RunByRegisters<kF8E4M3FN, kF8E5M2, 128>(launcher, kFew ? 4 : 12);
  RunByRegisters<kF32, kF32, 256>(launcher, kFew ? 4 : 12);
#ifndef JAXGEMM_FEW_INSTANCES
  RunScaled<256>(launcher, 8);
  RunDenseOnly<kF16, 144, true, true>(launcher, 8);
  RunDenseOnly<kBF16, 144, false, false>(launcher, 4);
  RunDenseOnly<kBF16, 160, true, true>(launcher, 6);
  RunDenseOnly<kF16, 160, false, false>(launcher, 6);
  RunDenseOnly<kBF16, 176, true, false>(launcher, 8);
  RunDenseOnly<kBF16, 208, false, false>(launcher, 8);
  RunTransposed<kBF16, kBF16, 112, true, false>(launcher, 8);
  RunTransposed<kF16, kF16, 144, true, true>(launcher, 8);
  RunTransposed<kBF16, kBF16, 144, false, false>(launcher, 8);
  RunTransposed<kBF16, kBF16, 176, false, false>(launcher, 8);
  RunTransposed<kF8E5M2, kF8E4M3FN, 16, true, true>(launcher, 8);
  RunTransposed<kS8, kS8, 48, true, true>(launcher, 8);
  RunTransposed<kF32, kF32, 64, true, true>(launcher, 8);
  RunTransposed<kF32, kF32, 144, false, true>(launcher, 8);
  RunByRegisters<kF8E5M2, kF8E4M3FN, 256>(launcher, 12);
  RunByRegisters<kF32, kF32, 128>(launcher, 12);
  RunInstance<kBF16, kBF16, 128, 192, 1, true, true>(launcher, 2);
  RunInstance<kBF16, kBF16, 256, 256, 2, true, false>(launcher, 2);
  RunInstance<kF16, kF16, 256, 192, 2, false, false>(launcher, 1);
  RunInstance<kF8E4M3FN, kF8E5M2, 256, 128, 2, true, true>(launcher, 1);
  RunInstance<kF32, kF32, 128, 128, 1, false, false>(launcher, 1);
  RunInstance<kS8, kS8, 128, 128, 1, true, true>(launcher, 1);
#endif
  std::filesystem::remove_all(folder);
  std::printf("hopper_test: %d failures\n", failures);
  return failures != 0;
}
