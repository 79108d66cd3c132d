// Warpgroup matrix multiply-add (wgmma): operands in shared memory, accumulators in registers.
#pragma once

#include "sm90/matrix_descriptor.h"
#include "sm90/ptx.h"
#include "spec/types.h"

namespace jaxgemm {

JAXGEMM_SM90 void WgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
JAXGEMM_SM90 void WgmmaCommitGroup() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kLeft>
JAXGEMM_SM90 void WgmmaWaitGroup() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

// The compiler must not move accumulators while wgmma computes them (FenceAcc), must not keep those
// of the last tile if the first step overwrites them (ForgetAcc), and must clear each one in its
// register (ClearAcc).
#define JAXGEMM_EACH_ACC(Name, text, float_constraint, int_constraint)                         \
  JAXGEMM_SM90 void Name(float& acc) { asm volatile(text : float_constraint(acc)::"memory"); } \
  JAXGEMM_SM90 void Name(int32_t& acc) { asm volatile(text : int_constraint(acc)::"memory"); }
JAXGEMM_EACH_ACC(FenceAcc, "", "+f", "+r")
JAXGEMM_EACH_ACC(ForgetAcc, "", "=f", "=r")
JAXGEMM_EACH_ACC(ClearAcc, "mov.b32 %0, 0;", "=f", "=r")
#undef JAXGEMM_EACH_ACC

// The same for a word that wgmma gets in a register.
JAXGEMM_SM90 void FenceWord(uint32_t& word) { asm volatile("" : "+r"(word)::"memory"); }

// A thread's accumulators as operands of an asm statement (R8 to R128), and the list of their
// numbers in its text (L8 to L128).
#define JAXGEMM_R8_AT(c, d, i) \
  c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])
#define JAXGEMM_R8(c, d) JAXGEMM_R8_AT(c, d, 0)
#define JAXGEMM_R16(c, d) JAXGEMM_R8_AT(c, d, 0), JAXGEMM_R8_AT(c, d, 8)
#define JAXGEMM_R24(c, d) JAXGEMM_R16(c, d), JAXGEMM_R8_AT(c, d, 16)
#define JAXGEMM_R32_AT(c, d, i)                                                    \
  JAXGEMM_R8_AT(c, d, i), JAXGEMM_R8_AT(c, d, i + 8), JAXGEMM_R8_AT(c, d, i + 16), \
      JAXGEMM_R8_AT(c, d, i + 24)
#define JAXGEMM_R32(c, d) JAXGEMM_R32_AT(c, d, 0)
#define JAXGEMM_R48(c, d) JAXGEMM_R32(c, d), JAXGEMM_R8_AT(c, d, 32), JAXGEMM_R8_AT(c, d, 40)
#define JAXGEMM_R56(c, d) JAXGEMM_R48(c, d), JAXGEMM_R8_AT(c, d, 48)
#define JAXGEMM_R64(c, d) JAXGEMM_R32_AT(c, d, 0), JAXGEMM_R32_AT(c, d, 32)
#define JAXGEMM_R72(c, d) JAXGEMM_R64(c, d), JAXGEMM_R8_AT(c, d, 64)
#define JAXGEMM_R80(c, d) JAXGEMM_R72(c, d), JAXGEMM_R8_AT(c, d, 72)
#define JAXGEMM_R88(c, d) JAXGEMM_R72(c, d), JAXGEMM_R8_AT(c, d, 72), JAXGEMM_R8_AT(c, d, 80)
#define JAXGEMM_R96(c, d) JAXGEMM_R64(c, d), JAXGEMM_R32_AT(c, d, 64)
#define JAXGEMM_R104(c, d) JAXGEMM_R96(c, d), JAXGEMM_R8_AT(c, d, 96)
#define JAXGEMM_R128(c, d) JAXGEMM_R96(c, d), JAXGEMM_R32_AT(c, d, 96)
#define JAXGEMM_N10(t) \
  "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9,"
