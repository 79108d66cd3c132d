// Tests Hopper's kernels on stand-ins for its instructions (hopper/machine.h): the launcher, the
// forms of the kernels, and their barriers, with random problems for some instances.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "hopper/cases.h"
#include "plan/hopper/tma.h"

namespace jaxgemm {
namespace {

// Random problems for one instance, of about two by two tiles.
template <DType lhs, DType rhs, int tile_m, int tile_n, bool lhs_k, bool rhs_k>
void RunInstance(GpuLauncher& launcher, int rounds) {
  const std::string name = Add<lhs, rhs, tile_m, tile_n, lhs_k, rhs_k>();
  constexpr int kBytes = ElementBytes(lhs), kTileK = kBoxBytes / kBytes, kNeighbours = 16 / kBytes;
  constexpr bool kInteger = lhs == DType::kS8;
  constexpr bool kHasPlain = HasForm(KernelForm::kPlain, lhs, tile_m, tile_n, lhs_k, rhs_k, false);
  constexpr bool kHasPingPong =
      HasForm(KernelForm::kPingPong, lhs, tile_m, tile_n, lhs_k, rhs_k, false);
  constexpr bool kHasPeers = HasForm(KernelForm::kPeers, lhs, tile_m, tile_n, lhs_k, rhs_k, false);
  const DType sums_type = kInteger ? DType::kS32 : DType::kF32;
  for (int round = 0; round < rounds; ++round) {
    // A random row length that TMA can read; if `any`, also other lengths.
    auto some = [&](int64_t least, int64_t most, bool any = false) {
      return any ? Random(least, most) : (Random(least, most) + 7) / kNeighbours * kNeighbours;
    };
    auto problem = [&](bool any) {
      return Problem{.m = some(tile_m / 2, 2 * tile_m + 30, any),
                     .n = some(tile_n / 2, 2 * tile_n + 30, any),
                     .k = some(3 * kTileK + 1, 6 * kTileK, any),
                     .lhs_dtype = lhs,
                     .rhs_dtype = rhs,
                     .out_dtype = kHasPlain ? PlainOut(lhs) : sums_type,
                     .lhs_contracting = lhs_k,
                     .rhs_contracting = rhs_k};
    };
    auto num_tiles = [](const Problem& p) {
      return p.batch * ((p.m + tile_m - 1) / tile_m) * ((p.n + tile_n - 1) / tile_n);
    };
    Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    // The form for products with an epilogue, if TMA can load the operands.
    auto fused_form = [&](const Problem& p) {
      const bool has = HasForm(KernelForm::kFused, lhs, tile_m, tile_n, lhs_k, rhs_k, false) &&
                       Tma(p).reads_both();
      constexpr KernelForm kTurns = KernelForm::kFusedPingPong;
      const bool stores = !HasOnlyVectors(kTurns, lhs, tile_n) ||
                          (p.activation == Activation::kNone && p.out_dtype == PlainOut(lhs) &&
                           p.n * ElementBytes(p.out_dtype) % 16 == 0);
      const bool turns = HasForm(kTurns, lhs, tile_m, tile_n, lhs_k, rhs_k, false) && stores &&
                         p.k > 3 * kTileK && num_tiles(p) > config.num_workgroups;
      return !has ? "" : turns ? "_fused_pingpong" : "_fused";
    };
    const std::string claimed = kHasPlain ? "_claimed" : "";
    auto if_there = [](KernelForm form, const char* suffix) -> std::string {
      return HasForm(form, lhs, tile_m, tile_n, lhs_k, rhs_k, false) ? suffix : "";
    };
    const std::string grouped_wide = if_there(KernelForm::kGroupedWide, "_grouped_wide");
    const std::string grouped_form = kHasPlain ? "_grouped" : grouped_wide;

    Problem batched = problem(false);
    batched.batch = 2, batched.lhs_batched = true, batched.rhs_batched = round % 2;
    const bool turns = kHasPingPong && num_tiles(batched) > config.num_workgroups;
    Run(launcher, {batched, config,
                   !kHasPlain ? fused_form(batched)
                   : turns    ? "_pingpong"
                              : "_plain"});
    if (kHasPlain) {
      Run(launcher, {problem(false), config, "", {}, false, /*misplaced=*/true});
      Problem few = problem(false);
      few.k = some(1, 2 * kTileK);
      Run(launcher, {few, config, "_plain"});
    }
    Problem odd = problem(true);
    odd.out_dtype = sums_type;
    Run(launcher, {odd, config, fused_form(odd)});
    // Every epilogue and every type of out, with rows that TMA could store and with others.
    const std::vector<DType> types =
        kInteger ? std::vector{DType::kS32, DType::kS8, DType::kF32, DType::kBF16}
                 : std::vector{DType::kF32, DType::kBF16, DType::kF16, DType::kF8E4M3FN};
    for (DType type : types) {
      Problem more = problem(false);
      more.out_dtype = type, more.bias = true;
      if (rhs_k) more.n -= Random(0, 7);
      if (round % 2) more.k = some(1, 3 * kTileK);
      if (type == types[round % 4]) more.batch = 2, more.lhs_batched = true;
      if (!IsInteger(type)) {
        more.scale = Random(0, 1), more.row_scale = Random(0, 1);
        more.activation = static_cast<Activation>(Random(0, 3));
        more.save_preact = more.activation != Activation::kNone && Random(0, 1);
        more.bias_bf16 = Random(0, 1);
      }
      Run(launcher, {more, config, fused_form(more), {}, /*one_scale=*/Random(0, 1) == 1});
    }
    if (kBytes == 1 && !kInteger) {
      Problem scaled = problem(false);
      scaled.scale = Random(0, 1), scaled.row_scale = true, scaled.bias = true;
      Run(launcher, {scaled, config, fused_form(scaled), {}, /*one_scale=*/Random(0, 1) == 1});
    }
    Config other = config;
    other.schedule = Schedule::kWorkStealing;
    Run(launcher, {problem(false), other, claimed});
    other.schedule = Schedule::kStreamK;
    other.reduction = static_cast<Reduction>(Random(0, 2));
    other.num_workgroups = 3;
    Problem cut = problem(false);
    cut.m = 2 * tile_m, cut.n = 2 * tile_n;  // four tiles for three CTAs
    Run(launcher, {cut, other, ""});
    if (kHasPeers) {
      const int64_t peers = Random(2, 3);
      Problem shared = problem(round % 2);
      shared.out_dtype = round % 2 ? sums_type : shared.out_dtype;
      const int64_t tiles = num_tiles(shared);
      Config config{.schedule = Schedule::kStreamK,
                    .num_workgroups = tiles * peers,
                    .num_shares = tiles * peers,
                    .kernel = name};
      Run(launcher, {shared, config, "_peers"});
      // Here clusters compute more than one tile.
      shared.m = 2 * tile_m, shared.n = 2 * tile_n;
      config.num_workgroups = config.num_shares = 4 * peers;
      Run(launcher, {shared, config, "_peers"});
    }
    Problem chunked = problem(false);
    chunked.tiles_per_chunk = 1, chunked.timeout_ns = 1'000'000'000;
    chunked.num_chunks = (chunked.m + tile_m - 1) / tile_m;
    Run(launcher, {chunked, config, claimed});
    chunked.bias = !kInteger;
    Run(launcher, {chunked, config, kInteger ? claimed : ""});

    // There are a small group, an empty one, and rows that belong to no group.
    Problem grouped = problem(false);
    grouped.ragged = Ragged::kM, grouped.rhs_batched = true;
    grouped.groups = grouped.local_groups = 4;
    if (round % 2) grouped.k = some(1, 2 * kTileK);
    std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, grouped.m / 2)), 0,
                               static_cast<int32_t>(Random(1, 20)),
                               static_cast<int32_t>(Random(0, grouped.m / 3))};
    if (!lhs_k) grouped.m = (grouped.m + 15) / 16 * 16;
    // If the rows of lhs are along its lines, a group may begin where no box of TMA can.
    Run(launcher, {grouped, config, lhs_k ? grouped_form : "", sizes});
    if (!kInteger) {
      Problem wide = grouped;
      wide.out_dtype = DType::kF32;
      Run(launcher, {wide, config, lhs_k ? grouped_wide : "", sizes});
      const std::string with_vectors =
          !lhs_k ? ""
          : HasOnlyVectors(KernelForm::kGrouped, lhs, tile_n)
              ? grouped_form
              : if_there(KernelForm::kGroupedVectors, "_grouped_vectors");
      grouped.row_scale = true;
      Run(launcher, {grouped, config, with_vectors, sizes});
      grouped.scale = true, grouped.bias = true, grouped.bias_bf16 = Random(0, 1);
      Run(launcher, {grouped, config, with_vectors, sizes, /*one_scale=*/round % 2 == 0});
      grouped.activation = Activation::kRelu;
      Run(launcher, {grouped, config, "", sizes});
      if (tile_n % 128 == 0) {
        const std::string gated =
            lhs_k ? if_there(KernelForm::kGroupedGated, "_grouped_gated") : "";
        grouped.gated = true, grouped.save_preact = Random(0, 1);
        grouped.n = some(tile_n / 4, tile_n + 30);
        Run(launcher, {grouped, config, gated, sizes});
        grouped.bias = grouped.scale = grouped.row_scale = false;
        Run(launcher, {grouped, config, gated, sizes});
        // Rows of no group have no main loop, so their store comes soon after the group's.
        Config alone = config;
        alone.num_workgroups = 1;
        Run(launcher, {grouped, alone, gated, {16, 0, 0, 0}});
        grouped.out_dtype = DType::kF32;
        Run(launcher, {grouped, config, "", sizes});
      }
    }
    if constexpr ((lhs_k && rhs_k) || kBytes == 2) {
      grouped = problem(false);
      grouped.ragged = Ragged::kK, grouped.groups = grouped.local_groups = 4;
      sizes = {static_cast<int32_t>(Random(0, kTileK)), 0, 2 * kTileK + 5, 1};
      Run(launcher, {grouped, config, grouped_form, sizes});
      if (!kInteger) {
        Problem scaled = grouped;
        scaled.row_scale = true;
        Run(launcher, {scaled, config,
                       HasOnlyVectors(KernelForm::kGrouped, lhs, tile_n)
                           ? grouped_form
                           : if_there(KernelForm::kGroupedVectors, "_grouped_vectors"),
                       sizes});
      }
      // Two groups end in the same vector of 16 bytes.
      sizes = {static_cast<int32_t>(Random(1, kTileK)), 3, 1, static_cast<int32_t>(grouped.k)};
      Run(launcher, {grouped, config, grouped_form, sizes});
      if (!kInteger) {
        grouped.out_dtype = DType::kF32;
        Run(launcher, {grouped, config, grouped_wide, sizes});
        grouped.accumulate = true;
        Run(launcher, {grouped, config, grouped_wide, sizes});
        // TMA cannot store such rows.
        if (rhs_k && kBytes == 2) grouped.n -= Random(1, 3);
        Run(launcher, {grouped, config, grouped.n % 4 ? "" : grouped_wide, sizes});
      }
    }
  }
}

