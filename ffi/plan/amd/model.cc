// The model by which the plan ranks the candidates on AMD GPUs. Its constants are in
// model.def.
#include "plan/amd/model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "amdgpu/plain_product.h"
#include "plan/amd/path.h"
#include "plan/tiles.h"

namespace jaxgemm {
namespace {

struct Model {
#define JAXGEMM_AMD_MODEL(name, gfx942, gfx950, gfx90a, unit, source) double name;
#include "plan/amd/model.def"
};
constexpr Model kGfx942 = {
#define JAXGEMM_AMD_MODEL(name, gfx942, gfx950, gfx90a, unit, source) .name = gfx942,
#include "plan/amd/model.def"
};
constexpr Model kGfx950 = {
#define JAXGEMM_AMD_MODEL(name, gfx942, gfx950, gfx90a, unit, source) .name = gfx950,
#include "plan/amd/model.def"
};
constexpr Model kGfx90a = {
#define JAXGEMM_AMD_MODEL(name, gfx942, gfx950, gfx90a, unit, source) .name = gfx90a,
#include "plan/amd/model.def"
};

double AsDouble(int64_t value) { return static_cast<double>(value); }

// What a chip reaches under load.
struct Reached {
  std::string_view chip;
  double mhz, memory_share;
};
constexpr Reached kReached[] = {
#define JAXGEMM_AMD_REACHED(chip, mhz, memory_share) {chip, mhz, memory_share},
#include "plan/amd/model.def"
};

// A partition's name has more words than its chip's. Chips that are not listed are taken to reach
// the same fractions as the target's first one.
Reached ReachedBy(const Chip& chip) {
  for (const Reached& each : kReached) {
    if (chip.name.substr(0, chip.name.find(' ')) == each.chip) return each;
  }
  std::string error;
  const Chip first = FirstChip(chip.target, &error);
  Reached found = *std::ranges::find(kReached, first.name, &Reached::chip);
  found.mhz *= chip.mhz / first.mhz;
  return found;
}

// A partition of a chip has the same fraction of the Infinity Cache's bandwidth as of the memory's.
struct Machine {
  Reached reached;
  double memory_bytes, cache_bytes;  // bytes per cycle at the peak frequency, for all CUs together

  Machine(const Chip& chip, const Model& model) : reached(ReachedBy(chip)) {
    std::string error;
    const double part = std::min(1.0, chip.gb_per_s / FirstChip(chip.target, &error).gb_per_s);
    memory_bytes = chip.gb_per_s * 1e3 * reached.memory_share / chip.mhz;
    cache_bytes = part * model.cache_gb_per_s * 1e3 / chip.mhz;
  }
};

const Model& ModelOf(const Chip& chip) {
  return chip.target == "gfx950" ? kGfx950 : chip.target == "gfx90a" ? kGfx90a : kGfx942;
}

// Groups of equal size; `batch` counts them. Of groups along m there are no more than rows, because
// empty ones have no tiles.
Problem EqualGroups(const Problem& p) {
  Problem equal = TypicalGroup(p);
  if (p.ragged == Ragged::kM) {
    const int64_t groups = std::clamp<int64_t>(p.local_groups, 1, std::max<int64_t>(p.m, 1));
    equal.m = CeilDiv(p.m, groups);
    equal.batch = p.batch * groups;
  }
  return equal;
}

// Predicts the time of a plan, of a grouped problem that of EqualGroups.
class Prediction {
 public:
  Prediction(const Problem& p, const Chip& chip, const Plan& plan)
      : p_(EqualGroups(p)),
        chip_(chip),
        plan_(plan),
        tile_(*plan.instance),
        model_(ModelOf(chip)),
        machine_(chip, model_),
        tiles_(NumTiles(p_, tile_)),
        finds_tiles_(p.grouped() && plan.choice.path == KernelPath::kOneTile),
        k_tiles_(LoadsByElement(p_, tile_) ? AsDouble(CeilDiv(p_.k, tile_.tile_k))
                                           : AsDouble(CeilDiv(p_.k, tile_.tile_k / tile_.waves_k)) /
                                                 AsDouble(tile_.waves_k)) {}

