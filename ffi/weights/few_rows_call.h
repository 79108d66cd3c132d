// The custom call "jaxgemm_few_rows", which jaxgemm/call/few_rows.py emits: a product of few rows
// and weights of 4 bits (few_rows.h), on Hopper and on AMD GPUs.
//
// operands: x [T, K] of float16 or bfloat16; weights [G, K, N] of float4_e2m1fn or int4; scales
// [G, K / block, N], u8 for float4_e2m1fn, else f32; group sizes s32[E], or s32[0] for a product
// that is not grouped (G is 1); group_offset s32[1], or s32[0]; indices s32[M], or s32[0].
// result: [M, N] of x's type, or f32. On AMD GPUs also f32[P, M, N], P parts whose sum it is.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kFewRowsTarget[] = "jaxgemm_few_rows";

struct FewRowsHandlers {
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* captured;  // may become part of a command buffer
  XLA_FFI_Handler* uncaptured;
};
extern const FewRowsHandlers kRocmFewRowsHandlers, kCudaFewRowsHandlers;

}  // namespace jaxgemm
