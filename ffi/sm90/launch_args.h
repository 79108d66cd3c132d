// What a Hopper kernel is launched with beside GemmArgs.
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace jaxgemm {

inline constexpr int kSm90Forms = 6;

// The copy engine moves all, and sums are stored as they are.
constexpr bool IsPlain(Sm90Form form) {
  return form != Sm90Form::kGeneral && form != Sm90Form::kPeers;
}

// The plain form stores a tile while it multiplies the next one: of a k tile, a box at most.
inline constexpr int kPlainKTiles = 4;
// Of the instances that have them, what plain forms store.
constexpr DType PlainOut(DType lhs) { return lhs == DType::kF16 ? DType::kF16 : DType::kBF16; }

// Whether warpgroups take turns, each with a tile of its own: the sums of all of it are its.
constexpr bool TakesTurns(Sm90Form form, int64_t tile_n) {
  return IsPlain(form) && form != Sm90Form::kPlain && (tile_n == 128 || tile_n == 192);
}

// `cluster`: CTAs that share a tile's rhs.
constexpr bool HasForm(Sm90Form form, DType lhs, int64_t tile_n, int64_t cluster,
                       bool lhs_k_contiguous, bool rhs_k_contiguous) {
  if (form == Sm90Form::kGeneral) return true;
  if (form == Sm90Form::kPeers) return cluster == 1 && (tile_n == 128 || tile_n == 64);
  if (form == Sm90Form::kPingPong && !TakesTurns(form, tile_n)) return false;
  // Threads transpose bytes that are not k-contiguous.
  return ElementBytes(lhs) == 2 ||
         (ElementBytes(lhs) == 1 && lhs != DType::kS8 && lhs_k_contiguous && rhs_k_contiguous);
}

// A CUtensorMap: how a tensor lies in memory, and the box that a copy moves.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

// The operands as the copy engine sees them, [z, y, x]. Where an operand's lines do not suit it the
// flag is false, and threads copy.
struct TensorMaps {
  TensorMap lhs, rhs, out;
  // Of kPeers, whose grid counts clusters: so many tiles' peers are one.
  int32_t cluster_m, cluster_n;
  bool lhs_valid, rhs_valid, out_valid;
  // Out is of floats, in lines of whole 16 bytes (float32: 8), and not added to; with out_valid of
  // 16-bit ones that the copy engine can store.
  bool plain_out;
};

// Rows of an operand's tile in shared memory are 128 bytes.
inline constexpr int kBoxBytes = 128;
// Boxes of out, of 16-bit floats: a warp's rows.
inline constexpr int kBoxRows = 16, kBoxColumns = kBoxBytes / 2;

// One CTA on a multiprocessor, with all of its shared memory: a producer and two consumers.
inline constexpr int kSm90Threads = 384, kSm90SharedBytes = 227 * 1024;
// Warpgroups that multiply, in a CTA.
inline constexpr int kSm90Consumers = 2;
// CTAs of a cluster that any GPU can run.
inline constexpr int kMostPeers = 8;
// How many may share a tile: each owns a part of its columns, some eights of them, and what the
// others have of it is no more than a tile's sums.
constexpr bool CanBePeers(int64_t tile_n, int64_t count) {
  if (count < 2 || count > kMostPeers) return false;
  const int64_t eights = tile_n / 8, most = (eights + count - 1) / count;
  return (count - 1) * most <= eights;
}

}  // namespace jaxgemm
