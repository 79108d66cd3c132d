// The mode of the host's float arithmetic, which the emulator uses: round to nearest even and
// keep denormals.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace jaxgemm::emulator {

// Sets the calling thread's mode while the object lives. XLA's threads flush denormals.
class HostFloatMode {
 public:
  HostFloatMode() {
    std::fegetenv(&saved_);
    std::fesetround(FE_TONEAREST);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() & ~0x8040u);  // clear flush-to-zero and denormals-are-zero
#elif defined(__aarch64__)
    uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    asm volatile("msr fpcr, %0" : : "r"(control & ~(uint64_t{1} << 24)));
#endif
  }
  ~HostFloatMode() { std::fesetenv(&saved_); }
  HostFloatMode(const HostFloatMode&) = delete;
  HostFloatMode& operator=(const HostFloatMode&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace jaxgemm::emulator
