// Products that XLA's own code computes faster than the kernels. jaxgemm/dense/call.py and
// jaxgemm/collective/copies.py ask. A tuned entry (jaxgemm/call/tuned.py) replaces the answer.
#pragma once

#include <string>

#include "plan/relayout_sm90.h"

namespace jaxgemm {

// Why XLA's own product is faster than this package's, as the end of a sentence, or "". Only what
// was measured counts.
std::string WhyFasterByXla(const Problem& problem, const Config& config, const Chip& chip,
                           const Relayout& relayout);

}  // namespace jaxgemm
