// What TMA can read and store of a product, for Hopper's kernels.
//
// TMA reads lines that are a multiple of 16 bytes long. Operands of 8 and 32 bits must be
// k-contiguous, because wgmma reads them only k-major from shared memory; some kernels read one
// such operand into registers. Any other operand that TMA cannot read is loaded element by element,
// which is 10 to 20 times slower.
#pragma once

#include <cstdint>

#include "spec/problem.h"

namespace jaxgemm {

// TMA reads lines whose length is a multiple of this many bytes.
inline constexpr int64_t kTmaLineBytes = 16;

// The facts follow from the layouts, the length of the lines, and where boxes begin. (Buffers begin
// at multiples of 16 bytes.) Of a kernel of out^T they are those of its product,
// Transposed(problem).
struct Tma {
  explicit Tma(const Problem& problem);

  bool reads_lhs, reads_rhs, stores_out;
  // There are kernels that read both operands in place, an rhs of 8 or 32 bits that is not
  // k-contiguous through registers: of float32 those that store out^T, whose lhs it is, and of
  // grouped products those that apply only vectors.
  bool registers_read_rhs;

  bool reads_both() const { return reads_lhs && reads_rhs; }
  bool moves_all() const { return reads_both() && stores_out; }
};

// With ragged k, the k tiles of a group begin at a multiple of this number of k: in a k-contiguous
// operand boxes begin there, and must begin at multiples of 16 bytes. The kernel sets elements of
// other groups to zero.
int64_t AlignedK(const Problem& problem);

}  // namespace jaxgemm