  // `slower` is a factor on the time of a CU that does not depend on the memory's bandwidth.
  AmdgpuTime Time(double slower = 1) const {
    const double cycles = CuCycles();
    AmdgpuTime time;
    time.launch = model_.launch_us + (plan_.zeroed_bytes > 0 ? model_.zeroing_us : 0);
    time.activity = std::min(1.0, ActiveCycles() / cycles);
    time.mhz = Megahertz(time.activity);
    time.cus = slower * cycles / time.mhz;
    time.memory = MemoryBytes() / machine_.memory_bytes / chip_.mhz;
    time.kernel = model_.ramp_us + Norm({time.cus, time.memory}, model_.memory_norm);
    return time;
  }

 private:
  // The cycles of a CU, if the memory had the bandwidth of the Infinity Cache.
  double CuCycles() const {
    const Choice& c = plan_.choice;
    const double workgroups = AsDouble(std::min(c.num_workgroups, AtOnce(tile_, chip_)));
    const auto [cut, shares] = Cut(workgroups);
    const double whole = tiles_ - cut, peers = cut > 0 ? shares / cut : 1;
    const double loaded = tiles_ * LoadedBytes(k_tiles_);
    const double latency =
        model_.cache_latency + (model_.memory_latency - model_.cache_latency) *
                                   std::min(1.0, MemoryBytes() / std::max(loaded, 1.0));
    if (IsShortK()) return ShortKCycles();
    if (tile_.for_few_rows() && RunsAsOneTile(p_, plan_)) return OneRowCycles();
    double cycles = 0;
    if (whole > 0) {
      // All rounds but the last are full. In the last one fewer workgroups share a CU.
      const double full =
          cut > 0 ? std::floor(whole / workgroups) : std::ceil(whole / workgroups) - 1;
      // In full rounds the workgroups that share a CU hide each other's epilogues.
      cycles +=
          full * (k_tiles_ * KTileCycles(workgroups, 1, latency) + StartCycles() + StoreCycles(1));
      // After each of them other workgroups start if each has one tile.
      if (c.num_workgroups > AtOnce(tile_, chip_)) cycles += full * model_.next_workgroup;
      if (cut == 0) {
        const double last = whole - full * workgroups;
        cycles +=
            k_tiles_ * KTileCycles(last, 1, latency) + StartCycles() + StoreCycles(OnCu(last));
      }
    }
    if (cut > 0) {
      // This is the linear reduction: the last workgroup to arrive at a tile adds up the partial
      // sums of all its peers. The tree and the atomic one are predicted in the same way.
      const double slices = std::ceil(peers) + (std::fmod(shares, cut) > 0 ? 1 : 0);
      cycles += StartCycles() + std::ceil(cut * std::ceil(k_tiles_) / shares) *
                                    KTileCycles(std::min(shares, workgroups), peers, latency);
      cycles += model_.arrival + SumCycles(slices) + StoreCycles(1);
      if (!RunsAsOneTile(p_, plan_)) cycles += model_.claimed_share;
    }
    if (finds_tiles_) {
      // Workgroups that find no tile.
      cycles += std::max(0.0, AsDouble(c.num_workgroups) - tiles_) /
                AsDouble(AtOnce(tile_, chip_)) * (model_.find_tile + model_.next_workgroup);
    } else if (!RunsAsOneTile(p_, plan_)) {
      cycles += model_.first_claim;
      if (p_.grouped()) cycles += model_.count_groups * GroupPasses();
    }
    if (plan_.stealing()) {
      // A workgroup looks at the counter of every queue before it ends, with a lane for each.
      cycles += model_.steal * std::ceil(whole / workgroups) +
                model_.look * AsDouble(CeilDiv(plan_.choice.num_queues, 64));
    }
    return cycles;
  }
  // ShortK (amdgpu/short_k.h): waves of 16 x 32 divide the tile, and each loads all of its k at
  // once.
  bool IsShortK() const {
    return tile_.waves_k > 1 && HasShortK(static_cast<int>(Bytes(tile_.lhs))) &&
           plan_.choice.cut_tiles == 0 && RunsAsOneTile(p_, plan_) && IsOnlyStored() &&
           p_.k * Bytes(tile_.lhs) <=
               kRowBytes * MostShortKTiles(p_.lhs_contracting == 1, p_.rhs_contracting == 1);
  }
  double ShortKCycles() const {
    const double waves = AsDouble(tile_.tile_m / 16 * (tile_.tile_n / 32));
    const double k_tiles = AsDouble(CeilDiv(p_.k * Bytes(tile_.lhs), kRowBytes));
    const double loads = waves * (16 + 32) * kRowBytes / model_.to_registers;
    auto of_round = [&](double tiles) {
      return model_.short_k + k_tiles * (OnCu(tiles) * loads + model_.short_k_tile);
    };
    const double at_once = AsDouble(AtOnce(tile_, chip_)), full = std::ceil(tiles_ / at_once) - 1;
    return full * (of_round(at_once) + model_.next_workgroup) + of_round(tiles_ - full * at_once);
  }
  // RunOneTile (amdgpu/gemm.h). Nothing hides the time before a workgroup's first loads and after
  // its last ones. Between them its waves keep enough k tiles in flight to hide the latency.
  double OneRowCycles() const {
    const double cus = AsDouble(chip_.num_cus), l2 = L2Bytes(cus), past_l2 = PastL2Bytes(cus);
    // If rhs is not k-contiguous, a tile has half of each 128 bytes (a cache line) that it loads of
    // rhs, so two workgroups load each of them.
    const double lines = ColumnsLoaded() * (tile_.rhs_contracting == 1 ? 1 : 2) + RowsLoaded();
    const double of_k = kRowBytes * AsDouble(tile_.waves_k) * k_tiles_;
    const double on_cu = std::max(1.0, tiles_ / cus);
    const double loads = on_cu * std::max(lines / l2, ColumnsLoaded() / past_l2) * of_k;
    return model_.one_row + loads;
  }
  // The bytes a cycle from the L2, and from behind it, to each of `busy` CUs.
  double L2Bytes(double busy) const {
    return std::min(model_.cu_bytes, model_.l2_bytes * AsDouble(chip_.num_xcds) / busy);
  }
  double PastL2Bytes(double busy) const {
    return std::min(model_.cu_bytes, machine_.cache_bytes / busy);
  }
  static double Norm(std::initializer_list<double> times, double exponent) {
    double sum = 0;
    for (double time : times) sum += std::pow(time, exponent);
    return std::pow(sum, 1 / exponent);
  }

