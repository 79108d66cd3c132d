// The loads of operands that are read by index. TMA cannot gather on Hopper, so three warps copy
// the lines in vectors of 16 bytes (cp.async), to where TMA would have put them.
#pragma once

#include "sm90/loaders.h"

namespace jaxgemm {

// A stage of a k-major operand has a row of 128 bytes for each line of the tile. Else it has blocks
// of 128 bytes of columns, with a row for each k, which is a line. Eight neighbouring threads copy
// a row.
template <class Traits>
class GatherLoader {
 public:
  static constexpr int kWarps = ElementLoader<Traits>::kWarps;
  static constexpr int kThreads = kWarps * kWarpSize;

  // `thread` is below kThreads.
  JAXGEMM_SM90 GatherLoader(const GemmArgs& args, SharedMemory<Traits>& shared, int rank,
                            int thread)
      : args_(args), shared_(shared), rank_(rank), row_(thread / 8), vector_(thread % 8) {}

  // Each stage arrives when the copies of the next kAhead stages have begun, the last ones at the
  // end of the tile.
  JAXGEMM_SM90 void Load(const WorkTile& tile) {
    const OperandPlace<Traits> place(args_, tile, rank_);
    const Lines lhs(args_.lhs_gather, args_.lhs, args_.lhs_batch_stride,
                    Traits::kLhsKMajor ? args_.k : args_.m, tile.batch, place.lhs_z);
    const Lines rhs(args_.rhs_gather, args_.rhs, args_.rhs_batch_stride, args_.n, tile.batch,
                    place.rhs_z);
    int of_lhs[kRowsOf<kLhsRows>], of_rhs[kRowsOf<Traits::kTileK>];
    if constexpr (Traits::kLhsKMajor) Find<kLhsRows>(lhs, place.row, tile.limit, of_lhs);
    for (Index k_tile = tile.k_begin; k_tile < tile.k_end; ++k_tile, stage_.Advance()) {
      const int k = place.first_k + k_tile * Traits::kTileK, slot = stage_.slot;
      // Indices of the k are read before the wait, which hides it.
      if constexpr (!Traits::kLhsKMajor) {
        if (lhs.indices) Find<kLhsRows>(lhs, k, place.limit_k, of_lhs);
        if (rhs.indices) Find<Traits::kTileK>(rhs, k, place.limit_k, of_rhs);
      }
      shared_.empty[slot].Wait(stage_.parity ^ 1);
      if constexpr (Traits::kLhsKMajor) {
        Copy<kLhsRows>(lhs, of_lhs, k * Traits::kBytes, SharedAddress(shared_.lhs[slot]));
      } else {
        if (lhs.indices) CopyBlocks<Traits::kLhsBytes>(lhs, of_lhs, place.row, shared_.lhs[slot]);
        if (rhs.indices) {
          CopyBlocks<Traits::kRhsBytes>(rhs, of_rhs, place.column, shared_.rhs[slot]);
        }
      }
      CpAsyncCommitGroup();
      if (k_tile - tile.k_begin >= kAhead) Arrive<kAhead>();
    }
    const Index k_tiles = tile.k_end - tile.k_begin;
    if (k_tiles > 1) Arrive<1>();
    if (k_tiles > 0) Arrive<0>();
  }

 private:
  static constexpr int kAhead = 2;
  static_assert(kAhead + 2 <= Traits::kStages);
  // Rows of a stage of lhs, or of a block of it.
  static constexpr int kLhsRows = Traits::kLhsKMajor ? Traits::kCtaM : Traits::kTileK;
  static constexpr int kStep = kThreads / 8;  // from a row to this thread's next one
  template <int kRows>
  static constexpr int kRowsOf = (kRows + kStep - 1) / kStep;
  static constexpr int kNoLine = -1;

  // A gathered operand of a batch.
  struct Lines {
    const int32_t* indices;
    const char* data;
    uint32_t count, line_bytes;

    JAXGEMM_SM90 Lines(const GemmArgs::Gather& gather, const void* operand, int64_t batch_stride,
                       int64_t line, int batch, int z)
        : indices(gather.indices ? gather.indices + batch * gather.batch_stride : nullptr),
          data(static_cast<const char*>(operand) + z * batch_stride * Traits::kBytes),
          count(static_cast<uint32_t>(gather.lines)),
          line_bytes(static_cast<uint32_t>(line) * Traits::kBytes) {}
  };

  // Finds the line of each of this thread's rows, by the indices from `first` on, before `limit`.
  template <int kRows>
  JAXGEMM_SM90 void Find(const Lines& from, int first, int limit,
                         int (&lines)[kRowsOf<kRows>]) const {
#pragma unroll
    for (int i = 0; i < kRowsOf<kRows>; ++i) {
      const int row = row_ + i * kStep, at = first + row;
      const int line = row < kRows && at < limit ? from.indices[at] : kNoLine;
      lines[i] = static_cast<uint32_t>(line) < from.count ? line : kNoLine;
    }
  }

  // Copies kRows rows from the byte `first` of their lines on.
  template <int kRows>
  JAXGEMM_SM90 void Copy(const Lines& from, const int (&lines)[kRowsOf<kRows>], uint32_t first,
                         uint32_t to) const {
    static_assert(kStep % 8 == 4);
    const uint32_t byte = first + vector_ * 16;
    const uint32_t even = to + row_ * kRowBytes + (vector_ ^ row_ % 8) * 16, odd = even ^ 4 * 16;
    // Without this the compiler would keep the products of all lines in registers, and spill them.
    uint32_t line_bytes = from.line_bytes;
    asm volatile("" : "+r"(line_bytes));
#pragma unroll
    for (int i = 0; i < kRowsOf<kRows>; ++i) {
      const int row = row_ + i * kStep;
      const bool inside = lines[i] != kNoLine && byte < line_bytes;
      const uint64_t at = static_cast<uint64_t>(static_cast<uint32_t>(lines[i])) * line_bytes;
      if (row < kRows) {
        CpAsync16((i % 2 ? odd : even) + i * kStep * kRowBytes,
                  from.data + (inside ? at + byte : 0), inside);
      }
    }
  }
  // Copies the blocks of an operand that is not k-major, from the column `first` on.
  template <int kBytes>
  JAXGEMM_SM90 void CopyBlocks(const Lines& from, const int (&lines)[kRowsOf<Traits::kTileK>],
                               int first, const char* stage) const {
#pragma unroll
    for (int i = 0; i < kBytes / Traits::kBlockBytes; ++i) {
      Copy<Traits::kTileK>(from, lines, first * Traits::kBytes + i * kRowBytes,
                           SharedAddress(stage) + i * Traits::kBlockBytes);
    }
  }

  // Waits until all but the last kLeft stages are copied, and tells it of the first of them.
  template <int kLeft>
  JAXGEMM_SM90 void Arrive() {
    CpAsyncWaitGroup<kLeft>();
    FenceProxyAsync();
    shared_.full[arrived_.slot].Arrive();
    arrived_.Advance();
  }

  const GemmArgs& args_;
  SharedMemory<Traits>& shared_;
  const int rank_, row_, vector_;
  RingPlace<Traits::kStages> stage_, arrived_;
};

}  // namespace jaxgemm
