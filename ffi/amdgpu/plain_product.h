// These functions say which products AMD's kernels compute on their fast paths. They are here
// because the kernels, the launcher (plan/amd/path.cc) and the plan's model
// (plan/amd/model.cc) must agree on it.
#pragma once

#include <cstdint>

#include "kernel/gemm_args.h"

namespace jaxgemm {

// A row of an operand's tile has 128 bytes along k for every type, which are 8 vectors.
inline constexpr int kRowBytes = 128, kVecBytes = 16, kRowVecs = 8;
// NUM_RECORDS of the operands' resources. Offsets below it are inside. If a lane's load must return
// zero, or its store must be dropped, its offset is kOutsideBuffer.
inline constexpr uint32_t kOutsideBuffer = 1u << 31;

// The float8 types that the matrix units and conversions of a target know.
struct TargetFloat8 {
  DType e4m3, e5m2;
};
inline constexpr TargetFloat8 kOcpFloat8{DType::kF8E4M3FN, DType::kF8E5M2};
inline constexpr TargetFloat8 kFnuzFloat8{DType::kF8E4M3FNUZ, DType::kF8E5M2FNUZ};

// Whether 32-bit offsets can address a tile of an operand (buffer.h). The kernel reads tile_lines
// rows, and the k of waves_k rows of a tile. A gated, k-contiguous rhs has a second part, `up`
// lines further.
JAXGEMM_DEVICE constexpr bool FitsOffsets(int64_t line_bytes, int tile_lines, int waves_k,
                                          int64_t up) {
  const int of_k = kRowBytes * waves_k, most = tile_lines > of_k ? tile_lines : of_k;
  return line_bytes < int64_t{kOutsideBuffer} / (most + up);
}
// Whether also every line consists of whole vectors of 16 bytes. It has used_bytes of data.
JAXGEMM_DEVICE constexpr bool FitsVectors(uint64_t base, int64_t line_bytes, int64_t used_bytes,
                                          int tile_lines, int waves_k, int64_t up) {
  return ((base | line_bytes | used_bytes) % kVecBytes == 0) &
         FitsOffsets(line_bytes, tile_lines, waves_k, up);
}

// Whether 32-bit offsets can address the lines of an operand that are gathered. A tile's first lane
// may be some bytes further (gfx950/operand.h).
JAXGEMM_DEVICE constexpr bool FitsGather(int64_t lines, int64_t line_bytes) {
  constexpr int64_t kMost = kOutsideBuffer - 4096;
  return lines > 0 && line_bytes < kMost && lines <= kMost / (line_bytes > 0 ? line_bytes : 1);
}

// Whether a kernel gathers lines along k. Those for few rows have no registers for the indices of
// all k tiles that they load ahead, or on gfx950 no LDS.
JAXGEMM_DEVICE constexpr bool MayGatherK(bool lhs_k_contiguous, bool rhs_k_contiguous, int tile_m) {
  return !lhs_k_contiguous && !rhs_k_contiguous && tile_m > 32;
}

// Whether workgroups may find the tiles of groups by their numbers (OneTileMap::OfGroups). In
// larger tiles the time of a claim matters less.
JAXGEMM_DEVICE constexpr bool FindsTilesOfGroups(int tile_m) { return tile_m <= 32; }

// Whether StoreVectors (vector_epilogue.h) has the type of out and the options, and every lane has
// eight whole columns. A wave stores `rows` rows.
JAXGEMM_DEVICE constexpr bool StoresVectors(const GemmArgs& args, DType lhs, TargetFloat8 float8,
                                            int rows) {
  const DType out = args.out_dtype;
  const bool is_known =
      lhs == DType::kS8
          ? out == DType::kS32 || out == DType::kF32 || out == DType::kBF16 || out == DType::kF16
          : out == DType::kF32 || out == DType::kBF16 || out == DType::kF16 ||
                (ElementBytes(lhs) == 1 && (out == float8.e4m3 || out == float8.e5m2));
  return is_known && !args.gated && !args.preact && !args.accumulate && args.n % 8 == 0 &&
         args.quantize_out == QuantizeOut::kNone && args.n < int64_t{kOutsideBuffer} / (4 * rows);
}
// The same of ThreadVec4s (few_rows_epilogue.h), which stores four columns of `rows` rows.
JAXGEMM_DEVICE constexpr bool StoresVec4s(const GemmArgs& args, DType lhs, int rows) {
  const DType out = args.out_dtype;
  const bool is_known = out == DType::kF32 || out == DType::kBF16 || out == DType::kF16 ||
                        (lhs == DType::kS8 && out == DType::kS32);
  return is_known && !args.gated && !args.preact && !args.accumulate && args.n % 4 == 0 &&
         args.quantize_out == QuantizeOut::kNone && args.n < int64_t{kOutsideBuffer} / (4 * rows);
}

// Whether RunOneTile (gemm.h) applies bias and scales to results that it quantises. A wave has so
// many fragments of 16 x 16. With fewer of them clang 22 fails ("illegal VGPR to SGPR copy").
JAXGEMM_DEVICE constexpr bool QuantizesAfterVectors(int fragments) { return fragments > 8; }

// Whether there is ShortK (short_k.h) for operands of elements of so many bytes. It loads two rows
// of an operand that is not k-contiguous together, as a word.
JAXGEMM_DEVICE constexpr bool HasShortK(int bytes) { return bytes > 1; }
// The largest number of k tiles for which ShortK (short_k.h) computes a product. Longer ones are
// left to the main loop. For a third k tile clang 22 fails in the layout that has two ("illegal
// VGPR to SGPR copy").
JAXGEMM_DEVICE constexpr int MostShortKTiles(bool lhs_k_contiguous, bool rhs_k_contiguous) {
  return lhs_k_contiguous || !rhs_k_contiguous ? 4 : 2;
}

// The type of out that HalfTile (half_epilogue.h) stores, by the type of the operands.
JAXGEMM_DEVICE constexpr DType HalfTypeOf(DType lhs) {
  return lhs == DType::kF16 ? DType::kF16 : DType::kBF16;
}
// Whether half_epilogue.h stores a result for which StoresVectors is true. in_memory: the
// accumulators are not in registers. log_bytes is that of an element of out.
JAXGEMM_DEVICE constexpr bool IsOnlyRounded(int log_bytes, bool in_memory, bool has_vectors,
                                            Activation activation) {
  return log_bytes == 1 && !in_memory && !has_vectors && activation == Activation::kNone;
}

}  // namespace jaxgemm
