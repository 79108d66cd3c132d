// Cluster split-K on Hopper: the CTAs of a cluster divide the k of a tile. The peers of a tile are
// CTAs of one cluster, each with the partial sums of its part of k. A cluster may have the peers of
// several tiles, which read the same operands. The peers of a tile store partial sums in each
// other's shared memory. Each peer then adds up some of the tile's columns, in peer order, and
// stores them to out.
#pragma once

#include "kernel/vec4.h"
#include "sm90/gemm_traits.h"

namespace jaxgemm {

// The place of a CTA in its cluster: it is peer number `peer` of tile number `tile`, and the
// cluster has `tiles` tiles. CTAs of consecutive ranks are peers of different tiles.
struct ClusterSplitKRank {
  int tiles, peer, tile;

  JAXGEMM_SM90 explicit ClusterSplitKRank(int tiles) : tiles(tiles) {
    const int rank = ClusterCtaRank();
    peer = Div20Bits(rank, tiles), tile = rank - peer * tiles;
  }
  // The rank of another peer of the same tile.
  JAXGEMM_SM90 int Of(int other) const { return other * tiles + tile; }
};

// Fragment i of a warp is accumulators 4 i to 4 i + 3 of its threads, which are eight columns. With
// 64 columns or more a peer owns the same fragments of every warp. With fewer columns the fragments
// of all warps are numbered in one sequence, of which a peer owns a part (SharesOutWarps). A warp
// sends a fragment to the same warp of its owner, which waits for nothing else.
template <class Traits>
class ClusterSplitKExchange {
  using Acc = typename Traits::Acc;
  static constexpr int kFragmentBytes = kWarpSize * sizeof(Vec4<Acc>);  // a warp's fragment
  static constexpr int kWarps = kWarpgroupSize / kWarpSize;
  static constexpr bool kSharesOutWarps = SharesOutWarps(Traits::kTileN);
  static constexpr int kUnits = PeerUnits(Traits::kTileN);

 public:
  JAXGEMM_SM90 ClusterSplitKExchange(SharedMemory<Traits>& shared, int count,
                                     const ClusterSplitKRank& rank)
      : shared_(shared),
        rank_(rank),
        count_(count),
        most_(Div20Bits(kUnits + count - 1, count)),
        warp_((ThreadId() - kWarpgroupSize) / kWarpSize),
        lane_(ThreadId() % kWarpSize),
        own_(OwnedBy(rank.peer)),
        next_(OwnedBy(Next(rank.peer))) {
    // This keeps the compiler from computing these values again at each use.
    asm volatile("" : "+r"(warp_), "+r"(lane_), "+r"(next_.first), "+r"(next_.end));
  }

  JAXGEMM_SM90 int first() const { return own_.first; }
  JAXGEMM_SM90 int end() const { return own_.end; }

  // Announces the bytes that the other peers send. All consumers call this before Wait.
  JAXGEMM_SM90 void Expect() const {
    if (ElectSync()) {
      shared_.partials_ready[warp_].ArriveExpectTx((count_ - 1) * (end() - first()) *
                                                   kFragmentBytes);
    }
    __syncwarp();
  }

  // Sends the fragments that other peers own, the next peer's first, and keeps this peer's own.
  JAXGEMM_SM90 void Send(const Acc (&acc)[Traits::kAccs]) const {
    // Kept() lies in rows of lhs that the other warps of its warpgroup may still be reading.
    WarpgroupBarrier(warp_ / kWarps);
    Owned owned = next_;
#pragma unroll 1
    for (int owner = Next(rank_.peer); owner != rank_.peer;) {
      const int rank = rank_.Of(owner);
      const uint32_t ready = Mapa(&shared_.partials_ready[warp_], rank);
      const uint32_t to = Mapa(Received(owned, rank_.peer - (rank_.peer > owner)), rank) +
                          lane_ * sizeof(Vec4<Acc>);
      owned.ForEach([&](int fragment) {
        StAsync(to + (fragment - owned.first) * kFragmentBytes,
                __builtin_bit_cast(uint4, FragmentOf(acc, fragment)), ready);
      });
      owner = Next(owner);
      owned = OwnedBy(owner);
    }
    own_.ForEach([&](int fragment) {
      *reinterpret_cast<Vec4<Acc>*>(Kept(fragment - first()) + lane_ * sizeof(Vec4<Acc>)) =
          FragmentOf(acc, fragment);
    });
    // The lanes read each other's accumulators.
    if constexpr (Traits::kTransposed) __syncwarp();
  }
  // Waits for what the other peers send. After that nothing more comes to this warp.
  JAXGEMM_SM90 void Wait() const { shared_.partials_ready[warp_].Wait(0); }

