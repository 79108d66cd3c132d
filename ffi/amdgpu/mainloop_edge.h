// A variant of amdgpu/mainloop.h for operands with lines that are not whole vectors of 16 bytes, or
// that are too far apart for 32-bit offsets. It loads each element separately, with a bounds check.
#pragma once

#include "amdgpu/block_scales.h"
#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/load_by_element.h"
#include "amdgpu/mfma.h"

namespace jaxgemm {

// The offset of a vector in an operand's tile in LDS: rows of 8 vectors along k. The vectors of a
// row are swizzled so that the read of a fragment uses all banks: gfx942 has 32, gfx950 has 64.
JAXGEMM_AMD int VecOffset(int row, int vec) {
#if defined(__gfx950__)
  return row * kRowBytes + (vec ^ (row / 2 % kRowVecs)) * kVecBytes;
#else
  return row * kRowBytes + (vec ^ (row % kRowVecs)) * kVecBytes;
#endif
}

template <class Traits>
class EdgeMainloop {
 public:
  static JAXGEMM_AMD void Run(const OperandMemory<Traits, true>& lhs,
                              const OperandMemory<Traits, false>& rhs, const WorkTile& tile,
                              Lds* lds,
                              typename Traits::Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN],
                              auto& scales) {
    Lds* lds_rhs = lds + Traits::kTileM * kRowBytes;
#pragma clang loop unroll(disable)
    for (Index k_tile = tile.k_begin; k_tile < tile.k_end; ++k_tile) {
      Barrier();
      // Without this asm the compiler keeps all addresses in registers and advances each of them.
      asm volatile("" : "+s"(k_tile));
      const int64_t k = int64_t{k_tile} * Traits::kTileK;
      Stage(lhs, tile.m, k, lds);
      Stage(rhs, tile.n, k, lds_rhs);
      Barrier();
      scales.Load(k_tile);
      Multiply(lds, lds_rhs, acc);
      scales.Promote();
    }
  }

 private:
  template <bool kIsLhs>
  static JAXGEMM_AMD void Stage(const OperandMemory<Traits, kIsLhs>& operand, Index tile, int64_t k,
                                Lds* lds) {
    constexpr bool kKContiguous = OperandMemory<Traits, kIsLhs>::kKContiguous;
    constexpr int kRows = OperandMemory<Traits, kIsLhs>::kTileRows;
#pragma clang loop unroll(disable)
    for (int index = ThreadId(); index < kRows * kRowVecs; index += Traits::kThreads) {
      // Neighbouring lanes read vectors that are near each other in memory.
      const int row = kKContiguous ? index / kRowVecs : index % kRows;
      const int vec = kKContiguous ? index % kRowVecs : index / kRows;
      const Vec16 loaded = LoadByElement(operand, tile, k, row, vec);
      *reinterpret_cast<LdsVec16*>(lds + VecOffset(row, vec)) = ToLds<Traits>(loaded);
    }
  }

  static JAXGEMM_AMD void Multiply(Lds* lds_lhs, Lds* lds_rhs,
                                   typename Traits::Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN]) {
    constexpr int kVecs = VecsPerMma<Traits>();
    const int row = LaneId() % 16, first_vec = LaneId() / 16;
    lds_lhs += Traits::WaveM() * Traits::kWaveM * kRowBytes;
    lds_rhs += Traits::WaveN() * Traits::kWaveN * kRowBytes;
#pragma unroll
    for (int step = 0; step < 2; step += kVecs) {
      Vec16 rhs[Traits::kFragsN][kVecs];
      auto read = [&](Lds* lds, int frag, int i) {
        return *reinterpret_cast<LdsVec16*>(lds + frag * 16 * kRowBytes +
                                            VecOffset(row, first_vec + 4 * (step + i)));
      };
#pragma unroll
      for (int j = 0; j < Traits::kFragsN; ++j) {
#pragma unroll
        for (int i = 0; i < kVecs; ++i) rhs[j][i] = read(lds_rhs, j, i);
      }
#pragma unroll
      for (int m = 0; m < Traits::kFragsM; ++m) {
        Vec16 lhs[kVecs];
#pragma unroll
        for (int i = 0; i < kVecs; ++i) lhs[i] = read(lds_lhs, m, i);
#pragma unroll
        for (int j = 0; j < Traits::kFragsN; ++j) {
          acc[m][j] = Mma<Traits>(lhs, rhs[j], acc[m][j]);
        }
      }
    }
  }
};

}  // namespace jaxgemm
