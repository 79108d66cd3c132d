// The devices and their properties.
#include <algorithm>
#include <cstring>
#include <memory>

#include "emulator/hip/state.h"

namespace jaxgemm::emulator {
namespace {

constexpr int kMaxDevices = 64;
constexpr int kVersion = 70000000;  // HIP 7.0.0
constexpr size_t kPropertiesBytes = 1472, kArchNameOffset = 1160;

struct Chip {
  const char *name, *target;
  int compute_units, dies;
};
constexpr Chip kChips[] = {
#define JAXGEMM_CHIP(name, target, num_cus, num_xcds, waves_per_cu, mhz, gb_per_s) \
  {name, target, num_cus, num_xcds},
#include "spec/instances.def"
#undef JAXGEMM_CHIP
};

bool IsAmd(const Chip& chip) { return std::string_view(chip.target).starts_with("gfx"); }

std::unique_ptr<Device> MakeDevice(const Chip& chip, int number) {
  auto device = std::make_unique<Device>();
  device->number = number;
  device->chip = chip.name;
  device->name = Text("AMD Instinct %s (emulated by jaxgemm)", chip.name);
  device->arch = ArchByName(chip.target);
  device->compute_units = chip.compute_units;
  device->dies = chip.dies;
  device->lds_bytes = LdsBytes(device->arch);
  constexpr int kMinorVersion[kNumArchs] = {4, 5, 0};
  constexpr size_t kGigabytes[kNumArchs] = {192, 288, 64};
  device->minor_version = kMinorVersion[static_cast<int>(device->arch)];
  device->memory_bytes = kGigabytes[static_cast<int>(device->arch)] << 30;
  return device;
}

const Chip& FindChip(std::string_view name) {
  std::string names;
  for (const Chip& chip : kChips) {
    if (!IsAmd(chip)) continue;
    if (name == chip.name || name == chip.target) return chip;
    names += (names.empty() ? "" : ", ") + std::string(chip.name);
  }
  throw EmulationError("There is no chip \"" + std::string(name) + "\" to emulate; choose " +
                       names + ", gfx942 (an MI300X), gfx950 (an MI355X) or gfx90a (an MI250X).");
}

struct Devices {
  std::mutex mutex;
  std::vector<std::unique_ptr<Device>> all;
  bool used = false;  // whether a caller may hold a device

