#include "runtime/code_object.h"

#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

#include "runtime/whole_elf.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

std::string& KernelFolder() {
  static std::string folder;
  return folder;
}

// HIP does not copy a code object, so it must stay in memory.
const char* Kept(std::string code) {
  static auto* mutex = new std::mutex;
  static auto* kept = new std::deque<std::string>;
  std::lock_guard lock(*mutex);
  return kept->emplace_back(std::move(code)).data();
}

}  // namespace

void SetKernelFolder(std::string folder) { KernelFolder() = std::move(folder); }

std::string TargetOf(const Driver& driver, int device, DriverResult* result) {
  int major = 0, minor = 0;
  *result = driver.get_device_attribute(&major, driver.capability_major, device);
  if (*result == 0) {
    *result = driver.get_device_attribute(&minor, driver.capability_minor, device);
  }
  return *result == 0 ? driver.target(major, minor) : "";
}

std::string KernelFailure(const char* what, const Driver& driver, const std::string& kernel,
                          int device, DriverResult result) {
  return Str(std::string_view(what)) + " failed: kernel " + kernel + ", device " + Str(device) +
         ", " + driver.error_name(result) + ": " + driver.error_text(result) + " (" +
         driver.library + ")." + driver.advice;
}

std::string LoadCodeObject(const Driver& driver, std::string_view target, const std::string& name,
                           int device, void** module) {
  const std::string path = KernelFolder() + "/" + Str(target) + "/" + name + driver.suffix;
  std::ifstream file(path, std::ios::binary);
  std::string code{std::istreambuf_iterator<char>(file), {}};
  if (!file || code.empty()) {
    return "there is no code object " + path +
           ": this build was made without it. Build again "
           "with JAXGEMM_GPU_KERNELS=all, or pass implementation='xla'.";
  }
  if (!IsWholeElf(code)) {
    return "the code object " + path +
           " is cut short. Build jaxgemm again, or pass "
           "implementation='xla'.";
  }
  const DriverResult result = driver.load_module(module, Kept(std::move(code)));
  return result == 0 ? "" : KernelFailure("loading the code object", driver, name, device, result);
}

}  // namespace jaxgemm
