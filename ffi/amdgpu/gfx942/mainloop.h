// The part of amdgpu/mainloop.h for whole vectors of 16 bytes, on gfx942 and gfx90a. LDS has one k
// tile; the next one waits in registers until all waves have read the current one.
// gfx950/mainloop.h is another loop, because gfx950 loads straight to LDS (amdgpu/mainloop.h).
#pragma once

#include "amdgpu/gfx942/operand.h"
#include "amdgpu/gfx942/step_slots.h"
#include "amdgpu/mainloop_end.h"
#include "amdgpu/mfma.h"

namespace jaxgemm {

// A k tile is multiplied in two steps, each of which has half of its k. Other instructions are
// spread over the slots between the matrix instructions. A wave issues an instruction every four
// cycles, and a matrix instruction takes 16 or more. So with up to three other instructions in each
// slot one wave keeps the matrix pipe busy, while the other wave of its SIMD waits at a barrier.
//
//   step 0   fragments are replaced by those of step 1 after their last use.
//            kYieldToRead: low priority
//   step 1   kAllRead: barrier, and high priority; all waves have read the k tile from LDS. From
//            kWriteBegin to kWriteEnd the next k tile is written from registers to LDS. Loads of
//            the k tile after that one start when their registers have been written to LDS.
//            kYieldToWrite: low priority
//            kAllWritten: barrier, and high priority; all waves have written. From the next slot on
//            fragments are replaced by those of step 0 of the next k tile
//
// The older one of a SIMD's two waves goes first if both have the same priority. If they always
// had, the younger one would be alone from where the older one has come to a barrier, and the
// matrix pipe would idle in its branch and in slots with more than three other instructions. With
// these priorities it catches up at kYield..., and the older one's last slots before the barrier
// fill its gaps.
//
// The last fragments are read in the first slots of the step that uses them. After the last k tile
// the loads return zeros.
template <class Traits, bool kGathersLhsK = false, bool kGathersRhsK = false>
class VectorMainloop {
  using Lhs = Operand<Traits, true, kGathersLhsK>;
  using Rhs = Operand<Traits, false, kGathersRhsK>;
  using Accumulators = typename Traits::Acc4[Traits::kFragsM][Traits::kFragsN];

 public:
  static constexpr int kLdsBytes = Lhs::kTileBytes + Rhs::kTileBytes;

  // Sets the accumulators to the product over the tile's k range, which is not empty. Other waves
  // may still use LDS when this is called, unless lds_is_free; LDS is free when it returns. While
  // the first loads are in flight, overlapped.Load() and then overlapped.Compute() are called.
  static JAXGEMM_AMD void Run(const OperandMemory<Traits, true>& lhs_memory,
                              const OperandMemory<Traits, false>& rhs_memory, const WorkTile& tile,
                              Lds* lds, Accumulators& acc, auto& scales, bool lds_is_free,
                              auto&& overlapped) {
    Lhs lhs(lhs_memory, tile.m, tile.k_begin);
    Rhs rhs(rhs_memory, tile.n, tile.k_begin);
    lhs.Gather(lhs_memory, tile.m, tile.k_begin);
    const uint32_t k_in_last = lhs_memory.KLeft(tile.k_end - 1);
    Index left = tile.k_end - tile.k_begin;
    MaskEnd<Traits::kTileK>(lhs, rhs, left, k_in_last);
    // The second k tile is loaded before the first one arrives, so these have registers of their
    // own.
    Lhs first_lhs = lhs;
    Rhs first_rhs = rhs;
    // In this order the compiler does not wait for loads of rhs when the loop finds lines of lhs.
    rhs.LoadIndices();
    Load(first_lhs);
    lhs.LoadIndices();
    Load(first_rhs);
    if (left > 1) {
      lhs.NextTile();
      rhs.NextTile();
      MaskEnd<Traits::kTileK>(lhs, rhs, left - 1, k_in_last);
      Load(lhs);
      lhs.LoadIndices();
      Load(rhs);
      rhs.LoadIndices();
    }
    __builtin_amdgcn_sched_barrier(0);
    overlapped.Load();
    const uint32_t thread = ThreadId();
    lhs.PlaceInLds(lds, thread);
    rhs.PlaceInLds(lds + Lhs::kTileBytes, thread);
    overlapped.Compute();
    first_lhs.WriteWhere(lhs);
    first_rhs.WriteWhere(rhs);
    // With scales of blocks the tile has a second set of accumulators, and no register is left.
    ClearAccumulators(acc, !Traits::kScaled);
    if (!lds_is_free) Barrier();
    Write(first_lhs);
    Write(first_rhs);
    Barrier();
    Fragments frags;
#pragma unroll
    for (int j = 0; j < Rhs::kFrags; ++j) frags.rhs[j] = rhs.Read(j, 0);
#pragma unroll
    for (int i = 0; i < Lhs::kFrags; ++i) frags.lhs[i] = lhs.Read(i, 0);
    // The inner loop has one branch for each k tile. Only the last ones need MaskEnd, so it ends
    // when three are left.
    while (left > 1) {
      MaskEnd<Traits::kTileK>(lhs, rhs, left - 2, k_in_last);
#pragma clang loop unroll(disable)
      do {
        scales.Load(tile.k_end - left);
        MultiplyTile<false>(lhs, rhs, frags, acc);
        scales.Promote();
      } while (--left > 3);
    }
    scales.Load(tile.k_end - 1);
    MultiplyTile<true>(lhs, rhs, frags, acc);
    scales.Promote();
    Barrier();
  }

