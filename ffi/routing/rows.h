// Rows that are copied by index, and sums of the rows of tokens. Lanes share a row, or a token.
#pragma once

#include "routing/float8.h"
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

// Sums are in float32, in the order of the choices, and then of the addends.
template <DType kType>
JAXGEMM_GPU void CombineRows(const CombineArgs& args) {
  constexpr int kElements = kVectorElements<kType>;
  const int lanes = 1 << args.lane_bits, lane = ThreadId() & (lanes - 1), length = args.vectors;
  const int64_t token = (int64_t{WorkgroupId()} * kRowsThreads + ThreadId()) >> args.lane_bits;
  if (token >= args.tokens) return;
  const Vector* rows = static_cast<const Vector*>(args.rows);
  for (int first = lane; first < length; first += kRowsVectors * lanes) {
    float sums[kRowsVectors][kElements] = {};
    // Adds a row times its weight. One that is not there is zeros: with a weight of NaN they are
    // NaN.
    const auto add = [&](const Vector* row, bool is_there, float weight) {
      Vector vectors[kRowsVectors];
#pragma unroll
      for (int i = 0; i < kRowsVectors; ++i) {
        const int at = first + i * lanes;
        vectors[i] = is_there && at < length ? row[at] : Vector{0, 0, 0, 0};
      }
#pragma unroll
      for (int i = 0; i < kRowsVectors; ++i) {
        float values[kElements];
        Decode<kType>(vectors[i], values);
#pragma unroll
        for (int j = 0; j < kElements; ++j) {
          sums[i][j] = FusedMultiplyAdd(values[j], weight, sums[i][j]);
        }
      }
    };
#pragma unroll 2
    for (int i = 0; i < args.top_k; ++i) {
      const int64_t choice = token * args.top_k + i, row = args.row[choice];
      const bool is_there = row >= 0 && row < args.num_rows;
      add(rows + (is_there ? row * length : 0), is_there,
          args.weights ? args.weights[choice] : 1.0f);
    }
    const Vector* addend = static_cast<const Vector*>(args.addends) + token * length;
    for (int i = 0; i < args.num_addends; ++i, addend += args.tokens * length) {
      add(addend, true, 1.0f);
    }
#pragma unroll
    for (int i = 0; i < kRowsVectors; ++i) {
      const int at = first + i * lanes;
      if (at >= length) continue;
      if (kType == DType::kF32 || !args.is_wide) {
        static_cast<Vector*>(args.out)[token * length + at] = Encode<kType>(sums[i]);
        continue;
      }
      constexpr int kWide = sizeof(float) / ElementBytes(kType);
      auto* out = static_cast<Vec4<float>*>(args.out) + (token * length + at) * kWide;
#pragma unroll
      for (int j = 0; j < kWide; ++j) {
        const float* of_vector = sums[i] + 4 * j;
        out[j] = Vec4<float>{of_vector[0], of_vector[1], of_vector[2], of_vector[3]};
      }
    }
  }
}

}  // namespace jaxgemm
