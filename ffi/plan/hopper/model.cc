#include "plan/hopper/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/hopper/epilogue.h"
#include "plan/hopper/forms.h"
#include "plan/tiles.h"
#include "sm90/launch_args.h"

namespace jaxgemm {
namespace {

// How the output tiles are divided among the workgroups. cluster_k > 1: cluster_k CTAs compute each
// tile. cut_tiles > 0: stream-K cuts the last cut_tiles tiles into num_shares shares, with partial
// sums in the workspace. Else each workgroup (with ping_pong each of its two warpgroups) computes
// whole tiles.
struct Decomposition {
  KernelForm form;
  int64_t workgroups = 1;
  bool ping_pong = false;
  int64_t cluster_k = 1;
  double cluster_m = 1, cluster_n = 1;  // tiles of a cluster, which read the same operands
  double group_rows = 8;                // tile rows that are visited together, column by column
  int64_t cut_tiles = 0, num_shares = 0;
  // The general form, which takes model.general longer. False with stream-K, because model.zeroing
  // was fitted with that time in it.
  bool general = false;
  bool fused = false;           // an epilogue that no ping-pong hides
  bool peers_epilogue = false;  // peers, with an epilogue that is not short
};

double AsDouble(int64_t value) { return static_cast<double>(value); }

// The tile rows of a group: the mean of two numbers, that of groups of equal sizes and the expected
// one if sizes are uniform from a third to five thirds of the mean ("mild" of shapes.json). Few
// groups of a model end where a tile ends.
double RowsOfGroup(double size, double tile) {
  // The integral of the number of tile rows over sizes from 0 to x.
  auto integral = [&](double x) {
    const double whole = std::floor(x / tile);
    return tile * whole * (whole + 1) / 2 + (x - whole * tile) * (whole + 1);
  };
  const double least = size / 3, most = 5 * size / 3;
  const double expected = (integral(most) - integral(least)) / (most - least);
  return (std::ceil(size / tile) + expected) / 2;
}

// Predicts cycles. A CTA computes its tiles one after another, in rounds. A k tile takes a norm of
// four times: that of its wgmmas, that of the bytes that a CTA asks for, that of all CTAs' requests
// to the L2, and the latency of a load divided by the stages. CTAs that load operands for each
// other also wait in each k tile. All main loops and the stores between them take a norm of this
// and of the time in which the device's memory reads the operands and writes the result. The last
// store is not hidden and is added; each of a tile's peers stores a part of its columns. With
// ping-pong all other stores are hidden.
double Cycles(const Problem& p, const Chip& chip, const GpuInstance& instance,
              const Decomposition& decomposition, const Sm90Model& model) {
  const int64_t tiles_k = CeilDiv(p.k, instance.tile_k);
  const double cluster = AsDouble(Sm90Cluster(instance));
  const double m = AsDouble(instance.tile_m) / cluster;
  const double n = AsDouble(instance.tile_n), k = AsDouble(instance.tile_k);
  // How many rows of tiles there are; of a group the expected number.
  const double rows = p.ragged == Ragged::kM && p.m > 0
                          ? RowsOfGroup(AsDouble(p.m), AsDouble(instance.tile_m))
                          : std::max(1.0, AsDouble(CeilDiv(p.m, instance.tile_m)));
  const double columns = std::max(1.0, AsDouble(CeilDiv(p.n, instance.tile_n)));
  const double cluster_m = decomposition.cluster_m, cluster_n = decomposition.cluster_n;
  const double clusters_m = p.grouped() ? rows : std::ceil(rows / cluster_m);
  const double tiles = p.m * p.n == 0 ? 0
                                      : AsDouble(p.batch) * cluster_m * clusters_m * cluster_n *
                                            std::ceil(columns / cluster_n);
  const double at_once = AsDouble(decomposition.workgroups);
  const double peers = AsDouble(decomposition.cluster_k), shares = tiles * peers;
  const bool split = peers > 1;
  const double element = AsDouble(Bytes(instance.lhs));
  const double ctas = std::min(shares, at_once) * cluster;
  // Rows beyond the end of an operand are not loaded (TileBoxes in sm90/loaders.h).
  const bool in_boxes = instance.rhs_contracting == 0 && Bytes(instance.lhs) == 2;
  const double loaded_m = instance.lhs_contracting == 1 ? std::min(m, AsDouble(p.m)) : m;
  const double loaded_n = std::min(n, AsDouble(p.n));
  const double ctas_per_sm =
      std::clamp(ctas / AsDouble(chip.num_cus), 1.0, AsDouble(Sm90CtasPerSm(decomposition.form)));
  const bool rhs_in_registers = RhsInRegisters(instance, decomposition.form);
  const int stages =
      Sm90Stages(decomposition.form, CtaRows(instance.tile_m, instance.tile_n), instance.tile_n,
                 Sm90RhsRows(instance.tile_n, !in_boxes, static_cast<int>(Bytes(instance.lhs))),
                 StagesWholeTiles(rhs_in_registers, instance.lhs));
  // The model's times of a column's store were fitted to CTAs of 128 rows.
  constexpr double kStoredRows = 128;
  auto power = [&](double cycles) { return std::pow(cycles, model.norm); };
  auto root = [&](double powers) { return std::pow(powers, 1 / model.norm); };

  // The powers of a k tile's times without the L2's. Of an operand that several CTAs of a cluster
  // read, each of them asks for a part.
  const double asked_m = loaded_m / cluster_n, asked_n = loaded_n / cluster / cluster_m;
  const bool promotes = IsScaled(decomposition.form);
  const double wgmmas = ctas_per_sm * m * n * k * element / 2 / model.macs_per_cycle *
                        (promotes ? model.promotion : 1);
  const double busy = power(wgmmas) +
                      power(ctas_per_sm * (asked_m + asked_n) * k * element / model.sm_bytes) +
                      power(model.latency / stages);
  // A row of a box has 128 bytes. If it straddles two cache lines of the L2, it takes two requests.
  // Where lines are a multiple of `aligned` bytes, this fraction of the rows straddles.
  auto straddling = [&](int64_t line) {
    const int64_t aligned = std::gcd(line * Bytes(instance.lhs), int64_t{kBoxBytes});
    return 1 - AsDouble(aligned) / kBoxBytes;
  };
  const double lhs_straddles = straddling(p.lhs_contracting == 1 ? p.k : p.m);
  const double rhs_straddles = straddling(p.rhs_contracting == 1 ? p.k
                                          : in_boxes             ? std::gcd(p.n, instance.tile_n)
                                                                 : p.n);
  // The tiles that are computed at the same time are active_m rows and active_n columns of tiles.
  // Several CTAs read the same bytes in less time than different bytes.
  const double active = std::max(1.0, std::min(tiles, at_once / peers));
  const double active_m =
      std::min(AsDouble(CeilDiv(p.m, instance.tile_m)),
               std::max(active / AsDouble(CeilDiv(p.n, instance.tile_n)), std::sqrt(active)));
  // With a batch, tiles of other products are among them.
  const double active_n = std::clamp(active / active_m, 1.0, columns);
  auto requests = [&](double asked, double straddles, double readers) {
    return asked * (1 + model.straddle * straddles) * std::pow(readers, -model.coalesced);
  };
  // All CTAs work in the whole rounds, and the last one may have fewer CTAs.
  const double exact_rounds = std::max(1.0, shares / at_once), rounds = std::ceil(exact_rounds);
  const double whole_rounds = std::floor(exact_rounds), last_round = exact_rounds - whole_rounds;
  const double from_l2 = power(
      (requests(asked_m, lhs_straddles, active_n) + requests(asked_n, rhs_straddles, active_m)) *
      k * element * ctas / model.l2_bytes);
  const bool multicasts = cluster_m * cluster_n > 1;
  const double waits = (cluster > 1 ? model.sharing : 0) + (multicasts ? model.multicast : 0);
  const Tma tma(p);
  const bool tma_loads_all =
      (tma.reads_lhs || LhsInRegisters(instance)) && (tma.reads_rhs || rhs_in_registers);
  const double slower = (split                     ? model.peers_loop
                         : decomposition.cut_tiles ? model.general_loop
                                                   : 1) *
                        (tma_loads_all ? 1 : model.element_load) *
                        (LhsInRegisters(instance) ? model.registers_loop : 1) *
                        ((p.grouped() || promotes) && cluster > 1 ? model.pairs_loop : 1);
  // `share`: the fraction of the CTAs that ask the L2 at the same time.
  auto k_tile = [&](double share) { return waits + slower * root(busy + power(share) * from_l2); };

  // TMA cannot store rows that are no multiple of 16 bytes, so threads store their elements.
  const bool by_element = !instance.transposed && !tma.stores_out;
  // Tiles whose columns do not fill boxes are stored from the registers.
  const bool unboxed = HasOnlyDenseForms(instance);
  // TMA stores the accumulators without a cast.
  const bool has_32_bits = Bytes(p.out_dtype) == 4;
  const bool wide = (HasNoEpilogue(p) || p.accumulate) && has_32_bits && !by_element;
  const double plain = unboxed ? model.unboxed_per_column : model.store_per_column;
  const double fused = wide ? model.wide_per_column * (unboxed ? model.unboxed_wide : 1)
                       : HasNoEpilogue(p) ? plain
                       : p.grouped() && !IsGeneral(decomposition.form)
                           ? model.grouped_epilogue
                           : model.fused_per_column * (unboxed ? model.unboxed_epilogue : 1);
  const double elements = by_element ? model.element_store * std::min(n, AsDouble(p.n)) : 0;
  const bool whole_rows = !instance.transposed && !split;  // no CTA stores a part, or out^T
  const double store =
      whole_rows ? ((decomposition.fused ? fused : plain) * n + elements) * m / kStoredRows : 0;
  // The same with peers, or of out^T. What an epilogue adds is hidden nowhere.
  const bool in_lines = !split && StoresLines(p, instance);
  const double per_epilogue = !decomposition.peers_epilogue || in_lines ? 0
                              : instance.transposed                     ? model.epilogue_per_row
                                                                        : model.epilogue_per_column;
  const double per_row = in_lines      ? model.per_line_row
                         : has_32_bits ? model.wide_transposed_row
                                       : model.per_transposed_row;
  const double per_column = model.peers_per_column * (has_32_bits ? model.wide_peers : 1);
  const bool odd_rows = instance.transposed && !split && p.m % 8 != 0;
  const double peers_store =
      whole_rows
          ? 0
          : ((per_epilogue + (instance.transposed ? per_row : per_column)) * n + elements) / peers +
                (odd_rows ? model.odd_row * std::min(n, AsDouble(p.n)) : 0);
  // Between two tiles. The loads of a CTA's next tile begin before the current one ends. With peers
  // or out^T each tile has a CTA of its own.
  const double next = split                 ? model.next_cluster
                      : instance.transposed ? model.next_cta
                                            : model.next_tile + (unboxed ? model.next_unboxed : 0);

  // For each group of tile rows all of rhs is read.
  const double sweeps = std::ceil(rows / std::max(decomposition.group_rows, active / columns));
  const double bytes =
      AsDouble(p.batch) *
      (AsDouble(p.m) * AsDouble(p.k) * element + sweeps * AsDouble(p.k) * AsDouble(p.n) * element +
       AsDouble(p.m) * AsDouble(p.n) * AsDouble(Bytes(p.out_dtype)) * (p.accumulate ? 2 : 1));
  const double dram = bytes / (chip.gb_per_s * 1e3 * model.memory_share / chip.mhz);
  // The time of main loops that take `cycles` if the device's memory, which moves this fraction of
  // all bytes meanwhile, does not limit them.
  auto with_dram = [&](double cycles, double fraction) {
    return root(power(cycles) + power(fraction * dram));
  };
  // The time of all rounds. round(share) is that of one round, if this fraction of the CTAs works
  // in it, and `stores` what is added between the rounds. So a last round with few CTAs does not
  // use the whole bandwidth of the memory.
  auto all_rounds = [&](auto&& round, double stores) {
    const double whole = with_dram(whole_rounds * round(1) + stores, whole_rounds / exact_rounds);
    return last_round > 0 ? whole + with_dram(round(last_round), last_round / exact_rounds) : whole;
  };
  const double once =
      model.start + model.column_readers * std::log2(active_m) +
      model.row_readers * std::log2(active_n) + (decomposition.general ? model.general : 0) +
      (IsFused(decomposition.form) ? model.fused : 0) + (multicasts ? model.multicast_start : 0) +
      (instance.transposed ? model.transposed_store : 0);
  if (decomposition.ping_pong) {
    // In the time of two turns a warpgroup does one main loop and one epilogue.
    const double epilogue = (HasShortEpilogue(p, instance) ? model.store_per_column : fused) * n;
    auto turn = [&](double share) {
      const double loop = AsDouble(tiles_k) * k_tile(share);
      return std::max(loop, (loop + epilogue) / 2) + (unboxed ? model.unboxed_turn * n : 0) +
             elements * m / kStoredRows +
             (p.grouped() && p.has_vectors() ? model.grouped_turn * n : 0);
    };
    // With a batch several tiles read the same rows while these stream from the device's memory.
    // The limits were not fitted; they were set together with turns_stream.
    constexpr int64_t kLongK = 16, kLeastTiles = 3, kMostTiles = 8;
    const double side = std::min(rows, columns);
    const bool streams =
        p.batch > 1 && tiles_k >= kLongK && side >= kLeastTiles && side <= kMostTiles;
    const double of_memory = std::min(1.0, dram / (rounds * turn(1)));
    const double longer = 1 + (streams ? model.turns_stream * std::pow(of_memory, 4) : 0);
    return once + plain * n + all_rounds([&](double share) { return longer * turn(share); }, 0) +
           (rounds - 1) * model.next_turn;
  }
  const double share_k = AsDouble(CeilDiv(tiles_k, decomposition.cluster_k));
  if (!decomposition.cut_tiles) {
    // What a CTA does after its main loop delays the next CTA.
    const double exchange =
        split ? (instance.transposed ? 0 : model.exchange) + model.per_peer * peers * peers +
                    (SharesOutWarps(instance.tile_n) ? model.divided_warps * n * peers : 0) +
                    m * n * 4 / model.exchanged_bytes * (1 - 1 / peers)
              : 0;
    // The memory also stores. But nothing is loaded while one cluster ends and the next one begins.
    const double stores = (rounds - 1) * (split ? 0 : store + peers_store);
    const double between = (rounds - 1) * (next + (split ? peers_store : 0));
    return once + all_rounds([&](double share) { return share_k * k_tile(share); }, stores) +
           between + store + peers_store + exchange;
  }
  const int64_t cut = decomposition.cut_tiles, parts = decomposition.num_shares;
  // The last workgroup to arrive at a tile adds up the partial sums of all its slices.
  const double slices = AsDouble(CeilDiv(parts, cut) + (parts % cut != 0));
  const double loops =
      std::floor((tiles - AsDouble(cut)) / at_once) * (share_k * k_tile(1) + next + store) +
      AsDouble(CeilDiv(cut * tiles_k, parts)) * k_tile(1);
  return once + with_dram(loops, 1) + store + model.zeroing +
         m * n * 4 / model.partial_bytes * (1 + slices);
}

// A cost that is added to Cycles if lhs arrives in chunks, because some tiles fit the chunks badly:
// the cycles of the product computed part by part. A part is a chunk, or as many chunks as give
// every multiprocessor a tile.
double ChunkCycles(Problem p, const Chip& chip, const GpuInstance& instance, KernelForm form,
                   int64_t workgroups, const Sm90Model& model) {
  constexpr double kWeight = 0.25;  // not fitted: the whole product's time counts more
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
  const int64_t ctas = CtasAtOnce(instance, chip);
  const bool in_clusters = c.transposed || c.cluster_k > 1;
  const int64_t tiles = c.transposed ? c.cluster_m * c.cluster_n : 1;  // tiles of a cluster
  const int64_t at_once =
      in_clusters ? ClustersAtOnce(c.cluster_k * tiles, c.form, chip) * c.cluster_k * tiles : ctas;
  const bool takes_any = IsGeneral(c.form) || IsScaled(c.form);
  const bool grouped_vectors =
      p.grouped() && p.has_vectors() && !IsPingPong(c.form, instance.tile_n);
  Decomposition decomposition{
      .form = c.form,
      .workgroups = in_clusters ? at_once : c.num_workgroups,
      .cluster_k = c.cluster_k,
      .cluster_m = AsDouble(c.cluster_m),
      .cluster_n = AsDouble(c.cluster_n),
      .group_rows = AsDouble(ClusterGrid(plan).group_m * c.cluster_m),
      .general = takes_any && c.cut_tiles == 0,
      .fused = (NeverPingPongs(c.form) && StoreOf(c.form) != FormStore::kAny && !IsPlain(c.form)) ||
               grouped_vectors,
      .peers_epilogue = IsPeers(c.form) && !HasShortEpilogue(p, instance)};
  if (c.cluster_k == 1)
    decomposition.cut_tiles = c.cut_tiles, decomposition.num_shares = c.num_shares;
  decomposition.ping_pong =
      !in_clusters && !takes_any && !plan.stealing() && p.tiles_per_chunk == 0 &&
      c.cut_tiles == 0 &&
      (IsGrouped(c.form)
           ? IsPingPong(c.form, instance.tile_n) &&
                 typical.k >= kPingPongKTiles * instance.tile_k &&
                 NumTiles(typical, instance) > AsDouble(at_once)
           : PingPongs(typical, Tma(typical), instance, NumTiles(typical, instance), at_once));
  double cycles = Cycles(typical, chip, instance, decomposition, model);
  if (p.tiles_per_chunk > 0) cycles += ChunkCycles(typical, chip, instance, c.form, at_once, model);
  return cycles;
}

}  // namespace jaxgemm
