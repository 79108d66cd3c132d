// The loads of the main loop on Hopper: the producer's warps fill stages of shared memory, by TMA
// or element by element. mainloop.h multiplies the stages.
#pragma once

#include "sm90/gemm_traits.h"

namespace jaxgemm {

// The position of a work tile's operands, in rows, columns and k of the whole tensors [z, ...].
template <class Traits>
struct OperandPlace {
  int row, column, first_k;  // of this CTA; k tiles count from first_k
  int up;                    // gated: columns from the gate to the up projection; else 0
  int limit_row, limit_k;    // from this row and this k on lhs belongs to another group
  int lhs_z, rhs_z;

  JAXGEMM_SM90 OperandPlace(const GemmArgs& args, const WorkTile& tile, int rank) {
    const Ragged ragged = Traits::RaggedOf(args);
    const bool gated = Traits::IsGated(args);
    row = tile.m * Traits::kTileM + rank * Traits::kCtaM;
    if (ragged == Ragged::kM) row += tile.origin;
    column = tile.n * (gated ? Traits::kTileN / 2 : Traits::kTileN);
    up = gated ? static_cast<int>(args.n) : 0;
    first_k = ragged == Ragged::kK ? tile.origin : 0;
    limit_row = ragged == Ragged::kM ? tile.limit : static_cast<int>(args.m);
    limit_k = ragged == Ragged::kK ? tile.limit : static_cast<int>(args.k);
    lhs_z = args.lhs_batch_stride ? tile.batch : 0;
    rhs_z = args.rhs_batch_stride ? tile.batch : 0;
    if (ragged == Ragged::kM) rhs_z = rhs_z * args.groups.local_groups + tile.group;
  }
  // The tensor's column for column `i` of the tile. Gated tiles have the gate's columns first, then
  // as many of the up projection.
  JAXGEMM_SM90 int Column(int i) const {
    constexpr int kHalf = Traits::kTileN / 2;
    return column + (up && i >= kHalf ? up + i - kHalf : i);
  }
};

// The boxes of a work tile that TMA loads into a stage. A box outside of the operand is left out,
// and the last rows have a box of their own: TMA takes longer for a row outside than for a row
// inside. What is not loaded belongs to rows and columns that are not stored.
template <class Traits>
class TileBoxes {
 public:
  // The largest number of boxes. With multicast the two CTAs that share a k-major lhs load a box
  // each; else one box has all rows, but for few rows, where only the group's are loaded.
  static constexpr bool kIsFewRows = IsFewRows(Traits::kForm);
  static constexpr int kLhs = kIsFewRows            ? Traits::kCtaM / kFewRowsBox
                              : !Traits::kLhsKMajor ? Traits::kCtaM / Traits::kBlock
                              : Traits::kMulticasts ? kMostMulticast
                                                    : 1;
  static constexpr int kRhs = !Traits::kRhsKMajor         ? Traits::kRhsRows / Traits::kBlock
                              : Traits::kLoadsRhsInHalves ? kMostMulticast
                                                          : 1;
  // Rows (or columns) of a whole box.
  static constexpr int kRhsRows = Traits::kRhsRows / kRhs;
  // The columns of the last box, if the tile's columns do not fill boxes of an rhs that is not
  // k-major; else 0.
  static constexpr int kRestColumns = Traits::kRhsKMajor ? 0 : Traits::kTileN % Traits::kBlock;
  static constexpr bool HasRestColumns(int i) { return kRestColumns > 0 && i == kRhs - 1; }
  static JAXGEMM_SM90 int LhsRows(const TensorMaps& maps) {
    if constexpr (!Traits::kMulticasts || !Traits::kLhsKMajor) return Traits::kCtaM / kLhs;
    return Traits::kCtaM >> (maps.cluster_n - 1);  // cluster_n is 1 or 2
  }

