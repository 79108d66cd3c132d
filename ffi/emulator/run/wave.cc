#include "emulator/run/wave.h"

#include <algorithm>

namespace jaxgemm::emulator {

// With `count` operations left in the counter, all but the youngest `count` operations of an
// in-order queue are complete, whatever else shares the counter. An out-of-order queue is complete
// only at zero.
void Wave::WaitVector(int count) {
  if (count < 0) return;
  uint32_t left = static_cast<uint32_t>(count);
  uint32_t before = done[kVectorQueue];
  if (issued[kVectorQueue] > left) {
    done[kVectorQueue] = std::max(done[kVectorQueue], issued[kVectorQueue] - left);
  }
  if (left == 0) flat_done_vm = issued[kFlatQueue];
  done[kFlatQueue] = std::min(flat_done_vm, flat_done_lgkm);
  if (done[kVectorQueue] != before &&
      !(ordering[kDevice].acquires.empty() && ordering[kDevice].write_backs.empty())) {
    SettleOrdering(this);
  }
  UpdateOutstanding();
}

void Wave::WaitLgkm(int count) {
  if (count < 0) return;
  uint32_t left = static_cast<uint32_t>(count);
  if (issued[kLdsQueue] > left) {
    done[kLdsQueue] = std::max(done[kLdsQueue], issued[kLdsQueue] - left);
  }
  if (left == 0) {
    done[kScalarQueue] = issued[kScalarQueue];
    flat_done_lgkm = issued[kFlatQueue];
  }
  done[kFlatQueue] = std::min(flat_done_vm, flat_done_lgkm);
  UpdateOutstanding();
}

void Wave::UpdateOutstanding() {
  outstanding = false;
  for (int q = 0; q < kNumQueues; ++q) outstanding |= issued[q] != done[q];
}

}  // namespace jaxgemm::emulator
