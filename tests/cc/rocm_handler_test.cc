// Calls the ROCm handlers as XLA does, with a fake runtime. It checks when modules are loaded, the
// runtime calls of a product and their arguments, and the message of every failure. The program
// starts itself twice: without a runtime, and with the fake one.
#include <dlfcn.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bindings/handlers.h"
#include "fake_hip.h"
#include "fake_xla.h"
#include "routing/handlers.h"
#include "runtime/launcher.h"
#include "testing.h"

namespace jaxgemm {
namespace {

using Calls = std::vector<std::string>;

constexpr char kKernel[] = "gemm_bfloat16_bfloat16_128x128x64_rcr";
constexpr char kCutShort[] = "gemm_float16_float16_128x128x64_crr";
void* const kStream = reinterpret_cast<void*>(7);

std::string Text(const Calls& calls) {
  std::string text;
  for (const std::string& call : calls) text += "\n    " + call;
  return text;
}

// out[B, M, N] bf16 = lhs[B, M, K] rhs[N, K]^T with every part of the epilogue.
struct Case {
  Problem problem{.batch = 2,
                  .m = 300,
                  .n = 200,
                  .k = 100,
                  .lhs_dtype = DType::kBF16,
                  .rhs_dtype = DType::kBF16,
                  .out_dtype = DType::kBF16,
                  .rhs_contracting = 1,
                  .lhs_batched = true,
                  .bias = true,
                  .scale = true,
                  .row_scale = true,
                  .save_preact = true,
                  .activation = Activation::kGelu};
  Config config{.schedule = Schedule::kWorkStealing, .kernel = kKernel};
  std::string target = "gfx942";
  Plan plan;
  std::vector<char> workspace;
  char operands[5], out, preact;  // never read: only addresses matter

  char* workspace_start() {
    return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(workspace.data()) + 63) / 64 * 64);
  }

  FakeCall Make() {
    const Problem& p = problem;
    std::string error;
    error = MakePlan(p, config, FindChip(target, 0, &error), &plan);
    CHECK_THAT(error.empty(), "%s", error.c_str());
    workspace.assign(static_cast<size_t>(plan.workspace_bytes), '\x55');
    FakeCall call;
    call.AddArg(XLA_FFI_DataType_BF16, &operands[0], {p.batch, p.m, p.k});
    call.AddArg(XLA_FFI_DataType_BF16, &operands[1], {p.n, p.k});
    if (p.bias) call.AddArg(XLA_FFI_DataType_F32, &operands[2], {p.batch, p.n});
    if (p.scale) call.AddArg(XLA_FFI_DataType_F32, &operands[3], {1});
    if (p.row_scale) call.AddArg(XLA_FFI_DataType_F32, &operands[4], {p.batch, p.m});
    call.AddRet(XLA_FFI_DataType_BF16, &out, {p.batch, p.m, p.n});
    if (p.save_preact) call.AddRet(XLA_FFI_DataType_BF16, &preact, {p.batch, p.m, p.n});
    call.AddRet(XLA_FFI_DataType_U8, workspace.data(), {plan.workspace_bytes});
    AddAttributes(p, plan.choice, &call);
    return call;
  }
};

std::string Initialize(const FakeCall& call, int device = 0) {
  return call.Run(kRocmGemmHandlers.initialize, XLA_FFI_ExecutionStage_INITIALIZE, device, nullptr);
}
std::string Execute(const FakeCall& call, int device = 0) {
  return call.Run(kRocmGemmHandlers.captured, XLA_FFI_ExecutionStage_EXECUTE, device, kStream);
}

FakeHip* fake;

void Expect(const char* what, const std::string& error, const Calls& wanted) {
  Calls calls = fake->Take();
  CHECK_THAT(error.empty(), "%s: %s", what, error.c_str());
  CHECK_THAT(calls == wanted, "%s: %s", what, Text(calls).c_str());
}

void ExpectError(const char* what, const std::string& error, const char* part) {
  CHECK_THAT(error.find(part) != std::string::npos, "%s: '%s' lacks '%s'", what, error.c_str(),
             part);
}

void TestCommandBuffers() {
  CHECK_THAT(
      TraitsOf(kRocmGemmHandlers.captured) == XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE,
      "%u", TraitsOf(kRocmGemmHandlers.captured));
  CHECK_THAT(TraitsOf(kRocmGemmHandlers.uncaptured) == 0, "%u",
             TraitsOf(kRocmGemmHandlers.uncaptured));
}

