// One persistent workgroup on an AMD GPU: claim, main loop, fix-up, epilogue.
#pragma once

#include "amdgpu/args.h"
#include "amdgpu/epilogue.h"
#include "amdgpu/few_rows_epilogue.h"
#include "amdgpu/few_rows_mainloop.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "amdgpu/mainloop.h"
#include "amdgpu/short_k.h"
#include "kernel/gemm_args.h"
#include "schedule/fixup.h"

namespace jaxgemm {

// All lanes of a wave, which search for a group or a queue together.
struct WaveLanes {
  static constexpr Index kCount = kWaveSize, kEach = 1;
  static JAXGEMM_AMD Index Id() { return LaneId(); }
  static JAXGEMM_AMD Index From(Index x, Index distance, Index otherwise) {
    const Index lane = Id() - distance, theirs = __builtin_amdgcn_ds_bpermute(4 * lane, x);
    return lane < 0 ? otherwise : theirs;
  }
  static JAXGEMM_AMD Index First(bool found) {
    const uint64_t lanes = __builtin_amdgcn_ballot_w64(found);
    return lanes == 0 ? kCount : __builtin_ctzll(lanes);
  }
  static JAXGEMM_AMD Index Broadcast(Index x, Index lane) {
    return __builtin_amdgcn_readlane(x, lane);
  }
};

// The claim of a whole workgroup. One wave claims, and gives the index to all others through LDS,
// which is free while no main loop runs.
struct WorkgroupClaim {
  AnyClaim claim;
  LdsIndex* lds_word;

  JAXGEMM_AMD void Start() {
    if (claim.is_shared && IsFirstWave()) claim.steal.Start<WaveLanes>();
  }
  JAXGEMM_AMD Index Finish() {
    if (!claim.is_shared) return claim.stride.Finish();
    Barrier();
    if (IsFirstWave()) {
      const Index index = claim.steal.Finish<WaveLanes>();
      if (LaneId() == 0) *lds_word = index;
    }
    Barrier();
    return __builtin_amdgcn_readfirstlane(*lds_word);
  }

 private:
  // With WaveId() the compiler would keep the claim's state in scalar registers, of which there are
  // not enough.
  static JAXGEMM_AMD bool IsFirstWave() { return ThreadId() < kWaveSize; }
};

// The accumulators of a workgroup's tile, in registers. A slot for partial sums has rows of one
// Acc4 per thread. Their order is that of the registers: any order is right if all workgroups use
// it. The sum of all slots stays in the first one, where the epilogue reads them.
template <class Traits>
struct AmdAccumulator {
  using Element = typename Traits::Acc;
  using Acc4 = typename Traits::Acc4;
  static constexpr int kRows = Traits::kAccM * Traits::kAccN;

  typename Traits::Accumulators acc;
  void* partials;
  LdsIndex* lds_word;
  const Acc4* loaded;  // the complete sum, in its slot; null: it is in the registers