  JAXGEMM_SM90 void FindLhs(const GemmArgs& args, const TensorMaps& maps,
                            const OperandPlace<Traits>& place) {
    const int rows = static_cast<int>(args.m), box = LhsRows(maps);
    if (Traits::LoadsLhs(maps)) {
#pragma unroll
      for (int i = 0; i < kLhs && i * box < Traits::kCtaM; ++i) {
        if (kIsFewRows && place.row + i * box >= place.limit_row) break;
        Add<Traits::kLhsKMajor>(i, rows - place.row - i * box, maps.lhs_rest_rows, box * kRowBytes);
      }
    }
  }
  JAXGEMM_SM90 void FindRhs(const GemmArgs& args, const TensorMaps& maps,
                            const OperandPlace<Traits>& place) {
    const int columns = static_cast<int>(args.n) * (Traits::IsGated(args) ? 2 : 1);
    if (Traits::LoadsRhs(maps)) {
#pragma unroll
      for (int i = 0; i < kRhs; ++i) {
        const int bytes = HasRestColumns(i) ? kRestColumns * Traits::kTileK * Traits::kBytes
                                            : Traits::kRhsBytes / kRhs;
        Add<Traits::kRhsKMajor>(kLhs + i, columns - place.Column(i * kRhsRows), maps.rhs_rest_rows,
                                bytes);
      }
    }
  }

  JAXGEMM_SM90 int bytes() const { return static_cast<int>(bytes_); }
  // A whole warp calls this, so that the compiler keeps the members in uniform registers.
  JAXGEMM_SM90 void MakeUniform() { kinds_ = WarpUniform(kinds_), bytes_ = WarpUniform(bytes_); }
  // Calls load(map) with the map of box i, if that is loaded.
  template <class Load>
  JAXGEMM_SM90 void LoadLhs(const TensorMaps& maps, int i, const Load& load) const {
    if (Kind(i) == kNone) return;
    load(Traits::kLhsKMajor && Kind(i) == kRest ? &maps.lhs_rest : &maps.lhs);
  }
  template <class Load>
  JAXGEMM_SM90 void LoadRhs(const TensorMaps& maps, int i, const Load& load) const {
    if (Kind(kLhs + i) == kNone) return;
    const bool is_rest = Traits::kRhsKMajor ? Kind(kLhs + i) == kRest : HasRestColumns(i);
    load(is_rest ? &maps.rhs_rest : &maps.rhs);
  }

 private:
  static constexpr uint32_t kNone = 0, kWhole = 1, kRest = 2;

  JAXGEMM_SM90 uint32_t Kind(int i) const { return kinds_ >> 2 * i & 3; }
  // left: rows from the box's first one to the operand's end.
  template <bool kKMajor>
  JAXGEMM_SM90 void Add(int i, int left, int rest, int bytes) {
    if (left <= 0) return;
    const bool is_rest = kKMajor && left == rest;
    kinds_ |= (is_rest ? kRest : kWhole) << 2 * i;
    bytes_ += is_rest ? rest * kRowBytes : bytes;
  }

  uint32_t kinds_ = 0;  // two bits for each box, those of lhs first
  uint32_t bytes_ = 0;
};

// The CTAs of a cluster that load parts of operands for each other: of rhs, if their tiles have the
// same columns, and of lhs, if their tiles have the same rows.
template <class Traits>
struct MulticastGroup {
  int of_rhs = Traits::kCluster, of_lhs = 1;  // how many CTAs have these columns, and these rows
  int in_rhs = 0, in_lhs = 0;                 // this CTA's place among them
  int first = 0;                              // rank of the first CTA of these columns and rows