  // LoadedBytes: the bytes that a tile loads in `k_tiles` k tiles. Rows and columns beyond the end
  // of out are not loaded.
  double RowsLoaded() const { return AsDouble(std::min(p_.m, tile_.tile_m)); }
  double ColumnsLoaded() const { return AsDouble(std::min(p_.n, tile_.tile_n)); }
  double LoadedBytes(double k_tiles) const {
    return (RowsLoaded() + ColumnsLoaded()) * kRowBytes * AsDouble(tile_.waves_k) * k_tiles;
  }
  // The same with the rest of the cache lines of rhs that a tile loads a part of. This counts only
  // in tiles whose waves divide k. A gated tile has two parts of each k.
  double LineBytes(double k_tiles) const {
    const double part = AsDouble(tile_.tile_n * Bytes(tile_.lhs)) / (p_.gated ? 2 : 1);
    const bool whole = tile_.waves_k == 1 || tile_.rhs_contracting == 1;
    const double rest = whole ? 1 : std::max(1.0, kRowBytes / part);
    return (RowsLoaded() + ColumnsLoaded() * rest) * kRowBytes * AsDouble(tile_.waves_k) * k_tiles;
  }
  // The memory reads each operand once for each batch, and writes the result.
  double MemoryBytes() const {
    const double m = AsDouble(p_.m), n = AsDouble(p_.n), k = AsDouble(p_.k);
    return AsDouble(p_.batch) *
           ((m + n) * k * AsDouble(Bytes(tile_.lhs)) / PackedElements(tile_.lhs) +
            m * n * AsDouble(Bytes(p_.out_dtype)));
  }
  // The cycles in which a CU's arithmetic pipes work, if all CUs had equally much to do. In a tile
  // beyond the end of out they multiply zeros, which takes little power.
  double ActiveCycles() const {
    const double part = AsDouble(p_.m) * AsDouble(p_.n) / Elements() * AsDouble(p_.batch);
    return part * k_tiles_ * (MatrixCycles() + ScalesCycles()) / AsDouble(chip_.num_cus);
  }
  // A kernel that leaves the pipes idle for longer needs less power, so the chip runs faster.
  double Megahertz(double activity) const {
    const double faster = std::pow(model_.sustained_share / activity, 1 / model_.power_exponent);
    return std::min(chip_.mhz, machine_.reached.mhz * faster);
  }

