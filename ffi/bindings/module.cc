// The Python module jaxgemm._jaxgemm: custom call targets, the planner, and what tests and
// explain() need to see of the schedule core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "bindings/chunk_handlers.h"
#include "bindings/handlers.h"
#include "host/producer.h"
#include "host/trace.h"
#include "host/workgroups.h"
#include "plan/check.h"
#include "plan/plan.h"
#include "plan/relayout_sm90.h"
#include "runtime/emulated.h"
#include "runtime/launcher.h"

namespace nb = nanobind;

namespace jaxgemm {
namespace {

std::string Get(const nb::dict& dict, const char* key) { return nb::cast<std::string>(dict[key]); }
int64_t GetInt(const nb::dict& dict, const char* key) { return nb::cast<int64_t>(dict[key]); }

template <class E>
E GetEnum(const nb::dict& dict, const char* key) {
  std::string name = Get(dict, key);
  E value;
  if (!Parse(name, &value)) {
    std::string error = std::string(key) + "='" + name + "'; allowed are";
    for (std::string_view each : Names<E>()) error += " '" + std::string(each) + "'";
    throw nb::value_error((error + ".").c_str());
  }
  return value;
}

Problem ParseProblem(const nb::dict& dict) {
  return {.batch = GetInt(dict, "batch"),
          .m = GetInt(dict, "m"),
          .n = GetInt(dict, "n"),
          .k = GetInt(dict, "k"),
          .lhs_dtype = GetEnum<DType>(dict, "lhs_dtype"),
          .rhs_dtype = GetEnum<DType>(dict, "rhs_dtype"),
          .out_dtype = GetEnum<DType>(dict, "out_dtype"),
          .lhs_contracting = GetInt(dict, "lhs_contracting"),
          .rhs_contracting = GetInt(dict, "rhs_contracting"),
          .lhs_batched = GetInt(dict, "lhs_batched") != 0,
          .rhs_batched = GetInt(dict, "rhs_batched") != 0,
          .bias = GetInt(dict, "bias") != 0,
          .scale = GetInt(dict, "scale") != 0,
          .save_preact = GetInt(dict, "save_preact") != 0,
          .activation = GetEnum<Activation>(dict, "activation"),
          .ragged = GetEnum<Ragged>(dict, "ragged"),
          .groups = GetInt(dict, "groups"),
          .local_groups = GetInt(dict, "local_groups"),
          .group_offset = GetInt(dict, "group_offset") != 0,
          .sizes_batched = GetInt(dict, "sizes_batched") != 0,
          .accumulate = GetInt(dict, "accumulate") != 0,
          .gated = GetInt(dict, "gated") != 0,
          .tiles_per_chunk = GetInt(dict, "tiles_per_chunk"),
          .pivot = GetInt(dict, "pivot"),
          .num_chunks = GetInt(dict, "num_chunks"),
          .timeout_ns = GetInt(dict, "timeout_ns"),
          .signals_batched = GetInt(dict, "signals_batched") != 0};
}

Config ParseConfig(const nb::dict& dict) {
  return {.schedule = GetEnum<Schedule>(dict, "schedule"),
          .reduction = GetEnum<Reduction>(dict, "reduction"),
          .deterministic = GetInt(dict, "deterministic") != 0,
          .tile_m = GetInt(dict, "tile_m"),
          .tile_n = GetInt(dict, "tile_n"),
          .tile_k = GetInt(dict, "tile_k"),
          .num_workgroups = GetInt(dict, "num_workgroups"),
          .group_m = GetInt(dict, "group_m"),
          .num_queues = GetInt(dict, "num_queues"),
          .num_shares = GetInt(dict, "num_shares"),
          .claim_ahead = GetInt(dict, "claim_ahead"),
          .kernel = nb::cast<const char*>(dict["kernel"])};
}

nb::dict PlanDict(const nb::dict& problem_dict, const nb::dict& config_dict,
                  const std::string& target) {
  const Problem given = ParseProblem(problem_dict);
  Config asked = ParseConfig(config_dict);
  Plan plan;
  std::string error;
  const Target* found = FindTarget(target, &error);
  if (found) error = CheckProblem(given, *found);
  if (!error.empty()) throw nb::value_error(error.c_str());
  const Relayout relayout = ChooseRelayout(given, asked, *found);
  const Problem p = Relaid(given, relayout);
  error = MakePlan(p, asked, target, &plan);
  const Config& c = plan.config;
  auto str = [](std::string_view name) { return std::string(name); };
  std::string kernel = str(c.kernel);
  if (error.empty() && !plan.instance) {
    const HostKernel* host = ChooseHostKernel(p.lhs_dtype, p.rhs_dtype, c.kernel, &error);
    if (host) kernel = host->name;
  }
  if (!error.empty()) throw nb::value_error(error.c_str());

  nb::dict attrs;
  attrs["accumulate"] = int64_t{p.accumulate};
  attrs["activation"] = str(Name(p.activation));
  attrs["bias"] = int64_t{p.bias};
  attrs["claim_ahead"] = c.claim_ahead;
  attrs["gated"] = int64_t{p.gated};
  attrs["group_m"] = c.group_m;
  attrs["group_offset"] = int64_t{p.group_offset};
  attrs["kernel"] = str(c.kernel);
  attrs["lhs_contracting"] = p.lhs_contracting;
  attrs["num_queues"] = c.num_queues;
  attrs["num_shares"] = c.num_shares;
  attrs["num_threads"] = c.num_threads;
  attrs["num_workgroups"] = c.num_workgroups;
  attrs["ragged"] = str(Name(p.ragged));
  attrs["reduction"] = str(Name(c.reduction));
  attrs["rhs_contracting"] = p.rhs_contracting;
  attrs["save_preact"] = int64_t{p.save_preact};
  attrs["scale"] = int64_t{p.scale};
  attrs["schedule"] = str(Name(c.schedule));
  attrs["target"] = target;
  attrs["tile_idx_pivot_m"] = p.pivot;
  attrs["tile_k"] = c.tile_k;
  attrs["tile_m"] = c.tile_m;
  attrs["tile_n"] = c.tile_n;
  attrs["tiles_per_chunk_m"] = p.tiles_per_chunk;
  attrs["timeout_ns"] = p.timeout_ns;

  nb::dict result;
  result["attrs"] = attrs;
  result["target"] = target;
  result["kernel"] = kernel;
  result["schedule"] = attrs["schedule"];
  result["reduction"] = attrs["reduction"];
  result["tile"] = nb::make_tuple(c.tile_m, c.tile_n, c.tile_k);
  result["tiles"] = nb::make_tuple(plan.grid.tiles_m, plan.grid.tiles_n, plan.grid.tiles_k);
  result["num_workgroups"] = c.num_workgroups;
  result["num_queues"] = c.num_queues;
  result["workspace_bytes"] = plan.workspace_bytes;
  result["zeroed_bytes"] = plan.zeroed_bytes;
  result["status_offset"] = plan.status_offset;
  result["reasons"] = Reasons(p, asked, plan);
  // What the caller has to copy first: the layouts and sizes that the attributes are for.
  nb::dict relaid;
  relaid["lhs"] = relayout.CopiesLhs(given);
  relaid["rhs"] = relayout.CopiesRhs(given);
  relaid["lhs_contracting"] = p.lhs_contracting;
  relaid["rhs_contracting"] = p.rhs_contracting;
  relaid["m"] = p.m;
  relaid["n"] = p.n;
  relaid["k"] = p.k;
  result["relayout"] = relaid;
  result["faster_by_xla"] = FasterByXla(given, asked, *found, relayout);
  return result;
}

// Replays a schedule one claim at a time: workgroup order[i] claims i-th (one that has nothing
// left is passed over), and after `order` the grid goes round robin. Rows of (workgroup, batch,
// m, n, k_begin, k_end, peer, num_peers).
nb::object EnumerateWorkTiles(int64_t batch, int64_t tiles_m, int64_t tiles_n, int64_t tiles_k,
                              int64_t num_workgroups, int64_t num_queues, int64_t group_m,
                              int64_t num_xcds, int64_t cut_tiles, int64_t num_shares,
                              const std::vector<int64_t>& order) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  for (int64_t count : {batch, tiles_m, tiles_n, tiles_k, batch * tiles_m * tiles_n, num_workgroups,
                        num_queues, group_m, num_xcds, 2 * num_shares}) {
    if (count > kMost) throw nb::value_error("no such schedule: a count is 2**31 or more.");
  }
  auto index = [](int64_t count) { return static_cast<Index>(count); };
  TileGrid grid{index(batch),   index(tiles_m), index(tiles_n),
                index(tiles_k), index(group_m), index(num_xcds)};
  if (batch < 0 || tiles_m < 0 || tiles_n < 0 || tiles_k < 0 || num_workgroups < 1 ||
      num_queues < 0 || group_m < 1 || num_xcds < 1 || cut_tiles < 0 ||
      cut_tiles > grid.num_tiles() || (cut_tiles == 0) != (num_shares == 0) ||
      (cut_tiles > 0 && (num_shares < cut_tiles || num_shares > cut_tiles * tiles_k))) {
    throw nb::value_error(
        "no such schedule: counts must not be negative, num_workgroups, "
        "group_m and num_xcds at least 1, and cut_tiles <= num_shares <= "
        "cut_tiles * tiles_k.");
  }
  for (int64_t workgroup : order) {
    if (workgroup < 0 || workgroup >= num_workgroups) {
      throw nb::value_error("order names a workgroup that is not in the grid.");
    }
  }
  StreamKMap stream_k{grid, grid.num_tiles() - index(cut_tiles), index(cut_tiles),
                      index(num_shares)};
  DenseMap dense{grid};
  std::vector<int64_t> rows;
  auto emit = [&rows](int64_t workgroup, const WorkTile& tile) {
    if (!tile.valid) return;
    rows.insert(rows.end(), {workgroup, tile.batch, tile.m, tile.n, tile.k_begin, tile.k_end,
                             tile.peer, tile.num_peers});
  };
  std::vector<int32_t> counters(num_queues * StealClaim::kCounterStride);
  Index size = cut_tiles ? stream_k.size() : dense.size();
  auto replay = [&](auto claims) {
    std::vector<bool> done(num_workgroups);
    int64_t left = num_workgroups;
    for (size_t step = 0; left > 0; ++step) {
      // Once through the given order, the grid goes round robin, so that all finish.
      int64_t workgroup = step < order.size() ? order[step] : step % num_workgroups;
      if (done[workgroup]) continue;
      claims[workgroup].Start();
      Index index = claims[workgroup].Finish();
      if (index == kNoMoreWork) {
        done[workgroup] = true;
        --left;
      } else {
        emit(workgroup, cut_tiles ? stream_k(index) : dense(index));
      }
    }
  };
  if (num_queues > 0) {
    std::vector<StealClaim> claims;
    for (int64_t i = 0; i < num_workgroups; ++i) {
      claims.push_back({counters.data(), index(num_queues), index(i % num_queues), size});
    }
    replay(claims);
  } else {
    std::vector<StrideClaim> claims;
    for (int64_t i = 0; i < num_workgroups; ++i) {
      claims.push_back({index(i), index(num_workgroups), size});
    }
    replay(claims);
  }
  auto* data = new std::vector<int64_t>(std::move(rows));
  nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<int64_t>*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>(data->data(), {data->size() / 8, 8}, owner));
}

