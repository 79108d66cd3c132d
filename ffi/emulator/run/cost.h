// The counters of a launch, from which the resource report is made. Each is a sum over all waves.
// Cycles are those of the named pipe, as if it were never idle and never shared; their sources are
// given where they are computed.
#pragma once

#include <cstdint>
#include <string>

namespace jaxgemm::emulator {

// JAXGEMM_COST(name): one counter each, in the order in which they are reported.
#define JAXGEMM_COSTS(JAXGEMM_COST)                                                \
  JAXGEMM_COST(workgroups)                                                         \
  JAXGEMM_COST(waves)                                                              \
  JAXGEMM_COST(instructions)                                                       \
  JAXGEMM_COST(matrix) /* instructions by kind */                                  \
  JAXGEMM_COST(vector)                                                             \
  JAXGEMM_COST(scalar)                                                             \
  JAXGEMM_COST(branch)                                                             \
  JAXGEMM_COST(wait)                                                               \
  JAXGEMM_COST(barrier)                                                            \
  JAXGEMM_COST(other) /* s_nop, s_setprio, s_sleep, messages, caches */            \
  JAXGEMM_COST(scalar_memory)                                                      \
  JAXGEMM_COST(lds_read)                                                           \
  JAXGEMM_COST(lds_write)                                                          \
  JAXGEMM_COST(lds_atomic)                                                         \
  JAXGEMM_COST(lane_permute) /* ds_bpermute and the like: the LDS crossbar only */ \
  JAXGEMM_COST(global_load)                                                        \
  JAXGEMM_COST(global_to_lds)                                                      \
  JAXGEMM_COST(global_store)                                                       \
  JAXGEMM_COST(global_atomic)                                                      \
  JAXGEMM_COST(scratch)                                                            \
  JAXGEMM_COST(matrix_cycles)   /* of the SIMD's matrix pipe */                    \
  JAXGEMM_COST(vector_cycles)   /* of the SIMD's issue */                          \
  JAXGEMM_COST(lds_read_cycles) /* of the CU's LDS; without conflicts */           \
  JAXGEMM_COST(lds_write_cycles)                                                   \
  JAXGEMM_COST(lds_dma_cycles)      /* writes of global_to_lds */                  \
  JAXGEMM_COST(lds_conflict_cycles) /* added to the three above */                 \
  JAXGEMM_COST(lds_read_bytes)                                                     \
  JAXGEMM_COST(lds_write_bytes)                                                    \
  JAXGEMM_COST(lds_dma_bytes)                                                      \
  JAXGEMM_COST(global_read_bytes) /* by vector loads, those to the LDS included */ \
  JAXGEMM_COST(global_write_bytes)                                                 \
  JAXGEMM_COST(global_lines) /* 64-byte segments: cycles of the CU's L1 */         \
  JAXGEMM_COST(scalar_read_bytes)                                                  \
  JAXGEMM_COST(scratch_bytes)

struct Cost {
#define JAXGEMM_COST(name) uint64_t name = 0;
  JAXGEMM_COSTS(JAXGEMM_COST)
#undef JAXGEMM_COST
  // Cycles of each of a CU's four SIMDs: wave w of a workgroup runs on SIMD w % 4.
  uint64_t simd_matrix_cycles[4] = {}, simd_vector_cycles[4] = {};
};

// A JSON object with the fields above.
std::string ToJson(const Cost& cost);

}  // namespace jaxgemm::emulator
