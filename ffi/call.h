// One call of the kernels: a plan, and checked buffers.
#pragma once

#include <cstdint>

#include "plan.h"

namespace jaxgemm {

struct Call {
  Problem problem;
  Plan plan;
  const void* lhs = nullptr;
  const void* rhs = nullptr;
  const void* bias = nullptr;   // float, or int32_t for an integer out
  const float* scale = nullptr;
  const int32_t* group_sizes = nullptr;   // grouped; see kernel/grouped_map.h
  const int32_t* group_offset = nullptr;  // null: 0
  // Elements from one batch's (ragged m: group's) bias or scale to the next, 0: shared; and
  // within one.
  int64_t bias_batch_stride = 0, scale_batch_stride = 0;
  int scale_stride = 1;
  void* out = nullptr;
  void* preact = nullptr;
  char* workspace = nullptr;  // 64-byte aligned
};

}  // namespace jaxgemm
