// The stores of other workgroups that a wave may rely on: LLVM's memory model for gfx942
// (AMDGPUUsage, "Memory Model GFX942"; gfx950 is the same), implemented with clocks.
//
// The L2s of the XCDs are not coherent with one another. So the plain stores of a workgroup are
// sure to reach another workgroup only through
//   the writer:  stores; (other waves: s_waitcnt vmcnt, s_barrier;) buffer_wbl2 sc1;
//                s_waitcnt vmcnt; an atomic, or a store with sc1, on a flag
//   the reader:  an atomic, or a load with sc1, that sees the flag; s_waitcnt vmcnt;
//                buffer_inv sc1; (other waves: s_barrier;) loads
// Stores with sc1 and atomics are written through: they need no buffer_wbl2, only their wait.
// Loads with sc1 bypass the caches: they need no buffer_inv. Two such accesses never race, like
// relaxed atomics, so where both sides use them for data, a missing wait is not found.
//
// gfx90a (AMDGPUUsage, "Memory Model GFX90A") has one L2 on a device, and no sc0 and sc1. A plain
// store needs no buffer_wbl2 there, only its wait. The reader's load has glc, and it invalidates
// the L1 by buffer_wbinvl1_vol. In the order of the system the writer needs buffer_wbl2, and the
// reader buffer_invl2 before its buffer_wbinvl1_vol.
//
// This is the order of the device, between the workgroups of a launch. Data that passes between a
// launch and a kernel beside it (beside.h), which may be another GPU's, needs the order of the
// system: the same rules with sc0 sc1 in place of sc1, and atomics with sc1.
//
// The checks are stricter than LLVM in two places. A store is covered by another wave's buffer_wbl2
// only if it was waited for before the barrier; LLVM relies on the CU to keep its waves' stores in
// order there. And a workgroup must itself acquire data in the system's order; an acquire by
// another workgroup is not enough.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace jaxgemm::emulator {

struct Wave;

enum Scope : uint8_t { kDevice, kSystem, kNumScopes };

// For each wave of one workgroup: the last vector memory operation up to which plain stores are
// written back (plain), and the last one that is complete (through).
struct GroupClock {
  uint32_t plain[16] = {}, through[16] = {};
};

// The known clocks of all workgroups, sorted by workgroup. A Clock is shared and never changed.
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

// The state of a wave in one of the two orders.
struct WaveOrdering {
  ClockPtr seen;      // ordered before this wave; loads that bypass the caches may rely on it
  ClockPtr acquired;  // `seen` when the caches were last invalidated; all loads may rely on it
  ClockPtr in_l2;     // gfx90a, order of the system: `seen` when the L2 was last invalidated
  struct Acquire {
    uint32_t operation;  // number in the vector memory queue
    ClockPtr clock;
  };
  std::vector<Acquire> acquires;  // reads of flags, not yet waited for
  // For each wave of this workgroup, the last operation up to which plain stores are written back.
  uint32_t published[16] = {};
  struct WriteBack {
    uint32_t operation;
    uint32_t covers[16];
  };
  std::vector<WriteBack> write_backs;  // issued, not yet waited for
  ClockPtr release;                    // result of ReleaseClock, kept while nothing changes
  uint32_t release_done = 0;
};

// Called after a wave's wait: reads of flags and write-backs that are complete take effect.
void SettleOrdering(Wave* wave);
// Called when a wave issues buffer_wbl2 (as vector memory operation `operation`) or buffer_inv.
void IssueWriteBack(Wave* wave, Scope scope, uint32_t operation);
void IssueInvalidate(Wave* wave, Scope scope);
// The same for buffer_invl2 and for buffer_wbinvl1_vol of gfx90a.
void IssueInvalidateL2(Wave* wave);
void IssueInvalidateL1(Wave* wave);
// The clock that an atomic or a store of this wave passes to its readers, in one of the orders.
ClockPtr ReleaseClock(Wave* wave, Scope order);
// Called when all waves of a workgroup have passed a barrier.
struct Workgroup;
void JoinAtBarrier(Workgroup* group);

}  // namespace jaxgemm::emulator
