// The peers of a tile on Hopper: CTAs of one cluster, each with the sums of its part of k. A
// cluster may have several tiles' peers, which read the same operands. A tile's peers exchange
// their sums through each other's shared memory, so that each adds up, in peer order, and stores
// some of the tile's columns.
#pragma once

#include "kernel/gemm_sm90_traits.h"
#include "kernel/store_sm90.h"

namespace jaxgemm {

// A four is sums 4 i to 4 i + 3 of all threads; peer p owns those from First(p) on to First(p + 1).
// They lie where the stages were: first those that others own, then of each peer, this one too,
// what this one owns.
template <class Traits>
class PeerExchange {
  using Sum = typename Traits::Sum;
  static constexpr int kThreads = Traits::kConsumers * kWarpgroupSize;
  static constexpr int kFourBytes = kThreads * sizeof(Four<Sum>);

 public:
  // A cluster has `tiles` of which this is the `tile`-th: ranks count them first, then peers.
  JAXGEMM_SM90 PeerExchange(SharedMemory<Traits>& shared, int count, int own, int tiles, int tile)
      : shared_(shared),
        count_(count),
        own_(own),
        tiles_(tiles),
        tile_(tile),
        first_(First(own)),
        end_(First(own + 1)) {}

  JAXGEMM_SM90 int first() const { return first_; }
  JAXGEMM_SM90 int end() const { return end_; }

  // What the others send to this peer.
  JAXGEMM_SM90 int ReceivedBytes() const { return (count_ - 1) * (end_ - first_) * kFourBytes; }

  // By all consumers, once; the cluster's other threads meet with them.
  JAXGEMM_SM90 void Send(const Sum (&sums)[Traits::kSums]) const {
    // All of this CTA's stages have been read, and then those of the others as well.
    NamedBarrier(kConsumersBarrier, kThreads);
    ArriveAtCluster();
    char* others = AtThread(Sent(0));
    char* owned = AtThread(Received(own_, end_ - first_)) - first_ * kFourBytes;
#pragma unroll
    for (int four = 0; four < Traits::kFours; ++four) {
      char* to = four >= first_ && four < end_ ? owned : others;
      *reinterpret_cast<Four<Sum>*>(to + four * kFourBytes) = {
          {sums[4 * four], sums[4 * four + 1], sums[4 * four + 2], sums[4 * four + 3]}};
    }
    FenceAsyncProxy();
    NamedBarrier(kConsumersBarrier, kThreads);
    WaitForCluster();
    static_assert(kThreads / kWarpSize >= kMostPeers - 1);
    const int step = (ThreadId() - kWarpgroupSize) / kWarpSize + 1;
    if (step < count_ && IsLeader()) {
      SendTo(own_ + step < count_ ? own_ + step : own_ + step - count_);
    }
    __syncwarp();
  }
  // For what the others send. Then those who sent it may exit.
  JAXGEMM_SM90 void Wait() const {
    shared_.peers_ready.Wait(0);
    ArriveAtCluster();
  }

  // Of kCount fours from `four` on, as far as this peer owns them: in peer order.
  template <int kCount>
  JAXGEMM_SM90 void AddUp(int four, Four<Sum> (&total)[kCount]) const {
    const int fours = end_ - first_, left = end_ - four;
    const char* from = AtThread(Received(0, fours)) + (four - first_) * kFourBytes;
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
      from += fours * kFourBytes;
    }
  }

 private:
  JAXGEMM_SM90 int First(int peer) const { return DivSmall(peer * Traits::kFours, count_); }

  // Of seven peers some own one four more than a seventh.
  static constexpr int kMostReceived = 7 * (Traits::kFours / 7 + 1);
  static_assert(Traits::kForm != Sm90Form::kPeers ||
                ((Traits::kFours == 16 || Traits::kFours == 8) &&
                 (Traits::kFours + kMostReceived) * kFourBytes <=
                     sizeof(SharedMemory<Traits>::lhs) + sizeof(SharedMemory<Traits>::rhs)));
  JAXGEMM_SM90 char* Sent(int four) const { return shared_.lhs[0] + four * kFourBytes; }
  // From `peer`, by one that owns `fours`.
  JAXGEMM_SM90 char* Received(int peer, int fours) const {
    return Sent(Traits::kFours + peer * fours);
  }
  JAXGEMM_SM90 char* AtThread(char* four) const {
    return four + (ThreadId() - kWarpgroupSize) * sizeof(Four<Sum>);
  }

  JAXGEMM_SM90 void SendTo(int owner) const {
    const int first = First(owner), fours = First(owner + 1) - first;
    const int rank = owner * tiles_ + tile_;
    CopyToCluster(ClusterAddress(Received(own_, fours), rank), SharedAddress(Sent(first)),
                  fours * kFourBytes, ClusterAddress(&shared_.peers_ready, rank));
  }

  SharedMemory<Traits>& shared_;
  int count_, own_, tiles_, tile_, first_, end_;
};

}  // namespace jaxgemm
