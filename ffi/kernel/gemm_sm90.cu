// One kernel instance: the macros come from the build, which reads instances.def.
#include "kernel/gemm_sm90.h"

namespace jaxgemm {
using Traits = Sm90Traits<DType::JAXGEMM_LHS, DType::JAXGEMM_RHS, JAXGEMM_TILE_M, JAXGEMM_TILE_N,
                          JAXGEMM_WAVES_M / 2, JAXGEMM_LHS_CONTRACTING == 1,
                          JAXGEMM_RHS_CONTRACTING == 1>;
static_assert(sizeof(SharedMemory<Traits>) <= Traits::kMostShared);
}  // namespace jaxgemm

// Without a size of its own, a kernel is launched in clusters of any: peers of a tile.
#if JAXGEMM_WAVES_M > 2
#define JAXGEMM_CLUSTER __cluster_dims__(jaxgemm::Traits::kCluster, 1, 1)
#else
#define JAXGEMM_CLUSTER
#endif

extern "C" __global__ void __launch_bounds__(jaxgemm::kSm90Threads, 1)
    JAXGEMM_CLUSTER
        JAXGEMM_KERNEL(const __grid_constant__ jaxgemm::GemmArgs args,
                       const __grid_constant__ jaxgemm::TensorMaps maps) {
  extern __shared__ __align__(1024) char shared[];
  jaxgemm::Workgroup<jaxgemm::Traits>(
      args, maps, *reinterpret_cast<jaxgemm::SharedMemory<jaxgemm::Traits>*>(shared))
      .Run();
}
