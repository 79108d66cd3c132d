// Moves one operand on gfx950: from memory straight to LDS, and from LDS to the fragments of a
// wave. (gfx942/operand.h has to go through registers.)
//
// In LDS a tile is two halves. Half h has the h-th half of every wave's rows, so that one half can
// be loaded while the other one is read. k-contiguous operands are stored as rows of kRowBytes
// along k, the others as lines of a half's rows at one k, which are transposed when they are read.
// A load puts the vectors of 64 lanes next to each other in LDS. So the addresses in memory are
// swizzled instead, to avoid bank conflicts in reads.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/mainloop_edge.h"

namespace jaxgemm {

// kGathersK: the lines are gathered along k. Then each wave loads the indices of a k tile's lines
// to one of two slots of its own in LDS, and each lane reads those of its lines from there.
template <class Traits, bool kIsLhs, bool kGathersK = false>
class Operand {
  using Memory = OperandMemory<Traits, kIsLhs>;
  static constexpr bool kKContiguous = Memory::kKContiguous;
  static constexpr int kBytes = Traits::kBytes, kVecElements = Traits::kVecElements;
  static constexpr int kWaves = Traits::kThreads / kWaveSize;
  static constexpr int kHalfRows = Memory::kTileRows / 2;
  static constexpr int kWaveRows = kIsLhs ? Traits::kWaveM : Traits::kWaveN;
  static constexpr int kWaveHalfRows = kWaveRows / 2;
  static constexpr int kHalfBytes = kHalfRows * kRowBytes;

  // Bytes of one load of a wave.
  static constexpr int kLoadBytes = kWaveSize * kVecBytes;

  // For operands that are not k-contiguous. A unit is the 16 rows of a fragment in a line. A read
  // of 16 lanes takes kLinesPerRead lines of a unit, one piece per lane, and gives each lane the k
  // of one row (CDNA4 ISA, "MFMA Transpose Load from LDS"). 4-byte elements do not need such an
  // instruction.
  static constexpr int kLineBytes = kHalfRows * kBytes, kUnitBytes = 16 * kBytes;
  static constexpr int kPieceBytes = kBytes == 4 ? 4 : 8;
  static constexpr int kLanesPerLine = kUnitBytes / kPieceBytes;
  static constexpr int kLinesPerRead = 16 / kLanesPerLine;

 public:
  static constexpr int kTileBytes = 2 * kHalfBytes;
  static constexpr int kFrags = kWaveHalfRows / 16;  // fragments of a wave in one half
  static_assert(kFrags > 0 && kWaveHalfRows % 16 == 0);
  // How many loads a wave does for a half tile. They are neighbours in LDS.
  static constexpr int kLoads = kHalfBytes / kLoadBytes / kWaves;
  static_assert(kLoads * kLoadBytes * kWaves == kHalfBytes, "each wave loads an equal part");
  static_assert(kLoads <= 4, "the immediate offset of a load has 12 bits");
  static constexpr int kWaveBytes = kLoads * kLoadBytes;
  // The slots of all waves. A load brings the indices of a k tile, and zeros.
  static constexpr int kSlotBytes = kLoadBytes, kIndexBytes = kWaves * 2 * kSlotBytes;
  static_assert(!kGathersK || (!kKContiguous && Traits::kTileK * 4 <= kSlotBytes));

