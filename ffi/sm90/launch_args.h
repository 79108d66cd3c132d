// The arguments of a Hopper kernel besides GemmArgs, and properties of its forms.
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace jaxgemm {

inline constexpr int kSm90Forms = 6;

// Forms in which TMA loads both operands, and accumulators are only cast and stored.
constexpr bool IsPlain(Sm90Form form) {
  return form != Sm90Form::kGeneral && form != Sm90Form::kPeers;
}

// The fewest k tiles for kPlain, which stores a tile while it multiplies the next one: at most one
// box in each k tile.
inline constexpr int kPlainKTiles = 4;
// The type of out that an instance's plain forms store.
constexpr DType PlainOut(DType lhs) { return lhs == DType::kF16 ? DType::kF16 : DType::kBF16; }

// Whether the consumer warpgroups ping-pong: each has all accumulators of its own output tile.
constexpr bool IsPingPong(Sm90Form form, int64_t tile_n) {
  return IsPlain(form) && form != Sm90Form::kPlain && (tile_n == 128 || tile_n == 192);
}

// `cluster`: CTAs that share a tile's rhs.
constexpr bool HasForm(Sm90Form form, DType lhs, int64_t tile_n, int64_t cluster,
                       bool lhs_k_contiguous, bool rhs_k_contiguous) {
  if (form == Sm90Form::kGeneral) return true;
  if (form == Sm90Form::kPeers) return cluster == 1 && (tile_n == 128 || tile_n == 64);
  if (form == Sm90Form::kPingPong && !IsPingPong(form, tile_n)) return false;
  // The other forms load both operands by TMA, so 8-bit operands must be k-contiguous. They are not
  // compiled for float32 and int8.
  return ElementBytes(lhs) == 2 ||
         (ElementBytes(lhs) == 1 && lhs != DType::kS8 && lhs_k_contiguous && rhs_k_contiguous);
}

// A CUtensorMap: a tensor's layout in memory, and the box that one TMA copy moves.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

// The operands described for TMA, [z, y, x]. If TMA cannot read an operand's lines (what is
// contiguous in memory), the flag is false and threads copy them from GemmArgs' pointers.
struct TensorMaps {
  TensorMap lhs, rhs, out;
  // kPeers: a cluster has the peers of cluster_m x cluster_n tiles, and the grid counts clusters.
  int32_t cluster_m, cluster_n;
  bool lhs_valid, rhs_valid, out_valid;
  // out has a float type and rows of whole 16 bytes (float32: 8), and is not accumulated into.
  // With out_valid it also has 16 bits, and TMA can store it.
  bool plain_out;
};

// Rows of an operand's tile in shared memory are 128 bytes.
inline constexpr int kBoxBytes = 128;
// Boxes of a 16-bit out have a warp's rows.
inline constexpr int kBoxRows = 16, kBoxColumns = kBoxBytes / 2;

// One CTA per SM, with all of its shared memory: one producer and two consumer warpgroups.
inline constexpr int kSm90Threads = 384, kSm90SharedBytes = 227 * 1024;
// Consumer warpgroups of a CTA.
inline constexpr int kSm90Consumers = 2;
// The most CTAs of a cluster on every Hopper GPU (CUDA's portable cluster size).
inline constexpr int kMaxClusterSize = 8;
// Whether a tile can have `count` peers. Each owns some of its columns, in groups of eight, and the
// other peers' partial sums for these must not be more than those of one tile.
constexpr bool CanBePeers(int64_t tile_n, int64_t count) {
  if (count < 2 || count > kMaxClusterSize) return false;
  const int64_t eights = tile_n / 8, most = (eights + count - 1) / count;
  return (count - 1) * most <= eights;
}

}  // namespace jaxgemm
