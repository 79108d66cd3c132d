#include "runtime/emulated.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <utility>

#include "bindings/chunks.h"
#include "runtime/launcher.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// The emulator's library: ROCm's functions on one device of each architecture, and
// set_buffers, which only the emulator has.
struct Emulator {
  explicit Emulator(const Driver* driver) : launcher(driver) {}

  GpuLauncher launcher;
  // Declares the memory that this thread's next launch may access. Returns 0 if that succeeded.
  int (*set_buffers)(int count, const uint64_t* bases, const uint64_t* sizes,
                     const uint8_t* writable, const char* const* names) = nullptr;
};

struct State {
  std::mutex mutex;
  std::string library_path;
  OpenedOnce<Emulator> opened;
};
State& TheState() {
  static auto* state = new State;
  return *state;
}

Emulator* Open(const std::string& library_path, std::string* error) {
  if (library_path.empty()) {
    *error =
        "the call is for the emulator, which this process has not looked for yet. Trace one "
        "with implementation='emulated:...' first, or run jaxgemm.explain on it.";
    return nullptr;
  }
  void* library = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *error = std::string("the emulator cannot be opened: ") + dlerror();
    return nullptr;
  }
  const Driver* driver = MakeHipDriver(library, library_path, /*advice=*/"", error);
  if (!driver) return nullptr;
  auto emulator = std::make_unique<Emulator>(driver);
  Resolve(library, "jaxgemm_emulator_set_buffers", &emulator->set_buffers, error);
  if (!error->empty()) {
    *error = library_path + " lacks " + *error + ". Build jaxgemm again.";
    return nullptr;
  }
  return emulator.release();
}

Emulator* Find(std::string* error) {
  State& state = TheState();
  return state.opened.Get([&state, error] {
    std::lock_guard lock(state.mutex);
    return Open(state.library_path, error);
  });
}

// The memory of a call, as set_buffers takes it.
struct Buffers {
  void Add(const char* name, const void* base, int64_t size, bool is_writable) {
    if (!base) return;
    names[count] = name;
    bases[count] = reinterpret_cast<uint64_t>(base);
    sizes[count] = static_cast<uint64_t>(size);
    writable[count] = is_writable;
    ++count;
  }

  static constexpr int kMost = 11;
  const char* names[kMost];
  uint64_t bases[kMost], sizes[kMost];
  uint8_t writable[kMost];
  int count = 0;
};

Buffers BuffersOf(const Call& call) {
  const Problem& p = call.problem;
  int64_t columns = p.num_columns();
  int64_t rows_bytes = p.num_out() * p.m * Bytes(p.out_dtype);
  int64_t vectors = p.ragged == Ragged::kM ? p.local_groups : p.batch;
  auto vector_bytes = [vectors](int64_t stride, int64_t columns) {
    return 4 * (stride ? vectors * stride : columns);
  };
  Buffers buffers;
  int64_t lhs_batch = p.lhs_batched ? p.batch : 1;
  buffers.Add("lhs", call.lhs, lhs_batch * p.m * p.k * Bytes(p.lhs_dtype), false);
  buffers.Add("rhs", call.rhs, p.num_rhs() * p.k * columns * Bytes(p.rhs_dtype), false);
  buffers.Add("group_sizes", call.group_sizes, 4 * p.groups * (p.sizes_batched ? p.batch : 1),
              false);
  buffers.Add("group_offset", call.group_offset, 4, false);
  buffers.Add("chunk_signals", call.chunk_signals,
              4 * p.num_chunks * (p.signals_batched ? p.batch : 1), false);
  buffers.Add("chunk_epoch", call.chunk_epoch, 4, false);
  buffers.Add("bias", call.bias, vector_bytes(call.bias_batch_stride, columns), false);
  buffers.Add("scale", call.scale,
              vector_bytes(call.scale_batch_stride, call.scale_stride ? columns : 1), false);
  buffers.Add("out", call.out, rows_bytes * p.n, true);
  buffers.Add("preact", call.preact, rows_bytes * columns, true);
  // 64 bytes of workspace_bytes are for aligning the start of the workspace.
  if (call.plan.workspace_bytes > 0) {
    buffers.Add("workspace", call.workspace, call.plan.workspace_bytes - 64, true);
  }
  return buffers;
}

}  // namespace

void SetEmulatorLibrary(std::string path) {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  state.library_path = std::move(path);
}

std::string LaunchEmulated(const Call& call) {
  if (!call.plan.instance) return "there is nothing to emulate of a plan for the CPU.";
  std::string error;
  Emulator* emulator = Find(&error);
  if (!emulator) return error;
  const GpuInstance& instance = *call.plan.instance;
  GpuLauncher& launcher = emulator->launcher;
  int device = launcher.FindDevice(instance.target);
  if (device < 0) return "the emulator knows no " + Str(instance.target) + ".";
  error = launcher.Load(instance, device);
  if (!error.empty()) return error;
  Buffers buffers = BuffersOf(call);
  if (emulator->set_buffers(buffers.count, buffers.bases, buffers.sizes, buffers.writable,
                            buffers.names) != 0) {
    return "the emulator does not take the call's buffers.";
  }
  error = launcher.Launch(call, device, /*stream=*/nullptr);
  return error.empty() ? MissingChunk(call.chunk_status(), call.problem.timeout_ns) : error;
}

}  // namespace jaxgemm
