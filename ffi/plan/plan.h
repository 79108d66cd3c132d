// From a problem and a configuration to a plan.
//
//   List      while tracing: all that can compute the problem, the best first (list.cc)
//   Complete  decides a candidate's schedule, and lays out its grid and workspace (complete.cc)
//   Derive    at launch: checks a problem and a choice of any origin, and lays out the plan
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/hopper/copies.h"
#include "schedule/grouped_map.h"
#include "spec/chip.h"
#include "spec/gpu_instances.h"
#include "spec/names.h"
#include "spec/problem.h"

namespace jaxgemm {

// Limits of a plan, not fitted: the workspace; workgroups and shares; queues.
inline constexpr int64_t kWorkspaceCapMiB = 128, kWorkspaceCap = kWorkspaceCapMiB << 20;
inline constexpr int64_t kMaxWorkgroups = 1 << 16;
inline constexpr int64_t kMaxQueues = 1 << 10;

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }
inline Index ToIndex(int64_t count) { return static_cast<Index>(count); }

struct Plan {
  Choice choice;
  const GpuInstance* instance = nullptr;  // null on the host
  // Host. in_place: out has the accumulators' type and order, so tiles that are not cut are
  // computed in out itself. scaled: the partial sums of each block of k are multiplied by scales,
  // so they are computed in scratch first.
  bool in_place = false, scaled = false;
  // The sizes of the product that the kernel computes. Gated: n counts the columns of the gate and
  // of the up projection, as tile_n does.
  int64_t m = 0, n = 0, k = 0;
  TileGrid grid{};  // of all tiles; grouped: of as many as group sizes can make
  // The parts of the workspace, in bytes from its start, each aligned to 64 bytes: counters of
  // claims, counters of arrivals, accumulators of atomic additions, whether a wait for a chunk
  // timed out, and the order of tiles (ChunkSignals). The first zeroed_bytes are set to zero on the
  // call's stream.
  int64_t claim_offset = 0, arrivals_offset = 0, atomic_offset = 0, status_offset = 0;
  int64_t order_offset = 0;
  int64_t zeroed_bytes = 0;
  int64_t partials_offset = 0;
  int64_t scratch_offset = 0, scratch_bytes = 0;  // host: scratch_bytes of each thread
  int64_t workspace_bytes = 0;

  ClaimArgs claim_args() const;
  // How many CTAs a cluster has (Hopper); 1: no cluster is needed.
  int64_t cluster_size() const { return choice.cluster_k * choice.cluster_m * choice.cluster_n; }
  bool stealing() const { return claim_args().is_shared(); }
  StreamKMap stream_k_map() const;
  int64_t num_indices() const { return stream_k_map().size(); }
  // The map without the group sizes, which only the kernel knows.
  GroupedMap grouped_map(const Problem& problem) const;
  // The signals without their addresses.
  ChunkSignals chunk_signals(const Problem& problem) const;
};

// A kernel that can compute a problem, with all that is decided for it.
struct Candidate {
  Plan plan;
  // The predicted cost: cycles on Hopper, microseconds with a margin on AMD GPUs, a relative time
  // on the host. Only candidates of one problem and chip compare.
  double cost = 0;
  // A factor in `cost` that is not predicted: above 1 if others are preferred that take a bit
  // longer.
  double margin = 1;
  // Facts for Reasons.
  bool whole_is_faster = false;  // stream-K was asked for, and whole tiles take no longer
  bool fewer_shares = false;     // with more shares the workspace would have been too large
  int64_t last_round = 0;        // tiles of the last, partial round, which stream-K may cut
};

// All that can compute a problem.
struct Listing {
  // The copies before the kernel, and the problem after them.
  Relayout copies;
  Problem problem;
  std::vector<Candidate> kernels;  // the cheapest first; never empty
  // Why XLA's own product is faster than `kernels`, as the end of a sentence. "": it is not.
  std::string xla;
};

// Sets *listing, and returns "" or why no kernel computes the problem, as a sentence for the user.
std::string List(const Problem& problem, const Config& config, const Chip& chip, Listing* listing);

// Sets *plan to the cheapest plan for a problem without copies, for C++ tests. Returns as List.
std::string MakePlan(const Problem& problem, const Config& config, const Chip& chip, Plan* plan);

// Sets *plan, and returns an empty string, or why the choice does not suit the problem.
std::string Derive(const Problem& problem, const Choice& choice, Plan* plan);

// The decisions that `asked` left to the plan, with their reasons, for explain().
std::vector<std::string> Reasons(const Listing& listing, const Config& asked, const Chip& chip);

}  // namespace jaxgemm