// After each failure, the calls made so far are undone or can be repeated.
void TestFailuresToLoad() {
  Case base;
  FakeCall call = base.Make();
  ExpectError("not loaded", Execute(call), "Initialize stage has not run");
  CHECK_THAT(fake->Take().empty(), "a call that is not loaded calls the runtime");
  for (const char* function :
       {"hipDeviceGetAttribute", "hipGetDevice", "hipModuleLoadData", "hipModuleGetFunction"}) {
    fake->failing = function;
    std::string error = Initialize(call);
    ExpectError(function, error, "hipErrorFake: as the test wanted");
    ExpectError(function, error, kKernel);
    Calls calls = fake->Take();
    bool unloads = std::string(function) == "hipModuleGetFunction";
    CHECK_THAT((calls.back() == "hipModuleUnload") == unloads, "%s: %s", function,
               Text(calls).c_str());
  }
  fake->failing = "hipSetDevice";
  ExpectError("hipSetDevice", Initialize(call, 3), "device 3, hipErrorFake");
  fake->failing = "";
  fake->capability_minor = 5;
  ExpectError("another architecture", Initialize(call),
              "device 0 is a gfx950, and the program was lowered for gfx942. Lower it "
              "again, with JAXGEMM_ROCM_ARCH set");
  fake->capability_minor = 4;
  ExpectError("too many devices", Initialize(call, 64), "ROCR_VISIBLE_DEVICES");
  call.attributes["kernel"] = "gemm_bogus";
  ExpectError("no such kernel", Initialize(call), "there is no kernel 'gemm_bogus'");
  call.attributes["kernel"] = "gemm_float16_float16_128x128x64_rcr";
  ExpectError("no code object", Initialize(call), "JAXGEMM_GPU_KERNELS=all");
  call.attributes["kernel"] = kCutShort;
  ExpectError("part of a code object", Initialize(call), "is cut short. Build jaxgemm again");
  call.attributes["schedule"] = "bogus";
  ExpectError("no such schedule", Initialize(call), "schedule 'bogus' is unknown");
  fake->Take();
}

void TestLoadsOncePerDevice() {
  Case base;
  FakeCall call = base.Make();
  std::string load = " 'code of " + std::string(kKernel) + "' on ";
  std::string function = "hipModuleGetFunction " + std::string(kKernel);
  Expect("device 0", Initialize(call),
         {"hipDeviceGetAttribute 0", "hipDeviceGetAttribute 0", "hipGetDevice",
          "hipModuleLoadData" + load + "0", function});
  Expect("device 0 again", Initialize(call), {});
  Expect("device 1", Initialize(call, 1),
         {"hipDeviceGetAttribute 1", "hipDeviceGetAttribute 1", "hipGetDevice", "hipSetDevice 1",
          "hipModuleLoadData" + load + "1", function, "hipSetDevice 0"});
  Expect("device 1 again", Initialize(call, 1), {});
}

