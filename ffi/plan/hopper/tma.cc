#include "plan/hopper/tma.h"

#include "plan/hopper/epilogue.h"
#include "spec/names.h"

namespace jaxgemm {
namespace {

bool Reads(const Problem& p, int64_t contracting, int64_t other) {
  if (contracting == 0 && Bytes(p.lhs_dtype) != 2) return false;
  const int64_t line = contracting == 1 ? p.k : other;
  return line * Bytes(p.lhs_dtype) % kTmaLineBytes == 0;
}

bool RegistersReadRhs(const Problem& p, bool tma_reads_lhs) {
  // On an H200 XLA's kernel is faster with 512 rows, and slower with 256.
  constexpr int64_t kMostRows = 256;
  const bool has_kernel =
      p.grouped() ? p.ragged == Ragged::kM && p.lhs_dtype != DType::kS8 &&
                        IsWideFloat(p.out_dtype) && NeedsOnlyVectors(p)
                  : p.lhs_dtype == DType::kF32 && p.tiles_per_chunk == 0 && p.m <= kMostRows;
  return has_kernel && Bytes(p.lhs_dtype) != 2 && p.block_k == 0 && p.lhs_contracting == 1 &&
         p.rhs_contracting == 0 && tma_reads_lhs && p.n * Bytes(p.rhs_dtype) % kTmaLineBytes == 0;
}

}  // namespace

// A box must begin at a multiple of 16 bytes of its line: else TMA ends the kernel with an illegal
// instruction (an H100, driver 580). If lhs is not k-contiguous, the rows of a group begin anywhere
// in a line; if rhs is not, the columns of the up projection begin at n.
Tma::Tma(const Problem& p)
    : reads_lhs(Reads(p, p.lhs_contracting, p.m) &&
                !(p.ragged == Ragged::kM && p.lhs_contracting == 0)),
      reads_rhs(
          Reads(p, p.rhs_contracting, p.num_columns()) &&
          !(p.gated && p.rhs_contracting == 0 && p.n * Bytes(p.rhs_dtype) % kTmaLineBytes != 0)),
      stores_out(p.n * Bytes(p.out_dtype) % kTmaLineBytes == 0),
      registers_read_rhs(RegistersReadRhs(p, reads_lhs)) {}

int64_t AlignedK(const Problem& p) {
  const bool along_k = p.lhs_contracting == 1 || p.rhs_contracting == 1;
  return p.ragged == Ragged::kK && along_k ? kTmaLineBytes / Bytes(p.lhs_dtype) : 1;
}

}  // namespace jaxgemm
