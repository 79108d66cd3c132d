// HostKernel::store: the epilogue of one tile, in plain loops that the compiler
// vectorises for the instruction set of the translation unit.
#pragma once

#include "host/vector.h"
#include "kernel/quantize.h"

namespace jaxgemm {
namespace {

// The epilogue is applied to so many columns at a time, so that they stay in the L1. A tuning
// constant.
constexpr int kStoreCols = 256;

// dst[i * stride] = encode(value[i])
template <class Out, class Value, class Encode>
JAXGEMM_INLINE void Write(void* base, int64_t offset, int64_t stride, const Value* value, int count,
                          Encode encode) {
  Out* __restrict dst = static_cast<Out*>(base) + offset;
  if (stride == 1) {
    for (int i = 0; i < count; ++i) dst[i] = static_cast<Out>(encode(value[i]));
  } else {
    for (int i = 0; i < count; ++i) dst[i * stride] = static_cast<Out>(encode(value[i]));
  }
}

inline void WriteAs(DType dtype, void* base, int64_t offset, int64_t stride, const float* value,
                    int count) {
  const auto write = [&]<class Out>(Out, auto encode) __attribute__((always_inline)) {
    Write<Out>(base, offset, stride, value, count, encode);
  };
  switch (dtype) {
    case DType::kF32: return write(0.0f, [](float x) { return x; });
    case DType::kBF16: return write(uint16_t{}, EncodeBF16);
    case DType::kF16: return write(uint16_t{}, EncodeMinifloat<F16Format>);
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  case DType::id: return write(uint8_t{}, EncodeMinifloat<format>);
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
    case DType::kF4E2M1FN: return;  // no result has it
    case DType::kS8:
    case DType::kS32: return;  // written from int32 accumulators only
  }
}

// Values wrap, as in an integer conversion.
inline void WriteAs(DType dtype, void* base, int64_t offset, int64_t stride, const int32_t* value,
                    int count) {
  if (dtype == DType::kS8) {
    Write<int8_t>(base, offset, stride, value, count, [](int32_t x) { return x; });
  } else {
    Write<int32_t>(base, offset, stride, value, count, [](int32_t x) { return x; });
  }
}

// Stores `count` columns of a row of out. `col` counts from the tile's first column on.
inline void WriteOut(const EpilogueTile& tile, int row, int64_t col, float* value, int count) {
  if (tile.quantize_out != QuantizeOut::kNone) {
    const int block = QuantizedColumns(tile.quantize_out);
    const LargestValue largest = LargestOf(tile.out_dtype);
    for (int first = 0; first < count; first += block) {
      float* of_block = value + first;
      int32_t magnitude = 0;
      for (int i = 0; i < block; ++i) {
        const int32_t other = FiniteMagnitude(of_block[i]);
        magnitude = other > magnitude ? other : magnitude;
      }
      const auto scale = BlockScale::Of(tile.quantize_out, magnitude, largest);
      for (int i = 0; i < block; ++i) {
        of_block[i] = scale.Apply(tile.quantize_out, of_block[i], largest);
      }
      StoreScale(tile.quantize_out, tile.out_scales,
                 row * tile.scales_row_stride + (col + first) / block, scale);
    }
  }
  WriteAs(tile.out_dtype, tile.out, row * tile.row_stride + col * tile.col_stride, tile.col_stride,
          value, count);
}

// Integers are not quantised.
inline void WriteOut(const EpilogueTile& tile, int row, int64_t col, int32_t* value, int count) {
  WriteAs(tile.out_dtype, tile.out, row * tile.row_stride + col * tile.col_stride, tile.col_stride,
          value, count);
}

inline void Activate(Activation activation, float* value, int count) {
  WithActivation(activation, [=](auto activate) __attribute__((always_inline)) {
    for (int i = 0; i < count; ++i) value[i] = activate(value[i]);
  });
}

// An integer out has no activation (plan/check.cc).
inline void Activate(Activation, int32_t*, int) {}

JAXGEMM_INLINE float Plus(float a, float b) { return a + b; }
JAXGEMM_INLINE int32_t Plus(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// value[i] = combine(value[i], the vector's element) for `count` columns from `col` on.
template <class Value, class Combine>
JAXGEMM_INLINE void ForEach(const TileVector& vector, Value* value, int row, int64_t col, int count,
                            Combine combine) {
  if (vector.data == nullptr) return;
  const auto* from =
      static_cast<const Value*>(vector.data) + row * vector.row_stride + col * vector.col_stride;
  if (vector.col_stride == 0) {
    const Value same = *from;
    for (int i = 0; i < count; ++i) value[i] = combine(value[i], same);
  } else {
    for (int i = 0; i < count; ++i) value[i] = combine(value[i], from[i]);
  }
}

// value = row_scale * scale * acc + bias, for `count` columns of row `row`, from `col` on.
template <class Acc, class Value>
JAXGEMM_INLINE void ApplyVectors(const Acc* from, Value* value, int row, int64_t col, int count,
                                 const EpilogueTile& tile) {
  for (int i = 0; i < count; ++i) value[i] = static_cast<Value>(from[i]);
  if constexpr (__is_same(Value, float)) {
    const auto times = [](float x, float scale) { return x * scale; };
    ForEach(tile.row_scale, value, row, col, count, times);
    ForEach(tile.scale, value, row, col, count, times);
  }
  ForEach(tile.bias, value, row, col, count, [](Value x, Value bias) { return Plus(x, bias); });
}

// Stores rows of a gated problem: out = activation(gate) * up.
template <class Acc>
void StoreGatedRows(const Acc* acc, int64_t ldacc, int rows, int cols, const EpilogueTile& tile) {
  alignas(64) float gate[kStoreCols], up[kStoreCols];
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; col += kStoreCols) {
      const int count = cols - col < kStoreCols ? cols - col : kStoreCols;
      const Acc* from = acc + row * ldacc + col;
      ApplyVectors(from, gate, row, col, count, tile);
      ApplyVectors(from + tile.up_acc_columns, up, row, tile.up_columns + col, count, tile);
      if (tile.preact != nullptr) {
        const int64_t offset = row * 2 * tile.row_stride + col;
        WriteAs(tile.preact_dtype, tile.preact, offset, 1, gate, count);
        WriteAs(tile.preact_dtype, tile.preact, offset + tile.up_columns, 1, up, count);
      }
      Activate(tile.activation, gate, count);
      for (int i = 0; i < count; ++i) gate[i] *= up[i];
      WriteOut(tile, row, col, gate, count);
    }
  }
}

// Value: the type in which the epilogue computes, float or int32_t.
template <class Acc, class Value>
void StoreRows(const Acc* acc, int64_t ldacc, int rows, int cols, const EpilogueTile& tile) {
  if constexpr (__is_same(Acc, Value)) {
    const bool only_cast = !tile.row_scale.data && !tile.scale.data && !tile.bias.data &&
                           !tile.preact && tile.activation == Activation::kNone &&
                           !tile.accumulate && tile.quantize_out == QuantizeOut::kNone;
    if (only_cast) {
      // Rows one after the other are one long row. It takes less time than many short ones.
      if (ldacc == cols && tile.row_stride == cols && tile.col_stride == 1) {
        return WriteAs(tile.out_dtype, tile.out, 0, 1, acc, rows * cols);
      }
      for (int row = 0; row < rows; ++row) {
        WriteAs(tile.out_dtype, tile.out, row * tile.row_stride, tile.col_stride, acc + row * ldacc,
                cols);
      }
      return;
    }
  }
  alignas(64) Value value[kStoreCols];
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; col += kStoreCols) {
      const int count = cols - col < kStoreCols ? cols - col : kStoreCols;
      ApplyVectors(acc + row * ldacc + col, value, row, col, count, tile);
      const int64_t offset = row * tile.row_stride + col * tile.col_stride;
      if (tile.preact != nullptr) {
        WriteAs(tile.preact_dtype, tile.preact, offset, tile.col_stride, value, count);
      }
      Activate(tile.activation, value, count);
      if (tile.accumulate) {
        const auto* out = static_cast<const Value*>(tile.out) + offset;
        for (int i = 0; i < count; ++i) value[i] += out[i * tile.col_stride];
      }
      WriteOut(tile, row, col, value, count);
    }
  }
}