void TestLaunch() {
  Case base;
  FakeCall call = base.Make();
  const Plan& plan = base.plan;
  // There are 2 x 3 x 2 tiles, each with 4 waves, and 64 queues of 256 bytes.
  std::string zero = "hipMemsetD32Async " + std::to_string(plan.zeroed_bytes / 4) + " on stream 7";
  std::string launch =
      "hipModuleLaunchKernel " + std::string(kKernel) + " 12 1 1 256 1 1 0 on stream 7 of device ";
  CHECK_THAT(plan.zeroed_bytes == 64 * 256, "%ld", plan.zeroed_bytes);
  Expect("launch", Execute(call), {"hipGetDevice", zero, launch + "0"});
  Expect("launch elsewhere", Execute(call, 1),
         {"hipGetDevice", "hipSetDevice 1", zero, launch + "1", "hipSetDevice 0"});

  char* start = base.workspace_start();
  GemmArgs a = fake->arguments;
  CHECK_THAT(a.lhs == &base.operands[0] && a.rhs == &base.operands[1] &&
                 a.bias == &base.operands[2] &&
                 static_cast<const void*>(a.scale) == &base.operands[3] &&
                 static_cast<const void*>(a.row_scale) == &base.operands[4] && a.out == &base.out &&
                 a.preact == &base.preact,
             "operands");
  CHECK_THAT(reinterpret_cast<char*>(a.claims) == start, "claims");
  CHECK_THAT(a.m == 300 && a.n == 200 && a.k == 100, "sizes");
  CHECK_THAT(a.lhs_batch_stride == 300 * 100 && a.rhs_batch_stride == 0 &&
                 a.bias_batch_stride == 200 && a.scale_batch_stride == 0 && a.scale_stride == 0 &&
                 a.row_scale_batch_stride == 300 && a.row_scale_stride == 1,
             "strides");
  CHECK_THAT(a.map.grid.batch == 2 && a.map.grid.tiles_m == 3 && a.map.grid.tiles_n == 2 &&
                 a.map.grid.tiles_k == 2 && a.map.whole_tiles == 12 && a.map.cut_tiles == 0,
             "tiles");
  CHECK_THAT(a.claim.num_workgroups == 12 && a.claim.num_queues == 64 && a.claim_ahead, "claims");
  // Each queue has its own tiles, so indices are not remapped to XCDs in addition.
  CHECK_THAT(a.claim.num_xcds == 8 && a.map.grid.num_xcds == 1, "XCDs");
  CHECK_THAT(a.out_dtype == DType::kBF16 && a.activation == Activation::kGelu, "epilogue");
  for (int64_t i = 0; i < plan.workspace_bytes - 64; ++i) {
    CHECK_THAT((start[i] == 0) == (i < plan.zeroed_bytes), "workspace byte %ld", i);
  }

  // Without anything to zero, the launch is the only call.
  Case plain;
  plain.config.schedule = Schedule::kPersistent;
  plain.problem.bias = plain.problem.scale = plain.problem.row_scale = false;
  plain.problem.save_preact = false;
  Expect("plain launch", Execute(plain.Make()), {"hipGetDevice", launch + "0"});
  a = fake->arguments;
  CHECK_THAT(
      !a.bias && !a.scale && !a.row_scale && !a.preact && a.claim.num_queues == 0 && !a.claim_ahead,
      "plain");
}

void TestStreamK() {
  for (Reduction reduction : {Reduction::kTree, Reduction::kAtomic}) {
    Case base;
    base.problem.batch = 1, base.problem.lhs_batched = false;
    base.problem.m = base.problem.n = 128, base.problem.k = 64 * 10;
    base.config = {.schedule = Schedule::kStreamK,
                   .reduction = reduction,
                   .num_workgroups = 4,
                   .kernel = kKernel};
    FakeCall call = base.Make();
    // lhs and rhs have no batch, so their shapes have rank 2.
    FakeCall flat;
    flat.attributes = call.attributes;
    flat.AddArg(XLA_FFI_DataType_BF16, &base.operands[0], {128, 640});
    flat.AddArg(XLA_FFI_DataType_BF16, &base.operands[1], {128, 640});
    flat.AddArg(XLA_FFI_DataType_F32, &base.operands[2], {128});
    flat.AddArg(XLA_FFI_DataType_F32, &base.operands[3], {128});
    flat.AddArg(XLA_FFI_DataType_F32, &base.operands[4], {1});
    flat.AddRet(XLA_FFI_DataType_BF16, &base.out, {128, 128});
    flat.AddRet(XLA_FFI_DataType_BF16, &base.preact, {128, 128});
    flat.AddRet(XLA_FFI_DataType_U8, base.workspace.data(), {base.plan.workspace_bytes});
    std::string error = Execute(flat);
    CHECK_THAT(error.empty(), "%s", error.c_str());
    fake->Take();
    GemmArgs a = fake->arguments;
    const Plan& plan = base.plan;
    char* start = base.workspace_start();
    bool atomic = reduction == Reduction::kAtomic;
    CHECK_THAT(a.map.cut_tiles == 1 && a.map.num_shares == 4 && a.reduction == reduction,
               "stream-K");
    CHECK_THAT(reinterpret_cast<char*>(a.arrivals) == start + plan.arrivals_offset &&
                   static_cast<char*>(a.partials) ==
                       start + (atomic ? plan.atomic_offset : plan.partials_offset) &&
                   a.scale_stride == 1 && a.row_scale_stride == 0,
               "workspace");
  }
}

