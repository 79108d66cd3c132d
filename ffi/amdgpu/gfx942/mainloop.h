// The main loop on gfx942 and gfx90a for whole vectors of 16 bytes. LDS has one k tile; the next
// one waits in registers until all waves have read the current one. gfx950/mainloop.h is another
// loop, because gfx950 loads straight to LDS (amdgpu/mainloop.h).
#pragma once

#include "amdgpu/gfx942/operand.h"
#include "amdgpu/mainloop_end.h"
#include "amdgpu/mfma.h"

namespace jaxgemm {

// A k tile is multiplied in two steps, each of which has half of its k. A step consists of slots:
// each multiplies two rows of fragments by one column of fragments. Memory instructions are between
// the slots, as early as registers are free:
//
//   step 0               fragments are replaced by those of step 1 after their last use
//   step 1, first half   barrier: all waves have read the k tile from LDS. The next k tile is
//                        written from registers to LDS. Loads of the k tile after that one start
//                        when their registers have been written to LDS
//           second half  loads of an rhs that is not k-contiguous start. Barrier: all waves have
//                        written. Fragments are replaced by those of step 0 of the next k tile
//
// After the last k tile the loads return zeros.
template <class Traits>
class VectorMainloop {
  using Lhs = Operand<Traits, true>;
  using Rhs = Operand<Traits, false>;
  using Sums = typename Traits::Sum4[Traits::kFragsM][Traits::kFragsN];

 public:
  static constexpr int kLdsBytes = Lhs::kTileBytes + Rhs::kTileBytes;

  // Sets the accumulators to the product over the tile's k range, which is not empty. Other waves
  // may still use LDS when this is called; LDS is free when it returns.
  static JAXGEMM_AMD void Run(const OperandMemory<Traits, true>& lhs_memory,
                              const OperandMemory<Traits, false>& rhs_memory, const WorkTile& tile,
                              Lds* lds, Sums& sums, auto& scales) {
    Lhs lhs(lhs_memory, tile.m, tile.k_begin, lds);
    Rhs rhs(rhs_memory, tile.n, tile.k_begin, lds + Lhs::kTileBytes);
    const uint32_t k_in_last = KInLastTile<Traits>(lhs_memory.k, tile);
    auto check_end = [&](Index left) { CheckEnd(lhs, rhs, left, k_in_last); };
    Index left = tile.k_end - tile.k_begin;
    check_end(left);
    Load(lhs);
    Load(rhs);
    // Scales of blocks have sums of their own, and no register is left.
    ClearSums(sums, !Traits::kScaled);
    Barrier();
    Write(lhs);
    Write(rhs);
    lhs.NextTile();
    rhs.NextTile();
    check_end(left - 1);
    Load(lhs);
    Load(rhs);
    Barrier();
    Fragments frags;
#pragma unroll
    for (int j = 0; j < Rhs::kFrags; ++j) frags.rhs[j] = rhs.Read(j, 0);
#pragma unroll
    for (int i = 0; i < Lhs::kFrags; ++i) frags.lhs[i] = lhs.Read(i, 0);
#pragma clang loop unroll(disable)
    for (; left > 0; --left) {
      lhs.NextTile();
      rhs.NextTile();
      check_end(left - 2);
      scales.Load(tile.k_end - left);
      MultiplyTile(lhs, rhs, frags, sums);
      scales.Promote();
    }
    Barrier();
  }

 private:
  // The fragments of the step that is multiplied.
  struct Fragments {
    Vec16 lhs[Lhs::kFrags], rhs[Rhs::kFrags];
  };

  static JAXGEMM_AMD void MultiplyTile(Lhs& lhs, Rhs& rhs, Fragments& frags, Sums& sums) {
    constexpr int kRows = Lhs::kFrags, kColumns = Rhs::kFrags, kSlots = kRows / 2 * kColumns;
    // At least one slot is between LDS accesses and the next barrier, so that the accesses can end
    // in that time. If a step has only two slots, step 1 has a barrier after each of them.
    constexpr bool kIsShort = kSlots < 4;
    static_assert(kSlots >= 2);
    constexpr int kWriteBegin = kIsShort ? 0 : 1, kWriteEnd = kSlots / 2,
                  kReadBegin = kWriteEnd + (kIsShort     ? 0
                                            : kSlots < 8 ? 1
                                                         : kSlots / 8);
    constexpr int kWrites = Lhs::kWrites + Rhs::kWrites;
    auto step = [&](auto&& after) {
#pragma unroll
      for (int slot = 0; slot < kSlots; ++slot) {
        const int i = slot / kColumns * 2, j = slot % kColumns;
        __builtin_amdgcn_sched_barrier(0);
#pragma unroll
        for (int part = 0; part < PartsPerMma<Traits>(); ++part) {
#pragma unroll
          for (int k = i; k < i + 2; ++k) {
            sums[k][j] = MmaPart<Traits>(part, &frags.lhs[k], &frags.rhs[j], sums[k][j]);
          }
        }
        __builtin_amdgcn_sched_barrier(0);
        after(slot);
      }
    };
    // Reads the fragments of the next step over those that are not used after `slot`.
    auto read = [&](int slot, int step) {
      const int i = slot / kColumns * 2, j = slot % kColumns;
      if (i == kRows - 2) frags.rhs[j] = rhs.Read(j, step);
      if (j == kColumns - 1) {
        frags.lhs[i] = lhs.Read(i, step);
        frags.lhs[i + 1] = lhs.Read(i + 1, step);
      }
    };
    step([&](int slot) { read(slot, 1); });
    step([&](int slot) {
      if (slot == kWriteBegin) Barrier();
      if (slot >= kWriteBegin && slot < kWriteEnd) {
        Part<kWriteEnd - kWriteBegin>(slot - kWriteBegin, kWrites, [&](int i) {
          if (i < Lhs::kWrites) {
            lhs.Replace(i);
          } else {
            rhs.Replace(i - Lhs::kWrites);
            lhs.LoadRest(i - Lhs::kWrites, Rhs::kWrites);
          }
        });
      }
      if (slot >= kWriteEnd) {
        Part<kSlots - kWriteEnd>(slot - kWriteEnd, Rhs::kWrites,
                                 [&](int i) { rhs.LoadRest(i, Rhs::kWrites); });
      }
      if (slot == kReadBegin) {
        Barrier();
#pragma unroll
        for (int before = 0; before < slot; ++before) read(before, 0);
      }
      if (slot >= kReadBegin) read(slot, 0);
    });
  }

  // Calls f for the part-th of kParts equal parts of 0, 1, ... count - 1.
  template <int kParts, class F>
  static JAXGEMM_AMD void Part(int part, int count, F&& f) {
#pragma unroll
    for (int i = count * part / kParts; i < count * (part + 1) / kParts; ++i) f(i);
  }

  template <class Operand>
  static JAXGEMM_AMD void Load(Operand& operand) {
#pragma unroll
    for (int i = 0; i < Operand::kLoads; ++i) operand.Load(i);
  }
  template <class Operand>
  static JAXGEMM_AMD void Write(const Operand& operand) {
#pragma unroll
    for (int i = 0; i < Operand::kWrites; ++i) operand.Write(i);
  }
};

}  // namespace jaxgemm
