// The machines that plans are made for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spec/types.h"

namespace jaxgemm {

// The targets whose plans have the same candidates, forms and model: a folder of plan/ each.
enum class Family : uint8_t { kHost, kAmd, kHopper };
// The float8 types that the instructions of a target decode.
enum class Float8 : uint8_t { kNone, kOcp, kFnuz, kAll };

// A JAXGEMM_TARGET line of instances.def.
struct Target {
  std::string_view name;
  Family family;
  Float8 float8;
  bool has_mx;

  // False for a float8 type that its instructions do not decode.
  bool Decodes(DType dtype) const;
};

// If there is no such target, its name is "".
const Target& FindTarget(std::string_view name);

// A JAXGEMM_CHIP line of instances.def, or a device without a line. A CU is a compute unit of an
// AMD GPU, a multiprocessor (SM) of Hopper, or a processor of the host. An XCD is a chiplet of an
// AMD GPU with an L2 of its own.
struct Chip {
  std::string_view name;    // "MI300X"; for a device without a line, its target's name
  std::string_view target;  // "cpu", "gfx942", "gfx950", "gfx90a" or "sm90"
  int64_t num_cus;          // on the host the processors that this process may use
  int64_t num_xcds;
  int64_t waves_per_cu;  // waves (sm90: consumer warpgroups) of one kernel that a CU holds
  double mhz, gb_per_s;  // GPUs: frequency, and bandwidth of the memory

  Family family() const { return FindTarget(target).family; }
  bool gpu() const { return family() != Family::kHost; }
};

// The first chip of a target; for the host its num_cus is 0. Sets *error if there is no such
// target.
Chip FirstChip(std::string_view target, std::string* error);

// The chip of this name if it has num_cus CUs, else the first chip of its target that has them, so
// that a partition of a named chip is found, too. If no chip has them, the named chip (or the
// target's first one) with num_cus CUs. num_cus 0: the named chip, or the target's first one; for
// the host, num_cus is then the number of processors that this process may use. Sets *error if
// there is no such name or target.
Chip FindChip(std::string_view name_or_target, int64_t num_cus, std::string* error);

}  // namespace jaxgemm
