// Where a lane of a wave has its columns while the wave's results are in LDS: for the epilogues in
// which a lane has four columns.
#pragma once

#include "amdgpu/gemm_traits.h"
#include "kernel/gemm_args.h"

namespace jaxgemm {

// Where a lane's four columns are in the staged rows of its wave, and in out, bias and scale.
template <class Traits>
struct LaneColumns {
  static constexpr int kVec4s = Traits::kWaveN / 4;  // groups of four columns in a staged row

  bool gated;
  int64_t first_of_wave, col;  // in out: the wave's first column, and the lane's
  int in_row;                  // the number of the lane's group among those of its row of out
  int vec4, row;  // in the staged rows; gated: vec4 + 4 is the group of the up projection

  JAXGEMM_AMD LaneColumns(bool gated, Index tile_n, int lane) : gated(gated) {
    in_row = lane % vec4s();
    row = lane / vec4s();
    vec4 = gated ? in_row / 4 * 8 + in_row % 4 : in_row;
    const int64_t first = int64_t{tile_n} * Traits::kTileN + Traits::WaveN() * Traits::kWaveN;
    first_of_wave = gated ? first / 2 : first;
    col = first_of_wave + 4 * in_row;
  }
  // The groups of a wave's row of out.
  JAXGEMM_AMD int vec4s() const { return gated ? kVec4s / 2 : kVec4s; }
  JAXGEMM_AMD int rows_at_once() const { return kWaveSize / kVec4s * (gated ? 2 : 1); }
};

}  // namespace jaxgemm
