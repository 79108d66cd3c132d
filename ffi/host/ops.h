// The arithmetic of the host kernels: one `Ops` for each Math and kind of packed word.
// A word has kPerWord elements of consecutive k. The number of words is padded with zeros to a
// multiple of kWordMultiple. Operands of type kWordDType consist of such words in memory, so they
// need no conversion.
#pragma once

#include "host/vector.h"

namespace jaxgemm {
namespace {

// Loads kLanes elements of any float type as floats.
template <DType kDType>
JAXGEMM_INLINE FloatV LoadFloats(const char* p) {
  if constexpr (kDType == DType::kF32) {
    return Load<FloatV>(p);
  } else if constexpr (kDType == DType::kF16) {
    return LoadF16(p);
  } else if constexpr (kDType == DType::kBF16) {
    return __builtin_bit_cast(FloatV, Widen16(p) << 16);
  } else {
    return DecodeF8<kDType>(Widen8(p));
  }
}

// One float a word.
struct FloatOps {
  using Acc = float;
  using AccV = FloatV;
  static constexpr DType kWordDType = DType::kF32;
  static constexpr int kPerWord = 1;
  static constexpr int kWordMultiple = 1;
  static constexpr bool Takes(DType dtype) { return dtype != DType::kS8 && dtype != DType::kS32; }
  template <DType kDType>
  static JAXGEMM_INLINE WordV Along(const char* p) {
    return __builtin_bit_cast(WordV, LoadFloats<kDType>(p));
  }
  template <DType kDType>
  static JAXGEMM_INLINE WordV Across(const char* p, const char*) {
    return Along<kDType>(p);
  }
  static JAXGEMM_INLINE WordV Broadcast(const uint32_t* p) {
    // The difference of a scalar and a vector is a vector. Subtracting zero keeps -0.
    const FloatV x = Load<float>(p) - FloatV{};
    return __builtin_bit_cast(WordV, x);
  }
  static JAXGEMM_INLINE FloatV MultiplyAdd(FloatV c, WordV a, WordV b) {
    return c + __builtin_bit_cast(FloatV, a) * __builtin_bit_cast(FloatV, b);
  }
};

// What the two Ops of int8 have alike.
struct OpsOfS8 {
  using Acc = int32_t;
  using AccV = WordV;                               // unsigned, so that accumulators may wrap
  static constexpr DType kWordDType = DType::kS32;  // no operand has it
  static constexpr int kWordMultiple = 1;
  static constexpr bool Takes(DType dtype) { return dtype == DType::kS8; }
  static JAXGEMM_INLINE WordV Broadcast(const uint32_t* p) { return *p - WordV{}; }
};

#if JAXGEMM_VECTOR_BYTES == 16

// One int32 a word.
struct IntOps : OpsOfS8 {
  static constexpr int kPerWord = 1;
  template <DType>
  static JAXGEMM_INLINE WordV Along(const char* p) {
    return __builtin_bit_cast(WordV, __builtin_bit_cast(IntV, Widen8(p) << 24) >> 24);
  }
  template <DType kDType>
  static JAXGEMM_INLINE WordV Across(const char* p, const char*) {
    return Along<kDType>(p);
  }
  static JAXGEMM_INLINE WordV MultiplyAdd(WordV c, WordV a, WordV b) { return c + a * b; }
};

#else

// Sign-extends one byte of each word to int32: the byte that `shift` moves to the top.
JAXGEMM_INLINE WordV SignExtend(WordV bytes, int shift) {
  return __builtin_bit_cast(WordV, __builtin_bit_cast(IntV, bytes << shift) >> 24);
}

// A pair of int16 a word. The dot product of two pairs is exact in int32.
struct IntPairOps : OpsOfS8 {
  static constexpr int kPerWord = 2;
  template <DType>
  static JAXGEMM_INLINE WordV Along(const char* p) {
    const WordV pairs = Widen16(p);
    return (SignExtend(pairs, 24) & 0xffffu) | (SignExtend(pairs, 16) << 16);
  }
  template <DType>
  static JAXGEMM_INLINE WordV Across(const char* p, const char* next) {
    return (SignExtend(Widen8(p), 24) & 0xffffu) | (SignExtend(Widen8(next), 24) << 16);
  }
  static JAXGEMM_INLINE WordV MultiplyAdd(WordV c, WordV a, WordV b) {
#if defined(__AVX512VNNI__) && JAXGEMM_VECTOR_BYTES == 64
    return (WordV)_mm512_dpwssd_epi32((__m512i)c, (__m512i)a, (__m512i)b);
#elif JAXGEMM_VECTOR_BYTES == 64
    return c + (WordV)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#else
    return c + (WordV)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#endif
  }
};

#endif

#if defined(__AVX512BF16__) && JAXGEMM_VECTOR_BYTES == 64

// A pair of bf16 a word. float8 is exact in bf16.
struct BF16PairOps {
  using Acc = float;
  using AccV = FloatV;
  static constexpr DType kWordDType = DType::kBF16;
  static constexpr int kPerWord = 2;
  static constexpr int kWordMultiple = 1;
  static consteval bool Takes(DType dtype) { return dtype == DType::kBF16 || IsF8(dtype); }
  template <DType kDType>
  static JAXGEMM_INLINE WordV DecodePair(WordV low, WordV high) {
    return (__builtin_bit_cast(WordV, DecodeF8<kDType>(low)) >> 16) |
           (__builtin_bit_cast(WordV, DecodeF8<kDType>(high)) & 0xffff0000u);
  }
  template <DType kDType>
  static JAXGEMM_INLINE WordV Along(const char* p) {
    if constexpr (kDType == DType::kBF16) {
      return Load<WordV>(p);
    } else {
      const WordV pairs = Widen16(p);
      return DecodePair<kDType>(pairs & 0xffu, pairs >> 8);
    }
  }
  template <DType kDType>
  static JAXGEMM_INLINE WordV Across(const char* p, const char* next) {
    if constexpr (kDType == DType::kBF16) {
      return Widen16(p) | (Widen16(next) << 16);
    } else {
      return DecodePair<kDType>(Widen8(p), Widen8(next));
    }
  }
  static JAXGEMM_INLINE WordV Broadcast(const uint32_t* p) { return *p - WordV{}; }
  static JAXGEMM_INLINE FloatV MultiplyAdd(FloatV c, WordV a, WordV b) {
    return (FloatV)_mm512_dpbf16_ps((__m512)c, (__m512bh)a, (__m512bh)b);
  }
};

#endif

}  // namespace
}  // namespace jaxgemm
