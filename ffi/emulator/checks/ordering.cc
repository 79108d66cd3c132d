#include "emulator/checks/ordering.h"

#include <algorithm>

#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

const GroupClock* Clock::Find(uint32_t group) const {
  auto at = std::lower_bound(entries.begin(), entries.end(), group,
                             [](const Entry& e, uint32_t g) { return e.group < g; });
  return at != entries.end() && at->group == group ? at->clock.get() : nullptr;
}

namespace {

std::shared_ptr<const GroupClock> Join(const std::shared_ptr<const GroupClock>& a,
                                       const std::shared_ptr<const GroupClock>& b) {
  if (a == b) return a;
  GroupClock joined;
  bool is_a = true, is_b = true;
  for (int w = 0; w < 16; ++w) {
    joined.plain[w] = std::max(a->plain[w], b->plain[w]);
    joined.through[w] = std::max(a->through[w], b->through[w]);
    is_a &= joined.plain[w] == a->plain[w] && joined.through[w] == a->through[w];
    is_b &= joined.plain[w] == b->plain[w] && joined.through[w] == b->through[w];
  }
  return is_a ? a : is_b ? b : std::make_shared<GroupClock>(joined);
}

}  // namespace

ClockPtr Join(const ClockPtr& a, const ClockPtr& b) {
  if (b == nullptr || a == b) return a;
  if (a == nullptr) return b;
  auto joined = std::make_shared<Clock>();
  bool is_a = true, is_b = true;
  size_t i = 0, j = 0;
  while (i < a->entries.size() || j < b->entries.size()) {
    bool take_a = j == b->entries.size() ||
                  (i < a->entries.size() && a->entries[i].group <= b->entries[j].group);
    bool take_b = i == a->entries.size() ||
                  (j < b->entries.size() && b->entries[j].group <= a->entries[i].group);
    if (take_a && take_b) {
      joined->entries.push_back(
          {a->entries[i].group, Join(a->entries[i].clock, b->entries[j].clock)});
      is_a &= joined->entries.back().clock == a->entries[i].clock;
      is_b &= joined->entries.back().clock == b->entries[j].clock;
    } else {
      joined->entries.push_back(take_a ? a->entries[i] : b->entries[j]);
      (take_a ? is_b : is_a) = false;
    }
    i += take_a;
    j += take_b;
  }
  return is_a ? a : is_b ? b : joined;
}

void SettleOrdering(Wave* wave) {
  uint32_t done = wave->done[kVectorQueue];
  for (WaveOrdering& self : wave->orders()) {
    std::erase_if(self.acquires, [&](const WaveOrdering::Acquire& acquire) {
      if (acquire.operation > done) return false;
      self.seen = Join(self.seen, acquire.clock);
      self.release = nullptr;
      return true;
    });
    std::erase_if(self.write_backs, [&](const WaveOrdering::WriteBack& write_back) {
      if (write_back.operation > done) return false;
      for (int w = 0; w < kMaxWaves; ++w) {
        self.published[w] = std::max(self.published[w], write_back.covers[w]);
      }
      self.release = nullptr;
      return true;
    });
  }
}

void IssueWriteBack(Wave* wave, Scope scope, uint32_t operation) {
  WaveOrdering::WriteBack write_back{.operation = operation, .covers = {}};
  for (int w = 0; w < wave->group->num_waves; ++w) {
    const Wave& other = *wave->group->waves[w];
    write_back.covers[w] = w == wave->index ? operation : other.done_at_release[kVectorQueue];
  }
  for (WaveOrdering& self : wave->orders(scope)) self.write_backs.push_back(write_back);
}

void IssueInvalidate(Wave* wave, Scope scope) {
  for (WaveOrdering& self : wave->orders(scope)) self.acquired = self.seen;
}

void IssueInvalidateL2(Wave* wave) {
  WaveOrdering& self = wave->ordering[kSystem];
  self.in_l2 = self.seen;
}

void IssueInvalidateL1(Wave* wave) {
  IssueInvalidate(wave, kDevice);
  wave->ordering[kSystem].acquired = wave->ordering[kSystem].in_l2;
}

ClockPtr ReleaseClock(Wave* wave, Scope order) {
  WaveOrdering& self = wave->ordering[order];
  if (self.release != nullptr && self.release_done == wave->done[kVectorQueue]) {
    return self.release;
  }
  auto own = std::make_shared<GroupClock>();
  for (int w = 0; w < wave->group->num_waves; ++w) {
    const Wave& other = *wave->group->waves[w];
    own->through[w] =
        w == wave->index ? wave->done[kVectorQueue] : other.done_at_release[kVectorQueue];
    own->plain[w] = wave->one_l2 && order == kDevice ? own->through[w] : self.published[w];
  }
  auto clock = std::make_shared<Clock>();
  clock->entries.push_back({wave->group->key(), own});
  self.release = Join(clock, self.seen);
  self.release_done = wave->done[kVectorQueue];
  return self.release;
}

void JoinAtBarrier(Workgroup* group) {
  const size_t orders = group->waves[0]->orders().size();
  for (size_t order = 0; order < orders; ++order) {
    ClockPtr seen, acquired;
    uint32_t published[kMaxWaves] = {};
    for (int w = 0; w < group->num_waves; ++w) {
      const WaveOrdering& wave = group->waves[w]->ordering[order];
      seen = Join(seen, wave.seen);
      acquired = Join(acquired, wave.acquired);
      for (int i = 0; i < kMaxWaves; ++i) published[i] = std::max(published[i], wave.published[i]);
    }
    for (int w = 0; w < group->num_waves; ++w) {
      WaveOrdering& wave = group->waves[w]->ordering[order];
      wave.seen = seen;
      wave.acquired = acquired;
      std::copy(published, published + kMaxWaves, wave.published);
      wave.release = nullptr;
    }
  }
}

}  // namespace jaxgemm::emulator
