// The kernels of few_rows.h, in one code object.
#include "weights/few_rows.h"

#define JAXGEMM_FEW_ROWS(x, bf16, weights, e2m1, form)                             \
  extern "C" __global__ void __launch_bounds__(jaxgemm::kFewForms[form].threads(), \
                                               jaxgemm::kFewForms[form].ctas)      \
      jaxgemm_few_rows_##x##_##weights##_##form(                                   \
          const __grid_constant__ jaxgemm::FewRowsArgs args) {                     \
    extern __shared__ __align__(1024) char shared[];                               \
    jaxgemm::FewRows<bf16, e2m1, jaxgemm::kFewForms[form]>(args, shared).Run();    \
  }
#define JAXGEMM_FEW_ROWS_OF(form)                             \
  JAXGEMM_FEW_ROWS(bfloat16, true, float4_e2m1fn, true, form) \
  JAXGEMM_FEW_ROWS(bfloat16, true, int4, false, form)         \
  JAXGEMM_FEW_ROWS(float16, false, float4_e2m1fn, true, form) \
  JAXGEMM_FEW_ROWS(float16, false, int4, false, form)
JAXGEMM_FEW_ROWS_OF(0)
JAXGEMM_FEW_ROWS_OF(1)
JAXGEMM_FEW_ROWS_OF(2)
JAXGEMM_FEW_ROWS_OF(3)
JAXGEMM_FEW_ROWS_OF(4)
JAXGEMM_FEW_ROWS_OF(5)
JAXGEMM_FEW_ROWS_OF(6)
JAXGEMM_FEW_ROWS_OF(7)
JAXGEMM_FEW_ROWS_OF(8)
JAXGEMM_FEW_ROWS_OF(9)
static_assert(sizeof(jaxgemm::kFewForms) / sizeof(jaxgemm::kFewForms[0]) == 10);
#undef JAXGEMM_FEW_ROWS_OF
#undef JAXGEMM_FEW_ROWS