  Devices() {
    all.push_back(MakeDevice(FindChip("gfx942"), 0));
    all.push_back(MakeDevice(FindChip("gfx950"), 1));
    all.push_back(MakeDevice(FindChip("gfx90a"), 2));
  }
};
Devices& TheDevices() {
  static auto* devices = new Devices;  // never freed, so that it outlives all threads
  return *devices;
}

std::string PciBusId(int device) { return Text("0000:%02x:00.0", device + 1); }

hipCtx_t ContextOf(int device) { return reinterpret_cast<hipCtx_t>(uintptr_t(device) + 1); }

}  // namespace

int NumDevices() {
  Devices& devices = TheDevices();
  std::lock_guard guard(devices.mutex);
  return static_cast<int>(devices.all.size());
}

Device& DeviceAt(int number) {
  Devices& devices = TheDevices();
  std::lock_guard guard(devices.mutex);
  devices.used = true;
  if (number < 0 || number >= static_cast<int>(devices.all.size())) {
    std::string names;
    for (const auto& device : devices.all) {
      names += Text("%s%d (%s)", names.empty() ? "" : ", ", device->number,
                    ArchName(device->arch).data());
    }
    throw HipFailure{hipErrorInvalidDevice,
                     Text("The emulator has no device %d; it has %s.", number, names.c_str())};
  }
  return *devices.all[number];
}

Device& CurrentDevice() { return DeviceAt(ThisThread().device); }

void SetDevices(const std::string& name, int count) {
  const Chip& chip = FindChip(name);
  if (count < 1 || count > kMaxDevices) {
    throw EmulationError(
        Text("%d devices cannot be emulated; choose 1 to %d.", count, kMaxDevices));
  }
  Devices& devices = TheDevices();
  std::lock_guard guard(devices.mutex);
  if (devices.used) {
    throw EmulationError(
        "The emulated devices are in use and cannot be replaced; choose them "
        "when the process starts.");
  }
  devices.all.clear();
  for (int i = 0; i < count; ++i) devices.all.push_back(MakeDevice(chip, i));
}

hipError_t hipInit(unsigned) { return hipSuccess; }

hipError_t hipDriverGetVersion(int* version) {
  *version = kVersion;
  return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int* version) { return hipDriverGetVersion(version); }

hipError_t hipGetDeviceCount(int* count) {
  *count = NumDevices();
  return hipSuccess;
}

hipError_t hipGetDevice(int* device) {
  *device = ThisThread().device;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  return Guarded([&] { ThisThread().device = DeviceAt(device).number; });
}

hipError_t hipDeviceGet(int* device, int ordinal) {
  return Guarded([&] { *device = DeviceAt(ordinal).number; });
}

hipError_t hipDeviceGetAttribute(int* value, int attribute, int number) {
  return Guarded([&] {
    const Device& device = DeviceAt(number);
    switch (attribute) {
#define JAXGEMM_HIP_PROPERTY(number, offset, type, property) \
  case number: *value = static_cast<int>(property); return;
#include "emulator/hip/properties.def"
#undef JAXGEMM_HIP_PROPERTY
    }
    throw HipFailure{hipErrorInvalidValue,
                     Text("The emulator does not know device attribute %d.", attribute)};
  });
}

hipError_t hipGetDevicePropertiesR0600(void* properties, int number) {
  return Guarded([&] {
    const Device& device = DeviceAt(number);
    char* bytes = static_cast<char*>(properties);
    std::memset(bytes, 0, kPropertiesBytes);
    CopyText(device.name, bytes, 256);
    CopyText(std::string(ArchName(device.arch)) + ":sramecc+:xnack-", bytes + kArchNameOffset, 256);
#define JAXGEMM_HIP_PROPERTY(number, offset, type, property) \
  if (offset >= 0) {                                         \
    const type value = property;                             \
    std::memcpy(bytes + offset, &value, sizeof value);       \
  }
#include "emulator/hip/properties.def"
#undef JAXGEMM_HIP_PROPERTY
  });
}

hipError_t hipDeviceGetName(char* name, int size, int device) {
  return Guarded([&] { CopyText(DeviceAt(device).name, name, std::max(size, 0)); });
}

hipError_t hipDeviceGetPCIBusId(char* id, int size, int device) {
  return Guarded([&] { CopyText(PciBusId(DeviceAt(device).number), id, std::max(size, 0)); });
}

hipError_t hipDeviceTotalMem(size_t* bytes, int device) {
  return Guarded([&] { *bytes = DeviceAt(device).memory_bytes; });
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return Guarded([&] { *can = DeviceAt(device).number != DeviceAt(peer).number; });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) {
  return Guarded([&] { DeviceAt(peer); });
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, int device) {
  return Guarded([&] { *context = ContextOf(DeviceAt(device).number); });
}

hipError_t hipCtxGetDevice(int* device) { return hipGetDevice(device); }

// HIP has one context for each device, so this is a stack of devices.
hipError_t hipCtxPushCurrent(hipCtx_t context) {
  return Guarded([&] {
    const int device = DeviceAt(static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1).number;
    ThisThread().device_stack.push_back(ThisThread().device);
    ThisThread().device = device;
  });
}

hipError_t hipCtxPopCurrent(hipCtx_t* context) {
  return Guarded([&] {
    std::vector<int>& stack = ThisThread().device_stack;
    if (stack.empty()) throw HipFailure{hipErrorInvalidContext, "No context was pushed."};
    if (context != nullptr) *context = ContextOf(ThisThread().device);
    ThisThread().device = stack.back();
    stack.pop_back();
  });
}

}  // namespace jaxgemm::emulator
