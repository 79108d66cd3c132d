// What the epilogues of AMD GPUs share.
#pragma once

#include "amdgpu/isa.h"
#include "kernel/row_epilogue.h"

namespace jaxgemm {

// The rows of the matrix (of a batch or a group) that a tile is in: how many there are, and which
// row of out is the first.
struct MatrixRows {
  int64_t count, first;
};
JAXGEMM_AMD MatrixRows RowsOfOut(const GemmArgs& args, const WorkTile& tile, Ragged ragged) {
  // Most products have one batch. Without the hint the compiler multiplies for them, too.
  const int64_t first = __builtin_expect(tile.batch > 0, false) ? tile.batch * args.m : 0;
  switch (ragged) {
    case Ragged::kNone: return {args.m, first};
    case Ragged::kM: return {tile.limit - tile.origin, first + tile.origin};
    case Ragged::kK:
      return {args.m, (int64_t{tile.batch} * args.groups.local_groups + tile.group) * args.m};
  }
}
JAXGEMM_AMD MatrixRows RowsOfOut(const GemmArgs& args, const WorkTile& tile) {
  return RowsOfOut(args, tile, args.groups.ragged);
}

JAXGEMM_AMD Vec4<uint16_t> Convert16(bool bf16, Vec4<float> value) {
  return bf16 ? __builtin_bit_cast(Vec4<uint16_t>, Convert4<__bf16>(value))
              : __builtin_bit_cast(Vec4<uint16_t>, Convert4<_Float16>(value));
}

}  // namespace jaxgemm
