// Moves one operand on gfx942 and gfx90a: from memory to registers, from there to LDS, and from LDS
// to the fragments of a wave. (gfx950/operand.h loads straight to LDS.)
//
// In LDS a tile is two planes, one for each step of the main loop, in which each row has 64 bytes
// along k. Rows and the vectors in them are swizzled so that there are no bank conflicts. This is
// so for every layout in memory: operands that are not k-contiguous are transposed in registers.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/gfx942/ocp_float8.h"
#include "amdgpu/transpose.h"

namespace jaxgemm {

// kGathersK: the lines are gathered along k. Then each lane loads the indices of the lines that it
// loads in the next k tile.
template <class Traits, bool kIsLhs, bool kGathersK = false>
class Operand {
  using Memory = OperandMemory<Traits, kIsLhs>;

 public:
  static constexpr bool kKContiguous = Memory::kKContiguous;
  // Whether vectors differ in LDS from what is loaded.
  static constexpr bool kIsConverted = !kKContiguous || ConvertsToFnuz<Traits>();

 private:
  static constexpr int kBytes = Traits::kBytes, kVecElements = Traits::kVecElements;
  static constexpr int kRows = Memory::kTileRows;
  static constexpr int kLineBytes = kRowBytes / 2, kPlaneBytes = kRows * kLineBytes;
  static constexpr int kWaveRows = kIsLhs ? Traits::kWaveM : Traits::kWaveN;
  // A thread moves kBlockRows vectors. If the operand is k-contiguous, they are of rows that are
  // kRowStep apart; else of neighbouring rows, which are loaded as kBlockRows elements at each k.
  static constexpr int kRowStep = Traits::kThreads / kRowVecs;
  static_assert(kRowStep % 32 == 0, "the swizzle in LDS repeats after 32 rows");
  static constexpr int kEqualRows = kRows * kRowVecs / Traits::kThreads;
  static_assert(kRows * kRowVecs == kEqualRows * Traits::kThreads);
  // If the operand is not k-contiguous, elements of neighbouring rows are loaded as whole 4-byte
  // words, so a thread moves at least kLeastRows rows. If this is more than an equal part of the
  // tile (kEqualRows), kMovers threads move the whole tile, and the last waves of the workgroup are
  // spare: their loads have offsets outside of the buffer, and they do not write to LDS.
  static constexpr int kLeastRows = kKContiguous ? 1 : kBytes == 1 ? 4 : 2;
  static constexpr int kBlockRows = kEqualRows > kLeastRows ? kEqualRows : kLeastRows;
  static constexpr int kMovers = kRows * kRowVecs / kBlockRows;
  static_assert(kMovers % kWaveSize == 0, "waves are spare as a whole");
  static_assert(kBlockRows == 1 || kBlockRows == 2 || kBlockRows == 4,
                "Write() and Transposed() know no others");
  static constexpr uint32_t kNoLine = ~0u;
  static constexpr int kPieceBytes = kKContiguous ? kVecBytes : kBlockRows * kBytes;
  static_assert(kPieceBytes >= 4, "pieces are loaded as whole words");
  // The number of offsets that are kept in registers; there are no registers for more.
  static constexpr int kOffsets = kKContiguous ? kBlockRows : kGathersK ? 1 : kBytes == 2 ? 8 : 4;
  using Piece = PieceOf<kPieceBytes>;

 public:
  static constexpr int kTileBytes = 2 * kPlaneBytes;
  static constexpr int kFrags = kWaveRows / 16;
  static constexpr int kWrites = kBlockRows;
  static constexpr int kLoads = kKContiguous ? kWrites : kVecElements;
  // Loads of indices for a k tile.
  static constexpr int kIndexLoads = kGathersK ? kLoads / 4 : 0;
  static_assert(!kGathersK || !kKContiguous);

