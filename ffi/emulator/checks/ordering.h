// Which stores of other workgroups a wave may rely on: LLVM's memory model for gfx942
// (AMDGPUUsage, "Memory Model GFX942"; gfx950 is the same), as clocks.
//
// The L2s of the dies are not coherent with one another, so a workgroup's plain stores reach
// others only through
//   the writer:  stores; (other waves: s_waitcnt vmcnt, s_barrier;) buffer_wbl2 sc1;
//                s_waitcnt vmcnt; an atomic, or a store with sc1, on a flag
//   the reader:  an atomic, or a load with sc1, that sees the flag; s_waitcnt vmcnt;
//                buffer_inv sc1; (other waves: s_barrier;) loads
// Stores with sc1 and atomics are written through: they need no buffer_wbl2, only their wait.
// Loads with sc1 pass the caches by: they need no buffer_inv. Two such accesses never race, as
// relaxed atomics do not: where both sides use them for data, a missing wait is not found.
//
// That is the order of the device, between the workgroups of a launch. What passes between them and
// a kernel beside the launch (beside.h), which may be another GPU's, takes the order of the system:
// the same with sc0 sc1 for sc1, and atomics with sc1.
//
// Stricter than LLVM in two places. Before another wave's buffer_wbl2 covers a store, the store
// must have been waited for before the barrier; LLVM relies on the CU keeping its waves' stores
// in order there. And a workgroup acquires by itself what the system's order brings, not by way of
// another workgroup that did.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace jaxgemm::emulator {

struct Wave;

enum Scope : uint8_t { kDevice, kSystem, kNumScopes };

// Of one workgroup's waves: the last vector memory operation whose plain stores are written
// back (plain), and the last one that is complete (through).
struct GroupClock {
  uint32_t plain[16] = {}, through[16] = {};
};

// What is known of all workgroups; sorted by workgroup. Shared and never changed.
struct Clock {
  struct Entry {
    uint32_t group;
    std::shared_ptr<const GroupClock> clock;
  };
  std::vector<Entry> entries;

  const GroupClock* Find(uint32_t group) const;
};
using ClockPtr = std::shared_ptr<const Clock>;  // null: nothing is known

ClockPtr Join(const ClockPtr& a, const ClockPtr& b);

// A wave's part, in one of the two orders.
struct WaveOrdering {
  ClockPtr seen;      // ordered before this wave: loads that pass the caches by may rely on it
  ClockPtr acquired;  // and the caches have been invalidated since: all loads may
  struct Acquire {
    uint32_t operation;  // of the vector memory queue
    ClockPtr clock;
  };
  std::vector<Acquire> acquires;  // flags read, not yet waited for
  // Operations of each wave of the own workgroup whose plain stores are written back.
  uint32_t published[16] = {};
  struct WriteBack {
    uint32_t operation;
    uint32_t covers[16];
  };
  std::vector<WriteBack> write_backs;  // issued, not yet waited for
  ClockPtr release;                    // of ReleaseClock, while nothing changes
  uint32_t release_done = 0;
};

// A wave waited: reads of flags and write-backs that are complete take effect.
void SettleOrdering(Wave* wave);
// buffer_wbl2 was issued as `operation`; buffer_inv was issued.
void IssueWriteBack(Wave* wave, Scope scope, uint32_t operation);
void IssueInvalidate(Wave* wave, Scope scope);
// What an atomic or a store by this wave makes known to whoever reads it, in one of the orders.
ClockPtr ReleaseClock(Wave* wave, Scope order);
// All waves of a workgroup passed a barrier.
struct Workgroup;
void JoinAtBarrier(Workgroup* group);

}  // namespace jaxgemm::emulator
