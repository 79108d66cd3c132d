// Kernels inside the program's own libraries. A library registers its kernels when it is loaded,
// and they are unpacked when one of them is first used.
#include <cstring>
#include <map>

#include "emulator/hip/modules.h"
#include "emulator/hip/stream.h"
#include "emulator/hip/unbundle.h"

namespace jaxgemm::emulator {
namespace {

// The structure that a registration points to.
struct Wrapper {
  uint32_t magic, version;
  const char* bundle;
  void* unused;
};

struct FatBinary {
  const char* bundle;
  std::map<int, Module*> modules;  // by device
};

struct Symbol {
  FatBinary* binary;
  std::string name;
};

struct Registered {
  std::mutex mutex;
  std::map<const void*, Symbol> functions;
};
Registered& TheRegistered() {
  static auto* registered = new Registered;  // libraries register before anything else runs
  return *registered;
}

struct CallConfiguration {
  Dim3 grid, block;
  size_t dynamic_lds;
  hipStream_t stream;
};
thread_local std::vector<CallConfiguration> call_configurations;

Function* RegisteredFunction(const void* host_function) {
  Registered& registered = TheRegistered();
  std::lock_guard guard(registered.mutex);
  const auto found = registered.functions.find(host_function);
  if (found == registered.functions.end()) return nullptr;
  FatBinary& binary = *found->second.binary;
  const Device& device = CurrentDevice();
  Module*& module = binary.modules[device.number];
  if (module == nullptr) module = LoadModule(Unbundle(binary.bundle, ArchName(device.arch)));
  return module->GetFunction(found->second.name);
}

}  // namespace

Function* FunctionOf(void* function) {
  Function* registered = RegisteredFunction(function);
  return registered != nullptr ? registered : static_cast<Function*>(function);
}

void** __hipRegisterFatBinary(const void* wrapper) {
  const auto* given = static_cast<const Wrapper*>(wrapper);
  return reinterpret_cast<void**>(new FatBinary{given->bundle, {}});
}

void __hipUnregisterFatBinary(void**) {}  // libraries call it only when the process ends

void __hipRegisterFunction(void** binary, const void* host_function, char*, const char* name,
                           unsigned, void*, void*, void*, void*, int*) {
  Registered& registered = TheRegistered();
  std::lock_guard guard(registered.mutex);
  registered.functions[host_function] = {reinterpret_cast<FatBinary*>(binary), name};
}

void __hipRegisterVar(void**, void*, char*, char*, int, size_t, int, int) {}

hipError_t __hipPushCallConfiguration(Dim3 grid, Dim3 block, size_t dynamic_lds,
                                      hipStream_t stream) {
  call_configurations.push_back({grid, block, dynamic_lds, stream});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(Dim3* grid, Dim3* block, size_t* dynamic_lds,
                                     hipStream_t* stream) {
  if (call_configurations.empty()) {
    return Failed(hipErrorIllegalState, "No configuration of a call was pushed.");
  }
  const CallConfiguration last = call_configurations.back();
  call_configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *dynamic_lds = last.dynamic_lds;
  *stream = last.stream;
  return hipSuccess;
}

hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* host_function) {
  return Guarded([&] {
    *function = RegisteredFunction(host_function);
    if (*function == nullptr) {
      throw HipFailure{hipErrorInvalidSymbol, "No kernel is registered for the function."};
    }
  });
}

hipError_t hipLaunchKernel(const void* host_function, Dim3 grid, Dim3 block, void** parameters,
                           size_t dynamic_lds, hipStream_t stream) {
  return Guarded([&] {
    Function* function = RegisteredFunction(host_function);
    if (function == nullptr) {
      throw HipFailure{hipErrorInvalidDeviceFunction, "No kernel is registered for the function."};
    }
    Submit(stream, MakeLaunch(function, grid, block, dynamic_lds, parameters, nullptr));
  });
}

}  // namespace jaxgemm::emulator
