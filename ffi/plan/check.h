// Is what a plan is asked for sound? Each check returns an empty string or a sentence for the
// user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "spec/gpu_instances.h"

namespace jaxgemm {

// Which operands the target's kernels take.
std::string CheckOperands(DType lhs, DType rhs, const Chip& chip);

std::string CheckProblem(const Problem& problem, const Chip& chip);

// Where lhs arrives in chunks: whether there are as many signals as its tile rows need.
std::string CheckChunks(const Problem& problem, int64_t tile_m, int64_t tiles_m);

std::string CheckConfig(const Config& config);

// Whether the fields of a choice are in their ranges, and its kernel and tile suit the problem.
std::string CheckChoice(const Problem& problem, const Choice& choice, const Chip& chip);

// Whether the schedule of a plan with a grid does each tile once, in a form that its kernel has.
std::string CheckSchedule(const Problem& problem, const Plan& plan);

// Whether a GPU kernel of the target's computes the problem.
bool Computes(const GpuInstance& instance, const Problem& problem, const Chip& chip);

// The error where none that does has the configuration's kernel and tile.
std::string NoInstance(const Problem& problem, const Config& config, const Chip& chip);

}  // namespace jaxgemm