  // Starts at k tile `k_tile` of tile `tile`.
  JAXGEMM_AMD Operand(const Memory& memory, Index tile, Index k_tile)
      : resource_(MakeResource(memory.TileBase(tile, k_tile) - kLastLoad)),
        step_(memory.TileStep()) {
    const auto line_bytes = static_cast<uint32_t>(memory.line_bytes);
    const uint32_t lane = LaneId();
#pragma unroll
    for (int load = 0; load < 2 * kLoads; ++load) {
      const Place place = PlaceOf(load, lane);
      const uint32_t row = memory.RowInMemory(tile, place.row, kKContiguous ? 1 : kVecElements);
      offset_[load] =
          kKContiguous ? row * line_bytes + place.k * kBytes : place.k * line_bytes + row * kBytes;
      // The hardware adds a load's immediate offset to the LDS address and to the memory address.
      // Only the LDS address needs it, so offset_ makes up for it in memory. An offset cannot be
      // negative, so the base is lower by kLastLoad, the largest immediate offset, and kLastLoad
      // minus the load's own immediate offset is added here.
      offset_[load] += ImmediateLeft(load);
    }
    if constexpr (kKContiguous) {
      if (__builtin_expect(!memory.GathersRows(), true)) return;
#pragma unroll
      for (int load = 0; load < 2 * kLoads; ++load) {
        offset_[load] = memory.RowInMemory(tile, PlaceOf(load, lane).row, 1);
      }
      memory.LoadIndices(tile, offset_);
    }
  }
  // Must be called before the first load. If rows are gathered, the lane takes their offsets.
  JAXGEMM_AMD void Gather(const Memory& memory, Index tile, Index k_tile) {
    if constexpr (kKContiguous) {
      if (__builtin_expect(!memory.GathersRows(), true)) return;
      resource_ = MakeResource(memory.GatheredBase(tile, k_tile) - kLastLoad);
      memory.ToOffsets(offset_);
      const uint32_t lane = LaneId();
#pragma unroll
      for (int load = 0; load < 2 * kLoads; ++load) {
        offset_[load] += PlaceOf(load, lane).k * kBytes + ImmediateLeft(load);
      }
    }
  }
  // Finds the lines of the first k tile, and reads the indices of the second one. The slots of all
  // waves begin at `lds`.
  JAXGEMM_AMD void FindFirstLines(const Memory& memory, Index tile, Index k_tile, Lds* lds) {
    if constexpr (kGathersK) {
      const uint32_t lane = LaneId();
      // A line that the operand does not have is replaced by line num_lines_, which is outside.
      line_bytes_ = static_cast<uint32_t>(memory.line_bytes);
      const auto lines = memory.GatheredLines();
      num_lines_ = lines.count;
      resource_ = MakeResource(memory.GatheredBase(tile, k_tile) - kLastLoad);
      resource_[2] = num_lines_ * line_bytes_ + kLastLoad;
#pragma unroll
      for (int load = 0; load < 2 * kLoads; ++load) {
        const uint32_t row = memory.RowInMemory(tile, PlaceOf(load, lane).row, kVecElements);
        row_[load] = row * kBytes + ImmediateLeft(load);
      }
      indices_ = MakeResource(reinterpret_cast<uint64_t>(lines.indices));
      indices_[2] = memory.k * sizeof(int32_t);
      index_offset_ = lane * kVecBytes < Traits::kTileK * sizeof(int32_t)
                          ? k_tile * Traits::kTileK * sizeof(int32_t) + lane * kVecBytes
                          : kOutsideBuffer;
      lds += WaveId() * 2 * kSlotBytes;
      load_indices_ = LdsAddress(lds);
      read_indices_ = lds + PlaceOf(0, lane).k * sizeof(int32_t);
      asm volatile("s_nop 4" : "+s"(indices_));  // see WaitSgprHazard
      slot_ = 0;
      LoadIndices();
      slot_ = kSlotBytes;
      LoadIndices();
      WaitForMemory();
      slot_ = 0;
      ReadIndices();
      NextTile();
      ReadIndices();
    }
  }
  // Must be called before the first read from LDS, where this operand's buffers begin at `lds`. It
  // can be done while the first loads are in flight.
  JAXGEMM_AMD void PlaceInLds(Lds* lds) {
    const uint32_t lane = LaneId(), group = lane / 16, in_group = lane % 16;
    if constexpr (kKContiguous) {
      const uint32_t row = Wave() * kWaveHalfRows + in_group;
#pragma unroll
      for (int step = 0; step < 2; ++step) {
        read_[step] = lds + VecOffset(row, group + 4 * step);
      }
    } else {
      const uint32_t k = kVecElements * group + in_group / kLanesPerLine;
#pragma unroll
      for (int i = 0; i < kFrags; ++i) {
        read_[i] = lds + k * kLineBytes + ((Wave() * kFrags + i) ^ UnitSwizzle(k)) * kUnitBytes +
                   in_group % kLanesPerLine * kPieceBytes;
      }
    }
  }

