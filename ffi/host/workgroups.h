// The CPU backend: a planned product as a number of workgroups that may run on any threads,
// at the same time or one after the other.
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

// How products of these operands are formed by the best (or the named) kernel that this
// processor can run. Null, and why in *error, where there is none.
const HostKernel* ChooseHostKernel(DType lhs, DType rhs, std::string_view name, std::string* error);

// Sets the workspace's zeroed part to zero. Before any workgroup runs.
void ZeroWorkspace(const HostCall& call);

// Runs workgroups thread, thread + num_threads, ... one after the other, in the scratch of
// `thread` < num_threads <= plan.choice.num_threads. All threads together run the call.
void RunWorkgroups(const HostCall& call, int64_t thread, int64_t num_threads);

}  // namespace jaxgemm
