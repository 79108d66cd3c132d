// One kernel instance in all its forms. The build reads instances.def and defines the macros.
#include "sm90/run_form.h"

namespace jaxgemm {

constexpr DType kLhs = DType::JAXGEMM_LHS, kRhs = DType::JAXGEMM_RHS;
constexpr int kTileM = JAXGEMM_TILE_M, kTileN = JAXGEMM_TILE_N;
constexpr bool kLhsKContiguous = JAXGEMM_LHS_CONTRACTING == 1;
constexpr bool kRhsKContiguous = JAXGEMM_RHS_CONTRACTING == 1;
constexpr bool kTransposed = JAXGEMM_TRANSPOSED;

template <KernelForm form, bool multicasts>
__device__ __forceinline__ void Run(const GemmArgs& args, const TensorMaps& maps, char* shared) {
  if constexpr (kHasKernel<kLhs, kTileM, kTileN, kLhsKContiguous, kRhsKContiguous, kTransposed,
                           form, multicasts>) {
    RunWorkgroup<Sm90Traits<kLhs, kRhs, kTileM, kTileN, kLhsKContiguous, kRhsKContiguous,
                            kTransposed, form, multicasts>>(args, maps, shared);
  }
}

}  // namespace jaxgemm

// A kernel without a fixed cluster size can be launched with any. For cluster split-K the cluster
// has as many CTAs as its tiles have peers.
#if JAXGEMM_WAVES_M > 2
#define JAXGEMM_CLUSTER __cluster_dims__(JAXGEMM_WAVES_M / 2, 1, 1)
#else
#define JAXGEMM_CLUSTER
#endif

#define JAXGEMM_JOIN(a, b) a##b
#define JAXGEMM_KERNEL_OF(name, suffix, form, multicasts)                                         \
  extern "C" __global__ void __launch_bounds__(jaxgemm::Sm90Threads(jaxgemm::KernelForm::form),   \
                                               jaxgemm::Sm90CtasPerSm(jaxgemm::KernelForm::form)) \
      JAXGEMM_CLUSTER JAXGEMM_JOIN(name, suffix)(                                                 \
          const __grid_constant__ jaxgemm::GemmArgs args,                                         \
          const __grid_constant__ jaxgemm::TensorMaps maps) {                                     \
    extern __shared__ __align__(1024) char shared[];                                              \
    jaxgemm::Run<jaxgemm::KernelForm::form, multicasts>(args, maps, shared);                      \
  }
#define JAXGEMM_FORM(id, name, suffix, ...) JAXGEMM_KERNEL_OF(JAXGEMM_KERNEL, suffix, id, false)
#define JAXGEMM_CLUSTER_SPLIT_K_FORM(id, name, suffix, ...) \
  JAXGEMM_FORM(id, name, suffix)                            \
  JAXGEMM_KERNEL_OF(JAXGEMM_KERNEL, suffix##_multicast, id, true)
#define JAXGEMM_AMD_FORM(...)
#include "sm90/forms.def"
