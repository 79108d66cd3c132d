// Checks of problems, configurations, choices and plans. Each Check function returns an empty
// string, or the error as a sentence for the user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "spec/gpu_instances.h"

namespace jaxgemm {

// The longest time that a call may wait for a chunk: a day.
inline constexpr int64_t kMostTimeoutNs = int64_t{86'400} * 1'000'000'000;

// Checks that the target's kernels take operands of these types.
std::string CheckOperands(DType lhs, DType rhs, const Chip& chip);

std::string CheckProblem(const Problem& problem, const Chip& chip);

// For an lhs that arrives in chunks: checks the pivot, and that the number of signals fits the tile
// rows.
std::string CheckChunks(const Problem& problem, int64_t tile_m, int64_t tiles_m);

std::string CheckConfig(const Config& config, const Chip& chip);

// Checks that the fields of a choice are in their ranges, and that its kernel and tile suit the
// problem.
std::string CheckChoice(const Problem& problem, const Choice& choice, const Chip& chip);

}  // namespace jaxgemm
