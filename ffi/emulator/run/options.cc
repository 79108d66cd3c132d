#include "emulator/run/options.h"

#include <charconv>

#include "emulator/checks/error.h"
#include "emulator/run/beside.h"

namespace jaxgemm::emulator {
namespace {

uint64_t Number(std::string_view name, std::string_view text, uint64_t least, uint64_t most) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw EmulationError(
        Text("The emulator's option %.*s=%.*s needs a whole number from %llu "
             "to %llu.",
             static_cast<int>(name.size()), name.data(), static_cast<int>(text.size()), text.data(),
             static_cast<unsigned long long>(least), static_cast<unsigned long long>(most)));
  }
  return value;
}

template <class F>
void ForEachPart(std::string_view text, char separator, F&& f) {
  while (!text.empty()) {
    size_t at = text.find(separator);
    std::string_view part = text.substr(0, at);
    if (!part.empty()) f(part);
    text = at == text.npos ? std::string_view() : text.substr(at + 1);
  }
}

void SetOption(std::string_view name, std::string_view value, Options* options) {
  struct Flag {
    std::string_view name;
    bool Options::* field;
  };
  static constexpr Flag kChecks[] = {
      {"check_waits", &Options::check_waits},
      {"check_hazards", &Options::check_hazards},
      {"check_store_hazards", &Options::check_store_hazards},
      {"check_lds_loads", &Options::check_lds_loads},
      {"check_lds_races", &Options::check_lds_races},
      {"check_global_races", &Options::check_global_races},
      {"check_atomic_races", &Options::check_atomic_races},
      {"check_uninitialized", &Options::check_uninitialized},
      {"check_bounds", &Options::check_bounds},
      {"check_alignment", &Options::check_alignment},
  };
  for (const Flag& flag : kChecks) {
    if (name == flag.name || name == "checks") options->*flag.field = Number(name, value, 0, 1);
    if (name == flag.name) return;
  }
  if (name == "checks") return;
  if (name == "seed") {
    options->seed = Number(name, value, 0, ~uint64_t{0});
  } else if (name == "quantum") {
    options->quantum = Number(name, value, 1, 1u << 30);
  } else if (name == "resident") {
    options->resident = Number(name, value, 1, 4096);
  } else if (name == "shuffle") {
    options->shuffle = Number(name, value, 0, 1);
  } else if (name == "idle_limit") {
    options->idle_limit = Number(name, value, 1000, ~uint64_t{0});
  } else if (name == "profile") {
    options->profile = Number(name, value, 0, 1);
  } else if (name == "clock") {
    options->clock = Number(name, value, 0, 4096);
  } else if (name == "timeline") {
    options->timeline = Number(name, value, 0, 1);
  } else if (name.starts_with("clock.")) {
    std::string text(value);
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != 0) {
      throw EmulationError("The emulator's option " + std::string(name) + "=" + text +
                           " needs a number.");
    }
    options->clock_changes.emplace_back(name.substr(6), number);
  } else if (name == "beside") {
    options->beside = FindBeside(Number(name, value, 1, ~uint64_t{0}));
    if (options->beside == nullptr) {
      throw EmulationError("The emulator's option beside names a kernel that has been removed.");
    }
  } else if (name == "xcc") {
    options->random_xcc = value == "random";
    options->xcc_ids.clear();
    if (options->random_xcc) value = "0,1,2,3,4,5,6,7";
    ForEachPart(value, ',',
                [&](std::string_view id) { options->xcc_ids.push_back(Number(name, id, 0, 7)); });
    if (options->xcc_ids.empty()) {
      throw EmulationError(
          "The emulator's option xcc needs \"random\" or a list of die numbers, "
          "for example xcc=0,1,2,3.");
    }
  } else {
    throw EmulationError(
        "The emulator has no option \"" + std::string(name) +
        "\"; it has seed, quantum, resident, shuffle, xcc, beside, idle_limit, profile, clock, "
        "timeline, clock.<constant>, checks, "
        "check_waits, check_hazards, check_store_hazards, check_lds_loads, check_lds_races, "
        "check_global_races, check_atomic_races, check_uninitialized, check_bounds and check_alignment.");
  }
}

}  // namespace

void ParseOptions(std::string_view text, Options* options) {
  ForEachPart(text, ';', [&](std::string_view part) {
    size_t at = part.find('=');
    if (at == part.npos) {
      throw EmulationError("The emulator's option \"" + std::string(part) +
                           "\" has no value; write name=value.");
    }
    SetOption(part.substr(0, at), part.substr(at + 1), options);
  });
}

}  // namespace jaxgemm::emulator
