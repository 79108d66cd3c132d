#include "bindings/plan_dict.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "host/workgroups.h"
#include "plan/amd/model.h"
#include "plan/hopper/model.h"
#include "plan/plan.h"
#include "plan/xla.h"

namespace nb = nanobind;

namespace jaxgemm {
namespace {

// Reads fields from a dictionary by name. A missing field keeps its initial value.
class DictReader {
 public:
  explicit DictReader(const nb::dict& dict) : dict_(dict) {}

  void Read(const char* name, int64_t* value) { Cast(name, value); }
  void Read(const char* name, bool* value) {
    int64_t given = *value;
    Cast(name, &given);
    *value = given != 0;
  }
  // A view of the dictionary's string.
  void Read(const char* name, std::string_view* value) {
    const char* given = nullptr;
    Cast(name, &given);
    if (given) *value = given;
  }
  template <class E>
  void Read(const char* name, E* value) {
    std::string_view given;
    Read(name, &given);
    if (given.empty() || Parse(given, value)) return;
    std::string error = std::string(name) + "='" + std::string(given) + "'; allowed are";
    for (std::string_view each : Names<E>()) error += " '" + std::string(each) + "'";
    throw nb::value_error((error + ".").c_str());
  }
  // Raises ValueError if the dictionary has a field that was not read.
  void RefuseUnread() const {
    for (auto [key, value] : dict_) {
      const std::string name = nb::cast<std::string>(key);
      if (std::find(read_.begin(), read_.end(), name) == read_.end()) {
        throw nb::value_error(("there is no field '" + name + "'.").c_str());
      }
    }
  }

 private:
  template <class T>
  void Cast(const char* name, T* value) {
    read_.push_back(name);
    if (!dict_.contains(name) || nb::try_cast<T>(dict_[name], *value)) return;
    const std::string given = nb::cast<std::string>(nb::repr(dict_[name]));
    throw nb::value_error(
        (std::string(name) + "=" + given + " has another type, or more than 64 bits.").c_str());
  }