  JAXGEMM_SM90 explicit MulticastGroup(const TensorMaps& maps) {
    if constexpr (Traits::kCluster > 1) in_rhs = ClusterCtaRank();
    if constexpr (Traits::kMulticasts) {
      const int rank = ClusterCtaRank();
      of_rhs = maps.cluster_m, of_lhs = maps.cluster_n;  // each is 1 or 2
      in_rhs = rank & (of_rhs - 1), in_lhs = (of_rhs == 2 ? rank >> 1 : rank) & (of_lhs - 1);
      first = rank - in_lhs * of_rhs - in_rhs;
    }
  }
  // How many CTAs read what this CTA loads, and the rank of each.
  JAXGEMM_SM90 int count() const { return of_rhs + of_lhs - 1; }
  JAXGEMM_SM90 int Rank(int i) const {
    return first + (i < of_rhs ? in_lhs * of_rhs + i : (in_lhs ^ 1) * of_rhs + in_rhs);
  }
  // The same as masks, for TMA.
  JAXGEMM_SM90 uint16_t RhsMask() const { return ((1 << of_rhs) - 1) << (first + in_lhs * of_rhs); }
  JAXGEMM_SM90 uint16_t LhsMask() const { return (1 | 1 << of_rhs) << (first + in_rhs); }
};

// Fills the stages by TMA. One warp runs it, of which one lane issues the loads.
template <class Traits>
class TmaLoader {
  using Boxes = TileBoxes<Traits>;

 public:
  JAXGEMM_SM90 TmaLoader(const GemmArgs& args, const TensorMaps& maps, SharedMemory<Traits>& shared,
                         int rank, Index ahead = 0)
      : args_(args),
        maps_(maps),
        rank_(rank),
        multicast_group_(maps),
        full_{WarpUniform(SharedAddress(shared.full))},
        empty_{WarpUniform(SharedAddress(shared.empty))},
        lhs_(WarpUniform(SharedAddress(shared.lhs))),
        rhs_(WarpUniform(SharedAddress(shared.rhs))),
        stage_{.slot = ahead},
        ahead_(ahead) {}

  // Loads the first k tiles of a CTA's first work tile. One lane calls this before the cluster
  // barrier, so each CTA loads its operands itself.
  static JAXGEMM_SM90 void LoadAhead(const GemmArgs& args, const TensorMaps& maps,
                                     SharedMemory<Traits>& shared, int rank, const WorkTile& tile) {
    OperandPlace<Traits> place(args, tile, rank);
    Boxes boxes;
    boxes.FindLhs(args, maps, place);
#pragma unroll
    for (int i = 0; i < kLoadedAhead; ++i) {
      // Forms that ping-pong always have enough k tiles.
      if (!Traits::kIsPingPong && tile.k_begin + i >= tile.k_end) return;
      const int k = place.first_k + (tile.k_begin + i) * Traits::kTileK;
      const uint32_t full = SharedAddress(&shared.full[i]);
      LoadLhs(maps, boxes, place, k, full, SharedAddress(shared.lhs[i]));
      if (i == 0) {
        // Code is fetched slowly, so only what the first load needs is computed before it.
        asm volatile("" : "+r"(place.column));
        boxes.FindRhs(args, maps, place);
      }
      LoadRhs(maps, boxes, place, k, full, SharedAddress(shared.rhs[i]));
      shared.full[i].ArriveExpectTx(boxes.bytes());
    }
  }

  JAXGEMM_SM90 void Load(const WorkTile& tile) {
    const OperandPlace<Traits> place(args_, tile, rank_);
    Boxes boxes;
    boxes.FindLhs(args_, maps_, place);
    boxes.FindRhs(args_, maps_, place);
    boxes.MakeUniform();
    // Only one lane waits: another lane might test the barrier when the next phase has begun.
    if (ElectSync()) {
      Index k_tile = tile.k_begin + ahead_;
      ahead_ = 0;
      for (; k_tile < tile.k_end; ++k_tile, stage_.Advance()) {
        const int k = place.first_k + k_tile * Traits::kTileK;
        empty_.Wait(stage_.slot, stage_.parity ^ 1);
        full_.ArriveExpectTx(stage_.slot, boxes.bytes());
        const uint32_t full = full_.At(stage_.slot);
        const uint32_t lhs = lhs_ + stage_.slot * Traits::kLhsBytes;
        const uint32_t rhs = rhs_ + stage_.slot * Traits::kRhsBytes;
        if (Traits::kMulticasts && multicast_group_.of_lhs > 1) {
          constexpr int kHalf = Boxes::kLhs / kMostMulticast;
#pragma unroll
          for (int j = 0; j < kHalf; ++j) {
            LoadLhsBox(maps_, boxes, place, k, lhs, multicast_group_.in_lhs * kHalf + j,
                       ToAll{.full = full, .mask = multicast_group_.LhsMask()});
          }
        } else {
          LoadLhs(maps_, boxes, place, k, full, lhs);
        }
        if (Traits::kCluster > 1 || (Traits::kMulticasts && multicast_group_.of_rhs > 1)) {
          LoadRhsPart(maps_, boxes, place, k, rhs, multicast_group_.in_rhs,
                      ToAll{.full = full, .mask = multicast_group_.RhsMask()});
        } else {
          LoadRhs(maps_, boxes, place, k, full, rhs);
        }
      }
    }
    __syncwarp();
  }

