// Runs a workgroup of one form of a Hopper kernel instance.
#pragma once

#include "sm90/gemm.h"
#include "sm90/gemm_dense.h"

namespace jaxgemm {

// Whether an instance has a kernel with this form. The CTAs of a cluster that load operands for
// each other have a kernel of its own (`multicasts`), because this makes the start and each load
// longer: with one kernel for both, products without multicast were slower on an H200, most of all
// small ones. (In one kernel with a branch, small products were slowest if their code came second.)
template <DType lhs, int tile_m, int tile_n, bool lhs_k_contiguous, bool rhs_k_contiguous,
          bool transposed, KernelForm form, bool multicasts>
inline constexpr bool kHasKernel =
    HasForm(form, lhs, tile_m, tile_n, lhs_k_contiguous, rhs_k_contiguous, transposed) &&
    (!multicasts || MayMulticast(form, lhs, lhs_k_contiguous, transposed));

template <class Traits>
JAXGEMM_SM90 void RunWorkgroup(const GemmArgs& args, const TensorMaps& maps, char* shared) {
  static_assert(sizeof(SharedMemory<Traits>) <= Sm90SharedBytes(Traits::kForm));
  using Kernel = std::conditional_t<Traits::kIsDense, DenseWorkgroup<Traits>, Workgroup<Traits>>;
  Kernel(args, maps, *reinterpret_cast<SharedMemory<Traits>*>(shared)).Run();
}

}  // namespace jaxgemm
