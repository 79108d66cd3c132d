// A stand-in for one of ROCm's libraries, without which JAX's ROCm plugin can neither load nor
// compile. JAXGEMM_STUBS is the list of its functions. They take any arguments, and fail unless the
// list gives another result.
#include <cstdio>
#include <cstdlib>

namespace {

// The result of a function. kSucceeds returns 0. kAbsent returns -1, for functions that ask whether
// something exists. kFails returns an error and prints a line; kFailsQuietly, for
// functions that every program calls, prints nothing. kMakesHandle succeeds and stores a handle,
// for functions without which XLA ends the process; what uses the handle fails. kText returns the
// text of an error. kAborts ends the process, for functions that cannot return an error.
enum Result { kSucceeds, kAbsent, kFails, kFailsQuietly, kMakesHandle, kText, kAborts };

constexpr long kError = 1;

long Stub(Result result, const char* name) {
  if (result == kSucceeds) return 0;
  if (result == kAbsent) return -1;
  if (result == kFailsQuietly) return kError;
  if (result == kText) return reinterpret_cast<long>("a virtual ROCm device has no such library");
  std::fprintf(stderr,
               "jaxgemm: the program called %s. A virtual ROCm device has no such library, only "
               "the kernels of jaxgemm and of XLA itself.\n",
               name);
  if (result == kAborts) std::abort();
  return kError;
}

}  // namespace

#define JAXGEMM_STUB(version, result, name)                                      \
  extern "C" __attribute__((visibility("default"))) long name(void** argument) { \
    if (result == kMakesHandle) return *argument = argument, 0;                  \
    static const long value = Stub(result, #name); /* says it once */            \
    return value;                                                                \
  }
#include JAXGEMM_STUBS
