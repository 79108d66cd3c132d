// The CPU backend: runs a planned product as a number of workgroups, on any threads, at the
// same time or one after the other.
#pragma once

#include <atomic>
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
void InitWorkspace(const HostCall& call);

// Runs workgroups in the scratch of `thread` < plan.choice.num_threads, until there are no more.
// Each thread takes them from the same counter `next`, which starts at 0.
void RunWorkgroups(const HostCall& call, int64_t thread, std::atomic<int64_t>* next);

}  // namespace jaxgemm
