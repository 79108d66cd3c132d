// What the kernels for AMD GPUs and the plan's model (plan/amdgpu_model.cc) must agree on.
#pragma once

#include "spec/types.h"

namespace jaxgemm {

// Whether half_epilogue.h stores a result for which StoresVectors (vector_epilogue.h) is true.
// in_memory: the accumulators are not in registers. log_bytes is that of an element of out.
JAXGEMM_DEVICE constexpr bool IsOnlyRounded(int log_bytes, bool in_memory, bool has_vectors,
                                            Activation activation) {
  return log_bytes == 1 && !in_memory && !has_vectors && activation == Activation::kNone;
}

}  // namespace jaxgemm
