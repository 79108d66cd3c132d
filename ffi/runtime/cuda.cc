// CUDA's driver library. The functions used here are the same since CUDA 12.0.
#include <dlfcn.h>

#include <memory>
#include <string>

#include "runtime/driver.h"

namespace jaxgemm {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// Values of CUdevice_attribute and CUresult.
constexpr int kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;
constexpr DriverResult kInvalidContext = 201;
constexpr int kNoDevice = -1;

// These have the layouts of CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id;
  alignas(8) unsigned value[16];
};
struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned num_attributes;
};
constexpr int kClusterDimension = 4, kProgrammaticStreamSerialization = 6;

// Functions with other signatures than HIP's.
struct Symbols {
  DriverResult (*init)(unsigned flags);
  DriverResult (*context_device)(int* device);
  DriverResult (*retain_context)(void** context, int device);
  DriverResult (*set_context)(void* context);
  DriverResult (*set_words)(uint64_t destination, unsigned word, size_t count, void* stream);
  DriverResult (*launch)(const struct LaunchConfig* config, void* function, void** arguments,
                         void** extra);
  DriverResult (*most_clusters)(int* count, void* function, const struct LaunchConfig* config);
  DriverResult (*error_name)(DriverResult result, const char** text);
  DriverResult (*error_text)(DriverResult result, const char** text);
};
Symbols& Cuda() {
  static Symbols symbols;
  return symbols;
}

// In CUDA a thread has a current context instead of a current device. The context here is the
// device's primary context, which XLA uses too.
DriverResult GetDevice(int* device) {
  DriverResult result = Cuda().context_device(device);
  if (result != kInvalidContext) return result;
  *device = kNoDevice;
  return 0;
}
DriverResult SetDevice(int device) {
  if (device == kNoDevice) return Cuda().set_context(nullptr);
  void* context = nullptr;
  // The context is never released, because kernels stay loaded.
  DriverResult result = Cuda().retain_context(&context, device);
  return result == 0 ? Cuda().set_context(context) : result;
}
DriverResult SetWords(void* destination, int word, size_t count, void* stream) {
  return Cuda().set_words(reinterpret_cast<uint64_t>(destination), static_cast<unsigned>(word),
                          count, stream);
}
DriverResult LaunchEarly(void* function, unsigned grid_x, unsigned cluster_x, unsigned block_x,
                         unsigned shared_bytes, void* stream, void** arguments) {
  LaunchAttribute attributes[] = {{.id = kProgrammaticStreamSerialization, .value = {1}},
                                  {.id = kClusterDimension, .value = {cluster_x, 1, 1}}};
  LaunchConfig config{.grid = {grid_x, 1, 1},
                      .block = {block_x, 1, 1},
                      .shared_bytes = shared_bytes,
                      .stream = stream,
                      .attributes = attributes,
                      .num_attributes = cluster_x == 0 ? 1u : 2u};
  return Cuda().launch(&config, function, arguments, nullptr);
}
DriverResult MostClusters(int* count, void* function, unsigned cluster_x, unsigned block_x,
                          unsigned shared_bytes) {
  LaunchAttribute attributes[] = {{.id = kClusterDimension, .value = {cluster_x, 1, 1}}};
  LaunchConfig config{.grid = {cluster_x, 1, 1},
                      .block = {block_x, 1, 1},
                      .shared_bytes = shared_bytes,
                      .stream = nullptr,
                      .attributes = attributes,
                      .num_attributes = 1};
  return Cuda().most_clusters(count, function, &config);
}
const char* ErrorName(DriverResult result) {
  const char* text = nullptr;
  return Cuda().error_name(result, &text) == 0 && text ? text : "unknown error";
}
const char* ErrorText(DriverResult result) {
  const char* text = nullptr;
  return Cuda().error_text(result, &text) == 0 && text ? text : "no description";
}
std::string CudaTarget(int major, int minor) {
  return "sm" + std::to_string(major) + std::to_string(minor);
}

