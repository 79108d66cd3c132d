#include "plan/sm90_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/candidates.h"
#include "plan/relayout_sm90.h"
#include "plan/sm90.h"
#include "sm90/launch_args.h"

namespace jaxgemm {
namespace {

// How the output tiles are divided among the workgroups. cluster_k > 1: cluster_k CTAs compute each
// tile. cut_tiles > 0: stream-K cuts the last cut_tiles tiles into num_shares shares, with partial
// sums in the workspace. Else each workgroup (with ping_pong each of its two warpgroups) computes
// whole tiles.
struct Decomposition {
  KernelForm form = KernelForm::kGeneral;
  int64_t workgroups = 1;
  bool ping_pong = false;
  int64_t cluster_k = 1;
  double cluster_m = 1, cluster_n = 1;  // tiles of a cluster, which read the same operands
  int64_t cut_tiles = 0, num_shares = 0;
  // The general form, which takes model.general longer. False with stream-K, because model.zeroing
  // was fitted with that time in it.
  bool general = false;
  bool fused = false;           // an epilogue that no ping-pong hides
  bool peers_epilogue = false;  // peers, with an epilogue that is not short
};

double AsDouble(int64_t value) { return static_cast<double>(value); }

// Predicts cycles. A CTA computes its tiles one after another. A k tile takes a norm of four times:
// that of its wgmmas, that of its bytes into one multiprocessor, that of all CTAs' bytes from the
// L2, and the latency of a load divided by the stages. CTAs that share rhs also wait for each
// other. The last store is not hidden and is added; each of a tile's peers stores a part of its
// columns. With ping-pong all other stores are hidden, and only the fraction alone / (alone +
// sustained) of the L2's time counts, where `alone` is the time of the main loops without the L2.
// The time of all tiles is a norm of this and of the time in which the device's memory reads each
// operand and writes the result.
double Cycles(const Problem& p, const Chip& chip, const GpuInstance& instance,
              const Decomposition& decomposition, const Sm90Model& model) {
  const int64_t tiles_k = CeilDiv(p.k, instance.tile_k);
  const double cluster = AsDouble(instance.waves) / 2;
  const double m = AsDouble(instance.tile_m) / cluster;
  const double n = AsDouble(instance.tile_n), k = AsDouble(instance.tile_k);
  const double rows = std::max(1.0, AsDouble(CeilDiv(p.m, instance.tile_m)));  // of tiles
  const double columns = std::max(1.0, AsDouble(CeilDiv(p.n, instance.tile_n)));
  const double tiles = NumTiles(p, instance) / rows * decomposition.cluster_m *
                       std::ceil(rows / decomposition.cluster_m) / columns *
                       decomposition.cluster_n * std::ceil(columns / decomposition.cluster_n);
  const double at_once = AsDouble(decomposition.workgroups);
  const double peers = AsDouble(decomposition.cluster_k), shares = tiles * peers;
  const double element = AsDouble(Bytes(instance.lhs));
  const double ctas = std::min(shares, at_once) * cluster;
  // An rhs in boxes of 64 columns is loaded in whole boxes. Rows beyond the end of an operand are
  // not loaded (TileBoxes in sm90/loaders.h).
  const bool in_boxes = instance.rhs_contracting == 0 && Bytes(instance.lhs) == 2;
  const double loaded_m = instance.lhs_contracting == 1 ? std::min(m, AsDouble(p.m)) : m;
  const double loaded_n =
      in_boxes ? AsDouble(CeilDiv(std::min(instance.tile_n, p.n), kBoxColumns) * kBoxColumns)
               : std::min(n, AsDouble(p.n));
  const double ctas_per_sm =
      std::clamp(ctas / AsDouble(chip.num_cus), 1.0, AsDouble(Sm90CtasPerSm(decomposition.form)));
  const int stages =
      Sm90Stages(decomposition.form, instance.tile_n,
                 Sm90RhsRows(instance.tile_n, !in_boxes, static_cast<int>(Bytes(instance.lhs))));
  // The model's times of a column's store were fitted to CTAs of 128 rows.
  constexpr double kStoredRows = 128;
  auto power = [&](double cycles) { return std::pow(cycles, model.norm); };
  const double busy = power(ctas_per_sm * m * n * k * element / 2 / model.macs_per_cycle) +
                      power(ctas_per_sm * (loaded_m + loaded_n) * k * element / model.sm_bytes) +
                      power(model.latency / stages);
  // A box of 128 bytes that straddles two cache lines of the L2 takes two reads. Then even
  // ping-pong does not hide the L2's time.
  auto reads = [&](int64_t line) {
    return line * Bytes(instance.lhs) % 128 == 0 ? 1.0 : model.straddle;
  };
  const double lhs_reads = reads(p.lhs_contracting == 1 ? p.k : p.m);
  const double rhs_reads = reads(p.rhs_contracting == 1 ? p.k
                                 : in_boxes             ? std::gcd(p.n, instance.tile_n)
                                                        : p.n);
  // The tiles that are computed at the same time are active_m rows and active_n columns of tiles.
  // Several CTAs read the same bytes in less time than different bytes.
  const double active = std::max(1.0, std::min(tiles, at_once / peers));
  const double active_m =
      std::min(AsDouble(CeilDiv(p.m, instance.tile_m)),
               std::max(active / AsDouble(CeilDiv(p.n, instance.tile_n)), std::sqrt(active)));
  const double active_n = std::max(1.0, active / active_m);
  const double from_l2 =
      power((loaded_m * lhs_reads * std::pow(active_n, -model.coalesced) / decomposition.cluster_n +
             loaded_n / cluster * rhs_reads * std::pow(active_m, -model.coalesced) /
                 decomposition.cluster_m) *
            k * element * ctas / model.l2_bytes);
  const bool multicasts = cluster > 1 || decomposition.cluster_m * decomposition.cluster_n > 1;
  const double waits = multicasts ? model.sharing : 0;
  const bool tma_loads_all = (TmaReadsLhs(p) || LhsInRegisters(instance)) && TmaReadsRhs(p);
  const double slower = (instance.transposed || peers > 1 ? model.peers_loop
                         : decomposition.cut_tiles        ? model.general_loop
                                                          : 1) *
                        (tma_loads_all ? 1 : model.element_load) *
                        (LhsInRegisters(instance) ? model.registers_loop : 1);
  const double per_k = waits + slower * std::pow(busy + from_l2, 1 / model.norm);
  // TMA cannot store rows that are no multiple of 16 bytes, so threads store their elements.
  const bool by_element = !instance.transposed && !TmaStoresOut(p);
  // Tiles whose columns do not fill boxes are stored from the registers, and nothing hides that.
  const bool unhidden =
      HasOnlyDenseForms(instance) && peers == 1 && !decomposition.ping_pong && !decomposition.fused;
  // TMA stores the accumulators without a cast.
  const bool wide = HasNoEpilogue(p) && Bytes(p.out_dtype) == 4 && !by_element;
  const double fused =
      (wide ? model.wide_per_column : model.fused_per_column) *
      (HasOnlyDenseForms(instance) && !HasShortEpilogue(p, instance) ? model.unboxed_epilogue : 1);
  const double store = ((by_element ? model.element_store : 0) + (decomposition.fused ? fused : 0) +
                        (unhidden ? model.unhidden_per_column : 0)) *
                       std::min(n, AsDouble(p.n)) * m / kStoredRows;
  const double tile = AsDouble(CeilDiv(tiles_k, decomposition.cluster_k)) * per_k + store;
  // The loads of a CTA's next tile begin before the current one ends. With peers or out^T each tile
  // has a CTA of its own.
  const double next_tile = instance.transposed || peers > 1 ? model.next_cta : model.next_tile;
  const bool in_lines = peers == 1 && StoresLines(p, instance);
  // Rows of a tile that do not end at a cache line of the L2 are stored in more transactions.
  const double stored_longer =
      (wide && decomposition.fused ? 1 + model.wide_waits * std::max(0.0, 1 - 128 / n) : 1) *
      (HasOnlyDenseForms(instance) && !in_lines ? 1 + model.unboxed_stores : 1);
  const double bytes =
      AsDouble(p.batch) *
      (AsDouble(p.m) * AsDouble(p.k) * element + AsDouble(p.k) * AsDouble(p.n) * element +
       AsDouble(p.m) * AsDouble(p.n) * AsDouble(Bytes(p.out_dtype)) * stored_longer);
  const double memory_bytes = chip.gb_per_s * 1e3 * model.memory_share / chip.mhz;  // a cycle
  // With more CTAs than multiprocessors the kernel uses less of the memory's bandwidth.
  const double crowding =
      instance.transposed || peers > 1
          ? 1 + model.crowding * std::max(0.0, ctas / AsDouble(chip.num_cus) - model.crowded)
          : 1;
  // The time of tiles that take `cycles` if the device's memory does not limit them.
  auto with_dram = [&](double cycles) {
    return std::pow(power(cycles) + power(crowding * bytes / memory_bytes), 1 / model.norm);
  };
  // What an epilogue adds to a store with peers. next_cta contains the store of 16-bit results by
  // kernels that store out row-major.
  const double per_epilogue = !decomposition.peers_epilogue || in_lines ? 0
                              : instance.transposed                     ? model.epilogue_per_row
                                                                        : model.epilogue_per_column;
  // The store of a row of out by kernels of out^T. In lines it takes so little that the fit found
  // no time for a row beside the fixed time.
  const double per_row = in_lines ? 0 : model.per_transposed_row * AsDouble(Bytes(p.out_dtype)) / 2;
  const double peers_store = (per_epilogue + (instance.transposed ? per_row : 0)) * n / peers;
  const double last =
      model.start + model.column_readers * std::log2(active_m) +
      model.row_readers * std::log2(active_n) + (decomposition.general ? model.general : 0) +
      (instance.transposed ? model.transposed_store : 0) +
      (instance.transposed || unhidden ? 0 : model.last_per_column) * n / peers + peers_store;
  const double rounds = std::ceil(shares / at_once);
  if (decomposition.ping_pong) {
    auto loop_with = [&](double l2) {
      return AsDouble(tiles_k) * (waits + std::pow(busy + l2 * from_l2, 1 / model.norm));
    };
    const double alone = rounds * loop_with(0);
    const bool straddles = lhs_reads * rhs_reads > 1;
    const double loop = loop_with(straddles ? 1 : alone / (alone + model.sustained));
    // In the time of two turns a warpgroup does one main loop and one epilogue.
    const double epilogue = (HasShortEpilogue(p, instance) ? model.last_per_column : fused) *
                            std::min(n, AsDouble(p.n));
    const double turn = std::max(loop, (loop + epilogue) / 2);
    const double turns = rounds * turn;
    // In narrow products several tiles read the same rows while these stream from the device's
    // memory. The limits were set by hand, together with turns_stream.
    constexpr int64_t kLongK = 16, kLeastTiles = 3, kMostTiles = 8;
    const int64_t side = std::min(CeilDiv(p.m, instance.tile_m), CeilDiv(p.n, instance.tile_n));
    const bool streams = tiles_k >= kLongK && side >= kLeastTiles && side <= kMostTiles;
    const double share = std::min(1.0, bytes / memory_bytes / turns);
    const double longer = 1 + (streams ? model.turns_stream * std::pow(share, 4) : 0);
    return last + with_dram(longer * turns + rounds * store);
  }
  if (!decomposition.cut_tiles) {
    // What a CTA does after its main loop delays the next CTA.
    const double exchange =
        peers > 1 ? (instance.transposed ? 0 : model.exchange) + model.per_peer * peers +
                        (SharesOutWarps(instance.tile_n) ? model.divided_warps * n * peers : 0) +
                        (m * n * 4 / model.exchanged_bytes - store) * (1 - 1 / peers)
                  : 0;
    return last + with_dram(rounds * tile + (rounds - 1) * (next_tile + peers_store)) + exchange;
  }
  const int64_t cut = decomposition.cut_tiles, parts = decomposition.num_shares;
  // The last workgroup to arrive at a tile adds up the partial sums of all its slices.
  const double slices = AsDouble(CeilDiv(parts, cut) + (parts % cut != 0));
  return last +
         with_dram(std::floor((tiles - AsDouble(cut)) / at_once) * (tile + next_tile) +
                   AsDouble(CeilDiv(cut * tiles_k, parts)) * per_k) +
         store + model.zeroing + m * n * 4 / model.partial_bytes * (1 + slices);
}

// A cost that is added to Cycles if lhs arrives in chunks, because some tiles fit the chunks badly:
// the cycles of the product computed part by part. A part is a chunk, or as many chunks as give
// every multiprocessor a tile.
double ChunkCycles(Problem p, const Chip& chip, const GpuInstance& instance, KernelForm form,
                   int64_t workgroups, const Sm90Model& model) {
  constexpr double kWeight = 0.25;  // chosen by hand: the whole product's time counts more
  const int64_t tiles_n = std::max<int64_t>(CeilDiv(p.n, instance.tile_n), 1);
  const int64_t rows = std::max(p.tiles_per_chunk, CeilDiv(workgroups, tiles_n)) * instance.tile_m;
  const double parts = std::max(1.0, AsDouble(p.m) / AsDouble(rows));
  p.m = std::min(p.m, rows);
  return kWeight * parts *
         Cycles(p, chip, instance, {.form = form, .workgroups = workgroups}, model);
}

}  // namespace

double Sm90Cycles(const Problem& p, const Chip& chip, const Plan& plan, const Sm90Model& model) {
  const Choice& c = plan.choice;
  const GpuInstance& instance = *plan.instance;
  const Problem typical = instance.transposed ? Transposed(TypicalGroup(p)) : TypicalGroup(p);
  const int64_t ctas = chip.num_cus * chip.waves_per_cu / instance.waves;
  const bool in_clusters = c.transposed || c.cluster_k > 1;
  const int64_t tiles = c.transposed ? c.cluster_m * c.cluster_n : 1;  // tiles of a cluster
  const int64_t at_once =
      in_clusters ? ClustersAtOnce(c.cluster_k * tiles, c.form, chip) * c.cluster_k * tiles : ctas;
  const bool grouped_vectors =
      p.grouped() && p.has_vectors() && !IsPingPong(c.form, instance.tile_n);
  Decomposition decomposition{
      .form = c.form,
      .workgroups = in_clusters ? at_once : c.num_workgroups,
      .cluster_k = c.cluster_k,
      .cluster_m = AsDouble(c.cluster_m),
      .cluster_n = AsDouble(c.cluster_n),
      .general =
          (c.form == KernelForm::kGeneral || c.form == KernelForm::kScaled) && c.cut_tiles == 0,
      .fused = c.form == KernelForm::kFused || grouped_vectors,
      .peers_epilogue = IsPeers(c.form) && !HasShortEpilogue(p, instance)};
  if (c.cluster_k == 1)
    decomposition.cut_tiles = c.cut_tiles, decomposition.num_shares = c.num_shares;
  decomposition.ping_pong =
      c.cluster_m * c.cluster_n > 1
          ? AlwaysPingPongs(c.form)
          : c.form != KernelForm::kGeneral && c.form != KernelForm::kScaled && !plan.stealing() &&
                p.tiles_per_chunk == 0 && c.cluster_k == 1 && c.cut_tiles == 0 &&
                PingPongs(typical, instance, NumTiles(typical, instance), at_once);
  double cycles = Cycles(typical, chip, instance, decomposition, model);
  if (p.tiles_per_chunk > 0) cycles += ChunkCycles(typical, chip, instance, c.form, at_once, model);
  return cycles;
}

}  // namespace jaxgemm
