// Reductions of the stand-in RCCL.
#pragma once

#include <cstddef>
#include <vector>

namespace jaxgemm::emulator {

// Bytes of an element of an ncclDataType_t, or 0.
size_t BytesOf(int type);

// Whether there is a reduction `op` (ncclRedOp_t) of the type.
bool CanReduce(int type, int op);

// to[i] = from[0][i] op from[1][i] op ..., in float64 or 64-bit integers, rounded once.
void Reduce(const std::vector<const void*>& from, void* to, size_t count, int type, int op);

}  // namespace jaxgemm::emulator