// Random grouped problems for an instance whose rhs goes to wgmma through registers.
template <DType lhs, DType rhs, int tile_n>
void RunByRegisters(GpuLauncher& launcher, int rounds) {
  constexpr int kTileM = 128, kBytes = ElementBytes(lhs), kTileK = kBoxBytes / kBytes;
  const std::string name = Add<lhs, rhs, kTileM, tile_n, true, false>();
  for (int round = 0; round < rounds; ++round) {
    Problem p{.m = Random(1, 3 * kTileM),
              .n = RoundUp(Random(1, 2 * tile_n + 30), 16 / kBytes),
              .k = RoundUp(Random(1, 6 * kTileK), 16 / kBytes),
              .lhs_dtype = lhs,
              .rhs_dtype = rhs,
              .out_dtype = round % 3 == 0   ? DType::kF32
                           : round % 3 == 1 ? DType::kBF16
                                            : DType::kF16,
              .lhs_contracting = 1,
              .rhs_contracting = 0,
              .ragged = Ragged::kM,
              .groups = 4,
              .local_groups = 4};
    const std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, p.m)), 0,
                                     static_cast<int32_t>(Random(1, 20)),
                                     static_cast<int32_t>(Random(0, p.m))};
    const Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    Run(launcher, {p, config, "_grouped", sizes});
    p.row_scale = Random(0, 1), p.scale = Random(0, 1), p.bias = true;
    p.bias_bf16 = Random(0, 1);
    Run(launcher, {p, config, "_grouped", sizes, /*one_scale=*/round % 2 == 0});
  }
}

