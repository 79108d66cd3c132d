// The peers of a tile on Hopper: CTAs of one cluster, each with the sums of its part of k. A
// cluster may have several tiles' peers, which read the same operands. A tile's peers store their
// sums in each other's shared memory, so that each adds up, in peer order, and stores some of the
// tile's columns.
#pragma once

#include "sm90/gemm_traits.h"
#include "sm90/vector_store.h"

namespace jaxgemm {

// Of a CTA: which peer, and of which of its cluster's tiles. Ranks count tiles first.
struct PeerRank {
  int tiles, peer, tile;

  JAXGEMM_SM90 explicit PeerRank(const TensorMaps& maps) : tiles(maps.cluster_m * maps.cluster_n) {
    const int rank = ClusterRank();
    peer = DivSmall(rank, tiles), tile = rank - peer * tiles;
  }
  // Of another peer of the same tile.
  JAXGEMM_SM90 int Of(int other) const { return other * tiles + tile; }
};

// A four is sums 4 i to 4 i + 3 of a thread; each peer owns some, of all threads. What a warp has
// of them goes to the same warp of the owner, which waits for no more than that.
template <class Traits>
class PeerExchange {
  using Sum = typename Traits::Sum;
  static constexpr int kFourBytes = kWarpSize * sizeof(Four<Sum>);  // of a warp
  static constexpr int kWarps = kWarpgroupSize / kWarpSize;

 public:
  JAXGEMM_SM90 PeerExchange(SharedMemory<Traits>& shared, int count, const PeerRank& rank)
      : shared_(shared),
        rank_(rank),
        count_(count),
        most_(DivSmall(Traits::kFours + count - 1, count)),
        own_(ShareOf(rank.peer)),
        next_(ShareOf(Next(rank.peer))),
        warp_((ThreadId() - kWarpgroupSize) / kWarpSize),
        lane_(ThreadId() % kWarpSize) {
    // Not found anew wherever they are needed.
    asm volatile("" : "+r"(warp_), "+r"(lane_), "+r"(next_.first), "+r"(next_.end));
  }

  JAXGEMM_SM90 int first() const { return own_.first; }
  JAXGEMM_SM90 int end() const { return own_.end; }

  // By all consumers, before Wait.
  JAXGEMM_SM90 void Expect() const {
    if (IsLeader()) {
      shared_.peers_ready[warp_].ArriveExpecting((count_ - 1) * (end() - first()) * kFourBytes);
    }
    __syncwarp();
  }

  // What others own goes to them, the next one's first; what this one owns is kept.
  JAXGEMM_SM90 void Send(const Sum (&sums)[Traits::kSums]) const {
    // The other warps of its warpgroup have read the rows where it is kept.
    WarpgroupBarrier(warp_ / kWarps);
    Share share = next_;
#pragma unroll 1
    for (int owner = Next(rank_.peer); owner != rank_.peer;) {
      const int rank = rank_.Of(owner);
      const uint32_t ready = ClusterAddress(&shared_.peers_ready[warp_], rank);
      const uint32_t to = ClusterAddress(Received(rank_.peer - (rank_.peer > owner)), rank) -
                          share.first * kFourBytes;
      share.ForEach([&](int four) {
        StoreToCluster(to + four * kFourBytes, __builtin_bit_cast(uint4, FourOf(sums, four)),
                       ready);
      });
      owner = Next(owner);
      share = ShareOf(owner);
    }
    char* const kept = Kept() - first() * kFourBytes;
    own_.ForEach([&](int four) {
      *reinterpret_cast<Four<Sum>*>(kept + four * kFourBytes) = FourOf(sums, four);
    });
  }
  // For what the others send. Then nothing more comes to this warp.
  JAXGEMM_SM90 void Wait() const { shared_.peers_ready[warp_].Wait(0); }

  // Of kCount fours from `four` on, as far as this peer owns them: in peer order.
  template <int kCount>
  JAXGEMM_SM90 void AddUp(int four, Four<Sum> (&total)[kCount]) const {
    const int left = end() - four;
    const int skipped = (four - first()) * kFourBytes;
    const char* received = Received(0) + skipped;
#pragma unroll
    for (int i = 0; i < kCount; ++i) total[i] = {};
#pragma unroll 1
    for (int peer = 0; peer < count_; ++peer) {
      const bool is_own = peer == rank_.peer;
      const char* from = is_own ? Kept() + skipped : received;
      received += is_own ? 0 : most_ * kFourBytes;
      Four<Sum> terms[kCount];
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (i < left) terms[i] = *reinterpret_cast<const Four<Sum>*>(from + i * kFourBytes);
      }
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) total[i][j] += terms[i][j];
      }
    }
  }

 private:
  // What a peer owns, some of a tile's fours.
  struct Share {
    int first, end;

    // Registers are not indexed: all are asked.
    template <class Do>
    JAXGEMM_SM90 void ForEach(const Do& it) const {
#pragma unroll
      for (int four = 0; four < Traits::kFours; ++four) {
        if (four >= first && four < end) it(four);
      }
    }
  };
  JAXGEMM_SM90 Share ShareOf(int peer) const {
    return {DivSmall(peer * Traits::kFours, count_), DivSmall((peer + 1) * Traits::kFours, count_)};
  }
  JAXGEMM_SM90 int Next(int peer) const { return peer + 1 == count_ ? 0 : peer + 1; }
  static JAXGEMM_SM90 Four<Sum> FourOf(const Sum (&sums)[Traits::kSums], int four) {
    return {{sums[4 * four], sums[4 * four + 1], sums[4 * four + 2], sums[4 * four + 3]}};
  }
  // This thread's of the fours that an owner has: those of the others, one after another, in the
  // place of a warp's results on their way to out, its own in a stage, in rows of lhs that are its
  // warpgroup's.
  JAXGEMM_SM90 char* Received(int other) const {
    return shared_.out[warp_] + other * most_ * kFourBytes + lane_ * sizeof(Four<Sum>);
  }
  JAXGEMM_SM90 char* Kept() const {
    static_assert(kWarps <= Traits::kStages);
    return shared_.lhs[warp_ % kWarps] + warp_ / kWarps * (Traits::kLhsBytes / Traits::kConsumers) +
           lane_ * sizeof(Four<Sum>);
  }

  SharedMemory<Traits>& shared_;
  const PeerRank rank_;
  const int count_, most_;  // most_: fours that a peer owns
  const Share own_;
  Share next_;
  int warp_, lane_;  // of the consumers
};

}  // namespace jaxgemm