#define JAXGEMM_N60                                                                            \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9," JAXGEMM_N10(1) JAXGEMM_N10(2) JAXGEMM_N10(3) JAXGEMM_N10(4) \
      JAXGEMM_N10(5)
#define JAXGEMM_L8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define JAXGEMM_L16 JAXGEMM_L8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define JAXGEMM_L24 JAXGEMM_L16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define JAXGEMM_L32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9," JAXGEMM_N10(1) JAXGEMM_N10(2) "%30,%31"
#define JAXGEMM_L48 JAXGEMM_L32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define JAXGEMM_L56 JAXGEMM_L48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define JAXGEMM_L64 JAXGEMM_N60 "%60,%61,%62,%63"
#define JAXGEMM_L72 JAXGEMM_L64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define JAXGEMM_L80 JAXGEMM_L72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define JAXGEMM_L88 JAXGEMM_L80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define JAXGEMM_N90 JAXGEMM_N60 JAXGEMM_N10(6) JAXGEMM_N10(7) JAXGEMM_N10(8)
#define JAXGEMM_L96 JAXGEMM_N90 "%90,%91,%92,%93,%94,%95"
#define JAXGEMM_L104 JAXGEMM_L96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define JAXGEMM_L128                         \
  JAXGEMM_N90 JAXGEMM_N10(9) JAXGEMM_N10(10) \
      JAXGEMM_N10(11) "%120,%121,%122,%123,%124,%125,%126,%127"

// 64 rows and kN columns: d += a * b, or d = a * b if not `accumulate`. kLhsTransposed and
// kRhsTransposed: m or n runs along the rows of shared memory, not k.
template <DType kLhs, DType kRhs, int kN, bool kLhsTransposed, bool kRhsTransposed>
struct Wgmma;

#define JAXGEMM_WGMMA_16(dtype, type, n, regs, r0, r1, r2, r3, r4)                               \
  template <bool kLhsTransposed, bool kRhsTransposed>                                            \
  struct Wgmma<DType::dtype, DType::dtype, n, kLhsTransposed, kRhsTransposed> {                  \
    static constexpr int kDepth = 16;                                                            \
    static JAXGEMM_SM90 void Run(float* d, uint64_t a, uint64_t b, bool accumulate) {            \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #r2                                      \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type               \
                   " {" JAXGEMM_L##regs "}, %" #r0 ", %" #r1 ", p, 1, 1, %" #r3 ", %" #r4 ";\n}" \
                   : JAXGEMM_R##regs("+f", d)                                                    \
                   : "l"(a), "l"(b), "r"(int{accumulate}), "n"(int{kLhsTransposed}),             \
                     "n"(int{kRhsTransposed}));                                                  \
    }                                                                                            \
  };
// For types that must be k-major in shared memory. RunA takes a thread's part of `a` in registers:
// the 4 bytes at (row, b), (row + 8, b), (row, b + 16) and (row + 8, b + 16), where its row is
// lane / 4 of the warp's 16 rows, and b = 4 * (lane % 4) counts bytes along k. `scales`: what float
// types have after the predicate.
#define JAXGEMM_WGMMA_K(lhs, rhs, depth, types, acc, c, scales, n, regs, r0, r1, r2, r3, r4, r5) \
  template <>                                                                                    \
  struct Wgmma<DType::lhs, DType::rhs, n, false, false> {                                        \
    static constexpr int kDepth = depth;                                                         \
    static JAXGEMM_SM90 void Run(acc* d, uint64_t a, uint64_t b, bool accumulate) {              \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #r2                                      \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #n "k" #depth "." types                   \
                   " {" JAXGEMM_L##regs "}, %" #r0 ", %" #r1 ", p" scales ";\n}"                 \
                   : JAXGEMM_R##regs(c, d)                                                       \
                   : "l"(a), "l"(b), "r"(int{accumulate}));                                      \
    }                                                                                            \
    static JAXGEMM_SM90 void RunA(acc* d, const uint32_t* a, uint64_t b, bool accumulate) {      \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #r5                                      \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #n "k" #depth "." types                   \
                   " {" JAXGEMM_L##regs "}, {%" #r0 ", %" #r1 ", %" #r2 ", %" #r3 "}, %" #r4     \
                                        ", p" scales ";\n}"                                      \
                   : JAXGEMM_R##regs(c, d)                                                       \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int{accumulate}));  \
    }                                                                                            \
  };
