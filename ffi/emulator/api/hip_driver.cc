// A stand-in for libamdhip64 on the emulator: the functions of ROCm's hip_runtime_api.h that a
// module launcher needs. Device 0 is a gfx942, device 1 a gfx950. jaxgemm_emulator_set_arch or
// hipSetDevice selects a thread's current device. Streams are ignored: each call has finished
// when it returns.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "emulator/api/session.h"

using namespace jaxgemm::emulator;

#define JAXGEMM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using hipDevice_t = int;
using hipModule_t = Module*;
using hipFunction_t = Function*;
using hipStream_t = void*;
using hipDeviceptr_t = void*;

enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorNoBinaryForGpu = 209,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorLaunchFailure = 719,
};

enum hipFunction_attribute {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

enum hipDeviceAttribute_t {
  hipDeviceAttributeComputeCapabilityMajor = 23,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeComputeCapabilityMinor = 61,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeWarpSize = 87,
};

struct Device {
  Arch arch;
  int minor, compute_units, lds_bytes;
};
constexpr Device kDevices[] = {
    {Arch::kGfx942, 4, 304, 64 << 10},   // MI300X
    {Arch::kGfx950, 5, 256, 160 << 10},  // MI355X
};
constexpr int kNumDevices = 2;

const Device& DeviceOf(Arch arch) { return kDevices[arch == Arch::kGfx942 ? 0 : 1]; }

hipError_t Failed(hipError_t error, std::string message) {
  ThisThread().error = std::move(message);
  return error;
}

// The ELF file at an address; its section headers come last. hipModuleLoadData gets no size, so
// the caller must make sure that the file is complete: GpuLauncher checks it before the call.
std::string_view FileAt(const void* image) {
  const char* file = static_cast<const char*>(image);
  uint64_t headers;
  uint16_t entry, count;
  std::memcpy(&headers, file + 40, 8);
  std::memcpy(&entry, file + 58, 2);
  std::memcpy(&count, file + 60, 2);
  return {file, headers + uint64_t{entry} * count};
}

// The explicit arguments, packed as the kernel reads them.
std::string PackArguments(const Kernel& kernel, void** parameters, void** extra) {
  std::string packed;
  if (extra != nullptr) {
    const char* data = nullptr;
    size_t size = 0;
    for (; *extra != reinterpret_cast<void*>(3); extra += 2) {
      if (*extra == reinterpret_cast<void*>(1))
        data = static_cast<const char*>(extra[1]);
      else if (*extra == reinterpret_cast<void*>(2))
        size = *static_cast<size_t*>(extra[1]);
      else
        throw EmulationError("The launch's `extra` holds what is no HIP_LAUNCH_PARAM_*.");
    }
    return std::string(data, data == nullptr ? 0 : size);
  }
  size_t i = 0;
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.kind.starts_with("hidden_")) continue;
    if (parameters == nullptr) throw EmulationError("The launch has no kernel arguments.");
    packed.resize(std::max<size_t>(packed.size(), argument.offset + argument.size));
    std::memcpy(packed.data() + argument.offset, parameters[i++], argument.size);
  }
  return packed;
}

}  // namespace

JAXGEMM_EXPORT hipError_t hipGetDeviceCount(int* count) {
  *count = kNumDevices;
  return hipSuccess;
}

JAXGEMM_EXPORT hipError_t hipGetDevice(int* device) {
  *device = ThisThread().arch == Arch::kGfx942 ? 0 : 1;
  return hipSuccess;
}

JAXGEMM_EXPORT hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= kNumDevices) {
    return Failed(hipErrorInvalidDevice, "The emulator has devices 0 (gfx942) and 1 (gfx950).");
  }
  ThisThread().arch = kDevices[device].arch;
  return hipSuccess;
}

JAXGEMM_EXPORT hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute,
                                                int device) {
  if (device < 0 || device >= kNumDevices) return hipErrorInvalidDevice;
  switch (attribute) {
    case hipDeviceAttributeComputeCapabilityMajor: *value = 9; return hipSuccess;
    case hipDeviceAttributeComputeCapabilityMinor:
      *value = kDevices[device].minor;
      return hipSuccess;
    case hipDeviceAttributeMaxThreadsPerBlock: *value = 1024; return hipSuccess;
    case hipDeviceAttributeMultiprocessorCount:
      *value = kDevices[device].compute_units;
      return hipSuccess;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      *value = kDevices[device].lds_bytes;
      return hipSuccess;
    case hipDeviceAttributeWarpSize: *value = kWaveSize; return hipSuccess;
  }
  return Failed(hipErrorInvalidValue, Text("The emulator does not know device attribute %d.",
                                           static_cast<int>(attribute)));
}

