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

// Has a vector stay in a register, if there are more than kUsed. Else GCC may load it from memory
// again for each of its uses.
template <int kUsed, class V>
JAXGEMM_INLINE void KeepInRegister([[maybe_unused]] V& v) {
#if JAXGEMM_VECTOR_BYTES > 16
  if constexpr (kUsed < (JAXGEMM_VECTOR_BYTES == 64 ? 32 : 16)) asm("" : "+v"(v));
#endif
}

// The functions below write a partial vector to the stack by one store of a whole vector, except
// those for 16-byte vectors. A vector load cannot be forwarded from several smaller stores, so it
// would have to wait for them. GCC would also call memcpy for a copy of variable size.

#if JAXGEMM_VECTOR_BYTES == 32
// The first `count` < 16 bytes at `from`, then zeros.
JAXGEMM_INLINE __m128i LoadPart16(const char* from, int count) {
  const auto load = [&]<class T>(T, int at) __attribute__((always_inline)) {
    return static_cast<uint64_t>(Load<T>(from + at));
  };
  uint64_t low = 0, high = 0;
  if (count > 8) {
    low = load(uint64_t{}, 0);
    high = load(uint64_t{}, count - 8) >> (16 - count) * 8;
  } else if (count >= 4) {
    low = load(uint32_t{}, 0) | load(uint32_t{}, count - 4) << (count - 4) * 8;
  } else if (count > 0) {
    low = load(uint8_t{}, 0) | load(uint8_t{}, count / 2) << count / 2 * 8 |
          load(uint8_t{}, count - 1) << (count - 1) * 8;
  }
  return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
}

// A mask that has the first `count` words set.
JAXGEMM_INLINE __m256i FirstWords(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

// Copies the first `count` <= kBytes bytes at `from`, then zeros. kBytes is the size of a vector,
// or a half or a quarter of it.
template <int kElementBytes, int kBytes>
JAXGEMM_INLINE void CopyPart(char (&to)[kBytes], const char* from, int count) {
#if JAXGEMM_VECTOR_BYTES == 64
  const __mmask64 mask = count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0};
  const __m512i part = _mm512_maskz_loadu_epi8(mask, from);
  __builtin_memcpy(to, &part, kBytes);
#elif JAXGEMM_VECTOR_BYTES == 32
  if constexpr (kElementBytes == 4) {
    const __m256i part =
        _mm256_maskload_epi32(reinterpret_cast<const int*>(from), FirstWords(count / 4));
    __builtin_memcpy(to, &part, kBytes);
  } else {
    static_assert(kBytes <= 16);
    const __m128i part = count == 16 ? Load<__m128i>(from) : LoadPart16(from, count);
    __builtin_memcpy(to, &part, kBytes);
  }
#else
  __builtin_memset(to, 0, kBytes);
  __builtin_memcpy(to, from, count);
#endif
}

// The first `count` <= kLanes words at `p`, then zeros.
template <class V>
JAXGEMM_INLINE V LoadFirst(const void* p, int count) {
  char part[sizeof(V)];
  CopyPart<4>(part, static_cast<const char*>(p), count * 4);
  return Load<V>(part);
}

// Stores the first `count` <= kLanes words.
template <class V>
JAXGEMM_INLINE void StoreFirst(void* p, V v, int count) {
  if (count == kLanes) return Store(p, v);
#if JAXGEMM_VECTOR_BYTES == 64
  const auto mask = static_cast<__mmask16>((1u << count) - 1);
  _mm512_mask_storeu_epi32(p, mask, __builtin_bit_cast(__m512i, v));
#elif JAXGEMM_VECTOR_BYTES == 32
  // Masked stores take tens of cycles on AMD processors.
  auto* to = static_cast<char*>(p);
  const __m256i words = __builtin_bit_cast(__m256i, v);
  __m128i rest = _mm256_castsi256_si128(words);
  if (count & 4) {
    Store(to, rest);
    rest = _mm256_extracti128_si256(words, 1);
    to += 16;
  }
  if (count & 2) {
    Store(to, _mm_cvtsi128_si64(rest));
    rest = _mm_unpackhi_epi64(rest, rest);
    to += 8;
  }
  if (count & 1) Store(to, _mm_cvtsi128_si32(rest));
#else
  __builtin_memcpy(p, &v, count * 4);
#endif
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
  return DecodeMinifloat<F16Format, FloatV>(Widen16(p));
#endif
}

// Loads kWords words from each of kLanes / kWords places, which are `stride` bytes apart.
template <int kWords>
JAXGEMM_INLINE WordV LoadParts(const char* p, int64_t stride) {
  if constexpr (kWords == kLanes) {
    return Load<WordV>(p);
#if JAXGEMM_VECTOR_BYTES == 64
  } else if constexpr (kWords == 8) {
    return (WordV)_mm512_inserti64x4(_mm512_castsi256_si512(Load<__m256i>(p)),
                                     Load<__m256i>(p + stride), 1);
  } else {
    static_assert(kWords == 4);
    const auto half = [&](const char* q) __attribute__((always_inline)) {
      return _mm256_inserti128_si256(_mm256_castsi128_si256(Load<__m128i>(q)),
                                     Load<__m128i>(q + stride), 1);
    };
    return (WordV)_mm512_inserti64x4(_mm512_castsi256_si512(half(p)), half(p + 2 * stride), 1);
#elif JAXGEMM_VECTOR_BYTES == 32
  } else {
    static_assert(kWords == 4);
    return (WordV)_mm256_inserti128_si256(_mm256_castsi128_si256(Load<__m128i>(p)),
                                          Load<__m128i>(p + stride), 1);
#endif
  }
}

