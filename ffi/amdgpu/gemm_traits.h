// The compile-time parameters of an AMD kernel instance.
#pragma once

#include <cstdint>

#include "amdgpu/isa.h"
#include "kernel/vec4.h"
#include "sm90/forms.h"
#include "spec/types.h"

namespace jaxgemm {

template <bool kCondition, class A, class B>
struct SelectType {
  using Type = A;
};
template <class A, class B>
struct SelectType<false, A, B> {
  using Type = B;
};

// An output tile is kTileM x kTileN, computed by kWavesM x kWavesN x kWavesK waves.
// *_k_contiguous: k is the operand's last dimension in memory. `form`: that of the work kAny,
// kScaled or kMx (sm90/forms.h).
template <DType lhs, DType rhs, int tile_m, int tile_n, int waves_m, int waves_n, int waves_k,
          bool lhs_k_contiguous, bool rhs_k_contiguous, KernelForm form = {}>
struct GemmTraits {
  static constexpr bool kScaled = IsScaled(form), kMx = IsMx(form);
  static constexpr DType kLhs = lhs, kRhs = rhs;
  static constexpr bool kLhsKContiguous = lhs_k_contiguous;
  static constexpr bool kRhsKContiguous = rhs_k_contiguous;
  // The kernels count k in units of kBytes bytes. A unit is an element; in float4 it is the two
  // elements of a byte.
  static constexpr int kBytes = ElementBytes(lhs), kPacked = PackedElements(lhs);
  static_assert(ElementBytes(rhs) == kBytes && PackedElements(rhs) == kPacked);
  static constexpr int kTileM = tile_m, kTileN = tile_n;
  // Each of kWavesK waves multiplies its own part of a k tile.
  static constexpr int kWavesK = waves_k, kWaveK = kRowBytes / kBytes, kTileK = kWavesK * kWaveK;
  static constexpr int kVecElements = kVecBytes / kBytes;  // units in 16 bytes
  static constexpr int kWavesM = waves_m, kWavesN = waves_n;
  static constexpr int kThreads = kWavesM * kWavesN * kWavesK * kWaveSize;
  // A wave's part of the tile, in fragments of 16 x 16. Fragment (i, j) has the rows from
  // wave_m * kWaveM + 16 i and the columns from wave_n * kWaveN + 16 j of the tile; lane l
  // holds columns 4 (l / 16) + {0, 1, 2, 3} of row l % 16.
  static constexpr int kWaveM = kTileM / kWavesM, kWaveN = kTileN / kWavesN;
  static constexpr int kFragsM = kWaveM / 16, kFragsN = kWaveN / 16;
  // The accumulators that a thread has after the main loop. If several waves divide k, these add up
  // theirs, and the results are distributed evenly over the threads, or over the first ones.
  static constexpr int kVec4s = kTileM * kTileN / 4;
  static constexpr int kAccM = kWavesK == 1 ? kFragsM : kVec4s > kThreads ? kVec4s / kThreads : 1;
  static constexpr int kAccN = kWavesK == 1 ? kFragsN : 1;
  static constexpr int kAccThreads = kVec4s / kAccM / kAccN;
  static_assert(kAccThreads <= kThreads);
  static_assert((kTileM & (kTileM - 1)) == 0 && (kTileK & (kTileK - 1)) == 0,
                "tile_m and tile_k must be powers of two, because GroupedMap shifts by them");
  // The compiler may use as many registers as leave room for this many waves on each SIMD.
  static constexpr int kWavesPerSimd = kTileM == 16 ? 4 : 2;

  // Whether products gather lines of an operand, and whether they do so along k (AmdGathers in
  // plan/amd/path.cc).
  static constexpr bool kMayGather = IsGeneral(form);
  static constexpr bool kMayGatherK =
      kMayGather && MayGatherK(lhs_k_contiguous, rhs_k_contiguous, tile_m);

  using Acc = typename SelectType<lhs == DType::kS8, int32_t, float>::Type;
  using Acc4 = Vec4<Acc>;
  using Accumulators = Acc4[kAccM][kAccN];

  static JAXGEMM_AMD bool HasAccumulators() {
    return kAccThreads == kThreads || ThreadId() < kAccThreads;
  }
  static JAXGEMM_AMD int WaveM() { return WaveId() / kWavesN; }
  static JAXGEMM_AMD int WaveN() { return WaveId() % kWavesN; }
  static JAXGEMM_AMD int WaveK() { return kWavesK > 1 ? WaveId() : 0; }
};

// Sets a thread's accumulators to zero. By itself the compiler does so just before the loop that
// uses them. With `here` it does so where this is called, for example while the wave waits for
// loads.
template <class Acc4, int kRows, int kColumns>
JAXGEMM_AMD void ClearAccumulators(Acc4 (&acc)[kRows][kColumns], bool here = false) {
#pragma unroll
  for (auto& row : acc) {
#pragma unroll
    for (auto& acc4 : row) {
      acc4 = 0;
      if (here) asm volatile("" : "+v"(acc4));
    }
  }
}

}  // namespace jaxgemm
