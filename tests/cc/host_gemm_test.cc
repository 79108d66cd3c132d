// Compares the CPU's products on real threads with double: every schedule, reduction and layout,
// and grouped products of gathered operands, with guard bytes around out. It also runs under the
// sanitizers. Each operand is a heap block of exactly its size, so that they detect a read past the
// end; a grouped product's operands are between pages that nobody may read.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "host/workgroups.h"
#include "testing.h"

namespace jaxgemm {
namespace {

constexpr unsigned char kPoison = 0xA5;
constexpr int64_t kGuard = 256;

// Random elements of a dtype (float32, bfloat16 or int8) and their values.
struct Array {
  std::unique_ptr<char[]> bytes;
  std::vector<double> values;

  Array(DType dtype, int64_t size) : bytes(new char[size * Bytes(dtype) + 1]), values(size) {
    for (int64_t i = 0; i < size; ++i) {
      if (dtype == DType::kS8) {
        auto value = static_cast<int8_t>(Random(-128, 127));
        std::memcpy(&bytes[i], &value, 1);
        values[i] = value;
        continue;
      }
      float value = static_cast<float>(Random(-1000, 1000)) / 997.0f;
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      if (dtype == DType::kBF16) {
        bits &= 0xFFFF0000u;
        uint16_t high = static_cast<uint16_t>(bits >> 16);
        std::memcpy(&bytes[i * 2], &high, 2);
      } else {
        std::memcpy(&bytes[i * 4], &bits, 4);
      }
      std::memcpy(&value, &bits, 4);
      values[i] = value;
    }
  }
};

// Random options, whatever the problem is.
Config RandomConfig() {
  Config config;
  config.schedule = static_cast<Schedule>(Random(0, 3));
  config.reduction = static_cast<Reduction>(Random(0, 2));
  config.num_workgroups = Random(1, 9);
  config.num_threads = Random(1, 4);
  if (Random(0, 1)) config.tile_m = Random(1, 70), config.tile_n = Random(1, 70);
  if (Random(0, 1)) config.tile_k = Random(1, 300);
  if (config.schedule == Schedule::kStreamK) config.num_queues = Random(0, 3);
  return config;
}

// Makes the call's plan and chooses its kernel. Returns whether there are both.
bool Prepare(const Config& config, HostCall* call) {
  const Problem& p = call->problem;
  std::string error;
  error = MakePlan(p, config, FindChip("cpu", 0, &error), &call->plan);
  CHECK_THAT(error.empty(), "%s", error.c_str());
  if (!error.empty()) return false;
  call->kernel = ChooseHostKernel(p.lhs_dtype, p.rhs_dtype, "", &error);
  CHECK_THAT(call->kernel, "%s", error.c_str());
  return call->kernel;
}

void Execute(HostCall* call) {
  std::vector<char> workspace(call->plan.workspace_bytes + 64, static_cast<char>(kPoison));
  auto start = (reinterpret_cast<uintptr_t>(workspace.data()) + 63) / 64 * 64;
  call->workspace = reinterpret_cast<char*>(start);
  InitWorkspace(*call);
  int64_t threads = Random(1, call->plan.choice.num_threads);
  std::atomic<int64_t> next = 0;
  RunOnThreads(threads, static_cast<int>(threads),
               [&](int64_t thread) { RunWorkgroups(*call, thread, &next); });
}

// An element of an integer or a float32 result.
double ElementOf(const void* out, int64_t index, bool integer) {
  int32_t value;
  float of_float;
  std::memcpy(&value, static_cast<const char*>(out) + index * 4, 4);
  std::memcpy(&of_float, &value, 4);
  return integer ? value : of_float;
}

int64_t RandomSize() { return Random(0, 3) ? Random(1, 90) : Random(0, 17); }

void RunCase() {
  HostCall call;
  Problem& p = call.problem;
  p.batch = Random(1, 3);
  p.m = RandomSize(), p.n = RandomSize(), p.k = Random(0, 2) ? RandomSize() : Random(200, 1200);
  constexpr DType kOperands[] = {DType::kF32, DType::kBF16, DType::kS8};
  p.lhs_dtype = p.rhs_dtype = kOperands[Random(0, 2)];
  bool integer = p.lhs_dtype == DType::kS8;
  p.out_dtype = integer ? DType::kS32 : DType::kF32;
  p.lhs_contracting = Random(0, 1), p.rhs_contracting = Random(0, 1);
  p.lhs_batched = p.batch > 1 && Random(0, 1);
  p.rhs_batched = p.batch > 1 && (!p.lhs_batched || Random(0, 1));
  p.bias = !integer && Random(0, 1);
  p.scale = !integer && Random(0, 1);
  p.row_scale = !integer && Random(0, 1);
  p.activation = integer ? Activation::kNone : Random(0, 1) ? Activation::kRelu : p.activation;

  if (!Prepare(RandomConfig(), &call)) return;

  Array lhs(p.lhs_dtype, (p.lhs_batched ? p.batch : 1) * p.m * p.k);
  Array rhs(p.rhs_dtype, (p.rhs_batched ? p.batch : 1) * p.k * p.n);
  Array bias(DType::kF32, p.n), scale(DType::kF32, p.n), row_scale(DType::kF32, p.batch * p.m);
  int64_t size = p.batch * p.m * p.n;
  std::vector<unsigned char> out(size * 4 + 2 * kGuard, kPoison);
  call.lhs = lhs.bytes.get(), call.rhs = rhs.bytes.get();
  if (p.bias) call.bias = bias.bytes.get();
  if (p.scale) call.scale = reinterpret_cast<const float*>(scale.bytes.get());
  if (p.row_scale) call.row_scale = reinterpret_cast<const float*>(row_scale.bytes.get());
  call.strides.row_scale = {.batch = p.m, .row = 1, .column = 0};
  call.out = out.data() + kGuard;
  Execute(&call);

  for (int64_t i = 0; i < kGuard; ++i) {
    CHECK_THAT(out[i] == kPoison && out[kGuard + size * 4 + i] == kPoison, "wrote outside out");
  }
  double worst = 0, largest = 1e-30;
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t m = 0; m < p.m; ++m) {
      for (int64_t n = 0; n < p.n; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k) {
          int64_t l =
              (p.lhs_batched ? b * p.m * p.k : 0) + (p.lhs_contracting ? m * p.k + k : k * p.m + m);
          int64_t r =
              (p.rhs_batched ? b * p.k * p.n : 0) + (p.rhs_contracting ? n * p.k + k : k * p.n + n);
          sum += lhs.values[l] * rhs.values[r];
        }
        if (p.scale) sum *= scale.values[n];
        if (p.row_scale) sum *= row_scale.values[b * p.m + m];
        if (p.bias) sum += bias.values[n];
        if (p.activation == Activation::kRelu) sum = std::max(sum, 0.0);
        double got = ElementOf(call.out, (b * p.m + m) * p.n + n, integer);
        worst = std::max(worst, std::isnan(got) ? 1e30 : std::abs(got - sum));
        largest = std::max(largest, std::abs(sum));
      }
    }
  }
  double tolerance = integer ? 0 : 2e-6 * std::sqrt(static_cast<double>(p.k) + 1);
  CHECK_THAT(worst <= tolerance * std::max(largest, 1.0),
             "error %g of %g: %ldx%ldx%ldx%ld %s, %s, %s, tile %ldx%ldx%ld, kernel %s", worst,
             largest, p.batch, p.m, p.n, p.k, Name(p.lhs_dtype).data(),
             Name(call.plan.choice.schedule).data(), Name(call.plan.choice.reduction).data(),
             call.plan.choice.tile_m, call.plan.choice.tile_n, call.plan.choice.tile_k,
             call.kernel->name);
}