// The arguments of out[300, n] = lhs[300, k] rhs[n, k]^T, launched on more workgroups than there
// are tiles. `at` is where lhs begins in its buffer. A batch has its own lhs, and shares rhs.
GemmArgs ArgsOfOne(int64_t n, int64_t k, Schedule schedule, int at = 0, bool bias = false,
                   int64_t batch = 1) {
  alignas(16) static char lhs[32], rhs[16], out[16], vector[16];
  Case base;
  base.problem = {.batch = batch,
                  .m = 300,
                  .n = n,
                  .k = k,
                  .lhs_dtype = DType::kBF16,
                  .rhs_dtype = DType::kBF16,
                  .out_dtype = DType::kBF16,
                  .rhs_contracting = 1,
                  .lhs_batched = batch > 1,
                  .bias = bias};
  base.config = {.schedule = schedule, .num_workgroups = 12, .kernel = kKernel};
  FakeCall call;
  call.attributes = base.Make().attributes;
  auto rows_of = [&](int64_t columns) -> std::vector<int64_t> {
    if (batch > 1) return {batch, 300, columns};
    return {300, columns};
  };
  call.AddArg(XLA_FFI_DataType_BF16, lhs + at, rows_of(k));
  call.AddArg(XLA_FFI_DataType_BF16, rhs, {n, k});
  if (bias) call.AddArg(XLA_FFI_DataType_F32, vector, {n});
  call.AddRet(XLA_FFI_DataType_BF16, out, rows_of(n));
  call.AddRet(XLA_FFI_DataType_U8, base.workspace.data(), {base.plan.workspace_bytes});
  const std::string error = Execute(call);
  CHECK_THAT(error.empty(), "%s", error.c_str());
  const int size = fake->arguments.one_tile.size;
  const std::string launch =
      std::string(kKernel) + " " + std::to_string(size > 0 ? size : 12) + " ";
  CHECK_THAT(fake->Take().back().starts_with("hipModuleLaunchKernel " + launch), "%s",
             launch.c_str());
  return fake->arguments;
}

// The launcher decides whether the kernel's RunOneTile computes a product.
void TestOneTile() {
  const Schedule whole = Schedule::kPersistent;
  GemmArgs a = ArgsOfOne(200, 104, whole);
  CHECK_THAT(a.one_tile.size == 6 && a.one_tile.tiles_k == 2 && a.only_rounded, "%d workgroups",
             a.one_tile.size);
  a = ArgsOfOne(200, 104, whole, 0, /*bias=*/true);
  CHECK_THAT(a.one_tile.size == 6 && !a.only_rounded, "a bias is not only rounded");
  a = ArgsOfOne(200, 104, whole, 0, /*bias=*/false, /*batch=*/2);
  CHECK_THAT(a.one_tile.size == 12 && a.one_tile.batch_tiles == 6, "%d workgroups of two batches",
             a.one_tile.size);
  // Stream-K has two slices of each tile.
  a = ArgsOfOne(200, 6400, Schedule::kStreamK);
  CHECK_THAT(a.one_tile.size == 12 && a.one_tile.slices == 2, "%d slices", a.one_tile.slices);
  CHECK_THAT(ArgsOfOne(200, 100, whole).one_tile.size == 0, "lines that are not whole vectors");
  CHECK_THAT(ArgsOfOne(202, 104, whole).one_tile.size == 0, "rows of out that are not");
  CHECK_THAT(ArgsOfOne(200, 104, whole, 2).one_tile.size == 0, "an address that is not aligned");
  CHECK_THAT(ArgsOfOne(2000, 104, whole).one_tile.size == 0, "several tiles of a workgroup");
  CHECK_THAT(ArgsOfOne(200, 104, whole, 0, /*bias=*/false, /*batch=*/3).one_tile.size == 0,
             "several tiles of a workgroup in three batches");
  CHECK_THAT(ArgsOfOne(200, 104, Schedule::kWorkStealing).one_tile.size == 0, "tiles to steal");
}

void TestNothingToDo() {
  Case base;
  base.problem.m = 0;
  Expect("no rows", Execute(base.Make()), {});
  Case deep;
  deep.problem.k = 0;  // there is still a launch, because out = epilogue(0)
  std::string error = Execute(deep.Make());
  CHECK_THAT(error.empty() && fake->Take().size() == 3, "k = 0: %s", error.c_str());
}

