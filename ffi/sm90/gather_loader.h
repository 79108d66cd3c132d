// The loads of operands that are read by index. TMA cannot gather on Hopper, so two warps copy the
// lines in vectors of 16 bytes (cp.async), to where TMA would have put them. A third warp waits for
// the copies and makes them visible to wgmma: a fence in the copying warps would wait for all of
// their copies, also for those of later stages.
#pragma once

#include "sm90/loaders.h"

namespace jaxgemm {

// A stage of a k-major operand has a row of 128 bytes for each line of the tile. A stage of another
// operand has blocks of 128 bytes of columns. A block has a row for each k, and each k is a line.
// Eight neighbouring threads copy a row.
template <class Traits>
class GatherLoader {
 public:
  static constexpr int kThreads = 2 * kWarpSize;

  // The warps after the producer: `warp` is 0 for the one that waits, 1 and 2 for those that copy.
  JAXGEMM_SM90 GatherLoader(const GemmArgs& args, SharedMemory<Traits>& shared, int rank, int warp)
      : args_(args), shared_(shared), rank_(rank), copies_(warp > 0) {
    const int thread = static_cast<int>(threadIdx.x) % kThreads;
    row_ = thread / 8, vector_ = thread % 8;
  }

  JAXGEMM_SM90 void Load(const WorkTile& tile) { copies_ ? Copy(tile) : Announce(tile); }

 private:
  // Rows from one to this thread's next one. So all of them have the same swizzle.
  static constexpr int kStep = kThreads / 8;
  static_assert(kStep == 8);

  // A gathered operand of a batch. The plan gathers operands of less than 2^32 vectors.
  struct Operand {
    const int32_t* indices;
    const char* data;
    uint32_t lines, line_bytes;

    JAXGEMM_SM90 Operand(const GemmArgs::Gather& gather, const void* operand, int64_t batch_stride,
                         int64_t line, int batch, int z)
        : indices(gather.indices ? gather.indices + batch * gather.batch_stride : nullptr),
          data(static_cast<const char*>(operand) + z * batch_stride * Traits::kBytes),
          lines(static_cast<uint32_t>(gather.lines)),
          line_bytes(static_cast<uint32_t>(line) * Traits::kBytes) {}
  };
  // The indices of this thread's rows among kRows.
  template <int kRows>
  struct Indices {
    uint32_t line[kRows / kStep];
  };
  // The place of each of these rows: where its line begins, in vectors of 16 bytes. A row of zeros
  // has a 0 in its bit of `inside`.
  template <int kRows>
  struct Rows {
    uint32_t begin[kRows / kStep], inside;
  };

  JAXGEMM_SM90 void Announce(const WorkTile& tile) {
    for (Index k_tile = tile.k_begin; k_tile < tile.k_end; ++k_tile, stage_.Advance()) {
      shared_.copied[stage_.slot].Wait(stage_.parity);
      FenceProxyAsync();
      __syncwarp();
      if (ElectSync()) shared_.full[stage_.slot].Arrive();
    }
  }

