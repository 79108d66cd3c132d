// Is what a plan is asked for sound? Each check returns an empty string or a sentence for the
// user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "spec/gpu_instances.h"

namespace jaxgemm {

// What a plan can be made for: the JAXGEMM_TARGET lines of instances.def.
struct Target {
  std::string_view name, platform;
  int64_t num_cus, num_xcds, waves_per_cu;

  bool gpu() const { return name != "cpu"; }
};

// Null, and the error, if there is none of this name.
const Target* FindTarget(std::string_view name, std::string* error);

// Which operands the target's kernels take.
std::string CheckOperands(DType lhs, DType rhs, const Target& target);

std::string CheckProblem(const Problem& problem, const Target& target);

// Where lhs arrives in chunks: whether there are as many signals as its tile rows need.
std::string CheckChunks(const Problem& problem, int64_t tile_m, int64_t tiles_m);

std::string CheckConfig(const Config& config, const Target& target);

// Whether a GPU kernel of the target's computes the problem.
bool Computes(const GpuInstance& instance, const Problem& problem, const Target& target);

// The error where none that does has the configuration's kernel and tile.
std::string NoInstance(const Problem& problem, const Config& config, const Target& target);

}  // namespace jaxgemm
