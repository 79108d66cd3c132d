// What a GPU kernel is launched with: its one argument, passed by value.
#pragma once

#include <cstdint>

#include "schedule/grouped_map.h"
#include "spec/types.h"

namespace jaxgemm {

// Matrices are dense: lhs is [M, K] or [K, M] and rhs [K, N] or [N, K], as the kernel instance
// says, out is [M, N]. Strides are in elements; a batch stride of 0 means shared. Grouped problems
// have one more stride, see kernel/grouped_map.h: with ragged m from one group's rhs to the next
// (bias and scale: their batch strides), with ragged k from one group's out to the next.
struct GemmArgs {
  const void* lhs;
  const void* rhs;
  void* out;
  void* preact;        // null: not wanted
  const void* bias;    // float, or int32_t for an integer out; null: none
  const float* scale;  // null: none
  // In the workspace.
  int32_t* claims;    // one zeroed counter per queue
  int32_t* arrivals;  // one zeroed counter per slot
  void* partials;     // slots of a tile's sums each: float, or int32_t for integer operands

  int64_t m, n, k;
  int64_t lhs_batch_stride, rhs_batch_stride;
  int64_t bias_batch_stride, scale_batch_stride;

  StreamKMap map;               // of the dense schedules, too: no tile is cut there
  GroupedMap groups;            // ragged kNone: there are none, else it is to be prepared
  const int32_t* group_offset;  // null: 0
  ChunkSignals chunks;          // of lhs; not of grouped problems
  Index max_shares;             // that preparing may cut
  Index num_workgroups;
  Index num_queues;      // 0: fixed stride
  int32_t scale_stride;  // 0: one scale for all columns, 1: one per column
  DType out_dtype;
  Activation activation;
  Reduction reduction;
  bool claim_ahead;
  // Read together by AMD's kernels, as two bytes: at an even address.
  bool accumulate;  // out = out + ...; float only
  // rhs has 2 N columns (or rows), the gate's and the up projection's; so have bias, scale and
  // preact. Fragments of either are neighbours in a tile of sums, kTileN / 2 columns of out.
  bool gated;
};
static_assert(__builtin_offsetof(GemmArgs, accumulate) % 2 == 0);

}  // namespace jaxgemm