void TestFailuresToLaunch() {
  Case base;
  FakeCall call = base.Make();
  for (const char* function : {"hipGetDevice", "hipMemsetD32Async", "hipModuleLaunchKernel"}) {
    fake->failing = function;
    ExpectError(function, Execute(call), "hipErrorFake: as the test wanted");
  }
  Calls calls = fake->Take();
  fake->failing = "";
  CHECK_THAT(calls.size() == 1 + 2 + 3, "calls after a failure: %s", Text(calls).c_str());
  call.attributes["tile_m"] = int64_t{64};
  ExpectError("no such tile", Execute(call), "has other operands or another tile");
  call = base.Make();
  call.attributes["target"] = "gfx1";
  ExpectError("no such target", Execute(call), "target 'gfx1' is unknown");
  call = base.Make();
  call.AddArg(XLA_FFI_DataType_F32, &base.operands[0], {1});
  ExpectError("an operand too many", Execute(call), "got 6 operands");
  call = base.Make();
  call.attributes["target"] = "cpu";
  call.attributes["kernel"] = "";
  CHECK_THAT(!Execute(call).empty(), "lowered for the CPU");
  CHECK_THAT(fake->Take().empty(), "a refused call calls the runtime");
}

// Programs start on all devices at the same time.
void TestThreads() {
  RunOnThreads(64, 8, [&](int64_t index) {
    // Each call has its own buffers, as in XLA.
    Case base;
    FakeCall call = base.Make();
    int device = 2 + static_cast<int>(index % 8);
    std::string error = Initialize(call, device);
    if (error.empty()) error = Execute(call, device);
    CHECK_THAT(error.empty(), "%s", error.c_str());
  });
  std::map<std::string, int> count;
  for (const std::string& text : fake->Take()) {
    if (text.starts_with("hipModuleLoadData")) ++count[text];
    if (text.starts_with("hipModuleLaunchKernel")) ++count["launches"];
  }
  CHECK_THAT(count.size() == 9 && count["launches"] == 64, "%zu, %d", count.size(),
             count["launches"]);
  for (const auto& [load, times] : count) {
    if (load != "launches") CHECK_THAT(times == 1, "%s: %d times", load.c_str(), times);
  }
}

// The table of [batch, tokens, top_k] choices, with a workspace of so many integers.
FakeCall MakeTable(std::vector<int64_t> chosen, int64_t num_experts, int64_t words) {
  static int32_t unread;  // only addresses matter
  const std::vector<int64_t> rows = {chosen[0], chosen[1] * chosen[2]};
  FakeCall call;
  call.AddArg(XLA_FFI_DataType_S32, &unread, chosen);
  call.AddRet(XLA_FFI_DataType_S32, &unread, {chosen[0], num_experts});
  for (int i = 0; i < 3; ++i) call.AddRet(XLA_FFI_DataType_S32, &unread, rows);
  call.AddRet(XLA_FFI_DataType_S32, &unread, chosen);
  call.AddRet(XLA_FFI_DataType_S32, &unread, {words});
  return call;
}
FakeCall MakeTopK(int64_t tokens, int64_t num_experts, int64_t top_k) {
  static float unread;
  FakeCall call;
  call.AddArg(XLA_FFI_DataType_F32, &unread, {tokens, num_experts});
  call.AddRet(XLA_FFI_DataType_S32, &unread, {tokens, top_k});
  call.AddRet(XLA_FFI_DataType_F32, &unread, {tokens, top_k});
  return call;
}

FakeCall MakeGated(XLA_FFI_DataType dtype, int64_t rows, int64_t length,
                   std::string activation = "silu") {
  static float unread;
  FakeCall call;
  call.AddArg(dtype, &unread, {rows, 2, length});
  call.AddArg(dtype, &unread, {rows, length});
  call.AddArg(XLA_FFI_DataType_F32, &unread, {rows});
  call.AddRet(dtype, &unread, {rows, 2, length});
  call.AddRet(dtype, &unread, {rows, length});
  call.AddRet(XLA_FFI_DataType_F32, &unread, {rows});
  call.attributes["activation"] = std::move(activation);
  return call;
}