nb::dict Registrations(bool command_buffers) {
  auto capsule = [](XLA_FFI_Handler* handler) {
    return nb::capsule(reinterpret_cast<void*>(handler));
  };
  auto gpu = [&](XLA_FFI_Handler* initialize, XLA_FFI_Handler* captured,
                 XLA_FFI_Handler* uncaptured, XLA_FFI_Handler* chunked,
                 const ChunkHandlers& chunks) {
    nb::dict gemm, chunked_gemm, start, targets;
    gemm["initialize"] = capsule(initialize);
    gemm["execute"] = capsule(command_buffers ? captured : uncaptured);
    targets[kGemmTarget] = gemm;
    chunked_gemm["initialize"] = capsule(initialize);
    chunked_gemm["execute"] = capsule(chunked);
    targets[kChunkedGemmTarget] = chunked_gemm;
    start["initialize"] = capsule(chunks.start_initialize);
    start["execute"] = capsule(chunks.start);
    targets[kStartTarget] = start;
    targets[kJoinTarget] = capsule(chunks.join);
    targets[kStatusTarget] = capsule(chunks.status);
    return targets;
  };
  nb::dict cpu, platforms;
  cpu[kGemmTarget] = capsule(GemmHost);
  cpu[kChunkedGemmTarget] = capsule(GemmHost);
  cpu[kStartTarget] = capsule(StartHost);
  cpu[kJoinTarget] = capsule(JoinHost);
  platforms["cpu"] = cpu;
  platforms["ROCM"] =
      gpu(GemmRocmInitialize, GemmRocm, GemmRocmUncaptured, ChunkedGemmRocm, kRocmChunkHandlers);
  platforms["CUDA"] =
      gpu(GemmCudaInitialize, GemmCuda, GemmCudaUncaptured, ChunkedGemmCuda, kCudaChunkHandlers);
  return platforms;
}

