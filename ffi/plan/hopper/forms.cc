#include "plan/hopper/forms.h"

#include <algorithm>
#include <limits>

#include "kernel/gemm_args.h"
#include "plan/candidates.h"
#include "plan/hopper/epilogue.h"
#include "plan/tiles.h"
#include "sm90/launch_args.h"

namespace jaxgemm {
namespace {

// Whether TMA moves all arrays, and out has the type that the plain forms store.
bool IsStoredByTma(const Problem& p, const Tma& tma) {
  return tma.moves_all() && p.out_dtype == PlainOut(p.lhs_dtype);
}
// Whether the plain forms store the result.
bool IsPlainProduct(const Problem& p, const Tma& tma) {
  return IsStoredByTma(p, tma) && HasNoEpilogue(p);
}

// Whether a form that loads both operands by TMA stores the product's result.
bool Stores(const Problem& p, const Tma& tma, const GpuInstance& instance, KernelForm form) {
  if (p.quantize_out != QuantizeOut::kNone) return Quantizes(form) && tma.reads_both();
  if (RhsInRegisters(instance, form)) return tma.registers_read_rhs;
  if (HasOnlyVectors(form, instance.lhs, instance.tile_n)) {
    return IsStoredByTma(p, tma) && NeedsOnlyVectors(p);
  }
  switch (StoreOf(form)) {
    case FormStore::kGated: return p.gated && IsStoredByTma(p, tma);
    case FormStore::kWide:
      return tma.moves_all() && p.out_dtype == DType::kF32 && (p.accumulate || HasNoEpilogue(p));
    case FormStore::kFused: return tma.reads_both() && !p.gated;
    case FormStore::kAny: return tma.reads_both();
    default: return IsPlainProduct(p, tma);
  }
}

// The number of CTAs that share each tile, if a cluster can do what this stream-K plan asks for:
// every tile has the same number of shares, and every workgroup has one share. Else 1.
int64_t ClusterK(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const GpuInstance& instance = *plan.instance;
  const int64_t tiles = plan.grid.num_tiles();
  if (p.grouped() || p.block_k > 0 || p.tiles_per_chunk > 0 || tiles == 0 ||
      p.quantize_out != QuantizeOut::kNone || !HasForm(instance, KernelForm::kPeers) ||
      c.schedule != Schedule::kStreamK || c.reduction != Reduction::kLinear || c.num_queues ||
      c.num_shares != c.num_workgroups || c.num_shares % tiles) {
    return 1;
  }
  const int64_t ctas = c.num_shares / tiles;
  return CanBePeers(instance.tile_n, ctas) && ctas <= plan.grid.tiles_k ? ctas : 1;
}

// MayMulticast of a plan that has clusters.
bool MayMulticast(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const Problem computed = ComputedBy(*plan.instance, p);
  return MayMulticast(Tma(computed), *plan.instance, plan.grid.tiles_m, plan.grid.tiles_n,
                      c.cluster_k, c.cluster_m, c.cluster_n);
}

// Whether a CTA can count the k tiles of all its work tiles. Dense forms in clusters count those of
// which they release the stage (Multiplier in sm90/mainloop.h). A count that overflows would
// release none, and the kernel would wait for ever.
bool CountsKTiles(const Plan& plan) {
  const int64_t rounds = CeilDiv(int64_t{plan.grid.num_tiles()}, plan.choice.num_workgroups);
  return rounds <= std::numeric_limits<Index>::max() / std::max<int64_t>(plan.grid.tiles_k, 1);
}

// Whether the plan claims its tiles, and whether it cuts them.
bool Claims(const Problem& p, const Plan& plan) { return plan.stealing() || p.tiles_per_chunk > 0; }
bool Cuts(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  return p.grouped() ? Claims(p, plan) || c.num_shares > 0 : c.cut_tiles > 0;
}

// Whether a form without peers has all that the plan needs.
bool FormFits(const Problem& p, const Tma& tma, const Plan& plan, KernelForm form) {
  const GpuInstance& instance = *plan.instance;
  if (IsScaled(form) || p.block_k > 0) {
    const bool fits = form == KernelForm::kScaledCast
                          ? CastsScaled(p) && !Claims(p, plan) && !Cuts(p, plan)
                          : form == ScaledForm(p);
    return IsScaled(form) && p.block_k > 0 && fits && HasForm(instance, form);
  }
  if (Quantizes(form) != (p.quantize_out != QuantizeOut::kNone)) return false;
  if (IsGeneral(form)) return true;
  const bool claims = Claims(p, plan), cuts = Cuts(p, plan);
  const int64_t least_k = p.grouped() ? 0 : AlwaysPingPongs(form) ? kPingPongKTiles : 1;
  const bool suits = IsFewRows(form)   ? p.ragged == Ragged::kM
                     : IsGrouped(form) ? p.grouped()
                                       : !p.grouped() && claims == IsClaimed(form);
  return suits && !cuts && Stores(p, tma, instance, form) && plan.grid.tiles_k >= least_k &&
         (!IsDense(form) || CountsKTiles(plan)) && HasForm(instance, form);
}

}  // namespace

// The numbers are those that cuOccupancyMaxActiveClusters returns on an H100 of 132
// multiprocessors. A cluster lies within one group of multiprocessors (a GPC), so some
// multiprocessors are left over. Chips with another number of multiprocessors are assumed to run
// clusters in proportion.
int64_t ClustersAtOnce(int64_t ctas, KernelForm form, const Chip& chip) {
  constexpr int64_t kClusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
  return kClusters[ctas] * Sm90CtasPerSm(form) * chip.num_cus / kClusters[1];
}

KernelForm ScaledForm(const Problem& p) {
  return p.quantize_out == QuantizeOut::kNone ? KernelForm::kScaled : KernelForm::kScaledQuantized;
}

bool CastsScaled(const Problem& p) {
  return p.quantize_out == QuantizeOut::kNone && p.block_n == kScaleBlock &&
         p.ragged != Ragged::kK && p.k > 0 && IsPlainProduct(p, Tma(p));
}

KernelForm QuantizedForm(const Problem& p) {
  return p.grouped() ? KernelForm::kGroupedQuantized : KernelForm::kQuantized;
}

KernelForm MostPeersForm(const GpuInstance& instance) {
  return HasForm(instance, KernelForm::kPeersHalfSm) ? KernelForm::kPeersHalfSm
                                                     : KernelForm::kPeers;
}

// In a cluster of 2 x 2 tiles each CTA must receive something from another one in every k tile.
// Else it would run ahead, and its next release of a stage would be taken for that of a CTA which
// still reads the stage. So there must be no cluster of which three tiles are outside of out
// (tests/protocols/multicast.py shows it).
bool MayMulticast(const Tma& tma, const GpuInstance& instance, int64_t tiles_m, int64_t tiles_n,
                  int64_t cluster_k, int64_t cluster_m, int64_t cluster_n) {
  const bool has_one_tile = tiles_m % 2 == 1 && tiles_n % 2 == 1;
  return MayMulticast(instance, KernelForm::kPeers) && tma.reads_both() &&
         cluster_m <= std::min<int64_t>(tiles_m, kMostMulticast) &&
         cluster_n <= std::min<int64_t>(tiles_n, kMostMulticast) &&
         cluster_k * cluster_m * cluster_n <= kMaxClusterSize &&
         !(cluster_m * cluster_n == 4 && has_one_tile);
}

bool PingPongs(const Problem& p, const Tma& tma, const GpuInstance& instance, double tiles,
               int64_t workgroups) {
  const KernelForm form =
      IsPlainProduct(p, tma) ? KernelForm::kPingPong : KernelForm::kFusedPingPong;
  return HasForm(instance, form) && Stores(p, tma, instance, form) &&
         tiles > static_cast<double>(workgroups) &&
         CeilDiv(p.k, instance.tile_k) >= kPingPongKTiles;
}

void ChooseForm(const Problem& p, const Chip& chip, Plan* plan) {
  Choice& c = plan->choice;
  const GpuInstance& instance = *plan->instance;
  c.cluster_k = ClusterK(p, *plan);
  if (c.cluster_k > 1 || c.transposed) {
    c.form = KernelForm::kPeers;
    const bool fits =
        ClusterGrid(*plan).num_tiles() <= ClustersAtOnce(plan->cluster_size(), c.form, chip);
    if (!fits) c.form = MostPeersForm(instance);
    return;
  }
  if (p.block_k > 0) {
    const bool casts = FormFits(p, Tma(p), *plan, KernelForm::kScaledCast);
    c.form = casts ? KernelForm::kScaledCast : ScaledForm(p);
    return;
  }
  if (p.quantize_out != QuantizeOut::kNone) {
    c.form = QuantizedForm(p);
    return;
  }
  if (IsForFewRows(instance)) {
    c.form = KernelForm::kFewRows;
    return;
  }
  const Tma tma(p);
  const bool ping_pongs =
      PingPongs(p, tma, instance, static_cast<double>(plan->grid.num_tiles()), c.num_workgroups);
  const KernelForm grouped = p.gated ? KernelForm::kGroupedGated
                             : Stores(p, tma, instance, KernelForm::kGrouped) ? KernelForm::kGrouped
                             : p.out_dtype == DType::kF32 ? KernelForm::kGroupedWide
                                                          : KernelForm::kGroupedVectors;
  const KernelForm form = p.grouped()                                 ? grouped
                          : plan->stealing() || p.tiles_per_chunk > 0 ? KernelForm::kClaimed
                          : IsPlainProduct(p, tma)
                              ? ping_pongs ? KernelForm::kPingPong : KernelForm::kPlain
                          : ping_pongs ? KernelForm::kFusedPingPong
                                       : KernelForm::kFused;
  if (FormFits(p, tma, *plan, form)) c.form = form;
}

// Lines are copied in vectors of 16 bytes, and the other operand is loaded by TMA. 8-bit operands
// lie k-major in shared memory, so their k cannot be lines. A product that reads by index takes
// some percent longer, so with many columns (or rows, if rhs is gathered) a copy before it costs
// less.
bool HopperGathers(const Problem& p, bool is_lhs) {
  constexpr int64_t kMostColumns = 4096, kMostRows = 2048;  // H200, four layers of models
  constexpr int64_t kMostBytes = int64_t{1} << 31, kMostVectors = int64_t{1} << 32;
  const Tma tma(p);
  const bool of_k = p.ragged == Ragged::kK;
  const int64_t line = (!is_lhs ? p.n : of_k ? p.m : p.k) * Bytes(p.lhs_dtype);
  const int64_t lines = is_lhs ? p.lhs_lines : p.rhs_lines;
  const bool pays = is_lhs ? p.num_columns() <= kMostColumns : p.m <= kMostRows;
  return MayGather(KernelForm::kGeneral, p.lhs_dtype) && pays && (is_lhs || of_k) &&
         (!of_k || (Bytes(p.lhs_dtype) == 2 && p.rhs_contracting == 0)) &&
         p.lhs_contracting == (of_k ? 0 : 1) && line < kMostBytes &&
         lines * (line / 16) < kMostVectors && tma.reads_lhs &&
         (tma.reads_rhs || tma.registers_read_rhs);
}

bool HopperHas(const Problem& p, const Plan& plan) {
  const Choice& c = plan.choice;
  const int64_t tiles = plan.grid.num_tiles();
  if (c.path != KernelPath::kTiles || !HasForm(*plan.instance, c.form)) return false;
  if (c.cluster_m * c.cluster_n > 1 && !(IsPeers(c.form) && MayMulticast(p, plan))) return false;
  // Each CTA of a kernel that stores out^T has one tile or one share.
  if (c.transposed) {
    return IsPeers(c.form) && !c.num_queues && ClusterK(p, plan) == c.cluster_k &&
           c.cut_tiles == (c.cluster_k > 1 ? tiles : 0) && c.num_workgroups == tiles * c.cluster_k;
  }
  if (c.cluster_k > 1 || IsPeers(c.form)) {
    return c.form == KernelForm::kPeers && c.cluster_k > 1 && ClusterK(p, plan) == c.cluster_k &&
           c.cut_tiles == tiles;
  }
  return FormFits(p, Tma(p), plan, c.form);
}

TileGrid ClusterGrid(const Plan& plan) {
  const Choice& c = plan.choice;
  TileGrid grid = plan.grid;
  // With multicast and an odd number of tile rows or columns, CTAs at the end compute tiles that
  // are not stored.
  grid.tiles_m = ToIndex(CeilDiv(grid.tiles_m, c.cluster_m));
  grid.tiles_n = ToIndex(CeilDiv(grid.tiles_n, c.cluster_n));
  // With clusters of 1 x 2 tiles, consecutive clusters have the same rows.
  grid.group_m = c.cluster_m < c.cluster_n ? 1 : std::min(grid.group_m, grid.tiles_m);
  return grid;
}

}  // namespace jaxgemm
