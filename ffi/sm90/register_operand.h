// A variant of sm90/mainloop.h, in which wgmma gets an operand in registers: an operand of 8 or 32
// bits that is not k-contiguous, because wgmma reads these types from shared memory only k-major.
// TMA loads the operand as it lies in memory. Its rows in shared memory have 128 bytes along m or n
// at one k, with TMA's swizzle: 16-byte vector c of row k is at c ^ (k % 8).
//
// A fragment is a thread's part of 64 lines (rows of lhs, columns of rhs) and the k of one wgmma:
// four words, as Wgmma::RunA takes them. Row i of the wgmma need not be line i of the operand, so
// each reader below gives a thread the lines that it can load at once.
#pragma once

#include "sm90/mainloop.h"

namespace jaxgemm {

// Fragments of the 64 rows of lhs that a warpgroup has, of float32. Row i of the wgmma is row i.
template <class Traits>
class LhsFragments {
 public:
  static constexpr int kBlocks = 1;

  explicit JAXGEMM_SM90 LhsFragments(int thread) {
    static_assert(Traits::kBytes == 4);
    const int lane = thread % kWarpSize, row = thread / kWarpSize * 16 + lane / 4, k = lane % 4;
    const int vector = row % Traits::kBlock / 4;  // of 16 bytes
    at_ = row / Traits::kBlock * Traits::kBlockBytes + k * kRowBytes + (vector ^ k) * 16 +
          row % 4 * 4;
  }
  JAXGEMM_SM90 void Read(const SharedMemory<Traits>& shared, int slot, int step,
                         uint32_t (&fragments)[kBlocks][4]) const {
    // Eight rows further are two vectors, and four k further are four rows of shared memory.
    constexpr int kRows8 = 2 * 16, kK4 = 4 * 16, kNext4 = 4 * kRowBytes;
    const char* lhs = shared.lhs[slot] + step * Traits::Mma::kDepth * kRowBytes;
    const int places[4] = {at_, at_ ^ kRows8, (at_ ^ kK4) + kNext4, (at_ ^ kRows8 ^ kK4) + kNext4};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      fragments[0][i] = *reinterpret_cast<const uint32_t*>(lhs + places[i]);
    }
  }

 private:
  int at_;
};

// Where a thread's columns of rhs are, of those that its warpgroup multiplies: two blocks of 64
// rows of a wgmma. Each warp has 32 neighbouring columns. A thread has rows lane / 4 and lane / 4 +
// 8 of its warp's 16 rows of a block: two neighbouring columns for each block.
template <class Traits>
struct ColumnsOfThread {
  static constexpr int kOfWarpgroup = Traits::kTileN / Traits::kStageReaders;
  static constexpr int kBlocks = kOfWarpgroup / 64, kOfWarp = 16 * kBlocks;
  // With 32 bits the columns of both blocks are neighbours.
  static constexpr bool kColumnsAreAdjacent = Traits::kBytes == 4;
  static_assert(kBlocks == 2);
  static_assert(kBlocks * Traits::kCtaM / 2 == Traits::kAllAccs);

  // The warp's first column in the tile. `thread` is among the consumers.
  static JAXGEMM_SM90 int OfWarp(int thread) {
    const int warpgroup = Traits::kIsPingPong ? 0 : thread / kWarpgroupSize;
    return warpgroup * kOfWarpgroup + thread % kWarpgroupSize / kWarpSize * kOfWarp;
  }
  // With 32 bits: the 16-byte vector of the warp's eight that has the thread's columns. In this
  // order the lanes that read at the same time read from different banks.
  static JAXGEMM_SM90 int VectorOf(int lane) { return lane / 4 % 2 * 4 + lane / 8; }
  // The first of the two columns of a block, counted from OfWarp.
  static JAXGEMM_SM90 int InWarp(int lane, int block) {
    return kColumnsAreAdjacent ? VectorOf(lane) * 4 + block * 2 : block * 16 + lane / 4 * 2;
  }
};

// Fragments of the columns of rhs that a warpgroup has.
template <class Traits>
class RhsFragments {
  using Columns = ColumnsOfThread<Traits>;

 public:
  static constexpr int kBlocks = Columns::kBlocks;

  explicit JAXGEMM_SM90 RhsFragments(int thread) {
    const int lane = thread % kWarpSize, column = Columns::OfWarp(thread);
    int k, vector;
    if constexpr (Columns::kColumnsAreAdjacent) {
      k = lane % 4, vector = Columns::VectorOf(lane);
    } else {
      // This lane's address is that of row lane % 8 of matrix lane / 8. The matrices have two
      // columns of 8 bits in an element, and the k in their rows; the last two have the upper half
      // of the 32 k. A thread gets two rows of each: in the first two matrices k = 4 q to 4 q + 3
      // with q = lane % 4. With q = 2 and 3 the first matrix has the upper two of these k, so that
      // the rows of a matrix have different k % 8, and lie in different banks.
      const int q = lane % 8 / 2, upper = lane / 8 % 2 ^ q / 2;
      k = lane / 16 * 16 + 4 * q + 2 * upper + lane % 2;
      vector = column % Traits::kBlock / 16;
      bytes_ = lane % 4 < 2 ? 0x6420 : 0x2064;
    }
    at_ = column / Traits::kBlock * Traits::kBlockBytes + k * kRowBytes + (vector ^ k % 8) * 16;
  }
  JAXGEMM_SM90 void Read(const SharedMemory<Traits>& shared, int slot, int step,
                         uint32_t (&fragments)[kBlocks][4]) const {
    const char* rhs = shared.rhs[slot] + step * Traits::Mma::kDepth * kRowBytes;
    if constexpr (Columns::kColumnsAreAdjacent) {
      // Four k further are four rows of shared memory.
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const uint4 words =
            *reinterpret_cast<const uint4*>(rhs + (at_ ^ half * 4 * 16) + half * 4 * kRowBytes);
        fragments[0][2 * half] = words.x, fragments[0][2 * half + 1] = words.y;
        fragments[1][2 * half] = words.z, fragments[1][2 * half + 1] = words.w;
      }
    } else {
      const uint32_t from = SharedAddress(rhs);
      uint32_t pairs[kBlocks][4];
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        LdMatrixX4Trans(from + (at_ ^ block * 16), pairs[block]);
      }
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          fragments[block][i] = __byte_perm(pairs[block][i / 2 * 2], pairs[block][i / 2 * 2 + 1],
                                            bytes_ + i % 2 * 0x1111);
        }
      }
    }
  }

 private:
  int at_;          // of step 0, in bytes
  uint32_t bytes_;  // 8 bits: the bytes of two words that an even column has at four k
};