  // The fraction of the loaded bytes that are not in the XCD's L2. The XCD's CUs compute a block of
  // neighbouring tiles at a time, and `peers` workgroups share each tile.
  double Misses(double workgroups, double peers) const {
    const double block = std::max(1.0, std::ceil(workgroups / AsDouble(chip_.num_xcds) / peers));
    const double rows = AsDouble(CeilDiv(p_.m, tile_.tile_m));
    const double columns = AsDouble(CeilDiv(p_.n, tile_.tile_n));
    const double high = std::max(1.0, std::min({AsDouble(plan_.grid.group_m), rows, block}));
    const double wide = std::max(1.0, std::min(std::ceil(block / high), columns));
    const double fetched = high * RowsLoaded() + wide * ColumnsLoaded();
    return std::min(1.0,
                    fetched / (std::min(block, high * wide) * (RowsLoaded() + ColumnsLoaded())));
  }

  // The cycles of a workgroup's matrix instructions for a k tile.
  double MatrixCycles() const {
    // Kernels that convert OCP's e5m2 multiply it by the instructions for float16
    // (amdgpu/gfx942/ocp_float8.h).
    const bool as_float16 =
        Converts(tile_) && (tile_.lhs == DType::kF8E5M2 || tile_.rhs == DType::kF8E5M2);
    const auto bytes = as_float16 ? 2 : static_cast<int>(Bytes(tile_.lhs));
    const double macs = bytes == 4   ? model_.macs_32
                        : bytes == 2 ? model_.macs_16
                                     : model_.macs_8 * PackedElements(tile_.lhs);
    return AsDouble(tile_.tile_m * tile_.tile_n * tile_.tile_k) / macs;
  }

  // The cycles in which each workgroup on a CU computes one k tile. They are a norm of three times:
  // that of the matrix instructions, that of the CU's loads (all from the L2, and at the same time
  // where it misses from the Infinity Cache), and the latency of one load.
  double KTileCycles(double workgroups, double peers, double latency) const {
    const double on_cu = OnCu(workgroups);
    // Kernels whose waves divide k use all of the bandwidth that the clock gives a CU: its equal
    // share of the chip's, also where other CUs are idle.
    const double cus = AsDouble(chip_.num_cus);
    const double busy = tile_.waves_k > 1 ? cus : std::min(cus, workgroups);
    const double matrix = on_cu * MatrixCycles();
    if (LoadsByElement(p_, tile_)) {
      // A workgroup's own matrix instructions do not hide these loads.
      const int64_t vecs = 8 * tile_.waves_k;
      const double waves = on_cu * AsDouble(tile_.waves) / 4;  // of a SIMD
      const double of_vec = tile_.waves_k > 1 ? waves * model_.element_issue : model_.element_loads;
      return matrix + of_vec * (std::ceil(AsDouble(tile_.tile_m * vecs) / Threads()) +
                                std::ceil(AsDouble(tile_.tile_n * vecs) / Threads()));
    }
    const double misses = Misses(workgroups, peers);
    const double l2 =
        std::min(L2Bytes(busy), tile_.waves_k > 1 ? model_.to_registers : model_.cu_bytes);
    const double loads = std::max(LineBytes(1) / l2, LoadedBytes(1) * misses / PastL2Bytes(busy));
    if (tile_.tile_m == 128 && tile_.tile_n == 128) latency += model_.more_128x128;
    if (tile_.tile_m == 128 && tile_.tile_n == 256) latency += model_.more_128x256;
    if (IsScaled()) latency += model_.scaled_latency;
    return Norm({matrix, on_cu * loads, latency / (tile_.waves_k > 1 ? model_.ahead : 1)},
                model_.norm) +
           on_cu * ScalesCycles();
  }
  // Kernels with scales of blocks multiply the sums of each k tile by them, with vector
  // instructions. The matrix instruction applies those of the MX formats.
  bool IsScaled() const { return p_.scales_form() == FormFor(FormWork::kScaled); }
  double ScalesCycles() const { return IsScaled() ? Elements() * model_.scaled_element : 0; }