  JAXGEMM_AMD Acc4* Slot(Index slot) const {
    return static_cast<Acc4*>(partials) + int64_t{slot} * kRows * Traits::kAccThreads + ThreadId();
  }
  JAXGEMM_AMD void Publish(Index slot) {
    ForEach(slot, [](Acc4* to, Acc4 acc4) { *to = acc4; });
  }
  JAXGEMM_AMD void AddToSlot(Index slot) {
    ForEach(slot, [](Acc4* to, Acc4 acc4) {
#pragma unroll
      for (int i = 0; i < 4; ++i) AtomicAdd(reinterpret_cast<Element*>(to) + i, acc4[i]);
    });
  }
  JAXGEMM_AMD void Sum(Index first, Index step, Index count) {
    // The loads of eight rows (a tuning constant) are in flight together, because each takes as
    // long as the memory's latency.
    if (!Traits::HasAccumulators()) return;
    constexpr int kAtOnce = kRows < 8 ? kRows : 8;
    static_assert(kRows % kAtOnce == 0);
    Acc4* to = Slot(first);
    const int64_t next = Slot(first + step) - to;
#pragma clang loop unroll(disable)
    for (int row = 0; row < kRows; row += kAtOnce, to += kAtOnce * Traits::kAccThreads) {
      Acc4 total[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) total[i] = to[i * Traits::kAccThreads];
#pragma clang loop unroll(disable)
      for (Index slot = 1; slot < count; ++slot) {
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) total[i] += to[slot * next + i * Traits::kAccThreads];
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) to[i * Traits::kAccThreads] = total[i];
    }
  }
  JAXGEMM_AMD void Load(Index slot) { loaded = Slot(slot); }
  // Loads the complete sum to the registers, if it is in its slot.
  JAXGEMM_AMD void LoadAccumulators() {
    if (!loaded) return;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      acc[i / Traits::kAccN][i % Traits::kAccN] = loaded[i * Traits::kAccThreads];
    }
  }

  // Every wave's stores must be done before one lane releases them for the workgroup.
  JAXGEMM_AMD int32_t Arrive(int32_t* counter) {
    WaitForMemory();
    Barrier();
    if (ThreadId() == 0) *lds_word = FetchAddAcqRel(counter, 1);
    Barrier();
    const int32_t before = __builtin_amdgcn_readfirstlane(*lds_word);
    Barrier();
    asm volatile("" ::: "memory");
    return before;
  }

 private:
  template <class F>
  JAXGEMM_AMD void ForEach(Index slot, F f) {
    if (!Traits::HasAccumulators()) return;
    Acc4* row = Slot(slot);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      f(row, acc[i / Traits::kAccN][i % Traits::kAccN]);
      row += Traits::kAccThreads;
      // Without this asm the compiler keeps the addresses of all rows in registers.
      asm volatile("" : "+v"(row));
    }
  }
};

// Moves values that are the same in all lanes to scalar registers. Results of divisions and loads
// are in vector registers, and the compiler does not move all of them back.
template <class... Indices>
JAXGEMM_AMD void ToScalar(Indices&... indices) {
  ((indices = __builtin_amdgcn_readfirstlane(indices)), ...);
}
JAXGEMM_AMD WorkTile Uniform(WorkTile tile) {
  ToScalar(tile.batch, tile.m, tile.n, tile.k_begin, tile.k_end, tile.group, tile.origin,
           tile.limit);
  return tile;
}

// A scan by DPP: in rows of 16 lanes, then over the rows (LLVM's AMDGPUAtomicOptimizer has the
// same). All lanes must be active.
template <>
JAXGEMM_DEVICE inline __attribute__((always_inline)) Index SumUpTo<WaveLanes>(Index x, Index most) {
  constexpr int kRowShift = 0x110, kLastOfRow = 0x142, kLastOfHalf = 0x143;  // CDNA3 ISA, DPP_CTRL
  uint32_t sum = x;
  auto add = [&](uint32_t theirs) __attribute__((always_inline)) {
    sum += theirs;
    sum = sum < static_cast<uint32_t>(most) ? sum : most;
  };
  add(__builtin_amdgcn_update_dpp(0, sum, kRowShift + 1, 0xf, 0xf, false));
  add(__builtin_amdgcn_update_dpp(0, sum, kRowShift + 2, 0xf, 0xf, false));
  add(__builtin_amdgcn_update_dpp(0, sum, kRowShift + 4, 0xf, 0xf, false));
  add(__builtin_amdgcn_update_dpp(0, sum, kRowShift + 8, 0xf, 0xf, false));
  // Row 0's sum for row 1, and row 2's for row 3; then that of both for rows 2 and 3.
  add(__builtin_amdgcn_update_dpp(0, sum, kLastOfRow, 0xa, 0xf, false));
  add(__builtin_amdgcn_update_dpp(0, sum, kLastOfHalf, 0xc, 0xf, false));
  return sum;
}

// All lanes of a wave that look for one tile. With so many sizes in each lane, most problems need
// one pass.
struct GroupLanes : WaveLanes {
  static constexpr Index kEach = 4;
};
template <>
JAXGEMM_DEVICE inline __attribute__((always_inline)) Index SumUpTo<GroupLanes>(Index x,
                                                                               Index most) {
  return SumUpTo<WaveLanes>(x, most);
}