// A variant of SmemMainloop, in which wgmma gets one operand in registers.
template <class Traits>
class RegisterMainloop : public SmemMainloop<Traits> {
  using Base = SmemMainloop<Traits>;
  using Acc = typename Traits::Acc;
  using Mma = typename Traits::Mma;
  using Fragments =
      std::conditional_t<Traits::kRhsInRegisters, RhsFragments<Traits>, LhsFragments<Traits>>;
  static constexpr int kBlocks = Fragments::kBlocks, kAccs = Traits::kAllAccs / kBlocks;
  // Fragments are loaded two steps ahead, so that a wgmma is never issued later than it could be.
  static constexpr int kSteps = Traits::kSteps, kAhead = 2;
  static_assert(kSteps > kAhead);
  using Base::full_, Base::stage_, Base::shared_, Base::Release;
  template <void (*kDo)(Acc&)>
  static JAXGEMM_SM90 void ForEachAcc(Acc (&acc)[Traits::kAllAccs]) {
    Base::template ForEachAcc<kDo>(acc);
  }

 public:
  using typename Base::NoOverlappedWork;

  // All stages are released.
  JAXGEMM_SM90 RegisterMainloop(SharedMemory<Traits>& shared, const MulticastGroup<Traits>& group,
                                Index releases = kNever)
      : Base(shared, group, releases), fragments_(ThreadId() - kWarpgroupSize) {}

  // As SmemMainloop::Run. No k are set to zero, so it is not for groups along k.
  template <class Overlapped = NoOverlappedWork>
  JAXGEMM_SM90 void Run(const GemmArgs&, const WorkTile& tile, Acc (&acc)[Traits::kAllAccs],
                        Overlapped&& overlapped = {}) {
    static_assert(!Base::kCountsReleases);
    const Index count = WarpUniform(tile.k_end - tile.k_begin);
    if (!Base::kHasK && count <= 0) {
#pragma unroll
      for (int i = 0; i < Traits::kAllAccs; ++i) ClearAcc(acc[i]);
      return;
    }
    ForEachAcc<ForgetAcc>(acc);
    RingPlace<Traits::kStages> stage{static_cast<int>(WarpUniform(stage_.slot)),
                                     WarpUniform(stage_.parity)};
    uint32_t fragments[kSteps][kBlocks][4];
    full_.Wait(stage.slot, stage.parity);
#pragma unroll
    for (int step = 0; step < kAhead; ++step) {
      fragments_.Read(shared_, stage.slot, step, fragments[step]);
    }
    int previous = 0;
    Index k_tile = 0, time = WarpUniform(overlapped.NextTime(0));
    do {
      const Index stop = time < count ? time : count;
      do {
        const int slot = stage.slot;
        const bool is_last = k_tile == count - 1;
        const uint32_t other = Traits::kRhsInRegisters
                                   ? Base::lhs_ + (slot * Traits::kLhsBytes >> 4)
                                   : Base::rhs_ + (slot * Traits::kRhsBytes >> 4);
        stage.Advance();
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          ForEachAcc<FenceAcc>(acc);
          // The fragments must be complete before the fence, else ptxas adds fences.
#pragma unroll
          for (int i = 0; i < kBlocks * 4; ++i) FenceWord(fragments[step][i / 4][i % 4]);
          WgmmaFence();
#pragma unroll
          for (int block = 0; block < kBlocks; ++block) {
            Mma::RunA(acc + block * kAccs, fragments[step][block],
                      MatrixAt(other + step * Base::template Advance<true>()),
                      step > 0 || k_tile > 0);
          }
          WgmmaCommitGroup();
          const int next = step + kAhead;  // the step of the fragments that are loaded now
          if (next == kSteps && !is_last) full_.Wait(stage.slot, stage.parity);
          WgmmaWaitGroup<1>();  // the step before
          if (step == 0 && k_tile > 0) Release(previous);
          // After the last k tile fragments are loaded again, which are not used: with a branch
          // ptxas serialises the wgmmas of some forms (C7519).
          fragments_.Read(shared_, next < kSteps || is_last ? slot : stage.slot, next % kSteps,
                          fragments[next % kSteps]);
        }
        previous = slot;
      } while (++k_tile < stop);
      if (k_tile == time) {
        overlapped();
        time = WarpUniform(overlapped.NextTime(k_tile));
      }
    } while (k_tile < count);
    WgmmaWaitGroup<0>();
    ForEachAcc<FenceAcc>(acc);
    stage_ = stage;
    Release(previous);
  }

 private:
  const Fragments fragments_;
};

}  // namespace jaxgemm
