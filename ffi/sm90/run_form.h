// Runs a workgroup of one form of a Hopper kernel instance.
#pragma once

#include "sm90/gemm.h"
#include "sm90/gemm_dense.h"

namespace jaxgemm {

template <class Traits>
JAXGEMM_SM90 void RunWorkgroup(const GemmArgs& args, const TensorMaps& maps, char* shared) {
  static_assert(sizeof(SharedMemory<Traits>) <= Sm90SharedBytes(Traits::kForm));
  using Its = std::conditional_t<Traits::kIsDense, DenseWorkgroup<Traits>, Workgroup<Traits>>;
  Its(args, maps, *reinterpret_cast<SharedMemory<Traits>*>(shared)).Run();
}

template <DType lhs, DType rhs, int tile_m, int tile_n, int cluster, bool lhs_k_contiguous,
          bool rhs_k_contiguous, bool transposed, KernelForm form>
JAXGEMM_SM90 void RunForm(const GemmArgs& args, const TensorMaps& maps, char* shared) {
  // Multicast has code of its own: it makes the start and each load longer. With one code for both,
  // products without multicast took up to 1.23 times as long on an H200, most of all small ones.
  if constexpr (MayMulticast(form, lhs, cluster, lhs_k_contiguous, transposed)) {
    if (maps.cluster_m * maps.cluster_n > 1) {
      RunWorkgroup<Sm90Traits<lhs, rhs, tile_m, tile_n, cluster, lhs_k_contiguous, rhs_k_contiguous,
                              transposed, form, true>>(args, maps, shared);
      return;
    }
  }
  RunWorkgroup<Sm90Traits<lhs, rhs, tile_m, tile_n, cluster, lhs_k_contiguous, rhs_k_contiguous,
                          transposed, form, false>>(args, maps, shared);
}

}  // namespace jaxgemm
