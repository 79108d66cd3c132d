// A stand-in for CUDA's driver: it launches Hopper's kernels on a stand-in for the GPU (machine.h).
// Add() says which kernels there are.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../testing.h"
#include "machine.h"
#include "runtime/driver.h"
#include "sm90/run_form.h"
#include "spec/gpu_instances.h"

namespace jaxgemm {

struct Kernel {
  std::string name;
  int cluster, threads;
  void (*run)(const GemmArgs&, const TensorMaps&);
};
inline std::map<std::string, Kernel>& Kernels() {
  static std::map<std::string, Kernel> kernels;
  return kernels;
}
inline std::vector<std::string> launched;
inline uint64_t seed = 0;

// Adds an instance with all its forms to Kernels(). Returns its name.
template <DType lhs, DType rhs, int tile_m, int tile_n, bool lhs_k, bool rhs_k,
          bool transposed = false>
std::string Add() {
  constexpr int kTileK = kBoxBytes / ElementBytes(lhs);
  std::string name;
  for (const GpuInstance& each : GpuInstances()) {
    if (each.target == "sm90" && each.lhs == lhs && each.rhs == rhs && each.tile_m == tile_m &&
        each.tile_n == tile_n && each.tile_k == kTileK && (each.lhs_contracting == 1) == lhs_k &&
        (each.rhs_contracting == 1) == rhs_k && each.transposed == transposed) {
      name = each.name;
    }
  }
  CHECK_THAT(!name.empty(), "no such instance");
  auto add = [&]<KernelForm form, bool multicasts>(std::string suffix) {
    if constexpr (kHasKernel<lhs, tile_m, tile_n, lhs_k, rhs_k, transposed, form, multicasts>) {
      using Traits =
          Sm90Traits<lhs, rhs, tile_m, tile_n, lhs_k, rhs_k, transposed, form, multicasts>;
      suffix += multicasts ? "_multicast" : "";
      Kernels()[name + suffix] = {name + suffix, Traits::kCluster, Sm90Threads(form),
                                  [](const GemmArgs& args, const TensorMaps& maps) {
        RunWorkgroup<Traits>(args, maps, stand_in::Shared());
      }};
    }
  };
  auto add_both = [&]<KernelForm form>(const char* suffix) {
    add.template operator()<form, false>(suffix);
    add.template operator()<form, true>(suffix);
  };
#define JAXGEMM_FORM(id, name, suffix, ...) add_both.template operator()<KernelForm::id>(#suffix);
#include "sm90/forms.def"
#undef JAXGEMM_FORM
  return name;
}

inline DriverResult LaunchHere(void* function, unsigned grid, unsigned cluster, unsigned threads,
                               unsigned shared_bytes, void*, void** arguments) {
  const auto& kernel = *static_cast<const Kernel*>(function);
  launched.push_back(kernel.name);
  const int size = cluster ? static_cast<int>(cluster) : kernel.cluster;
  if (static_cast<int>(threads) != kernel.threads || shared_bytes > stand_in::kSharedBytes ||
      grid % size) {
    return 1;
  }
  const auto& args = *static_cast<const GemmArgs*>(arguments[0]);
  const auto& maps = *static_cast<const TensorMaps*>(arguments[1]);
  return !stand_in::Launch(static_cast<int>(grid) / size, size, kernel.threads, ++seed,
                           [&] { kernel.run(args, maps); });
}

inline DriverResult EncodeMap(void* map, int type, uint32_t rank, void* address,
                              const uint64_t* sizes, const uint64_t* strides, const uint32_t* box,
                              const uint32_t*, int, int swizzle, int, int) {
  constexpr int kUint32 = 2, kFloat16 = 6, kFloat32 = 7, kBFloat16 = 9, kTFloat32 = 11;
  constexpr int kSwizzle128 = 3;
  const int64_t bytes = type == kTFloat32 || type == kUint32 || type == kFloat32 ? 4
                        : type == kFloat16 || type == kBFloat16                  ? 2
                                                                                 : 1;
  const auto x = static_cast<int64_t>(sizes[0]), y = static_cast<int64_t>(sizes[1]);
  if (rank != 3 || swizzle != kSwizzle128 || box[0] * bytes > kBoxBytes || box[0] * bytes % 16 ||
      box[1] > 256 || box[2] != 1 || x * bytes % 16 ||
      static_cast<int64_t>(strides[0]) != x * bytes ||
      static_cast<int64_t>(strides[1]) != x * y * bytes) {
    return 1;
  }
  const HostMap host{static_cast<char*>(address),
                     x,
                     y,
                     static_cast<int64_t>(sizes[2]),
                     bytes,
                     box[0],
                     box[1],
                     type == kFloat32};
  std::memcpy(map, &host, sizeof(host));
  return 0;
}

inline Driver MakeDriver() {
  Driver driver{};
  driver.library = "stand-in";
  driver.suffix = ".cubin";
  driver.get_device = [](int* device) { return *device = 0; };
  driver.set_device = [](int) { return 0; };
  driver.get_device_attribute = [](int* value, int attribute, int) {
    *value = attribute == 75 ? 9 : 0;
    return 0;
  };
  driver.capability_major = 75, driver.capability_minor = 76;
  driver.target = [](int major, int minor) {
    return "sm" + std::to_string(major) + std::to_string(minor);
  };
  driver.load_module = [](void** module, const void*) {
    *module = module;
    return 0;
  };
  driver.unload_module = [](void*) { return 0; };
  driver.get_function = [](void** function, void*, const char* name) {
    auto found = Kernels().find(name);
    if (found == Kernels().end()) return 500;
    *function = &found->second;
    return 0;
  };
  driver.set_function_attribute = [](void*, int, int) { return 0; };
  driver.set_words = [](void* to, int word, size_t count, void*) {
    std::fill_n(static_cast<int*>(to), count, word);
    return 0;
  };
  driver.error_name = driver.error_text = [](DriverResult) { return "failed"; };
  driver.encode_tensor_map = EncodeMap;
  driver.launch_early = LaunchHere;
  return driver;
}

}  // namespace jaxgemm