// Random grouped problems for an instance for few rows.
template <DType type, bool rhs_k>
void RunFewRows(GpuLauncher& launcher, int rounds) {
  constexpr int kTileM = 64, kTileN = 128, kTileK = kBoxBytes / ElementBytes(type);
  const std::string name = Add<type, type, kTileM, kTileN, true, rhs_k>();
  for (int round = 0; round < rounds; ++round) {
    Problem p{.m = Random(1, 2 * kTileM),
              .n = RoundUp(Random(1, 2 * kTileN), 16),
              .k = RoundUp(Random(1, 12 * kTileK), 16),
              .lhs_dtype = type,
              .rhs_dtype = type,
              .out_dtype = round % 3 == 0 ? DType::kF32 : PlainOut(type),
              .lhs_contracting = 1,
              .rhs_contracting = rhs_k,
              .ragged = Ragged::kM,
              .groups = 40,
              .local_groups = 40};
    std::vector<int32_t> sizes(p.groups);
    for (int i = 0; i < 4; ++i) {
      sizes[Random(0, p.groups - 1)] = static_cast<int32_t>(Random(1, i == 0 ? p.m : 9));
    }
    std::vector<int32_t> indices;
    if (round % 2) {
      p.lhs_gathered = true, p.lhs_lines = Random(1, 50);
      for (int64_t i = 0; i < p.m; ++i) {
        indices.push_back(static_cast<int32_t>(Random(-1, p.lhs_lines)));
      }
    }
    if (round % 3 == 1) {
      p.gated = true, p.activation = Activation::kRelu, p.save_preact = Random(0, 1);
    }
    if (round % 3 == 2) p.bias = true, p.scale = Random(0, 1), p.row_scale = Random(0, 1);
    const Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 4), .kernel = name};
    Run(launcher,
        {.p = p, .config = config, .form = "_few_rows", .sizes = sizes, .indices = indices});
  }
}