// The map of a dense or a grouped problem. Its state is kept in the lanes of one vector register,
// because there are not enough scalar registers. For a dense problem the state is group_m. In
// kernels of low tiles, a workgroup may find its tile in a group without a state.
template <class Traits>
class WorkgroupMap {
 public:
  JAXGEMM_AMD WorkgroupMap(const GemmArgs& args, LdsIndex* lds_word) {
    if (FindsTileOfGroup(args)) return;
    if (args.groups.ragged == Ragged::kNone) {
      kept_ = args.chunks.order == nullptr ? args.map.grid.group_m : ChunkedGroupM(lds_word);
      return;
    }
    GroupedMap groups = Load(args);
    groups.CountTiles<WaveLanes>(args.claim.num_workgroups, args.max_shares);
    Keep(groups);
  }
  JAXGEMM_AMD Index size(const GemmArgs& args) const {
    if (FindsTileOfGroup(args)) return args.one_tile.of_groups;
    return args.groups.ragged == Ragged::kNone ? args.map.size() : Recall(args).size();
  }
  JAXGEMM_AMD WorkTile operator()(Index index) {
    const GemmArgs args = LoadArgs();
    if (FindsTileOfGroup(args)) return OfGroup(args, index);
    const TileGrid& grid = args.map.grid;
    LoadHere(args.map.whole_tiles, args.map.num_shares, grid.batch, grid.tiles_m, grid.tiles_n,
             grid.tiles_k, grid.num_xcds);
    if (args.groups.ragged == Ragged::kNone) {
      StreamKMap map = args.map;
      map.grid.group_m = __builtin_amdgcn_readfirstlane(kept_);
      return Uniform(map(index));
    }
    GroupedMap groups = Recall(args);
    WorkTile tile = groups.At<WaveLanes>(index);
    Keep(groups);
    return Uniform(tile);
  }

 private:
  static JAXGEMM_AMD bool FindsTileOfGroup(const GemmArgs& args) {
    return FindsTilesOfGroups(Traits::kTileM) &&
           __builtin_expect(args.one_tile.of_groups > 0, false);
  }
  static JAXGEMM_AMD WorkTile OfGroup(const GemmArgs& args, Index index) {
    const OneTileMap& map = args.one_tile;
    const TileGrid& grid = args.groups.cut.grid;
    LoadHere(map.num_xcds, map.by_xcds.multiplier, map.by_xcds.shift, grid.tiles_n, grid.tiles_k,
             grid.group_m, args.groups.num_groups, args.groups.local_groups, args.groups.extent,
             args.groups.group_sizes, args.group_offset);
    GroupedMap groups = Load(args);
    groups.ragged = Ragged::kM, groups.tile = Traits::kTileM;
    groups.batch = groups.cut.grid.num_xcds = 1;
    groups.LeaveUncounted();
    return Uniform(groups.At<GroupLanes, /*kCuts=*/false>(map.InBlocks(index)));
  }
  // One wave finds group_m and gives it to all others through LDS.
  static JAXGEMM_AMD Index ChunkedGroupM(LdsIndex* lds_word) {
    if (WaveId() == 0) {
      const GemmArgs args = LoadArgs();
      const Index group_m = args.chunks.GroupM<WaveLanes>(args.map.grid);
      if (LaneId() == 0) *lds_word = group_m;
    }
    Barrier();
    return __builtin_amdgcn_readfirstlane(*lds_word);
  }
  static JAXGEMM_AMD GroupedMap Load(const GemmArgs& args) {
    GroupedMap groups = args.groups;
    groups.StartAt(args.group_offset);
    return groups;
  }
  JAXGEMM_AMD GroupedMap Recall(const GemmArgs& args) const {
    GroupedMap groups = Load(args);
    auto lane = [this](int i) { return __builtin_amdgcn_readlane(kept_, i); };
    groups.cut.whole_tiles = lane(0), groups.cut.cut_tiles = lane(1);
    groups.cut.num_shares = lane(2);
    groups.cursor = {lane(3), lane(4), lane(5), lane(6), lane(7)};
    return groups;
  }
  JAXGEMM_AMD void Keep(const GroupedMap& groups) {
    const GroupedMap::Cursor& c = groups.cursor;
    const Index values[] = {groups.cut.whole_tiles,
                            groups.cut.cut_tiles,
                            groups.cut.num_shares,
                            c.region,
                            c.first_tile,
                            c.origin,
                            c.size,
                            c.tiles};
    const int lane = LaneId();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (lane == i) kept_ = values[i];
    }
  }

  int kept_ = 0;
};

