// A stand-in for ffi/sm90/wgmma.h, by ../machine.h: it multiplies when a thread waits for the
// wgmma.
#pragma once

#include <array>
#include <type_traits>

#include "kernel/epilogue.h"
#include "sm90/matrix_descriptor.h"
#include "spec/types.h"

namespace jaxgemm {

// Called by whole warps.
inline void WgmmaFence() { stand_in::ArriveAndWait(stand_in::WarpKey(), 32, /*orders=*/false); }
inline void WgmmaCommitGroup() { stand_in::CommitMultiplies(); }
template <int kLeft>
void WgmmaWaitGroup() {
  stand_in::MayYield();
  stand_in::WaitForMultiplies(kLeft);
  // All lanes of a warp finish together.
  stand_in::ArriveAndWait(stand_in::WarpKey(), 32, /*orders=*/true);
}

template <class Acc>
void FenceAcc(Acc&) {}
inline void FenceWord(uint32_t&) {}
// Overwrites the value, because the old one must not be used.
template <class Acc>
void ForgetAcc(Acc& acc) {
  acc = static_cast<Acc>(1 << 30);
}
template <class Acc>
void ClearAcc(Acc& acc) {
  acc = 0;
}

template <DType kType>
auto DecodeElement(const char* at) {
  const auto load = [at](auto value) {
    __builtin_memcpy(&value, at, sizeof(value));
    return value;
  };
  if constexpr (kType == DType::kF32) {
    return load(float{});
  } else if constexpr (kType == DType::kBF16) {
    return __builtin_bit_cast(float, uint32_t{load(uint16_t{})} << 16);
  } else if constexpr (kType == DType::kF16) {
    return DecodeMinifloat<F16Format, float>(uint32_t{load(uint16_t{})});
  } else if constexpr (kType == DType::kF8E4M3FN) {
    return DecodeMinifloat<F8E4M3FNFormat, float>(uint32_t{load(uint8_t{})});
  } else if constexpr (kType == DType::kF8E5M2) {
    return DecodeMinifloat<F8E5M2Format, float>(uint32_t{load(uint8_t{})});
  } else {
    return int32_t{load(int8_t{})};
  }
}

// Element (line, k) of a matrix; lines are m or n. PTX ISA, "Asynchronous warpgroup level matrix
// shared memory layout", for 128-byte swizzling.
template <DType kType, bool kTransposed>
auto MatrixElement(uint64_t descriptor, int line, int k) {
  constexpr int kBytes = ElementBytes(kType), kBlock = kRowBytes / kBytes;
  const auto field = [descriptor](int shift) {
    return static_cast<int>(descriptor >> shift & 0x3fff) << 4;
  };
  const int leading = field(16), stride = field(32);
  int offset = field(0);
  if (kTransposed) {
    offset += line / kBlock * leading + k / 8 * stride + k % 8 * kRowBytes + line % kBlock * kBytes;
  } else {
    offset += line / 8 * stride + line % 8 * kRowBytes + k * kBytes;
  }
  return DecodeElement<kType>(stand_in::Shared() + (offset ^ (offset >> 3 & 0x70)));
}

template <DType kLhs, DType kRhs, int kN, bool kLhsTransposed, bool kRhsTransposed>
struct Wgmma {
  static constexpr int kDepth = 32 / ElementBytes(kLhs);
  using Acc = std::conditional_t<kLhs == DType::kS8, int32_t, float>;

  static void Run(Acc* d, uint64_t a, uint64_t b, bool accumulate) {
    Multiply(d, b, accumulate, [a](int half, int k) {
      const int thread = stand_in::ThreadIndex() % 128;
      return MatrixElement<kLhs, kLhsTransposed>(a, thread / 32 * 16 + thread % 32 / 4 + 8 * half,
                                                 k);
    });
  }
  // The elements of a row are in several lanes, and in several bytes of a lane's registers.
  static void RunA(Acc* d, const uint32_t* a, uint64_t b, bool accumulate) {
    std::array<std::array<Acc, kDepth>, 2> rows;
    constexpr int kInWord = 4 / ElementBytes(kLhs), kInRow = 4 * kInWord;
    for (int half = 0; half < 2; ++half) {
      for (int k = 0; k < kDepth; ++k) {
        const int lane = stand_in::ThreadIndex() % 32 / 4 * 4 + k % kInRow / kInWord;
        const uint32_t word = __shfl_sync(~0u, a[half + k / kInRow * 2], lane);
        rows[half][k] = DecodeElement<kLhs>(reinterpret_cast<const char*>(&word) +
                                            k % kInWord * ElementBytes(kLhs));
      }
    }
    Multiply(d, b, accumulate, [rows](int half, int k) { return rows[half][k]; });
  }

 private:
  // lhs_at(half, k): element k of this thread's row (half 0), or of the row eight further (half 1).
  template <class LhsAt>
  static void Multiply(Acc* d, uint64_t b, bool accumulate, LhsAt lhs_at) {
    stand_in::Multiply([=] {
      const int lane = stand_in::ThreadIndex() % 32;
      Acc lhs[2][kDepth];
      for (int half = 0; half < 2; ++half) {
        for (int k = 0; k < kDepth; ++k) lhs[half][k] = lhs_at(half, k);
      }
      const stand_in::Unseen unseen(lane >= 4);
      for (int i = 0; i < kN / 4; ++i) {
        const int column = i / 2 * 8 + lane % 4 * 2 + i % 2;
        Acc products[2] = {};
        for (int k = 0; k < kDepth; ++k) {
          const Acc rhs = MatrixElement<kRhs, kRhsTransposed>(b, column, k);
          for (int half = 0; half < 2; ++half) products[half] += lhs[half][k] * rhs;
        }
        for (int half = 0; half < 2; ++half) {
          Acc& acc = d[i / 2 * 4 + 2 * half + i % 2];
          acc = accumulate ? acc + products[half] : products[half];
        }
      }
    });
  }
};

}  // namespace jaxgemm
