// The arguments of a Hopper kernel besides GemmArgs, and properties of its forms.
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace jaxgemm {

// Forms that apply the epilogue to the accumulators. TMA loads both operands, except in kFused of
// tiles that have no general form: there threads copy an operand that TMA cannot read.
constexpr bool IsFused(KernelForm form) {
  return form == KernelForm::kFused || form == KernelForm::kFusedPingPong;
}
// Forms for grouped products only, with tiles at a fixed stride and TMA for all arrays. Each has
// little code, and all that a tile needs lies near the main loop: code is fetched as it is
// executed, and far code is fetched late for every tile.
constexpr bool IsGrouped(KernelForm form) {
  return form == KernelForm::kGrouped || form == KernelForm::kGroupedVectors ||
         form == KernelForm::kGroupedWide || form == KernelForm::kGroupedGated;
}
// Forms in which TMA loads both operands, and accumulators are only cast to PlainOut and stored
// (kGroupedVectors, and kGrouped of float8, apply bias and scales before: HasOnlyVectors).
constexpr bool IsPlain(KernelForm form) {
  return form == KernelForm::kPlain || form == KernelForm::kPingPong ||
         form == KernelForm::kGrouped || form == KernelForm::kGroupedVectors ||
         form == KernelForm::kClaimed;
}

// Forms for dense products whose workgroups have their tiles at a fixed stride (gemm_dense.h).
constexpr bool IsDense(KernelForm form) {
  return form == KernelForm::kPlain || form == KernelForm::kPingPong || IsPeers(form) ||
         IsFused(form);
}

// The least number of k tiles for kPingPong: the boxes of a CTA's last tile go through the stages
// that its warpgroup has read, one box through each.
inline constexpr int kPingPongKTiles = 4;
// The type of out that an instance's plain forms store.
constexpr DType PlainOut(DType lhs) { return lhs == DType::kF16 ? DType::kF16 : DType::kBF16; }

// The floating types of out that have 16 bits or more: a conversion is one instruction.
constexpr bool IsWideFloat(DType dtype) {
  return dtype == DType::kBF16 || dtype == DType::kF16 || dtype == DType::kF32;
}

// Forms that always ping-pong. Others may, too.
constexpr bool AlwaysPingPongs(KernelForm form) {
  return form == KernelForm::kPingPong || form == KernelForm::kFusedPingPong;
}
// The rows of a tile that one CTA computes. In a tile of 256x160 each consumer warpgroup has two
// blocks of 64 rows, so that the CTA reads fewer bytes for each multiplication.
constexpr int64_t CtaRows(int64_t tile_n) { return tile_n == 160 ? 256 : 128; }
// Whether the consumer warpgroups ping-pong: each has all accumulators of its own output tile.
constexpr bool IsPingPong(KernelForm form, int64_t tile_n) {
  // With the accumulators of 192 columns there are too few registers for an epilogue, but enough
  // for vectors (HasOnlyVectors).
  if (CtaRows(tile_n) > 128) return false;
  if (form == KernelForm::kFusedPingPong) return tile_n == 128 || tile_n == 192;
  return IsPlain(form) && form != KernelForm::kPlain && tile_n > 96 && tile_n <= 192;
}

// Whether the form applies vectors (bias, scale, row_scale) to the accumulators and then casts them
// as the plain forms do. The scales of 8-bit floats are vectors. With the accumulators of 256
// columns there are too few registers.
constexpr bool HasOnlyVectors(KernelForm form, DType lhs, int64_t tile_n) {
  if (form == KernelForm::kGroupedVectors) return true;
  return ElementBytes(lhs) == 1 && lhs != DType::kS8 &&
         ((form == KernelForm::kGrouped && tile_n <= 192) ||
          (form == KernelForm::kFusedPingPong && tile_n == 192));
}

// Tiles whose columns do not fill boxes of 64 are for sizes between those of the other tiles. They
// have dense forms only. Their results go straight from the registers to out.
constexpr bool HasOnlyDenseForms(int64_t tile_n, bool transposed) {
  return !transposed && tile_n % 64 != 0;
}

// Whether a form reads an rhs of 8 or 32 bits that is not k-contiguous into registers, because
// wgmma reads these types from shared memory only k-major. It then multiplies rhs^T lhs^T.
constexpr bool RhsInRegisters(KernelForm form, DType lhs, bool lhs_k_contiguous,
                              bool rhs_k_contiguous, bool transposed) {
  return form == KernelForm::kGrouped && ElementBytes(lhs) != 2 && lhs != DType::kS8 &&
         lhs_k_contiguous && !rhs_k_contiguous && !transposed;
}
// Whether an instance has that form only. The tile of 128 x 128 also has other forms, which load
// rhs element by element.
constexpr bool HasOnlyGroupedForm(DType lhs, int64_t tile_n, bool lhs_k_contiguous,
                                  bool rhs_k_contiguous, bool transposed) {
  return RhsInRegisters(KernelForm::kGrouped, lhs, lhs_k_contiguous, rhs_k_contiguous,
                        transposed) &&
         tile_n > 128;
}
// Whether shared memory has room for all results of a tile together (sm90/columns_epilogue.h).
// Those of float32 operands go straight to out.
constexpr bool StagesWholeTiles(bool rhs_in_registers, DType lhs) {
  return rhs_in_registers && ElementBytes(lhs) == 1;
}

// `cluster`: CTAs that share a tile's rhs. `transposed`: out is stored column-major.
constexpr bool HasForm(KernelForm form, DType lhs, int64_t tile_n, int64_t cluster,
                       bool lhs_k_contiguous, bool rhs_k_contiguous, bool transposed) {
  if (form == KernelForm::kMx) return false;
  if (RhsInRegisters(form, lhs, lhs_k_contiguous, rhs_k_contiguous, transposed)) return true;
  if (HasOnlyGroupedForm(lhs, tile_n, lhs_k_contiguous, rhs_k_contiguous, transposed)) {
    return false;
  }
  if (form == KernelForm::kScaled) {
    // The registers have the accumulators, and as many partial sums of a block of k.
    return !transposed && tile_n == 128 && ElementBytes(lhs) == 1 && lhs != DType::kS8 &&
           lhs_k_contiguous && rhs_k_contiguous;
  }
  if (form == KernelForm::kPeersHalfSm) return transposed && tile_n < 64;
  if (transposed) return form == KernelForm::kPeers;
  if (form == KernelForm::kPeers) return cluster == 1 && tile_n <= 144;
  if (CtaRows(tile_n) > 128) {
    return ElementBytes(lhs) == 2 && (form == KernelForm::kPlain || form == KernelForm::kFused);
  }
  if (HasOnlyDenseForms(tile_n, transposed) &&
      (form == KernelForm::kGeneral || IsGrouped(form) || form == KernelForm::kClaimed)) {
    return false;
  }
  if (form == KernelForm::kGeneral) return true;
  if (AlwaysPingPongs(form) && !IsPingPong(form, tile_n)) return false;
  if (form == KernelForm::kFusedPingPong && tile_n == 192 && !HasOnlyVectors(form, lhs, tile_n)) {
    return false;
  }
  if (IsGrouped(form) && lhs == DType::kS8) return false;
  if (form == KernelForm::kGroupedGated && tile_n % 128 != 0) return false;
  // kGrouped of 8-bit floats applies vectors itself.
  if (form == KernelForm::kGroupedVectors && ElementBytes(lhs) == 1) return false;
  // The plan takes the other forms only if TMA reads both operands, so those of 8 or 32 bits must
  // be k-contiguous.
  if (ElementBytes(lhs) == 2) return true;
  // The plain forms do not store results of float32 and int8 operands.
  const bool stores_plain = ElementBytes(lhs) == 1 && lhs != DType::kS8;
  return lhs_k_contiguous && rhs_k_contiguous &&
         (IsFused(form) || form == KernelForm::kGroupedWide || stores_plain);
}

// Whether the kernel reads an lhs of float32 that is not k-contiguous into registers, because wgmma
// reads float32 from shared memory only k-major.
constexpr bool LhsInRegisters(DType lhs, bool lhs_k_contiguous, bool transposed) {
  return lhs == DType::kF32 && !lhs_k_contiguous && transposed;
}

// Whether two CTAs of a cluster whose tiles have the same columns may each load half of rhs for
// both, and two whose tiles have the same rows half of lhs (multicast). Only forms with peers do:
// in the others it gained nothing. The two CTAs of a tile of 256 rows always load rhs for each
// other, in all forms.
constexpr bool MayMulticast(KernelForm form, DType lhs, bool lhs_k_contiguous, bool transposed) {
  return IsPeers(form) && !LhsInRegisters(lhs, lhs_k_contiguous, transposed);
}
// The largest number of CTAs that load an operand for each other.
inline constexpr int kMostSharers = 2;
// Whether boxes of a k-contiguous rhs have half of a tile's columns: two CTAs load one each, or the
// halves of a gated product lie apart. Else a box has all columns.
constexpr bool LoadsRhsInHalves(KernelForm form, int64_t cluster, bool multicasts) {
  return !IsDense(form) || cluster > 1 || multicasts;
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
// Boxes of out have a warp's rows, and these columns of 16 bits or half as many of 32.
inline constexpr int kBoxRows = 16, kBoxColumns = kBoxBytes / 2;

// A CTA: one producer and two consumer warpgroups.
inline constexpr int kSm90Threads = 384, kSm90Consumers = 2;
// How many CTAs a multiprocessor runs at once. With two CTAs one loads while the other starts or
// stores. If no more CTAs are launched than there are multiprocessors, the form with one is better,
// because its main loop has more stages.
constexpr int Sm90CtasPerSm(KernelForm form) { return form == KernelForm::kPeersHalfSm ? 2 : 1; }
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
// stage. With peers it is for the other peers' partial sums of the columns that a peer owns.
constexpr int Sm90OutBoxes(int64_t tile_n) { return tile_n % 128 == 0 ? 2 : 1; }
constexpr int Sm90StagedBytes(KernelForm form, int64_t tile_n, bool stages_whole_tiles) {
  constexpr int kWarps = kSm90Consumers * 4;
  // 128 rows and 32 columns of 16 bits.
  if (stages_whole_tiles) return 128 * 32 * 2;
  if (!IsPeers(form)) return Sm90OutBoxes(tile_n) * kBoxRows * kBoxBytes;
  return static_cast<int>(MostReceivedUnits(tile_n)) * 8 * kBoxRows * 4 /
         (SharesOutWarps(tile_n) ? kWarps : 1);
}
// The number of rows of rhs in a stage. If rhs is not k-major, there is room for whole boxes. The
// last one may have fewer columns (TileBoxes in loaders.h), whose lines are 128 bytes apart, too.
constexpr int Sm90RhsRows(int64_t tile_n, bool k_major, int bytes) {
  const int box = kBoxBytes / bytes, columns = static_cast<int>(tile_n);
  return k_major ? columns : (columns + box - 1) / box * box;
}
// The number of stages of a CTA, each with the CTA's rows of lhs: as many as its shared memory has
// room for. kOther is room for the rest of SharedMemory (gemm_traits.h): barriers, work tiles,
// indices.
constexpr int Sm90Stages(KernelForm form, int64_t tile_n, int rhs_rows, bool stages_whole_tiles) {
  constexpr int kWarps = kSm90Consumers * 4, kOther = 1024;
  return (Sm90SharedBytes(form) - kOther -
          kWarps * Sm90StagedBytes(form, tile_n, stages_whole_tiles)) /
         ((static_cast<int>(CtaRows(tile_n)) + rhs_rows) * kBoxBytes);
}

}  // namespace jaxgemm