  const nb::dict& dict_;
  std::vector<std::string> read_;
};

Problem ReadProblem(const nb::dict& dict) {
  Problem p;
  DictReader reader(dict);
#define JAXGEMM_PROBLEM(type, name, initial) reader.Read(#name, &p.name);
#include "spec/call_schema.def"
#undef JAXGEMM_PROBLEM
  reader.RefuseUnread();
  return p;
}

Config ReadConfig(const nb::dict& dict) {
  Config c;
  DictReader reader(dict);
#define JAXGEMM_CONFIG(type, name, initial) reader.Read(#name, &c.name);
#include "spec/call_schema.def"
#undef JAXGEMM_CONFIG
  reader.RefuseUnread();
  return c;
}

int64_t ToPython(int64_t value) { return value; }
int64_t ToPython(bool value) { return value; }
std::string ToPython(std::string_view value) { return std::string(value); }
template <class E>
std::string ToPython(E value) {
  return std::string(Name(value));
}

nb::dict Attributes(const Problem& problem, const Choice& choice) {
  nb::dict attrs;
#define JAXGEMM_ATTRIBUTE(record, type, name) attrs[#name] = ToPython(record.name);
#include "spec/call_schema.def"
#undef JAXGEMM_ATTRIBUTE
  return attrs;
}

// The fields of Config with which the plan makes this choice for the same problem.
nb::dict Forcing(const Choice& c) {
  nb::dict config;
  config["schedule"] = std::string(Name(c.schedule));
  for (auto [name, value] : {std::pair{"tile_m", c.out_tile_m()},
                             {"tile_n", c.out_tile_n()},
                             {"tile_k", c.tile_k},
                             {"num_workgroups", c.num_workgroups},
                             {"num_queues", c.num_queues},
                             {"num_shares", c.num_shares}}) {
    if (value) config[name] = value;
  }
  const GpuInstance* instance = FindGpuInstance(c.target, c.kernel);
  if (instance && MayMulticast(*instance, c.form)) {
    config["multicast"] = c.cluster_m * c.cluster_n > 1;
  }
  return config;
}

}  // namespace

nb::dict PlanDict(const nb::dict& problem_dict, const nb::dict& config_dict,
                  const std::string& target, int64_t num_cus) {
  const Problem given = ReadProblem(problem_dict);
  const Config asked = ReadConfig(config_dict);
  std::string error;
  const Chip chip = FindChip(target, num_cus, &error);
  Listing listing;
  if (error.empty()) error = List(given, asked, chip, &listing);
  if (!error.empty()) throw nb::value_error(error.c_str());
  const Problem& p = listing.problem;
  const Relayout& copies = listing.copies;
  const Candidate& chosen = listing.kernels.front();
  const Plan& plan = chosen.plan;
  const Choice& c = plan.choice;
  std::string kernel(c.kernel);
  if (!plan.instance) {
    const HostKernel* host = ChooseHostKernel(p.lhs_dtype, p.rhs_dtype, c.kernel, &error);
    if (host) kernel = host->name;
  }
  if (!error.empty()) throw nb::value_error(error.c_str());

  nb::dict result;
  const nb::dict attrs = Attributes(p, c);
  result["attrs"] = attrs;
  result["target"] = std::string(chip.target);
  result["chip"] = std::string(chip.name);
  result["num_cus"] = chip.num_cus;
  // Cycles are reported on Hopper only, microseconds (without the margin) on AMD GPUs only. On the
  // host the cost has no unit.
  result["predicted_cycles"] =
      chip.family() == Family::kHopper && chosen.cost > 0 ? nb::cast(chosen.cost) : nb::none();
  auto set_times = [&](const Candidate& candidate, nb::dict entry) {
    entry["predicted_us"] = entry["predicted_parts"] = nb::none();
    if (chip.family() != Family::kAmd) return;
    const AmdgpuTime time = PredictAmdgpu(p, chip, candidate.plan);
    nb::dict parts;
    parts["launch"] = time.launch;
    parts["kernel"] = time.kernel;
    parts["cus"] = time.cus;
    parts["memory"] = time.memory;
    parts["activity"] = time.activity;
    parts["mhz"] = time.mhz;
    entry["predicted_us"] = time.total();
    entry["predicted_parts"] = parts;
  };
  set_times(chosen, result);
  result["kernel"] = kernel;
  result["schedule"] = attrs["schedule"];
  result["reduction"] = attrs["reduction"];
  result["tile"] = nb::make_tuple(c.out_tile_m(), c.out_tile_n(), c.tile_k);
  Index tiles_m = plan.grid.tiles_m, tiles_n = plan.grid.tiles_n;
  if (c.transposed) std::swap(tiles_m, tiles_n);
  result["tiles"] = nb::make_tuple(tiles_m, tiles_n, plan.grid.tiles_k);
  result["batch"] = p.batch;
  result["num_workgroups"] = c.num_workgroups;
  result["num_queues"] = c.num_queues;
  result["workspace_bytes"] = plan.workspace_bytes;
  result["zeroed_bytes"] = plan.zeroed_bytes;
  result["status_offset"] = plan.status_offset;
  result["reasons"] = Reasons(listing, asked, chip);
  // All candidates, best first. Their cost is relative to that of the best one; `config` is the
  // configuration with which the plan chooses this candidate.
  nb::list others;
  for (const Candidate& each : listing.kernels) {
    const Choice& other = each.plan.choice;
    nb::dict entry;
    entry["kernel"] = std::string(other.kernel);
    entry["tile"] = nb::make_tuple(other.out_tile_m(), other.out_tile_n(), other.tile_k);
    entry["schedule"] = std::string(Name(other.schedule));
    entry["form"] = std::string(Name(other.form));
    entry["cost"] = chosen.cost > 0 ? each.cost / chosen.cost : 1.0;
    set_times(each, entry);
    entry["config"] = Forcing(other);
    others.append(entry);
  }
  result["candidates"] = others;
  // The names of the operands before and after the copies, in their order.
  auto names = [](const Problem& p) {
    nb::list operands;
#define JAXGEMM_OPERAND(type, name, is_there) \
  if (is_there) operands.append(#name);
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
    return operands;
  };
  result["given_operands"] = names(given);
  result["operands"] = names(p);
  // Whether the caller copies lhs and rhs first, and the layouts and sizes after the copies.
  nb::dict relaid;
  relaid["lhs"] = copies.CopiesLhs(given);
  relaid["rhs"] = copies.CopiesRhs(given);
  relaid["lhs_contracting"] = p.lhs_contracting;
  relaid["rhs_contracting"] = p.rhs_contracting;
  relaid["gathers_lhs"] = given.lhs_gathered && !p.lhs_gathered;
  relaid["gathers_rhs"] = given.rhs_gathered && !p.rhs_gathered;
  relaid["m"] = p.m;
  relaid["n"] = p.n;
  relaid["k"] = p.k;
  // The lengths of vector operands before and after the copies.
  nb::dict vectors;
  auto lengths = [&](auto length) { return nb::make_tuple(length(given), length(p)); };
#define JAXGEMM_VECTOR(type, name, is_there, dtype, along) \
  if (is_there) vectors[#name] = lengths([](const Problem& p) { return p.length(along); });
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
  relaid["vectors"] = vectors;
  result["relayout"] = relaid;
  result["faster_by_xla"] = listing.xla;
  return result;
}

nb::list XlaRulesList() {
  nb::list rules;
  for (const XlaRule& rule : XlaRules()) {
    nb::dict entry;
    entry["target"] = std::string(rule.target);
    entry["name"] = std::string(rule.name);
    entry["products"] = rule.products;
    entry["sentence"] = rule.sentence;
    entry["evidence"] = std::string(rule.evidence);
    rules.append(entry);
  }
  return rules;
}

nb::dict Sm90ModelDict() {
  nb::dict constants;
#define JAXGEMM_SM90_MODEL(name, value, fitted, unit) \
  constants[#name] = nb::make_tuple(static_cast<double>(value), fitted);
#include "plan/hopper/model.def"
  return constants;
}

nb::object Sm90Predictor(const nb::list& calls, const std::string& chip_name, int64_t num_cus) {
  std::string error;
  const Chip chip = FindChip(chip_name, num_cus, &error);
  std::vector<std::pair<Problem, Plan>> plans;
  for (const nb::handle call : calls) {
    const auto [problem, config] = nb::cast<std::pair<nb::dict, nb::dict>>(call);
    const Problem given = ReadProblem(problem);
    const Config asked = ReadConfig(config);
    Listing listing;
    if (error.empty()) error = List(given, asked, chip, &listing);
    if (!error.empty()) throw nb::value_error(error.c_str());
    plans.emplace_back(listing.problem, listing.kernels.front().plan);
  }
  return nb::cpp_function([chip, plans = std::move(plans)](const nb::dict& constants) {
    Sm90Model model;
#define JAXGEMM_SM90_MODEL(name, value, fitted, unit) \
  if (constants.contains(#name)) model.name = nb::cast<double>(constants[#name]);
#include "plan/hopper/model.def"
    std::vector<double> cycles;
    const nb::gil_scoped_release other_threads_may_run;
    for (const auto& [problem, plan] : plans) {
      cycles.push_back(Sm90Cycles(problem, chip, plan, model));
    }
    return cycles;
  });
}

}  // namespace jaxgemm
