// The library's C functions, which jaxgemm/emulator/ calls. Functions that return int return 0, or
// -1 with a message in jaxgemm_emulator_error(). Functions with `out` copy a text into its
// `capacity` bytes and return the length of the whole text.
#include <algorithm>
#include <cstring>

#include "emulator/api/session.h"
#include "emulator/run/beside.h"

using namespace jaxgemm::emulator;

namespace {

template <class F>
int Guarded(F&& f) {
  try {
    f();
    return 0;
  } catch (const std::exception& error) {
    ThisThread().error = error.what();
    return -1;
  }
}

std::vector<Buffer> MakeBuffers(int count, const uint64_t* bases, const uint64_t* sizes,
                                const uint8_t* writable, const char* const* names) {
  std::vector<Buffer> buffers;
  for (int i = 0; i < count; ++i) {
    buffers.push_back({bases[i], sizes[i], writable[i] ? Right::kWrite : Right::kRead,
                       names != nullptr ? names[i] : Text("buffer %d", i)});
  }
  return buffers;
}

std::string KernelsJson(const CodeObject& object) {
  std::string json = "[";
  for (const Kernel& kernel : object.kernels()) {
    json += Text(
        "%s{\"name\": \"%s\", \"arch\": \"%s\", \"vgprs\": %u, \"agprs\": %u, \"sgprs\": %u, "
        "\"vgpr_spills\": %u, \"sgpr_spills\": %u, \"allocated_vgprs\": %u, \"lds_bytes\": %u, "
        "\"scratch_bytes\": %u, \"argument_bytes\": %u, \"max_workgroup\": %u, "
        "\"code_bytes\": %llu, \"arguments\": [",
        json.size() > 1 ? ", " : "", kernel.name.c_str(), ArchName(object.arch()).data(),
        kernel.vgprs, kernel.agprs, kernel.sgprs, kernel.vgpr_spills, kernel.sgpr_spills,
        kernel.allocated_vgprs(), kernel.lds_bytes, kernel.private_bytes, kernel.kernarg_bytes,
        kernel.max_workgroup, static_cast<unsigned long long>(kernel.code_end - kernel.entry));
    for (const KernelArgument& argument : kernel.arguments) {
      json += Text("%s[\"%s\", %u, %u]", &argument == kernel.arguments.data() ? "" : ", ",
                   argument.kind.c_str(), argument.offset, argument.size);
    }
    json += "]}";
  }
  return json + "]";
}

}  // namespace

JAXGEMM_EXPORT const char* jaxgemm_emulator_error() { return ThisThread().error.c_str(); }

// Sets the options of launches through the HIP runtime. Options that are not named get their
// defaults (options.h).
JAXGEMM_EXPORT int jaxgemm_emulator_set_options(const char* options) {
  return Guarded([&] {
    Options parsed;
    ParseOptions(options, &parsed);
    SetProcessOptions(parsed);
  });
}

// Sets the buffers that this thread's next launch through the HIP runtime may access. Without them,
// its accesses are not checked. `names` may be null.
JAXGEMM_EXPORT int jaxgemm_emulator_set_buffers(int count, const uint64_t* bases,
                                                const uint64_t* sizes, const uint8_t* writable,
                                                const char* const* names) {
  return Guarded([&] {
    ThisThread().buffers = MakeBuffers(count, bases, sizes, writable, names);
    ThisThread().buffers_given = true;
  });
}

// Gives the library functions of Python, for launches that are interrupted by SIGINT.
JAXGEMM_EXPORT void jaxgemm_emulator_set_python(uint64_t main_thread, int (*ensure)(),
                                                void (*release)(int), int (*check_signals)(),
                                                void (*clear)(), void (*set_interrupt)()) {
  SetPython({main_thread, ensure, release, check_signals, clear, set_interrupt});
}

