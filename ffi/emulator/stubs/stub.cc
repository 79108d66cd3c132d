// A stand-in for one of ROCm's libraries, which have to be there for JAX's ROCm plugin to load and
// to compile. JAXGEMM_STUBS is the list of its functions. They take any arguments, and fail, unless
// the list has another result.
#include <cstdio>
#include <cstdlib>

namespace {

// What a function does: returns 0; returns an error, and prints a line or is quiet, because every
// program calls it; or ends the process, because it cannot say that it failed.
enum Result { kSucceeds, kFails, kFailsQuietly, kAborts };

constexpr long kError = 1;

long Stub(Result result, const char* name) {
  if (result == kSucceeds) return 0;
  if (result == kFailsQuietly) return kError;
  std::fprintf(stderr,
               "jaxgemm: the program called %s. A virtual ROCm device has no such library, only "
               "the kernels of jaxgemm and of XLA itself.\n",
               name);
  if (result == kAborts) std::abort();
  return kError;
}

}  // namespace

#define JAXGEMM_STUB(version, result, name)                           \
  extern "C" __attribute__((visibility("default"))) long name() {     \
    static const long value = Stub(result, #name); /* says it once */ \
    return value;                                                     \
  }
#include JAXGEMM_STUBS
