// Products that XLA's own code computes faster than the kernels: the rows of xla_rules.def.
// jaxgemm/dense/call.py and jaxgemm/collective/copies.py ask. A tuned entry (jaxgemm/call/tuned.py)
// replaces the answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/hopper/copies.h"

namespace jaxgemm {

// The texts of a row, with its limits filled in.
struct XlaRule {
  std::string_view target, name;
  std::string products, sentence;
  std::string_view evidence;
};

std::vector<XlaRule> XlaRules();

// Why XLA's own product is faster than this package's, as the end of a sentence, or "". Only what
// was measured counts.
std::string WhyFasterByXla(const Problem& problem, const Config& config, const Chip& chip,
                           const Relayout& relayout);

}  // namespace jaxgemm