 private:
  // How a box is loaded: to this CTA, or to all CTAs of a mask.
  struct ToOne {
    uint32_t full;
    JAXGEMM_SM90 void operator()(const TensorMap* map, uint32_t to, int x, int y, int z) const {
      TmaLoad(map, full, to, x, y, z);
    }
  };
  struct ToAll {
    uint32_t full;
    uint16_t mask;
    JAXGEMM_SM90 void operator()(const TensorMap* map, uint32_t to, int x, int y, int z) const {
      TmaLoadMulticast(map, full, to, x, y, z, mask);
    }
  };

  static JAXGEMM_SM90 void LoadLhs(const TensorMaps& maps, const Boxes& boxes,
                                   const OperandPlace<Traits>& place, int k, uint32_t full,
                                   uint32_t to) {
#pragma unroll
    for (int i = 0; i < Boxes::kLhs; ++i) LoadLhsBox(maps, boxes, place, k, to, i, ToOne{full});
  }
  template <class Load>
  static JAXGEMM_SM90 void LoadLhsBox(const TensorMaps& maps, const Boxes& boxes,
                                      const OperandPlace<Traits>& place, int k, uint32_t to, int i,
                                      const Load& load) {
    static_assert(!Traits::kMulticasts || Boxes::kLhs % kMostMulticast == 0);
    const int first = i * Boxes::LhsRows(maps), row = place.row + first;
    boxes.LoadLhs(maps, i, [&](const TensorMap* map) {
      load(map, to + first * kRowBytes, Traits::kLhsKMajor ? k : row, Traits::kLhsKMajor ? row : k,
           place.lhs_z);
    });
  }
  // The number of parts in which rhs is loaded, of which CTAs load one for each other: halves of
  // the columns if rhs is k-major, else parts of the k.
  static JAXGEMM_SM90 int RhsParts(const TensorMaps& maps) {
    return Traits::kRhsKMajor    ? Boxes::kRhs
           : Traits::kMulticasts ? maps.cluster_m
                                 : Traits::kCluster;
  }
  static JAXGEMM_SM90 void LoadRhs(const TensorMaps& maps, const Boxes& boxes,
                                   const OperandPlace<Traits>& place, int k, uint32_t full,
                                   uint32_t to) {
#pragma unroll
    for (int i = 0; i < kMostMulticast; ++i) {
      if (i < RhsParts(maps)) LoadRhsPart(maps, boxes, place, k, to, i, ToOne{full});
    }
  }
  template <class Load>
  static JAXGEMM_SM90 void LoadRhsPart(const TensorMaps& maps, const Boxes& boxes,
                                       const OperandPlace<Traits>& place, int k, uint32_t to,
                                       int part, const Load& load) {
    if constexpr (Traits::kRhsKMajor) {
      const int first = part * Boxes::kRhsRows;
      boxes.LoadRhs(maps, part, [&](const TensorMap* map) {
        load(map, to + first * kRowBytes, k, place.Column(first), place.rhs_z);
      });
    } else {
      // One part or two.
      const int first = part * (Traits::kTileK >> (RhsParts(maps) - 1));
#pragma unroll
      for (int j = 0; j < Boxes::kRhs; ++j) {
        boxes.LoadRhs(maps, j, [&](const TensorMap* map) {
          load(map, to + j * Traits::kBlockBytes + first * kRowBytes,
               place.Column(j * Traits::kBlock), k + first, place.rhs_z);
        });
      }
    }
  }

