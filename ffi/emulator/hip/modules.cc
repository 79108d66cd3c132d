// Modules and launches.
#include "emulator/hip/modules.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "emulator/hip/graph.h"
#include "emulator/hip/memory.h"
#include "emulator/hip/stream.h"

namespace jaxgemm::emulator {
namespace {

// Values of hipFunction_attribute.
enum {
  kMaxThreads = 0,
  kSharedBytes = 1,
  kLocalBytes = 3,
  kNumRegisters = 4,
  kMaxDynamicSharedBytes = 8,
};

struct Modules {
  std::mutex mutex;
  std::map<const Module*, std::shared_ptr<Module>> loaded;
};
Modules& TheModules() {
  static auto* modules = new Modules;  // never freed, so that it outlives all threads
  return *modules;
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

// Sets the buffers that a launch may access if its caller named none: the allocations of HIP, and
// the variables of other modules. If nothing was allocated, accesses are not checked.
void FillBuffers(const Module* own, Launch* launch) {
  launch->buffers = AllAllocations();
  launch->buffers_given = !launch->buffers.empty();
  Modules& modules = TheModules();
  std::lock_guard guard(modules.mutex);
  for (const auto& [module, shared] : modules.loaded) {
    if (module == own) continue;
    // A launch may access the whole pages of another module, not only its variables. The reason: a
    // thread of XLA's scatter reads an index, possibly from a constant of another module, before it
    // checks that there are so many indices. So it can read past the end of the constant.
    launch->buffers.push_back({reinterpret_cast<uint64_t>(shared->object.image()),
                               shared->object.mapped_bytes(), Right::kWrite, "another module"});
  }
}

struct KernelLaunch : Work {
  const char* kind() const override { return "kernel"; }

  void Run(Device& device) const override {
    if (function->module->object.arch() != device.arch) {
      throw HipFailure{
          hipErrorInvalidHandle,
          Text("Kernel %s was loaded for %s and launched on a %s.", function->kernel->name.c_str(),
               ArchName(function->module->object.arch()).data(), ArchName(device.arch).data())};
    }
    Launch with_buffers = launch;
    if (!launch.buffers_given) FillBuffers(function->module, &with_buffers);
    Options options = ProcessOptions();
    if (static_cast<int>(options.xcc_ids.size()) > device.dies) {
      options.xcc_ids.resize(device.dies);
    }
    try {
      RunFunction(function, with_buffers, options);
    } catch (const Interruption&) {
      // XLA would make a ValueError of a failure in this thread. Without one, Python raises
      // KeyboardInterrupt in place of the call that waits for the launch, and nobody gets its
      // result.
      if (!IsPythonsMainThread()) throw;
    }
  }

  std::shared_ptr<Module> module;  // stays until the launch has run
  Function* function;
  Launch launch;
};

}  // namespace

std::shared_ptr<Module> KeepModule(const Module* module) {
  std::lock_guard guard(TheModules().mutex);
  const auto found = TheModules().loaded.find(module);
  if (found == TheModules().loaded.end()) {
    throw HipFailure{hipErrorInvalidHandle, "The module does not exist."};
  }
  return found->second;
}

Module* LoadModule(std::string_view file) {
  RefuseInCapture("hipModuleLoadData");
  std::shared_ptr<Module> loaded;
  try {
    loaded = std::make_shared<Module>(file);
  } catch (const EmulationError& error) {
    throw HipFailure{hipErrorInvalidImage, error.what()};
  }
  const Arch arch = CurrentDevice().arch;
  if (loaded->object.arch() != arch) {
    throw HipFailure{hipErrorNoBinaryForGpu,
                     Text("The code object is for %s, the current device is a %s.",
                          ArchName(loaded->object.arch()).data(), ArchName(arch).data())};
  }
  std::lock_guard guard(TheModules().mutex);
  return (TheModules().loaded[loaded.get()] = loaded).get();
}

WorkPtr MakeLaunch(Function* function, Dim3 grid, Dim3 block, size_t dynamic_lds, void** parameters,
                   void** extra) {
  if (function == nullptr) throw HipFailure{hipErrorInvalidHandle, "The function is null."};
  if (dynamic_lds > std::numeric_limits<uint32_t>::max()) {
    throw HipFailure{hipErrorInvalidValue, Text("No device has %zu bytes of LDS.", dynamic_lds)};
  }
  auto work = std::make_shared<KernelLaunch>();
  work->module = KeepModule(function->module);
  // The launch itself fails, because an error in the thread of a stream would end the process.
  if (const std::string& refusal = function->Refusal(); !refusal.empty()) {
    throw HipFailure{hipErrorNotSupported, refusal};
  }
  work->function = function;
  work->launch = {.grid = {grid.x, grid.y, grid.z},
                  .block = {block.x, block.y, block.z},
                  .dynamic_lds = static_cast<uint32_t>(dynamic_lds)};
  work->launch.arguments = PackArguments(*function->kernel, parameters, extra);
  work->launch.buffers = std::exchange(ThisThread().buffers, {});
  work->launch.buffers_given = std::exchange(ThisThread().buffers_given, false);
  return work;
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return Guarded([&] {
    if (image == nullptr || std::strncmp(static_cast<const char*>(image), "\177ELF", 4) != 0) {
      throw HipFailure{hipErrorInvalidImage, "The image is not an ELF code object."};
    }
    *module = LoadModule(FileAt(image));
  });
}

hipError_t hipModuleUnload(hipModule_t module) {
  return Guarded([&] {
    const std::shared_ptr<Module> kept = KeepModule(module);
    std::lock_guard guard(TheModules().mutex);
    TheModules().loaded.erase(module);
  });
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return Guarded([&] {
    const std::shared_ptr<Module> kept = KeepModule(module);
    try {
      *function = kept->GetFunction(name);
    } catch (const EmulationError& error) {
      throw HipFailure{hipErrorNotFound, error.what()};
    }
  });
}

hipError_t hipModuleGetGlobal(void** address, size_t* bytes, hipModule_t module, const char* name) {
  return Guarded([&] {
    const std::shared_ptr<Module> kept = KeepModule(module);
    for (const Variable& variable : kept->object.variables()) {
      if (variable.name != name) continue;
      if (address != nullptr) *address = kept->object.image() + variable.offset;
      if (bytes != nullptr) *bytes = variable.bytes;
      return;
    }
    throw HipFailure{hipErrorNotFound, Text("The module has no variable %s.", name)};
  });
}

hipError_t hipFuncGetAttribute(int* value, int attribute, hipFunction_t function) {
  return Guarded([&] {
    if (function == nullptr) throw HipFailure{hipErrorInvalidHandle, "The function is null."};
    const Kernel& kernel = *function->kernel;
    switch (attribute) {
      case kMaxThreads: *value = kernel.max_workgroup; return;
      case kSharedBytes: *value = kernel.lds_bytes; return;
      case kLocalBytes: *value = kernel.private_bytes; return;
      case kNumRegisters: *value = kernel.vgprs; return;
      case kMaxDynamicSharedBytes:
        *value = LdsBytes(function->module->object.arch()) - kernel.lds_bytes;
        return;
    }
    throw HipFailure{hipErrorInvalidValue,
                     Text("The emulator does not know function attribute %d.", attribute)};
  });
}

// The LDS needs no permission for its size.
hipError_t hipFuncSetAttribute(const void*, int, int) { return hipSuccess; }

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function,
                                                              int block_size, size_t dynamic_lds) {
  if (function == nullptr || block_size <= 0) {
    return Failed(hipErrorInvalidValue, "The function is null, or the block is empty.");
  }
  const Kernel& kernel = *function->kernel;
  // A SIMD has 512 vector registers a lane and room for 8 waves; a CU has four SIMDs.
  int waves = (block_size + kWaveSize - 1) / kWaveSize;
  int per_simd = std::min<int>(8, 512 / kernel.allocated_vgprs());
  size_t lds = kernel.lds_bytes + dynamic_lds;
  int by_lds = lds == 0 ? 32 : LdsBytes(function->module->object.arch()) / lds;
  *blocks = std::min(per_simd / ((waves + 3) / 4), by_lds);
  if (waves < 4) *blocks = std::min(4 * per_simd / waves, by_lds);
  return hipSuccess;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                 void** parameters, void** extra) {
  return Guarded([&] {
    Submit(stream, MakeLaunch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                              dynamic_lds, parameters, extra));
  });
}

}  // namespace jaxgemm::emulator
