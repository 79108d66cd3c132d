// What the launcher passes to the driver for a call: what the plan says, or another form or path of
// the same kernel where the arrays' addresses and sizes do not allow that one.
#pragma once

#include <string>

#include "kernel/gemm_args.h"
#include "runtime/call.h"
#include "runtime/driver.h"
#include "sm90/launch_args.h"

namespace jaxgemm {

struct KernelLaunch {
  GemmArgs arguments;  // the kernel's first argument
  TensorMaps maps{};   // Hopper: its second
  KernelForm form;     // that of the plan, if the addresses allow it
  bool multicasts = false;
  unsigned grid = 0, block = 0, shared_bytes = 0;
  unsigned cluster = 1;
};

// Makes the arguments that all kernels have.
GemmArgs PackArguments(const Call& call);

// Set the other fields, and change arguments and form where the arrays ask for it. They return an
// empty string, or why the kernel cannot have these arrays.
std::string LayOutForHopper(const Driver& driver, const Call& call, KernelLaunch* launch);
std::string LayOutForAmd(const Call& call, KernelLaunch* launch);

inline bool IsAligned(const void* array) { return reinterpret_cast<uintptr_t>(array) % 16 == 0; }

}  // namespace jaxgemm
