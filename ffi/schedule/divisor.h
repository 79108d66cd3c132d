// Division by numbers that the host knows. A GPU has no instruction for it; a division takes some
// 35 instructions, each of which waits for the one before.
#pragma once

#include "schedule/tile_scheduler.h"

namespace jaxgemm {

// With 2^(s - 1) < d <= 2^s and M = ceil(2^(31 + s) / d), which fits 32 bits, a / d is
// floor(a M / 2^(31 + s)) for all a < 2^31: M d is less than 2^(31 + s) + 2^s, so the product is
// too large by less than 1 / d.
struct Divisor {
  uint32_t multiplier, shift;  // M and s

  static Divisor Of(Index divisor) {
    uint32_t shift = 0;
    while (uint64_t{1} << shift < static_cast<uint64_t>(divisor)) ++shift;
    const uint64_t power = uint64_t{1} << (31 + shift), d = static_cast<uint64_t>(divisor);
    return {static_cast<uint32_t>((power + d - 1) / d), shift};
  }
  // a / d; a must not be negative.
  JAXGEMM_DEVICE Index Quotient(Index a) const {
    const uint64_t twice = 2 * static_cast<uint32_t>(a);
    return static_cast<Index>(static_cast<uint32_t>(twice * multiplier >> 32) >> shift);
  }
};

}  // namespace jaxgemm
