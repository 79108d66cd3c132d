#include "fake_hip.h"

#include <cstring>

namespace {

FakeHip& Fake() {
  static auto* fake = new FakeHip;
  return *fake;
}

thread_local int current_device = 0;

constexpr int kFailure = 719;

// Records a call. Returns kFailure if the test lets this function fail, else 0.
int Record(const char* function, const std::string& detail = "") {
  FakeHip& fake = Fake();
  std::lock_guard lock(fake.mutex);
  fake.calls.push_back(function + detail);
  return fake.failing == function ? kFailure : 0;
}

}  // namespace

extern "C" {

FakeHip* jaxgemm_fake_hip() { return &Fake(); }

int hipGetDevice(int* device) {
  *device = current_device;
  return Record("hipGetDevice");
}

int hipSetDevice(int device) {
  int result = Record("hipSetDevice", " " + std::to_string(device));
  if (result == 0) current_device = device;
  return result;
}

int hipDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == 23 ? 9 : attribute == 61 ? Fake().capability_minor : -1;
  return Record("hipDeviceGetAttribute", " " + std::to_string(device));
}

int hipModuleLoadData(void** module, const void* image) {
  *module = Fake().Keep(static_cast<const char*>(image));
  return Record("hipModuleLoadData", " '" + *static_cast<std::string*>(*module) + "' on " +
                                         std::to_string(current_device));
}

int hipModuleUnload(void*) { return Record("hipModuleUnload"); }

int hipModuleGetFunction(void** function, void*, const char* name) {
  *function = Fake().Keep(name);
  return Record("hipModuleGetFunction", " " + std::string(name));
}

int hipMemsetD32Async(void* to, int value, size_t count, void* stream) {
  for (size_t i = 0; i < count; ++i) std::memcpy(static_cast<int*>(to) + i, &value, 4);
  return Record("hipMemsetD32Async", " " + std::to_string(count) + " on stream " +
                                         std::to_string(reinterpret_cast<intptr_t>(stream)));
}

int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds,
                          void* stream, void** arguments, void** extra) {
  FakeHip& fake = Fake();
  if (static_cast<std::string*>(function)->starts_with("gemm_")) {
    std::lock_guard lock(fake.mutex);
    std::memcpy(static_cast<void*>(&fake.arguments), arguments[0], sizeof(fake.arguments));
  }
  std::string detail = " " + *static_cast<std::string*>(function);
  for (unsigned size : {grid_x, grid_y, grid_z, block_x, block_y, block_z, lds}) {
    detail += " " + std::to_string(size);
  }
  detail += " on stream " + std::to_string(reinterpret_cast<intptr_t>(stream)) + " of device " +
            std::to_string(current_device) + (extra ? " with extra" : "");
  return Record("hipModuleLaunchKernel", detail);
}

const char* hipGetErrorName(int result) { return result == kFailure ? "hipErrorFake" : "hip?"; }
const char* hipGetErrorString(int) { return "as the test wanted"; }

}  // extern "C"
