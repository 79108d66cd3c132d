// Buffer resources: an operand is loaded through a 64-bit base that all lanes share and a 32-bit
// offset of each lane. Loads from outside the resource return zeros.
#pragma once

#include <cstdint>

#include "amdgpu/args.h"
#include "amdgpu/isa.h"
#include "kernel/gemm_args.h"

namespace jaxgemm {

// CDNA3 ISA, "Buffer Resource Descriptor": 48 bits of base, stride 0 (raw), NUM_RECORDS in bytes,
// DATA_FORMAT 32.
using Resource = uint32_t __attribute__((ext_vector_type(4)));

inline constexpr uint32_t kDataFormat32 = 4u << 15;

JAXGEMM_AMD Resource MakeResource(uint64_t base) {
  return {static_cast<uint32_t>(base), static_cast<uint32_t>(base >> 32), kOutsideBuffer,
          kDataFormat32};
}
JAXGEMM_AMD void Advance(Resource& resource, uint64_t bytes) {
  const uint64_t base = (resource[0] | uint64_t{resource[1]} << 32) + bytes;
  resource[0] = static_cast<uint32_t>(base);
  resource[1] = static_cast<uint32_t>(base >> 32);
}
// LLVM's intrinsics for loads through a resource. Clang's builtins take it as a type of its own,
// and the compiler would copy it to other registers in each k tile. `shared` is an offset that all
// lanes have in common.
__attribute__((device)) uint8_t
LoadBuffer8(Resource resource, uint32_t offset, uint32_t shared,
            int cache_policy) __asm("llvm.amdgcn.raw.buffer.load.i8");
__attribute__((device)) uint16_t
LoadBuffer16(Resource resource, uint32_t offset, uint32_t shared,
             int cache_policy) __asm("llvm.amdgcn.raw.buffer.load.i16");
__attribute__((device)) uint32_t
LoadBuffer32(Resource resource, uint32_t offset, uint32_t shared,
             int cache_policy) __asm("llvm.amdgcn.raw.buffer.load.i32");
__attribute__((device)) Vec8
LoadBuffer64(Resource resource, uint32_t offset, uint32_t shared,
             int cache_policy) __asm("llvm.amdgcn.raw.buffer.load.v2i32");
__attribute__((device)) Vec16
LoadBuffer128(Resource resource, uint32_t offset, uint32_t shared,
              int cache_policy) __asm("llvm.amdgcn.raw.buffer.load.v4i32");
template <class Vec>
JAXGEMM_AMD Vec LoadBuffer(const Resource& resource, uint32_t offset, uint32_t shared) {
  if constexpr (sizeof(Vec) == 16) return LoadBuffer128(resource, offset, shared, 0);
  if constexpr (sizeof(Vec) == 8) return LoadBuffer64(resource, offset, shared, 0);
  if constexpr (sizeof(Vec) == 4) return LoadBuffer32(resource, offset, shared, 0);
  if constexpr (sizeof(Vec) == 2) return LoadBuffer16(resource, offset, shared, 0);
  if constexpr (sizeof(Vec) == 1) return LoadBuffer8(resource, offset, shared, 0);
}
// All later loads return zeros in all lanes.
JAXGEMM_AMD void Close(Resource& resource) { resource[2] = 0; }

// The layout of an operand in memory. Here a row is a row of lhs or a column of rhs, and a line is
// the k of one row, or all rows at one k.
//
// A gated rhs has the rows of the gate and, `up` rows further, as many rows of the up projection.
// In its tiles 16 rows of the gate and of the up projection alternate, so that a wave has both in
// its registers.
template <class Traits, bool kIsLhs>
struct OperandMemory {
  static constexpr bool kKContiguous = kIsLhs ? Traits::kLhsKContiguous : Traits::kRhsKContiguous;
  static constexpr int kTileRows = kIsLhs ? Traits::kTileM : Traits::kTileN;
  // Whether there are products that gather these lines (AmdGathers in plan/amd/path.cc).
  static constexpr bool kMayGatherRows = kKContiguous && kIsLhs && Traits::kMayGather;
  static constexpr bool kMayGatherK = !kKContiguous && Traits::kMayGatherK;

