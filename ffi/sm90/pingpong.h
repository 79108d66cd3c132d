// Warpgroups that take turns on Hopper (ping-pong): each has every other work tile of a CTA. One
// multiplies while the other stores.
#pragma once

#include "sm90/mainloop.h"

namespace jaxgemm {

class Turns {
  static constexpr int kThreads = kSm90Consumers * kWarpgroupSize;

 public:
  JAXGEMM_SM90 Turns() : mine_(SameInWarp(ThreadId() / kWarpgroupSize) - 1) {}

  // The first turn that is this warpgroup's.
  JAXGEMM_SM90 Index first() const { return mine_; }
  JAXGEMM_SM90 bool IsMine(Index turn) const { return turn % kSm90Consumers == mine_; }

  // Before any but the CTA's first turn. Until then it may not wait for a stage: the parity would
  // be that of a phase long ago.
  JAXGEMM_SM90 void Await() const { NamedBarrier(kTurnBarrier + mine_, kThreads); }

  // For Multiplier::Run. When all of a tile's k tiles have been issued, the other's turn begins.
  struct HandOver {
    Index k_tiles;
    int to;  // a barrier; or there is nobody

    JAXGEMM_SM90 Index NextTime(Index done) const { return done == 0 && to ? k_tiles : kNever; }
    JAXGEMM_SM90 void operator()() const {
      if (to) ArriveAtNamedBarrier(to, kThreads);
    }
  };
  JAXGEMM_SM90 HandOver After(Index k_tiles, bool is_last) const {
    return {.k_tiles = k_tiles, .to = is_last ? 0 : kTurnBarrier + 1 - mine_};
  }

 private:
  int mine_;  // the first of the two warpgroups has the first turn
};

}  // namespace jaxgemm
