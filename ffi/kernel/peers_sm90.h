// The peers of a tile on Hopper: CTAs of one cluster, each with the sums of its part of k. A
// cluster may have several tiles' peers, which read the same operands. A tile's peers store their
// sums in each other's shared memory, so that each adds up, in peer order, and stores some of the
// tile's columns.
#pragma once

#include "kernel/gemm_sm90_traits.h"
#include "kernel/store_sm90.h"

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

// A four is sums 4 i to 4 i + 3 of a thread; peer p owns those from First(p) on to First(p + 1), of
// all threads. A warp's sums go to the same warp of the owner, and nobody waits for more than that.
template <class Traits>
class PeerExchange {
  using Sum = typename Traits::Sum;
  static constexpr int kFourBytes = kWarpSize * sizeof(Four<Sum>);  // of a warp

 public:
  JAXGEMM_SM90 PeerExchange(SharedMemory<Traits>& shared, int count, const PeerRank& rank)
      : shared_(shared),
        rank_(rank),
        count_(count),
        most_(DivSmall(Traits::kFours + count - 1, count)),
        first_(First(rank.peer)),
        end_(First(rank.peer + 1)),
        warp_((ThreadId() - kWarpgroupSize) / kWarpSize) {}

  JAXGEMM_SM90 int first() const { return first_; }
  JAXGEMM_SM90 int end() const { return end_; }

  // By all consumers, before Wait.
  JAXGEMM_SM90 void Expect() const {
    if (IsLeader()) {
      shared_.peers_ready[warp_].ArriveExpecting((count_ - 1) * (end_ - first_) * kFourBytes);
    }
    __syncwarp();
  }

  // What others own goes to them, the next one's first.
  JAXGEMM_SM90 void Send(const Sum (&sums)[Traits::kSums]) const {
    char* const to = Received(rank_.peer);
#pragma unroll 1
    for (int owner = Next(rank_.peer); owner != rank_.peer; owner = Next(owner)) {
      const int rank = rank_.Of(owner), first = First(owner), end = First(owner + 1);
      const uint32_t there = ClusterAddress(to, rank) - first * kFourBytes;
      const uint32_t ready = ClusterAddress(&shared_.peers_ready[warp_], rank);
#pragma unroll
      for (int four = 0; four < Traits::kFours; ++four) {
        if (four < first || four >= end) continue;
        StoreToCluster(there + four * kFourBytes,
                       __builtin_bit_cast(uint4, FourOf(sums, four)), ready);
      }
    }
#pragma unroll
    for (int four = 0; four < Traits::kFours; ++four) {
      if (four < first_ || four >= end_) continue;
      *reinterpret_cast<Four<Sum>*>(to + (four - first_) * kFourBytes) = FourOf(sums, four);
    }
  }
  // For what the others send. Then nothing more comes to this warp.
  JAXGEMM_SM90 void Wait() const { shared_.peers_ready[warp_].Wait(0); }

  // Of kCount fours from `four` on, as far as this peer owns them: in peer order.
  template <int kCount>
  JAXGEMM_SM90 void AddUp(int four, Four<Sum> (&total)[kCount]) const {
    const int left = end_ - four;
    const char* from = Received(0) + (four - first_) * kFourBytes;
#pragma unroll
    for (int i = 0; i < kCount; ++i) total[i] = {};
#pragma unroll 2
    for (int peer = 0; peer < count_; ++peer) {
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
      from += most_ * kFourBytes;
    }
  }

 private:
  JAXGEMM_SM90 int First(int peer) const { return DivSmall(peer * Traits::kFours, count_); }
  JAXGEMM_SM90 int Next(int peer) const { return peer + 1 == count_ ? 0 : peer + 1; }
  static JAXGEMM_SM90 Four<Sum> FourOf(const Sum (&sums)[Traits::kSums], int four) {
    return {{sums[4 * four], sums[4 * four + 1], sums[4 * four + 2], sums[4 * four + 3]}};
  }
  // This thread's of `peer`'s fours, in the place of a warp's results on their way to out.
  JAXGEMM_SM90 char* Received(int peer) const {
    return shared_.out[warp_] + peer * most_ * kFourBytes +
           ThreadId() % kWarpSize * sizeof(Four<Sum>);
  }

  SharedMemory<Traits>& shared_;
  const PeerRank rank_;
  const int count_, most_, first_, end_;  // most_: fours that a peer owns
  const int warp_;                        // of the consumers
};

}  // namespace jaxgemm
