// The time that a plan for Hopper takes, as predicted to rank candidates.
#pragma once

#include "plan/plan.h"

namespace jaxgemm {

struct Sm90Model {
#define JAXGEMM_SM90_MODEL(name, value, fitted, unit) double name = value;
#include "plan/sm90_model.def"
};

// Cycles of a plan that has been derived. Those of a grouped problem are a typical group's times
// the number of groups; only plans of one problem compare.
double Sm90Cycles(const Problem& problem, const Chip& chip, const Plan& plan,
                  const Sm90Model& model = {});

}  // namespace jaxgemm