 private:
  // The fragments of the step that is multiplied.
  struct Fragments {
    Vec16 lhs[Lhs::kFrags], rhs[Rhs::kFrags];
  };

  using Slots = StepSlots<Lhs::kFrags, Rhs::kFrags, PartsPerMma<Traits>()>;
  static constexpr int kSlots = Slots::kSlots;
  // Slots of step 1, as above. After a barrier all waves read, so kReadGap slots are between reads:
  // otherwise the waves of some SIMDs would wait for the LDS, and all others for these at the next
  // barrier. These numbers are the best ones by the emulator's clock.
  static constexpr int kAllRead = kSlots < 16 ? 2 : kSlots / 32 * 5;
  static constexpr int kWriteBegin = kSlots < 16 ? kAllRead : kAllRead + 1;
  static constexpr int kWriteEnd = kSlots / 2 + (kSlots < 64 ? 1 : 3);
  static constexpr int kAllWritten = kSlots / 8 * 5;
  static constexpr int kReadGap = kSlots < 64 ? 1 : kSlots / 32;
  static constexpr int kYieldToRead = kSlots / 4 * 3;  // of step 0
  static constexpr int kYieldToWrite = kSlots < 32 ? kWriteEnd : kWriteEnd + 1;
  static_assert(kWriteBegin < kWriteEnd && kWriteEnd <= kAllWritten);
  // In a small tile the first loads arrive just in time, and waiting for all would take longer.
  static constexpr bool kWaitsOnce = kSlots >= 32;

  // kIsLast: no k tile comes after this one.
  template <bool kIsLast>
  static JAXGEMM_AMD void MultiplyTile(Lhs& lhs, Rhs& rhs, Fragments& frags, Accumulators& acc) {
    // Multiplies a step, and calls `other` for the other instructions of each slot.
    auto multiply = [&](auto&& other) {
      ForConstants<0, kSlots>([&](auto slot) {
        constexpr int i = slot / Slots::kPerRows * 2 + slot % 2;
        constexpr int j = slot % Slots::kPerRows / Slots::kPerColumn;
        constexpr int part = slot % Slots::kPerColumn / 2;
        __builtin_amdgcn_sched_barrier(0);
        acc[i][j] = MmaPart<Traits>(part, &frags.lhs[i], &frags.rhs[j], acc[i][j]);
        __builtin_amdgcn_sched_barrier(0);
        other(slot);
      });
    };
    multiply([&](auto slot) {
      if constexpr (slot == kYieldToRead) __builtin_amdgcn_s_setprio(0);
      if constexpr (!kIsLast && slot == kSlots / 4) lhs.NextTile();
      if constexpr (!kIsLast && slot == kSlots / 4 + 1) rhs.NextTile();
      // In the last slots, because the indices were loaded in the middle of step 1.
      if constexpr (!kIsLast && slot >= kSlots / 2) {
        FindLines<slot - kSlots / 2, kSlots / 2>(lhs);
      }
      Read<0, kSlots + slot>(lhs, rhs, frags);
      Read<1, slot>(lhs, rhs, frags);
    });
    multiply([&](auto slot) {
      Read<1, kSlots + slot>(lhs, rhs, frags);
      if constexpr (kIsLast) return;
      // One slot early, because the instruction before a barrier delays all waves.
      if constexpr (slot == kAllRead - 1 || slot == kAllWritten - 1) __builtin_amdgcn_s_setprio(1);
      if constexpr (slot == kYieldToWrite) __builtin_amdgcn_s_setprio(0);
      WaitForPieces<slot>();
      if constexpr (slot == kAllRead) Barrier();
      ForConstants<0, Lhs::kWrites>([&](auto i) { Replace<slot, i>(lhs, i); });
      ForConstants<0, Rhs::kWrites>([&](auto i) { Replace<slot, Lhs::kWrites + i>(rhs, i); });
      constexpr int kLhsEnd = WriteBegin(Lhs::kWrites);
      if constexpr (slot >= kLhsEnd && slot < kAllWritten) {
        lhs.LoadRest(slot - kLhsEnd, kAllWritten - kLhsEnd);
      }
      if constexpr (slot >= kAllWritten) {
        // The indices of rhs were loaded last. By now all loads of the k tile before are done.
        FindLines<slot - kAllWritten, kSlots - kAllWritten>(rhs);
        rhs.LoadRest(slot - kAllWritten, kSlots - kAllWritten);
      }
      if constexpr (slot == kAllWritten) Barrier();
      Read<0, slot>(lhs, rhs, frags);
    });
  }

