// What of a plan is Hopper's own: how long a kernel takes, by a model, and peers that are a
// cluster.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/check.h"
#include "plan/plan.h"

namespace jaxgemm {

// How tiles are shared out: each whole or among peers that are a cluster, or those of the last wave
// cut, with partial sums in the workspace; at a fixed stride, or as they are claimed.
struct Sm90Sharing {
  int64_t peers = 1;
  bool cut = false;
  bool fixed_stride = false;
};

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Stream-K's number of shares, where it is open: of `cut` tiles among the workgroups.
int64_t OpenShares(const Problem& p, int64_t cut, int64_t tiles_k, int64_t workgroups);

// Cycles of the busiest multiprocessor; none where the tiles cannot be shared out so.
std::optional<double> Sm90Cycles(const Problem& p, const Target& target,
                                 const GpuInstance& instance, Sm90Sharing sharing);

// What tiles that fit a chunk of lhs badly cost: as if the problem came in parts, each a chunk or
// as many as give all multiprocessors a tile. To be added to Sm90Cycles.
double Sm90ChunkCycles(Problem p, const Target& target, const GpuInstance& instance);

// Peers of a tile that can be one cluster: all tiles at once on the device, whole k tiles for each.
bool PeersFit(const Problem& p, const GpuInstance& instance, int64_t peers);

// How many CTAs, a cluster, share each tile: where each has one share and all tiles are cut into as
// many. The same whether the plan chose so or was told.
int64_t ClusterPeers(const Problem& p, const Plan& plan, const Target& target);

// Tiles of few columns want more of the L2 than it gives, but less where peers of neighbours are in
// one cluster: of the plan's peers that there are, chooses the tiles of a cluster.
void ShapeCluster(Plan* plan);

// The grid of clusters of such tiles.
TileGrid ClusterGrid(const Plan& plan);

// The form of the kernel, if the copy engine takes all that it is to move.
Sm90Form ChooseForm(const Problem& p, const Plan& plan);

}  // namespace jaxgemm