  // Adds up kCount fragments from `fragment` on, as far as this peer owns them, in peer order.
  template <int kCount>
  JAXGEMM_SM90 void AddUp(int fragment, Vec4<Acc> (&total)[kCount]) const {
    const int left = end() - fragment;
    const int skipped = (fragment - first()) * kFragmentBytes;
    const char* received = Received(own_, 0) + skipped;
#pragma unroll
    for (int i = 0; i < kCount; ++i) total[i] = {};
#pragma unroll 1
    for (int peer = 0; peer < count_; ++peer) {
      const bool is_own = peer == rank_.peer;
      const char* from = is_own ? Kept(fragment - first()) : received;
      received += is_own ? 0 : most_ * kFragmentBytes;
      Vec4<Acc> terms[kCount];
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (i < left) terms[i] = Read(from + i * kFragmentBytes);
      }
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) total[i][j] += terms[i][j];
      }
    }
  }

 private:
  // The fragments of this warp that a peer owns.
  struct Owned {
    int first, end;
    int before;  // how many fragments of the warps before this one the peer owns

    // Registers cannot be indexed at run time, so the loop is over all fragments.
    template <class Do>
    JAXGEMM_SM90 void ForEach(const Do& it) const {
#pragma unroll
      for (int fragment = 0; fragment < Traits::kFragments; ++fragment) {
        if (fragment >= first && fragment < end) it(fragment);
      }
    }
  };
  JAXGEMM_SM90 Owned OwnedBy(int peer) const {
    const int first = Div20Bits(peer * kUnits, count_),
              end = Div20Bits((peer + 1) * kUnits, count_);
    if constexpr (!kSharesOutWarps) return {first, end, 0};
    const int start = warp_ * Traits::kFragments;
    auto in_warp = [start](int unit) {
      return unit < start                        ? 0
             : unit - start < Traits::kFragments ? unit - start
                                                 : Traits::kFragments;
    };
    return {in_warp(first), in_warp(end), first < start ? start - first : 0};
  }
  JAXGEMM_SM90 int Next(int peer) const { return peer + 1 == count_ ? 0 : peer + 1; }
  static JAXGEMM_SM90 Vec4<Acc> FragmentOf(const Acc (&acc)[Traits::kAccs], int fragment) {
    return {
        {acc[4 * fragment], acc[4 * fragment + 1], acc[4 * fragment + 2], acc[4 * fragment + 3]}};
  }
  // This lane's values of a fragment. They are those of its accumulators; but in transposed tiles
  // they are four rows of column lane / 4, from row 4 (lane % 4) on.
  JAXGEMM_SM90 Vec4<Acc> Read(const char* fragment) const {
    if constexpr (!Traits::kTransposed) {
      return *reinterpret_cast<const Vec4<Acc>*>(fragment + lane_ * sizeof(Vec4<Acc>));
    }
    const int column = lane_ / 4, row_group = lane_ % 4;
    // Rows 8 to 15 are in the third and fourth accumulators, and each lane has a pair of columns.
    const Acc* at = reinterpret_cast<const Acc*>(fragment) + row_group % 2 * 64 + column / 2 * 4 +
                    row_group / 2 * 2 + column % 2;
    return {{at[0], at[16], at[32], at[48]}};
  }
  // Where fragments of this warp are in their owner's shared memory. Received: fragments from the
  // other peers, one peer after another, in the warp's part of `out`, or in all of it if
  // kSharesOutWarps. Kept: the owner's own fragments, in a stage, in the rows of lhs that only its
  // warpgroup reads.
  JAXGEMM_SM90 char* Received(const Owned& owned, int other) const {
    return shared_.out[kSharesOutWarps ? 0 : warp_] +
           (other * most_ + owned.before) * kFragmentBytes;
  }
  JAXGEMM_SM90 char* Kept(int own) const {
    static_assert(kWarps <= Traits::kStages);
    constexpr int kBytes = Traits::kLhsBytes / Traits::kConsumers,
                  kFragments = kBytes / kFragmentBytes;
    // If one CTA has the whole tile (out^T without split-K), it receives nothing. A stage has no
    // room for the fragments of more than 128 columns: the rest is kept in `out`.
    static_assert(Traits::kFragments <= kFragments + Traits::kStagedBytes / kFragmentBytes);
    if (Traits::kFragments > kFragments && own >= kFragments) {
      return shared_.out[warp_] + (own - kFragments) * kFragmentBytes;
    }
    return shared_.lhs[warp_ % kWarps] + warp_ / kWarps * kBytes + own * kFragmentBytes;
  }

  SharedMemory<Traits>& shared_;
  const ClusterSplitKRank rank_;
  const int count_, most_;  // most_: the largest number of fragments that a peer owns
  int warp_, lane_;         // counted among the consumers
  const Owned own_;
  Owned next_;
};

}  // namespace jaxgemm