// The same with `results` rows of results, and so many operands and places.
FakeCall MakePlaced(int64_t rows, int64_t results, int64_t places, bool in_place = true,
                    int operands = 8) {
  static float unread, elsewhere;
  constexpr auto kS32 = XLA_FFI_DataType_S32, kF32 = XLA_FFI_DataType_F32,
                 kBf16 = XLA_FFI_DataType_BF16;
  FakeCall call;
  const auto add = [&call, &operands](XLA_FFI_DataType dtype, float* data,
                                      std::vector<int64_t> sizes) {
    if (operands-- > 0) call.AddArg(dtype, data, std::move(sizes));
  };
  add(kBf16, &unread, {rows, 2, 8});
  add(kBf16, &unread, {rows, 8});
  add(kF32, &unread, {rows});
  add(kS32, &unread, {places});
  add(kS32, &unread, {1});
  add(kBf16, &unread, {results, 2, 8});
  add(kBf16, in_place ? &unread : &elsewhere, {results, 8});
  add(kF32, &unread, {results});
  call.AddRet(kBf16, &unread, {results, 2, 8});
  call.AddRet(kBf16, &unread, {results, 8});
  call.AddRet(kF32, &unread, {results});
  call.attributes["activation"] = "silu";
  return call;
}

// 33 rows of 64 elements in float8.
FakeCall MakeQuantized(XLA_FFI_DataType format) {
  static char memory[33 * 64 * 2];
  FakeCall call;
  call.attributes["activation"] = "";
  call.attributes["block"] = int64_t{0};
  call.AddArg(XLA_FFI_DataType_BF16, memory, {33, 64});
  call.AddArg(XLA_FFI_DataType_S32, memory, {2});
  call.AddRet(format, memory, {33, 64});
  call.AddRet(XLA_FFI_DataType_F32, memory, {33, 1});
  return call;
}

FakeCall MakeGather(XLA_FFI_DataType dtype, int64_t lines, int64_t rows, int64_t length,
                    int64_t bounds = 2) {
  static float unread;
  FakeCall call;
  call.AddArg(dtype, &unread, {lines, length});
  call.AddArg(XLA_FFI_DataType_S32, &unread, {rows});
  call.AddArg(XLA_FFI_DataType_S32, &unread, {bounds});
  call.AddRet(dtype, &unread, {rows, length});
  return call;
}

