// The main loop of tiles with 16 rows, for products that read rhs once and do little else. Each
// wave loads its part of every k tile straight to registers, as the matrix instructions take it,
// several k tiles ahead. It needs no barrier and no LDS until the waves add up their accumulators.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/gfx942/ocp_float8.h"
#include "amdgpu/load_by_element.h"
#include "amdgpu/mainloop_end.h"
#include "amdgpu/mfma.h"
#include "amdgpu/transpose.h"

namespace jaxgemm {

// One operand, as a wave loads it. The wave's part of a k tile has eight vectors of each row, of
// which lane l has vectors l / 16 and l / 16 + 4.
//
// If the operand is not k-contiguous, a lane loads neighbouring rows at each k, one for each
// fragment: fragment f then has the rows kFrags (l % 16) + f.
template <class Traits, bool kIsLhs>
class StreamedOperand {
  using Memory = OperandMemory<Traits, kIsLhs>;
  static constexpr bool kKContiguous = Memory::kKContiguous;
  static constexpr int kBytes = Traits::kBytes, kVecElements = Traits::kVecElements;
  static constexpr int kVecs = kRowVecs / 4;  // vectors that a lane has of a row

 public:
  static constexpr int kFrags = Memory::kTileRows / 16;
  static constexpr bool kInterleaved = !kKContiguous && kFrags > 1;
  static constexpr int kPieceBytes = kKContiguous ? kVecBytes : kFrags * kBytes;
  static_assert(kPieceBytes == 4 || kKContiguous, "a piece is one word");
  static constexpr int kLoads = kKContiguous ? kVecs * kFrags : kVecs * kVecElements;
  using Piece = PieceOf<kPieceBytes>;
  using Pieces = Piece[kLoads];

  JAXGEMM_AMD StreamedOperand(const Memory& memory, Index tile, Index k_tile)
      : line_bytes_(static_cast<uint32_t>(memory.line_bytes)),
        before_row_(static_cast<uint32_t>(memory.FirstRow(tile) * kBytes)),
        step_(memory.TileStep()) {
    const uint32_t of_wave = WaveId() * (kKContiguous ? kRowBytes : Traits::kWaveK * line_bytes_);
    resource_ = MakeResource(memory.TileBase(tile, k_tile) + of_wave);
    const uint32_t group = LaneId() / 16;
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      const uint32_t row = memory.RowInMemory(tile, kKContiguous ? Row(i / kVecs) : Row(0),
                                              kKContiguous ? 1 : kFrags);
      offset_[i] = kKContiguous ? row * line_bytes_ + (group + i % kVecs * 4) * kVecBytes
                                : group * kVecElements * line_bytes_ + row * kBytes;
    }
  }

  // The row of the tile that this lane has in fragment `frag`.
  static JAXGEMM_AMD uint32_t Row(int frag) {
    return kInterleaved ? LaneId() % 16 * kFrags + frag : 16 * frag + LaneId() % 16;
  }
  // Loads of the current k tile return zeros from its `k_left`-th k on.
  JAXGEMM_AMD void MaskK(uint32_t k_left) {
    const int left = static_cast<int>(k_left) - WaveId() * Traits::kWaveK;
    if (left <= 0) {
      Close();
    } else if constexpr (kKContiguous) {
#pragma unroll
      for (int i = 0; i < kOffsets; ++i) {
        const int vec = LaneId() / 16 + i % kVecs * 4;
        if (vec * kVecElements >= left) offset_[i] = kOutsideBuffer;
      }
    } else if (left < Traits::kWaveK) {
      resource_[2] = left * line_bytes_ - before_row_;
    }
  }
  JAXGEMM_AMD void Close() { jaxgemm::Close(resource_); }
  JAXGEMM_AMD void NextTile() { Advance(resource_, step_); }

  // Starts the loads of the current k tile.
  JAXGEMM_AMD void Load(Pieces& pieces) const {
    const auto resource = __builtin_amdgcn_make_buffer_rsrc(
        reinterpret_cast<void*>(resource_[0] | uint64_t{resource_[1]} << 32), 0, resource_[2],
        resource_[3]);
    // Without this asm the compiler keeps the offsets of all lines in registers.
    uint32_t line_bytes = line_bytes_;
    asm volatile("" : "+s"(line_bytes));
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if constexpr (kKContiguous) {
        pieces[i] = __builtin_amdgcn_raw_buffer_load_b128(resource, offset_[i], 0, 0);
      } else {
        // The line's offset goes into SOFFSET, an SGPR. The bounds check of a raw buffer compares
        // the lane's offset plus SOFFSET with NUM_RECORDS.
        const int line = i / kVecElements * 4 * kVecElements + i % kVecElements;
        pieces[i] =
            __builtin_amdgcn_raw_buffer_load_b32(resource, offset_[0], line * line_bytes, 0);
      }
    }
  }
  // Vector `i` of a fragment.
  static JAXGEMM_AMD Vec16 Fragment(const Pieces& pieces, int frag, int i) {
    if constexpr (kKContiguous) {
      return ToLds<Traits>(pieces[frag * kVecs + i]);
    } else {
      return ToLds<Traits>(Transposed<kBytes>(pieces + i * kVecElements, frag));
    }
  }

 private:
  static constexpr int kOffsets = kKContiguous ? kLoads : 1;

  Resource resource_;
  uint32_t line_bytes_, before_row_, step_;
  uint32_t offset_[kOffsets];
};

