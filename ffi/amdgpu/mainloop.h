// The main loop of a tile, with or without scales of blocks. If both operands consist of whole
// vectors of 16 bytes, it is the loop of the architecture (gfx942/ or gfx950/), else the one that
// loads element by element (mainloop_edge.h). The architectures have loops of their own because
// gfx950 loads 16 bytes a lane straight to LDS and can transpose them when it reads LDS. gfx942 can
// do neither, so operands go through registers there.
#pragma once

#include "amdgpu/block_scales.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/mainloop_edge.h"
#include "kernel/gemm_args.h"
#if defined(__gfx950__)
#include "amdgpu/gfx950/mainloop.h"
#else  // gfx942, gfx90a
#include "amdgpu/gfx942/mainloop.h"
#endif

namespace jaxgemm {

template <class Traits>
class Mainloop {
  using Accumulators = typename Traits::Acc4[Traits::kFragsM][Traits::kFragsN];

 public:
  static constexpr int kLdsBytes = VectorMainloop<Traits>::kLdsBytes;

  // Sets the accumulators to the product over the tile's k range. Other waves may still use LDS
  // when this is called; LDS is free when it returns.
  static JAXGEMM_AMD void Run(const GemmArgs& args, const WorkTile& tile, Lds* lds,
                              Accumulators& acc) {
    if constexpr (Traits::kScaled) {
      Accumulators part;
      BlockScales<Traits> scales(args, tile, part, acc);
      Run(args, tile, lds, part, scales);
#if defined(__gfx950__)
    } else if constexpr (Traits::kMx) {
      // Both operands consist of whole vectors: CheckMx in plan/check.cc refuses another k, and the
      // launcher other addresses.
      const OperandMemory<Traits, true> lhs(args, tile);
      const OperandMemory<Traits, false> rhs(args, tile);
      if (tile.k_begin == tile.k_end) {
        ClearAccumulators(acc);
        return Barrier();
      }
      MxScales<Traits> scales(args, tile, lds + VectorMainloop<Traits>::kOperandBytes);
      VectorMainloop<Traits>::Run(lhs, rhs, tile, lds, acc, scales, /*lds_is_free=*/false,
                                  NoOverlappedWork());
#endif
    } else {
      NoScales none;
      Run(args, tile, lds, acc, none);
    }
  }

 private:
  static JAXGEMM_AMD void Run(const GemmArgs& args, const WorkTile& tile, Lds* lds,
                              Accumulators& acc, auto& scales) {
    const OperandMemory<Traits, true> lhs(args, tile);
    const OperandMemory<Traits, false> rhs(args, tile);
    if (tile.k_begin < tile.k_end && lhs.FitsVectors() && rhs.FitsVectors()) {
      if constexpr (Traits::kMayGatherK) {
        if (__builtin_expect(lhs.GathersK(), false)) {
          VectorMainloop<Traits, /*kGathersLhsK=*/true>::Run(
              lhs, rhs, tile, lds, acc, scales, /*lds_is_free=*/false, NoOverlappedWork());
          return;
        }
        if (__builtin_expect(rhs.GathersK(), false)) {
          VectorMainloop<Traits, /*kGathersLhsK=*/false, /*kGathersRhsK=*/true>::Run(
              lhs, rhs, tile, lds, acc, scales, /*lds_is_free=*/false, NoOverlappedWork());
          return;
        }
      }
      VectorMainloop<Traits>::Run(lhs, rhs, tile, lds, acc, scales, /*lds_is_free=*/false,
                                  NoOverlappedWork());
    } else {
      // Here, because the compiler would also do it before the other loop, which has its own.
      ClearAccumulators(acc, /*here=*/true);
      EdgeMainloop<Traits>::Run(lhs, rhs, tile, lds, acc, scales);
      Barrier();
    }
  }
};

}  // namespace jaxgemm
