// The host kernel for AVX-512 (F, BW, VL, DQ). The accumulators are 14 x 32 floats in 28
// registers.
#define JAXGEMM_VECTOR_BYTES 64
#define JAXGEMM_TILE_ROWS 14
#include "host/simd.h"

namespace jaxgemm {

extern constinit const HostKernel kHostAvx512F32 =
    MakeHostKernel<FloatOps>("avx512", Math::kF32, 256);
extern constinit const HostKernel kHostAvx512S8 =
    MakeHostKernel<IntPairOps>("avx512", Math::kS8, 512);

}  // namespace jaxgemm
