// One call of a kernel: the problem, its plan and checked buffers.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace jaxgemm {

struct Call {
  Problem problem;
  Plan plan;
  const void* lhs = nullptr;
  const void* rhs = nullptr;
  const void* bias = nullptr;  // float, or int32_t for an integer out
  const float* scale = nullptr;
  const int32_t* group_sizes = nullptr;     // grouped; see schedule/grouped_map.h
  const int32_t* group_offset = nullptr;    // null: 0
  const uint32_t* chunk_signals = nullptr;  // null: lhs does not arrive in chunks
  const uint32_t* chunk_epoch = nullptr;
  // Strides in elements: from one batch (ragged m: group) of bias or scale to the next, 0 if it is
  // shared; and from one column's scale to the next.
  int64_t bias_batch_stride = 0, scale_batch_stride = 0;
  int scale_stride = 1;
  void* out = nullptr;
  void* preact = nullptr;
  char* workspace = nullptr;  // 64-byte aligned

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
  // ChunkSignals::status after the call. Only for a workspace that the host can read.
  int32_t chunk_status() const { return chunk_signals ? LoadRelaxed(chunks().status) : 0; }
};

}  // namespace jaxgemm