  // Starts at k tile `k_tile` of tile `tile`.
  JAXGEMM_AMD Operand(const Memory& memory, Index tile, Index k_tile)
      : resource_(MakeResource(memory.TileBase(tile, k_tile))),
        step_(memory.TileStep()),
        line_bytes_(static_cast<uint32_t>(memory.line_bytes)) {
    row_bytes_ = static_cast<uint32_t>(memory.FirstRow(tile) * kBytes);
    const Place place = FirstPlace(ThreadId());
    auto at = [&](uint32_t row) {
      return memory.RowInMemory(tile, row, kKContiguous ? 1 : kBlockRows);
    };
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      offset_[i] = kKContiguous
                       ? at(place.row + i * kRowStep) * line_bytes_ + place.vec * kVecBytes
                       : (place.vec * kVecElements + i) * line_bytes_ + at(place.row) * kBytes;
      if (IsSpare()) offset_[i] = kOutsideBuffer;
    }
    if constexpr (kGathersK) {
      resource_ = MakeResource(memory.GatheredBase(tile, k_tile));
      // A line that the operand does not have is replaced by line num_lines_, which is outside.
      const auto lines = memory.GatheredLines();
      num_lines_ = lines.count;
      resource_[2] = IsSpare() ? 0 : num_lines_ * line_bytes_;
      offset_[0] = at(place.row) * kBytes;
      indices_ = MakeResource(reinterpret_cast<uint64_t>(lines.indices));
      indices_[2] = memory.k * sizeof(int32_t);
      index_offset_ = (k_tile * Traits::kTileK + place.vec * kVecElements) * sizeof(int32_t);
      LoadIndices();
    }
    if constexpr (kKContiguous) {
      if (__builtin_expect(!memory.GathersRows(), true)) return;
#pragma unroll
      for (int i = 0; i < kOffsets; ++i) offset_[i] = at(place.row + i * kRowStep);
      memory.LoadIndices(tile, offset_);
    }
  }
  // Must be called before the first load. If rows are gathered, the lane takes their offsets.
  JAXGEMM_AMD void Gather(const Memory& memory, Index tile, Index k_tile) {
    if constexpr (kKContiguous) {
      if (__builtin_expect(!memory.GathersRows(), true)) return;
      resource_ = MakeResource(memory.GatheredBase(tile, k_tile));
      memory.ToOffsets(offset_);
      const uint32_t vec = FirstPlace(ThreadId()).vec;
#pragma unroll
      for (uint32_t& offset : offset_) offset += vec * kVecBytes;
    }
  }
  // Must be called before the first access to LDS, where the tile begins at `lds`. It can be done
  // while the first loads are in flight.
  JAXGEMM_AMD void PlaceInLds(Lds* lds, uint32_t thread) {
    const Place place = FirstPlace(thread);
    write_ = lds + Position(place.row, place.vec);
    // Without this asm, and the one below, the compiler keeps parts of the address in registers,
    // and adds them up in every k tile.
    asm volatile("" : "+v"(write_));

    // The swizzle repeats after 32 rows, so it is the same for all waves.
    static_assert(kWaveRows % 32 == 0);
    const uint32_t lane = thread % kWaveSize;
    lds += (kIsLhs ? Traits::WaveM() : Traits::WaveN()) * kWaveRows * kLineBytes;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      read_[i] = lds + Position(lane % 16 + 16 * i, lane / 16);
      asm volatile("" : "+v"(read_[i]));
    }
  }

  // Writes go to where those of `other` go.
  JAXGEMM_AMD void WriteWhere(const Operand& other) { write_ = other.write_; }

  // Loads of the current k tile return zeros from its `k_left`-th k on.
  JAXGEMM_AMD void MaskK(uint32_t k_left) {
    if constexpr (kKContiguous) {
      const bool outside = FirstPlace(ThreadId()).vec * kVecElements >= k_left;
#pragma unroll
      for (auto& offset : offset_) offset = outside ? kOutsideBuffer : offset;
    } else if constexpr (kGathersK) {
      const uint32_t first = FirstPlace(ThreadId()).vec * kVecElements;
#pragma unroll
      for (int i = 0; i < kLoads; ++i) line_[i] = first + i < k_left ? line_[i] : kNoLine;
    } else {
      resource_[2] = k_left > 0 ? k_left * line_bytes_ - row_bytes_ : 0;
    }
  }
  JAXGEMM_AMD void NextTile() {
    if constexpr (!kGathersK) Advance(resource_, step_);
  }
  // Starts to load the indices of the next k tile, in place of those of the current one.
  JAXGEMM_AMD void LoadIndices() {
    if constexpr (kGathersK) {
#pragma unroll
      for (int i = 0; i < kLoads; i += 4) {
        const Vec16 four = LoadBuffer<Vec16>(indices_, index_offset_ + i * sizeof(int32_t), 0);
#pragma unroll
        for (int j = 0; j < 4; ++j) line_[i + j] = four[j];
      }
      index_offset_ += Traits::kTileK * sizeof(int32_t);
    }
  }
  // Replaces index `i` of kLoads by the line's offset. This must come before Load(i), and after
  // MaskK.
  JAXGEMM_AMD void FindLine(int i) {
    if constexpr (kGathersK) {
      // AmdGathers (plan/amd/path.cc) has fewer than 2^24 lines, and lines of fewer bytes.
      const uint32_t line = line_[i] < num_lines_ ? line_[i] : num_lines_;
      line_[i] = (line & 0xffffff) * (line_bytes_ & 0xffffff) + offset_[0];
    }
  }

  // Starts load `i` of kLoads.
  JAXGEMM_AMD void Load(int i) {
    if constexpr (kGathersK) {
      staged_[i] = LoadBuffer<Piece>(resource_, line_[i], 0);
      return;
    }
    // Without this asm the compiler keeps the computed offsets in registers, too.
    if (i == kOffsets) asm volatile("" : "+s"(line_bytes_));
    const uint32_t offset = offset_[i % kOffsets] + i / kOffsets * kOffsets * line_bytes_;
    staged_[i] = LoadBuffer<Piece>(resource_, offset, 0);
  }
  // Writes vector `i` of kWrites to LDS.
  JAXGEMM_AMD void Write(int i) {
    ConvertHalf<0>(i);
    ConvertHalf<1>(i);
    Store(i);
  }
  // Converts half of vector `i` to its layout and format in LDS.
  template <int kHalf>
  JAXGEMM_AMD void ConvertHalf(int i) {
    if constexpr (kIsConverted) {
      Vec16 vec;
      if constexpr (kKContiguous) {
        vec = staged_[i];
      } else {
        vec = Transposed<kBytes>(staged_, i);
      }
      vec = ToLds<Traits>(vec);
      converted_[2 * kHalf] = vec[2 * kHalf];
      converted_[2 * kHalf + 1] = vec[2 * kHalf + 1];
    }
  }
  // Writes vector `i`. If it is converted, no other vector was converted after it.
  JAXGEMM_AMD void Store(int i) const {
    if (IsSpare()) return;
    auto at = reinterpret_cast<uintptr_t>(write_);
    if constexpr (kKContiguous) {
      at += i * kRowStep * kLineBytes;
    } else {
      // The two low bits of a row flip these bits of its position.
      at ^= i * kLineBytes | (i >> 1) * kVecBytes;
    }
    if constexpr (kIsConverted) {
      *reinterpret_cast<LdsVec16*>(at) = converted_;
    } else {
      *reinterpret_cast<LdsVec16*>(at) = staged_[i];
    }
  }

  // Starts the load that may overwrite the registers of vector `i` when the vector is written.
  JAXGEMM_AMD void LoadAfter(int i) {
    if constexpr (kKContiguous) Load(i);
  }
  // Starts the part-th of `parts` equal parts of the loads that must wait until all vectors are
  // written.
  JAXGEMM_AMD void LoadRest(int part, int parts) {
    if constexpr (!kKContiguous) {
#pragma unroll
      for (int i = kLoads * part / parts; i < kLoads * (part + 1) / parts; ++i) Load(i);
      if (part == parts - 1) LoadIndices();
    }
  }

  // Reads a wave's fragment: lane l gets vector l / 16 of plane `step`, of row (or column) l % 16.
  JAXGEMM_AMD Vec16 Read(int frag, int step) const {
    return *reinterpret_cast<LdsVec16*>(read_[frag % 2] + frag / 2 * 32 * kLineBytes +
                                        step * kPlaneBytes);
  }

 private:
  struct Place {
    uint32_t row, vec;
  };

  static JAXGEMM_AMD bool IsSpare() {
    return kMovers < Traits::kThreads && WaveId() >= kMovers / kWaveSize;
  }

  // The position of a row's vector in LDS. LDS has 32 banks and serves eight lanes of 16 bytes at a
  // time. In a read (lanes 0-3 and 20-23, 4-7 and 16-19, ...) these lanes have eight rows. In a
  // write (lanes 0-7, 8-15, ...) they have the vectors of two rows or, if transposed, rows that are
  // kBlockRows apart.
  static JAXGEMM_AMD uint32_t Position(uint32_t row, uint32_t vec) {
    const uint32_t line = row ^ (row >> 3 & 1);
    const uint32_t in_line = (vec ^ row >> 1 ^ (row >> 4 & 1)) % 4;
    return vec / 4 * kPlaneBytes + line * kLineBytes + in_line * kVecBytes;
  }

  static JAXGEMM_AMD Place FirstPlace(uint32_t thread) {
    if constexpr (kKContiguous) {
      return {.row = thread / 16 * 2 + thread / 4 % 2, .vec = thread / 8 % 2 * 4 + thread % 4};
    } else {
      constexpr int kBlocks = kRows / kBlockRows;
      return {.row = thread % kBlocks * kBlockRows, .vec = thread / kBlocks};
    }
  }

  Resource resource_;
  uint32_t step_, line_bytes_, row_bytes_;
  uint32_t offset_[kOffsets];
  Resource indices_;
  uint32_t index_offset_, num_lines_;
  uint32_t line_[kLoads];
  Lds* write_;
  Lds* read_[2];
  Piece staged_[kLoads];
  Vec16 converted_;
};

}  // namespace jaxgemm
