// The CPU backend: runs a planned product as a number of workgroups, on any threads, at the
// same time or one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/kernel.h"
#include "runtime/call.h"

namespace jaxgemm {

struct HostCall : Call {
  const HostKernel* kernel = nullptr;
};

// The best kernel for these operands that this processor can run, in the family `name` (for "" see
// FindHostKernel). Null if there is none; *error is then the reason.
const HostKernel* ChooseHostKernel(DType lhs, DType rhs, std::string_view name, std::string* error);

// Sets the zeroed part of the workspace to zero, and asks for large pages for a large result. This
// comes before any workgroup runs.
void Prepare(const HostCall& call);

// Runs workgroups thread, thread + num_threads, ... one after the other, in the scratch of
// `thread`, where thread < num_threads <= plan.choice.num_threads. All threads together run the
// whole call.
void RunWorkgroups(const HostCall& call, int64_t thread, int64_t num_threads);

}  // namespace jaxgemm
