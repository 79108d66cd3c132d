// The planner's records as Python dictionaries.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace jaxgemm {

// Plans `problem` under `config`, dictionaries of the fields of spec/call_schema.def, for the
// target's chip that has num_cus CUs (0: its first one). "attrs" of the result are the call's
// attributes. Raises ValueError if there is no plan.
nanobind::dict PlanDict(const nanobind::dict& problem, const nanobind::dict& config,
                        const std::string& target, int64_t num_cus);

// The rules by which products are left to XLA, dictionaries of XlaRule's fields. The documentation
// is made of them.
nanobind::list XlaRulesList();

// The constants of the model that ranks Hopper's candidates, for benchmarks.model.fit. The values
// of the dictionary are (value, whether it is fitted).
nanobind::dict Sm90ModelDict();

// A function of a dictionary of the model's constants: the cycles that the model predicts for each
// of `calls`, (problem, config). Missing constants have the plan's values.
nanobind::object Sm90Predictor(const nanobind::list& calls, const std::string& chip,
                               int64_t num_cus);

}  // namespace jaxgemm
