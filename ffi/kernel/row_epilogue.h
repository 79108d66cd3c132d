// The epilogue of GPUs for four neighbouring columns of a row, with any option and type of out:
// out = cast(activation(row_scale * scale * acc + bias)), or cast(activation(gate) * up) in a gated
// product.
#pragma once

#include "kernel/epilogue.h"
#include "kernel/gemm_args.h"
#include "kernel/vec4.h"

namespace jaxgemm {

// Converts to bfloat16 or float16. Each target has its own.
JAXGEMM_GPU Vec4<uint16_t> Convert16(bool bf16, Vec4<float> value);

JAXGEMM_GPU void StoreAs(DType dtype, void* base, int64_t offset, Vec4<float> value, int count,
                         bool aligned) {
  switch (dtype) {
    case DType::kF32: return Store4<float>(base, offset, value, count, aligned);
    case DType::kF16:
    case DType::kBF16:
      return Store4<uint16_t>(base, offset, Convert16(dtype == DType::kBF16, value), count,
                              aligned);
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  case DType::id: {                                                                       \
    Vec4<uint8_t> code;                                                                   \
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {                                       \
      code[i] = static_cast<uint8_t>(EncodeSmallFloat<format>(value[i]));                 \
    }                                                                                     \
    return Store4<uint8_t>(base, offset, code, count, aligned);                           \
  }
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
    case DType::kS8:
    case DType::kS32: return;  // stored from int32_t, below
  }
}

// int8 results wrap, as in an integer conversion.
JAXGEMM_GPU void StoreAs(DType dtype, void* base, int64_t offset, Vec4<int32_t> value, int count,
                         bool aligned) {
  if (dtype == DType::kS8) {
    Store4<int8_t>(base, offset, Convert4<int8_t>(value), count, aligned);
  } else {
    Store4<int32_t>(base, offset, value, count, aligned);
  }
}

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
  Index row_scales;      // the batch whose row_scale is read; -1: none
  Activation activation;
  bool bias_bf16;

  // Rows of no group have accumulators of zero. Nothing is applied, so that they stay zero with any
  // activation.
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
  JAXGEMM_GPU bool HasRowScale() const { return row_scales >= 0; }
  JAXGEMM_GPU bool HasVectors() const { return bias || scale || HasRowScale(); }

  // The scale of a row, counted from the batch's first row on; 1 if there is none.
  JAXGEMM_GPU float RowScale(const GemmArgs& args, int64_t row) const {
    if (!HasRowScale()) return 1.0f;
    return args.row_scale[row_scales * args.row_scale_batch_stride + row * args.row_scale_stride];
  }

  // The bits of a column's bias as a float or int32_t. There must be a bias.
  JAXGEMM_GPU uint32_t BiasOf(int64_t column) const {
    if (bias_bf16) return uint32_t{static_cast<const uint16_t*>(bias)[column]} << 16;
    return static_cast<const uint32_t*>(bias)[column];
  }
  // scale * acc + bias.
  template <class V>
  static JAXGEMM_GPU V Affine(V acc, V scale, V bias) {
    return acc * scale + bias;
  }
};

// Bias and scale of four columns from `column` on; only the first `count` of them exist.
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
  template <class Sum4>
  JAXGEMM_GPU Vec4<float> Apply(Sum4 sum, float row_scale) const {
    return TileEpilogue::Affine(Convert4<float>(sum) * Same4(row_scale), scale,
                                __builtin_bit_cast(Vec4<float>, bias));
  }
};

// Stores four columns of a row of out, which has `length` columns. `row` counts all rows of out,
// and `row_scale` is this row's; load_up() returns the up projection's accumulators of a gated
// product.
template <bool kInteger, class Sum4, class LoadUp>
JAXGEMM_GPU void StoreRow(const GemmArgs& args, const TileEpilogue& tile,
                          const ColumnVectors& vectors, float row_scale, int64_t row,
                          int64_t length, int64_t column, int count, bool aligned, Sum4 sum,
                          const LoadUp& load_up) {
  const int64_t offset = row * length + column;
  if constexpr (kInteger) {
    if (args.out_dtype == DType::kS32 || args.out_dtype == DType::kS8) {
      return StoreAs(args.out_dtype, args.out, offset, sum + __builtin_bit_cast(Sum4, vectors.bias),
                     count, aligned);
    }
  }
  const Vec4<float> z = vectors.Apply(sum, row_scale);
  Vec4<float> up = z, value = z;
  WithActivation(tile.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i] = activate(z[i]);
  });
  if (args.gated) {
    up = ColumnVectors(tile, length + column, count).Apply(load_up(), row_scale);
    value = value * up;
  }
  if (args.accumulate) value = value + Load4<float>(args.out, offset, count);
  const int64_t preact_at = args.gated ? offset + row * length : offset;
  // Everything is stored in one place, because the code for all types of out is long.
#pragma unroll 1
  for (int part = args.preact ? 0 : 2; part < 3; ++part) {
    if (part == 1 && !args.gated) continue;
    StoreAs(args.out_dtype, part < 2 ? args.preact : args.out,
            part == 0   ? preact_at
            : part == 1 ? preact_at + length
                        : offset,
            part == 0   ? z
            : part == 1 ? up
                        : value,
            count, aligned);
  }
}

}  // namespace jaxgemm
