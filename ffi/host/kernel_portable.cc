// The host kernel for any processor, in the compiler's generic vectors. It is compiled
// without instruction-set flags. It also has a kBF16 kernel (in float, exact), for runs
// that force this family.
#define JAXGEMM_VECTOR_BYTES 16
#define JAXGEMM_TILE_ROWS 6
#include "host/simd.h"

namespace jaxgemm {

extern constinit const HostKernel kHostPortableF32 =
    MakeHostKernel<FloatOps>("portable", Math::kF32, 256);
extern constinit const HostKernel kHostPortableBF16 =
    MakeHostKernel<FloatOps>("portable", Math::kBF16, 256);
extern constinit const HostKernel kHostPortableS8 =
    MakeHostKernel<IntOps>("portable", Math::kS8, 256);

}  // namespace jaxgemm
