// The vector L1 of one compute unit: which lines it holds, and when a line on its way arrives.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/clock/constants.h"

namespace jaxgemm::emulator {

class L1 {
 public:
  explicit L1(const ClockConstants& constants);

  // The time at which the line's data is in the cache, or null if it is neither there nor on its
  // way. A line that is found becomes the most recently used of its set.
  const uint64_t* Find(uint64_t line);
  // Replaces the least recently used line of the set.
  void Fill(uint64_t line, uint64_t arrives);
  void Clear();

 private:
  struct Entry {
    uint64_t line = ~uint64_t{0};
    uint64_t arrives = 0, used = 0;
  };
  Entry* Set(uint64_t line) { return entries_.data() + line % sets_ * ways_; }

  size_t sets_, ways_;
  uint64_t uses_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace jaxgemm::emulator
