// The host kernel for AVX2, FMA and F16C. Twelve accumulators hide the latency of two multiply-adds
// a cycle, and leave registers for the panel and a broadcast.
#define JAXGEMM_VECTOR_BYTES 32
#define JAXGEMM_TILE_ROWS 6
#include "host/simd.h"

namespace jaxgemm {

extern constinit const HostKernel kHostAvx2F32 = MakeHostKernel<FloatOps>("avx2", Math::kF32, 384);
extern constinit const HostKernel kHostAvx2S8 = MakeHostKernel<IntPairOps>("avx2", Math::kS8, 512);

}  // namespace jaxgemm
