// One kernel instance. The build reads instances.def and defines the macros.
#include "amdgpu/gemm.h"

namespace jaxgemm {
template <bool kScaled>
using TheTraits = GemmTraits<DType::JAXGEMM_LHS, DType::JAXGEMM_RHS, JAXGEMM_TILE_M, JAXGEMM_TILE_N,
                             JAXGEMM_WAVES_M, JAXGEMM_WAVES_N, JAXGEMM_WAVES_K,
                             JAXGEMM_LHS_CONTRACTING == 1, JAXGEMM_RHS_CONTRACTING == 1, kScaled>;
using Traits = TheTraits<false>;
// The numbers of registers are chosen for so many waves on each SIMD.
inline constexpr int kWavesPerSimd = Traits::kWavesK > 1 ? 4 : 2;
}  // namespace jaxgemm

#define JAXGEMM_ENTRY(name, Its)                                                                   \
  extern "C" __attribute__((global))                                                               \
  __attribute__((amdgpu_flat_work_group_size(jaxgemm::Its::kThreads, jaxgemm::Its::kThreads)))     \
  __attribute__((amdgpu_waves_per_eu(jaxgemm::kWavesPerSimd, jaxgemm::kWavesPerSimd))) void        \
  name(jaxgemm::GemmArgs) {                                                                        \
    static                                                                                         \
        __attribute__((shared, aligned(1024))) char lds[jaxgemm::TileOf<jaxgemm::Its>::kLdsBytes]; \
    jaxgemm::RunGemm<jaxgemm::Its>((jaxgemm::Lds*)lds);                                            \
  }
JAXGEMM_ENTRY(JAXGEMM_KERNEL, Traits)

// The form kScaled of an instance that has it, see HasForm in spec/gpu_instances.h.
#if JAXGEMM_SCALED
namespace jaxgemm {
using ScaledTraits = TheTraits<true>;
}
#define JAXGEMM_JOIN(a, b) a##b
#define JAXGEMM_SUFFIXED(name) JAXGEMM_JOIN(name, _scaled)
JAXGEMM_ENTRY(JAXGEMM_SUFFIXED(JAXGEMM_KERNEL), ScaledTraits)
#endif