  const GemmArgs& args_;
  const TensorMaps& maps_;
  const int rank_;
  const MulticastGroup<Traits> multicast_group_;
  // Addresses of the first stage.
  const MbarrierArray full_, empty_;
  const uint32_t lhs_, rhs_;
  // These are valid in the lane that issues the loads.
  RingPlace<Traits::kStages> stage_;
  Index ahead_;  // k tiles of the next work tile that are loaded already
};

// Fills the stages from operands that TMA cannot read: their lines are not a multiple of 16 bytes
// long, or wgmma needs another layout (TmaReads in plan/hopper/copies.cc). All threads of kWarps
// warps copy element by element.
template <class Traits>
struct ElementLoader {
  static constexpr int kWarps = 3, kThreads = kWarps * kWarpSize;
  using Element =
      typename std::conditional_t<Traits::kBytes == 1, uint8_t,
                                  std::conditional_t<Traits::kBytes == 2, uint16_t, uint32_t>>;
  static constexpr int kChunk = 16 / Traits::kBytes;

  const GemmArgs& args;
  const TensorMaps& maps;
  SharedMemory<Traits>& shared;
  int rank, thread;  // thread: below kThreads
  RingPlace<Traits::kStages> stage;

  JAXGEMM_SM90 void Load(const WorkTile& tile) {
    const OperandPlace<Traits> place(args, tile, rank);
    const int64_t lhs_rows = args.m, rhs_rows = args.gated ? 2 * args.n : args.n;
    const char* lhs =
        static_cast<const char*>(args.lhs) + place.lhs_z * lhs_rows * args.k * Traits::kBytes;
    const char* rhs =
        static_cast<const char*>(args.rhs) + place.rhs_z * rhs_rows * args.k * Traits::kBytes;
    for (Index k_tile = tile.k_begin; k_tile < tile.k_end; ++k_tile, stage.Advance()) {
      const int k = place.first_k + k_tile * Traits::kTileK;
      shared.empty[stage.slot].Wait(stage.parity ^ 1);
      if (!maps.lhs_valid) {
        Copy<Traits::kLhsKContiguous, Traits::kLhsKMajor, Traits::kCtaM>(
            lhs, lhs_rows, place.row, k, place.limit_k, shared.lhs[stage.slot], 0);
      }
      if (!maps.rhs_valid) {
        constexpr int kHalf = Traits::kTileN / 2;
        for (int half = 0; half < 2; ++half) {
          Copy<Traits::kRhsKContiguous, Traits::kRhsKMajor, kHalf>(
              rhs, rhs_rows, place.Column(half * kHalf), k, place.limit_k, shared.rhs[stage.slot],
              half * kHalf);
        }
      }
      FenceProxyAsync();
      // Every lane arrives: compute-sanitizer's racecheck assumes no order between the lanes of a
      // warp.
      shared.full[stage.slot].Arrive();
    }
  }