  JAXGEMM_SM90 void Copy(const WorkTile& tile) {
    const OperandPlace<Traits> place(args_, tile, rank_);
    const Operand lhs(args_.lhs_gather, args_.lhs, args_.lhs_batch_stride,
                      Traits::kLhsKMajor ? args_.k : args_.m, tile.batch, place.lhs_z);
    const Operand rhs(args_.rhs_gather, args_.rhs, args_.rhs_batch_stride, args_.n, tile.batch,
                      place.rhs_z);
    if constexpr (Traits::kLhsKMajor) {
      // The lines of a tile are the same for all k.
      const auto rows = Found(lhs, Read<Traits::kCtaM>(lhs, place.row, tile.limit));
      ForEachStage(tile, [&](int slot, int k) { CopyRows<1>(lhs, rows, k, shared_.lhs[slot]); });
    } else {
      constexpr int kLhsBlocks = Traits::kLhsBytes / Traits::kBlockBytes;
      constexpr int kRhsBlocks = Traits::kRhsBytes / Traits::kBlockBytes;
      // The indices of the next stage are read before this stage is copied, which hides it.
      Indices<Traits::kTileK> of_lhs{}, of_rhs{};
      const int k = place.first_k + tile.k_begin * Traits::kTileK;
      if (lhs.indices) of_lhs = Read<Traits::kTileK>(lhs, k, place.limit_k);
      if (rhs.indices) of_rhs = Read<Traits::kTileK>(rhs, k, place.limit_k);
      ForEachStage(tile, [&](int slot, int k) {
        const int next = place.first_k + k + Traits::kTileK;
        if (lhs.indices) {
          const auto rows = Found(lhs, of_lhs);
          of_lhs = Read<Traits::kTileK>(lhs, next, place.limit_k);
          CopyRows<kLhsBlocks>(lhs, rows, place.row, shared_.lhs[slot]);
        }
        if (rhs.indices) {
          const auto rows = Found(rhs, of_rhs);
          of_rhs = Read<Traits::kTileK>(rhs, next, place.limit_k);
          CopyRows<kRhsBlocks>(rhs, rows, place.column, shared_.rhs[slot]);
        }
      });
    }
  }
  // Calls copy(slot, k) for each stage of the tile; k counts from the tile's first one.
  template <class CopyStage>
  JAXGEMM_SM90 void ForEachStage(const WorkTile& tile, const CopyStage& copy) {
    for (Index k_tile = tile.k_begin; k_tile < tile.k_end; ++k_tile, stage_.Advance()) {
      shared_.empty[stage_.slot].Wait(stage_.parity ^ 1);
      copy(stage_.slot, k_tile * Traits::kTileK);
      CpAsyncArrive(SharedAddress(&shared_.copied[stage_.slot]));
    }
  }

  // Reads the indices of this thread's rows, from `first` on and before `limit`.
  template <int kRows>
  JAXGEMM_SM90 Indices<kRows> Read(const Operand& from, int first, int limit) const {
    Indices<kRows> read;
#pragma unroll
    for (int i = 0; i < kRows / kStep; ++i) {
      const int at = first + row_ + i * kStep;
      read.line[i] = at < limit ? from.indices[at] : ~0u;
    }
    return read;
  }
  template <int kRows>
  static JAXGEMM_SM90 Rows<kRows> Found(const Operand& from, const Indices<kRows>& read) {
    Rows<kRows> rows{};
#pragma unroll
    for (int i = 0; i < kRows / kStep; ++i) {
      const bool inside = read.line[i] < from.lines;
      rows.begin[i] = inside ? read.line[i] * (from.line_bytes / 16) : 0;
      rows.inside |= static_cast<uint32_t>(inside) << i;
    }
    return rows;
  }

  // Copies the rows of kBlocks blocks, from the element `first` of their lines on.
  template <int kBlocks, int kRows>
  JAXGEMM_SM90 void CopyRows(const Operand& from, const Rows<kRows>& rows, int first,
                             const char* stage) const {
    const uint32_t byte = static_cast<uint32_t>(first) * Traits::kBytes + vector_ * 16;
    const uint32_t to = SharedAddress(stage) + row_ * kRowBytes + (vector_ ^ row_) * 16;
    const char* data = from.data + byte;
    asm volatile("" : "+l"(data));  // one addition of 64 bits for each row, and not two
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      const uint32_t inside = byte + block * kRowBytes < from.line_bytes ? rows.inside : 0;
#pragma unroll
      for (int i = 0; i < kRows / kStep; ++i) {
        CpAsync16(to + block * Traits::kBlockBytes + i * kStep * kRowBytes,
                  data + uint64_t{rows.begin[i]} * 16 + block * kRowBytes, inside >> i & 1);
      }
    }
  }

  const GemmArgs& args_;
  SharedMemory<Traits>& shared_;
  const int rank_;
  const bool copies_;
  int row_, vector_;  // of a copying thread: its first row, and its place in all rows
  RingPlace<Traits::kStages> stage_;
};

}  // namespace jaxgemm