// One lane waits for the chunk of lhs that a work tile reads, and gives the result to all other
// lanes through LDS. The acquire of this one lane is enough for the whole workgroup: all waves of
// the workgroup run on one CU, so its buffer_inv invalidates the caches of all waves, and all loads
// of lhs come after the barrier (LLVM AMDGPUUsage, "Memory Model gfx942", with threadgroup split
// mode off).
struct WorkgroupReady {
  LdsIndex* lds_word;

  JAXGEMM_AMD Index Row(Index m) const {
    const ChunkSignals chunks = LoadArgs().chunks;
    return chunks.signals == nullptr ? m : chunks.Row(m);
  }
  JAXGEMM_AMD bool Wait(const WorkTile& tile) const {
    const ChunkSignals chunks = LoadArgs().chunks;
    if (chunks.signals == nullptr) return true;
    Barrier();
    if (ThreadId() == 0) *lds_word = chunks.Wait(tile);
    Barrier();
    EndUnless(__builtin_amdgcn_readfirstlane(*lds_word));
    return true;
  }

 private:
  // Ends the wave here, not in the caller: a second exit from the loop over work tiles would take
  // two scalar registers during the whole loop.
  static JAXGEMM_AMD void EndUnless(Index is_ready) {
    asm volatile(
        "s_cmp_lg_u32 %0, 0\n\t"
        "s_cbranch_scc1 .Lready%=\n\t"
        "s_endpgm\n"
        ".Lready%=:" ::"s"(is_ready)
        : "scc", "memory");
  }
};

// Whether a kernel has RunOneTile. Those that convert operands have no VGPRs to spare: clang spills
// some if they have it.
template <class Traits>
inline constexpr bool kMayRunOneTile =
    !Traits::kScaled && !Traits::kMx && !ConvertsToFnuz<Traits>() && !ExpandsToFloat16<Traits>();

// The main loop and the epilogue of a tile: GeneralTile, or FewRowsTile where waves divide k.
// RunOneTile has the last three functions: LoadFirst() loads arguments, At() returns a workgroup's
// work tile, and ComputeOneTile() computes it, with before_epilogue() before the epilogue.
template <class Traits>
struct GeneralTile {
  using Loop = Mainloop<Traits>;
  static constexpr int kStagesBytes = Traits::kThreads / kWaveSize * kStageBytes<Traits>;
  static constexpr int kLdsBytes = Loop::kLdsBytes > kStagesBytes ? Loop::kLdsBytes : kStagesBytes;

  static JAXGEMM_AMD void Store(const GemmArgs& args, const WorkTile& tile,
                                typename Traits::Accumulators& acc,
                                const typename Traits::Acc4* loaded, Lds* lds) {
    Lds* of_wave = lds + WaveId() * kStageBytes<Traits>;
    // In larger tiles, and with operands of 8 bits, clang spills registers for this.
    if constexpr (kMayRunOneTile<Traits> && HalfTile<Traits>::kOverlapsLoads &&
                  Traits::kBytes > 1) {
      if (__builtin_expect(args.only_rounded && !loaded, true)) {
        if (HalfTile<Traits>(args, tile, RowsOfOut(args, tile), of_wave).Store(acc)) return;
      }
    }
    StoreTile<Traits>(args, tile, acc, loaded, of_wave);
  }

  static JAXGEMM_AMD void LoadFirst(const GemmArgs&, auto... values) { LoadHere(values...); }
  static JAXGEMM_AMD WorkTile At(const OneTileMap& map, Index workgroup) { return map(workgroup); }
  static JAXGEMM_AMD void ComputeOneTile(const GemmArgs& args, const WorkTile& tile, Lds* lds,
                                         typename Traits::Accumulators& acc,
                                         auto&& before_epilogue) {
    Lds* of_wave = lds + WaveId() * kStageBytes<Traits>;
    OverlappedEpilogue epilogue(tile, of_wave);
    NoScales none;
    VectorMainloop<Traits>::Run(OperandMemory<Traits, true>(args, tile.batch),
                                OperandMemory<Traits, false>(args, tile.batch), tile, lds, acc,
                                none,
                                /*lds_is_free=*/true, epilogue);
    before_epilogue();
    if (__builtin_expect(epilogue.args.only_rounded, true)) {
      if (epilogue.Half().Store(acc)) EndWave();
    }
    GemmArgs all = LoadArgs();
    all.groups.ragged = Ragged::kNone;
    if constexpr (kMayQuantize<Traits>) {
      const bool quantizes = all.quantize_out != QuantizeOut::kNone;
      const QuantizedTile<Traits> quantized(tile, of_wave);
      if constexpr (QuantizesAfterVectors(Traits::kFragsM * Traits::kFragsN)) {
        if (quantizes) quantized.ApplyVectors(all, acc);
        KeepInPlace(acc);
      }
      if (quantizes) return quantized.StoreAtOnce(all, acc);
    }
    StoreVectors<Traits>(all, tile, acc, nullptr, StagedRows<Traits>{of_wave});
  }

