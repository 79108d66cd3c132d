// The arguments of a Hopper kernel besides GemmArgs, and the sizes of its CTAs and clusters.
#pragma once

#include <cstdint>

#include "sm90/forms.h"
#include "spec/types.h"

namespace jaxgemm {

// The floating types of out that have 16 bits or more: a conversion is one instruction.
constexpr bool IsWideFloat(DType dtype) {
  return dtype == DType::kBF16 || dtype == DType::kF16 || dtype == DType::kF32;
}
// Whether the form reads operands of grouped products by index. float32 would have to be rounded to
// TF32 on its way.
constexpr bool MayGather(KernelForm form, DType lhs) {
  return (IsGrouped(form) || IsGeneral(form) || IsScaled(form)) && ElementBytes(lhs) <= 2;
}
// Whether shared memory has room for all results of a tile together (sm90/columns_epilogue.h).
// Those of float32 operands go straight to out.
constexpr bool StagesWholeTiles(bool rhs_in_registers, DType lhs) {
  return rhs_in_registers && ElementBytes(lhs) == 1;
}

// A CUtensorMap: a tensor's layout in memory, and the box that one TMA copy moves.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

// The operands described for TMA, [z, y, x]. If TMA cannot read an operand's lines (what is
// contiguous in memory), the flag is false and threads copy them from GemmArgs' pointers.
struct TensorMaps {
  TensorMap lhs, rhs, out;
  // Smaller boxes. Of a k-major operand they have the last rows. Of an rhs that is not k-major they
  // have the last columns of a tile, if its columns do not fill whole boxes.
  TensorMap lhs_rest, rhs_rest;
  int32_t lhs_rest_rows, rhs_rest_rows;  // of a k-major operand; 0: whole boxes have all rows
  // Dense forms: a cluster has the CTAs of cluster_m x cluster_n tiles, and the grid counts
  // clusters. Above 1 these CTAs load operands for each other.
  int32_t cluster_m, cluster_n;
  bool lhs_valid, rhs_valid, out_valid;
  // Whether accumulators are stored without staging: out is bfloat16, float16 or float32, n is a
  // multiple of 8 (float32: 2), and out and preact begin at multiples of 16 bytes. If out is
  // accumulated into, TMA adds to it.
  bool stores_unstaged;
};

// Rows of an operand's tile in shared memory are 128 bytes.
inline constexpr int kBoxBytes = 128;
// The rows of a box of lhs in a tile for few rows. Boxes outside of the group are not loaded.
inline constexpr int kFewRowsBox = 8;
// Boxes of out have a warp's rows, and these columns of 16 bits or half as many of 32.
inline constexpr int kBoxRows = 16, kBoxColumns = kBoxBytes / 2;

// A CTA: one producer and two consumer warpgroups, or one if the form is for few rows.
inline constexpr int kSm90Consumers = 2;
constexpr int Sm90Consumers(KernelForm form) { return IsFewRows(form) ? 1 : kSm90Consumers; }
constexpr int Sm90Threads(KernelForm form) { return (1 + Sm90Consumers(form)) * 128; }
// The shared memory of a CTA: all that the multiprocessor has, of which every CTA leaves 1 KB to
// the system.
constexpr int Sm90SharedBytes(KernelForm form) { return 228 * 1024 / Sm90CtasPerSm(form) - 1024; }
// The largest number of CTAs that a cluster can have on every Hopper GPU (CUDA's portable cluster
// size).
inline constexpr int kMaxClusterSize = 8;
// A tile's peers divide its columns among them, in groups of eight. With eight groups or more a
// peer owns the same groups of all warps; with fewer, the pairs of a warp and a group are divided.
constexpr bool SharesOutWarps(int64_t tile_n) { return tile_n / 8 < kMaxClusterSize; }
constexpr int64_t PeerUnits(int64_t tile_n) {
  constexpr int kWarps = kSm90Consumers * 4;
  return tile_n / 8 * (SharesOutWarps(tile_n) ? kWarps : 1);
}
// How many groups of columns a peer receives from the other peers, of those that it owns, if a tile
// has `count` peers.
constexpr int64_t ReceivedUnits(int64_t tile_n, int64_t count) {
  return (count - 1) * ((PeerUnits(tile_n) + count - 1) / count);
}
// The largest number of peers of a tile. Wide tiles have fewer, because stages need the shared
// memory.
constexpr int64_t MostPeers(int64_t tile_n) {
  return tile_n > 144 ? 2 : tile_n > 128 ? 4 : kMaxClusterSize;
}
// Whether a tile can have `count` peers. What a peer receives must not be more than the
// accumulators of one whole tile.
constexpr bool CanBePeers(int64_t tile_n, int64_t count) {
  return count >= 2 && count <= MostPeers(tile_n) &&
         ReceivedUnits(tile_n, count) <= PeerUnits(tile_n);
}
// The largest number of groups that a peer receives.
constexpr int64_t MostReceivedUnits(int64_t tile_n) {
  if (MostPeers(tile_n) == kMaxClusterSize) return PeerUnits(tile_n);
  int64_t most = 0;
  for (int64_t count = 2; count <= MostPeers(tile_n); ++count) {
    if (ReceivedUnits(tile_n, count) > most) most = ReceivedUnits(tile_n, count);
  }
  return most;
}

// The shared memory of a consumer warp for the results that it stores: its 16 rows in boxes of 64
// columns of 16 bits, or as many accumulators as fit. With 192 columns a second box would cost a
// stage. With cluster split-K it is for the other peers' partial sums of the columns that a peer
// owns.
constexpr int Sm90OutBoxes(KernelForm form, int64_t tile_n) {
  // The scaled form stores all boxes of a tile at once.
  if (IsScaled(form) && StoreOf(form) == FormStore::kCast) return static_cast<int>(tile_n / 64);
  return tile_n % 128 == 0 ? 2 : 1;
}
constexpr int Sm90StagedBytes(KernelForm form, int64_t tile_n, bool stages_whole_tiles) {
  constexpr int kWarps = kSm90Consumers * 4;
  // 128 rows and 32 columns of 16 bits.
  if (stages_whole_tiles) return 128 * 32 * 2;
  if (!IsPeers(form)) return Sm90OutBoxes(form, tile_n) * kBoxRows * kBoxBytes;
  return static_cast<int>(MostReceivedUnits(tile_n)) * 8 * kBoxRows * 4 /
         (SharesOutWarps(tile_n) ? kWarps : 1);
}
// The number of rows of rhs in a stage. If rhs is not k-major, there is room for whole boxes. The
// last one may have fewer columns (TileBoxes in loaders.h). Its lines are 128 bytes apart, too.
constexpr int Sm90RhsRows(int64_t tile_n, bool k_major, int bytes) {
  const int box = kBoxBytes / bytes, columns = static_cast<int>(tile_n);
  return k_major ? columns : (columns + box - 1) / box * box;
}
// The number of stages of a CTA, each with the CTA's rows of lhs: as many as its shared memory has
// room for. kOther is room for the rest of SharedMemory (gemm_traits.h): barriers, work tiles,
// indices.
constexpr int Sm90Stages(KernelForm form, int64_t cta_rows, int64_t tile_n, int rhs_rows,
                         bool stages_whole_tiles) {
  constexpr int kOther = 1024;
  return (Sm90SharedBytes(form) - kOther -
          Sm90Consumers(form) * 4 * Sm90StagedBytes(form, tile_n, stages_whole_tiles)) /
         ((static_cast<int>(cta_rows) + rhs_rows) * kBoxBytes);
}

}  // namespace jaxgemm
