// The vectors of the epilogue on GPUs: bias, scale and row_scale. All epilogues of AMD and Hopper
// load and apply them by this file, so only this file knows what each of them does. One thing is
// not here: where they store an integer out, the epilogues add the bias in int32 themselves.
#pragma once

#include "kernel/gemm_args.h"
#include "kernel/vec4.h"

namespace jaxgemm {

// Whether the target's kernels read a bias of bfloat16: Hopper's do.
#ifdef __HIP__
inline constexpr bool kReadsBf16Bias = false;
#else
inline constexpr bool kReadsBf16Bias = true;
#endif

// The part of the epilogue that is the same for all elements of a work tile.
struct TileEpilogue {
  // The group's or batch's vectors; null: none. bias has int32_t for an integer out, bfloat16 if
  // bias_bf16, else float.
  const void* bias;
  const float* scale;
  int32_t scale_stride;  // 0: one scale for all columns
  Index row_scales;      // the batch that row_scale is read of; -1: none
  Activation activation;
  bool bias_bf16;

  // Rows of no group have accumulators of zero. Nothing is applied to them, so that they stay zero.
  JAXGEMM_GPU TileEpilogue(const GemmArgs& args, const WorkTile& tile, Ragged ragged)
      : bias(nullptr),
        scale(nullptr),
        scale_stride(args.scale_stride),
        row_scales(args.row_scale && !tile.zero ? tile.batch : -1),
        activation(tile.zero ? Activation::kNone : args.activation),
        bias_bf16(kReadsBf16Bias && args.bias_bf16) {
    if (tile.zero) return;
    const Index vector = ragged == Ragged::kM ? tile.group : tile.batch;
    if (args.bias) {
      bias = static_cast<const char*>(args.bias) +
             vector * args.bias_batch_stride * (bias_bf16 ? sizeof(uint16_t) : sizeof(uint32_t));
    }
    if (args.scale) scale = args.scale + vector * args.scale_batch_stride;
  }
  JAXGEMM_GPU bool HasColumnVectors() const { return bias || scale; }
  JAXGEMM_GPU bool HasRowVectors() const { return row_scales >= 0; }
  JAXGEMM_GPU bool HasVectors() const { return HasColumnVectors() || HasRowVectors(); }
  // Whether vectors of columns are factors; else they are only added.
  JAXGEMM_GPU bool HasColumnFactors() const { return scale; }

  // The bits of a column's bias as a float or int32_t. There must be a bias.
  JAXGEMM_GPU uint32_t BiasOf(int64_t column) const {
    if (bias_bf16) return uint32_t{static_cast<const uint16_t*>(bias)[column]} << 16;
    return static_cast<const uint32_t*>(bias)[column];
  }
};

// What is applied to a row, before the vectors of columns.
struct RowVector {
  float scale;

  // `row` counts from the batch's first row on. Without vectors of rows, nothing is applied.
  static JAXGEMM_GPU RowVector Load(const GemmArgs& args, const TileEpilogue& tile, int64_t row) {
    if (!tile.HasRowVectors()) return None();
    return {args.row_scale[tile.row_scales * args.row_scale_batch_stride +
                           row * args.row_scale_stride]};
  }
  static JAXGEMM_GPU RowVector None() { return {1.0f}; }
  JAXGEMM_GPU float Apply(float acc) const { return acc * scale; }
  JAXGEMM_GPU Vec4<float> Apply(Vec4<float> acc) const { return acc * Same4(scale); }
};

// What is applied to a column of float32 accumulators.
struct ColumnVector {
  float scale, bias;

  static JAXGEMM_GPU ColumnVector Load(const TileEpilogue& tile, int64_t column) {
    return {tile.scale ? tile.scale[column * tile.scale_stride] : 1,
            tile.bias ? __builtin_bit_cast(float, tile.BiasOf(column)) : 0};
  }
  // Loads the vectors of several columns. A vector is tested once, not for each column: less code.
  template <int kCount>
  static JAXGEMM_GPU void LoadAll(const TileEpilogue& tile, const int (&columns)[kCount],
                                  ColumnVector (&vectors)[kCount]) {
    const void* bias = tile.bias;
#pragma unroll
    for (int i = 0; i < kCount; ++i) vectors[i] = {1, 0};
    if (bias && tile.bias_bf16) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const uint32_t bits = static_cast<const uint16_t*>(bias)[columns[i]];
        vectors[i].bias = __builtin_bit_cast(float, bits << 16);
      }
    } else if (bias) {
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        vectors[i].bias = static_cast<const float*>(bias)[columns[i]];
    }
    if (tile.scale) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        vectors[i].scale = tile.scale[int64_t{columns[i]} * tile.scale_stride];
      }
    }
  }
  JAXGEMM_GPU float Apply(float acc) const { return acc * scale + bias; }
};

// The vectors of a tile's columns in shared memory, an array for each kind.
template <int kColumns>
struct StagedColumns {
  struct alignas(2 * sizeof(float)) Floats {
    float values[2];
  };
  Floats scales[kColumns / 2], biases[kColumns / 2];
  struct Pair {
    ColumnVector columns[2];
  };

  JAXGEMM_GPU void Put(int column, ColumnVector vector) {
    reinterpret_cast<float*>(scales)[column] = vector.scale;
    reinterpret_cast<float*>(biases)[column] = vector.bias;
  }
  // The vectors of columns 2 * pair and 2 * pair + 1; kHasFactors: see HasColumnFactors.
  template <bool kHasFactors>
  JAXGEMM_GPU Pair Get(int pair) const {
    const Floats by = kHasFactors ? scales[pair] : Floats{{1, 1}};
    const Floats add = biases[pair];
    return {{{by.values[0], add.values[0]}, {by.values[1], add.values[1]}}};
  }
};

// As ColumnVector, for four columns from `column` on, of which the first `count` exist, and for
// accumulators of any type.
struct ColumnVectors {
  Vec4<uint32_t> bias;
  Vec4<float> scale;

  JAXGEMM_GPU ColumnVectors(const TileEpilogue& tile, int64_t column, int count)
      : bias(Same4(0u)), scale(Same4(1.0f)) {
    if (tile.bias && tile.bias_bf16) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i < count) bias[i] = tile.BiasOf(column + i);
      }
    } else if (tile.bias) {
      bias = Load4<uint32_t>(static_cast<const uint32_t*>(tile.bias), column, count);
    }
    if (tile.scale) {
      scale = tile.scale_stride ? Load4<float>(tile.scale, column, count) : Same4(*tile.scale);
    }
  }
  template <class Acc4>
  JAXGEMM_GPU Vec4<float> Apply(Acc4 acc, RowVector row_vector) const {
    return row_vector.Apply(Convert4<float>(acc)) * scale + __builtin_bit_cast(Vec4<float>, bias);
  }
};

}  // namespace jaxgemm
