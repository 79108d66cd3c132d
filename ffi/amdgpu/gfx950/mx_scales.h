// Scales of operands in an MX format on gfx950: a row of lhs, or a column of rhs, has one in E8M0
// for each 32 k. The matrix instruction multiplies by them.
//
// A chunk is the 16 scales of a row for four k tiles; those of all rows are neighbours in memory.
// Every lane of the workgroup loads the chunk of one row or column straight to LDS. From LDS a
// lane reads the scales that it passes to the matrix instructions: for each fragment that of row
// (or column) lane % 16 and of the 32 k from 32 (lane / 16) on.
#pragma once

#include "amdgpu/block_scales.h"
#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "kernel/gemm_args.h"

namespace jaxgemm {

template <class Traits>
class MxScales : public NoScales {
  static constexpr int kScalesK = Traits::kTileK / kMxBlock;  // of a row in a k tile
  static constexpr int kTiles = kVecBytes / kScalesK;         // k tiles of a chunk
  static constexpr int kChunkBytes = kVecBytes * (Traits::kTileM + Traits::kTileN);
  static_assert(kScalesK == 4 && Traits::kTileM == Traits::kTileN);
  static_assert(Traits::kThreads == 2 * Traits::kTileM, "a lane loads one row or column");
  using LdsByte = __attribute__((address_space(3))) uint8_t;

 public:
  static constexpr int kLdsBytes = 2 * kChunkBytes;

  JAXGEMM_AMD MxScales(const GemmArgs& args, const WorkTile& tile, Lds* lds)
      : chunk_(Chunk(tile.k_begin)), num_chunks_(args.blocks_k / kVecBytes) {
    const ScalesPlace<Traits> place(args, tile);
    const bool of_lhs = WaveId() < Traits::kTileM / kWaveSize;
    const int64_t first = of_lhs ? place.row : int64_t{tile.n} * Traits::kTileN;
    const int64_t left = of_lhs ? place.rows_left : args.n - first;
    const int64_t matrix = of_lhs ? tile.batch * args.lhs_scales_batch_stride
                                  : place.rhs_matrix * args.rhs_scales_batch_stride;
    const auto base = reinterpret_cast<uint64_t>(of_lhs ? args.lhs_scales : args.rhs_scales);
    step_ = (of_lhs ? args.m : args.n) * kVecBytes;
    resource_ = MakeResource(base + matrix + chunk_ * step_ + first * kVecBytes);
    const int row = ThreadId() % Traits::kTileM;
    offset_ = place.Inside(row, left) * kVecBytes;
    load_ = LdsAddress(lds) + WaveId() * kWaveSize * kVecBytes;
    read_ = lds + LaneId() % 16 * kVecBytes + LaneId() / 16;
    lhs_ = Traits::WaveM() * Traits::kWaveM * kVecBytes;
    rhs_ = (Traits::kTileM + Traits::WaveN() * Traits::kWaveN) * kVecBytes;
    MoveReads(tile.k_begin);
  }

  // Starts to load the chunk of the first k tile and the next one.
  JAXGEMM_AMD void Start() {
    asm volatile("s_nop 4" : "+s"(resource_));  // see Operand::Settle
    LoadChunk();
    LoadChunk();
  }
  // Starts to load the next chunk, if this k tile is the first one of its own.
  JAXGEMM_AMD void Load(Index k_tile) {
    if (k_tile == (chunk_ - 1) * kTiles) LoadChunk();
  }
  // Later reads are of this k tile.
  JAXGEMM_AMD void MoveReads(Index k_tile) {
    const uint32_t in_chunk = static_cast<uint32_t>(k_tile) % kTiles * kScalesK;
    const uint32_t place = Buffer(Chunk(k_tile)) + in_chunk;
    read_lhs_ = read_ + (lhs_ + place);
    read_rhs_ = read_ + (rhs_ + place);
  }
  // Reads the scales of the fragments of a half of this wave's rows and of its columns.
  template <int kHalf, int kFragsM, int kFragsN>
  JAXGEMM_AMD void Read(uint32_t (&lhs)[kFragsM], uint32_t (&rhs)[kFragsN]) const {
#pragma unroll
    for (int i = 0; i < kFragsM; ++i) {
      lhs[i] = *reinterpret_cast<LdsByte*>(read_lhs_ + 16 * (kHalf * kFragsM + i) * kVecBytes);
    }
#pragma unroll
    for (int i = 0; i < kFragsN; ++i) {
      rhs[i] = *reinterpret_cast<LdsByte*>(read_rhs_ + 16 * (kHalf * kFragsN + i) * kVecBytes);
    }
  }

 private:
  // k tiles are not negative; the compiler needs fewer instructions if it knows.
  static JAXGEMM_AMD uint32_t Chunk(Index k_tile) { return static_cast<uint32_t>(k_tile) / kTiles; }
  static JAXGEMM_AMD uint32_t Buffer(uint32_t chunk) { return chunk % 2 * kChunkBytes; }

  JAXGEMM_AMD void LoadChunk() {
    if (chunk_ >= num_chunks_) Close(resource_);
    asm volatile(
        "s_mov_b32 m0, %0\n\t"
        "s_nop 0\n\t"
        "buffer_load_dwordx4 %1, %2, 0 offen lds"
        :
        : "s"(load_ + Buffer(chunk_)), "v"(offset_), "s"(resource_)
        : "memory");
    Advance(resource_, step_);
    ++chunk_;
  }

  Resource resource_;
  int64_t step_;              // bytes from a chunk to the next one
  Index chunk_, num_chunks_;  // the next one to load, and those of a row
  uint32_t offset_, load_;
  Lds *read_, *read_lhs_, *read_rhs_;
  uint32_t lhs_, rhs_;  // where this wave's rows and columns begin in a buffer
};

}  // namespace jaxgemm
