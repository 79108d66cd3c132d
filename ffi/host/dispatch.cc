// Chooses the host kernel for this processor. Compiled without instruction-set flags.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "host/kernel.h"
#include "spec/text.h"

namespace jaxgemm {

#define JAXGEMM_HOST_KERNEL(name, math, symbol, cpu_features) extern const HostKernel symbol;
#include "spec/instances.def"
#undef JAXGEMM_HOST_KERNEL

namespace {

#if defined(__x86_64__)
// Linux lets a process use AMX's tile registers only after the process has requested them once.
bool AmxPermitted() {
  constexpr long kRequest = 0x1023, kTileData = 18;  // <asm/prctl.h>
  static const bool permitted = syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
  return permitted;
}
#endif

struct Entry {
  std::string_view name;  // of the family; two families may share a kernel
  const HostKernel* kernel;
  bool available;
};

// Built at the first call, because `cpu_features` queries the processor.
const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = {
#define JAXGEMM_HOST_KERNEL(name, math, symbol, cpu_features) \
  {name, &symbol, static_cast<bool>(cpu_features)},
#include "spec/instances.def"
#undef JAXGEMM_HOST_KERNEL
  };
  return entries;
}

// The family that the argument names, else the one in JAXGEMM_HOST_KERNEL, else "": any family.
std::string_view Forced(std::string_view name) {
  if (!name.empty()) return name;
  const char* forced = std::getenv("JAXGEMM_HOST_KERNEL");
  return forced == nullptr ? "" : forced;
}

}  // namespace

const HostKernel* FindHostKernel(std::string_view name, Math math) {
  const std::string_view forced = Forced(name);
  for (const Entry& entry : Entries()) {
    if (!entry.available || (!forced.empty() && entry.name != forced)) continue;
    if (entry.kernel->math == math) return entry.kernel;
    // A bf16 kernel listed after the best float kernel is slower than that one.
    if (forced.empty() && math == Math::kBF16 && entry.kernel->math == Math::kF32) break;
  }
  return nullptr;
}

std::string HostKernelError(std::string_view name) {
  const std::string forced(Forced(name));
  bool known = false, available = false;
  std::string names;
  for (const Entry& entry : Entries()) {
    known = known || entry.name == forced;
    available = available || (entry.name == forced && entry.available);
    const std::string quoted = Concat("'", entry.name, "'");
    if (entry.available && names.find(quoted) == std::string::npos) {
      names += (names.empty() ? "" : ", ") + quoted;
    }
  }
  const char* what = available ? " does not take these element types"
                     : known   ? " needs instructions that this processor lacks"
                               : " does not exist";
  return "The host kernel '" + forced + "'" +
         (name.empty() ? " (environment variable JAXGEMM_HOST_KERNEL)" : "") + what +
         "; this processor has: " + names + ".";
}

}  // namespace jaxgemm
