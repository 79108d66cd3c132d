// The Python module jaxgemm._jaxgemm: custom call targets, the planner, and functions of the
// schedule core for tests.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "bindings/chunk_handlers.h"
#include "bindings/exchange_handlers.h"
#include "bindings/handlers.h"
#include "bindings/peer_handlers.h"
#include "bindings/plan_dict.h"
#include "host/producer.h"
#include "host/trace.h"
#include "host/workgroups.h"
#include "plan/check.h"
#include "plan/plan.h"
#include "routing/handlers.h"
#include "routing/routing_args.h"
#include "runtime/emulated.h"
#include "runtime/launcher.h"
#include "weights/few_rows_call.h"

namespace nb = nanobind;

namespace jaxgemm {
namespace {

// Replays a schedule one claim at a time. Workgroup order[i] makes claim i; a workgroup without
// work is skipped; after `order` the workgroups claim in turn. Returns rows of (workgroup, batch,
// m, n, k_begin, k_end, peer, num_peers).
nb::object EnumerateWorkTiles(int64_t batch, int64_t tiles_m, int64_t tiles_n, int64_t tiles_k,
                              int64_t num_workgroups, int64_t num_queues, int64_t group_m,
                              int64_t num_xcds, int64_t cut_tiles, int64_t num_shares,
                              const std::vector<int64_t>& order) {
  constexpr int64_t kMax = (int64_t{1} << 31) - 1;
  for (int64_t count : {batch, tiles_m, tiles_n, tiles_k, batch * tiles_m * tiles_n, num_workgroups,
                        num_queues, group_m, num_xcds, 2 * num_shares}) {
    if (count > kMax) throw nb::value_error("no such schedule: a count is 2**31 or more.");
  }
  TileGrid grid{ToIndex(batch),   ToIndex(tiles_m), ToIndex(tiles_n),
                ToIndex(tiles_k), ToIndex(group_m), ToIndex(num_xcds)};
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
  StreamKMap stream_k{grid, grid.num_tiles() - ToIndex(cut_tiles), ToIndex(cut_tiles),
                      ToIndex(num_shares)};
  DenseMap dense{grid};
  std::vector<int64_t> rows;
  auto emit = [&rows](int64_t workgroup, const WorkTile& tile) {
    if (!tile.valid) return;
    rows.insert(rows.end(), {workgroup, tile.batch, tile.m, tile.n, tile.k_begin, tile.k_end,
                             tile.peer, tile.num_peers});
  };
  const ClaimArgs args{.num_workgroups = ToIndex(num_workgroups),
                       .num_queues = ToIndex(num_queues),
                       .num_xcds = ToIndex(num_xcds)};
  std::vector<int32_t> counters(args.num_counters());
  Index size = cut_tiles ? stream_k.size() : dense.size();
  std::vector<AnyClaim> claims;
  for (int64_t i = 0; i < num_workgroups; ++i) {
    const Index workgroup = ToIndex(i);
    claims.push_back(MakeClaim(args, counters.data(), workgroup, args.FirstQueue(workgroup), size));
  }
  std::vector<bool> done(num_workgroups);
  int64_t left = num_workgroups;
  for (size_t step = 0; left > 0; ++step) {
    // After the given order the workgroups claim in turn, so that all finish.
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
  auto* data = new std::vector<int64_t>(std::move(rows));
  nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<int64_t>*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>(data->data(), {data->size() / 8, 8}, owner));
}

nb::dict Registrations(bool command_buffers) {
  auto capsule = [](XLA_FFI_Handler* handler) {
    return nb::capsule(reinterpret_cast<void*>(handler));
  };
  auto gpu = [&](const GemmHandlers& gemms, const ChunkHandlers& chunks, const PeerHandlers& peers,
                 const ExchangeHandlers& exchanges, const RoutingHandlers& routing,
                 const FewRowsHandlers& few_rows) {
    auto stages = [&](XLA_FFI_Handler* initialize, XLA_FFI_Handler* execute) {
      nb::dict both;
      both["initialize"] = capsule(initialize);
      both["execute"] = capsule(execute);
      return both;
    };
    nb::dict targets;
    targets[kGemmTarget] =
        stages(gemms.initialize, command_buffers ? gemms.captured : gemms.uncaptured);
    targets[kChunkedGemmTarget] = stages(gemms.initialize, gemms.chunked);
    targets[kGatheredGemmTarget] = stages(peers.initialize, peers.gather);
    targets[kScatteredGemmTarget] = stages(peers.initialize, peers.scatter);
    targets[kExchangeStartTarget] = stages(exchanges.initialize, exchanges.start);
    targets[kExchangeDoneTarget] = capsule(exchanges.done);
    targets[kStartTarget] = stages(chunks.start_initialize, chunks.start);
    const auto& launches = command_buffers ? routing.captured : routing.uncaptured;
    targets[kTableTarget] = stages(routing.initialize, launches.table);
    targets[kTopKTarget] = stages(routing.initialize, launches.top_k);
    targets[kGatedTarget] = stages(routing.initialize, launches.gated);
    targets[kQuantizedGatedTarget] = stages(routing.initialize, launches.quantized_gated);
    targets[kQuantizeTarget] = stages(routing.initialize, launches.quantize);
    targets[kColumnsTarget] = stages(routing.initialize, launches.columns);
    targets[kGatherTarget] = stages(routing.initialize, launches.gather);
    targets[kFewRowsTarget] =
        stages(few_rows.initialize, command_buffers ? few_rows.captured : few_rows.uncaptured);
    targets[kJoinTarget] = capsule(chunks.join);
    targets[kStatusTarget] = capsule(chunks.status);
    return targets;
  };
  nb::dict cpu, platforms;
  cpu[kGemmTarget] = capsule(GemmHost);
  cpu[kChunkedGemmTarget] = capsule(GemmHost);
  cpu[kStartTarget] = capsule(StartHost);
  cpu[kJoinTarget] = capsule(JoinHost);
  cpu[kTableTarget] = capsule(TableHost);
  platforms["cpu"] = cpu;
  platforms["ROCM"] = gpu(kRocmGemmHandlers, kRocmChunkHandlers, kRocmPeerHandlers,
                          kRocmExchangeHandlers, kRocmRoutingHandlers, kRocmFewRowsHandlers);
  platforms["CUDA"] = gpu(kCudaGemmHandlers, kCudaChunkHandlers, kCudaPeerHandlers,
                          kCudaExchangeHandlers, kCudaRoutingHandlers, kCudaFewRowsHandlers);
  return platforms;
}

// The reason why no kernel of the target takes these operands, or "".
std::string OperandsError(const std::string& lhs, const std::string& rhs,
                          const std::string& target_name) {
  std::string error;
  const Chip chip = FindChip(target_name, 0, &error);
  DType lhs_dtype, rhs_dtype;
  if (!error.empty() || !Parse(lhs, &lhs_dtype) || !Parse(rhs, &rhs_dtype)) {
    throw nb::value_error(error.empty() ? "unknown dtype" : error.c_str());
  }
  return CheckOperands(lhs_dtype, rhs_dtype, chip);
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
  nb::list mx_targets, fnuz_targets;
#define JAXGEMM_TARGET(name, platform, family, float8, has_mx) \
  targets[name] = platform;                                    \
  if (has_mx) mx_targets.append(name);                         \
  if (Float8::float8 == Float8::kFnuz) fnuz_targets.append(name);
#include "spec/instances.def"
#undef JAXGEMM_TARGET
  result["targets"] = targets;
  result["mx_targets"] = mx_targets;
  result["fnuz_targets"] = fnuz_targets;
  nb::dict chips, rates;
#define JAXGEMM_CHIP(name, target, num_cus, num_xcds, waves_per_cu, mhz, gb_per_s) \
  chips[name] = nb::make_tuple(target, num_cus);                                   \
  rates[name] = nb::make_tuple(mhz, gb_per_s);
#include "spec/instances.def"
#undef JAXGEMM_CHIP
  result["chips"] = chips;
  result["rates"] = rates;
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
  // Waits for copies at the end of the process, before jax frees its arrays.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&WaitForHostCopies));
  m.def("registrations", &Registrations, nb::arg("command_buffers"),
        "Custom call targets as {platform: {target: capsule, or {stage: capsule}}}; whether "
        "XLA may put GPU calls into command buffers.");
  m.def("set_kernel_folder", &SetKernelFolder, nb::arg("folder"),
        "Sets the folder of the GPU code objects: <folder>/<target>/<kernel>.hsaco or .cubin.");
  m.def("set_emulator_library", &SetEmulatorLibrary, nb::arg("path"),
        "Sets the library that runs calls for a GPU target on the CPU.");
  m.def("names", &AllNames,
        "Names of element types, activations, reductions and schedules; targets by platform; "
        "(target, name) of the GPU kernels.");
  m.attr("most_timeout_ns") = kMostTimeoutNs;
  m.def("operands_error", &OperandsError, nb::arg("lhs"), nb::arg("rhs"), nb::arg("target"),
        "Why no kernel of a target takes these dtypes, or an empty string.");
  m.def("host_kernels", &HostKernels,
        "The CPU kernels of this build, best first, and whether this processor has them.");
  m.def("plan", &PlanDict, nb::arg("problem"), nb::arg("config"), nb::arg("target"),
        nb::arg("num_cus") = 0,
        "Plans a product; raises ValueError with what was given and what is allowed.");
  m.def("xla_rules", &XlaRulesList, "The rules by which products are left to XLA.");
  m.def("sm90_model", &Sm90ModelDict,
        "The constants of the model that ranks Hopper's candidates: (value, whether fitted).");
  m.def("sm90_predictor", &Sm90Predictor, nb::arg("calls"), nb::arg("chip"), nb::arg("num_cus") = 0,
        "Plans calls, (problem, config) each; returns a function of the model's constants: the "
        "cycles that the model predicts for each call.");
  m.attr("most_table_experts") = kMostTableExperts;
  m.attr("most_top_k") = nb::make_tuple(kMostTopKExperts, kMostTopK);
  m.def("table_workspace", &TableWorkspace, nb::arg("batch"), nb::arg("choices"),
        nb::arg("num_experts"),
        "The number of integers in the workspace of a routing table on a GPU.");
  m.def("start_trace", &StartTrace, "Records what the CPU's threads do from now on.");
  m.def("stop_trace", &EndTrace,
        "Stops recording and returns (what, number, thread, begin_ns, end_ns): what is 'copy' (of "
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