  uint64_t base;
  int64_t rows, k;  // k in units of Traits::kBytes
  int64_t line_bytes;
  int64_t up;         // 0: not gated
  bool fits_31_bits;  // rows, k and tiles do; a constant in each of the constructors
  // Whether the lines are gathered. Then `base` is as if they were not.
  bool gathers = false;
  Index batch = 0, origin = 0;  // those of the work tile

  JAXGEMM_AMD OperandMemory(const GemmArgs& args, const WorkTile& tile)
      : rows(kIsLhs ? args.m : args.n),
        k(args.k / Traits::kPacked),
        up(!kIsLhs && args.gated ? rows : 0),
        fits_31_bits(false),
        batch(tile.batch),
        origin(tile.origin) {
    const Ragged ragged = args.groups.ragged;
    const int64_t stride = kIsLhs ? args.lhs_batch_stride : args.rhs_batch_stride;
    line_bytes = (kKContiguous ? k : rows + up) * Traits::kBytes;
    base = reinterpret_cast<uint64_t>(kIsLhs ? args.lhs : args.rhs) +
           tile.batch * stride / Traits::kPacked * Traits::kBytes;
    if (kMayGatherRows || kMayGatherK)
      gathers = (kIsLhs ? args.lhs_gather : args.rhs_gather).indices != nullptr;
    if (ragged == Ragged::kM && !kIsLhs) base += tile.group * k * (rows + up) * Traits::kBytes;
    if (ragged == Ragged::kM && kIsLhs) {
      base += tile.origin * (kKContiguous ? line_bytes : Traits::kBytes);
      rows = tile.limit - tile.origin;
    }
    if (ragged == Ragged::kK) {
      base += tile.origin * (kKContiguous ? Traits::kBytes : line_bytes);
      k = tile.limit - tile.origin;
    }
  }
  // The whole operand of a product of RunOneTile (gemm.h). Its lines have fewer than 2^24 bytes, by
  // FitsVectors; knowing it, the compiler multiplies by them in fewer cycles.
  JAXGEMM_AMD OperandMemory(const GemmArgs& args, Index batch)
      : base(reinterpret_cast<uint64_t>(kIsLhs ? args.lhs : args.rhs)),
        rows(static_cast<uint32_t>(kIsLhs ? args.m : args.n)),
        k(static_cast<uint32_t>(args.k)),
        line_bytes(static_cast<uint32_t>(kKContiguous ? k : rows) * Traits::kBytes & 0xffffff),
        up(0),
        fits_31_bits(true) {
    const int64_t stride = kIsLhs ? args.lhs_batch_stride : args.rhs_batch_stride;
    if (__builtin_expect(batch > 0, false)) base += batch * stride * Traits::kBytes;
  }
  JAXGEMM_AMD bool FitsOffsets() const {
    return jaxgemm::FitsOffsets(line_bytes, kTileRows, Traits::kWavesK, kKContiguous ? up : 0);
  }
  // Also where groups cut the lines.
  JAXGEMM_AMD bool FitsVectors() const {
    return jaxgemm::FitsVectors(base, line_bytes, (kKContiguous ? k : rows) * Traits::kBytes,
                                kTileRows, Traits::kWavesK, kKContiguous ? up : 0);
  }
  JAXGEMM_AMD int64_t FirstRow(Index tile) const {
    if (fits_31_bits) return static_cast<uint32_t>(tile) * kTileRows;
    return int64_t{tile} * (up ? kTileRows / 2 : kTileRows);
  }
  // How many k there are from k tile `k_tile` on; at most those of a k tile.
  JAXGEMM_AMD uint32_t KLeft(Index k_tile) const {
    constexpr uint32_t kTileK = Traits::kTileK;
    if (fits_31_bits) {
      const uint32_t left = static_cast<uint32_t>(k) - static_cast<uint32_t>(k_tile) * kTileK;
      return left < kTileK ? left : kTileK;
    }
    const int64_t left = k - k_tile * int64_t{kTileK};
    // There are no scalar comparisons of 64 bits.
    return __builtin_amdgcn_readfirstlane(static_cast<uint32_t>(left < kTileK ? left : kTileK));
  }
  // Where row `row` of a tile is in memory, in rows from the tile's first one. For `unit` rows
  // beyond the end the last `unit` rows are read instead: the results are outside of out.
  JAXGEMM_AMD uint32_t RowInMemory(Index tile, uint32_t row, uint32_t unit) const {
    const uint32_t last = RowsOfTile(tile) - unit;
    const uint32_t in_part = InPart(row), skipped = static_cast<uint32_t>(row & 16 ? up : 0);
    return (in_part < last ? in_part : last) + skipped;
  }
  JAXGEMM_AMD bool IsInside(Index tile, uint32_t row) const {
    return FirstRow(tile) + InPart(row) < rows;
  }
  JAXGEMM_AMD bool GathersRows() const { return kMayGatherRows && gathers; }
  JAXGEMM_AMD bool GathersK() const { return kMayGatherK && gathers; }
  // Line i of the group is line indices[i] of the operand, which has `count` of them. This is read
  // where it is needed: other products have no scalar registers for it.
  struct Lines {
    const int32_t* indices;
    uint32_t count;
  };
  JAXGEMM_AMD Lines GatheredLines() const {
    const GemmArgs args = LoadArgs();
    const GemmArgs::Gather& gather = kIsLhs ? args.lhs_gather : args.rhs_gather;
    return {gather.indices + batch * gather.batch_stride + origin,
            static_cast<uint32_t>(gather.lines)};
  }
  // Starts to replace gathered rows, as RowInMemory returns them, by their indices.
  template <int kCount>
  JAXGEMM_AMD void LoadIndices(Index tile, uint32_t (&of_rows)[kCount]) const {
    const int32_t* first = GatheredLines().indices + FirstRow(tile);
    const Resource from = MakeResource(reinterpret_cast<uint64_t>(first));
#pragma unroll
    for (uint32_t& row : of_rows) row = LoadBuffer<uint32_t>(from, 4 * row, 0);
  }
  // Replaces these indices by offsets from GatheredBase(). Rows that the operand does not have are
  // outside of the resource.
  template <int kCount>
  JAXGEMM_AMD void ToOffsets(uint32_t (&indices)[kCount]) const {
    const uint32_t count = GatheredLines().count, bytes = static_cast<uint32_t>(line_bytes);
#pragma unroll
    for (uint32_t& index : indices) index = index < count ? index * bytes : kOutsideBuffer;
  }
  // TileBase of the operand's first line, for lines that are gathered.
  JAXGEMM_AMD uint64_t GatheredBase(Index tile, Index k_tile) const {
    const int64_t line = kKContiguous ? FirstRow(tile) : int64_t{k_tile} * Traits::kTileK;
    return TileBase(tile, k_tile) - (origin + line) * line_bytes;
  }
  JAXGEMM_AMD uint64_t TileBase(Index tile, Index k_tile) const {
    const int64_t row = FirstRow(tile);
    const int64_t at_k = fits_31_bits ? static_cast<uint32_t>(k_tile) * Traits::kTileK
                                      : int64_t{k_tile} * Traits::kTileK;
    return base + (kKContiguous ? row : at_k) * line_bytes +
           (kKContiguous ? at_k : row) * Traits::kBytes;
  }
  // Bytes from one k tile to the next.
  JAXGEMM_AMD uint32_t TileStep() const {
    return kKContiguous ? kRowBytes * Traits::kWavesK
                        : static_cast<uint32_t>(Traits::kTileK * line_bytes);
  }

 private:
  JAXGEMM_AMD uint32_t RowsOfTile(Index tile) const {
    constexpr uint32_t kAll = kTileRows;
    if (fits_31_bits) {
      const uint32_t left = static_cast<uint32_t>(rows) - static_cast<uint32_t>(tile) * kAll;
      return left < kAll ? left : kAll;
    }
    const int64_t left = rows - FirstRow(tile);
    return static_cast<uint32_t>(left < kTileRows ? left : kTileRows);
  }
  // A tile's row, counted among those of its own matrix (the gate or the up projection).
  JAXGEMM_AMD uint32_t InPart(uint32_t row) const { return up ? row / 32 * 16 + row % 16 : row; }
};

}  // namespace jaxgemm