  // Loads of the current k tile return zeros from its `k_left`-th k on.
  JAXGEMM_AMD void MaskK(uint32_t k_left) {
    const uint32_t lane = LaneId();
#pragma unroll
    for (int load = 0; load < 2 * kLoads; ++load) {
      if (PlaceOf(load, lane).k >= k_left) offset_[load] = kOutsideBuffer;
    }
  }
  // Reads the indices of the next k tile's lines from their slot.
  JAXGEMM_AMD void ReadIndices() {
    if constexpr (kGathersK) {
      using LdsWord = __attribute__((address_space(3))) uint32_t;
      const auto* from = reinterpret_cast<LdsWord*>(read_indices_ + slot_);
#pragma unroll
      for (int load = 0; load < kLoads; ++load) {
        line_[load] = from[load * (kLoadBytes / kLineBytes)];
      }
      slot_ ^= kSlotBytes;
    }
  }
  // Starts to load the indices of the k tile after that, to the other slot.
  JAXGEMM_AMD void LoadIndices() {
    if constexpr (kGathersK) {
      asm volatile(
          "s_add_u32 m0, %0, %1\n\t"
          "s_nop 0\n\t"
          "buffer_load_dwordx4 %2, %3, 0 offen lds"
          :
          : "s"(load_indices_), "s"(slot_), "v"(index_offset_), "s"(indices_)
          : "scc", "memory");
      index_offset_ += Traits::kTileK * sizeof(int32_t);
    }
  }
  JAXGEMM_AMD void NextTile() {
    if constexpr (kGathersK) {
#pragma unroll
      for (int load = 0; load < kLoads; ++load) {
        // AmdGathers (plan/amd/path.cc) has fewer than 2^24 lines, and lines of fewer bytes.
        const uint32_t line = line_[load] < num_lines_ ? line_[load] : num_lines_;
        const uint32_t first = (line & 0xffffff) * (line_bytes_ & 0xffffff);
        offset_[load] = first + row_[load];
        offset_[kLoads + load] = first + row_[kLoads + load];
      }
    } else {
      Advance(resource_, step_);
    }
  }

  // Must be called before the first load. A VALU instruction, such as v_readfirstlane_b32, may have
  // written the SGPRs of the resource. Five wait states are needed before a vector memory
  // instruction reads these SGPRs (CDNA3 ISA, "Manually Inserted Wait States"). s_nop 4 is five
  // wait states. The compiler does not check inline assembly for this hazard.
  JAXGEMM_AMD void WaitSgprHazard() { asm volatile("s_nop 4" : "+s"(resource_)); }

  // Starts the loads of a half into a buffer; `lds` is the LDS address of this wave's first byte.
  template <int kHalf>
  JAXGEMM_AMD void Load(uint32_t lds) const {
    // M0 needs one wait state between its write and its use (CDNA3 ISA, "Manually Inserted Wait
    // States"). The compiler does not use M0 for anything else.
    asm volatile(
        "s_add_u32 m0, %0, %1\n\t"
        "s_nop 0\n\t"
        "buffer_load_dwordx4 %2, %3, 0 offen lds"
        :
        : "s"(lds), "i"(kHalf * kHalfBytes), "v"(offset_[kHalf * kLoads]), "s"(resource_)
        : "scc", "memory");
#pragma unroll
    for (int load = 1; load < kLoads; ++load) {
      asm volatile("buffer_load_dwordx4 %0, %1, 0 offen offset:%2 lds"
                   :
                   : "v"(offset_[kHalf * kLoads + load]), "s"(resource_), "i"(load * kLoadBytes)
                   : "memory");
    }
  }
  // The LDS address where this wave's loads begin.
  static JAXGEMM_AMD uint32_t LoadPlace(Lds* lds) {
    return LdsAddress(lds) + WaveId() * kWaveBytes;
  }

  // Reads a wave's fragments of a half: lane l gets vectors l / 16 and l / 16 + 4 of row (or
  // column) l % 16.
  template <int kHalf>
  JAXGEMM_AMD void Read(Vec16 (&frags)[kFrags][2]) const {
#pragma unroll
    for (int i = 0; i < kFrags; ++i) {
#pragma unroll
      for (int step = 0; step < 2; ++step) {
        if constexpr (kKContiguous) {
          frags[i][step] =
              *reinterpret_cast<LdsVec16*>(read_[step] + kHalf * kHalfBytes + i * 16 * kRowBytes);
        } else {
          frags[i][step] =
              ReadLines(read_[i] + kHalf * kHalfBytes + step * 4 * kVecElements * kLineBytes);
        }
      }
    }
  }
  JAXGEMM_AMD void MoveReads(int32_t bytes) {
#pragma unroll
    for (auto& read : read_) read += bytes;
  }

