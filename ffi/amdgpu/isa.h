// The AMD instructions that kernels use by name, without HIP's headers.
#pragma once

#include <cstdint>

#include "amdgpu/plain_product.h"
#include "schedule/tile_scheduler.h"
#include "spec/types.h"

#define JAXGEMM_AMD __attribute__((device)) inline __attribute__((always_inline))

namespace jaxgemm {

using Lds = __attribute__((address_space(3))) char;
using LdsIndex = __attribute__((address_space(3))) Index;

// A vector of 16 bytes of an operand, which one lane moves at a time.
using Vec16 = uint32_t __attribute__((ext_vector_type(4)));
using Vec8 = uint32_t __attribute__((ext_vector_type(2)));
using LdsVec16 = __attribute__((address_space(3))) Vec16;

inline constexpr int kWaveSize = 64;

// The work-item id. The empty asm makes the result of each call a new value for the compiler.
// Without the asm, the compiler would compute everything that depends on the id before the first
// work tile, and keep the results in VGPRs that the accumulators need. The mask tells the compiler
// how large the id can be.
JAXGEMM_AMD int ThreadId() {
  constexpr int kMostThreads = 1024;
  int id = __builtin_amdgcn_workitem_id_x();
  asm volatile("" : "+v"(id));
  return id & (kMostThreads - 1);
}
JAXGEMM_AMD int LaneId() { return ThreadId() % kWaveSize; }
// readfirstlane tells the compiler that the value is the same in all lanes.
JAXGEMM_AMD int WaveId() {
  return __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / kWaveSize);
}

// The XCD (chiplet) that this wave runs on (CDNA3 ISA, hardware registers: XCC_ID, 4 bits). A
// device of gfx90a is one die, and has no such register.
JAXGEMM_AMD int XccId() {
#if defined(__gfx90a__)
  return 0;
#else
  constexpr int kXccIdRegister = 20, kBits = 4;
  return __builtin_amdgcn_s_getreg(kXccIdRegister | (kBits - 1) << 11);
#endif
}

// The address of `lds`, which must be the same in all lanes, in a scalar register.
JAXGEMM_AMD uint32_t LdsAddress(Lds* lds) {
  return __builtin_amdgcn_readfirstlane(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(lds)));
}

// A barrier of the workgroup. LDS accesses before it are done, and visible to all waves after it.
// Accesses to global memory are not ordered.
JAXGEMM_AMD void Barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// Ends the wave. Where it stands, the compiler knows that nothing follows; so it keeps no registers
// for what the kernel does on other paths.
JAXGEMM_AMD void EndWave() {
  asm volatile("s_endpgm" ::: "memory");
  __builtin_unreachable();
}

// Waits until no more of this wave's accesses of global memory and of LDS than these are in flight
// (CDNA3 ISA, S_WAITCNT).
inline constexpr int kAnyLds = 15;
template <int kGlobal, int kLds>
JAXGEMM_AMD void WaitUntil() {
  constexpr int kAnyExports = 7;
  static_assert(kGlobal < 64 && kLds < 16);
  __builtin_amdgcn_s_waitcnt(kGlobal % 16 | kGlobal / 16 << 14 | kAnyExports << 4 | kLds << 8);
}
// Waits until this wave's loads and stores of global memory are done.
JAXGEMM_AMD void WaitForMemory() { asm volatile("s_waitcnt vmcnt(0)" ::: "memory"); }

}  // namespace jaxgemm
