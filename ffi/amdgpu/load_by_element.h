// Loads a vector of an operand element by element, each with its own bounds check.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"

namespace jaxgemm {

// Vector `vec` of row `row` of tile `tile`, in the k tile from `k` on. Elements outside of the
// operand are zeros.
template <class Traits, bool kIsLhs>
JAXGEMM_AMD Vec16 LoadByElement(const OperandMemory<Traits, kIsLhs>& operand, Index tile, int64_t k,
                                int row, int vec) {
  constexpr bool kKContiguous = OperandMemory<Traits, kIsLhs>::kKContiguous;
  const int64_t line = operand.line_bytes / Traits::kBytes;
  const int64_t row_stride = kKContiguous ? line : 1, k_stride = kKContiguous ? 1 : line;
  using Bits =
      typename SelectType<Traits::kBytes == 4, uint32_t,
                          typename SelectType<Traits::kBytes == 2, uint16_t, uint8_t>::Type>::Type;
  const int64_t k_left = operand.k - k;
  const int left = k_left < Traits::kTileK ? static_cast<int>(k_left) : Traits::kTileK;
  int64_t global_row = operand.FirstRow(tile) + operand.RowInMemory(tile, row, 1);
  bool is_there = operand.IsInside(tile, row);
  if (operand.GathersRows()) {
    const auto lines = operand.GatheredLines();
    const auto index = static_cast<uint32_t>(lines.indices[global_row]);
    is_there &= index < lines.count;
    global_row = int64_t{index < lines.count ? index : 0} - operand.origin;
  }
  int inside = is_there ? left - vec * Traits::kVecElements : 0;
  inside = inside < 0 ? 0 : inside > Traits::kVecElements ? Traits::kVecElements : inside;
  // Elements outside of the operand are not read: they may be outside of its memory, or in a chunk
  // of lhs that has not arrived yet. Instead a lane reads its last element inside again. If a lane
  // has no element inside, it reads another element of this tile that is inside.
  const int last_vec = (left - 1) / Traits::kVecElements;
  int64_t first_k = k + (vec < last_vec ? vec : last_vec) * Traits::kVecElements;
  // Without this asm the compiler keeps the parts that all lanes share in scalar registers, of
  // which there are too few.
  asm volatile("" : "+v"(first_k), "+v"(global_row));
  const auto* from =
      reinterpret_cast<const Bits*>(operand.base) + global_row * row_stride + first_k * k_stride;
  Bits element[Traits::kVecElements];
  if (operand.GathersK()) {
    const auto lines = operand.GatheredLines();
    from -= (operand.origin + first_k) * k_stride;
#pragma unroll
    for (int i = 0; i < Traits::kVecElements; ++i) {
      const auto index = static_cast<uint32_t>(lines.indices[first_k]);
      element[i] = from[(index < lines.count ? index : 0) * k_stride];
      if (index >= lines.count) element[i] = 0;
      first_k += i + 1 < inside;
    }
  } else {
#pragma unroll
    for (int i = 0; i < Traits::kVecElements; ++i) {
      element[i] = *from;
      from += i + 1 < inside ? k_stride : 0;
      // Without this asm the compiler has the addresses of all bytes in registers at once.
      if (i == 7) asm volatile("" : "+v"(from));
    }
  }
#pragma unroll
  for (int i = 0; i < Traits::kVecElements; ++i) {
    if (i >= inside) element[i] = 0;
  }
  Vec16 packed;
  __builtin_memcpy(&packed, element, sizeof(packed));
  return packed;
}

}  // namespace jaxgemm
