// Ping-pong on Hopper: each of the two consumer warpgroups has every other work tile of a CTA. One
// multiplies while the other stores.
#pragma once

#include "sm90/mainloop.h"

namespace jaxgemm {

class PingPongTurns {
  static constexpr int kThreads = kSm90Consumers * kWarpgroupSize;

 public:
  JAXGEMM_SM90 PingPongTurns() : mine_(WarpUniform(ThreadId() / kWarpgroupSize) - 1) {}

  // This warpgroup's first turn.
  JAXGEMM_SM90 Index first() const { return mine_; }
  JAXGEMM_SM90 bool IsMine(Index turn) const { return turn % kSm90Consumers == mine_; }

  // Waits for this warpgroup's turn; not called for the CTA's first turn. Before its turn the
  // warpgroup must not wait for a stage: the parity would be that of an older phase.
  JAXGEMM_SM90 void Await() const { BarSync(kTurnBarrier + mine_, kThreads); }

  // SmemMainloop::Run calls this. The other warpgroup's turn begins when all k tiles are issued.
  struct HandOver {
    Index k_tiles;
    int to;  // named barrier; 0: there is no next turn

    JAXGEMM_SM90 Index NextTime(Index done) const { return done == 0 && to ? k_tiles : kNever; }
    JAXGEMM_SM90 void operator()() const {
      if (to) BarArrive(to, kThreads);
    }
  };
  JAXGEMM_SM90 HandOver After(Index k_tiles, bool is_last) const {
    return {.k_tiles = k_tiles, .to = is_last ? 0 : kTurnBarrier + 1 - mine_};
  }

 private:
  int mine_;  // this warpgroup, 0 or 1: warpgroup 0 has the first turn
};

}  // namespace jaxgemm
