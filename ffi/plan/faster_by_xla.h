// Products that XLA's own code computes faster than the kernels. jaxgemm/dense/call.py and
// jaxgemm/collective/copies.py ask. A tuned entry (jaxgemm/tune/choice.py) replaces the answer.
#pragma once

#include <string>

#include "plan/relayout_sm90.h"

namespace jaxgemm {

// Says why XLA's own product is known to be faster than this package's, as the end of a sentence,
// or is "". Only measured products count as known.
std::string WhyFasterByXla(const Problem& problem, const Config& config, const Chip& chip,
                           const Relayout& relayout);

}  // namespace jaxgemm
