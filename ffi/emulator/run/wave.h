// A wave and its workgroup while they run: registers, outstanding operations, barriers, and the
// stores of other workgroups that the wave may rely on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/checks/error.h"
#include "emulator/checks/hazards.h"
#include "emulator/checks/ordering.h"
#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

struct Workgroup;

inline constexpr int kMaxWaves = 16;  // waves of a workgroup: 1024 work-items
inline constexpr uint32_t kBesideKey = 1u << 31;

// Memory operations are counted at issue, in four queues by the order of their completion (CDNA3
// ISA, "Manually Inserted Wait States", "S_WAITCNT"): vector memory in order in vmcnt; LDS in order
// in lgkmcnt; scalar memory out of order in lgkmcnt; flat in both counters, out of order with
// either.
enum Queue : uint8_t { kVectorQueue, kLdsQueue, kScalarQueue, kFlatQueue, kNumQueues };

struct Wave {
  Registers registers;
  Workgroup* group = nullptr;
  int index = 0;  // in the workgroup

  enum State : uint8_t { kReady, kAtBarrier, kEnded } state = kEnded;

  // The wave has waited for operation n of a queue (counted from 1) if n <= done. The counts
  // continue from one workgroup to the next, so that marks of an earlier one read as complete.
  uint32_t issued[kNumQueues] = {}, done[kNumQueues] = {};
  // The same at the last barrier release, on which other waves of the workgroup may rely.
  uint32_t issued_at_release[kNumQueues] = {}, done_at_release[kNumQueues] = {};
  // A flat operation is done when both counters have been waited for.
  uint32_t flat_done_vm = 0, flat_done_lgkm = 0;
  bool outstanding = false;  // whether any queue has an operation that is not done
  // Register r (0-511 vector, 512 and up scalar) is written by operation
  // pending & kPendingCount of queue pending >> kPendingShift, or by none (0).
  static constexpr int kPendingShift = 30;
  static constexpr uint32_t kPendingCount = (1u << kPendingShift) - 1;
  uint32_t pending[512 + 128] = {};

  HazardState hazards;
  WaveOrdering ordering[kNumScopes];
  bool one_l2 = false;           // gfx90a: all workgroups of a device share its L2
  bool system_order = false;     // whether a kernel beside the launch needs the system's order
  std::vector<uint8_t> scratch;  // kWaveSize lanes of private memory, one after another
  // What the wave has reached and decided so far; see Progress in units.h.
  struct Decision {
    uint64_t pc = 0, operands = 0;  // operands: a hash
  };
  struct Reach {
    uint64_t lowest = ~uint64_t{0}, highest = 0;
  };
  Decision decisions[64];      // by their place in the code; a later one replaces an earlier one
  std::vector<Reach> reached;  // addresses in global memory, by Step::number
  uint64_t furthest_pc = 0;
  uint64_t instructions = 0;
  uint64_t wakes_at = 0;  // time at which s_sleep ends, in cycles of the launch

  // The orders that an operation of this scope takes part in.
  std::span<WaveOrdering> orders(Scope scope = kSystem) {
    return {ordering, system_order && scope == kSystem ? size_t{kNumScopes} : size_t{1}};
  }
  uint32_t Issue(Queue queue) {
    outstanding = true;
    return ++issued[queue];
  }
  void MarkPending(int first, int count, Queue queue, uint32_t number) {
    for (int i = first; i < first + count; ++i) {
      pending[i] = number | uint32_t{queue} << kPendingShift;
    }
  }
  bool IsPending(int reg) const {
    return (pending[reg] & kPendingCount) > done[pending[reg] >> kPendingShift];
  }
  // Whether the wave has new operands for this decision.
  bool DecidesAnew(const struct Step& step);
  // Whether the instruction accesses global memory beyond all that it accessed before.
  bool Reaches(uint32_t number, uint64_t address) {
    if (number >= reached.size()) reached.resize(number + 1);
    Reach& reach = reached[number];
    const bool further = address < reach.lowest || address > reach.highest;
    reach.lowest = std::min(reach.lowest, address);
    reach.highest = std::max(reach.highest, address);
    return further;
  }
  // s_waitcnt; a count of -1 waits for nothing.
  void WaitVector(int count);
  void WaitLgkm(int count);
  void UpdateOutstanding();
};

struct Workgroup {
  uint32_t id = 0;      // linear id in the grid
  bool beside = false;  // whether it belongs to the kernel beside the launch
  uint32_t coordinates[3] = {};
  uint32_t xcc = 0;
  int num_waves = 0;
  uint32_t epoch = 0;  // barrier releases so far, those of the earlier workgroups here included
  std::vector<std::unique_ptr<Wave>> waves;
  std::unique_ptr<class Lds> lds;

  // A different number for each workgroup that runs in a launch.
  uint32_t key() const { return id | (beside ? kBesideKey : 0); }
};

}  // namespace jaxgemm::emulator