JAXGEMM_EXPORT hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  try {
    if (image == nullptr || std::strncmp(static_cast<const char*>(image), "\177ELF", 4) != 0) {
      return Failed(hipErrorInvalidImage, "The image is not an ELF code object.");
    }
    auto loaded = std::make_unique<Module>(FileAt(image));
    if (loaded->object.arch() != ThisThread().arch) {
      return Failed(
          hipErrorNoBinaryForGpu,
          Text("The code object is for %s, the current device is a %s.",
               ArchName(loaded->object.arch()).data(), ArchName(ThisThread().arch).data()));
    }
    *module = loaded.release();
    return hipSuccess;
  } catch (const std::exception& error) {
    return Failed(hipErrorInvalidImage, error.what());
  }
}

JAXGEMM_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
  delete module;
  return hipSuccess;
}

JAXGEMM_EXPORT hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                               const char* name) {
  if (module == nullptr) return hipErrorInvalidHandle;
  try {
    *function = module->GetFunction(name);
    return hipSuccess;
  } catch (const std::exception& error) {
    return Failed(hipErrorNotFound, error.what());
  }
}

JAXGEMM_EXPORT hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute,
                                              hipFunction_t function) {
  if (function == nullptr) return hipErrorInvalidHandle;
  const Kernel& kernel = *function->kernel;
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = kernel.max_workgroup; break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = kernel.lds_bytes; break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = kernel.private_bytes; break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = kernel.vgprs; break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = DeviceOf(function->module->object.arch()).lds_bytes - kernel.lds_bytes;
      break;
    default:
      return Failed(hipErrorInvalidValue, Text("The emulator does not know function attribute "
                                               "%d.",
                                               static_cast<int>(attribute)));
  }
  return hipSuccess;
}

JAXGEMM_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                             hipFunction_t function,
                                                                             int block_size,
                                                                             size_t dynamic_lds) {
  if (function == nullptr || block_size <= 0) return hipErrorInvalidValue;
  const Kernel& kernel = *function->kernel;
  // A SIMD has 512 vector registers a lane and room for 8 waves; a CU has four SIMDs.
  int waves = (block_size + kWaveSize - 1) / kWaveSize;
  int per_simd = std::min<int>(8, 512 / kernel.allocated_vgprs());
  size_t lds = kernel.lds_bytes + dynamic_lds;
  int by_lds = lds == 0 ? 32 : DeviceOf(function->module->object.arch()).lds_bytes / lds;
  *blocks = std::min(per_simd / ((waves + 3) / 4), by_lds);
  if (waves < 4) *blocks = std::min(4 * per_simd / waves, by_lds);
  return hipSuccess;
}

JAXGEMM_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                                unsigned grid_y, unsigned grid_z, unsigned block_x,
                                                unsigned block_y, unsigned block_z,
                                                unsigned dynamic_lds, hipStream_t,
                                                void** parameters, void** extra) {
  if (function == nullptr) return hipErrorInvalidHandle;
  Thread& thread = ThisThread();
  try {
    Launch launch{.grid = {grid_x, grid_y, grid_z},
                  .block = {block_x, block_y, block_z},
                  .dynamic_lds = dynamic_lds};
    launch.arguments = PackArguments(*function->kernel, parameters, extra);
    launch.buffers = std::exchange(thread.buffers, {});
    launch.buffers_given = std::exchange(thread.buffers_given, false);
    RunFunction(function, launch, ProcessOptions());
    return hipSuccess;
  } catch (const std::exception& error) {
    return Failed(hipErrorLaunchFailure, error.what());
  }
}

JAXGEMM_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count,
                                            hipStream_t) {
  std::fill_n(static_cast<int*>(to), count, value);
  return hipSuccess;
}

JAXGEMM_EXPORT const char* hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipSuccess: return "hipSuccess";
    case hipErrorInvalidValue: return "hipErrorInvalidValue";
    case hipErrorInvalidDevice: return "hipErrorInvalidDevice";
    case hipErrorInvalidImage: return "hipErrorInvalidImage";
    case hipErrorNoBinaryForGpu: return "hipErrorNoBinaryForGpu";
    case hipErrorInvalidHandle: return "hipErrorInvalidHandle";
    case hipErrorNotFound: return "hipErrorNotFound";
    case hipErrorLaunchFailure: return "hipErrorLaunchFailure";
  }
  return "hipErrorUnknown";
}

// The whole message of this thread's last failure.
JAXGEMM_EXPORT const char* hipGetErrorString(hipError_t error) {
  if (error == hipSuccess) return "no error";
  return ThisThread().error.empty() ? hipGetErrorName(error) : ThisThread().error.c_str();
}
