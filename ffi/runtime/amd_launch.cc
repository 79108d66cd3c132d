#include "plan/amd/path.h"
#include "runtime/launch.h"

namespace jaxgemm {

std::string LayOutForAmd(const Call& call, KernelLaunch* launch) {
  constexpr int kWaveSize = 64;
  const Plan& plan = call.plan;
  GemmArgs& args = launch->arguments;
  const bool aligned = IsAligned(call.lhs) && IsAligned(call.rhs);
  if (IsMx(launch->form) &&
      !(aligned && IsAligned(call.lhs_scales) && IsAligned(call.rhs_scales))) {
    return plan.instance->name + " reads operands in an MX format at multiples of 16 bytes.";
  }
  args.only_rounded = IsOnlyRounded(call.problem, plan);
  // RunOneTile loads whole vectors. Operands that begin elsewhere are loaded on the path kTiles.
  if (plan.choice.path == KernelPath::kOneTile) {
    if (call.problem.grouped()) {
      args.one_tile = OneTileMap::OfGroups(plan.grid.num_xcds, ToIndex(plan.choice.num_workgroups));
      args.claim.num_workgroups = args.one_tile.of_groups;
    } else if (aligned) {
      args.one_tile = OneTileMap::Of(args.map);
    }
  }
  // Workgroups without work are not launched.
  launch->grid = static_cast<unsigned>(args.one_tile.size > 0 ? args.one_tile.size
                                                              : args.claim.num_workgroups);
  launch->block = static_cast<unsigned>(plan.instance->waves * kWaveSize);
  return "";
}

}  // namespace jaxgemm
