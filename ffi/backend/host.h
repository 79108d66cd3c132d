// The CPU backend: a planned product as a number of workgroups that may run on any threads,
// at the same time or one after the other.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/host_kernel.h"
#include "plan.h"

namespace jaxgemm {

struct HostCall {
  Problem problem;
  Plan plan;
  const HostKernel* kernel = nullptr;
  const void* lhs = nullptr;
  const void* rhs = nullptr;
  const void* bias = nullptr;   // float, or int32_t for an integer out
  const float* scale = nullptr;
  // Elements from one batch's bias or scale to the next, 0: shared; and within one batch.
  int64_t bias_batch_stride = 0, scale_batch_stride = 0;
  int scale_stride = 1;
  void* out = nullptr;
  void* preact = nullptr;
  char* workspace = nullptr;  // 64-byte aligned
};

// How products of these operands are formed by the best (or the named) kernel that this
// processor can run. Null, and why in *error, where there is none.
const HostKernel* ChooseHostKernel(DType lhs, DType rhs, const std::string& name,
                                   std::string* error);

// Sets the workspace's zeroed part to zero. Before any workgroup runs.
void ZeroWorkspace(const HostCall& call);

// Runs workgroups thread, thread + num_threads, ... one after the other, in the scratch of
// `thread` < num_threads <= plan.config.num_threads. All threads together run the call.
void RunWorkgroups(const HostCall& call, int64_t thread, int64_t num_threads);

}  // namespace jaxgemm
