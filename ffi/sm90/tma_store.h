// Stores results of 16 or 32 bits to out on Hopper: from a warp's registers to shared memory, and
// from there by TMA. A box has the warp's 16 rows, and 64 columns of 16 bits or 32 columns of 32
// bits. The epilogues decide whether TMA stores: StoreAccumulators in epilogue.h, ApplyFused in
// fused_epilogue.h.
#pragma once

#include "sm90/gemm_traits.h"

namespace jaxgemm {

template <class Traits>
class OutBoxes {
  using Acc = typename Traits::Acc;
  static constexpr int kPairs = kBoxColumns / 4;  // a thread's pairs in a box

 public:
  static constexpr int kBoxes = Traits::kTileN / kBoxColumns, kBytes = kBoxRows * kRowBytes;

  // A warp's results of a tile, in pairs of 16-bit values.
  struct Packed {
    int row, column, z;  // in out
    uint32_t pairs[kBoxes][kPairs];

    // Tells the compiler that the old pairs are not needed, so that it frees their registers.
    JAXGEMM_SM90 void Forget() {
#pragma unroll
      for (int i = 0; i < kBoxes * kPairs; ++i)
        asm volatile("" : "=r"(pairs[i / kPairs][i % kPairs]));
    }
    template <bool kBf16>
    JAXGEMM_SM90 void Pack(const Acc* acc) {
#pragma unroll
      for (int i = 0; i < kBoxes; ++i) PackBox<kBf16>(acc, i);
    }
    template <bool kBf16>
    JAXGEMM_SM90 void PackBox(const Acc* acc, int i) {
      acc += i * 2 * kPairs;
#pragma unroll
      for (int j = 0; j < kPairs; ++j) {
        pairs[i][j] = CvtRnX2(kBf16, acc[2 * j], acc[2 * j + 1]);
      }
    }
  };

  JAXGEMM_SM90 OutBoxes(SharedMemory<Traits>& shared, const TensorMaps& maps, int thread)
      : shared_(shared), maps_(maps), thread_(thread) {}

  // Stores box `i`. TMA does it while the next tile is multiplied.
  JAXGEMM_SM90 void Store(const Packed& packed, int i) const { StoreBy(Free(i), packed, i); }
  // Stores box `i` through `box` in shared memory.
  JAXGEMM_SM90 void StoreBy(uint32_t box, const Packed& packed, int i) const {
    Write(box, packed, i);
    FenceProxyAsync();
    __syncwarp();
    if (ElectSync()) Send(box, packed, i);
  }
  // Waits until box `i`'s place in this warp's part of shared_.out is free, and returns it.
  JAXGEMM_SM90 uint32_t Free(int i) const {
    if (ElectSync()) TmaStoreWaitRead<kPlaces - 1>();
    __syncwarp();
    return SharedAddress(shared_.out[Warp()]) + i % kPlaces * kBytes;
  }

  // Results of 32 bits are float32, or int32 of int8 operands. A tile must have whole boxes of
  // them.
  static constexpr int kWideColumns = kBoxColumns / 2;
  static constexpr bool kHasWide = Traits::kTileN % kWideColumns == 0;
  // Stores a warp's results of a tile, of 32 bits each; row, column and z are those of the first
  // one. With `adds` they are added to out.
  JAXGEMM_SM90 void StoreWideBoxes(const Acc* acc, int row, int column, int z, bool adds) const {
    // This lane's row of the upper eight, and its eight bytes in that, swizzled.
    const uint32_t in_box =
        Lane() / 4 * kRowBytes + (Lane() % 4 / 2 ^ Lane() / 4) * 16 + Lane() % 2 * 8;
#pragma unroll
    for (int i = 0; i < Traits::kTileN / kWideColumns; ++i) {
      const uint32_t box = Free(i);
#pragma unroll
      for (int j = 0; j < kPairs / 2; ++j) {
        const Acc* pair = acc + i * kPairs + 2 * j;
        StSharedV2(box + (in_box ^ j / 2 * 32) + j % 2 * 8 * kRowBytes, pair[0], pair[1]);
      }
      FenceProxyAsync();
      __syncwarp();
      if (!ElectSync()) continue;
      if (adds) {
        TmaReduceAdd(&maps_.out, box, column + i * kWideColumns, row, z);
      } else {
        TmaStore(&maps_.out, box, column + i * kWideColumns, row, z);
      }
    }
  }

  // Stores all boxes through the stages, which are free after the CTA's last tile. Each stage has
  // room for one box of every warp, in the rows of lhs that the warp's warpgroup has read. `first`
  // is the first box to store.
  JAXGEMM_SM90 void StoreAllByStages(const Packed& packed, int first) const {
    static_assert(kBoxes <= Traits::kStages);
    static_assert(Traits::kLhsBytes == Traits::kConsumerWarps * kBytes);
    WarpgroupBarrier(thread_ / kWarpgroupSize);
    if (first == kBoxes) return;
    const uint32_t box = SharedAddress(shared_.lhs[0]) + Warp() * kBytes;
#pragma unroll
    for (int i = 0; i < kBoxes; ++i) Write(box + i * Traits::kLhsBytes, packed, i);
    FenceProxyAsync();
    __syncwarp();
    if (ElectSync()) {
#pragma unroll
      for (int i = 0; i < kBoxes; ++i) {
        if (i >= first) Send(box + i * Traits::kLhsBytes, packed, i);
      }
    }
  }

 private:
  // The boxes of a tile take turns in so many places of shared_.out. Of a gated tile only the
  // second half of the boxes is stored, which may be one.
  static constexpr bool kHasOneBox = Traits::kStore == FormStore::kGated && kBoxes == 2;
  static constexpr int kPlaces = kHasOneBox ? 1 : Traits::kOutBoxes;

  // Unsigned divisions take fewer instructions.
  JAXGEMM_SM90 int Lane() const { return static_cast<uint32_t>(thread_) % kWarpSize; }
  JAXGEMM_SM90 int Warp() const { return static_cast<uint32_t>(thread_) / kWarpSize; }

  JAXGEMM_SM90 void Write(uint32_t box, const Packed& packed, int i) const {
    // This lane's row of the matrices and its 16 bytes in the row, swizzled.
    const int row = Lane() % kBoxRows;
    const uint32_t in_box = row * kRowBytes + (Lane() / kBoxRows ^ row % 8) * 16;
#pragma unroll
    for (int j = 0; j < kPairs / 4; ++j) {
      const uint32_t* pairs = packed.pairs[i] + 4 * j;
      StMatrixX4(box + (in_box ^ j * 32), pairs[0], pairs[1], pairs[2], pairs[3]);
    }
  }
  // One lane calls this when all lanes have fenced.
  JAXGEMM_SM90 void Send(uint32_t box, const Packed& packed, int i) const {
    TmaStore(&maps_.out, box, packed.column + i * kBoxColumns, packed.row, packed.z);
  }

  SharedMemory<Traits>& shared_;
  const TensorMaps& maps_;
  const int thread_;  // among the CTA's consumers
};

}  // namespace jaxgemm