  // The workgroups on each CU, if `workgroups` of them run at the same time.
  double OnCu(double workgroups) const {
    const double resident = AsDouble(std::max<int64_t>(1, WorkgroupsOnCu(tile_, chip_)));
    return std::clamp(std::ceil(workgroups / AsDouble(chip_.num_cus)), 1.0, resident);
  }
  double Threads() const { return AsDouble(tile_.waves) * 64; }
  double Elements() const { return AsDouble(tile_.tile_m * tile_.tile_n); }
  // The cycles of a workgroup beside those of its k tiles and its epilogue.
  double StartCycles() const {
    return model_.start + (tile_.waves_k > 1 ? model_.add_waves : 0) +
           (RunsAsOneTile(p_, plan_) ? 0
            : finds_tiles_           ? model_.find_tile
                                     : ClaimCycles());
  }
  // The number of cut tiles, and of their shares. Tiles of groups are cut by the kernel
  // (GroupedMap::CountTiles).
  std::pair<double, double> Cut(double workgroups) const {
    const Choice& c = plan_.choice;
    if (!p_.grouped()) return {AsDouble(c.cut_tiles), AsDouble(c.num_shares)};
    const double rest = tiles_ < workgroups ? tiles_ : std::fmod(tiles_, workgroups);
    const double shares = std::min(AsDouble(c.num_shares), rest * std::ceil(k_tiles_));
    if (rest == 0 || shares < 2 * rest) return {0, 0};
    return {rest, shares};
  }
  // A wave looks at the sizes of so many groups at a time.
  double GroupPasses() const { return AsDouble(CeilDiv(p_.groups + 2, 64)); }
  double ClaimCycles() const {
    return model_.claim + (p_.grouped() ? model_.seek_group * (GroupPasses() - 1) : 0);
  }
  // Whether the epilogue only casts and stores the accumulators, in 16 bits. If a workgroup claims
  // shares, the accumulators of all shares stay in the memory. What is left of the condition is
  // that of StoresVectors (amdgpu/vector_epilogue.h).
  bool IsOnlyStored() const {
    const bool in_memory = plan_.choice.num_shares > 0 && !RunsAsOneTile(p_, plan_);
    return IsOnlyRounded(Bytes(p_.out_dtype) == 2 ? 1 : 0, in_memory, p_.has_vectors(),
                         p_.activation) &&
           !p_.gated && !p_.save_preact && !p_.accumulate && p_.n % 8 == 0;
  }
  // The cycles of the epilogues of `on_cu` workgroups of a CU.
  double StoreCycles(double on_cu) const {
    if (IsOnlyStored()) return on_cu * Elements() * model_.half_store;
    return on_cu * Elements() * model_.element_store + model_.other_store;
  }
  double SumBytes() const { return Elements() * 4; }
  // A workgroup writes its partial sums. The last one loads those of all slices, which are not in
  // its L2, and writes their total.
  double SumCycles(double slices) const {
    const double rounds = std::ceil(Elements() / Threads() / 4 / model_.rows_at_once);
    const double bytes = PastL2Bytes(AsDouble(chip_.num_cus));
    return slices * std::max(SumBytes() / bytes, rounds * model_.cache_latency) +
           2 * SumBytes() / model_.publish_bytes;
  }

  const Problem p_;
  const Chip& chip_;
  const Plan& plan_;
  const GpuInstance& tile_;
  const Model& model_;
  const Machine machine_;
  const double tiles_;
  const bool finds_tiles_;  // FindsTilesOfGroups
  // Where waves divide k, each has a part of a k tile, and there may be less than a whole one. If
  // they load by element, the last one takes as long as a whole one.
  const double k_tiles_;
};

}  // namespace

double CutMargin(const Problem&, const Chip& chip, const Plan& plan) {
  return plan.choice.num_shares > 0 ? ModelOf(chip).cut_margin : 1;
}

double StrideMargin(const Problem& p, const Chip& chip, const Plan& plan) {
  const Prediction prediction(p, chip, plan);
  return prediction.Time(ModelOf(chip).stride_margin).total() / prediction.Time().total();
}

AmdgpuTime PredictAmdgpu(const Problem& p, const Chip& chip, const Plan& plan) {
  return Prediction(p, chip, plan).Time();
}

double AmdgpuCost(const Problem& p, const Chip& chip, const Plan& plan) {
  return PredictAmdgpu(p, chip, plan).total();
}

}  // namespace jaxgemm