void TestRouting() {
  const auto run = [](const FakeCall& call, XLA_FFI_Handler* handler) {
    return call.Run(handler, XLA_FFI_ExecutionStage_EXECUTE, 0, kStream);
  };
  const auto initialize = [](const FakeCall& call) {
    return call.Run(kRocmRoutingHandlers.initialize, XLA_FFI_ExecutionStage_INITIALIZE, 0, nullptr);
  };
  const auto& [table, top_k, gated, quantized_gated, quantize, columns, gather] =
      kRocmRoutingHandlers.captured;
  for (XLA_FFI_Handler* handler :
       {table, top_k, gated, quantized_gated, quantize, columns, gather}) {
    CHECK_THAT(TraitsOf(handler) == XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE, "traits");
  }
  const auto& plain = kRocmRoutingHandlers.uncaptured;
  for (XLA_FFI_Handler* handler : {plain.table, plain.top_k, plain.gated, plain.quantized_gated,
                                   plain.quantize, plain.columns, plain.gather}) {
    CHECK_THAT(TraitsOf(handler) == 0, "traits");
  }

  const FakeCall few = MakeTable({2, 256, 8}, 128, 0);
  ExpectError("not loaded", run(few, table), "Initialize stage has not run");
  for (const char* function :
       {"hipDeviceGetAttribute", "hipGetDevice", "hipModuleLoadData", "hipModuleGetFunction"}) {
    fake->failing = function;
    ExpectError(function, initialize(few), "hipErrorFake: as the test wanted");
  }
  fake->failing = "";
  Calls calls = fake->Take();
  CHECK_THAT(calls.back() == "hipModuleUnload", "%s", Text(calls).c_str());
  Calls loading{"hipDeviceGetAttribute 0",
                "hipDeviceGetAttribute 0",
                "hipGetDevice",
                "hipModuleLoadData 'code of routing' on 0",
                "hipModuleGetFunction jaxgemm_routing_counts",
                "hipModuleGetFunction jaxgemm_routing_table",
                "hipModuleGetFunction jaxgemm_top_k"};
  for (const char* kernel : {"gated_gradient", "quantized_gradient", "quantize_rows",
                             "quantize_hidden", "quantize_columns"}) {
    for (const char* dtype : {"float32", "float16", "bfloat16"}) {
      loading.push_back(std::string("hipModuleGetFunction jaxgemm_") + kernel + "_" + dtype);
    }
  }
  loading.push_back("hipModuleGetFunction jaxgemm_gather_rows");
  Expect("loading", initialize(few), loading);
  Expect("loading again", initialize(few), {});

  const auto launch = [](std::string kernel, int grid, int block) {
    return "hipModuleLaunchKernel jaxgemm_" + kernel + " " + std::to_string(grid) + " 1 1 " +
           std::to_string(block) + " 1 1 0 on stream 7 of device 0";
  };
  Expect("few choices", run(few, table), {"hipGetDevice", launch("routing_table", 2, 512)});
  // 2056 choices of each of the batch are three parts of 1024.
  const int64_t words = TableWorkspace(2, 257 * 8, 128);
  CHECK_THAT(words == 2 * 3 * 128, "%ld", words);
  Expect("many choices", run(MakeTable({2, 257, 8}, 128, words), table),
         {"hipGetDevice", launch("routing_counts", 6, 512), "hipGetDevice",
          launch("routing_table", 6, 512)});
  Expect("an empty batch", run(MakeTable({0, 513, 8}, 128, 0), table), {});
  Expect("no tokens", run(MakeTable({1, 0, 8}, 128, 0), table),
         {"hipGetDevice", launch("routing_table", 1, 512)});
  Expect("top-k", run(MakeTopK(9, 128, 8), top_k), {"hipGetDevice", launch("top_k", 3, 256)});
  Expect("top-k without tokens", run(MakeTopK(0, 128, 8), top_k), {});

  // The workgroups have 32 rows of up to 64 vectors of 16 bytes, 16 of up to 128, or one.
  constexpr auto kBf16 = XLA_FFI_DataType_BF16, kF16 = XLA_FFI_DataType_F16,
                 kF32 = XLA_FFI_DataType_F32, kF64 = XLA_FFI_DataType_F64;
  Expect("short rows", run(MakeGated(kBf16, 33, 8), gated),
         {"hipGetDevice", launch("gated_gradient_bfloat16", 2, 256)});
  Expect("rows of 128 vectors", run(MakeGated(kF32, 33, 512), gated),
         {"hipGetDevice", launch("gated_gradient_float32", 3, 256)});
  Expect("long rows", run(MakeGated(kF16, 33, 16384), gated),
         {"hipGetDevice", launch("gated_gradient_float16", 33, 256)});
  Expect("no rows", run(MakeGated(kF16, 0, 16384), gated), {});
  Expect("no columns", run(MakeGated(kF32, 33, 0), gated),
         {"hipGetDevice", launch("gated_gradient_float32", 2, 256)});
  ExpectError("half of a vector", run(MakeGated(kBf16, 33, 12), gated), "no multiple of 16 bytes");
  ExpectError("another dtype", run(MakeGated(kF64, 33, 16), gated), "another dtype than float32");
  ExpectError("another activation", run(MakeGated(kF32, 33, 16, "gelu"), gated),
              "no kernel for the activation gelu");
  ExpectError("too many rows", run(MakeGated(kF32, int64_t{1} << 30, 4), gated),
              "1073741824 rows are more than one kernel takes");

  Expect("places", run(MakePlaced(33, 77, 33), gated),
         {"hipGetDevice", launch("gated_gradient_bfloat16", 2, 256)});
  Expect("places in nothing", run(MakePlaced(33, 0, 33, false), gated),
         {"hipGetDevice", launch("gated_gradient_bfloat16", 2, 256)});
  FakeCall counted = MakeGated(kBf16, 33, 8);
  static int32_t count;
  counted.AddArg(XLA_FFI_DataType_S32, &count, {1});
  Expect("a count", run(counted, gated),
         {"hipGetDevice", launch("gated_gradient_bfloat16", 2, 256)});
  ExpectError("two counts", run(MakePlaced(33, 33, 2, true, 4), gated), "not one number");
  Expect("gathered rows", run(MakeGather(kBf16, 5, 33, 8), gather),
         {"hipGetDevice", launch("gather_rows", 2, 256)});
  Expect("gathered rows of 8 bits", run(MakeGather(XLA_FFI_DataType_U8, 5, 33, 2048), gather),
         {"hipGetDevice", launch("gather_rows", 3, 256)});
  Expect("no gathered rows", run(MakeGather(kBf16, 5, 0, 8), gather), {});
  ExpectError("half of a vector", run(MakeGather(kBf16, 5, 33, 12), gather), "16 bytes");
  ExpectError("three bounds", run(MakeGather(kBf16, 5, 33, 8, 3), gather), "do not fit each other");
  ExpectError("few places", run(MakePlaced(33, 77, 32), gated), "s32 places of the 33 rows");
  ExpectError("an operand too few", run(MakePlaced(33, 77, 33, true, 7), gated),
              "three arrays that are written over");
  ExpectError("results elsewhere", run(MakePlaced(33, 77, 33, false), gated),
              "not in the memory of the arrays");
  ExpectError("other rows without places", run(MakePlaced(33, 77, 33, true, 3), gated),
              "do not fit each other");
  ExpectError("a small workspace", run(MakeTable({2, 257, 8}, 128, words - 1), table),
              "the workspace is too small");

  // The fake's device stores FNUZ.
  constexpr auto kE4m3 = XLA_FFI_DataType_F8E4M3FN, kE5m2 = XLA_FFI_DataType_F8E5M2;
  Expect("rows in float8", run(MakeQuantized(XLA_FFI_DataType_F8E4M3FNUZ), quantize),
         {"hipGetDevice", launch("quantize_rows_bfloat16", 2, 256)});
  ExpectError("rows in e4m3 of OCP", run(MakeQuantized(kE4m3), quantize),
              "store float8_e4m3fnuz, and float8_e4m3fn is wanted");
  ExpectError("rows in e5m2 of OCP", run(MakeQuantized(kE5m2), quantize),
              "store float8_e5m2fnuz, and float8_e5m2 is wanted");
  ExpectError("many experts", run(MakeTable({1, 2, 2}, 513, 0), table), "at most 512 experts");
  ExpectError("no experts", run(MakeTable({1, 2, 2}, 0, 0), table), "do not fit each other");
  ExpectError("top-k of many experts", run(MakeTopK(1, 1025, 8), top_k), "8 of 1025 experts");
  ExpectError("many of few experts", run(MakeTopK(1, 4, 5), top_k), "5 of 4 experts");
  CHECK_THAT(fake->Take().empty(), "a refused call calls the runtime");
  fake->failing = "hipModuleLaunchKernel";
  ExpectError("a launch that fails", run(few, table), "kernel jaxgemm_routing_table, device 0");
  fake->failing = "";
  fake->Take();
}