// These are consteval, so that no code of ElementBytes is compiled here for the linker to merge.
consteval int DTypeBytes(DType dtype) { return ElementBytes(dtype); }
consteval bool IsF8(DType dtype) { return ElementBytes(dtype) == 1 && dtype != DType::kS8; }

// Converts float8 codes, one in each word, to floats.
template <DType kDType>
JAXGEMM_INLINE FloatV DecodeF8(WordV code) {
  static_assert(IsF8(kDType));
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  if constexpr (kDType == DType::id) return DecodeMinifloat<format, FloatV>(code);
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
}

// The indices 0 to kCount - 1 as a type: Indices<0, 1, ...> is MakeIndices<kCount>::Type.
template <int... kIndex>
struct Indices {};
template <int kCount, int... kIndex>
struct MakeIndices : MakeIndices<kCount - 1, kCount - 1, kIndex...> {};
template <int... kIndex>
struct MakeIndices<0, kIndex...> {
  using Type = Indices<kIndex...>;
};

// Adds up lanes that are kDistance apart, half of it, and so on until kLast.
template <int kDistance, int kLast = 1, class V, int... i>
JAXGEMM_INLINE V AddLanes(V v, Indices<i...> lanes) {
  v += __builtin_shufflevector(v, v, (i ^ kDistance)...);
  if constexpr (kDistance > kLast) {
    return AddLanes<kDistance / 2, kLast>(v, lanes);
  } else {
    return v;
  }
}

// The sum of all lanes.
template <class V>
JAXGEMM_INLINE auto Sum(V v) {
  return AddLanes<kLanes / 2>(v, typename MakeIndices<kLanes>::Type{})[0];
}

// In each group of four lanes: a0 b0 a1 b1, or a2 b2 a3 b3 (kHigh).
template <bool kHigh, class V, int... i>
JAXGEMM_INLINE V Zip32(V a, V b, Indices<i...>) {
  return __builtin_shufflevector(a, b,
                                 (i / 4 * 4 + (kHigh ? 2 : 0) + i % 4 / 2 + i % 2 * kLanes)...);
}

// In each group of four lanes: a0 a1 b0 b1, or a2 a3 b2 b3 (kHigh).
template <bool kHigh, class V, int... i>
JAXGEMM_INLINE V Zip64(V a, V b, Indices<i...>) {
  return __builtin_shufflevector(a, b,
                                 (i / 4 * 4 + (kHigh ? 2 : 0) + i % 2 + i % 4 / 2 * kLanes)...);
}

// A vector of four lanes: the sums of all lanes of v[0], v[1], v[2] and v[3].
template <class V>
JAXGEMM_INLINE auto SumFour(const V (&v)[4]) {
  const typename MakeIndices<kLanes>::Type lanes;
  const V a = Zip32<false>(v[0], v[1], lanes) + Zip32<true>(v[0], v[1], lanes);
  const V b = Zip32<false>(v[2], v[3], lanes) + Zip32<true>(v[2], v[3], lanes);
  V sum = Zip64<false>(a, b, lanes) + Zip64<true>(a, b, lanes);
  if constexpr (kLanes > 4) sum = AddLanes<kLanes / 2, 4>(sum, lanes);
  return __builtin_shufflevector(sum, sum, 0, 1, 2, 3);
}

// Swaps lane i + kDistance of `a` with lane i of `b`, for each i with bit kDistance clear.
template <int kDistance, int... i>
JAXGEMM_INLINE void SwapLanes(WordV& a, WordV& b, Indices<i...>) {
  const WordV low = __builtin_shufflevector(a, b, (i & kDistance ? kLanes + i - kDistance : i)...);
  b = __builtin_shufflevector(a, b, (i & kDistance ? kLanes + i : i + kDistance)...);
  a = low;
}

template <int kDistance, int kCount>
JAXGEMM_INLINE void SwapRows(WordV (&x)[kCount]) {
  if constexpr (kDistance >= 4) {
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) {
      if (!(i & kDistance)) {
        SwapLanes<kDistance>(x[i], x[i + kDistance], typename MakeIndices<kLanes>::Type{});
      }
    }
    SwapRows<kDistance / 2>(x);
  }
}

// x[i][j] becomes x[j][i]. With kCount < kLanes, x[i] has kCount words of each of the rows
// i, i + kCount, ... before, and word i of all kLanes rows after.
template <int kCount>
JAXGEMM_INLINE void Transpose(WordV (&x)[kCount]) {
  SwapRows<kCount / 2>(x);
  const typename MakeIndices<kLanes>::Type lanes;
#pragma GCC unroll 16
  for (int i = 0; i < kCount; i += 4) {
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
