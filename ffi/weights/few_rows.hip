// The kernels of few_rows_amd.h, in one code object.
#include "weights/few_rows_amd.h"

#define JAXGEMM_FEW_ROWS(x, bf16, weights, e2m1, form)                                             \
  extern "C" __attribute__((                                                                       \
      global, amdgpu_flat_work_group_size(jaxgemm::kFewAmdThreads, jaxgemm::kFewAmdThreads))) void \
  jaxgemm_few_rows_##x##_##weights##_##form(jaxgemm::FewRowsArgs args) {                           \
    using Kernel = jaxgemm::FewRows<bf16, e2m1, jaxgemm::kFewAmdBlocks[form]>;                     \
    static __attribute__((shared)) __attribute__((aligned(16))) char lds[Kernel::kLdsBytes];       \
    Kernel(args, (jaxgemm::Lds*)lds).Run();                                                        \
  }
#define JAXGEMM_FEW_ROWS_OF(form)                             \
  JAXGEMM_FEW_ROWS(bfloat16, true, float4_e2m1fn, true, form) \
  JAXGEMM_FEW_ROWS(bfloat16, true, int4, false, form)         \
  JAXGEMM_FEW_ROWS(float16, false, float4_e2m1fn, true, form) \
  JAXGEMM_FEW_ROWS(float16, false, int4, false, form)
JAXGEMM_FEW_ROWS_OF(0)
JAXGEMM_FEW_ROWS_OF(1)
JAXGEMM_FEW_ROWS_OF(2)
#undef JAXGEMM_FEW_ROWS_OF
#undef JAXGEMM_FEW_ROWS
