// The main loop on gfx942.
#pragma once

#include "kernel/mainloop_edge.h"

namespace jaxgemm {

template <class Traits>
class Mainloop {
 public:
  static constexpr int kLdsBytes = EdgeMainloop<Traits>::kLdsBytes;

  // Sets `sums` to the products of the tile's k range. LDS may still be in use by other waves when
  // it is called; it is free when it returns.
  static JAXGEMM_AMD void Run(const GemmArgs& args, const WorkTile& tile, Lds* lds,
                              typename Traits::Sum4 (&sums)[Traits::kFragsM][Traits::kFragsN]) {
#pragma unroll
    for (auto& row : sums) {
#pragma unroll
      for (auto& sum : row) sum = 0;
    }
    EdgeMainloop<Traits>::Run(args, tile, lds, sums);
    Barrier();
  }
};

}  // namespace jaxgemm
