// Vectors of 32-bit words for the host kernels. Included once per instruction set, by a
// translation unit that has defined JAXGEMM_VECTOR_BYTES.
//
// Everything is in an anonymous namespace: the linker must never merge the copies of an
// inline function that were compiled for different instruction sets. For the same reason
// nothing here uses the standard library.
#pragma once

#include <cstdint>

#if JAXGEMM_VECTOR_BYTES > 16
#if defined(__GNUC__) && !defined(__clang__)
// GCC gives this warning for its own definitions of the AVX-512 conversions where they are
// inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

#include "kernel/epilogue.h"
#include "spec/types.h"

namespace jaxgemm {
namespace {

constexpr int kLanes = JAXGEMM_VECTOR_BYTES / 4;

typedef uint32_t WordV __attribute__((vector_size(JAXGEMM_VECTOR_BYTES)));
typedef int32_t IntV __attribute__((vector_size(JAXGEMM_VECTOR_BYTES)));
typedef float FloatV __attribute__((vector_size(JAXGEMM_VECTOR_BYTES)));

template <class V>
JAXGEMM_INLINE V Load(const void* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

template <class V>
JAXGEMM_INLINE void Store(void* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}

// Load kLanes unsigned 16-bit or 8-bit numbers and widen them to words. (GCC 12's
// __builtin_convertvector does this lane by lane.)
JAXGEMM_INLINE WordV Widen16(const char* p) {
#if JAXGEMM_VECTOR_BYTES == 64
  return reinterpret_cast<WordV>(
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#elif JAXGEMM_VECTOR_BYTES == 32
  return reinterpret_cast<WordV>(
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
  uint16_t x[kLanes];
  __builtin_memcpy(x, p, sizeof x);
  return WordV{x[0], x[1], x[2], x[3]};
#endif
}

JAXGEMM_INLINE WordV Widen8(const char* p) {
#if JAXGEMM_VECTOR_BYTES == 64
  return reinterpret_cast<WordV>(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#elif JAXGEMM_VECTOR_BYTES == 32
  return reinterpret_cast<WordV>(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
  uint8_t x[kLanes];
  __builtin_memcpy(x, p, sizeof x);
  return WordV{x[0], x[1], x[2], x[3]};
#endif
}

JAXGEMM_INLINE FloatV LoadF16(const char* p) {
#if JAXGEMM_VECTOR_BYTES == 64
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#elif JAXGEMM_VECTOR_BYTES == 32
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
  return DecodeSmallFloat<F16Format, FloatV>(Widen16(p));
#endif
}

constexpr int DTypeBytes(DType dtype) {
  constexpr int kBytes[] = {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) bytes,
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
  };
  return kBytes[static_cast<int>(dtype)];
}

constexpr bool IsF8(DType dtype) {
  switch (dtype) {
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  case DType::id: return true;
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
    default: return false;
  }
}

// Converts fp8 codes, one in each word, to floats.
template <DType kDType>
JAXGEMM_INLINE FloatV DecodeF8(WordV code) {
  static_assert(IsF8(kDType));
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  if constexpr (kDType == DType::id) return DecodeSmallFloat<format, FloatV>(code);
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
}

template <int... kIndex>
struct Lanes {};
template <int kCount, int... kIndex>
struct MakeLanes : MakeLanes<kCount - 1, kCount - 1, kIndex...> {};
template <int... kIndex>
struct MakeLanes<0, kIndex...> {
  using Type = Lanes<kIndex...>;
};

// In each group of four lanes: a0 b0 a1 b1, or a2 b2 a3 b3 (kHigh).
template <bool kHigh, int... i>
JAXGEMM_INLINE WordV Zip32(WordV a, WordV b, Lanes<i...>) {
  return __builtin_shufflevector(a, b,
                                 (i / 4 * 4 + (kHigh ? 2 : 0) + i % 4 / 2 + i % 2 * kLanes)...);
}

// In each group of four lanes: a0 a1 b0 b1, or a2 a3 b2 b3 (kHigh).
template <bool kHigh, int... i>
JAXGEMM_INLINE WordV Zip64(WordV a, WordV b, Lanes<i...>) {
  return __builtin_shufflevector(a, b,
                                 (i / 4 * 4 + (kHigh ? 2 : 0) + i % 2 + i % 4 / 2 * kLanes)...);
}

// Swaps lane i + kDistance of `a` with lane i of `b`, for each i with bit kDistance clear.
template <int kDistance, int... i>
JAXGEMM_INLINE void SwapLanes(WordV& a, WordV& b, Lanes<i...>) {
  const WordV low = __builtin_shufflevector(a, b, (i & kDistance ? kLanes + i - kDistance : i)...);
  b = __builtin_shufflevector(a, b, (i & kDistance ? kLanes + i : i + kDistance)...);
  a = low;
}

template <int kDistance>
JAXGEMM_INLINE void SwapRows(WordV (&x)[kLanes]) {
  if constexpr (kDistance >= 4) {
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      if (!(i & kDistance)) {
        SwapLanes<kDistance>(x[i], x[i + kDistance], typename MakeLanes<kLanes>::Type{});
      }
    }
    SwapRows<kDistance / 2>(x);
  }
}

// x[i][j] becomes x[j][i].
JAXGEMM_INLINE void Transpose(WordV (&x)[kLanes]) {
  SwapRows<kLanes / 2>(x);
  const typename MakeLanes<kLanes>::Type lanes;
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; i += 4) {
    const WordV a = Zip32<false>(x[i], x[i + 1], lanes);
    const WordV b = Zip32<true>(x[i], x[i + 1], lanes);
    const WordV c = Zip32<false>(x[i + 2], x[i + 3], lanes);
    const WordV d = Zip32<true>(x[i + 2], x[i + 3], lanes);
    x[i] = Zip64<false>(a, c, lanes);
    x[i + 1] = Zip64<true>(a, c, lanes);
    x[i + 2] = Zip64<false>(b, d, lanes);
    x[i + 3] = Zip64<true>(b, d, lanes);
  }
}

}  // namespace
}  // namespace jaxgemm
