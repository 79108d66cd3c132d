// The machines that plans are made for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxgemm {

// A JAXGEMM_CHIP line of instances.def, or what a device says of itself.
struct Chip {
  std::string_view name;    // "MI300X"; of a device that has no line, its target's name
  std::string_view target;  // "cpu", "gfx942", "gfx950" or "sm90"
  int64_t num_cus;          // compute units, multiprocessors, or processors of this process
  int64_t num_xcds;
  int64_t waves_per_cu;  // of one kernel, by its registers; sm90: consumer warpgroups

  bool gpu() const { return target != "cpu"; }
};

// The first chip of a target; on the host without a number of processors. Sets *error if there is
// no such target.
Chip FirstChip(std::string_view target, std::string* error);

// The chip of a target with this number of CUs, or the target's first one if it is 0: of CPUs that
// with the processors of this process. Sets *error if there is no such target.
Chip FindChip(std::string_view target, int64_t num_cus, std::string* error);

}  // namespace jaxgemm
