// The gradient of a gated activation whose rows are weighted: one pass over the rows.
//
// Up to kGatedThreads lanes share a row, and each has every lanes-th vector of it. The sum over a
// row is one of each lane's elements in their order, then of pairs of lanes, then of waves: the
// same bits on every run.
#pragma once

#include "kernel/epilogue.h"
#include "routing/routing_args.h"
#include "routing/vector.h"
#include "routing/wave.h"

namespace jaxgemm {

struct GatedShared {
  float sums[kGatedThreads / kWaveSize];
};

// The gradient of silu(gate) * up. Replaces gate and up by their gradients, and g by the weighted
// value; returns g * silu(gate) * up. The factor of g in the gradients is `weight`.
JAXGEMM_GPU float SiluGradient(float weight, float& gate, float& up, float& g) {
  const float sigmoid = Sigmoid(gate), activated = gate * sigmoid;
  const float slope = sigmoid + activated * (1.0f - sigmoid);
  const float value = activated * up, weighted = weight * g, dot = g * value;
  gate = weighted * up * slope;
  up = weighted * activated;
  g = weight * value;
  return dot;
}

template <DType kType>
JAXGEMM_GPU void StoreGatedGradient(const GatedArgs& args, GatedShared& shared) {
  constexpr int kElements = kVectorElements<kType>;
  const int lanes = 1 << args.lane_bits, lane = ThreadId() & (lanes - 1);
  const int64_t row = (int64_t{WorkgroupId()} * kGatedThreads + ThreadId()) >> args.lane_bits;
  const bool is_there = row < args.rows;
  const int length = args.vectors, end = is_there ? length : 0;
  const Vector* gates = static_cast<const Vector*>(args.z) + 2 * row * length;
  const Vector* gs = static_cast<const Vector*>(args.g) + row * length;
  Vector* d_gates = static_cast<Vector*>(args.dz) + 2 * row * length;
  Vector* values = static_cast<Vector*>(args.hw) + row * length;
  const float weight = is_there ? args.w[row] : 0.0f;
  float sum = 0.0f;
  for (int at = lane; at < end; at += lanes) {
    float gate[kElements], up[kElements], g[kElements];
    Decode<kType>(gates[at], gate);
    Decode<kType>(gates[length + at], up);
    Decode<kType>(gs[at], g);
#pragma unroll
    for (int i = 0; i < kElements; ++i) sum += SiluGradient(weight, gate[i], up[i], g[i]);
    d_gates[at] = Encode<kType>(gate);
    d_gates[length + at] = Encode<kType>(up);
    values[at] = Encode<kType>(g);
  }
  for (int mask = 1; mask < lanes && mask < kWaveSize; mask *= 2) sum += FromOther(sum, mask);
  if (lanes > kWaveSize) {
    if (LaneId() == 0) shared.sums[WaveId()] = sum;
    Barrier();
    for (int wave = 1; lane == 0 && wave < lanes / kWaveSize; ++wave) {
      sum += shared.sums[WaveId() + wave];
    }
  }
  if (is_there && lane == 0) args.dw[row] = sum;
}

}  // namespace jaxgemm
