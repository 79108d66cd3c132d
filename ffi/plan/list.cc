// The list of all that can compute a problem: kernels of the chip's family, after copies where they
// pay, and XLA's own product.
#include <algorithm>
#include <utility>

#include "plan/candidates.h"
#include "plan/check.h"
#include "plan/complete.h"
#include "plan/plan.h"
#include "plan/xla.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

std::vector<Draft> Drafts(const Problem& p, const Config& config, const Chip& chip,
                          std::string* error) {
  switch (chip.family()) {
    case Family::kHost: return HostDrafts(p, config, chip, error);
    case Family::kAmd: return AmdDrafts(p, config, chip, error);
    case Family::kHopper: return HopperDrafts(p, config, chip, error);
  }
  return {};
}

// Why a plan is not for deterministic="rows", or "". The order in which it adds up a row must
// follow from k, the types and the target alone. Whole tiles have one order on each target: GPU
// kernels multiply k in ascending order, by matrix instructions of one depth in all tiles and
// layouts, and the host multiplies blocks of k of one size. Workgroups, CTAs or waves that divide k
// have other orders, and so have the host's kernels that do not pack rhs.
std::string WhyNotSameRows(const Plan& plan) {
  const Choice& c = plan.choice;
  const bool divides_k = c.num_shares > 0 || c.cluster_k > 1;
  const bool is_whole = plan.instance ? plan.instance->waves_k == 1 : c.path == KernelPath::kPacked;
  if (is_whole && !divides_k) return "";
  return Concat("deterministic='rows' was given, and with ",
                divides_k ? Concat("schedule='", Name(c.schedule), "'") : Str(c.kernel),
                " several workgroups or waves divide k, so that a row's sums depend on how many ",
                "rows there are. Leave schedule, num_shares, kernel and the tile out.");
}

// The kernels for a problem that has been checked, the cheapest first.
std::vector<Candidate> Kernels(const Problem& p, const Config& config, const Chip& chip,
                               std::string* error) {
  std::vector<Candidate> kernels;
  for (auto& [candidate, scheduling] : Drafts(p, config, chip, error)) {
    std::string reason = Complete(p, config, chip, scheduling, &candidate);
    if (reason.empty() && config.same_rows) reason = WhyNotSameRows(candidate.plan);
    if (reason.empty()) {
      const Plan& plan = candidate.plan;
      if (scheduling.margin) candidate.margin = scheduling.margin(p, chip, plan);
      if (scheduling.cost) candidate.cost = candidate.margin * scheduling.cost(p, chip, plan);
      kernels.push_back(candidate);
    } else if (error->empty()) {
      *error = std::move(reason);
    }
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  if (!kernels.empty()) *error = CheckChoice(p, kernels.front().plan.choice, chip);
  return kernels;
}

bool Gathers(const Problem& p, const Chip& chip, bool is_lhs) {
  switch (chip.family()) {
    case Family::kHost: return HostGathers(p, is_lhs);
    case Family::kAmd: return AmdGathers(p, is_lhs);
    case Family::kHopper: return HopperGathers(p, is_lhs);
  }
  return false;
}

// The copies before the kernel.
Relayout Copies(Problem p, const Config& config, const Chip& chip) {
  p.lhs_gathered &= Gathers(p, chip, /*is_lhs=*/true);
  p.rhs_gathered &= Gathers(p, chip, /*is_lhs=*/false);
  return chip.family() == Family::kHopper ? ChooseRelayout(p, config) : AsItIs(p);
}

std::string Check(const Problem& p, const Config& config, const Chip& chip) {
  const std::string error = CheckProblem(p, chip);
  return error.empty() ? CheckConfig(config, chip) : error;
}

}  // namespace

std::string List(const Problem& given, const Config& config, const Chip& chip, Listing* listing) {
  std::string error = Check(given, config, chip);
  if (!error.empty()) return error;
  listing->copies = Copies(given, config, chip);
  listing->problem = Relaid(given, listing->copies);
  listing->kernels = Kernels(listing->problem, config, chip, &error);
  if (error.empty() && !config.same_rows)
    listing->xla = WhyFasterByXla(given, config, chip, listing->copies);
  return error;
}

std::string MakePlan(const Problem& p, const Config& config, const Chip& chip, Plan* plan) {
  std::string error = Check(p, config, chip);
  if (!error.empty()) return error;
  const std::vector<Candidate> kernels = Kernels(p, config, chip, &error);
  if (error.empty()) *plan = kernels.front().plan;
  return error;
}

}  // namespace jaxgemm