// Random problems for an instance that has only dense forms.
template <DType type, int tile_n, bool lhs_k, bool rhs_k>
void RunDenseOnly(GpuLauncher& launcher, int rounds) {
  constexpr int kTileM = CtaRows(128, tile_n), kTileK = kBoxBytes / ElementBytes(type);
  const std::string name = Add<type, type, kTileM, tile_n, lhs_k, rhs_k>();
  for (int round = 0; round < rounds; ++round) {
    auto problem = [&](int64_t least_k) {
      return Problem{.batch = round % 3 == 0 ? 2 : 1,
                     .m = RoundUp(Random(1, 2 * kTileM + 30), 8),
                     .n = RoundUp(Random(1, 2 * tile_n + 30), 8),
                     .k = RoundUp(Random(least_k, 6 * kTileK), 8),
                     .lhs_dtype = type,
                     .rhs_dtype = type,
                     .out_dtype = type,
                     .lhs_contracting = lhs_k,
                     .rhs_contracting = rhs_k,
                     .lhs_batched = true,
                     .rhs_batched = round % 2 == 1};
    };
    auto num_tiles = [](const Problem& p) {
      return p.batch * CeilDiv(p.m, kTileM) * CeilDiv(p.n, tile_n);
    };
    Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    auto suffix = [&](KernelForm form, KernelForm turns, const Problem& p) {
      const bool takes_turns = HasForm(turns, type, kTileM, tile_n, lhs_k, rhs_k, false) &&
                               p.k > 3 * kTileK && num_tiles(p) > config.num_workgroups;
      return std::string(form == KernelForm::kPlain ? takes_turns ? "_pingpong" : "_plain"
                         : takes_turns              ? "_fused_pingpong"
                                                    : "_fused");
    };
    Problem plain = problem(round % 2 ? 1 : 3 * kTileK + 1);
    Run(launcher, {plain, config, suffix(KernelForm::kPlain, KernelForm::kPingPong, plain)});
    Problem misplaced = problem(1);
    misplaced.batch = 1;
    Run(launcher, {misplaced, config, "_fused", {}, false, /*misplaced=*/true});
    for (DType out : {DType::kF32, type, DType::kF8E4M3FN}) {
      Problem more = problem(round % 2 ? 3 * kTileK + 1 : 1);
      more.out_dtype = out, more.bias = true, more.scale = Random(0, 1);
      more.row_scale = Random(0, 1);
      more.activation = static_cast<Activation>(Random(0, 3));
      more.save_preact = more.activation != Activation::kNone && Random(0, 1);
      if (rhs_k) more.n -= Random(0, 7);
      more.bias_bf16 = Random(0, 1);
      Run(launcher, {more, config, suffix(KernelForm::kFused, KernelForm::kFusedPingPong, more)});
    }
    if constexpr (HasForm(KernelForm::kPeers, type, kTileM, tile_n, lhs_k, rhs_k, false)) {
      const int64_t peers = Random(2, MostPeers(tile_n) / 2);
      Problem shared = problem(6 * kTileK - 8);
      config.schedule = Schedule::kStreamK;
      config.num_workgroups = config.num_shares = num_tiles(shared) * peers;
      shared.bias = round % 2, shared.bias_bf16 = shared.bias && Random(0, 1);
      shared.row_scale = round % 2 && Random(0, 1);
      Run(launcher, {shared, config, "_peers"});
      shared.m += kTileM, shared.n += tile_n, config.multicast = 1;
      config.num_workgroups = config.num_shares = num_tiles(shared) * 2;
      Run(launcher, {shared, config, "_peers"});
    }
  }
}

