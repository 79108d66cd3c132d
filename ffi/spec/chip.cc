#include "spec/chip.h"

#include <sched.h>

#include <algorithm>

#include "spec/names.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

constexpr Target kTargets[] = {
#define JAXGEMM_TARGET(name, platform, family, float8, has_mx) \
  {name, Family::family, Float8::float8, has_mx},
#include "spec/instances.def"
#undef JAXGEMM_TARGET
};
constexpr Target kUnknown{"", Family::kHost, Float8::kNone, false};

constexpr Chip kChips[] = {
#define JAXGEMM_CHIP(name, target, num_cus, num_xcds, waves_per_cu, mhz, gb_per_s) \
  {name, target, num_cus, num_xcds, waves_per_cu, mhz, gb_per_s},
#include "spec/instances.def"
#undef JAXGEMM_CHIP
};

// The number of processors that this process may use. XLA's thread pool has as many threads.
int64_t NumProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

const Target& FindTarget(std::string_view name) {
  const auto found = std::ranges::find(kTargets, name, &Target::name);
  return found == std::end(kTargets) ? kUnknown : *found;
}

bool Target::Decodes(DType dtype) const {
  const bool is_fnuz = dtype == DType::kF8E4M3FNUZ || dtype == DType::kF8E5M2FNUZ;
  return !IsF8(dtype) || float8 == Float8::kAll ||
         float8 == (is_fnuz ? Float8::kFnuz : Float8::kOcp);
}

Chip FirstChip(std::string_view target, std::string* error) {
  const auto first = std::ranges::find(kChips, target, &Chip::target);
  if (first != std::end(kChips)) return *first;
  *error = "target '" + Str(target) + "' is unknown; there are";
#define JAXGEMM_TARGET(name, ...) *error += " " name;
#include "spec/instances.def"
#undef JAXGEMM_TARGET
  *error += ".";
  return {};
}

Chip FindChip(std::string_view name_or_target, int64_t num_cus, std::string* error) {
  const auto named = std::ranges::find(kChips, name_or_target, &Chip::name);
  const bool is_named = named != std::end(kChips);
  if (is_named && (num_cus == 0 || num_cus == named->num_cus) && named->gpu()) return *named;
  const std::string_view target = is_named ? named->target : name_or_target;
  for (const Chip& chip : kChips) {
    if (num_cus > 0 && chip.num_cus == num_cus && target == chip.target) return chip;
  }
  // No chip has so many CUs: some are masked, or the device is a partition without a line.
  Chip found = is_named ? *named : FirstChip(target, error);
  if (found.target.empty()) return found;
  if (!found.gpu()) {
    found.num_cus = num_cus > 0 ? num_cus : NumProcessors();
  } else if (num_cus > 0) {
    // Its XCDs are taken to have as many CUs as those of the named chip, or of the target's first
    // one. Its bandwidth is in proportion to its CUs.
    const int64_t cus_per_xcd = found.num_cus / found.num_xcds;
    found.name = found.target;
    found.num_xcds = std::max<int64_t>(1, num_cus / cus_per_xcd);
    found.gb_per_s *= static_cast<double>(num_cus) / static_cast<double>(found.num_cus);
    found.num_cus = num_cus;
  }
  return found;
}

}  // namespace jaxgemm
