// A variant of amdgpu/mainloop.h for tiles of 16 and of 32 rows, in which the waves of a workgroup
// divide k. Each wave loads its part of every k tile straight to registers, as the matrix
// instructions take it, two or three k tiles ahead. It needs no barrier and no LDS until the waves
// add up their accumulators. So a product of few tiles, which would wait for the latency of each k
// tile's loads in other kernels, has more loads in flight.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/gfx942/ocp_float8.h"
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
  static_assert(kPieceBytes >= 4, "pieces are loaded as whole words");
  static constexpr int kLoads = kKContiguous ? kVecs * kFrags : kVecs * kVecElements;
  using Piece = PieceOf<kPieceBytes>;
  using Pieces = Piece[kLoads];

  JAXGEMM_AMD StreamedOperand(const Memory& memory, Index tile, Index k_tile)
      : line_bytes_(static_cast<uint32_t>(memory.line_bytes)),
        before_row_(static_cast<uint32_t>(memory.FirstRow(tile) * kBytes)),
        step_(memory.TileStep()) {
    const uint32_t of_wave =
        Traits::WaveK() * (kKContiguous ? kRowBytes : Traits::kWaveK * line_bytes_);
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
  // Takes the offsets of gathered rows, before the first loads. Calls load_other(), which may start
  // other loads, while the indices are loaded.
  JAXGEMM_AMD void Gather(const Memory& memory, Index tile, Index k_tile, auto&& load_other) {
    // The compiler does not know that the loads before are done on each path to here, and would
    // wait for the indices and the other loads together.
    WaitUntil<0, kAnyLds>();
    uint32_t rows[kFrags];
#pragma unroll
    for (int i = 0; i < kFrags; ++i) rows[i] = memory.RowInMemory(tile, Row(i), 1);
    memory.LoadIndices(tile, rows);
    load_other();
    const uint32_t of_wave = Traits::WaveK() * kRowBytes, records = resource_[2];
    resource_ = MakeResource(memory.GatheredBase(tile, k_tile) + of_wave);
    resource_[2] = records;
    memory.ToOffsets(rows);
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      const uint32_t offset = rows[i / kVecs] + (LaneId() / 16 + i % kVecs * 4) * kVecBytes;
      if (offset_[i] < kOutsideBuffer) offset_[i] = offset;  // else MaskK has set it
    }
  }

  // The row of the tile that this lane has in fragment `frag`.
  static JAXGEMM_AMD uint32_t Row(int frag) { return Row(frag, LaneId()); }
  static JAXGEMM_AMD uint32_t Row(int frag, uint32_t lane) {
    return kInterleaved ? lane % 16 * kFrags + frag : 16 * frag + lane % 16;
  }
  // Loads of the current k tile return zeros from its `k_left`-th k on.
  JAXGEMM_AMD void MaskK(uint32_t k_left) {
    const int left = static_cast<int>(k_left) - Traits::WaveK() * Traits::kWaveK;
    if (Traits::kWavesK > 1 && left <= 0) {
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
    // Without this asm the compiler keeps the offsets of all lines in registers.
    uint32_t line_bytes = line_bytes_;
    asm volatile("" : "+s"(line_bytes));
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      // The line's offset goes into SOFFSET, an SGPR. The bounds check of a raw buffer compares the
      // lane's offset plus SOFFSET with NUM_RECORDS.
      const int line = kKContiguous ? 0 : i / kVecElements * 4 * kVecElements + i % kVecElements;
      const uint32_t offset = offset_[i % kOffsets], line_offset = line * line_bytes;
      pieces[i] = LoadBuffer<Piece>(resource_, offset, line_offset);
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

// A variant of StreamedOperand for lines that are not whole vectors: it loads each element
// separately.
template <class Traits, bool kIsLhs>
class StreamedElements {
  using Memory = OperandMemory<Traits, kIsLhs>;
  using Vectors = StreamedOperand<Traits, kIsLhs>;
  static constexpr bool kKContiguous = Memory::kKContiguous;
  static constexpr int kBytes = Traits::kBytes, kVecElements = Traits::kVecElements;
  using Bits = typename SelectType<kBytes == 4, uint32_t,
                                   typename SelectType<kBytes == 2, uint16_t, uint8_t>::Type>::Type;

 public:
  static constexpr int kFrags = Vectors::kFrags;
  struct Vec {
    Bits element[kVecElements];

    JAXGEMM_AMD Vec16 Pack() const {
      Vec16 packed;
      __builtin_memcpy(&packed, element, sizeof(packed));
      return ToLds<Traits>(packed);
    }
  };

  // `k_left` k are in the operand from k tile `k_tile` on.
  JAXGEMM_AMD StreamedElements(const Memory& memory, Index tile, Index k_tile, uint32_t k_left)
      : line_bytes_(static_cast<uint32_t>(memory.line_bytes)) {
    const uint32_t of_wave =
        Traits::WaveK() * (kKContiguous ? kRowBytes : Traits::kWaveK * line_bytes_);
    resource_ = MakeResource(memory.TileBase(tile, k_tile) + of_wave);
    left_ = static_cast<int>(k_left) - Traits::WaveK() * Traits::kWaveK;
    if (!kKContiguous && left_ < Traits::kWaveK) {
      const auto before_row = static_cast<uint32_t>(memory.FirstRow(tile) * kBytes);
      resource_[2] = left_ > 0 ? left_ * line_bytes_ - before_row : 0;
    }
    const uint32_t group = LaneId() / 16;
#pragma unroll
    for (int i = 0; i < kFrags; ++i) {
      const uint32_t row = memory.RowInMemory(tile, Vectors::Row(i), 1);
      offset_[i] = kKContiguous ? row * line_bytes_ + group * kVecBytes
                                : group * kVecElements * line_bytes_ + row * kBytes;
    }
    if constexpr (kKContiguous) {
      if (__builtin_expect(!memory.GathersRows(), true)) return;
      resource_ = MakeResource(memory.GatheredBase(tile, k_tile) + of_wave);
#pragma unroll
      for (int i = 0; i < kFrags; ++i) offset_[i] = memory.RowInMemory(tile, Vectors::Row(i), 1);
      memory.LoadIndices(tile, offset_);
      memory.ToOffsets(offset_);
#pragma unroll
      for (uint32_t& offset : offset_) offset += group * kVecBytes;
    }
  }
  // Starts to load the lane's vector `vec` of fragment `frag`. Elements beyond k are zeros.
  template <bool kIsWhole>
  JAXGEMM_AMD void Load(int frag, int vec, Vec& loaded) const {
    const int inside = left_ - (LaneId() / 16 + 4 * vec) * kVecElements;
#pragma unroll
    for (int i = 0; i < kVecElements; ++i) {
      uint32_t offset = offset_[frag], line_offset = 0;
      if constexpr (kKContiguous) {
        offset += vec * 4 * kVecBytes + i * kBytes;
        if (!kIsWhole && i >= inside) offset = kOutsideBuffer;
      } else {
        line_offset = (vec * 4 * kVecElements + i) * line_bytes_;
      }
      loaded.element[i] = LoadBuffer<Bits>(resource_, offset, line_offset);
    }
  }

 private:
  Resource resource_;
  uint32_t line_bytes_;
  int left_;  // k of this wave's part of the k tile
  uint32_t offset_[kFrags];
};

template <class Traits>
class FewRowsMainloop {
  using Lhs = StreamedOperand<Traits, true>;
  using Rhs = StreamedOperand<Traits, false>;
  using Acc4 = typename Traits::Acc4;
  using LdsAcc4 = __attribute__((address_space(3))) Acc4;
  static constexpr int kFragsM = Lhs::kFrags, kFragsN = Rhs::kFrags;
  static constexpr int kVec4s = Traits::kTileN / 4;
  static constexpr int kVecs = kRowVecs / 4;
  // How many k tiles a wave loads ahead: as many as fit in 96 VGPRs, but at most three (tuning
  // constants), and with at most 63 loads in flight, because vmcnt has 6 bits. If two k tiles have
  // more loads than that, it loads two.
  static constexpr int kWords =
      (Rhs::kLoads * Rhs::kPieceBytes + Lhs::kLoads * Lhs::kPieceBytes) / 4;
  static constexpr int kFit = kWords > 96 / 3 ? 96 / kWords : 3;
  static constexpr int kCounted = 63 / (Rhs::kLoads + Lhs::kLoads);
  static constexpr int kAhead = kCounted < 2 ? 2 : kFit < kCounted ? kFit : kCounted;
  static_assert(kFit >= 2);

 public:
  // Whether neighbouring tiles read parts of the same cache lines of rhs. They do if rhs is not
  // k-contiguous: a tile's 32 columns of 2 bytes at one k are half a cache line of 128 bytes.
  static constexpr bool kTilesShareCacheLines =
      Rhs::kInterleaved && Traits::kTileN * Traits::kBytes < kRowBytes;
  static constexpr int kLdsBytes = Traits::kWavesK * Traits::kTileM * Traits::kTileN * 4;

  // The accumulators of a wave, for its part of k.
  using WaveAccumulators = Acc4[kFragsM][kFragsN];

  // Sets the accumulators of the threads that have some, HasAccumulators(). Other waves may still
  // use LDS when this is called, and when it returns.
  static JAXGEMM_AMD void Run(const GemmArgs& args, const WorkTile& tile, Lds* lds,
                              typename Traits::Accumulators& out) {
    const OperandMemory<Traits, true> lhs(args, tile);
    const OperandMemory<Traits, false> rhs(args, tile);
    Barrier();
    WaveAccumulators acc;
    if (tile.k_begin < tile.k_end && lhs.FitsVectors() && rhs.FitsVectors()) {
      RunVectors(lhs, rhs, tile, acc);
    } else {
      RunElements(lhs, rhs, tile, acc);
    }
    AddWaves(acc, lds, out);
  }

  // Sets the accumulators of a wave from operands that FitsVectors(); there must be k tiles.
  static JAXGEMM_AMD void RunVectors(const OperandMemory<Traits, true>& lhs_memory,
                                     const OperandMemory<Traits, false>& rhs_memory,
                                     const WorkTile& tile, WaveAccumulators& acc) {
    Lhs lhs(lhs_memory, tile.m, tile.k_begin);
    Rhs rhs(rhs_memory, tile.n, tile.k_begin);
    const uint32_t k_in_last = lhs_memory.KLeft(tile.k_end - 1);
    struct {
      typename Rhs::Pieces rhs;
      typename Lhs::Pieces lhs;
    } loaded[kAhead];
    Index left = tile.k_end - tile.k_begin, not_loaded = left;
    auto load = [&](int ahead, bool first = false) __attribute__((always_inline)) {
#if defined(__gfx90a__)
      // Seven wait states are needed between a matrix instruction's read of accumulators and a
      // write to them. Across the branches before these loads clang keeps only five.
      asm volatile("s_nop 1");
#endif
      CheckEnd(lhs, rhs, not_loaded--, k_in_last);
      if (first) {
        auto load_rhs = [&]() __attribute__((always_inline)) { rhs.Load(loaded[ahead].rhs); };
        if (__builtin_expect(lhs_memory.GathersRows(), false)) {
          lhs.Gather(lhs_memory, tile.m, tile.k_begin, load_rhs);
        } else {
          load_rhs();
        }
        lhs.Load(loaded[ahead].lhs);
      } else {
        lhs.Load(loaded[ahead].lhs);
        rhs.Load(loaded[ahead].rhs);
      }
      lhs.NextTile();
      rhs.NextTile();
    };
    auto multiply = [&](int ahead) __attribute__((always_inline)) {
      __builtin_amdgcn_sched_barrier(0);
      MultiplyTile(loaded[ahead].lhs, loaded[ahead].rhs, acc);
      __builtin_amdgcn_sched_barrier(0);
    };
    load(0, /*first=*/true);
    ClearAccumulators(acc);
    // A single k tile is multiplied here, so that it does not wait until loads that return zeros
    // are issued.
    if (left == 1) return multiply(0);
#pragma unroll
    for (int i = 1; i < kAhead; ++i) load(i);
    // After the last k tile the loads return zeros. (If the loop had an exit after each k tile, the
    // compiler would wait for all loads at its begin.)
#pragma clang loop unroll(disable)
    for (; left > kAhead; left -= kAhead) {
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        multiply(i);
        load(i);
      }
    }
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (left > i) multiply(i);
    }
  }

  // Multiplies a wave's part of a k tile.
  static JAXGEMM_AMD void MultiplyTile(const typename Lhs::Pieces& lhs,
                                       const typename Rhs::Pieces& rhs, WaveAccumulators& acc) {
#pragma unroll
    for (int vec = 0; vec < kVecs; vec += VecsPerMma<Traits>()) {
      Multiply([&](int frag, int i) { return Lhs::Fragment(lhs, frag, vec + i); },
               [&](int frag, int i) { return Rhs::Fragment(rhs, frag, vec + i); }, acc);
    }
  }

  // Adds up the accumulators of all waves, and gives the results to the threads that
  // HasAccumulators(). No wave may still use LDS when this is called.
  static JAXGEMM_AMD void AddWaves(const WaveAccumulators& acc, Lds* lds,
                                   typename Traits::Accumulators& out) {
    Write(acc, lds);
    Barrier();
    ClearAccumulators(out);
    if (!Traits::HasAccumulators()) return;
    Acc4 of_waves[Traits::kWavesK][Traits::kAccM];
    const int thread = ThreadId();
#pragma unroll
    for (int wave = 0; wave < Traits::kWavesK; ++wave) {
#pragma unroll
      for (int i = 0; i < Traits::kAccM; ++i) {
        const int vec4 = i * Traits::kAccThreads + thread;
        of_waves[wave][i] = *At(lds, wave, vec4 / kVec4s, vec4 % kVec4s);
      }
    }
    // Without this the compiler waits for the reads of a wave before it starts those of the next.
    __builtin_amdgcn_sched_barrier(0);
    // The waves are added in order, so every run gives the same bits.
#pragma unroll
    for (int wave = 0; wave < Traits::kWavesK; ++wave) {
#pragma unroll
      for (int i = 0; i < Traits::kAccM; ++i) out[i][0] += of_waves[wave][i];
    }
  }

 private:
  // For operands with lines that are not whole vectors. (32-bit offsets address their tiles: the
  // plan has no such kernel for others.)
  static JAXGEMM_AMD void RunElements(const OperandMemory<Traits, true>& lhs,
                                      const OperandMemory<Traits, false>& rhs, const WorkTile& tile,
                                      WaveAccumulators& acc) {
    ClearAccumulators(acc);
#pragma clang loop unroll(disable)
    for (Index k_tile = tile.k_begin; k_tile < tile.k_end; ++k_tile) {
      // Without this asm the compiler keeps all addresses in registers and advances each of them.
      asm volatile("" : "+s"(k_tile));
      const uint32_t left = lhs.KLeft(k_tile);
      const StreamedElements<Traits, true> of_lhs(lhs, tile.m, k_tile, left);
      const StreamedElements<Traits, false> of_rhs(rhs, tile.n, k_tile, left);
      if (left == Traits::kTileK) {
        MultiplyElements<true>(of_lhs, of_rhs, acc);
      } else if (static_cast<int>(left) > Traits::WaveK() * Traits::kWaveK) {
        MultiplyElements<false>(of_lhs, of_rhs, acc);
      }
      // Across the branches clang keeps a wait state too few between a matrix instruction and a
      // copy of its result.
      asm volatile("s_nop 1");
#pragma unroll
      for (auto& row : acc) {
#pragma unroll
        for (auto& acc4 : row) asm volatile("" : "+v"(acc4));
      }
    }
  }
  // Multiplies a wave's part of a k tile.
  template <bool kIsWhole>
  static JAXGEMM_AMD void MultiplyElements(const StreamedElements<Traits, true>& lhs,
                                           const StreamedElements<Traits, false>& rhs,
                                           WaveAccumulators& acc) {
    constexpr int kAtOnce = VecsPerMma<Traits>();
    if constexpr (Traits::kBytes == 1) return MultiplyBytes<kIsWhole>(lhs, rhs, acc);
    // If the VGPRs have room for all elements of the k tile, all its loads are in flight together.
    // Else only those of one matrix instruction are.
    constexpr int kAll = (kFragsM + kFragsN) * kVecs * Traits::kVecElements;
    constexpr int kStep = kAll <= 64 ? kVecs : kAtOnce;
#pragma clang loop unroll(disable)
    for (int first = 0; first < kVecs; first += kStep) {
      typename StreamedElements<Traits, true>::Vec lhs_vecs[kFragsM][kStep];
      typename StreamedElements<Traits, false>::Vec rhs_vecs[kFragsN][kStep];
#pragma unroll
      for (int i = 0; i < kStep; ++i) {
        const int vec = kStep == kVecs ? i : first + i;
#pragma unroll
        for (int frag = 0; frag < kFragsM; ++frag) {
          lhs.template Load<kIsWhole>(frag, vec, lhs_vecs[frag][i]);
        }
#pragma unroll
        for (int frag = 0; frag < kFragsN; ++frag) {
          rhs.template Load<kIsWhole>(frag, vec, rhs_vecs[frag][i]);
        }
      }
      __builtin_amdgcn_sched_barrier(0);
#pragma unroll
      for (int i = 0; i < kStep; i += kAtOnce) {
        Multiply([&](int frag, int vec) { return lhs_vecs[frag][i + vec].Pack(); },
                 [&](int frag, int vec) { return rhs_vecs[frag][i + vec].Pack(); }, acc);
      }
    }
  }

  // The same for elements of a byte, of which the VGPRs have room for those of one fragment.
  template <bool kIsWhole>
  static JAXGEMM_AMD void MultiplyBytes(const StreamedElements<Traits, true>& lhs,
                                        const StreamedElements<Traits, false>& rhs,
                                        WaveAccumulators& acc) {
    using LhsVec = typename StreamedElements<Traits, true>::Vec;
    using RhsVec = typename StreamedElements<Traits, false>::Vec;
    auto packed = [](const auto& operand, int frag, int vec, auto elements)
                      __attribute__((always_inline)) {
      operand.template Load<kIsWhole>(frag, vec, elements);
      __builtin_amdgcn_sched_barrier(0);
      return elements.Pack();
    };
#pragma clang loop unroll(disable)
    for (int first = 0; first < kVecs; first += VecsPerMma<Traits>()) {
      Multiply([&](int frag, int i) { return packed(lhs, frag, first + i, LhsVec()); },
               [&](int frag, int i) { return packed(rhs, frag, first + i, RhsVec()); }, acc);
    }
  }

  // One Mma for each fragment of out. `lhs` and `rhs` return the vectors of their fragments.
  template <class LhsVec, class RhsVec>
  static JAXGEMM_AMD void Multiply(LhsVec&& lhs, RhsVec&& rhs, WaveAccumulators& acc) {
    constexpr int kAtOnce = VecsPerMma<Traits>();
    Vec16 lhs_vecs[kFragsM][kAtOnce], rhs_vecs[kFragsN][kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
#pragma unroll
      for (int frag = 0; frag < kFragsM; ++frag) lhs_vecs[frag][i] = lhs(frag, i);
#pragma unroll
      for (int frag = 0; frag < kFragsN; ++frag) rhs_vecs[frag][i] = rhs(frag, i);
    }
#pragma unroll
    for (int part = 0; part < PartsPerMma<Traits>(); ++part) {
#pragma unroll
      for (int i = 0; i < kFragsM; ++i) {
#pragma unroll
        for (int j = 0; j < kFragsN; ++j) {
          acc[i][j] = MmaPart<Traits>(part, lhs_vecs[i], rhs_vecs[j], acc[i][j]);
        }
      }
    }
  }

  // Where four columns of a row of a wave's accumulators are in LDS. They are swizzled, because
  // neighbouring lanes write neighbouring rows.
  static JAXGEMM_AMD LdsAcc4* At(Lds* lds, int wave, int row, int vec4) {
    return reinterpret_cast<LdsAcc4*>(lds) + (wave * Traits::kTileM + row) * kVec4s +
           (vec4 ^ row % kVec4s);
  }
  // Writes a wave's accumulators to LDS. Of each fragment of rhs, lane l has those of four rows
  // from 4 (l / 16) on, which are columns of out. If the fragments are not interleaved, these are
  // four neighbouring columns. If they are interleaved, the lane's accumulators of all fragments
  // together are 4 kFragsN neighbouring columns.
  static JAXGEMM_AMD void Write(const WaveAccumulators& acc, Lds* lds) {
    const int lane = LaneId(), group = lane / 16;
#pragma unroll
    for (int i = 0; i < kFragsM; ++i) {
#pragma unroll
      for (int j = 0; j < kFragsN; ++j) {
        Acc4 vec4 = acc[i][j];
        if constexpr (Rhs::kInterleaved) {
#pragma unroll
          for (int at = 0; at < 4; ++at) {
            vec4[at] = acc[i][(4 * j + at) % kFragsN][(4 * j + at) / kFragsN];
          }
        }
        *At(lds, WaveId(), Lhs::Row(i, lane),
            Rhs::kInterleaved ? group * kFragsN + j : 4 * j + group) = vec4;
      }
    }
  }
};

}  // namespace jaxgemm