// Why no kernel of the target takes these operands, or "".
std::string OperandsError(const std::string& lhs, const std::string& rhs,
                          const std::string& target_name) {
  std::string error;
  const Target* target = FindTarget(target_name, &error);
  DType lhs_dtype, rhs_dtype;
  if (!target || !Parse(lhs, &lhs_dtype) || !Parse(rhs, &rhs_dtype)) {
    throw nb::value_error(error.empty() ? "unknown dtype" : error.c_str());
  }
  return CheckOperands(lhs_dtype, rhs_dtype, *target);
}

std::vector<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>> EndTrace() {
  std::vector<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>> spans;
  for (const TracedSpan& span : StopTrace()) {
    spans.emplace_back(span.what, span.number, span.thread, span.begin_ns, span.end_ns);
  }
  return spans;
}

template <class E>
nb::tuple NameTuple(bool (*wanted)(E)) {
  nb::list names;
  for (size_t i = 0; i < Names<E>().size(); ++i) {
    auto value = static_cast<E>(i);
    if (!wanted || wanted(value)) names.append(std::string(Name(value)));
  }
  return nb::tuple(names);
}

nb::dict AllNames() {
  nb::dict result;
  result["operand_dtypes"] = NameTuple<DType>(IsOperand);
  result["out_dtypes"] = NameTuple<DType>(IsOut);
  result["activations"] = NameTuple<Activation>(nullptr);
  result["reductions"] = NameTuple<Reduction>(nullptr);
  result["schedules"] = NameTuple<Schedule>(nullptr);
  nb::dict targets;
#define JAXGEMM_TARGET(name, platform, num_cus, num_xcds, waves_per_cu) targets[name] = platform;
#include "spec/instances.def"
#undef JAXGEMM_TARGET
  result["targets"] = targets;
  nb::list gpu_kernels;
  for (const GpuInstance& instance : GpuInstances()) {
    gpu_kernels.append(nb::make_tuple(std::string(instance.target), instance.name));
  }
  result["gpu_kernels"] = gpu_kernels;
  return result;
}

