// Rows, or what a gated activation makes of rows, in float8 with scales: one pass.
#pragma once

#include "routing/float8.h"

namespace jaxgemm {

// The rows themselves.
template <DType kType>
struct GivenRow {
  const Vector* row;

  JAXGEMM_GPU GivenRow(const QuantizeArgs& args, int64_t index)
      : row(static_cast<const Vector*>(args.x) + index * args.vectors) {}
  JAXGEMM_GPU Vector operator()(int at) const { return row[at]; }
};

// silu(gate) up, rounded to the dtype of gate and up.
template <DType kType>
struct HiddenRow {
  const Vector *gates, *ups;

  JAXGEMM_GPU HiddenRow(const QuantizeArgs& args, int64_t index)
      : gates(static_cast<const Vector*>(args.x) + 2 * index * args.vectors),
        ups(gates + args.vectors) {}
  JAXGEMM_GPU Vector operator()(int at) const {
    float gate[kVectorElements<kType>], up[kVectorElements<kType>];
    Decode<kType>(gates[at], gate);
    Decode<kType>(ups[at], up);
#pragma unroll
    for (int i = 0; i < kVectorElements<kType>; ++i) gate[i] = Silu(gate[i]) * up[i];
    return Encode<kType>(gate);
  }
};

template <DType kType, class Format, class Row>
JAXGEMM_GPU void QuantizeRow(const QuantizeArgs& args, Float8Shared& shared) {
  const int lanes = 1 << args.lane_bits, lane = ThreadId() & (lanes - 1);
  const int64_t row = (int64_t{WorkgroupId()} * kQuantizeThreads + ThreadId()) >> args.lane_bits;
  const int length = args.vectors, end = row < args.rows ? length : 0;
  int there = 0;  // so many vectors are read; the others are zeros
  if (end) {
    const int64_t batch = row / args.batch_rows, of_batch = row - batch * args.batch_rows;
    const int32_t* bounds = args.bounds + 2 * batch;
    there = bounds[0] <= of_batch && of_batch < bounds[1] ? end : 0;
  }
  const Row source(args, row);
  const int64_t first_number = row * length;
  const auto load = [&](int at) { return at < there ? source(at) : Vector{0, 0, 0, 0}; };

  if (args.out.block_bits >= 0) {
    constexpr int kAhead = 4;
    for (int first = lane; first - lane < length; first += kAhead * lanes) {
      Vector vectors[kAhead];
#pragma unroll
      for (int i = 0; i < kAhead; ++i) vectors[i] = load(first + i * lanes);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const int at = first + i * lanes;
        StoreInBlocks<kType, Format>(args.out, first_number + at, vectors[i], at < end);
      }
    }
    return;
  }
  const int at_once = kQuantizeVectors * lanes;
  Vector vectors[kQuantizeVectors];
  const auto load_all = [&](int first) {
#pragma unroll
    for (int i = 0; i < kQuantizeVectors; ++i) vectors[i] = load(first + i * lanes);
  };
  int32_t top = 0;
  for (int first = lane; first < there; first += at_once) {
    load_all(first);
#pragma unroll
    for (const Vector& vector : vectors) {
      const int32_t of_vector = TopOf<kType>(vector);
      top = of_vector > top ? of_vector : top;
    }
  }
  const Float8Scale scale = ScaleOf<Format>(args.out, MaxOfRow(top, args.lane_bits, shared));
  for (int first = lane; first < end; first += at_once) {
    if (length > at_once || !there) load_all(first);
#pragma unroll
    for (int i = 0; i < kQuantizeVectors; ++i) {
      const int at = first + i * lanes;
      if (at < end) {
        StoreFloat8<kType, Format>(args.out, first_number + at, vectors[i], scale);
      }
    }
  }
  if (end && lane == 0) StoreScale(args.out, row, scale);
}

}  // namespace jaxgemm
