// Transposes pieces of lines in registers. Of operands that are not k-contiguous, a lane loads a
// few neighbouring rows at each k, but matrix instructions take a vector along k of one row.
#pragma once

#include "amdgpu/isa.h"

namespace jaxgemm {

// The elements that a lane loads of one line: `bytes` / 4 words.
template <int bytes>
using PieceOf = uint32_t __attribute__((ext_vector_type(bytes / 4)));

// Returns the 16-byte vector of row `i`. There are kVecBytes / kBytes pieces for consecutive k, and
// pieces[k] has a few neighbouring rows at one k. The vector has row `i` of each piece.
template <int kBytes, class Piece>
JAXGEMM_AMD Vec16 Transposed(const Piece* pieces, int i) {
  Vec16 vec;
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    if constexpr (kBytes == 4) {
      vec[word] = pieces[word][i];
    } else if constexpr (kBytes == 2) {
      vec[word] = __builtin_amdgcn_perm(pieces[2 * word + 1][i / 2], pieces[2 * word][i / 2],
                                        i % 2 ? 0x07060302 : 0x05040100);
    } else {
      auto pair = [&](int k) {
        return __builtin_amdgcn_perm(pieces[k + 1][0], pieces[k][0],
                                     i / 2 ? 0x07030602 : 0x05010400);
      };
      vec[word] = __builtin_amdgcn_perm(pair(4 * word + 2), pair(4 * word),
                                        i % 2 ? 0x07060302 : 0x05040100);
    }
  }
  return vec;
}

}  // namespace jaxgemm
