// How long the LDS takes for one wave's access, from the addresses.
#pragma once

#include <cstdint>

#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

struct LdsCycles {
  uint32_t base = 0;       // without conflicts
  uint32_t conflicts = 0;  // on top
};

// A wave's access is done in phases: groups of lanes that the LDS serves together, each phase
// as many cycles long as its busiest bank has different dwords to give. Lanes outside `exec`
// take no part.
LdsCycles CountLdsCycles(Arch arch, bool read, int bytes, const uint32_t* addresses, uint64_t exec);

}  // namespace jaxgemm::emulator
