// From a problem and a configuration to a plan: everything a call needs to know, the exact
// workspace included. Pure arithmetic: the same on the machine that traces and in the handler
// that runs, which makes the plan again from the call's attributes and buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/grouped_map.h"
#include "sm90/launch_args.h"
#include "spec/gpu_instances.h"
#include "spec/names.h"
#include "spec/types.h"

namespace jaxgemm {

// out[b, m, n] = cast(activation(scale * sum_k lhs[b, m, k] rhs[b, k, n] + bias)).
struct Problem {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  DType lhs_dtype{}, rhs_dtype{}, out_dtype{};
  // Which of the operand's two matrix dimensions is k (lhs 1 and rhs 0: both row-major).
  int64_t lhs_contracting = 1, rhs_contracting = 0;
  bool lhs_batched = false, rhs_batched = false;  // or shared by every batch
  bool bias = false, scale = false, save_preact = false;
  Activation activation = Activation::kNone;
  // Grouped: out, and with ragged m rhs, have local_groups matrices for each batch, those of the
  // groups from the offset on, of all `groups`.
  Ragged ragged = Ragged::kNone;
  int64_t groups = 0, local_groups = 0;
  bool group_offset = false, sizes_batched = false;
  // Ragged k: the product is added to what out holds, in place, which an empty group keeps.
  bool accumulate = false;
  // Ragged m: rhs has two matrices of n columns side by side, the gate's and the up projection's,
  // as have bias, scale and the value before the activation, z:
  // out[m, n] = cast(activation(z[m, n]) * z[m, n_out + n]).
  bool gated = false;

  // lhs arrives in chunks of as many tile rows, visited from the pivot round; 0: all is there.
  // num_chunks: signals of a batch; -1: not known yet.
  int64_t tiles_per_chunk = 0, pivot = 0, num_chunks = 0, timeout_ns = 0;
  bool signals_batched = false;

  // Columns of the sums.
  int64_t num_columns() const { return gated ? 2 * n : n; }
  // Matrices in rhs and in out.
  int64_t num_rhs() const {
    return (rhs_batched ? batch : 1) * (ragged == Ragged::kM ? local_groups : 1);
  }
  int64_t num_out() const { return batch * (ragged == Ragged::kK ? local_groups : 1); }
};

// What the caller wants; 0, kAuto and "" leave the choice to the plan.
struct Config {
  Schedule schedule = Schedule::kAuto;
  Reduction reduction = Reduction::kLinear;
  bool deterministic = false;
  int64_t tile_m = 0, tile_n = 0, tile_k = 0;
  int64_t num_workgroups = 0, group_m = 0, num_queues = 0;
  // Stream-K: shares that the cut tiles' k iterations make, at the most where they are grouped.
  int64_t num_shares = 0;
  int64_t num_threads = 0;   // host: workgroups that run at the same time, at most
  int64_t claim_ahead = -1;  // ask for the next tile before storing this one; -1: open
  std::string_view kernel;   // not owned; a GPU plan's is its instance's name
};

inline constexpr int64_t kWorkspaceCap = int64_t{128} << 20;
inline constexpr int64_t kMaxWorkgroups = 1 << 16;
inline constexpr int64_t kMaxQueues = 1 << 10;

struct Plan {
  Config config;  // resolved: nothing is left to choose, but group_m for order_at_launch
  const GpuInstance* instance = nullptr;  // null on the host
  // The host computes out^T = rhs^T lhs^T where out has few columns; m and n of the grid
  // and the tile are then those of out^T.
  bool transposed = false;
  bool grouped = false;
  bool skinny = false;          // few rows: rhs is streamed, not packed
  bool in_place = false;        // the host sums whole tiles in out, which has their type and order
  int64_t m = 0, n = 0, k = 0;  // gated: n counts both matrices' columns, as tile_n does
  TileGrid grid{};              // of all tiles; grouped: of as many as there can be
  // Stream-K's cut; no tile is cut under the other schedules.
  int64_t cut_tiles = 0;
  int64_t last_wave = 0;  // stream-K: tiles that do not fill a wave; no more than these are cut
  // Hopper: as many CTAs, a cluster, share each tile and add up in shared memory; 1: they do not.
  int64_t cluster_peers = 1;
  int64_t cluster_m = 1, cluster_n = 1;  // tiles whose peers are one cluster
  Sm90Form form = Sm90Form::kGeneral;
  // Chunks: the kernel visits the grid's group_m tile rows together if all have come, else no more
  // than a chunk's.
  bool order_at_launch = false;
  bool whole_is_faster = false;  // than tiles cut as stream-K would
  bool fewer_shares = false;     // than wanted: the workspace would have been too large
  // Bytes from the workspace's start, each part 64-byte aligned. The first zeroed_bytes are
  // set to zero on the call's stream: claim counters, arrival counters, atomic sums, the status of
  // waiting for chunks, the order of their tiles.
  int64_t claim_offset = 0, arrivals_offset = 0, atomic_offset = 0, status_offset = 0;
  int64_t order_offset = 0;
  int64_t zeroed_bytes = 0;
  int64_t partials_offset = 0;
  int64_t scratch_offset = 0, scratch_bytes = 0;  // scratch_bytes per thread (host)
  int64_t workspace_bytes = 0;

  bool stealing() const { return config.num_queues > 0; }
  StreamKMap stream_k_map() const {
    return {grid, grid.num_tiles() - static_cast<Index>(cut_tiles), static_cast<Index>(cut_tiles),
            static_cast<Index>(config.num_shares)};
  }
  int64_t num_indices() const { return stream_k_map().size(); }
  // The kernel, which can read the sizes, prepares it.
  GroupedMap grouped_map(const Problem& problem) const;
  // Without the addresses.
  ChunkSignals chunk_signals(const Problem& problem) const;
};

// Makes the plan of `problem` for a target of instances.def. Returns an empty string, or the
// error as a sentence for the user.
std::string MakePlan(const Problem& problem, const Config& config, std::string_view target,
                     Plan* plan);

// What the plan chose where `asked` left it open, and why, for explain().
std::vector<std::string> Reasons(const Problem& problem, const Config& asked, const Plan& plan);

}  // namespace jaxgemm
