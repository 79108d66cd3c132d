// Four neighbouring elements of a row, which a lane of a GPU loads or stores at once.
#pragma once

#include <cstdint>

#if defined(__HIP__)
#define JAXGEMM_GPU __attribute__((device)) inline __attribute__((always_inline))
#elif defined(__CUDACC__)
#define JAXGEMM_GPU __device__ __forceinline__
#else
#define JAXGEMM_GPU inline  // tests run Hopper's code on the host
#endif

namespace jaxgemm {

#ifdef __HIP__
template <class T>
using Vec4 = T __attribute__((ext_vector_type(4)));
#else
// nvcc has no vector extensions.
template <class T>
struct alignas(4 * sizeof(T)) Vec4 {
  T values[4];

  JAXGEMM_GPU T& operator[](int i) { return values[i]; }
  JAXGEMM_GPU const T& operator[](int i) const { return values[i]; }
  friend JAXGEMM_GPU Vec4 operator+(Vec4 a, Vec4 b) {
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] += b[i];
    return a;
  }
  friend JAXGEMM_GPU Vec4 operator*(Vec4 a, Vec4 b) {
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] *= b[i];
    return a;
  }
};
#endif

template <class T>
JAXGEMM_GPU Vec4<T> Same4(T value) {
  return {value, value, value, value};
}

// Integers that do not fit wrap.
template <class To, class From>
JAXGEMM_GPU Vec4<To> Convert4(From value) {
#ifdef __HIP__
  return __builtin_convertvector(value, Vec4<To>);
#else
  Vec4<To> converted;
#pragma unroll
  for (int i = 0; i < 4; ++i) converted[i] = static_cast<To>(value[i]);
  return converted;
#endif
}

// Loads the first `count` of four elements; the others are zeros.
template <class T>
JAXGEMM_GPU Vec4<T> Load4(const void* base, int64_t offset, int count) {
  const T* from = static_cast<const T*>(base) + offset;
  Vec4<T> value;
#pragma unroll
  for (int i = 0; i < 4; ++i) value[i] = i < count ? from[i] : T{0};
  return value;
}

// Stores all four elements if they are `aligned`, else the first `count` of them.
template <class T>
JAXGEMM_GPU void Store4(void* base, int64_t offset, Vec4<T> value, int count, bool aligned) {
  T* to = static_cast<T*>(base) + offset;
  if (aligned) {
    *reinterpret_cast<Vec4<T>*>(to) = value;
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i < count) to[i] = value[i];
  }
}

}  // namespace jaxgemm
