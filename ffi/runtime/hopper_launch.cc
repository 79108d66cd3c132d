#include "plan/hopper/forms.h"
#include "runtime/launch.h"
#include "runtime/tensor_maps.h"

namespace jaxgemm {

// The general form and those with peers always run as planned. With scales of blocks, for few rows
// and for quantised results TMA must read both operands, else the call fails. The remaining forms
// need TMA for both operands and, unless they are fused, for out. If TMA cannot move one of these,
// because its address is no multiple of 16 bytes, the general form runs instead. In tiles that have
// none, kFused does, which then also copies operands (MayLoadByElement).
std::string LayOutForHopper(const Driver& driver, const Call& call, KernelLaunch* launch) {
  const GpuInstance& instance = *call.plan.instance;
  const Choice& c = call.plan.choice;
  TensorMaps& maps = launch->maps;
  maps = MakeTensorMaps(driver, call);
  const Problem& p = call.problem;
  auto reads = [](bool valid, bool gathered, const void* operand) {
    return gathered ? IsAligned(operand) : valid;
  };
  const bool reads_both = reads(maps.lhs_valid, p.lhs_gathered, call.lhs) &&
                          reads(maps.rhs_valid, p.rhs_gathered, call.rhs);
  if ((p.lhs_gathered || p.rhs_gathered) && !reads_both) {
    return instance.name + " gathers operands at multiples of 16 bytes.";
  }
  // Forms that store out from their registers, and that no other form can stand in for.
  const bool from_registers = RhsInRegisters(instance, c.form) || Quantizes(c.form);
  const bool moves_all =
      reads_both && (from_registers ? IsAligned(call.out) : maps.out_valid || IsFused(c.form));
  if (IsScaled(c.form) && !reads_both) {
    return instance.name + " reads operands with scales of blocks at multiples of 16 bytes.";
  }
  if (IsFewRows(c.form) && !reads_both) {
    return instance.name + " reads operands at multiples of 16 bytes.";
  }
  if (from_registers && !moves_all) {
    return instance.name + " reads operands and writes out at multiples of 16 bytes.";
  }
  // Without these arguments another scaled form stands in for it, if the kernel has one.
  if (c.form == KernelForm::kScaledCast && !moves_all && !HasForm(instance, KernelForm::kScaled)) {
    return instance.name + " writes out at multiples of 16 bytes.";
  }
  const bool as_planned = moves_all || StoreOf(c.form) == FormStore::kAny;
  TileGrid clusters = ClusterGrid(call.plan);
  launch->cluster = static_cast<unsigned>(call.plan.cluster_size());
  launch->multicasts = call.plan.cluster_size() > c.cluster_k;
  if (!as_planned || (launch->multicasts && !reads_both)) {
    // CTAs load operands for each other only by TMA, and another form may read rhs in other boxes.
    Call alone = call;
    Choice& other = alone.plan.choice;
    other.cluster_m = other.cluster_n = 1;
    if (!as_planned) {
      other.form = c.form == KernelForm::kScaledCast         ? KernelForm::kScaled
                   : HasForm(instance, KernelForm::kGeneral) ? KernelForm::kGeneral
                                                             : KernelForm::kFused;
    }
    maps = MakeTensorMaps(driver, alone);
    launch->form = other.form;
    launch->cluster = static_cast<unsigned>(c.cluster_k);
    launch->multicasts = false;
    clusters = ClusterGrid(alone.plan);
  }
  launch->grid = static_cast<unsigned>(c.num_workgroups);
  if (IsPeers(launch->form)) {
    launch->arguments.map.grid = clusters;
    launch->grid = static_cast<unsigned>(clusters.num_tiles()) * launch->cluster;
  }
  launch->grid *= static_cast<unsigned>(Sm90Cluster(instance));
  launch->block = static_cast<unsigned>(Sm90Threads(launch->form));
  launch->shared_bytes = static_cast<unsigned>(Sm90SharedBytes(c.form));
  return "";
}

}  // namespace jaxgemm
