// The gradient of a gated activation whose rows are weighted: one pass over the rows.
//
// Up to kGatedThreads lanes share a row, and each has every lanes-th vector of it. The sum over a
// row is one of each lane's elements in their order, then of pairs of lanes, then of waves: the
// same bits on every run.
#pragma once

#include "kernel/epilogue.h"
#include "routing/float8.h"
#include "routing/routing_args.h"
#include "routing/vector.h"
#include "routing/wave.h"

namespace jaxgemm {

// A vector of the gate, and that of the up projection.
struct Vector2 {
  Vector gate, up;
};

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

// A row of a call, and this thread's part of it.
template <DType kType>
struct GatedRow {
  const GatedArgs& args;
  int lanes, lane;
  int64_t row, place;  // the row of the operands, and that of the results; -1: it is not computed
  bool is_there;
  int length, end;  // the vectors of a row, and of this one
  const Vector *gates, *gs;
  Vector *d_gates, *values;
  float weight, sum;

  JAXGEMM_GPU explicit GatedRow(const GatedArgs& args, const GatedPlaces& to = {})
      : args(args),
        lanes(1 << args.lane_bits),
        lane(ThreadId() & (lanes - 1)),
        row((int64_t{WorkgroupId()} * kGatedThreads + ThreadId()) >> args.lane_bits),
        place(row < args.rows ? PlaceOf(row, to) : -1),
        is_there(place >= 0),
        length(args.vectors),
        end(is_there ? length : 0),
        gates(static_cast<const Vector*>(args.z) + 2 * row * length),
        gs(static_cast<const Vector*>(args.g) + row * length),
        d_gates(static_cast<Vector*>(args.dz) + 2 * place * length),
        values(static_cast<Vector*>(args.hw) + place * length),
        weight(is_there ? args.w[row] : 0.0f),
        sum(0.0f) {}

  JAXGEMM_GPU static int64_t PlaceOf(int64_t row, const GatedPlaces& to) {
    if (to.count && row >= *to.count) return -1;
    if (!to.places) return row;
    const int64_t place = to.places[row];
    return place < to.rows ? place : -1;
  }

  // Computes and stores the vector `at` of the gradients of gate and up, and returns both.
  JAXGEMM_GPU Vector2 Store(int at) {
    constexpr int kElements = kVectorElements<kType>;
    float gate[kElements], up[kElements], g[kElements];
    Decode<kType>(gates[at], gate);
    Decode<kType>(gates[length + at], up);
    Decode<kType>(gs[at], g);
#pragma unroll
    for (int i = 0; i < kElements; ++i) sum += SiluGradient(weight, gate[i], up[i], g[i]);
    const Vector2 gradients{Encode<kType>(gate), Encode<kType>(up)};
    d_gates[at] = gradients.gate;
    d_gates[length + at] = gradients.up;
    values[at] = Encode<kType>(g);
    return gradients;
  }

  JAXGEMM_GPU void StoreSum(GatedShared& shared) {
    for (int mask = 1; mask < lanes && mask < kWaveSize; mask *= 2) sum += FromOther(sum, mask);
    if (lanes > kWaveSize) {
      if (LaneId() == 0) shared.sums[WaveId()] = sum;
      Barrier();
      for (int wave = 1; lane == 0 && wave < lanes / kWaveSize; ++wave) {
        sum += shared.sums[WaveId() + wave];
      }
    }
    if (is_there && lane == 0) args.dw[place] = sum;
  }
};

template <DType kType>
JAXGEMM_GPU void StoreGatedGradient(const PlacedGatedArgs& args, GatedShared& shared) {
  GatedRow<kType> row(args.gated, args.to);
  for (int at = row.lane; at < row.end; at += row.lanes) row.Store(at);
  row.StoreSum(shared);
}

// The same, and dz in float8. A lane keeps its vectors of dz until the row's scale is known; of
// longer rows it loads what it has stored.
template <DType kType, class Format>
JAXGEMM_GPU void StoreQuantizedGatedGradient(const QuantizedGatedArgs& args, GatedShared& shared,
                                             Float8Shared& of_scales) {
  GatedRow<kType> row(args.gated);
  const int64_t first_number = 2 * row.row * row.length;
  if (args.out.block_bits >= 0) {
    for (int at = row.lane; at - row.lane < row.length; at += row.lanes) {
      const bool there = at < row.end;
      Vector2 gradients{};
      if (there) gradients = row.Store(at);
      StoreInBlocks<kType, Format>(args.out, first_number + at, gradients.gate, there);
      StoreInBlocks<kType, Format>(args.out, first_number + row.length + at, gradients.up, there);
    }
    row.StoreSum(shared);
    return;
  }
  const int at_once = kQuantizeVectors * row.lanes;
  Vector2 kept[kQuantizeVectors];
  int32_t top = 0;
  for (int first = row.lane; first < row.end; first += at_once) {
#pragma unroll
    for (int i = 0; i < kQuantizeVectors; ++i) {
      if (first + i * row.lanes >= row.end) continue;
      kept[i] = row.Store(first + i * row.lanes);
      const int32_t of_gate = TopOf<kType>(kept[i].gate), of_up = TopOf<kType>(kept[i].up);
      top = of_gate > top ? of_gate : top;
      top = of_up > top ? of_up : top;
    }
  }
  const Float8Scale scale =
      ScaleOf<Format>(args.out, MaxOfRow(top, args.gated.lane_bits, of_scales));
  for (int first = row.lane; first < row.end; first += at_once) {
#pragma unroll
    for (int i = 0; i < kQuantizeVectors; ++i) {
      const int at = first + i * row.lanes;
      if (at >= row.end) continue;
      if (row.length > at_once) kept[i] = {row.d_gates[at], row.d_gates[row.length + at]};
      StoreFloat8<kType, Format>(args.out, first_number + at, kept[i].gate, scale);
      StoreFloat8<kType, Format>(args.out, first_number + row.length + at, kept[i].up, scale);
    }
  }
  if (row.is_there && row.lane == 0) StoreScale(args.out, row.row, scale);
  row.StoreSum(shared);
}

}  // namespace jaxgemm
