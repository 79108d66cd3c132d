// The few atomic operations that workgroups of one call use on its workspace, and on the signals of
// whoever writes its input, each with the ordering its caller relies on.
#pragma once

#include <cstdint>

#include "spec/types.h"

#if !defined(__AMDGCN__) && !defined(__CUDA_ARCH__)
#include <time.h>
#endif

namespace jaxgemm {

#if defined(__AMDGCN__)

JAXGEMM_DEVICE inline int32_t LoadRelaxed(const int32_t* address) {
  return __scoped_atomic_load_n(address, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

JAXGEMM_DEVICE inline int32_t FetchAddRelaxed(int32_t* address, int32_t value) {
  return __scoped_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

JAXGEMM_DEVICE inline void StoreRelaxed(int32_t* address, int32_t value) {
  __scoped_atomic_store_n(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// What was there before; `value` is written if that equals `expected`.
JAXGEMM_DEVICE inline int32_t CompareExchangeRelaxed(int32_t* address, int32_t expected,
                                                     int32_t value) {
  __scoped_atomic_compare_exchange_n(address, &expected, value, /*weak=*/false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return expected;
}

// Of any agent's. Acquires nothing: loads may be in flight together.
JAXGEMM_DEVICE inline uint32_t LoadSignal(const uint32_t* address) {
  return __scoped_atomic_load_n(address, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

// Whether the value is there, and then what any agent wrote before it. The caches are invalidated
// once it is: at each look, the CU's other waves would lose what they have in them.
JAXGEMM_DEVICE inline bool AcquireIfEqual(const uint32_t* address, uint32_t value) {
  if (LoadSignal(address) != value) return false;
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");  // of the system
  return true;
}

// s_memrealtime counts at 100 MHz.
JAXGEMM_DEVICE inline int64_t Nanoseconds() {
  return static_cast<int64_t>(__builtin_readsteadycounter()) * 10;
}
JAXGEMM_DEVICE inline void SleepBriefly() {
  __builtin_amdgcn_s_sleep(32);  // 64 cycles each: a microsecond
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

JAXGEMM_DEVICE inline void StoreRelaxed(int32_t* address, int32_t value) {
  *static_cast<volatile int32_t*>(address) = value;
}

// What was there before; `value` is written if that equals `expected`.
JAXGEMM_DEVICE inline int32_t CompareExchangeRelaxed(int32_t* address, int32_t expected,
                                                     int32_t value) {
  return atomicCAS(address, expected, value);
}

// Of any GPU, copy engine or CPU. Acquires nothing: loads may be in flight together.
JAXGEMM_DEVICE inline uint32_t LoadSignal(const uint32_t* address) {
  uint32_t seen;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(address));
  return seen;
}

// Whether the value is there, and then what any GPU, copy engine or CPU wrote before it.
JAXGEMM_DEVICE inline bool AcquireIfEqual(const uint32_t* address, uint32_t value) {
  uint32_t seen;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(address) : "memory");
  return seen == value;
}

JAXGEMM_DEVICE inline int64_t Nanoseconds() {
  int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
JAXGEMM_DEVICE inline void SleepBriefly() { __nanosleep(500); }

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

JAXGEMM_DEVICE inline void StoreRelaxed(int32_t* address, int32_t value) {
  __atomic_store_n(address, value, __ATOMIC_RELAXED);
}

// What was there before; `value` is written if that equals `expected`.
JAXGEMM_DEVICE inline int32_t CompareExchangeRelaxed(int32_t* address, int32_t expected,
                                                     int32_t value) {
  __atomic_compare_exchange_n(address, &expected, value, /*weak=*/false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return expected;
}

JAXGEMM_DEVICE inline uint32_t LoadSignal(const uint32_t* address) {
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}

// Whether the value is there, and then what was written before it.
JAXGEMM_DEVICE inline bool AcquireIfEqual(const uint32_t* address, uint32_t value) {
  return __atomic_load_n(address, __ATOMIC_ACQUIRE) == value;
}

JAXGEMM_DEVICE inline int64_t Nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
JAXGEMM_DEVICE inline void SleepBriefly() {
  constexpr timespec kTime{0, 20'000};
  nanosleep(&kTime, nullptr);
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
  } while (!__atomic_compare_exchange_n(bits, &seen, wanted, /*weak=*/true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

#endif

JAXGEMM_DEVICE inline void AtomicAdd(int32_t* address, int32_t value) {
  FetchAddRelaxed(address, value);
}

}  // namespace jaxgemm
