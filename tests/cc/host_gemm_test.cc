// Compares the CPU's products on real threads with double: every schedule, reduction and layout,
// with guard bytes around out. It also runs under the sanitizers. Each operand is a heap block of
// exactly its size, so that they detect a read past the end.
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

  Config config;
  config.schedule = static_cast<Schedule>(Random(0, 3));
  config.reduction = static_cast<Reduction>(Random(0, 2));
  config.num_workgroups = Random(1, 9);
  config.num_threads = Random(1, 4);
  if (Random(0, 1)) config.tile_m = Random(1, 70), config.tile_n = Random(1, 70);
  if (Random(0, 1)) config.tile_k = Random(1, 300);
  if (config.schedule == Schedule::kStreamK) config.num_queues = Random(0, 3);
  std::string error;
  error = MakePlan(p, config, FindChip("cpu", 0, &error), &call.plan);
  CHECK_THAT(error.empty(), "%s", error.c_str());
  call.kernel = ChooseHostKernel(p.lhs_dtype, p.rhs_dtype, "", &error);
  CHECK_THAT(call.kernel, "%s", error.c_str());
  if (!call.kernel) return;

  Array lhs(p.lhs_dtype, (p.lhs_batched ? p.batch : 1) * p.m * p.k);
  Array rhs(p.rhs_dtype, (p.rhs_batched ? p.batch : 1) * p.k * p.n);
  Array bias(DType::kF32, p.n), scale(DType::kF32, p.n), row_scale(DType::kF32, p.batch * p.m);
  int64_t size = p.batch * p.m * p.n;
  std::vector<unsigned char> out(size * 4 + 2 * kGuard, kPoison);
  std::vector<char> workspace(call.plan.workspace_bytes + 64, static_cast<char>(kPoison));
  auto start = (reinterpret_cast<uintptr_t>(workspace.data()) + 63) / 64 * 64;
  call.lhs = lhs.bytes.get(), call.rhs = rhs.bytes.get();
  if (p.bias) call.bias = bias.bytes.get();
  if (p.scale) call.scale = reinterpret_cast<const float*>(scale.bytes.get());
  if (p.row_scale) call.row_scale = reinterpret_cast<const float*>(row_scale.bytes.get());
  call.strides.row_scale = {.batch = p.m, .row = 1, .column = 0};
  call.out = out.data() + kGuard;
  call.workspace = reinterpret_cast<char*>(start);
  InitWorkspace(call);
  int64_t threads = Random(1, call.plan.choice.num_threads);
  std::atomic<int64_t> next = 0;
  RunOnThreads(threads, static_cast<int>(threads),
               [&](int64_t thread) { RunWorkgroups(call, thread, &next); });

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
        const void* at = out.data() + kGuard + ((b * p.m + m) * p.n + n) * 4;
        double got;
        if (integer) {
          int32_t value;
          std::memcpy(&value, at, 4);
          got = value;
        } else {
          float value;
          std::memcpy(&value, at, 4);
          got = value;
        }
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

}  // namespace
}  // namespace jaxgemm

int main() {
  for (int trial = 0; trial < 400; ++trial) jaxgemm::RunCase();
  std::printf("host_gemm_test: %d failures\n", jaxgemm::failures);
  return jaxgemm::failures != 0;
}