// Random problems of few rows for an instance that stores out^T. lhs_k and rhs_k are the kernel's.
template <DType lhs, DType rhs, int tile_n, bool lhs_k, bool rhs_k>
void RunTransposed(GpuLauncher& launcher, int rounds) {
  constexpr int kTileM = 128, kBytes = ElementBytes(lhs), kTileK = kBoxBytes / kBytes;
  const std::string name = Add<lhs, rhs, kTileM, tile_n, lhs_k, rhs_k, true>();
  const DType sums_type = lhs == DType::kS8 ? DType::kS32 : DType::kF32;
  for (int round = 0; round < rounds; ++round) {
    int64_t peers = Random(1, kMaxClusterSize);
    if (!CanBePeers(tile_n, peers)) peers = 1;
    const bool any = round % 3 == 2;  // lines that TMA cannot read, too
    auto some = [&](int64_t least, int64_t most) {
      return any ? Random(least, most) : RoundUp(Random(least, most), 16 / kBytes);
    };
    Problem p{.m = Random(1, 2 * tile_n),
              .n = some(1, 3 * kTileM),
              // Every fourth time with more k tiles than a CTA has stages.
              .k = some((peers - 1) * kTileK + 1, (peers + 3) * kTileK) +
                   (round % 4 == 3 ? 12 * peers * kTileK : 0),
              .lhs_dtype = rhs,
              .rhs_dtype = lhs,
              .out_dtype = round % 2                ? sums_type
                           : ElementBytes(lhs) == 2 ? lhs
                                                    : sums_type,
              .lhs_contracting = rhs_k,
              .rhs_contracting = lhs_k};
    if (!rhs_k) p.m = RoundUp(p.m, 16 / kBytes);
    if (round % 4 == 1) p.batch = 2, p.lhs_batched = true, p.rhs_batched = round % 8 == 1;
    if (round % 2 && lhs != DType::kS8) p.bias = true, p.activation = Activation::kRelu;
    p.bias_bf16 = p.bias && Random(0, 1);
    p.scale = p.bias && Random(0, 1), p.row_scale = p.bias && Random(0, 1);
    const int64_t tiles = p.batch * CeilDiv(p.n, kTileM) * CeilDiv(p.m, tile_n);
    Config config{.schedule = peers > 1 ? Schedule::kStreamK : Schedule::kPersistent,
                  .kernel = name};
    if (peers > 1) config.num_workgroups = config.num_shares = tiles * peers;
    Run(launcher, {p, config, "_peers"});
    if (!MayMulticast(KernelForm::kPeers, lhs, lhs_k, true) || 2 * peers > kMaxClusterSize) {
      continue;
    }
    // Clusters have 2 x 2, 2 x 1 or 1 x 2 tiles, and the last tile may end early.
    p.n = some(1, kTileM) + Random(1, 3) * kTileM;
    p.m = Random(1, 3 * tile_n);
    if (!rhs_k) p.m = RoundUp(p.m, 16 / kBytes);
    if (peers > 1) {
      config.num_workgroups = config.num_shares =
          p.batch * CeilDiv(p.n, kTileM) * CeilDiv(p.m, tile_n) * peers;
    }
    if (!Tma(p).reads_both()) continue;
    config.multicast = 1;
    Run(launcher, {p, config, "_peers"});
  }
}

