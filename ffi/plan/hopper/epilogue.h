// What the epilogue of a product has to do, for the choice of Hopper's forms.
#pragma once

#include "spec/gpu_instances.h"
#include "spec/problem.h"

namespace jaxgemm {

// Whether the epilogue only applies vectors, if there are any, casts, and stores.
inline bool NeedsOnlyVectors(const Problem& p) {
  return !p.save_preact && p.activation == Activation::kNone && !p.gated && !p.accumulate;
}

// Whether the epilogue only casts and stores.
inline bool HasNoEpilogue(const Problem& p) { return !p.has_vectors() && NeedsOnlyVectors(p); }

// Whether the epilogue only casts float accumulators to bfloat16 or float16, or in kernels that
// store out^T to float32. The model adds the cost of longer epilogues.
inline bool HasShortEpilogue(const Problem& p, const GpuInstance& instance) {
  return HasNoEpilogue(p) && IsWideFloat(p.out_dtype) && p.lhs_dtype != DType::kS8 &&
         (instance.transposed || p.out_dtype != DType::kF32);
}

// Whether a kernel of out^T stores tiles that one CTA has whole in lines of 128 bytes; see
// StoresLines in sm90/cluster_split_k_epilogue.h. The problem is as the kernel has it, with m
// columns of out.
inline bool StoresLines(const Problem& p, const GpuInstance& instance) {
  return instance.transposed && NeedsOnlyVectors(p) && !p.row_scale && p.m % 8 == 0 &&
         p.out_dtype == PlainOut(p.lhs_dtype);
}

}  // namespace jaxgemm