#define JAXGEMM_WGMMA_ALL(n, regs, r0, r1, r2, r3, r4, r5)                                         \
  JAXGEMM_WGMMA_16(kBF16, "bf16", n, regs, r0, r1, r2, r3, r4)                                     \
  JAXGEMM_WGMMA_16(kF16, "f16", n, regs, r0, r1, r2, r3, r4)                                       \
  JAXGEMM_WGMMA_K(kF32, kF32, 8, "f32.tf32.tf32", float, "+f", ", 1, 1", n, regs, r0, r1, r2, r3,  \
                  r4, r5)                                                                          \
  JAXGEMM_WGMMA_K(kS8, kS8, 32, "s32.s8.s8", int32_t, "+r", "", n, regs, r0, r1, r2, r3, r4, r5)   \
  JAXGEMM_WGMMA_K(kF8E4M3FN, kF8E4M3FN, 32, "f32.e4m3.e4m3", float, "+f", ", 1, 1", n, regs, r0,   \
                  r1, r2, r3, r4, r5)                                                              \
  JAXGEMM_WGMMA_K(kF8E4M3FN, kF8E5M2, 32, "f32.e4m3.e5m2", float, "+f", ", 1, 1", n, regs, r0, r1, \
                  r2, r3, r4, r5)                                                                  \
  JAXGEMM_WGMMA_K(kF8E5M2, kF8E4M3FN, 32, "f32.e5m2.e4m3", float, "+f", ", 1, 1", n, regs, r0, r1, \
                  r2, r3, r4, r5)                                                                  \
  JAXGEMM_WGMMA_K(kF8E5M2, kF8E5M2, 32, "f32.e5m2.e5m2", float, "+f", ", 1, 1", n, regs, r0, r1,   \
                  r2, r3, r4, r5)
JAXGEMM_WGMMA_ALL(16, 8, 8, 9, 10, 11, 12, 13)
JAXGEMM_WGMMA_ALL(32, 16, 16, 17, 18, 19, 20, 21)
JAXGEMM_WGMMA_ALL(48, 24, 24, 25, 26, 27, 28, 29)
JAXGEMM_WGMMA_ALL(64, 32, 32, 33, 34, 35, 36, 37)
JAXGEMM_WGMMA_ALL(96, 48, 48, 49, 50, 51, 52, 53)
JAXGEMM_WGMMA_ALL(112, 56, 56, 57, 58, 59, 60, 61)
JAXGEMM_WGMMA_ALL(128, 64, 64, 65, 66, 67, 68, 69)
JAXGEMM_WGMMA_ALL(144, 72, 72, 73, 74, 75, 76, 77)
JAXGEMM_WGMMA_ALL(160, 80, 80, 81, 82, 83, 84, 85)
JAXGEMM_WGMMA_ALL(176, 88, 88, 89, 90, 91, 92, 93)
JAXGEMM_WGMMA_ALL(192, 96, 96, 97, 98, 99, 100, 101)
JAXGEMM_WGMMA_ALL(208, 104, 104, 105, 106, 107, 108, 109)
JAXGEMM_WGMMA_ALL(256, 128, 128, 129, 130, 131, 132, 133)

#undef JAXGEMM_WGMMA_ALL
#undef JAXGEMM_WGMMA_K
#undef JAXGEMM_WGMMA_16

}  // namespace jaxgemm
