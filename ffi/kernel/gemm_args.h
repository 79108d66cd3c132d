// The arguments of a GPU kernel, in one struct that is passed by value.
#pragma once

#include <cstdint>

#include "schedule/grouped_map.h"
#include "schedule/one_tile_map.h"
#include "spec/types.h"

namespace jaxgemm {

// In GPU kernels a scale of a block is for this many k. A block of rhs has as many columns, or one.
inline constexpr int kScaleBlock = 128;
// The number of k in the MX formats (OCP Microscaling Formats Specification 1.0).
inline constexpr int kMxBlock = 32;

// Matrices are contiguous: lhs is [M, K] or [K, M] and rhs is [K, N] or [N, K], as the kernel
// instance requires; out is [M, N]. Strides are in elements; with a batch stride of 0 all batches
// share the array. In grouped problems (schedule/grouped_map.h) the groups' matrices of rhs (ragged
// m) or of out (ragged k) follow each other. With ragged m the batch stride of bias and scale is
// that from group to group.
struct GemmArgs {
  const void* lhs;
  const void* rhs;
  void* out;
  void* preact;      // null: not stored
  void* out_scales;  // if quantize_out; one after the other for each row of out
  // Vector operands: bias, which is float, int32_t for an integer out, or bfloat16 if bias_bf16;
  // scale and row_scale. Null: none.
#define JAXGEMM_VECTOR(type, name, ...) const type* name;
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
  // claims, arrivals and partials are in the workspace.
  int32_t* claims;    // zeroed counters, for `claim`
  int32_t* arrivals;  // one zeroed counter per slot
  void* partials;     // slots, each for the partial sums of one tile: float, int32_t for int8

  int64_t m, n, k;
  int64_t lhs_batch_stride, rhs_batch_stride;
  // bias_batch_stride, scale_batch_stride, row_scale_batch_stride
#define JAXGEMM_VECTOR(type, name, ...) int64_t name##_batch_stride;
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR

  StreamKMap map;               // for all dense problems; only stream-K cuts tiles
  GroupedMap groups;            // before CountTiles; ragged is kNone if the problem is not grouped
  const int32_t* group_offset;  // null: 0
  // Grouped: element i of the operand's ragged dimension is its element indices[i], which is zero
  // if the index is not below `lines`. Null: element i. Strides are from batch to batch.
  struct Gather {
    const int32_t* indices;
    int64_t lines, batch_stride;
  } lhs_gather, rhs_gather;
  ChunkSignals chunks;  // for problems that are not grouped
  Index max_shares;     // grouped: the most shares that groups.CountTiles may cut
  ClaimArgs claim;
  // scale_stride, row_scale_stride. 0: one element for all, 1: one for each column or row
#define JAXGEMM_BROADCAST_VECTOR(type, name, ...) int32_t name##_stride;
#include "spec/call_schema.def"
#undef JAXGEMM_BROADCAST_VECTOR
  DType out_dtype;
  Activation activation;
  Reduction reduction;
  // claim_ahead; accumulate: out = out + ..., float only; gated; bias_bf16; quantize_out. If gated,
  // rhs has 2 N columns, those of the gate and then those of the up projection. bias, scale and
  // preact also have 2 N. Half of a tile's accumulators are the gate's, half the up projection's,
  // for kTileN / 2 columns of out.
#define JAXGEMM_KERNEL_CHOICE(type, name, ...) type name;
#include "spec/call_schema.def"
#undef JAXGEMM_KERNEL_CHOICE
#define JAXGEMM_KERNEL_PROBLEM(type, name, ...) type name;
#include "spec/call_schema.def"
#undef JAXGEMM_KERNEL_PROBLEM
  // The scales of blocks, float or E8M0 (call_schema.def), for the forms kScaled and kMx.
  int32_t block_n, blocks_k;
  const void* lhs_scales;
  const void* rhs_scales;
  int64_t lhs_scales_batch_stride, rhs_scales_batch_stride;
  // For RunOneTile and WorkgroupMap (amdgpu/gemm.h), by runtime/amd_launch.cc. All zero if
  // workgroups claim their tiles, and on Hopper.
  OneTileMap one_tile;
  // Whether the result has the type HalfTypeOf() (amdgpu/plain_product.h) and is only rounded.
  int32_t only_rounded;
};

}  // namespace jaxgemm