nb::list HostKernels() {
  nb::list list;
#define JAXGEMM_HOST_KERNEL(family, math, symbol, cpu_features)    \
  {                                                                \
    const HostKernel* kernel = FindHostKernel(family, Math::math); \
    nb::dict entry;                                                \
    entry["name"] = family;                                        \
    entry["math"] = #math;                                         \
    entry["available"] = kernel != nullptr;                        \
    entry["runs"] = kernel ? nb::cast(kernel->name) : nb::none();  \
    list.append(entry);                                            \
  }
#include "spec/instances.def"
#undef JAXGEMM_HOST_KERNEL
  return list;
}

}  // namespace

NB_MODULE(_jaxgemm, m) {
  // Before jax frees its arrays, as it does later.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&WaitForHostCopies));
  m.def("registrations", &Registrations, nb::arg("command_buffers"),
        "Custom call targets as {platform: {target: capsule, or {stage: capsule}}}; whether "
        "XLA may put GPU calls into command buffers.");
  m.def("set_kernel_folder", &SetKernelFolder, nb::arg("folder"),
        "Where GPU code objects are: <folder>/<target>/<kernel>.hsaco or .cubin.");
  m.def("set_emulator_library", &SetEmulatorLibrary, nb::arg("path"),
        "What runs calls for a GPU target on the CPU.");
  m.def("names", &AllNames,
        "Names of element types, activations, reductions and schedules; targets by platform; "
        "(target, name) of the GPU kernels.");
  m.def("operands_error", &OperandsError, nb::arg("lhs"), nb::arg("rhs"), nb::arg("target"),
        "Why no kernel of a target takes these dtypes, or an empty string.");
  m.def("host_kernels", &HostKernels,
        "The CPU kernels of this build, best first, and whether this processor has them.");
  m.def("plan", &PlanDict, nb::arg("problem"), nb::arg("config"), nb::arg("target"),
        "Plans a product; raises ValueError with what was given and what is allowed.");
  m.def("start_trace", &StartTrace, "Records what the CPU's threads do from now on.");
  m.def("stop_trace", &EndTrace,
        "Ends it: a list of (what, number, thread, begin_ns, end_ns), where what is 'copy' (of "
        "chunk `number`), 'wait' or 'compute' (of tile row `number`).");
  m.def("enumerate_work_tiles", &EnumerateWorkTiles, nb::arg("batch"), nb::arg("tiles_m"),
        nb::arg("tiles_n"), nb::arg("tiles_k"), nb::arg("num_workgroups"),
        nb::arg("num_queues") = 0, nb::arg("group_m") = 1, nb::arg("num_xcds") = 1,
        nb::arg("cut_tiles") = 0, nb::arg("num_shares") = 0,
        nb::arg("order") = std::vector<int64_t>(),
        "Work tiles in the order in which a schedule hands them out: int64 rows of "
        "(workgroup, batch, m, n, k_begin, k_end, peer, num_peers).");
}

}  // namespace jaxgemm
