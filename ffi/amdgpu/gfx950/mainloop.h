// The part of amdgpu/mainloop.h for whole vectors of 16 bytes, on gfx950. Operands are loaded
// straight to LDS, two k tiles ahead. Each k tile is multiplied in four phases, one for each
// quadrant of a wave's part of the tile. gfx942/mainloop.h is another loop, because gfx942 cannot
// load so (amdgpu/mainloop.h).
#pragma once

#include "amdgpu/gfx950/mx_scales.h"
#include "amdgpu/gfx950/operand.h"
#include "amdgpu/mainloop_end.h"
#include "amdgpu/mfma.h"

namespace jaxgemm {

// The phases of k tile t. A0 and A1 are the halves of lhs, B0 and B1 those of rhs, of t if no other
// k tile is named:
//
//   phase   reads      starts to load   multiplies
//   1       A0         A1 of t + 1      A0 B0
//   2       B1         B0 of t + 2      A0 B1
//   3       A1         A0 of t + 2      A1 B0
//   4       B0 of t+1  B1 of t + 2      A1 B1
//
// Operands in an MX format have scales. Phase 2 reads those of A1 and B1, phase 4 those of A0 and
// B0 of t + 1. One load brings the scales of 512 k, a chunk. The load of chunk c + 2 starts in
// phase 1 of the first k tile of chunk c + 1. It is one of the loads that a wait leaves in flight,
// so the wait then leaves one load of the halves less.
//
// Every phase has these parts: reads and loads; barrier; wait; multiply; and with ping-pong one
// more barrier. The reads from LDS come first, before everything that has branches, because the
// wait is for them. A half of an LDS buffer is loaded again two phases after it is read: in
// between, every wave has waited for its reads and passed a barrier. The wait of a phase leaves the
// loads of four halves in flight: those of this phase and of the three phases before. So a load
// that starts in phase p is complete after the wait of phase p + 4, and in phase p + 6 the half is
// read. In between, every wave passes a barrier after its wait.
//
// Ping-pong: each SIMD has one wave of each of the two rows of waves. The second row is one
// barrier, half a phase, behind the first, so that one wave of the SIMD multiplies while the other
// reads.
//
// Indices of lines that are gathered along k are loaded in phase 1, before A1, so that the wait of
// phase 4 is for them, too. The next k tile's phase 1 reads them, and phase 2 needs them.
template <class Traits, bool kGathersLhsK = false, bool kGathersRhsK = false>
class VectorMainloop {
  static constexpr bool kPingPong = Traits::kThreads / kWaveSize == 8;
  static_assert(!kPingPong || Traits::kWavesM == 2);
  using Lhs = Operand<Traits, true, kGathersLhsK>;
  using Rhs = Operand<Traits, false, kGathersRhsK>;
  static constexpr int kBufferBytes = Lhs::kTileBytes + Rhs::kTileBytes;
  using Accumulators = typename Traits::Acc4[Traits::kFragsM][Traits::kFragsN];

 public:
  static constexpr int kOperandBytes = 2 * kBufferBytes;
  static constexpr int kLdsBytes = kOperandBytes + [] {
    if constexpr (Traits::kMx) return MxScales<Traits>::kLdsBytes;
    if constexpr (Traits::kMayGatherK) return Lhs::kIndexBytes;
    return 0;
  }();

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
    uint32_t load_lhs = Lhs::LoadPlace(lds);
    const uint32_t k_in_last = lhs_memory.KLeft(tile.k_end - 1);
    auto check_end = [&](Index left) {
      // With MX scales the hint lets clang place the code so that most k tiles take no branch; else
      // the wave would wait for the branch's target. Other kernels do without the hint, because
      // with it clang kept too few wait states in a loop of gfx942.
      if (!Traits::kMx || __builtin_expect(left <= 1, false)) {
        MaskEnd<Traits::kTileK>(lhs, rhs, left, k_in_last);
      }
    };

    Index left = tile.k_end - tile.k_begin;
    int32_t to_other = kBufferBytes;  // from this k tile's buffer to the other one
    Vec16 a[Lhs::kFrags][2], b0[Rhs::kFrags][2], b1[Rhs::kFrags][2];
    const uint32_t to_rhs = Lhs::kTileBytes + WaveId() * (Rhs::kWaveBytes - Lhs::kWaveBytes);
    auto load_rhs = [&] { return load_lhs + to_rhs; };
    uint32_t a0_scales[Lhs::kFrags], a1_scales[Lhs::kFrags];
    uint32_t b0_scales[Rhs::kFrags], b1_scales[Rhs::kFrags];

