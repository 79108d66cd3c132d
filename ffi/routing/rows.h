// Rows that are copied by index. Lanes share a row.
#pragma once

#include "routing/routing_args.h"
#include "routing/vector.h"
#include "routing/wave.h"

namespace jaxgemm {

JAXGEMM_GPU void GatherRows(const GatherArgs& args) {
  const int lanes = 1 << args.lane_bits, lane = ThreadId() & (lanes - 1);
  const int64_t row = (int64_t{WorkgroupId()} * kRowsThreads + ThreadId()) >> args.lane_bits;
  if (row >= args.rows || row < args.bounds[0] || row >= args.bounds[1]) return;
  const int64_t line = args.lines[row];
  const bool is_there = line >= 0 && line < args.num_lines;
  const Vector* from = static_cast<const Vector*>(args.x) + (is_there ? line * args.vectors : 0);
  Vector* to = static_cast<Vector*>(args.out) + row * args.vectors;
  for (int first = lane; first < args.vectors; first += kRowsVectors * lanes) {
    Vector vectors[kRowsVectors];
#pragma unroll
    for (int i = 0; i < kRowsVectors; ++i) {
      const int at = first + i * lanes;
      vectors[i] = is_there && at < args.vectors ? from[at] : Vector{0, 0, 0, 0};
    }
#pragma unroll
    for (int i = 0; i < kRowsVectors; ++i) {
      const int at = first + i * lanes;
      if (at < args.vectors) to[at] = vectors[i];
    }
  }
}

}  // namespace jaxgemm