// HostKernel::promote. `part` is multiplied by one scale after the other, because the product of
// the two scales could be out of float32's range.
inline void Promote(const float* part, int64_t ldpart, int rows, int cols, const float* row_scales,
                    const float* col_scales, float* c, int64_t ldc, bool accumulate) {
  for (int row = 0; row < rows; ++row, part += ldpart, c += ldc) {
    const float* __restrict from = part;
    float* __restrict to = c;
    const float scale = row_scales[row];
    if (accumulate) {
      for (int col = 0; col < cols; ++col) to[col] += from[col] * scale * col_scales[col];
    } else {
      for (int col = 0; col < cols; ++col) to[col] = from[col] * scale * col_scales[col];
    }
  }
}

template <class Acc>
void StoreTile(const void* acc, int64_t ldacc, int rows, int cols, const EpilogueTile& tile) {
  const bool integer = tile.out_dtype == DType::kS8 || tile.out_dtype == DType::kS32;
  if constexpr (__is_same(Acc, int32_t)) {
    if (integer) {
      StoreRows<Acc, int32_t>(static_cast<const Acc*>(acc), ldacc, rows, cols, tile);
      return;
    }
  }
  if (tile.up_acc_columns) {
    StoreGatedRows(static_cast<const Acc*>(acc), ldacc, rows, cols, tile);
    return;
  }
  StoreRows<Acc, float>(static_cast<const Acc*>(acc), ldacc, rows, cols, tile);
}

}  // namespace
}  // namespace jaxgemm
