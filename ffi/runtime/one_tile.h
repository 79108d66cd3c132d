// Whether a kernel for AMD GPUs computes a call with RunOneTile (amdgpu/gemm.h), and what it has to
// know for that. It is decided here, once for a call, so that the kernel does not spend the time
// before its first loads on it.
#pragma once

#include "kernel/gemm_args.h"
#include "plan/plan.h"

namespace jaxgemm {

// Sets args->one_tile and args->only_rounded; the other arguments are set already.
void SetOneTile(const Problem& problem, const Plan& plan, GemmArgs* args);

}  // namespace jaxgemm