 private:
  static constexpr int kLastLoad = (kLoads - 1) * kLoadBytes;  // its immediate offset
  static JAXGEMM_AMD uint32_t ImmediateLeft(int load) {
    return kLastLoad - load % kLoads * kLoadBytes;
  }

  struct Place {
    uint32_t row, k;
  };

  static JAXGEMM_AMD uint32_t Wave() { return kIsLhs ? Traits::WaveM() : Traits::WaveN(); }

  // What is XORed to the unit's index in its line, so that the lanes that LDS serves together use
  // all of its 64 banks: 32 lanes in reads of 8 bytes, 64 lanes in reads of 4 bytes. If a line is
  // one unit (16 rows), it cannot be swizzled, and its reads have conflicts.
  static JAXGEMM_AMD uint32_t UnitSwizzle(uint32_t k) {
    constexpr int kGroups = kBytes == 4 ? 4 : 2;  // groups of 16 lanes
    constexpr int kBankBytes = 256;
    constexpr int kLinesPerBanks = kLineBytes < kBankBytes ? kBankBytes / kLineBytes : 1;
    static_assert((kLinesPerRead * kGroups - 1) / kLinesPerBanks < kHalfRows / 16);
    return (k % kLinesPerRead + k / kVecElements % kGroups * kLinesPerRead) / kLinesPerBanks;
  }

  // The row and the k that this lane loads in load `load` % kLoads of half `load` / kLoads.
  static JAXGEMM_AMD Place PlaceOf(uint32_t load, uint32_t lane) {
    const uint32_t block = kLoads * WaveId() + load % kLoads;
    const uint32_t at = block * kLoadBytes + lane * kVecBytes;
    uint32_t half_row, k;
    if constexpr (kKContiguous) {
      half_row = at / kRowBytes;
      // VecOffset's swizzle is its own inverse.
      k = VecOffset(half_row, lane % kRowVecs) / kVecBytes % kRowVecs * kVecElements;
    } else {
      k = at / kLineBytes;
      const uint32_t in_line = at % kLineBytes;
      half_row = (in_line / kUnitBytes ^ UnitSwizzle(k)) * 16 + in_line % kUnitBytes / kBytes;
    }
    return {.row = half_row / kWaveHalfRows * kWaveRows + load / kLoads * kWaveHalfRows +
                   half_row % kWaveHalfRows,
            .k = k};
  }

  static JAXGEMM_AMD Vec16 ReadLines(Lds* from) {
    using Short4 = Vec4<short>;
    using Int2 = int __attribute__((ext_vector_type(2)));
    using LdsShort4 = __attribute__((address_space(3))) Short4;
    using LdsInt2 = __attribute__((address_space(3))) Int2;
    constexpr int kStride = kLinesPerRead * kLineBytes;
    if constexpr (kBytes == 4) {
      using LdsWord = __attribute__((address_space(3))) uint32_t;
      auto word = [from](int i) { return *reinterpret_cast<LdsWord*>(from + i * kStride); };
      return {word(0), word(1), word(2), word(3)};
    } else {
      auto pair = [from](int i) {
        if constexpr (kBytes == 2) {
          return __builtin_bit_cast(Int2, __builtin_amdgcn_ds_read_tr16_b64_v4i16(
                                              reinterpret_cast<LdsShort4*>(from + i * kStride)));
        } else {
          return __builtin_amdgcn_ds_read_tr8_b64_v2i32(
              reinterpret_cast<LdsInt2*>(from + i * kStride));
        }
      };
      return __builtin_bit_cast(Vec16, __builtin_shufflevector(pair(0), pair(1), 0, 1, 2, 3));
    }
  }

  Resource resource_;
  uint32_t step_;
  uint32_t offset_[2 * kLoads];
  Resource indices_;
  uint32_t line_bytes_, num_lines_, load_indices_, slot_, index_offset_;
  uint32_t row_[2 * kLoads], line_[kLoads];
  Lds* read_indices_;
  Lds* read_[kKContiguous ? 2 : kFrags];
};

}  // namespace jaxgemm