template <class Traits>
class FewRowsMainloop {
  using Lhs = StreamedOperand<Traits, true>;
  using Rhs = StreamedOperand<Traits, false>;
  using Sum4 = typename Traits::Sum4;
  using LdsSum4 = __attribute__((address_space(3))) Sum4;
  static_assert(Traits::kTileM == 16 && Lhs::kFrags == 1 && !Lhs::kInterleaved);
  static constexpr int kFrags = Rhs::kFrags, kFours = Traits::kTileN / 4;
  static constexpr int kVecs = kRowVecs / 4;
  // How many k tiles a wave loads ahead: as many as fit in 96 VGPRs (a number chosen by hand), but
  // with at most 63 loads in flight, because vmcnt has 6 bits. If two k tiles have more loads than
  // that, only the VGPRs are the limit.
  static constexpr int kWords = (Rhs::kLoads * Rhs::kPieceBytes + Lhs::kLoads * kVecBytes) / 4;
  static constexpr int kFit = 96 / kWords, kCounted = 63 / (Rhs::kLoads + Lhs::kLoads);
  static constexpr int kAhead = kFit < kCounted || kCounted < 2 ? kFit : kCounted;
  static_assert(kAhead >= 2);

 public:
  // Whether neighbouring tiles read parts of the same cache lines of rhs. They do if rhs is not
  // k-contiguous: a tile's 32 columns of 2 bytes at one k are half a cache line of 128 bytes.
  static constexpr bool kSharesLines = Rhs::kInterleaved;
  static constexpr int kLdsBytes = Traits::kWavesK * Traits::kTileM * Traits::kTileN * 4;

  // The row of the tile, and the group of four columns, of which this thread gets the accumulators.
  static JAXGEMM_AMD int SumRow() { return ThreadId() / kFours; }
  static JAXGEMM_AMD int SumFour() { return ThreadId() % kFours; }

  // The accumulators of a wave, for its part of k and for each fragment of rhs.
  using WaveSums = Sum4[kFrags];

  // Sets the accumulators of the threads that have some, HasSums(). Other waves may still use LDS
  // when this is called, and when it returns.
  static JAXGEMM_AMD void Run(const GemmArgs& args, const WorkTile& tile, Lds* lds,
                              typename Traits::Sums& out) {
    const OperandMemory<Traits, true> lhs(args, tile);
    const OperandMemory<Traits, false> rhs(args, tile);
    WaveSums sums;
    if (tile.k_begin < tile.k_end && lhs.FitsVectors() && rhs.FitsVectors()) {
      RunVectors(lhs, rhs, tile, sums);
    } else {
      RunElements(lhs, rhs, tile, sums);
    }
    AddWaves(sums, lds, out);
  }

  // Sets the accumulators of a wave from operands that FitsVectors(); there must be k tiles.
  static JAXGEMM_AMD void RunVectors(const OperandMemory<Traits, true>& lhs_memory,
                                     const OperandMemory<Traits, false>& rhs_memory,
                                     const WorkTile& tile, WaveSums& sums) {
    Lhs lhs(lhs_memory, tile.m, tile.k_begin);
    Rhs rhs(rhs_memory, tile.n, tile.k_begin);
    const uint32_t k_in_last = lhs_memory.KLeft(tile.k_end - 1);
    struct {
      typename Rhs::Pieces rhs;
      typename Lhs::Pieces lhs;
    } loaded[kAhead];
    Index left = tile.k_end - tile.k_begin, not_loaded = left;
    auto load = [&](int ahead) __attribute__((always_inline)) {
      CheckEnd(lhs, rhs, not_loaded--, k_in_last);
      rhs.Load(loaded[ahead].rhs);
      lhs.Load(loaded[ahead].lhs);
      lhs.NextTile();
      rhs.NextTile();
    };
#pragma unroll
    for (int i = 0; i < kAhead; ++i) load(i);
    Clear(sums);
    // After the last k tile the loads return zeros.
#pragma clang loop unroll(disable)
    for (; left > 0; left -= kAhead) {
#pragma unroll
      for (int ahead = 0; ahead < kAhead; ++ahead) {
        __builtin_amdgcn_sched_barrier(0);
#pragma unroll
        for (int vec = 0; vec < kVecs; vec += VecsPerMma<Traits>()) {
          Multiply([&](int i) { return Lhs::Fragment(loaded[ahead].lhs, 0, vec + i); },
                   [&](int frag, int i) { return Rhs::Fragment(loaded[ahead].rhs, frag, vec + i); },
                   sums);
        }
        __builtin_amdgcn_sched_barrier(0);
        load(ahead);
      }
    }
  }

