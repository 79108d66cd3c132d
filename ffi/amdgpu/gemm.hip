// One kernel instance. The build reads instances.def and defines the macros.
#include "amdgpu/gemm.h"

namespace jaxgemm {
using Traits = GemmTraits<DType::JAXGEMM_LHS, DType::JAXGEMM_RHS, JAXGEMM_TILE_M, JAXGEMM_TILE_N,
                          JAXGEMM_WAVES_M, JAXGEMM_WAVES_N, JAXGEMM_LHS_CONTRACTING == 1,
                          JAXGEMM_RHS_CONTRACTING == 1>;
}  // namespace jaxgemm

// Two waves on each SIMD for every tile: the numbers of registers are chosen for that.
extern "C" __attribute__((global))
__attribute__((amdgpu_flat_work_group_size(jaxgemm::Traits::kThreads, jaxgemm::Traits::kThreads)))
__attribute__((amdgpu_waves_per_eu(2, 2))) void
JAXGEMM_KERNEL(jaxgemm::GemmArgs) {
  static __attribute__((shared, aligned(1024))) char lds[jaxgemm::kLdsBytes<jaxgemm::Traits>];
  jaxgemm::RunGemm<jaxgemm::Traits>((jaxgemm::Lds*)lds);
}
