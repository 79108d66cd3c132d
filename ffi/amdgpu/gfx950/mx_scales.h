// Scales of operands in an MX format on gfx950. A row of lhs, or a column of rhs, has a scale in
// E8M0 for each 32 k. The matrix instruction multiplies by them.
//
// A chunk here is the 16 scales of a row (or column) for 512 k; the chunks of all rows are
// neighbours in memory. Every lane of the workgroup loads the chunk of one row or column straight
// to LDS. A matrix instruction multiplies 128 k. Word b of a chunk has the scales of the b-th 32 k
// of each of these. So a lane reads one word for each fragment and chunk: word lane / 16 of row (or
// column) lane % 16. The instruction takes its scale from one of the lowest bytes of the word, and
// for the next k tile the word is rotated.
#pragma once

#include "amdgpu/block_scales.h"
#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "kernel/gemm_args.h"

namespace jaxgemm {

template <class Traits>
class MxScales : public NoScales {
  static constexpr int kMmas = Traits::kTileK * Traits::kPacked / 128;  // along k in a k tile
  static constexpr int kTiles = 4 / kMmas;                              // k tiles of a chunk
  static constexpr int kTileBits = 8 * kMmas;  // bits of a word that are for one k tile
  static constexpr int kChunkBytes = kVecBytes * (Traits::kTileM + Traits::kTileN);
  static_assert(Traits::kTileM == Traits::kTileN);
  static_assert(Traits::kThreads == 2 * Traits::kTileM, "a lane loads one row or column");
  using LdsWord = __attribute__((address_space(3))) uint32_t;

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
    lds += LaneId() % 16 * kVecBytes + LaneId() / 16 * 4;
    read_lhs_ = lds + Traits::WaveM() * Traits::kWaveM * kVecBytes;
    read_rhs_ = lds + (Traits::kTileM + Traits::WaveN() * Traits::kWaveN) * kVecBytes;
  }

  // Starts to load the chunk of the first k tile, and the next chunk.
  JAXGEMM_AMD void Start() {
    asm volatile("s_nop 4" : "+s"(resource_));  // see Operand::WaitSgprHazard
    LoadChunk();
    LoadChunk();
  }
  // Starts to load the next chunk, if this k tile is the first one of its own.
  JAXGEMM_AMD void Load(Index k_tile) {
    if (k_tile == (chunk_ - 1) * kTiles) LoadChunk();
  }
  // Reads the first k tile's scales for half 0; and the words for half 1, rotated so that Read then
  // gets the scales of the first k tile.
  template <int kFragsM, int kFragsN>
  JAXGEMM_AMD void ReadFirst(Index k_tile, uint32_t (&lhs0)[kFragsM], uint32_t (&rhs0)[kFragsN],
                             uint32_t (&lhs1)[kFragsM], uint32_t (&rhs1)[kFragsN]) const {
    ReadWords<0>(k_tile, lhs0, rhs0);
    ReadWords<1>(k_tile, lhs1, rhs1);
    const uint32_t rotation = static_cast<uint32_t>(k_tile) * kTileBits;
    Rotate(rotation, lhs0, rhs0);
    Rotate(rotation - kTileBits, lhs1, rhs1);
  }
  // Replaces the scales of the k tile before by those of this one, for the fragments of a half of
  // this wave's rows and columns.
  template <int kHalf, int kFragsM, int kFragsN>
  JAXGEMM_AMD void Read(Index k_tile, uint32_t (&lhs)[kFragsM], uint32_t (&rhs)[kFragsN]) const {
    Rotate(kTileBits, lhs, rhs);
    // Without this asm the compiler computes the next address on both sides of the branch.
    asm volatile("" : "+s"(k_tile));
    if (__builtin_expect(k_tile % kTiles == 0, false)) ReadWords<kHalf>(k_tile, lhs, rhs);
  }

 private:
  // k tiles are not negative. If the compiler knows that, it needs fewer instructions.
  static JAXGEMM_AMD uint32_t Chunk(Index k_tile) { return static_cast<uint32_t>(k_tile) / kTiles; }
  static JAXGEMM_AMD uint32_t Buffer(uint32_t chunk) { return chunk % 2 * kChunkBytes; }

  template <int kHalf, int kFragsM, int kFragsN>
  JAXGEMM_AMD void ReadWords(Index k_tile, uint32_t (&lhs)[kFragsM],
                             uint32_t (&rhs)[kFragsN]) const {
    const uint32_t buffer = Buffer(Chunk(k_tile));
    Lds *of_lhs = read_lhs_ + buffer, *of_rhs = read_rhs_ + buffer;
#pragma unroll
    for (int i = 0; i < kFragsM; ++i) {
      lhs[i] = *reinterpret_cast<LdsWord*>(of_lhs + 16 * (kHalf * kFragsM + i) * kVecBytes);
    }
#pragma unroll
    for (int i = 0; i < kFragsN; ++i) {
      rhs[i] = *reinterpret_cast<LdsWord*>(of_rhs + 16 * (kHalf * kFragsN + i) * kVecBytes);
    }
  }
  static JAXGEMM_AMD void Rotate(uint32_t bits, auto&... words) {
    auto rotate = [bits](auto& all) {
#pragma unroll
      for (uint32_t& word : all) {
        word = __builtin_rotateright32(word, bits);
        // Without this asm the compiler rotates in a branch of its own, and then the loop has two
        // ends.
        asm volatile("" : "+v"(word));
      }
    };
    (rotate(words), ...);
  }

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
  Index chunk_, num_chunks_;  // the next chunk to load, and the chunks of a row
  uint32_t offset_, load_;
  Lds *read_lhs_, *read_rhs_;  // where this lane's rows and columns begin in the first buffer
};

}  // namespace jaxgemm
