// The few atomic operations that workgroups of one call use on its workspace, each with the
// ordering its caller relies on.
#pragma once

#include <cstdint>

#include "problem.h"

namespace jaxgemm {

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

JAXGEMM_DEVICE inline void AtomicAdd(int32_t* address, int32_t value) {
  FetchAddRelaxed(address, value);
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

}  // namespace jaxgemm
