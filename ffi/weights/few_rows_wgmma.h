// wgmma with weights in registers: 64 columns of them, as its rows, by rows of x in shared memory.
#pragma once

#include <cstdint>

#include "sm90/wgmma.h"

namespace jaxgemm {

template <bool kBF16, int kRows>
struct FewWgmma {
  static __device__ __forceinline__ void Fence() { WgmmaFence(); }
  static __device__ __forceinline__ void Commit() { WgmmaCommitGroup(); }
  template <int kLeft>
  static __device__ __forceinline__ void Wait() {
    WgmmaWaitGroup<kLeft>();
  }
  static __device__ __forceinline__ void Keep(float (&acc)[kRows / 8][4]) {
#pragma unroll
    for (int i = 0; i < kRows / 2; ++i) FenceAcc(acc[i / 4][i % 4]);
  }
  // acc += a x, or acc = a x if not `accumulate`.
#define JAXGEMM_FEW_WGMMA(type, n, regs, r0, r1, r2, r3, r4, r5)                         \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #r5                                  \
               ", 0;\n"                                                                  \
               "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type           \
               " {" JAXGEMM_L##regs "}, {%" #r0 ", %" #r1 ", %" #r2 ", %" #r3 "}, %" #r4 \
                                    ", p, 1, 1, 0;\n}"                                   \
               : JAXGEMM_R##regs("+f", d)                                                \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(x), "r"(int{accumulate}))
#define JAXGEMM_FEW_WGMMA_N(n, regs, r0, r1, r2, r3, r4, r5)    \
  if constexpr (kRows == n && kBF16) {                          \
    JAXGEMM_FEW_WGMMA("bf16", n, regs, r0, r1, r2, r3, r4, r5); \
  } else if constexpr (kRows == n) {                            \
    JAXGEMM_FEW_WGMMA("f16", n, regs, r0, r1, r2, r3, r4, r5);  \
  }
  static __device__ __forceinline__ void Run(float (&acc)[kRows / 8][4], const uint32_t (&a)[4],
                                             uint64_t x, bool accumulate) {
    float* d = &acc[0][0];
    JAXGEMM_FEW_WGMMA_N(16, 8, 8, 9, 10, 11, 12, 13)
    JAXGEMM_FEW_WGMMA_N(32, 16, 16, 17, 18, 19, 20, 21)
    JAXGEMM_FEW_WGMMA_N(64, 32, 32, 33, 34, 35, 36, 37)
  }
#undef JAXGEMM_FEW_WGMMA_N
#undef JAXGEMM_FEW_WGMMA
};

}  // namespace jaxgemm