// Random problems with scales of blocks along k.
template <int tile_m>
void RunScaled(GpuLauncher& launcher, int rounds) {
  constexpr DType kType = DType::kF8E4M3FN;
  const std::string name = Add<kType, kType, tile_m, 128, true, true>();
  for (int round = 0; round < rounds; ++round) {
    Problem p{.batch = round % 3 == 0 ? 2 : 1,
              .m = Random(1, 2 * tile_m + 30),
              .n = Random(1, 300),
              .k = RoundUp(Random(1, 700), 16),
              .lhs_dtype = kType,
              .rhs_dtype = kType,
              .out_dtype = round % 4 == 2 ? DType::kBF16 : DType::kF32,
              .lhs_contracting = 1,
              .rhs_contracting = 1,
              .lhs_batched = true,
              .rhs_batched = round % 2 == 1};
    p.block_k = 128, p.block_n = round % 4 < 2 ? 128 : 1;
    if (round % 2) p.bias = true, p.activation = Activation::kRelu;
    Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    Run(launcher, {p, config, "_scaled"});
    config.schedule = Schedule::kWorkStealing;
    Run(launcher, {p, config, "_scaled"});
    p.m = 2 * tile_m, p.n = 256, p.k = 512 + 48, p.batch = 1;
    config.schedule = Schedule::kStreamK, config.num_workgroups = 3;
    Run(launcher, {p, config, "_scaled"});
    p.bias = false, p.activation = Activation::kNone;
    p.m = Random(50, 2 * tile_m), p.n = Random(1, 300);
    p.ragged = Ragged::kM, p.lhs_batched = p.rhs_batched = false;
    p.groups = p.local_groups = 4;
    config.schedule = Schedule::kPersistent;
    const std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, p.m / 2)), 0,
                                     static_cast<int32_t>(Random(1, 20)),
                                     static_cast<int32_t>(Random(0, p.m / 3))};
    Run(launcher, {p, config, "_scaled", sizes});
  }
}