// A grouped product of gathered operands.
void RunGathered() {
  HostCall call;
  Problem& p = call.problem;
  const bool ragged_m = Random(0, 1);
  p.ragged = ragged_m ? Ragged::kM : Ragged::kK;
  p.batch = Random(1, 3), p.groups = p.local_groups = Random(1, 5);
  p.m = RandomSize(), p.n = RandomSize(), p.k = RandomSize();
  (ragged_m ? p.k : p.m) = Random(0, 3) ? Random(1, 90) : Random(0, 600);
  constexpr DType kOperands[] = {DType::kF32, DType::kBF16, DType::kS8};
  p.lhs_dtype = p.rhs_dtype = kOperands[Random(0, 2)];
  const bool integer = p.lhs_dtype == DType::kS8;
  p.out_dtype = integer ? DType::kS32 : DType::kF32;
  const bool both = !ragged_m && Random(0, 1);
  p.lhs_gathered = ragged_m || both || Random(0, 1);
  p.rhs_gathered = both || !p.lhs_gathered;
  p.lhs_contracting = p.lhs_gathered ? ragged_m : Random(0, 1);
  p.rhs_contracting = p.rhs_gathered ? 0 : Random(0, 1);
  p.lhs_batched = Random(0, 1), p.rhs_batched = Random(0, 1), p.sizes_batched = Random(0, 1);
  if (p.lhs_gathered) p.lhs_lines = RandomSize(), p.lhs_indices_batched = Random(0, 1);
  if (p.rhs_gathered) p.rhs_lines = RandomSize(), p.rhs_indices_batched = Random(0, 1);
  p.gated = ragged_m && !integer && Random(0, 1);
  p.accumulate = !ragged_m && !integer && Random(0, 1);
  if (!integer && Random(0, 1)) {
    p.block_k = Random(32, 70), p.block_m = Random(1, 9), p.block_n = Random(1, 9);
  }
  Config config = RandomConfig();
  if (p.gated) config.tile_n += config.tile_n % 2;
  if (!Prepare(config, &call)) return;

  const int64_t columns = p.num_columns(), extent = p.ragged_extent();
  Array lhs(p.lhs_dtype, p.num_lhs() * p.lhs_size()), rhs(p.rhs_dtype, p.num_rhs() * p.rhs_size());
  Array lhs_scales(DType::kF32, p.num_lhs() * p.blocks_m() * p.blocks_k());
  Array rhs_scales(DType::kF32, p.num_rhs() * p.blocks_n() * p.blocks_k());
  const std::vector<int32_t> of_lhs = RandomIndices(p.batch * extent, p.lhs_lines);
  const std::vector<int32_t> of_rhs = RandomIndices(p.batch * extent, p.rhs_lines);
  std::vector<int32_t> sizes(p.batch * p.groups);
  for (int32_t& size : sizes) size = static_cast<int32_t>(Random(0, 2 * extent / p.groups + 1));
  const int64_t size = p.num_out() * p.m * p.n;
  Array addend(DType::kF32, size);
  std::vector<unsigned char> out(size * 4 + 2 * kGuard, kPoison);
  if (p.accumulate) std::memcpy(out.data() + kGuard, addend.bytes.get(), size * 4);
  const Guarded guarded_lhs(lhs.bytes.get(), lhs.values.size() * Bytes(p.lhs_dtype));
  const Guarded guarded_rhs(rhs.bytes.get(), rhs.values.size() * Bytes(p.rhs_dtype));
  const Guarded lhs_indices(of_lhs.data(), (p.lhs_indices_batched ? p.batch : 1) * extent * 4);
  const Guarded rhs_indices(of_rhs.data(), (p.rhs_indices_batched ? p.batch : 1) * extent * 4);
  call.lhs = guarded_lhs.as<void>(), call.rhs = guarded_rhs.as<void>();
  call.lhs_indices = p.lhs_gathered ? lhs_indices.as<int32_t>() : nullptr;
  call.rhs_indices = p.rhs_gathered ? rhs_indices.as<int32_t>() : nullptr;
  call.group_sizes = sizes.data();
  if (p.block_k) {
    call.lhs_scales = reinterpret_cast<const float*>(lhs_scales.bytes.get());
    call.rhs_scales = reinterpret_cast<const float*>(rhs_scales.bytes.get());
  }
  call.out = out.data() + kGuard;
  if (p.accumulate) call.addend = call.out;
  Execute(&call);
  for (int64_t i = 0; i < kGuard; ++i) {
    CHECK_THAT(out[i] == kPoison && out[kGuard + size * 4 + i] == kPoison, "wrote outside out");
  }

  // Elements of the operands, with their scales.
  const auto element_of_lhs = [&](int64_t b, int64_t m, int64_t k) {
    const int64_t matrix = p.lhs_batched ? b : 0;
    double scale = 1;
    if (p.block_k) {
      scale =
          lhs_scales.values[(matrix * p.blocks_m() + m / p.block_m) * p.blocks_k() + k / p.block_k];
    }
    if (p.lhs_gathered) {
      int64_t& line = ragged_m ? m : k;
      line = of_lhs[(p.lhs_indices_batched ? b * extent : 0) + line];
      if (line < 0 || line >= p.lhs_lines) return 0.0;
    }
    return scale *
           lhs.values[matrix * p.lhs_size() + (p.lhs_contracting ? m * p.k + k : k * p.m + m)];
  };
  const auto element_of_rhs = [&](int64_t b, int64_t group, int64_t k, int64_t n) {
    int64_t matrix = p.rhs_batched ? b : 0;
    if (ragged_m) matrix = matrix * p.local_groups + group;
    double scale = 1;
    if (p.block_k) {
      const int64_t block_n = n / p.block_n, block_k = k / p.block_k;
      scale = rhs_scales.values[matrix * p.blocks_n() * p.blocks_k() +
                                (p.block_n == 1 ? block_k * p.blocks_n() + block_n
                                                : block_n * p.blocks_k() + block_k)];
    }
    if (p.rhs_gathered) {
      k = of_rhs[(p.rhs_indices_batched ? b * extent : 0) + k];
      if (k < 0 || k >= p.rhs_lines) return 0.0;
    }
    return scale *
           rhs.values[matrix * p.rhs_size() + (p.rhs_contracting ? n * p.k + k : k * columns + n)];
  };
  double worst = 0, largest = 1;
  const auto check = [&](int64_t index, double wanted) {
    if (p.accumulate) wanted += addend.values[index];
    const double got = ElementOf(call.out, index, integer);
    worst = std::max(worst, std::isnan(got) ? 1e30 : std::abs(got - wanted));
    largest = std::max(largest, std::abs(wanted));
  };
  for (int64_t b = 0; b < p.batch; ++b) {
    int64_t begin = 0;
    for (int64_t group = 0; group <= p.groups; ++group) {
      // After the last group there are the rows of none.
      const bool is_none = group == p.groups;
      const int64_t wanted = is_none ? extent : sizes[(p.sizes_batched ? b * p.groups : 0) + group];
      const int64_t end = std::min(extent, begin + wanted);
      if (is_none && !ragged_m) break;
      const auto sum = [&](int64_t m, int64_t n) {
        double total = 0;
        for (int64_t k = ragged_m ? 0 : begin; k < (ragged_m ? p.k : end) && !is_none; ++k) {
          total += element_of_lhs(b, m, k) * element_of_rhs(b, group, k, n);
        }
        return total;
      };
      const int64_t matrix = ragged_m ? b : b * p.local_groups + group;
      for (int64_t m = ragged_m ? begin : 0; m < (ragged_m ? end : p.m); ++m) {
        for (int64_t n = 0; n < p.n; ++n) {
          check((matrix * p.m + m) * p.n + n, p.gated ? sum(m, n) * sum(m, p.n + n) : sum(m, n));
        }
      }
      begin = end;
    }
  }
  const double tolerance = integer ? 0 : 4e-6 * std::sqrt(static_cast<double>(p.k) + 1);
  CHECK_THAT(worst <= tolerance * largest,
             "error %g of %g: gathered %d %d of %ld %ld, ragged %s, %ldx%ldx%ldx%ld %s, %s, %s, "
             "tile %ldx%ldx%ld, blocks of %ld, gated %d, kernel %s",
             worst, largest, p.lhs_gathered, p.rhs_gathered, p.lhs_lines, p.rhs_lines,
             Name(p.ragged).data(), p.batch, p.m, p.n, p.k, Name(p.lhs_dtype).data(),
             Name(call.plan.choice.schedule).data(), Name(call.plan.choice.reduction).data(),
             call.plan.choice.tile_m, call.plan.choice.tile_n, call.plan.choice.tile_k, p.block_k,
             p.gated, call.kernel->name);
}

}  // namespace
}  // namespace jaxgemm

int main() {
  for (int trial = 0; trial < 400; ++trial) jaxgemm::RunCase();
  for (int trial = 0; trial < 400; ++trial) jaxgemm::RunGathered();
  std::printf("host_gemm_test: %d failures\n", jaxgemm::failures);
  return jaxgemm::failures != 0;
}