// Adds a kernel that runs beside launches with the option beside=<number>. Its num_links arguments
// at `offsets` get the addresses of the launch's buffers named `linked`. It may access these and
// the num_buffers buffers given here.
JAXGEMM_EXPORT int jaxgemm_emulator_add_beside(
    const char* object, size_t object_size, const char* kernel, const char* arguments,
    size_t arguments_size, int num_links, const uint32_t* offsets, const char* const* linked,
    const uint32_t* grid, const uint32_t* block, int num_buffers, const uint64_t* bases,
    const uint64_t* sizes, const uint8_t* writable, const char* const* names, uint64_t* number) {
  return Guarded([&] {
    auto beside = std::make_shared<Beside>(std::string_view(object, object_size), kernel);
    for (int i = 0; i < num_links; ++i) {
      if (offsets[i] + sizeof(uint64_t) > arguments_size) {
        throw EmulationError(Text("Address %s lies outside the kernel's %zu bytes of arguments.",
                                  linked[i], arguments_size));
      }
      beside->links.push_back({offsets[i], linked[i]});
    }
    Launch& launch = beside->launch;
    std::copy(grid, grid + 3, launch.grid);
    std::copy(block, block + 3, launch.block);
    launch.arguments.assign(arguments, arguments_size);
    launch.buffers = MakeBuffers(num_buffers, bases, sizes, writable, names);
    *number = AddBeside(std::move(beside));
  });
}
JAXGEMM_EXPORT void jaxgemm_emulator_remove_beside(uint64_t number) { RemoveBeside(number); }

// The records of launches are JSON objects, the oldest first.
JAXGEMM_EXPORT void jaxgemm_emulator_clear_records() { ClearRecords(); }
JAXGEMM_EXPORT size_t jaxgemm_emulator_count_records() { return CountRecords(); }
JAXGEMM_EXPORT size_t jaxgemm_emulator_record(size_t index, char* out, size_t capacity) {
  return CopyText(RecordJson(index), out, capacity);
}

// Copies the kernels of a code object as a JSON list. Returns 0 and sets the error if that fails.
JAXGEMM_EXPORT size_t jaxgemm_emulator_kernels(const char* object, size_t size, char* out,
                                               size_t capacity) {
  size_t length = 0;
  Guarded([&] {
    length = CopyText(KernelsJson(CodeObject(std::string_view(object, size))), out, capacity);
  });
  return length;
}

// Copies the table of the clock's constants as a JSON object. Returns 0 and sets the error if that
// fails.
JAXGEMM_EXPORT size_t jaxgemm_emulator_clock_constants(const char* arch, char* out,
                                                       size_t capacity) {
  size_t length = 0;
  Guarded([&] { length = CopyText(ClockConstantsJson(ArchByName(arch)), out, capacity); });
  return length;
}

// Runs one kernel of a code object. With num_buffers = -1, accesses are not checked. *record
// points to the launch's record until this thread's next launch.
JAXGEMM_EXPORT int jaxgemm_emulator_launch(
    const char* object, size_t object_size, const char* kernel, const char* arguments,
    size_t arguments_size, const uint32_t* grid, const uint32_t* block, uint32_t dynamic_lds,
    const char* arch, const char* options, int num_buffers, const uint64_t* bases,
    const uint64_t* sizes, const uint8_t* writable, const char* const* names, const char** record) {
  return Guarded([&] {
    Module module(std::string_view(object, object_size));
    if (module.object.arch() != ArchByName(arch)) {
      throw EmulationError(Text("The code object is for %s, the launch for %s.",
                                ArchName(module.object.arch()).data(), arch));
    }
    Options parsed;
    ParseOptions(options, &parsed);
    Launch launch;
    std::copy(grid, grid + 3, launch.grid);
    std::copy(block, block + 3, launch.block);
    launch.dynamic_lds = dynamic_lds;
    launch.arguments.assign(arguments, arguments_size);
    launch.buffers = MakeBuffers(num_buffers, bases, sizes, writable, names);
    launch.buffers_given = num_buffers >= 0;
    thread_local std::string json;
    json = RunFunction(module.GetFunction(kernel), launch, parsed).ToJson();
    *record = json.c_str();
  });
}
