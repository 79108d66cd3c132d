// Calls of the CPU's handler from several threads at the same time, each of which keeps calls that
// it has checked; and products that wait for chunks of lhs while a producer copies them. It also
// runs under the sanitizer of threads.
#include <chrono>
#include <cmath>
#include <cstring>
#include <future>
#include <thread>

#include "bindings/decode.h"
#include "bindings/handlers.h"
#include "fake_xla.h"
#include "host/crew.h"
#include "host/producer.h"
#include "host/workgroups.h"
#include "testing.h"

namespace jaxgemm {
namespace {

// A float32 product out[m, n] = lhs[m, k] rhs[k, n] of small integers, which every kernel sums
// exactly.
struct Product {
  Problem problem;
  Plan plan;
  std::vector<float> lhs, rhs, wanted;

  Product(int64_t m, int64_t n, int64_t k, const Config& config, int64_t tiles_per_chunk = 0) {
    problem.m = m, problem.n = n, problem.k = k;
    problem.lhs_dtype = problem.rhs_dtype = problem.out_dtype = DType::kF32;
    if (tiles_per_chunk) {
      problem.tiles_per_chunk = tiles_per_chunk;
      const int64_t rows = tiles_per_chunk * config.tile_m;
      problem.num_chunks = (m + rows - 1) / rows;
      problem.timeout_ns = int64_t{60} * 1000 * 1000 * 1000;
    }
    std::string error;
    error = MakePlan(problem, config, FindChip("cpu", 1, &error), &plan);
    CHECK_THAT(error.empty(), "%s", error.c_str());
    for (int64_t i = 0; i < m * k; ++i) lhs.push_back(static_cast<float>(Random(-9, 9)));
    for (int64_t i = 0; i < k * n; ++i) rhs.push_back(static_cast<float>(Random(-9, 9)));
    wanted.assign(m * n, 0);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t j = 0; j < n; ++j) wanted[i * n + j] += lhs[i * k + p] * rhs[p * n + j];
      }
    }
  }
  std::vector<char> Workspace() const {
    return std::vector<char>(plan.workspace_bytes + 64, '\x55');
  }
};

bool Same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), b.size() * sizeof(float)) == 0;
}

// There are more products than a thread keeps.
void TestCallsOfSeveralThreads() {
  std::vector<Product> products;
  for (int i = 0; i < 150; ++i) {
    products.emplace_back(Random(1, 40), Random(1, 40), Random(1, 40), Config{.num_threads = 1});
  }
  RunOnThreads(8, 4, [&](int64_t index) {
    for (int64_t turn = 0; turn < 400; ++turn) {
      // Each second call is that of the turn before.
      const int64_t chosen = (turn / 2 * (index + 1) * 7 + index) % 150;
      Product& product = products[chosen];
      const Problem& p = product.problem;
      std::vector<float> out(p.m * p.n, NAN);
      std::vector<char> workspace = product.Workspace();
      FakeCall call;
      call.AddArg(XLA_FFI_DataType_F32, product.lhs.data(), {p.m, p.k});
      call.AddArg(XLA_FFI_DataType_F32, product.rhs.data(), {p.k, p.n});
      call.AddRet(XLA_FFI_DataType_F32, out.data(), {p.m, p.n});
      call.AddRet(XLA_FFI_DataType_U8, workspace.data(), {product.plan.workspace_bytes});
      AddAttributes(p, product.plan.choice, &call);
      const std::string error = call.Run(GemmHost, XLA_FFI_ExecutionStage_EXECUTE, 0, nullptr);
      CHECK_THAT(error.empty(), "%s", error.c_str());
      CHECK_THAT(Same(out, product.wanted), "%ldx%ldx%ld", p.m, p.n, p.k);
    }
  });
}

// Runs a call on so many threads, one of which is the caller's. Some of the others come too late.
// `then` is called when the call has ended, before the others have.
void RunCrew(const HostCall& call, Crew* crew, int64_t num_threads,
             const std::function<void()>& then) {
  InitWorkspace(call);
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < num_threads; ++i) {
    helpers.emplace_back([crew, late = Random(0, 200)] {
      std::this_thread::sleep_for(std::chrono::microseconds(late));
      crew->Help();
    });
  }
  std::promise<void> ended;
  if (!crew->Run([&] { ended.set_value(); })) ended.get_future().wait();
  CHECK_THAT(!crew->Join(), "the call has ended");
  then();
  for (std::thread& helper : helpers) helper.join();
}

