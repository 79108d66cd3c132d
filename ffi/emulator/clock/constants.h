// The numbers of constants.def for one chip. A launch may replace some of them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

using ClockChanges = std::vector<std::pair<std::string, double>>;

struct ClockConstants {
#define JAXGEMM_CLOCK(name, ...) double name;
#include "emulator/clock/constants.def"
#undef JAXGEMM_CLOCK

  // Throws EmulationError if `changes` names an unknown constant or gives a negative value.
  ClockConstants(Arch arch, const ClockChanges& changes);
};

// A JSON object: for each name a list of value, unit and source.
std::string ClockConstantsJson(Arch arch);

}  // namespace jaxgemm::emulator