    // The compiler does not know that loads before this loop, such as those of an epilogue, are
    // done on each path to it. Without this wait it would wait for all loads, also those of this
    // loop, in every k tile.
    WaitUntil<0, kAnyLds>();
    if (!lds_is_free) Barrier();
    lhs.FindFirstLines(lhs_memory, tile.m, tile.k_begin, lds + kOperandBytes);
    rhs.FindFirstLines(rhs_memory, tile.n, tile.k_begin, lds + kOperandBytes);
    check_end(left);
    lhs.WaitSgprHazard();
    rhs.WaitSgprHazard();
    scales.Start();
    rhs.template Load<0>(load_rhs());
    lhs.template Load<0>(load_lhs);
    rhs.template Load<1>(load_rhs());
    lhs.LoadIndices();
    rhs.LoadIndices();
    lhs.template Load<1>(load_lhs);
    lhs.NextTile();
    rhs.NextTile();
    check_end(left - 1);
    load_lhs += to_other;
    rhs.template Load<0>(load_rhs());
    lhs.template Load<0>(load_lhs);
    rhs.template Load<1>(load_rhs());
    overlapped.Load();
    lhs.PlaceInLds(lds);
    rhs.PlaceInLds(lds + Lhs::kTileBytes);
    overlapped.Compute();
    // With scales of blocks the tile has a second set of accumulators, and no register is left.
    ClearAccumulators(acc, !Traits::kScaled);
    Wait();
    BarrierWithoutWait();
    // This read is a phase of its own, because B0 is loaded again two phases later.
    rhs.template Read<0>(b0);
    scales.ReadFirst(tile.k_begin, a0_scales, b0_scales, a1_scales, b1_scales);
    Wait();
    BarrierWithoutWait();
    if (kPingPong && Traits::WaveM() == 1) BarrierWithoutWait();

    for (; left > 0; --left) {
      lhs.template Read<0>(a);
      lhs.ReadIndices();
      rhs.ReadIndices();
      scales.Load(tile.k_end - left);
      lhs.LoadIndices();
      rhs.LoadIndices();
      lhs.template Load<1>(load_lhs);
      Multiply<0, 0>(a, b0, a0_scales, b0_scales, acc);

      rhs.template Read<1>(b1);
      scales.template Read<1>(tile.k_end - left, a1_scales, b1_scales);
      lhs.NextTile();
      rhs.NextTile();
      check_end(left - 2);
      load_lhs -= to_other;
      rhs.template Load<0>(load_rhs());
      Multiply<0, 1>(a, b1, a0_scales, b1_scales, acc);

      lhs.template Read<1>(a);
      lhs.template Load<0>(load_lhs);
      Multiply<1, 0>(a, b0, a1_scales, b0_scales, acc);

      lhs.MoveReads(to_other);
      rhs.MoveReads(to_other);
      to_other = -to_other;
      rhs.template Read<0>(b0);
      scales.template Read<0>(tile.k_end - left + 1, a0_scales, b0_scales);
      rhs.template Load<1>(load_rhs());
      Multiply<1, 1>(a, b1, a1_scales, b1_scales, acc);
      scales.Promote();
    }
    if (kPingPong && Traits::WaveM() == 0) BarrierWithoutWait();
    WaitForMemory();
    BarrierWithoutWait();
  }

 private:
  // A barrier that does not wait for memory accesses.
  static JAXGEMM_AMD void BarrierWithoutWait() {
    __builtin_amdgcn_sched_barrier(0);
    asm volatile("s_barrier" ::: "memory");
    __builtin_amdgcn_sched_barrier(0);
  }
  // Waits for all LDS reads of this wave, and for all its loads but the last ones, as many as four
  // halves have.
  static JAXGEMM_AMD void Wait() { WaitUntil<2 * (Lhs::kLoads + Rhs::kLoads), 0>(); }
  // The second half of a phase, from its first barrier on.
  template <int kHalfM, int kHalfN>
  static JAXGEMM_AMD void Multiply(const Vec16 (&lhs)[Lhs::kFrags][2],
                                   const Vec16 (&rhs)[Rhs::kFrags][2],
                                   const uint32_t (&lhs_scales)[Lhs::kFrags],
                                   const uint32_t (&rhs_scales)[Rhs::kFrags], Accumulators& acc) {
    constexpr int kVecs = VecsPerMma<Traits>();
    BarrierWithoutWait();
    Wait();
    __builtin_amdgcn_s_setprio(1);
    __builtin_amdgcn_sched_barrier(0);
    // Consecutive instructions have different accumulators, so that none waits for the one before.
#pragma unroll
    for (int step = 0; step < 2; step += kVecs) {
#pragma unroll
      for (int part = 0; part < PartsPerMma<Traits>(); ++part) {
#pragma unroll
        for (int i = 0; i < Lhs::kFrags; ++i) {
#pragma unroll
          for (int j = 0; j < Rhs::kFrags; ++j) {
            auto& acc4 = acc[kHalfM * Lhs::kFrags + i][kHalfN * Rhs::kFrags + j];
            if constexpr (Traits::kMx) {
              if (step == 0) {
                acc4 = ScaledMma<Traits, 0>(lhs[i], rhs[j], lhs_scales[i], rhs_scales[j], acc4);
              } else if constexpr (kVecs == 1) {
                acc4 = ScaledMma<Traits, 1>(&lhs[i][1], &rhs[j][1], lhs_scales[i], rhs_scales[j],
                                            acc4);
              }
              // Without this asm the compiler moves the instruction to a later phase.
              asm volatile("" : "+v"(acc4));
            } else {
              acc4 = MmaPart<Traits>(part, &lhs[i][step], &rhs[j][step], acc4);
            }
          }
        }
      }
    }
    __builtin_amdgcn_sched_barrier(0);
    __builtin_amdgcn_s_setprio(0);
    if (kPingPong) BarrierWithoutWait();
  }
};

}  // namespace jaxgemm
