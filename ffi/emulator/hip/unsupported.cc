// HIP's functions of virtual addresses, and of memory that processes share. They fail as on a
// device that has neither.
#include "emulator/checks/error.h"
#include "emulator/hip/state.h"

namespace jaxgemm::emulator {

#define JAXGEMM_UNSUPPORTED(name, parameters)                                                  \
  hipError_t name parameters {                                                                 \
    return Failed(hipErrorNotSupported, Text("A virtual device does not support %s.", #name)); \
  }

JAXGEMM_UNSUPPORTED(hipMemAddressReserve, (void**, size_t, size_t, void*, uint64_t))
JAXGEMM_UNSUPPORTED(hipMemAddressFree, (void*, size_t))
JAXGEMM_UNSUPPORTED(hipMemCreate, (void**, size_t, const void*, uint64_t))
JAXGEMM_UNSUPPORTED(hipMemRelease, (void*))
JAXGEMM_UNSUPPORTED(hipMemMap, (void*, size_t, size_t, void*, uint64_t))
JAXGEMM_UNSUPPORTED(hipMemUnmap, (void*, size_t))
JAXGEMM_UNSUPPORTED(hipMemSetAccess, (void*, size_t, const void*, size_t))
JAXGEMM_UNSUPPORTED(hipMemGetAllocationGranularity, (size_t*, const void*, int))
JAXGEMM_UNSUPPORTED(hipMemExportToShareableHandle, (void*, void*, int, uint64_t))
JAXGEMM_UNSUPPORTED(hipMemImportFromShareableHandle, (void**, void*, int))
JAXGEMM_UNSUPPORTED(hipMemGetHandleForAddressRange, (void*, void*, size_t, int, uint64_t))
JAXGEMM_UNSUPPORTED(hipIpcGetMemHandle, (void*, void*))
JAXGEMM_UNSUPPORTED(hipIpcOpenMemHandle, (void**, hipIpcMemHandle, unsigned))
JAXGEMM_UNSUPPORTED(hipIpcCloseMemHandle, (void*))

}  // namespace jaxgemm::emulator
