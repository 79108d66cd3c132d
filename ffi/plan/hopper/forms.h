// The forms of Hopper's kernels and their clusters, as a plan has them.
#pragma once

#include "plan/hopper/tma.h"
#include "plan/plan.h"

namespace jaxgemm {

// The product that the instance computes.
inline Problem ComputedBy(const GpuInstance& instance, const Problem& p) {
  return instance.transposed ? Transposed(p) : p;
}

// Decides a plan's form and cluster_k.
void ChooseForm(const Problem& problem, const Chip& chip, Plan* plan);

// The form for a problem with scales of blocks.
KernelForm ScaledForm(const Problem& problem);

// Whether results of a problem with scales of blocks are only cast (kScaledCast).
bool CastsScaled(const Problem& problem);

// The form that quantises the result of a problem without scales of blocks.
KernelForm QuantizedForm(const Problem& problem);

// The form with peers of which a multiprocessor runs most CTAs at once.
KernelForm MostPeersForm(const GpuInstance& instance);

// The grid of a plan with peers, in clusters instead of tiles. The CTAs of a cluster split each of
// its tiles along k.
TileGrid ClusterGrid(const Plan& plan);

// How many CTAs of a kernel that stores out row-major run at once.
inline int64_t CtasAtOnce(const GpuInstance& instance, const Chip& chip) {
  return IsForFewRows(instance) ? chip.num_cus : chip.num_cus * chip.waves_per_cu / instance.waves;
}

// How many clusters of `ctas` CTAs run at once.
int64_t ClustersAtOnce(int64_t ctas, KernelForm form, const Chip& chip);

// Whether the CTAs of clusters of cluster_m x cluster_n tiles may load operands for each other, if
// the product that the instance computes has tiles_m x tiles_n tiles.
bool MayMulticast(const Tma& tma, const GpuInstance& instance, int64_t tiles_m, int64_t tiles_n,
                  int64_t cluster_k, int64_t cluster_m, int64_t cluster_n);

// Whether warpgroups ping-pong if tiles are whole and at a fixed stride. They do not if each CTA
// has only one tile, because one of its two warpgroups would have nothing to do.
bool PingPongs(const Problem& problem, const Tma& tma, const GpuInstance& instance, double tiles,
               int64_t workgroups);

}  // namespace jaxgemm