// The result is there, and stays as it is, as soon as a call has ended.
void TestHelpersThatComeLate() {
  for (int64_t trial = 0; trial < 300; ++trial) {
    Config config{.num_workgroups = Random(1, 9), .num_threads = Random(1, 4)};
    config.tile_m = Random(1, 40), config.tile_n = Random(8, 60);
    const Product product(Random(1, 200), Random(1, 200), Random(1, 200), config);
    const Problem& p = product.problem;
    std::vector<float> out(p.m * p.n, NAN);
    std::vector<char> workspace = product.Workspace();
    HostCall call;
    call.problem = p, call.plan = product.plan;
    call.lhs = product.lhs.data(), call.rhs = product.rhs.data(), call.out = out.data();
    call.workspace = AlignWorkspace(workspace.data());
    std::string error;
    call.kernel = ChooseHostKernel(p.lhs_dtype, p.rhs_dtype, "", &error);
    Crew crew(call);
    RunCrew(call, &crew, config.num_threads, [&] {
      CHECK_THAT(Same(out, product.wanted), "%ldx%ldx%ld", p.m, p.n, p.k);
      // XLA may free the buffers now, and give them to others.
      out.assign(out.size(), -1.0f);
    });
    CHECK_THAT(out == std::vector<float>(out.size(), -1.0f), "a helper wrote after the end");
  }
}

void TestChunksThatArrive() {
  for (int64_t trial = 0; trial < 60; ++trial) {
    const int64_t threads = Random(1, 4);
    Config config{.num_workgroups = Random(1, 5), .num_threads = threads};
    config.tile_m = Random(1, 20), config.tile_n = Random(8, 60);
    const Product product(Random(1, 150), Random(1, 100), Random(1, 60), config, Random(1, 3));
    const Problem& p = product.problem;
    std::vector<float> lhs(product.lhs.size(), NAN), out(p.m * p.n, NAN);
    std::vector<char> workspace = product.Workspace();
    std::vector<uint32_t> signals(p.num_chunks, 1);
    const uint32_t epoch = 1;
    HostCall call;
    call.problem = p, call.plan = product.plan;
    call.lhs = lhs.data(), call.rhs = product.rhs.data(), call.out = out.data();
    call.chunk_signals = signals.data(), call.chunk_epoch = &epoch;
    call.workspace = AlignWorkspace(workspace.data());
    std::string error;
    call.kernel = ChooseHostKernel(p.lhs_dtype, p.rhs_dtype, "", &error);
    CHECK_THAT(call.kernel, "%s", error.c_str());
    const int64_t chunk_rows = p.tiles_per_chunk * config.tile_m;
    ListHostCopy(trial, {.source = reinterpret_cast<const char*>(product.lhs.data()),
                         .data = reinterpret_cast<char*>(lhs.data()),
                         .signals = signals.data(),
                         .rows = p.m,
                         .row_bytes = p.k * 4,
                         .chunk_rows = chunk_rows,
                         .first_chunk = Random(0, p.num_chunks - 1)});
    Crew crew(call);
    crew.Join();
    CHECK_THAT(BeginHostCopy(trial, signals.data(), [&] { crew.Leave(); }), "begun");
    RunCrew(call, &crew, threads, [] {});
    JoinHostCopy(trial, signals.data());
    CHECK_THAT(call.chunk_status() == 0, "chunk %d is missing", call.chunk_status() - 1);
    CHECK_THAT(Same(out, product.wanted), "%ldx%ldx%ld in chunks of %ld", p.m, p.n, p.k,
               chunk_rows);
  }
  WaitForHostCopies();
}

}  // namespace
}  // namespace jaxgemm

int main() {
  jaxgemm::TestCallsOfSeveralThreads();
  jaxgemm::TestHelpersThatComeLate();
  jaxgemm::TestChunksThatArrive();
  std::printf("host_calls_test: %d failures\n", jaxgemm::failures);
  return jaxgemm::failures != 0;
}
