// The cycles that the LDS takes for one wave's access, from its addresses.
#pragma once

#include <cstdint>

#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

struct LdsCycles {
  uint32_t base = 0;       // cycles without conflicts
  uint32_t conflicts = 0;  // additional cycles from conflicts
};

// The LDS serves a wave's access in phases, each for a group of lanes. A phase takes one cycle for
// each different dword of its busiest bank. Lanes outside `exec` take no part.
LdsCycles CountLdsCycles(Arch arch, bool read, int bytes, const uint32_t* addresses, uint64_t exec);

}  // namespace jaxgemm::emulator
