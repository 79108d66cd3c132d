// The records of call_schema.def: Problem is what is asked for (in Python: Geometry and a part of
// Spec), Config is what the user fixed (GemmConfig), and Choice is what was decided.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "sm90/forms.h"
#include "spec/types.h"

namespace jaxgemm {

// How many MX scales of one row of lhs, or column of rhs, are neighbours in memory.
inline constexpr int64_t kMxChunk = 16;

// The dimension of out along which a vector operand has its elements.
enum class Along { kRows, kColumns };

// out[b, m, n] = cast(activation(row_scale * scale * sum_k lhs[b, m, k] rhs[b, k, n] + bias)). With
// scales of blocks, the sum over each block of k is multiplied by the scales of lhs's and rhs's
// block.
struct Problem {
#define JAXGEMM_PROBLEM(type, name, initial) type name = initial;
#include "spec/call_schema.def"
#undef JAXGEMM_PROBLEM

  // The number of columns of rhs and of the accumulators.
  int64_t num_columns() const { return gated ? 2 * n : n; }
  // The numbers of matrices in lhs, in rhs and in out.
  int64_t num_lhs() const { return lhs_batched ? batch : 1; }
  int64_t num_rhs() const {
    return (rhs_batched ? batch : 1) * (ragged == Ragged::kM ? local_groups : 1);
  }
  int64_t num_out() const { return batch * (ragged == Ragged::kK ? local_groups : 1); }
  // The numbers of scales of blocks along k, along lhs's rows and along rhs's columns.
  // With mx the number is rounded up to a multiple of kMxChunk; the last ones belong to no k.
  int64_t blocks_k() const {
    const int64_t blocks = block_k ? (k + block_k - 1) / block_k : 0;
    return mx ? (blocks + kMxChunk - 1) / kMxChunk * kMxChunk : blocks;
  }
  int64_t blocks_m() const { return (m + block_m - 1) / block_m; }
  int64_t blocks_n() const { return (num_columns() + block_n - 1) / block_n; }
  // The form that kernels have for these scales; the general one if there are none.
  KernelForm scales_form() const {
    return FormFor(mx ? FormWork::kMx : block_k > 0 ? FormWork::kScaled : FormWork::kAny);
  }
  bool grouped() const { return ragged != Ragged::kNone; }
  // The length of the dimension that the groups cut.
  int64_t ragged_extent() const { return ragged == Ragged::kM ? m : k; }
  // The numbers of elements of lhs and rhs in one of their matrices.
  int64_t lhs_size() const {
    return !lhs_gathered ? m * k : lhs_lines * (ragged == Ragged::kM ? k : m);
  }
  int64_t rhs_size() const { return (rhs_gathered ? rhs_lines : k) * num_columns(); }
  // The length of a vector operand, and the number of such vectors that there may be.
  int64_t length(Along along) const { return along == Along::kRows ? m : num_columns(); }
  int64_t num_vectors(Along along) const {
    return ragged == Ragged::kM && along == Along::kColumns ? local_groups : batch;
  }
  // Whether the epilogue has a vector operand.
  bool has_vectors() const {
    const Problem& p = *this;
    bool any = false;
#define JAXGEMM_VECTOR(type, name, is_there, ...) any |= (is_there);
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
    return any;
  }
};

// The problem out^T = rhs^T lhs^T of a product without groups. The arrays in memory are the same.
inline Problem Transposed(Problem p) {
  std::swap(p.m, p.n);
  std::swap(p.lhs_dtype, p.rhs_dtype);
  std::swap(p.lhs_contracting, p.rhs_contracting);
  std::swap(p.lhs_batched, p.rhs_batched);
  std::swap(p.block_m, p.block_n);
  return p;
}

struct Config {
#define JAXGEMM_CONFIG(type, name, initial) type name = initial;
#include "spec/call_schema.def"
#undef JAXGEMM_CONFIG
};

// The version of the call: of its attributes, operands and results, and of what they mean. An
// exported or cached program contains it, so that a later jaxgemm refuses a program that it would
// read in another way. Raise it with each such change of call_schema.def.
inline constexpr int64_t kCallVersion = 6;

struct Choice {
#define JAXGEMM_CHOICE(type, name, initial) type name = initial;
#include "spec/call_schema.def"
#undef JAXGEMM_CHOICE

  // Rows and columns of a tile of out.
  int64_t out_tile_m() const { return transposed ? tile_n : tile_m; }
  int64_t out_tile_n() const { return transposed ? tile_m : tile_n; }
};

}  // namespace jaxgemm
