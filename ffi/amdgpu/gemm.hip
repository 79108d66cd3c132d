// One kernel instance. The build reads instances.def and defines the macros.
#include "amdgpu/gemm.h"

namespace jaxgemm {
template <KernelForm kForm>
using FormTraits = GemmTraits<DType::JAXGEMM_LHS, DType::JAXGEMM_RHS, JAXGEMM_TILE_M,
                              JAXGEMM_TILE_N, JAXGEMM_WAVES_M, JAXGEMM_WAVES_N, JAXGEMM_WAVES_K,
                              JAXGEMM_LHS_CONTRACTING == 1, JAXGEMM_RHS_CONTRACTING == 1, kForm>;
using Traits = FormTraits<KernelForm::kGeneral>;
}  // namespace jaxgemm

#define JAXGEMM_ENTRY(name, Traits)                                                              \
  extern "C" __attribute__((global)) __attribute__((                                             \
      amdgpu_flat_work_group_size(jaxgemm::Traits::kThreads, jaxgemm::Traits::kThreads)))        \
  __attribute__((                                                                                \
      amdgpu_waves_per_eu(jaxgemm::Traits::kWavesPerSimd, jaxgemm::Traits::kWavesPerSimd))) void \
  name(jaxgemm::GemmArgs) {                                                                      \
    static __attribute__((shared,                                                                \
                          aligned(1024))) char lds[jaxgemm::TileOf<jaxgemm::Traits>::kLdsBytes]; \
    jaxgemm::RunGemm<jaxgemm::Traits>((jaxgemm::Lds*)lds);                                       \
  }
// The forms of this instance: those that the line of its tile in instances.def says.
#if JAXGEMM_GENERAL
JAXGEMM_ENTRY(JAXGEMM_KERNEL, Traits)
#endif
#define JAXGEMM_JOIN(a, b) a##b
#define JAXGEMM_SUFFIXED(name, suffix) JAXGEMM_JOIN(name, suffix)
#if JAXGEMM_SCALED
namespace jaxgemm {
using ScaledTraits = FormTraits<KernelForm::kScaled>;
}
JAXGEMM_ENTRY(JAXGEMM_SUFFIXED(JAXGEMM_KERNEL, _scaled), ScaledTraits)
#endif
#if JAXGEMM_MX
namespace jaxgemm {
using MxTraits = FormTraits<KernelForm::kMx>;
}
JAXGEMM_ENTRY(JAXGEMM_SUFFIXED(JAXGEMM_KERNEL, _mx), MxTraits)
#endif