 private:
  // Copies kRows rows, from `row` in memory to the tile's row `first`, in vectors of 16 bytes along
  // the rows of shared memory.
  template <bool kKContiguous, bool kKMajor, int kRows>
  JAXGEMM_SM90 void Copy(const char* from, int64_t rows, int row, int k, int limit_k, char* to,
                         int first) {
    constexpr int kChunks = kRows * 8, kLineChunks = kRows / kChunk;
    const int64_t row_step = kKContiguous ? args.k : 1, k_step = kKContiguous ? 1 : rows;
#pragma unroll 2
    for (int i = thread; i < kChunks; i += kThreads) {
      // Neighbouring lanes read neighbours of a line.
      int r, kk;
      if constexpr (!kKMajor) {
        r = i % kLineChunks * kChunk, kk = i / kLineChunks;
      } else if constexpr (kKContiguous) {
        r = i / 8, kk = i % 8 * kChunk;
      } else {
        r = i % kRows, kk = i / kRows * kChunk;
      }
      const auto* elements =
          reinterpret_cast<const Element*>(from) + (row + r) * row_step + (k + kk) * k_step;
      union {
        Element element[kChunk];
        uint4 whole;
      } copy;
#pragma unroll
      for (int e = 0; e < kChunk; ++e) {
        const bool inside = kKMajor ? row + r < rows && k + kk + e < limit_k
                                    : row + r + e < rows && k + kk < limit_k;
        copy.element[e] = inside ? elements[e * (kKMajor ? k_step : row_step)] : 0;
        if (Traits::kLhs == DType::kF32) copy.element[e] = CvtRnaTf32(copy.element[e]);
      }
      const int line = kKMajor ? first + r : kk, in_line = kKMajor ? kk : first + r;
      *reinterpret_cast<uint4*>(to + in_line / Traits::kBlock * Traits::kBlockBytes +
                                line * kRowBytes +
                                (in_line % Traits::kBlock / kChunk ^ line % 8) * 16) = copy.whole;
    }
  }
};

// When a kernel starts, often no cache has its operands. If there is at most one work tile for each
// workgroup, the CTAs together prefetch to the L2 what their first loads read, before they have
// computed their tiles. These are two cache lines of 128 bytes of each row or column (a tuning
// constant), from each peer's first k tile on. Each thread prefetches one of them.
template <class Traits>
class OperandPrefetch {
  static constexpr int kLine = 128, kLines = 2;
  static_assert(Traits::kTileK * Traits::kBytes == kLine);

 public:
  // Each thread with this peer's part of k calls this; `line` is its number among them.
  static JAXGEMM_SM90 void Run(const GemmArgs& args, int peers, int peer, int line) {
    const TileGrid& grid = args.map.grid;
    if (grid.batch != 1 || grid.num_tiles() * peers > args.claim.num_workgroups) return;
    const int64_t first = int64_t{Div20Bits(peer * grid.tiles_k, peers)} * kLine;
    if (line < args.m * kLines) {
      Fetch<Traits::kLhsKContiguous>(args.lhs, args.m, args.k, first, line);
    } else if (line < (args.m + args.n) * kLines) {
      Fetch<Traits::kRhsKContiguous>(args.rhs, args.n, args.k, first,
                                     line - static_cast<int>(args.m) * kLines);
    }
  }

 private:
  // Prefetches cache line `line` of an operand; `first` is the first byte along k.
  template <bool kKContiguous>
  static JAXGEMM_SM90 void Fetch(const void* operand, int64_t rows, int64_t k, int64_t first,
                                 int line) {
    const char* bytes = static_cast<const char*>(operand);
    const int64_t row_bytes = k * Traits::kBytes;
    if constexpr (kKContiguous) {
      const int64_t in_row = first + line % kLines * kLine;
      if (in_row < row_bytes) PrefetchGlobalL2(bytes + line / kLines * row_bytes + in_row);
    } else {
      const int64_t at = first / Traits::kBytes * rows * Traits::kBytes + int64_t{line} * kLine;
      if (at < rows * row_bytes) PrefetchGlobalL2(bytes + at);
    }
  }
};

// Initialises the barriers of stages [first, end). `copying` threads arrive beside the producer.
// One thread calls this before the cluster barrier.
template <class Traits>
JAXGEMM_SM90 void InitStages(SharedMemory<Traits>& shared, int copying, int first, int end,
                             int ctas = Traits::kCluster) {
  constexpr int kReaders = Traits::kStageReaders * kWarpgroupSize / kWarpSize;
#pragma unroll
  for (int i = first; i < end; ++i) {
    shared.full[i].Init(1 + copying);
    shared.empty[i].Init(kReaders * ctas);
  }
  FenceMbarrierInit();
}

}  // namespace jaxgemm
