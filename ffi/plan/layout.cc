// The sizes, the grid and the workspace of a plan.
#include "plan/layout.h"

#include <algorithm>
#include <utility>

#include "host/kernel.h"
#include "plan/hopper/tma.h"
#include "spec/text.h"

namespace jaxgemm {

ClaimArgs Plan::claim_args() const {
  return {.num_workgroups = ToIndex(choice.num_workgroups),
          .num_queues = ToIndex(choice.num_queues),
          .num_xcds = ToIndex(choice.num_xcds)};
}

StreamKMap Plan::stream_k_map() const {
  return {grid, grid.num_tiles() - ToIndex(choice.cut_tiles), ToIndex(choice.cut_tiles),
          ToIndex(choice.num_shares)};
}

GroupedMap Plan::grouped_map(const Problem& p) const {
  StreamKMap cut{.grid = grid, .whole_tiles = 0, .cut_tiles = 0, .num_shares = 0};
  cut.grid.batch = ToIndex(p.batch);
  return {.ragged = p.ragged,
          .sizes_batched = p.sizes_batched,
          .num_groups = ToIndex(p.groups),
          .local_groups = ToIndex(p.local_groups),
          .extent = ToIndex(p.ragged == Ragged::kM ? p.m : p.k),
          .tile = ToIndex(p.ragged == Ragged::kM ? choice.tile_m : choice.tile_k),
          .batch = ToIndex(p.batch),
          .skips_empty = p.accumulate || p.skips_rest,
          .aligned = instance && instance->family == Family::kHopper ? ToIndex(AlignedK(p)) : 1,
          .cut = cut};
}

ChunkSignals Plan::chunk_signals(const Problem& p) const {
  return {.signals = nullptr,
          .epoch = nullptr,
          .status = nullptr,
          .order = nullptr,
          .timeout_ns = p.timeout_ns,
          .tiles_per_chunk = ToIndex(p.tiles_per_chunk),
          .pivot = ToIndex(p.pivot),
          .tiles_m = grid.tiles_m,
          .batch_stride = ToIndex(p.signals_batched ? p.num_chunks : 0)};
}

void SetSizes(const Problem& p, Plan* plan) {
  const Choice& c = plan->choice;
  const bool host = !plan->instance;
  plan->m = p.m, plan->n = p.num_columns(), plan->k = p.k;
  if (c.transposed) std::swap(plan->m, plan->n);
  plan->scaled = host && p.block_k > 0;
  plan->in_place = host && !c.transposed && !p.gated &&
                   p.out_dtype == (IsInteger(p.lhs_dtype) ? DType::kS32 : DType::kF32);
}

std::string SetGrid(const Problem& p, Plan* plan) {
  const Choice& c = plan->choice;
  SetSizes(p, plan);
  int64_t tiles_m = CeilDiv(plan->m, c.tile_m), tiles_n = CeilDiv(plan->n, c.tile_n);
  int64_t tiles_k = CeilDiv(plan->k, c.tile_k), tiles, batch = p.num_out();
  // Every group may end in a partial tile, and so may the rows before the groups and those after.
  if (p.ragged == Ragged::kM) tiles_m += p.local_groups + 2;
  // Counts of tiles must fit Index, also together with stream-K's shares and with the claims that
  // workgroups make beyond the end.
  constexpr int64_t kMax = (int64_t{1} << 31) - 4 * kMaxWorkgroups;
  if (__builtin_mul_overflow(tiles_m, tiles_n, &tiles) ||
      __builtin_mul_overflow(tiles, batch, &tiles) || tiles > kMax || batch > kMax ||
      tiles_m > kMax || tiles_n > kMax || tiles_k > kMax) {
    return Str(batch) + " x " + Str(tiles_m) + " x " + Str(tiles_n) + " work tiles of " +
           Str(tiles_k) +
           " k tiles do not fit the 32-bit claim counters. Use a larger tile or split the product.";
  }
  plan->grid = {.batch = ToIndex(batch),
                .tiles_m = ToIndex(tiles_m),
                .tiles_n = ToIndex(tiles_n),
                .tiles_k = ToIndex(tiles_k),
                // group_m is at most tiles_m, because group_m * tiles_n must fit Index.
                .group_m = ToIndex(std::clamp<int64_t>(tiles_m, 1, c.group_m)),
                // Indices are not remapped if workgroups claim from queues (each XCD starts with
                // its own queues), or if lhs arrives in chunks, whose order the tiles must keep.
                .num_xcds = c.num_queues > 0 || p.tiles_per_chunk > 0 ? 1 : ToIndex(c.num_xcds)};
  return "";
}

int64_t HostScratchBytes(const Plan& plan) {
  const Choice& c = plan.choice;
  if (c.path == KernelPath::kSmall) return 0;
  const bool atomic = c.num_shares > 0 && c.reduction == Reduction::kAtomic;
  int64_t bytes = RoundUp(HostPackedABytes(c.tile_m), 64);
  if (c.path != KernelPath::kFewRows) bytes += RoundUp(HostPackedBBytes(c.tile_n, plan.k), 64);
  if (plan.scaled) bytes += RoundUp(HostScaledBytes(c.tile_m, c.tile_n), 64);
  if (!plan.in_place || atomic) bytes += RoundUp(c.tile_m * c.tile_n * 4, 64);
  return bytes;
}

void LayOutWorkspace(const Problem& p, Plan* plan) {
  const Choice& c = plan->choice;
  int64_t slots =
      p.grouped() ? GroupedMap::MaxSlots(c.num_shares) : plan->stream_k_map().num_slots();
  if (c.cluster_k > 1) slots = 0;  // clusters add their accumulators in shared memory
  const int64_t cut_tiles = p.grouped() ? c.num_shares / 2 : c.cut_tiles;
  const int64_t tile_bytes = c.tile_m * c.tile_n * 4;
  const bool atomic = c.reduction == Reduction::kAtomic;
  int64_t end = 0;
  auto part = [&end](int64_t bytes) { return std::exchange(end, end + RoundUp(bytes, 64)); };
  plan->claim_offset = part(plan->claim_args().num_counters() * 4);
  plan->arrivals_offset = part(slots * 4);
  plan->status_offset = part(p.tiles_per_chunk > 0 ? 4 : 0);
  plan->order_offset = part(c.order_at_launch ? 4 : 0);
  plan->atomic_offset = part(atomic ? cut_tiles * tile_bytes : 0);
  plan->zeroed_bytes = end;
  plan->partials_offset = part(atomic ? 0 : slots * tile_bytes);
  plan->scratch_bytes = plan->instance ? 0 : HostScratchBytes(*plan);
  plan->scratch_offset = part(plan->scratch_bytes * c.num_threads);
  // 64 more bytes, so that the handler can align the start.
  plan->workspace_bytes = end == 0 ? 0 : end + 64;
}

}  // namespace jaxgemm