  // Reads the fragments of step `kStep` that are due in slot `kSlot` of the step before it.
  template <int kStep, int kSlot>
  static JAXGEMM_AMD void Read(const Lhs& lhs, const Rhs& rhs, Fragments& frags) {
    constexpr int kBegin = kStep == 0 ? kAllWritten + 1 : 0, kGap = kStep == 0 ? kReadGap : 1;
    static_assert(kStep == 0 || Slots::ReadAt(Slots::kReads - 1, kBegin, kGap) < kSlots + kAllRead);
    ForConstants<0, Slots::kReads>([&](auto n) {
      if constexpr (kSlot == Slots::ReadAt(n, kBegin, kGap)) {
        constexpr int i = Slots::Index(n);
        if constexpr (Slots::IsRhs(n)) {
          frags.rhs[i] = rhs.Read(i, kStep);
        } else {
          frags.lhs[i] = lhs.Read(i, kStep);
        }
      }
    });
  }

  // The slot in which the k tile's `write`-th write to LDS begins.
  static constexpr int WriteBegin(int write) {
    return PartBegin(write, Lhs::kWrites + Rhs::kWrites, kWriteBegin, kWriteEnd);
  }
  // What slot `kSlot` has of the k tile's write `kWrite`, which is of the operand's vector `i`, and
  // of the load that comes into its registers.
  template <int kSlot, int kWrite, class Operand>
  static JAXGEMM_AMD void Replace(Operand& operand, int i) {
    constexpr int kBegin = WriteBegin(kWrite), kEnd = WriteBegin(kWrite + 1);
    constexpr int kSecond = PartBegin(1, 3, kBegin, kEnd), kThird = PartBegin(2, 3, kBegin, kEnd);
    if constexpr (Operand::kIsConverted) {
      if constexpr (kSlot == kBegin) operand.template ConvertHalf<0>(i);
      if constexpr (kSlot == kSecond) operand.template ConvertHalf<1>(i);
      if constexpr (kSlot == kThird) operand.Store(i);
      if constexpr (kSlot == kEnd) operand.LoadAfter(i);
    } else {
      if constexpr (kSlot == kSecond) operand.Store(i);
      if constexpr (kSlot == kThird) operand.LoadAfter(i);
    }
  }
  // The first vector of an operand that is transposed has elements of all its loads, so they are
  // waited for at once, in the slot before. The compiler would wait four times, in one slot.
  template <int kSlot>
  static JAXGEMM_AMD void WaitForPieces() {
    if constexpr (!kWaitsOnce) return;
    // Loads of the other operand that started later need not be done, nor loads of indices.
    constexpr int kIndices = Lhs::kIndexLoads + Rhs::kIndexLoads;
    if constexpr (!Lhs::kKContiguous && kSlot == kWriteBegin - 1) {
      WaitUntil<(Rhs::kKContiguous ? 0 : Rhs::kLoads) + kIndices, kAnyLds>();
    }
    if constexpr (!Rhs::kKContiguous && kSlot == WriteBegin(Lhs::kWrites) - 1) {
      WaitUntil<(Lhs::kKContiguous ? Lhs::kLoads - 1 : 0) + Rhs::kIndexLoads, kAnyLds>();
    }
  }

  // Part `kPart` of kParts of finding the lines that the next loads are of.
  template <int kPart, int kParts, class Operand>
  static JAXGEMM_AMD void FindLines(Operand& operand) {
    constexpr int kBegin = PartBegin(kPart, kParts, 0, Operand::kLoads);
    constexpr int kEnd = PartBegin(kPart + 1, kParts, 0, Operand::kLoads);
    ForConstants<kBegin, kEnd>([&](auto i) { operand.FindLine(i); });
  }

  template <class Operand>
  static JAXGEMM_AMD void Load(Operand& operand) {
#pragma unroll
    for (int i = 0; i < Operand::kLoads; ++i) {
      operand.FindLine(i);
      operand.Load(i);
    }
  }
  template <class Operand>
  static JAXGEMM_AMD void Write(Operand& operand) {
#pragma unroll
    for (int i = 0; i < Operand::kWrites; ++i) operand.Write(i);
  }
};

}  // namespace jaxgemm