 private:
  // The arguments of the epilogue are loaded while the operands are.
  struct OverlappedEpilogue {
    using HalfOf = HalfTile<Traits>;
    const WorkTile& tile;
    Lds* lds;
    union {
      GemmArgs args;
    };
    union {
      HalfOf half;
    };

    JAXGEMM_AMD OverlappedEpilogue(const WorkTile& tile, Lds* lds) : tile(tile), lds(lds) {}
    JAXGEMM_AMD void Load() { args = LoadArgs(); }
    JAXGEMM_AMD void Compute() {
      LoadHere(args.out, args.n, args.m, args.only_rounded);
      if constexpr (HalfOf::kOverlapsLoads) half = MakeHalf();
    }
    JAXGEMM_AMD HalfOf Half() const {
      if constexpr (HalfOf::kOverlapsLoads) return half;
      return MakeHalf();
    }

   private:
    JAXGEMM_AMD HalfOf MakeHalf() const {
      return HalfOf(args, tile, RowsOfOut(args, tile, Ragged::kNone), lds);
    }
  };
};
template <class Traits>
struct FewRowsTile {
  using Loop = FewRowsMainloop<Traits>;
  static constexpr int kLdsBytes = Loop::kLdsBytes;
  // Tiles of 16 rows are for products with one row of tiles, none of which is cut. This saves
  // instructions before the first load.
  static constexpr bool kOneRow = Traits::kTileM == 16;

  static JAXGEMM_AMD void Store(const GemmArgs& args, const WorkTile& tile,
                                typename Traits::Accumulators& acc,
                                const typename Traits::Acc4* loaded, Lds* lds) {
    StoreFewRows<Traits>(args, tile, acc, loaded, lds);
  }

  static JAXGEMM_AMD void LoadFirst(const GemmArgs& args, auto... values) {
    LoadHere(args.out, args.only_rounded, values...);
  }
  static JAXGEMM_AMD WorkTile At(const OneTileMap& map, Index workgroup) {
    if constexpr (!kOneRow) return map(workgroup);
    // Neighbouring tiles that read the same cache lines of rhs run on one XCD.
    Index tile = Loop::kTilesShareCacheLines ? map.OnXcd(workgroup) : workgroup;
    const Index batch = map.BatchOf(&tile);
    return {.batch = batch, .n = tile, .k_end = map.tiles_k};
  }
  static JAXGEMM_AMD void ComputeOneTile(const GemmArgs& args, const WorkTile& tile, Lds* lds,
                                         typename Traits::Accumulators& acc,
                                         auto&& before_epilogue) {
    if constexpr (HasShortK(Traits::kBytes)) {
      if (__builtin_expect(ShortK<Traits>::Has(args), true)) ShortK<Traits>::Run(args, tile);
    }
    typename Loop::WaveAccumulators of_wave;
    Loop::RunVectors(OperandMemory<Traits, true>(args, tile.batch),
                     OperandMemory<Traits, false>(args, tile.batch), tile, of_wave);
    Loop::AddWaves(of_wave, lds, acc);
    if constexpr (!kOneRow) before_epilogue();
    if (!Traits::HasAccumulators()) return;
    if (__builtin_expect(args.only_rounded, true)) {
      constexpr bool kBf16 = HalfTypeOf(Traits::kLhs) == DType::kBF16;
      const ThreadVec4s<Traits> vec4s(args, tile, Ragged::kNone, /*log_bytes=*/1);
      if (vec4s.template StoreRounded<kBf16>(acc)) return;
    }
    StoreVec4s<Traits>(LoadArgs(), tile, acc);
  }
};
template <class Traits>
using TileOf =
    typename SelectType<(Traits::kWavesK > 1), FewRowsTile<Traits>, GeneralTile<Traits>>::Type;

