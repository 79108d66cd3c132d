// The host kernel for AVX-512 with the dot products of AVX512_BF16 and AVX512_VNNI.
#define JAXGEMM_VECTOR_BYTES 64
#define JAXGEMM_TILE_ROWS 14
#include "host/simd.h"

namespace jaxgemm {

extern constinit const HostKernel kHostAvx512Bf16BF16 =
    MakeHostKernel<BF16PairOps>("avx512_bf16", Math::kBF16, 512);
extern constinit const HostKernel kHostAvx512Bf16S8 =
    MakeHostKernel<IntPairOps>("avx512_bf16", Math::kS8, 512);

}  // namespace jaxgemm