// Random problems with scales of blocks whose results are only cast.
template <int tile_m, int tile_n>
void RunScaledCast(GpuLauncher& launcher, int rounds) {
  constexpr DType kType = DType::kF8E4M3FN;
  const std::string name = Add<kType, kType, tile_m, tile_n, true, true>();
  const Config config{
      .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
  for (int round = 0; round < rounds; ++round) {
    // A tile has one or two scales of rhs, and the last one may have columns of one block only.
    Problem p{.batch = round % 3 == 0 ? 2 : 1,
              .m = Random(1, 2 * tile_m + 30),
              .n = RoundUp(Random(1, 3 * tile_n), 8),
              .k = RoundUp(Random(1, 700), 16),
              .lhs_dtype = kType,
              .rhs_dtype = kType,
              .out_dtype = DType::kBF16,
              .lhs_contracting = 1,
              .rhs_contracting = 1,
              .lhs_batched = true,
              .rhs_batched = round % 2 == 1};
    p.block_k = p.block_n = 128;
    Run(launcher, {p, config, "_scaled_cast"});
    p.ragged = Ragged::kM, p.lhs_batched = p.rhs_batched = false, p.batch = 1;
    p.groups = p.local_groups = 4;
    const std::vector<int32_t> sizes{
        static_cast<int32_t>(Random(0, p.m / 2)), 0,
        static_cast<int32_t>(Random(0, std::min<int64_t>(p.m / 8, 20))),
        static_cast<int32_t>(Random(0, p.m / 3))};
    Run(launcher, {p, config, "_scaled_cast", sizes});
  }
}

// Random problems whose result is quantised.
template <DType type, int tile_m, int tile_n, bool lhs_k, bool rhs_k>
void RunQuantized(GpuLauncher& launcher, int rounds) {
  constexpr int kTileK = kBoxBytes / ElementBytes(type);
  const std::string name = Add<type, type, tile_m, tile_n, lhs_k, rhs_k>();
  for (int round = 0; round < 2 * rounds; ++round) {
    const QuantizeOut kind = round % 2 ? QuantizeOut::kMx : QuantizeOut::kBlock;
    const int block = QuantizedColumns(kind);
    Problem p{.m = RoundUp(Random(1, 2 * tile_m + 30), lhs_k ? 1 : 16),
              .n = block * Random(1, 2 * tile_n / block + 1),
              .k = RoundUp(Random(1, 6 * kTileK), 16),
              .lhs_dtype = type,
              .rhs_dtype = type,
              .out_dtype = Random(0, 1) ? DType::kF8E5M2 : DType::kF8E4M3FN,
              .lhs_contracting = lhs_k,
              .rhs_contracting = rhs_k,
              .quantize_out = kind};
    const Config config{
        .schedule = Schedule::kPersistent, .num_workgroups = Random(1, 3), .kernel = name};
    const bool one_scale = Random(0, 1);
    const auto with_vectors = [](Problem p) {
      p.bias = true, p.bias_bf16 = Random(0, 1);
      p.scale = Random(0, 1), p.row_scale = Random(0, 1);
      p.activation = Random(0, 1) ? Activation::kRelu : Activation::kNone;
      return p;
    };
    Problem batched = p;
    batched.batch = 2, batched.lhs_batched = true, batched.rhs_batched = Random(0, 1);
    Run(launcher, {batched, config, "_quantized"});
    Run(launcher, {with_vectors(p), config, "_quantized", {}, one_scale});
    Problem saves = with_vectors(p);
    saves.save_preact = true, saves.activation = Activation::kRelu;
    Run(launcher, {saves, config, "_quantized", {}, one_scale});
    Problem infinite = p;
    infinite.bias = true;
    Run(launcher, {infinite, config, "_quantized", {}, false, false, {}, /*infinite=*/true});
    if constexpr (HasForm(KernelForm::kScaledQuantized, type, tile_m, tile_n, lhs_k, rhs_k,
                          false)) {
      Problem scaled = p;
      scaled.block_k = 128, scaled.block_n = Random(0, 1) ? 128 : 1;
      scaled.bias = Random(0, 1);
      Run(launcher, {scaled, config, "_scaled_quantized"});
      scaled.ragged = Ragged::kM, scaled.groups = scaled.local_groups = 4;
      const std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, p.m / 2)), 0, 1,
                                       static_cast<int32_t>(Random(0, p.m / 3))};
      Run(launcher, {scaled, config, "_scaled_quantized", sizes});
    }
    if constexpr (lhs_k) {
      p.ragged = Ragged::kM, p.groups = p.local_groups = 4;
      const std::vector<int32_t> sizes{static_cast<int32_t>(Random(0, p.m / 2)), 0, 1,
                                       static_cast<int32_t>(Random(0, p.m / 3))};
      Run(launcher, {p, config, "_grouped_quantized", sizes});
      Run(launcher, {with_vectors(p), config, "_grouped_quantized", sizes, one_scale});
      if (tile_n / 2 % block) continue;
      p.gated = true, p.save_preact = Random(0, 1);
      Run(launcher, {p, config, "_grouped_quantized", sizes});
      Run(launcher, {with_vectors(p), config, "_grouped_quantized", sizes, one_scale});
    }
  }
}

// Rows of no group are zero with any activation, because GPUs apply no epilogue to them.
void TestEpilogueOfNoGroup() {
  const uint32_t bias[8] = {};
  const float scale[8] = {}, row_scale[8] = {};
  const GemmArgs args{.bias = bias,
                      .scale = scale,
                      .row_scale = row_scale,
                      .bias_batch_stride = 4,
                      .scale_batch_stride = 4,
                      .row_scale_batch_stride = 4,
                      .activation = Activation::kGelu};
  WorkTile tile{.group = 1};
  const TileEpilogue group(args, tile, Ragged::kM);
  CHECK_THAT(group.bias == static_cast<const void*>(bias + 4) && group.scale == scale + 4 &&
                 group.row_scales == 0 && group.activation == Activation::kGelu,
             "group");
  tile.zero = true;
  const TileEpilogue none(args, tile, Ragged::kM);
  CHECK_THAT(!none.HasVectors() && none.activation == Activation::kNone, "no group");
}

}  // namespace
}  // namespace jaxgemm

// The default build runs an instance of each form, most with a small tile. Each instance takes
// seconds to compile, and ThreadSanitizer is slow.
#ifdef JAXGEMM_FEW_INSTANCES
constexpr bool kFew = true;
#else
constexpr bool kFew = false;
#endif

