// One call of a kernel: the problem, its plan and checked buffers.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace jaxgemm {

// The strides of a vector operand from one batch, row or column of out to the next, in elements.
// (For a vector along columns with ragged m, `batch` is the stride from group to group.) 0: the
// vector is the same for all.
struct VectorStrides {
  int64_t batch = 0, row = 0, column = 1;
};

// The strides of all vector operands, by name.
struct AllVectorStrides {
#define JAXGEMM_VECTOR(type, name, ...) VectorStrides name;
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
};

// Bytes of all operands and results, by name.
struct BufferSizes {
#define JAXGEMM_OPERAND(type, name, is_there) int64_t name = 0;
#define JAXGEMM_RESULT(type, name, is_there) int64_t name = 0;
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
#undef JAXGEMM_RESULT
};

struct Call {
  Problem problem;
  Plan plan;
  // Operands and results: lhs, rhs, bias, out and so on. What the problem does not have is null.
  // The workspace is 64-byte aligned.
#define JAXGEMM_OPERAND(type, name, is_there) const type* name = nullptr;
#define JAXGEMM_RESULT(type, name, is_there) type* name = nullptr;
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
#undef JAXGEMM_RESULT
  AllVectorStrides strides;
  BufferSizes sizes;

  ChunkSignals chunks() const {
    ChunkSignals chunks = plan.chunk_signals(problem);
    chunks.signals = chunk_signals;
    chunks.epoch = chunk_epoch;
    chunks.status = reinterpret_cast<int32_t*>(workspace + plan.status_offset);
    chunks.order = plan.choice.order_at_launch
                       ? reinterpret_cast<int32_t*>(workspace + plan.order_offset)
                       : nullptr;
    return chunks;
  }
  // The status that ChunkSignals wrote during the call. Only for a workspace that the host can
  // read.
  int32_t chunk_status() const { return chunk_signals ? LoadRelaxed(chunks().status) : 0; }
};

// The call as it is for a kernel that computes out^T = rhs^T lhs^T and stores it column-major.
inline Call Transposed(Call call) {
  call.problem = Transposed(call.problem);
  std::swap(call.lhs, call.rhs);
  std::swap(call.lhs_scales, call.rhs_scales);
  return call;
}

}  // namespace jaxgemm