const Driver* Open(std::string* error) {
  void* library = dlopen(kLibrary, RTLD_NOW);
  if (!library) {
    *error = std::string("NVIDIA's driver cannot be opened (") + dlerror() +
             "). Install it, or "
             "add the folder of libcuda.so.1 to LD_LIBRARY_PATH.";
    return nullptr;
  }
  auto driver = std::make_unique<Driver>();
  driver->handle = library;
  driver->library = kLibrary;
  driver->advice = kGpuAdvice;
  driver->capability_major = kComputeCapabilityMajor;
  driver->capability_minor = kComputeCapabilityMinor;
  driver->target = CudaTarget;
  driver->suffix = ".cubin";
  driver->get_device = GetDevice;
  driver->set_device = SetDevice;
  driver->set_words = SetWords;
  driver->launch_early = LaunchEarly;
  driver->most_clusters = MostClusters;
  driver->error_name = ErrorName;
  driver->error_text = ErrorText;
  std::string missing;
  Symbols& symbols = Cuda();
  Resolve(library, "cuInit", &symbols.init, &missing);
  Resolve(library, "cuCtxGetDevice", &symbols.context_device, &missing);
  Resolve(library, "cuDevicePrimaryCtxRetain", &symbols.retain_context, &missing);
  Resolve(library, "cuCtxSetCurrent", &symbols.set_context, &missing);
  Resolve(library, "cuMemsetD32Async", &symbols.set_words, &missing);
  Resolve(library, "cuLaunchKernelEx", &symbols.launch, &missing);
  Resolve(library, "cuOccupancyMaxActiveClusters", &symbols.most_clusters, &missing);
  Resolve(library, "cuGetErrorName", &symbols.error_name, &missing);
  Resolve(library, "cuGetErrorString", &symbols.error_text, &missing);
  Resolve(library, "cuDeviceGetAttribute", &driver->get_device_attribute, &missing);
  Resolve(library, "cuModuleLoadData", &driver->load_module, &missing);
  Resolve(library, "cuModuleUnload", &driver->unload_module, &missing);
  Resolve(library, "cuModuleGetFunction", &driver->get_function, &missing);
  Resolve(library, "cuFuncSetAttribute", &driver->set_function_attribute, &missing);
  Resolve(library, "cuTensorMapEncodeTiled", &driver->encode_tensor_map, &missing);
  Resolve(library, "cuLaunchKernel", &driver->launch, &missing);
  if (!missing.empty()) {
    *error = driver->library + " lacks " + missing + ". Install a driver for CUDA 12.0 or newer.";
    return nullptr;
  }
  if (DriverResult result = symbols.init(0); result != 0) {
    *error = std::string("NVIDIA's driver does not start: ") + ErrorName(result) + ", " +
             ErrorText(result) + ".";
    return nullptr;
  }
  return driver.release();
}

// It has the layout of CUDA_MEMCPY2D.
struct Copy2d {
  struct End {
    size_t x = 0, y = 0;
    unsigned memory = 4;  // CU_MEMORYTYPE_UNIFIED: the address tells which memory
    const void* host = nullptr;
    const void* address;
    void* array = nullptr;
    size_t pitch;
  };
  End source, destination;
  size_t bytes, rows;
};
// Functions for StreamDriver with other signatures than HIP's.
struct StreamSymbols {
  DriverResult (*copy_rows)(const Copy2d* copy, void* stream);
  DriverResult (*write_word)(void* stream, void* address, uint32_t value, unsigned flags);
};
StreamSymbols& CudaStream() {
  static StreamSymbols symbols;
  return symbols;
}

DriverResult CopyRows(void* destination, const void* source, size_t pitch, size_t bytes,
                      size_t rows, void* stream) {
  Copy2d copy{.source = {.address = source, .pitch = pitch},
              .destination = {.address = destination, .pitch = pitch},
              .bytes = bytes,
              .rows = rows};
  return CudaStream().copy_rows(&copy, stream);
}
DriverResult WriteWord(void* stream, void* address, uint32_t value) {
  constexpr unsigned kAfterFence = 0;  // CU_STREAM_WRITE_VALUE_DEFAULT
  return CudaStream().write_word(stream, address, value, kAfterFence);
}

}  // namespace

const StreamDriver* CudaStreams(const Driver& driver, std::string* error) {
  static OpenedOnce<const StreamDriver> opened;
  return opened.Get([&]() -> const StreamDriver* {
    auto streams = std::make_unique<StreamDriver>();
    streams->copy_rows = CopyRows;
    streams->write_word = WriteWord;
    std::string missing;
    void* library = driver.handle;
    StreamSymbols& symbols = CudaStream();
    // The _v2 names are those that cuda.h maps to. The older functions have other arguments or need
    // a setting.
    Resolve(library, "cuMemcpy2DAsync_v2", &symbols.copy_rows, &missing);
    Resolve(library, "cuStreamWriteValue32_v2", &symbols.write_word, &missing);
    Resolve(library, "cuCtxGetStreamPriorityRange", &streams->priority_range, &missing);
    Resolve(library, "cuStreamCreateWithPriority", &streams->create_stream, &missing);
    Resolve(library, "cuStreamSynchronize", &streams->synchronize_stream, &missing);
    Resolve(library, "cuEventCreate", &streams->create_event, &missing);
    Resolve(library, "cuEventRecord", &streams->record_event, &missing);
    Resolve(library, "cuStreamWaitEvent", &streams->wait_event, &missing);
    Resolve(library, "cuMemcpyAsync", &streams->copy, &missing);
    Resolve(library, "cuMemcpyDtoHAsync_v2", &streams->copy_to_host, &missing);
    if (missing.empty()) return streams.release();
    *error = driver.library + " lacks " + missing + ". Install a driver for CUDA 12.0 or newer.";
    return nullptr;
  });
}

const Driver* OpenCuda(std::string* error) {
  static OpenedOnce<const Driver> opened;
  return opened.Get([error] { return Open(error); });
}

}  // namespace jaxgemm
