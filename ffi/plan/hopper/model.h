// Predicts the time of a plan for Hopper, to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

struct Sm90Model {
#define JAXGEMM_SM90_MODEL(name, value, fitted, unit) double name = value;
#include "plan/hopper/model.def"
};

// The cycles of a plan that has been derived. A grouped problem is predicted as TypicalGroup. Only
// the cycles of one problem's plans can be compared.
double Sm90Cycles(const Problem& problem, const Chip& chip, const Plan& plan,
                  const Sm90Model& model = {});

}  // namespace jaxgemm
