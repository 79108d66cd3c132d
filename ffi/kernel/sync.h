// The few atomic operations that workgroups of one call use on its workspace, each with the
// ordering its caller relies on.
#pragma once

#include <cstdint>

#include "problem.h"

namespace jaxgemm {

#if defined(__AMDGCN__)

JAXGEMM_DEVICE inline int32_t LoadRelaxed(const int32_t* address) {
  return __scoped_atomic_load_n(address, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

JAXGEMM_DEVICE inline int32_t FetchAddRelaxed(int32_t* address, int32_t value) {
  return __scoped_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// The L2s of the XCDs are not coherent: the release writes this one's back, the acquire
// invalidates it (LLVM AMDGPUUsage, "Memory Model gfx942", agent scope). The write-back must
// have ended before the add, which clang 22 does not wait for by itself.
JAXGEMM_DEVICE inline int32_t FetchAddAcqRel(int32_t* address, int32_t value) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  int32_t before = FetchAddRelaxed(address, value);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  return before;
}

// Compiled with -munsafe-fp-atomics: one instruction, on memory that XLA allocates.
JAXGEMM_DEVICE inline void AtomicAdd(float* address, float value) {
  __scoped_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

#elif defined(__CUDA_ARCH__)

JAXGEMM_DEVICE inline int32_t LoadRelaxed(const int32_t* address) {
  return *static_cast<const volatile int32_t*>(address);
}

JAXGEMM_DEVICE inline int32_t FetchAddRelaxed(int32_t* address, int32_t value) {
  return atomicAdd(address, value);
}

// The fences order what the whole workgroup did before and does after, by way of its barriers.
JAXGEMM_DEVICE inline int32_t FetchAddAcqRel(int32_t* address, int32_t value) {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  int32_t before = atomicAdd(address, value);
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  return before;
}

JAXGEMM_DEVICE inline void AtomicAdd(float* address, float value) { atomicAdd(address, value); }

#else

JAXGEMM_DEVICE inline int32_t LoadRelaxed(const int32_t* address) {
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}

// Claims: only the count matters.
JAXGEMM_DEVICE inline int32_t FetchAddRelaxed(int32_t* address, int32_t value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

// Arrivals: publishes this workgroup's partial sum (release) and, for whoever goes on, makes
// the others' visible (acquire).
JAXGEMM_DEVICE inline int32_t FetchAddAcqRel(int32_t* address, int32_t value) {
  return __atomic_fetch_add(address, value, __ATOMIC_ACQ_REL);
}

JAXGEMM_DEVICE inline void AtomicAdd(float* address, float value) {
  auto* bits = reinterpret_cast<uint32_t*>(address);
  uint32_t seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  uint32_t wanted;
  do {
    wanted = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, seen) + value);
  } while (!__atomic_compare_exchange_n(bits, &seen, wanted, /*weak=*/true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

#endif

JAXGEMM_DEVICE inline void AtomicAdd(int32_t* address, int32_t value) {
  FetchAddRelaxed(address, value);
}

}  // namespace jaxgemm
