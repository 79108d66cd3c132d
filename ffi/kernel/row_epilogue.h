// The epilogue of GPUs for four neighbouring columns of a row, with any option and type of out:
// out = cast(activation(row_scale * scale * acc + bias)), or cast(activation(gate) * up) in a gated
// product.
#pragma once

#include "kernel/epilogue.h"
#include "kernel/epilogue_vectors.h"
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
      code[i] = static_cast<uint8_t>(EncodeMinifloat<format>(value[i]));                  \
    }                                                                                     \
    return Store4<uint8_t>(base, offset, code, count, aligned);                           \
  }
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
    case DType::kF4E2M1FN: return;  // no result has it
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

// Stores four columns of a row of out, which has `length` columns. `row` counts all rows of out,
// and `row_vector` is that of this row. In a gated product load_up() returns the accumulators of
// the up projection.
template <bool kInteger, class Acc4, class LoadUp>
JAXGEMM_GPU void StoreRow(const GemmArgs& args, const TileEpilogue& tile,
                          const ColumnVectors& vectors, RowVector row_vector, int64_t row,
                          int64_t length, int64_t column, int count, bool aligned, Acc4 acc,
                          const LoadUp& load_up) {
  const int64_t offset = row * length + column;
  if constexpr (kInteger) {
    if (args.out_dtype == DType::kS32 || args.out_dtype == DType::kS8) {
      return StoreAs(args.out_dtype, args.out, offset, acc + __builtin_bit_cast(Acc4, vectors.bias),
                     count, aligned);
    }
  }
  const Vec4<float> z = vectors.Apply(acc, row_vector);
  Vec4<float> up = z, value = z;
  WithActivation(tile.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i] = activate(z[i]);
  });
  if (args.gated) {
    up = ColumnVectors(tile, length + column, count).Apply(load_up(), row_vector);
    value = value * up;
  }
  if (args.accumulate) value = value + Load4<float>(args.out, offset, count);
  const int64_t preact_at = args.gated ? offset + row * length : offset;
  // One loop stores everything, so that the code for all types of out, which is long, is there
  // once.
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