  // Adds up the accumulators of all waves, and gives the results to the threads that HasSums().
  static JAXGEMM_AMD void AddWaves(const WaveSums& sums, Lds* lds, typename Traits::Sums& out) {
    Barrier();
    Write(sums, lds);
    Barrier();
    out[0][0] = 0;
    if (Traits::HasSums()) {
      // The waves are added in order, so every run gives the same bits.
#pragma unroll
      for (int wave = 0; wave < Traits::kWavesK; ++wave) {
        out[0][0] += *At(lds, wave, SumRow(), SumFour());
      }
    }
  }

 private:
  static JAXGEMM_AMD void Clear(WaveSums& sums) {
#pragma unroll
    for (Sum4& sum : sums) sum = 0;
  }

  // For operands with lines that are not whole vectors.
  static JAXGEMM_AMD void RunElements(const OperandMemory<Traits, true>& lhs,
                                      const OperandMemory<Traits, false>& rhs, const WorkTile& tile,
                                      WaveSums& sums) {
    Clear(sums);
#pragma clang loop unroll(disable)
    for (Index k_tile = tile.k_begin; k_tile < tile.k_end; ++k_tile) {
      const int64_t k = int64_t{k_tile} * Traits::kTileK;
#pragma clang loop unroll(disable)
      for (int vec = 0; vec < kVecs; vec += VecsPerMma<Traits>()) {
        Vec16 lhs_vecs[VecsPerMma<Traits>()], rhs_vecs[VecsPerMma<Traits>()];
        auto load = [&](const auto& operand, Index at, int row, auto& vecs)
                        __attribute__((always_inline)) {
#pragma unroll
          for (int i = 0; i < VecsPerMma<Traits>(); ++i) {
            const int of_row = WaveId() * kRowVecs + LaneId() / 16 + 4 * (vec + i);
            asm volatile("" : "+v"(row));
            vecs[i] = ToLds<Traits>(LoadByElement(operand, at, k, row, of_row));
            // Without this asm and the one on `row` above, the compiler would compute the addresses
            // of all vectors at once, and there are not enough VGPRs for them.
            asm volatile("" : "+v"(vecs[i])::"memory");
          }
        };
        load(lhs, tile.m, Lhs::Row(0), lhs_vecs);
#pragma unroll
        for (int frag = 0; frag < kFrags; ++frag) {
          load(rhs, tile.n, Rhs::Row(frag), rhs_vecs);
          sums[frag] = Mma<Traits>(lhs_vecs, rhs_vecs, sums[frag]);
        }
      }
    }
  }

  // One Mma for each fragment. `lhs` and `rhs` return the fragment's vectors.
  template <class LhsVec, class RhsVec>
  static JAXGEMM_AMD void Multiply(LhsVec&& lhs, RhsVec&& rhs, WaveSums& sums) {
    constexpr int kAtOnce = VecsPerMma<Traits>();
    Vec16 lhs_vecs[kAtOnce], rhs_vecs[kFrags][kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      lhs_vecs[i] = lhs(i);
#pragma unroll
      for (int frag = 0; frag < kFrags; ++frag) rhs_vecs[frag][i] = rhs(frag, i);
    }
#pragma unroll
    for (int part = 0; part < PartsPerMma<Traits>(); ++part) {
#pragma unroll
      for (int frag = 0; frag < kFrags; ++frag) {
        sums[frag] = MmaPart<Traits>(part, lhs_vecs, rhs_vecs[frag], sums[frag]);
      }
    }
  }

  // Where four columns of a row of a wave's accumulators are in LDS. They are swizzled, because
  // neighbouring lanes write neighbouring rows.
  static JAXGEMM_AMD LdsSum4* At(Lds* lds, int wave, int row, int four) {
    return reinterpret_cast<LdsSum4*>(lds) + (wave * Traits::kTileM + row) * kFours +
           (four ^ row % kFours);
  }
  // Writes a wave's accumulators to LDS. Of each fragment of rhs, lane l has those of four rows
  // from 4 (l / 16) on, which are columns of out. If the fragments are not interleaved, these are
  // four neighbouring columns. If they are interleaved, the lane's accumulators of all fragments
  // together are 4 kFrags neighbouring columns.
  static JAXGEMM_AMD void Write(const WaveSums& sums, Lds* lds) {
    const int group = LaneId() / 16;
#pragma unroll
    for (int i = 0; i < kFrags; ++i) {
      Sum4 four = sums[i];
      if constexpr (Rhs::kInterleaved) {
#pragma unroll
        for (int j = 0; j < 4; ++j) four[j] = sums[(4 * i + j) % kFrags][(4 * i + j) / kFrags];
      }
      *At(lds, WaveId(), LaneId() % 16, Rhs::kInterleaved ? group * kFrags + i : 4 * i + group) =
          four;
    }
  }
};

}  // namespace jaxgemm