int main() {
  using namespace jaxgemm;
  using enum DType;
  const auto folder = std::filesystem::temp_directory_path() /
                      ("hopper_test." + std::to_string(rng()) + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "sm90");
  for (const GpuInstance& each : GpuInstances()) {
    std::ofstream(folder / "sm90" / (each.name + ".cubin")) << "a kernel";
  }
  SetKernelFolder(folder.string());
  TestEpilogueOfNoGroup();
  const Driver driver = MakeDriver();
  GpuLauncher launcher(&driver);
  RunInstance<kBF16, kBF16, 128, 128, false, false>(launcher, kFew ? 1 : 2);
  RunInstance<kBF16, kBF16, 128, 64, true, false>(launcher, kFew ? 1 : 2);
  RunInstance<kBF16, kBF16, 256, 64, false, false>(launcher, kFew ? 1 : 2);
  RunTransposed<kBF16, kBF16, 16, true, true>(launcher, kFew ? 4 : 16);
  RunTransposed<kBF16, kBF16, 64, true, false>(launcher, kFew ? 2 : 8);
  RunTransposed<kF32, kF32, 16, false, true>(launcher, kFew ? 2 : 16);
  RunDenseOnly<kBF16, 112, true, false>(launcher, kFew ? 2 : 8);
  RunScaled<128>(launcher, kFew ? 3 : 12);
  RunScaledCast<128, 192>(launcher, kFew ? 4 : 12);
  RunByRegisters<kF8E4M3FN, kF8E5M2, 128>(launcher, kFew ? 2 : 12);
  RunByRegisters<kF32, kF32, 256>(launcher, kFew ? 1 : 12);
  RunFewRows<kBF16, false>(launcher, kFew ? 6 : 24);
  RunQuantized<kF8E4M3FN, 128, 128, true, true>(launcher, kFew ? 1 : 8);
  RunQuantized<kBF16, 128, 128, false, false>(launcher, kFew ? 1 : 4);
  RunQuantized<kBF16, 128, 256, true, false>(launcher, kFew ? 1 : 4);
#ifndef JAXGEMM_FEW_INSTANCES
  RunInstance<kBF16, kBF16, 128, 128, true, false>(launcher, 2);
  RunTransposed<kBF16, kBF16, 32, false, true>(launcher, 16);
  RunTransposed<kF16, kF16, 96, false, true>(launcher, 8);
  RunScaled<256>(launcher, 8);
  RunScaledCast<128, 128>(launcher, 8);
  RunDenseOnly<kF16, 144, true, true>(launcher, 8);
  RunDenseOnly<kBF16, 144, false, false>(launcher, 4);
  RunDenseOnly<kBF16, 160, true, true>(launcher, 6);
  RunDenseOnly<kF16, 160, false, false>(launcher, 6);
  RunDenseOnly<kBF16, 176, true, false>(launcher, 8);
  RunDenseOnly<kBF16, 208, false, false>(launcher, 8);
  RunTransposed<kBF16, kBF16, 112, true, false>(launcher, 8);
  RunTransposed<kF16, kF16, 144, true, true>(launcher, 8);
  RunTransposed<kBF16, kBF16, 144, false, false>(launcher, 8);
  RunTransposed<kBF16, kBF16, 176, false, false>(launcher, 8);
  RunTransposed<kF8E5M2, kF8E4M3FN, 16, true, true>(launcher, 8);
  RunTransposed<kS8, kS8, 48, true, true>(launcher, 8);
  RunTransposed<kF32, kF32, 64, true, true>(launcher, 8);
  RunTransposed<kF32, kF32, 144, false, true>(launcher, 8);
  RunByRegisters<kF8E5M2, kF8E4M3FN, 256>(launcher, 12);
  RunByRegisters<kF32, kF32, 128>(launcher, 12);
  RunFewRows<kF8E4M3FN, true>(launcher, 12);
  RunQuantized<kBF16, 256, 256, true, false>(launcher, 4);
  RunQuantized<kF8E4M3FN, 256, 128, true, true>(launcher, 4);
  RunQuantized<kF32, 128, 128, true, true>(launcher, 4);
  RunInstance<kBF16, kBF16, 128, 192, true, true>(launcher, 2);
  RunInstance<kBF16, kBF16, 256, 256, true, false>(launcher, 2);
  RunInstance<kF16, kF16, 256, 192, false, false>(launcher, 1);
  RunInstance<kF8E4M3FN, kF8E5M2, 256, 128, true, true>(launcher, 1);
  RunInstance<kF32, kF32, 128, 128, false, false>(launcher, 1);
  RunInstance<kS8, kS8, 128, 128, true, true>(launcher, 1);
#endif
  std::filesystem::remove_all(folder);
  std::printf("hopper_test: %d failures\n", failures);
  return failures != 0;
}
