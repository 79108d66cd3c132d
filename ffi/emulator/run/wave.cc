#include "emulator/run/wave.h"

#include <algorithm>

#include "emulator/decode/program.h"

namespace jaxgemm::emulator {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

}  // namespace

bool Wave::DecidesAnew(const Step& step) {
  uint64_t hash = Mix(1, registers.exec());
  for (int i = 0; i < step.num_reads; ++i) {
    const RegisterRange& range = step.reads[i];
    for (int r = range.first; r < range.first + range.count; ++r) {
      if (!range.vector()) {
        hash = Mix(hash, registers.sgpr[r - kScalarBase]);
        continue;
      }
      uint32_t sum = 0;
      for (int lane = 0; lane < kWaveSize; ++lane) {
        const uint32_t factor = 0x9e3779b1u * (2 * lane + 1);
        sum += (registers.vgpr[r][lane] ^ registers.vgpr[r][lane] >> 15) * factor;
      }
      hash = Mix(hash, sum);
    }
  }
  Decision& last = decisions[step.pc / 4 % std::size(decisions)];
  const bool anew = last.pc != step.pc || last.operands != hash;
  last = {step.pc, hash};
  return anew;
}

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
