// ROCm's runtime library. The functions used here are the same since ROCm 5.2.
#include <dlfcn.h>
#include <link.h>

#include <memory>
#include <string_view>
#include <utility>

#include "runtime/driver.h"

namespace jaxgemm {
namespace {

constexpr std::string_view kLibrary = "libamdhip64.so";
// Their names end with ROCm's major version.
constexpr const char* kLibraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"};

// The path of a runtime of any version that this process has open, or "".
std::string OpenedPath() {
  std::string path;
  dl_iterate_phdr([](dl_phdr_info* info, size_t, void* found) {
    const std::string_view given = info->dlpi_name;
    if (!given.substr(given.rfind('/') + 1).starts_with(kLibrary)) return 0;
    *static_cast<std::string*>(found) = given;
    return 1;
  }, &path);
  return path;
}

// Values of hipDeviceAttribute_t.
constexpr int kComputeCapabilityMajor = 23, kComputeCapabilityMinor = 61;

std::string HipTarget(int major, int minor) {
  if (major == 9 && minor == 4) return "gfx942";
  if (major == 9 && minor == 5) return "gfx950";
  // Older chips have this number, too. They refuse to load code of gfx90a.
  if (major == 9 && minor == 0) return "gfx90a";
  return "gfx" + std::to_string(major) + "." + std::to_string(minor);
}

// First looks for the runtime that JAX's plugin has open, because two runtimes in a process do not
// share streams.
const Driver* Open(std::string* error) {
  if (const std::string path = OpenedPath(); !path.empty()) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      return MakeHipDriver(library, path.substr(path.rfind('/') + 1), kGpuAdvice, error);
    }
  }
  std::string reasons;
  for (const char* name : kLibraries) {
    if (void* library = dlopen(name, RTLD_NOW)) {
      return MakeHipDriver(library, name, kGpuAdvice, error);
    }
    if (const char* reason = dlerror()) {
      reasons += std::string(reasons.empty() ? "" : "; ") + reason;
    }
  }
  *error = "ROCm's runtime cannot be opened (" + reasons +
           "). Install ROCm, or add the folder "
           "of libamdhip64.so to LD_LIBRARY_PATH.";
  return nullptr;
}

}  // namespace

const Driver* MakeHipDriver(void* library, std::string name, std::string advice,
                            std::string* error) {
  auto driver = std::make_unique<Driver>();
  driver->handle = library;
  driver->library = std::move(name);
  driver->advice = std::move(advice);
  driver->capability_major = kComputeCapabilityMajor;
  driver->capability_minor = kComputeCapabilityMinor;
  driver->target = HipTarget;
  driver->suffix = ".hsaco";
  std::string missing;
  Resolve(library, "hipGetDevice", &driver->get_device, &missing);
  Resolve(library, "hipSetDevice", &driver->set_device, &missing);
  Resolve(library, "hipDeviceGetAttribute", &driver->get_device_attribute, &missing);
  Resolve(library, "hipModuleLoadData", &driver->load_module, &missing);
  Resolve(library, "hipModuleUnload", &driver->unload_module, &missing);
  Resolve(library, "hipModuleGetFunction", &driver->get_function, &missing);
  Resolve(library, "hipModuleLaunchKernel", &driver->launch, &missing);
  Resolve(library, "hipMemsetD32Async", &driver->set_words, &missing);
  Resolve(library, "hipGetErrorName", &driver->error_name, &missing);
  Resolve(library, "hipGetErrorString", &driver->error_text, &missing);
  if (!missing.empty()) {
    *error = driver->library + " lacks " + missing + ". Install ROCm 5.2 or newer.";
    return nullptr;
  }
  return driver.release();
}

namespace {

// Functions with other signatures than CUDA's.
struct Symbols {
  DriverResult (*copy)(void* destination, const void* source, size_t bytes, int kind, void* stream);
  DriverResult (*copy_rows)(void* destination, size_t destination_pitch, const void* source,
                            size_t source_pitch, size_t bytes, size_t rows, int kind, void* stream);
  DriverResult (*write_word)(void* stream, void* address, uint32_t value, unsigned flags);
};
Symbols& Hip() {
  static Symbols symbols;
  return symbols;
}

constexpr int kByAddresses = 4;  // hipMemcpyDefault

DriverResult Copy(void* destination, const void* source, size_t bytes, void* stream) {
  return Hip().copy(destination, source, bytes, kByAddresses, stream);
}
DriverResult CopyRows(void* destination, const void* source, size_t pitch, size_t bytes,
                      size_t rows, void* stream) {
  return Hip().copy_rows(destination, pitch, source, pitch, bytes, rows, kByAddresses, stream);
}
DriverResult WriteWord(void* stream, void* address, uint32_t value) {
  return Hip().write_word(stream, address, value, 0);
}

}  // namespace

const StreamDriver* HipStreams(const Driver& driver, std::string* error) {
  static OpenedOnce<const StreamDriver> opened;
  return opened.Get([&]() -> const StreamDriver* {
    auto streams = std::make_unique<StreamDriver>();
    streams->copy = Copy;
    streams->copy_rows = CopyRows;
    streams->write_word = WriteWord;
    std::string missing;
    void* library = driver.handle;
    Symbols& symbols = Hip();
    Resolve(library, "hipMemcpyAsync", &symbols.copy, &missing);
    Resolve(library, "hipMemcpy2DAsync", &symbols.copy_rows, &missing);
    Resolve(library, "hipStreamWriteValue32", &symbols.write_word, &missing);
    Resolve(library, "hipDeviceGetStreamPriorityRange", &streams->priority_range, &missing);
    Resolve(library, "hipStreamCreateWithPriority", &streams->create_stream, &missing);
    Resolve(library, "hipStreamSynchronize", &streams->synchronize_stream, &missing);
    Resolve(library, "hipEventCreateWithFlags", &streams->create_event, &missing);
    Resolve(library, "hipEventRecord", &streams->record_event, &missing);
    Resolve(library, "hipStreamWaitEvent", &streams->wait_event, &missing);
    Resolve(library, "hipMemcpyDtoHAsync", &streams->copy_to_host, &missing);
    if (missing.empty()) return streams.release();
    *error = driver.library + " lacks " + missing + ". Install ROCm 5.2 or newer.";
    return nullptr;
  });
}

const Driver* OpenHip(std::string* error) {
  static OpenedOnce<const Driver> opened;
  return opened.Get([error] { return Open(error); });
}

}  // namespace jaxgemm
