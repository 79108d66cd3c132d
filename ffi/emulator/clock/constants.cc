#include "emulator/clock/constants.h"

#include "emulator/checks/error.h"

namespace jaxgemm::emulator {
namespace {

struct Row {
  const char* name;
  double value[kNumArchs];  // by Arch
  const char *unit, *source;
  double ClockConstants::* field;
};

constexpr Row kRows[] = {
#define JAXGEMM_CLOCK(name, gfx942, gfx950, gfx90a, unit, source) \
  {#name, {gfx942, gfx950, gfx90a}, unit, source, &ClockConstants::name},
#include "emulator/clock/constants.def"
#undef JAXGEMM_CLOCK
};

}  // namespace

ClockConstants::ClockConstants(Arch arch, const ClockChanges& changes) {
  for (const Row& row : kRows) this->*row.field = row.value[static_cast<int>(arch)];
  for (const auto& [name, value] : changes) {
    const Row* found = nullptr;
    for (const Row& row : kRows) {
      if (name == row.name) found = &row;
    }
    if (found == nullptr || !(value >= 0)) {
      throw EmulationError(
          Text("The clock has no constant \"%s\" with the value %g; see "
               "jaxgemm.emulator.clock.constants for the names.",
               name.c_str(), value));
    }
    this->*found->field = value;
  }
}

std::string ClockConstantsJson(Arch arch) {
  std::string json = "{";
  for (const Row& row : kRows) {
    json += Text("%s\"%s\": [%.10g, \"%s\", \"%s\"]", json.size() > 1 ? ", " : "", row.name,
                 row.value[static_cast<int>(arch)], row.unit, row.source);
  }
  return json + "}";
}

}  // namespace jaxgemm::emulator