void TestMissingRuntime() {
  if (void* library = dlopen("libamdhip64.so", RTLD_NOW)) {
    dlclose(library);
    std::printf("ROCm is installed: its absence is not tested\n");
    return;
  }
  Case base;
  ExpectError("no runtime", Initialize(base.Make()), "libamdhip64.so to LD_LIBRARY_PATH");
}

}  // namespace
}  // namespace jaxgemm

int main(int argc, char** argv) {
  using namespace jaxgemm;
  namespace fs = std::filesystem;
  const fs::path self = fs::canonical("/proc/self/exe"), folder = self.parent_path() / "fake_hip";
  // JAX's plugin opens its runtime first, here one of a version that has no name in hip.cc.
  const fs::path library = folder / "libamdhip64.so.10";
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "missing") {
    TestMissingRuntime();
    return failures != 0;
  }
  if (mode != "present") {
    // The dynamic loader reads this at the start; the folder comes before installed runtimes.
    setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
    fs::remove(library);
    CHECK_THAT(std::system(("'" + self.string() + "' missing").c_str()) == 0, "no runtime");
    fs::create_symlink(folder / "libfake_hip.so", library);
    return failures + std::system(("'" + self.string() + "' present").c_str()) != 0;
  }

  void* opened = dlopen(library.filename().c_str(), RTLD_NOW);
  fake = reinterpret_cast<GetFakeHip*>(dlsym(opened, "jaxgemm_fake_hip"))();
  fs::create_directories(folder / "kernels" / "gfx942");
  std::ofstream(folder / "kernels" / "gfx942" / (std::string(kKernel) + ".hsaco"))
      << "code of " << kKernel << '\0';
  std::ofstream(folder / "kernels" / "gfx942" / (std::string(kCutShort) + ".hsaco"))
      << ELFMAG << "and no headers";
  std::ofstream(folder / "kernels" / "gfx942" / "routing.hsaco") << "code of routing" << '\0';
  SetKernelFolder((folder / "kernels").string());

  TestCommandBuffers();
  TestRouting();
  TestFailuresToLoad();
  TestLoadsOncePerDevice();
  TestLaunch();
  TestStreamK();
  TestOneTile();
  TestNothingToDo();
  TestFailuresToLaunch();
  TestThreads();
  std::printf("rocm_handler_test: %d failures\n", failures);
  return failures != 0;
}
