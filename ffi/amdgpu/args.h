// How a kernel reads its arguments.
#pragma once

#include "amdgpu/isa.h"
#include "kernel/gemm_args.h"

namespace jaxgemm {

// Reads the arguments. This is called again wherever they are needed, because not all of them fit
// in registers at once.
JAXGEMM_AMD GemmArgs LoadArgs() {
  auto* from = __builtin_amdgcn_kernarg_segment_ptr();
  asm volatile("" : "+s"(from));
  GemmArgs args;
  // The pointer's type gives the alignment that scalar loads need.
  __builtin_memcpy(&args, (const GemmArgs*)from, sizeof(args));
  // There are no scalar loads of bytes. So that no vector loads are used for them, the fields of a
  // byte are loaded as words.
  constexpr int kBegin = __builtin_offsetof(GemmArgs, out_dtype);
  constexpr int kBytes = __builtin_offsetof(GemmArgs, block_n) - kBegin;
  static_assert(kBegin % 4 == 0 && kBytes == 8);
  const auto* words = (const uint32_t*)((const char*)(const GemmArgs*)from + kBegin);
  const uint32_t bytes[] = {words[0], words[1]};
  __builtin_memcpy(reinterpret_cast<char*>(&args) + kBegin, bytes, kBytes);
  return args;
}

// Makes the compiler load the values here. Else it loads each where it is first used, and the wave
// waits as often.
template <class... Values>
JAXGEMM_AMD void LoadHere(Values... values) {
  auto load = [](auto value) __attribute__((always_inline)) { asm volatile("" ::"s"(value)); };
  (load(values), ...);
  __builtin_amdgcn_sched_barrier(0);
}

}  // namespace jaxgemm
