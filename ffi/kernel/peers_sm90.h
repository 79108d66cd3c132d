// The peers of a tile on Hopper: CTAs of one cluster, each with the sums of its part of k. They
// exchange them through each other's shared memory, so that each adds up, in peer order, and stores
// some of the tile's columns.
#pragma once

#include "kernel/gemm_sm90_traits.h"
#include "kernel/store_sm90.h"

namespace jaxgemm {

// A four is sums 4 i to 4 i + 3 of all threads; peer p owns those from First(p) on to First(p + 1).
// They lie where the stages were: all of a CTA's own, and of each other peer those that it owns.
template <class Traits>
class PeerExchange {
  using Sum = typename Traits::Sum;
  static constexpr int kThreads = Traits::kConsumers * kWarpgroupSize;
  static constexpr int kFourBytes = kThreads * sizeof(Four<Sum>);

 public:
  JAXGEMM_SM90 PeerExchange(SharedMemory<Traits>& shared, int count, int own)
      : shared_(shared),
        count_(count),
        own_(own),
        first_(First(own)),
        end_(First(own + 1)),
        thread_(ThreadId() - kWarpgroupSize) {}

  JAXGEMM_SM90 int first() const { return first_; }
  JAXGEMM_SM90 int end() const { return end_; }

  // What the others send to this peer.
  JAXGEMM_SM90 int ReceivedBytes() const { return (count_ - 1) * (end_ - first_) * kFourBytes; }

  // By all consumers, once; the cluster's other threads meet with them.
  JAXGEMM_SM90 void Run(const Sum (&sums)[Traits::kSums]) {
    // All of this CTA's stages have been read, and then those of the others as well.
    NamedBarrier(kConsumersBarrier, kThreads);
    ArriveAtCluster();
#pragma unroll
    for (int four = 0; four < Traits::kFours; ++four) {
      *At(Own(four)) = {
          {sums[4 * four], sums[4 * four + 1], sums[4 * four + 2], sums[4 * four + 3]}};
    }
    FenceAsyncProxy();
    NamedBarrier(kConsumersBarrier, kThreads);
    WaitForCluster();
    static_assert(kThreads / kWarpSize >= kMostPeers - 1);
    if (const int step = thread_ / kWarpSize + 1; step < count_ && IsFirstLane()) {
      SendTo(own_ + step < count_ ? own_ + step : own_ + step - count_);
    }
    __syncwarp();
    shared_.peers_ready.Wait(0);
  }

  // Of a four that this peer owns.
  JAXGEMM_SM90 Four<Sum> Total(int four) const {
    Four<Sum> terms[kMostPeers];
#pragma unroll
    for (int peer = 0; peer < kMostPeers; ++peer) {
      if (peer < count_) {
        terms[peer] = *At(peer == own_ ? Own(four)
                                       : Received(peer, own_, end_ - first_) +
                                             (four - first_) * kFourBytes);
      }
    }
#pragma unroll
    for (int peer = 1; peer < kMostPeers; ++peer) {
      if (peer >= count_) continue;
#pragma unroll
      for (int i = 0; i < 4; ++i) terms[0][i] += terms[peer][i];
    }
    return terms[0];
  }

 private:
  JAXGEMM_SM90 int First(int peer) const { return peer * Traits::kFours / count_; }

  static_assert(Traits::kForm != Sm90Form::kPeers ||
                (Traits::kFours * kFourBytes <= sizeof(SharedMemory<Traits>::lhs) &&
                 // The most are of seven peers, of which one owns three fours.
                 6 * 3 * kFourBytes <= sizeof(SharedMemory<Traits>::rhs)));
  JAXGEMM_SM90 char* Own(int four) const { return shared_.lhs[0] + four * kFourBytes; }
  // In the memory of `owner`, who owns `fours` of them.
  JAXGEMM_SM90 char* Received(int peer, int owner, int fours) const {
    return shared_.rhs[0] + (peer - (peer > owner)) * fours * kFourBytes;
  }
  JAXGEMM_SM90 Four<Sum>* At(char* four) const {
    return reinterpret_cast<Four<Sum>*>(four) + thread_;
  }

  JAXGEMM_SM90 void SendTo(int owner) const {
    const int first = First(owner), fours = First(owner + 1) - first;
    CopyToCluster(ClusterAddress(Received(own_, owner, fours), owner), SharedAddress(Own(first)),
                  fours * kFourBytes, ClusterAddress(&shared_.peers_ready, owner));
  }

  SharedMemory<Traits>& shared_;
  int count_, own_, first_, end_;
  int thread_;  // of all consumers of the CTA
};

}  // namespace jaxgemm
