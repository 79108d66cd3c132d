// Four neighbouring values of a row, and their conversion to elements of out.
#pragma once

#include "kernel/epilogue.h"
#include "sm90/ptx.h"

namespace jaxgemm {

template <class T>
struct alignas(4 * sizeof(T)) Four {
  T values[4];
  JAXGEMM_SM90 T& operator[](int i) { return values[i]; }
};

// Stores four neighbours of a row, or the first `count` of them.
template <class T>
JAXGEMM_SM90 void StoreFour(void* base, int64_t offset, Four<T> value, int count, bool aligned) {
  T* to = static_cast<T*>(base) + offset;
  if (aligned) {
    *reinterpret_cast<Four<T>*>(to) = value;
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i < count) to[i] = value[i];
  }
}
template <class T>
JAXGEMM_SM90 Four<T> LoadFour(const void* base, int64_t offset, int count) {
  const T* from = static_cast<const T*>(base) + offset;
  Four<T> value;
#pragma unroll
  for (int i = 0; i < 4; ++i) value[i] = i < count ? from[i] : T{0};
  return value;
}

template <class Format>
JAXGEMM_SM90 Four<uint8_t> EncodeFour(Four<float> value) {
  Four<uint8_t> code;
#pragma unroll
  for (int i = 0; i < 4; ++i) code[i] = EncodeSmallFloat<Format>(value[i]);
  return code;
}
JAXGEMM_SM90 Four<uint16_t> PackFour(bool bf16, Four<float> value) {
  const uint32_t low = PackPair(bf16, value[0], value[1]);
  const uint32_t high = PackPair(bf16, value[2], value[3]);
  return {{static_cast<uint16_t>(low), static_cast<uint16_t>(low >> 16),
           static_cast<uint16_t>(high), static_cast<uint16_t>(high >> 16)}};
}

JAXGEMM_SM90 void StoreAs(DType dtype, void* base, int64_t offset, Four<float> value, int count,
                          bool aligned) {
  switch (dtype) {
    case DType::kF32: return StoreFour(base, offset, value, count, aligned);
    case DType::kF16:
    case DType::kBF16:
      return StoreFour(base, offset, PackFour(dtype == DType::kBF16, value), count, aligned);
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  case DType::id: return StoreFour(base, offset, EncodeFour<format>(value), count, aligned);
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
    case DType::kS8:
    case DType::kS32: return;  // only from int32_t
  }
}
// int8 results wrap, as in an integer conversion.
JAXGEMM_SM90 void StoreAs(DType dtype, void* base, int64_t offset, Four<int32_t> value, int count,
                          bool aligned) {
  if (dtype != DType::kS8) return StoreFour(base, offset, value, count, aligned);
  Four<int8_t> low;
#pragma unroll
  for (int i = 0; i < 4; ++i) low[i] = static_cast<int8_t>(value[i]);
  StoreFour(base, offset, low, count, aligned);
}

JAXGEMM_SM90 float Activate(Activation activation, float value) {
  switch (activation) {
    case Activation::kNone: break;
#define JAXGEMM_ACTIVATION(id, name, function) \
  case Activation::id: return function(value);
#include "spec/instances.def"
#undef JAXGEMM_ACTIVATION
  }
  return value;
}

}  // namespace jaxgemm
