// The atomic operations of a call's workgroups on its workspace and on chunk signals, each with the
// memory ordering that its caller needs.
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

// Returns the old value; writes `value` if the old value equals `expected`.
JAXGEMM_DEVICE inline int32_t CompareExchangeRelaxed(int32_t* address, int32_t expected,
                                                     int32_t value) {
  __scoped_atomic_compare_exchange_n(address, &expected, value, /*weak=*/false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return expected;
}

// Reads a signal that any agent may write. It does not acquire, so several loads can be in flight.
JAXGEMM_DEVICE inline uint32_t LoadSignal(const uint32_t* address) {
  return __scoped_atomic_load_n(address, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

// Returns whether the signal equals `value`. If so, all that its writer wrote before it is visible.
// Only then are the caches invalidated: if every poll did that, the CU's other waves would lose
// their cached data.
JAXGEMM_DEVICE inline bool AcquireIfEqual(const uint32_t* address, uint32_t value) {
  if (LoadSignal(address) != value) return false;
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");  // system scope
  return true;
}

// s_memrealtime counts at 100 MHz.
JAXGEMM_DEVICE inline int64_t Nanoseconds() {
  return static_cast<int64_t>(__builtin_readsteadycounter()) * 10;
}
JAXGEMM_DEVICE inline void SleepBriefly() {
  __builtin_amdgcn_s_sleep(32);  // 32 times 64 cycles: a microsecond
}

// The L2s of the XCDs are not coherent: the release writes this XCD's L2 back, the acquire
// invalidates it (LLVM AMDGPUUsage, "Memory Model gfx942", agent scope). The write-back must
// have ended before the add; clang 22 does not emit that wait itself. A device of gfx90a has one
// L2: there the release only waits, and the acquire invalidates the L1 ("Memory Model gfx90a").
JAXGEMM_DEVICE inline int32_t FetchAddAcqRel(int32_t* address, int32_t value) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  int32_t before = FetchAddRelaxed(address, value);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  return before;
}

// With -munsafe-fp-atomics this is one instruction, valid on memory that XLA allocates. gfx90a has
// it for pointers to global memory only; elsewhere the compiler finds out what is global.
#if defined(__gfx90a__)
using FloatInMemory = __attribute__((address_space(1))) float;
#else
using FloatInMemory = float;
#endif
JAXGEMM_DEVICE inline void AtomicAdd(float* generic, float value) {
  auto* address = (FloatInMemory*)generic;
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

// Returns the old value; writes `value` if the old value equals `expected`.
JAXGEMM_DEVICE inline int32_t CompareExchangeRelaxed(int32_t* address, int32_t expected,
                                                     int32_t value) {
  return atomicCAS(address, expected, value);
}

// Reads a signal that any GPU, copy engine or CPU may write. It does not acquire, so several loads
// can be in flight.
JAXGEMM_DEVICE inline uint32_t LoadSignal(const uint32_t* address) {
  uint32_t seen;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(address));
  return seen;
}

// Returns whether the signal equals `value`. If so, all that its writer (a GPU, a copy engine or
// the CPU) wrote before it is visible.
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

// The caller's barriers extend the order of the fences to all threads of the workgroup.
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

// Returns the old value; writes `value` if the old value equals `expected`.
JAXGEMM_DEVICE inline int32_t CompareExchangeRelaxed(int32_t* address, int32_t expected,
                                                     int32_t value) {
  __atomic_compare_exchange_n(address, &expected, value, /*weak=*/false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return expected;
}

JAXGEMM_DEVICE inline uint32_t LoadSignal(const uint32_t* address) {
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}

// Returns whether the signal equals `value`. If so, all that was written before it is visible.
JAXGEMM_DEVICE inline bool AcquireIfEqual(const uint32_t* address, uint32_t value) {
  return __atomic_load_n(address, __ATOMIC_ACQUIRE) == value;
}

JAXGEMM_DEVICE inline int64_t Nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
JAXGEMM_DEVICE inline void SleepBriefly() {
  constexpr timespec kTime{0, 20'000};  // 20 microseconds
  nanosleep(&kTime, nullptr);
}

// Orders no other access: claims and additions need no more.
JAXGEMM_DEVICE inline int32_t FetchAddRelaxed(int32_t* address, int32_t value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

// For arrivals: publishes this workgroup's partial sums (release) and makes those of the
// workgroups that arrived before visible (acquire).
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