// Computes a dense product that has a workgroup for each tile, or for each of equal slices of the
// tiles (runtime/amd_launch.cc). A workgroup knows its work tile from the start, so that few
// instructions come before the first loads and after the last ones. For other products it does
// nothing; else it does not return.
template <class Traits>
JAXGEMM_AMD void RunOneTile(Lds* lds) {
  using Tile = TileOf<Traits>;
  const GemmArgs args = LoadArgs();
  const OneTileMap& map = args.one_tile;
  const Index workgroup = __builtin_amdgcn_workgroup_id_x();
  // All arguments that are needed now are loaded at once.
  Tile::LoadFirst(args, args.lhs, args.rhs, args.m, args.n, args.k, map.size, map.tiles_k,
                  map.slices, map.batch_tiles, map.num_xcds, map.per_xcd, map.longer,
                  map.by_xcds.multiplier, map.by_xcds.shift, map.group_m, map.group_tiles,
                  map.last_group, map.last_rows, map.by_group_tiles.multiplier,
                  map.by_group_tiles.shift, map.by_group_m.multiplier, map.by_group_m.shift,
                  map.by_last_rows.multiplier, map.by_last_rows.shift, map.each, map.rest,
                  map.by_slices.multiplier, map.by_slices.shift);
  if (__builtin_expect(map.size == 0, false)) return;
  const WorkTile tile = Tile::At(map, workgroup);
  // No slice is empty, so the main loop needs no path for an empty range.
  __builtin_assume(tile.k_begin < tile.k_end);
  AmdAccumulator<Traits> accumulator;
  auto before_epilogue = [&]() __attribute__((always_inline)) {
    ScaleAccumulators<Traits>(accumulator.acc);
    if (__builtin_expect(tile.num_peers == 1, true)) return;
    const GemmArgs args = LoadArgs();
    accumulator.partials = args.partials;
    accumulator.lds_word = reinterpret_cast<LdsIndex*>(lds);
    accumulator.loaded = nullptr;
    if (!FixUp(tile, args.reduction, args.arrivals, accumulator)) EndWave();
    accumulator.LoadAccumulators();
  };
  Tile::ComputeOneTile(args, tile, lds, accumulator.acc, before_epilogue);
  EndWave();
}

template <class Traits>
JAXGEMM_AMD void RunGemm(Lds* lds) {
  if constexpr (kMayRunOneTile<Traits>) RunOneTile<Traits>(lds);
  const GemmArgs args = LoadArgs();
  LoadHere(args.map.whole_tiles, args.map.num_shares, args.map.grid.group_m, args.chunks.order,
           args.claim.num_queues);
  auto* lds_word = reinterpret_cast<LdsIndex*>(lds);
  WorkgroupMap<Traits> map(args, lds_word);
  const Index workgroup = __builtin_amdgcn_workgroup_id_x(), size = map.size(args);
  AmdAccumulator<Traits> accumulator;  // an initializer list would set the accumulators to zero
  accumulator.lds_word = lds_word;
  const Index first_queue =
      args.claim.is_shared() ? args.claim.FirstQueueOnXcd(workgroup, XccId()) : 0;
  const WorkgroupClaim claim{
      .claim = MakeClaim(args.claim, args.claims, workgroup, first_queue, size),
      .lds_word = lds_word};

  auto compute = [&](const WorkTile& tile) {
    accumulator.loaded = nullptr;
    TileOf<Traits>::Loop::Run(LoadArgs(), tile, lds, accumulator.acc);
    ScaleAccumulators<Traits>(accumulator.acc);
  };
  auto store = [&](const WorkTile& tile) {
    const GemmArgs args = LoadArgs();
    accumulator.partials = args.partials;
    if (!FixUp(tile, args.reduction, args.arrivals, accumulator)) return;
    TileOf<Traits>::Store(LoadArgs(), tile, accumulator.acc, accumulator.loaded, lds);
  };
  ForEachWorkTile(claim, map, WorkgroupReady{lds_word}, args.claim_ahead, compute, store);
}

}  // namespace jaxgemm
