#include "emulator/clock/l1.h"

#include <algorithm>

#include "emulator/clock/trace.h"

namespace jaxgemm::emulator {

L1::L1(const ClockConstants& constants) {
  size_t lines = static_cast<size_t>(constants.l1_bytes / kLineBytes);
  ways_ = std::max<size_t>(1, std::min(lines, static_cast<size_t>(constants.l1_ways)));
  sets_ = std::max<size_t>(1, lines / ways_);
  entries_.resize(sets_ * ways_);
}

const uint64_t* L1::Find(uint64_t line) {
  Entry* set = Set(line);
  for (size_t way = 0; way < ways_; ++way) {
    if (set[way].line != line) continue;
    set[way].used = ++uses_;
    return &set[way].arrives;
  }
  return nullptr;
}

void L1::Fill(uint64_t line, uint64_t arrives) {
  Entry* set = Set(line);
  Entry* oldest = std::min_element(set, set + ways_,
                                   [](const Entry& a, const Entry& b) { return a.used < b.used; });
  *oldest = {line, arrives, ++uses_};
}

void L1::Clear() { std::fill(entries_.begin(), entries_.end(), Entry()); }

}  // namespace jaxgemm::emulator
