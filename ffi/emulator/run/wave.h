// A wave and its workgroup while they run: registers, what is outstanding, where the barriers
// are, and what the wave knows of other workgroups' stores.
#pragma once

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

inline constexpr int kMaxWaves = 16;  // of a workgroup: 1024 work-items
inline constexpr uint32_t kBesideKey = 1u << 31;

// Memory operations are counted as they are issued, in four queues by how they come back
// (CDNA3 ISA, "Manually Inserted Wait States", "S_WAITCNT"): vector memory in order in vmcnt;
// LDS in order in lgkmcnt; scalar memory in lgkmcnt, out of order; flat in both, out of
// order with either.
enum Queue : uint8_t { kVectorQueue, kLdsQueue, kScalarQueue, kFlatQueue, kNumQueues };

struct Wave {
  Registers registers;
  Workgroup* group = nullptr;
  int index = 0;  // in the workgroup

  enum State : uint8_t { kReady, kAtBarrier, kEnded } state = kEnded;

  // Operation n of a queue (counted from 1) is complete as far as this wave knows when
  // n <= done. The counts go on from workgroup to workgroup, so that marks left by an earlier
  // one read as complete.
  uint32_t issued[kNumQueues] = {}, done[kNumQueues] = {};
  // The same at the last barrier release: what other waves of the workgroup may rely on.
  uint32_t issued_at_release[kNumQueues] = {}, done_at_release[kNumQueues] = {};
  // flat: done needs both counters.
  uint32_t flat_done_vm = 0, flat_done_lgkm = 0;
  bool outstanding = false;  // whether any queue has an operation that is not done
  // Register r (0-511 vector, 512 and up scalar) is written by operation
  // pending & kPendingCount of queue pending >> kPendingShift, or by none (0).
  static constexpr int kPendingShift = 30;
  static constexpr uint32_t kPendingCount = (1u << kPendingShift) - 1;
  uint32_t pending[512 + 128] = {};

  HazardState hazards;
  WaveOrdering ordering[kNumScopes];
  bool system_order = false;     // whether there is another kernel to keep the system's order with
  std::vector<uint8_t> scratch;  // kWaveSize lanes of private memory, one after another
  uint64_t instructions = 0;
  uint64_t wakes_at = 0;  // s_sleep: in cycles of the launch

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
  // s_waitcnt; a count of -1 waits for nothing.
  void WaitVector(int count);
  void WaitLgkm(int count);
  void UpdateOutstanding();
};

struct Workgroup {
  uint32_t id = 0;      // linear
  bool beside = false;  // of the kernel beside the launch
  uint32_t coordinates[3] = {};
  uint32_t xcc = 0;
  int num_waves = 0;
  uint32_t epoch = 0;  // barrier releases so far, counted over all workgroups of the slot
  std::vector<std::unique_ptr<Wave>> waves;
  std::unique_ptr<class Lds> lds;

  // Tells all workgroups that run together apart.
  uint32_t key() const { return id | (beside ? kBesideKey : 0); }
};

}  // namespace jaxgemm::emulator
