#include "runtime/emulated.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <utility>

#include "runtime/launcher.h"
#include "runtime/missing_chunk.h"
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
  explicit Buffers(const Call& call) {
#define JAXGEMM_OPERAND(type, name, is_there) \
  if (call.name != call.out) Add(#name, call.name, call.sizes.name, false);
#define JAXGEMM_RESULT(type, name, is_there) Add(#name, call.name, call.sizes.name, true);
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
#undef JAXGEMM_RESULT
  }

  void Add(const char* name, const void* base, int64_t size, bool is_writable) {
    if (!base) return;
    names[count] = name;
    bases[count] = reinterpret_cast<uint64_t>(base);
    sizes[count] = static_cast<uint64_t>(size);
    writable[count] = is_writable;
    ++count;
  }

  // The number of operands and results in call_schema.def.
  static constexpr int kMax = sizeof(BufferSizes) / sizeof(int64_t);
  const char* names[kMax];
  uint64_t bases[kMax], sizes[kMax];
  uint8_t writable[kMax];
  int count = 0;
};

}  // namespace

void SetEmulatorLibrary(std::string path) {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  state.library_path = std::move(path);
}

std::string LaunchEmulated(const Call& call) {
  if (!call.plan.instance)
    return "the program was planned for the CPU, which the emulator does not run.";
  std::string error;
  Emulator* emulator = Find(&error);
  if (!emulator) return error;
  const GpuInstance& instance = *call.plan.instance;
  GpuLauncher& launcher = emulator->launcher;
  int device = launcher.FindDevice(instance.target);
  if (device < 0) return "the emulator has no device for " + Str(instance.target) + ".";
  error = launcher.Load(instance, device);
  if (!error.empty()) return error;
  const Buffers buffers(call);
  if (emulator->set_buffers(buffers.count, buffers.bases, buffers.sizes, buffers.writable,
                            buffers.names) != 0) {
    return "the emulator does not take the call's buffers.";
  }
  error = launcher.Launch(call, device, /*stream=*/nullptr);
  return error.empty() ? MissingChunk(call.chunk_status(), call.problem.timeout_ns) : error;
}

}  // namespace jaxgemm
