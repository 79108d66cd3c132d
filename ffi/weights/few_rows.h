// A product of few rows and weights of 4 bits on Hopper: its time is that of reading the weights.
//
// The weights are [K, N], two neighbours along n in a byte, with a scale for each block of k of a
// column: MXFP4 (E2M1, scales of E8M0), or int4 with scales of float32. A step is 32 k. Four warps
// of a CTA copy weights, rows of x and scales to a ring of stages in shared memory, and eight warps
// multiply. A stage has some steps for each warp along k. The CTAs of a cluster share k, too, and
// all sums are added up in a fixed order.
//
// The tensor cores compute out^T = w^T x^T (m16n8k16, or wgmma): the weights are the first operand,
// in registers. ldmatrix transposes units of 16 bits, which are four neighbours along n. So each
// half of a lane's register has one k, and value i of the half is column 4 g + i of 32 for lane
// 4 g + q. Columns 4 g + 2 t and 4 g + 2 t + 1 are rows g and g + 8 of product t.
#pragma once

#include <cstdint>

#include "weights/few_rows_args.h"
#include "weights/few_rows_decode.h"
#include "weights/few_rows_loader.h"
#include "weights/few_rows_stages.h"
#include "weights/few_rows_wgmma.h"

namespace jaxgemm {

template <bool kBF16, bool kE2M1, FewForm kForm>
class FewRows {
  using Stages = FewStages<kE2M1, kForm>;
  using Decoder = FewDecoder<kBF16, kE2M1, kForm.wgmma()>;
  using Scales = typename Decoder::Scales;
  static constexpr int kBlocks = kForm.blocks, kRows = kForm.rows(), kSteps = kForm.steps;
  static constexpr int kWarpsN = kForm.warps_n, kWarpsK = kForm.warps_k();
  static constexpr int kThreads = 32 * kFewWarps;  // those that multiply
  // The parts of 32 columns of a warp, and its products of 16 columns.
  static constexpr int kUnits = kForm.warp_columns() / 32, kProducts = 2 * kUnits;

 public:
  JAXGEMM_FEW FewRows(const FewRowsArgs& args, char* shared)
      : args_(args),
        shared_(shared),
        lane_(threadIdx.x % 32),
        warp_n_(threadIdx.x / 32 % kWarpsN),
        warp_k_(kWarpsK == 1 ? 0
                             : __shfl_sync(~0u, static_cast<int>(threadIdx.x / 32 / kWarpsN), 0)),
        stages_(shared) {}

  JAXGEMM_FEW void Run() {
    const int split = args_.split, place = blockIdx.x / split;
    rank_ = blockIdx.x % split;
    part_.column = place % args_.tiles_n * kForm.columns;
    const int steps = args_.k / kFewStep, of_stage = kForm.stage_steps();
    const int64_t stages = (steps + of_stage - 1) / of_stage;
    part_.begin = static_cast<int>(stages * rank_ / split) * of_stage;
    part_.end = min(static_cast<int>(stages * (rank_ + 1) / split) * of_stage, steps);
    part_.whole = !Decoder::kScalesWeights && args_.steps_of_block % kSteps == 0;
    asm volatile("griddepcontrol.launch_dependents;");  // the next kernel may start
    if (!args_.sizes) Prefetch();
    stages_.StartBarriers();
    asm volatile("griddepcontrol.wait;" ::: "memory");  // for the end of those before
    int first = 0;
    part_.last = args_.rows;
    if (args_.sizes) FindRows(place / args_.tiles_n, &first, &part_.last);
    // Registers of the warps that load go to those that multiply.
    if (threadIdx.x >= kThreads) {
      asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kForm.ctas > 1 ? 40 : 56));
      for (part_.row = first; part_.row < part_.last; part_.row += kRows) {
        LoadRows();
        AddUp<true>();
      }
    } else {
      asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kForm.ctas > 1 ? 96 : 224));
      for (part_.row = first; part_.row < part_.last; part_.row += kRows) {
        MultiplyRows();
        AddUp<false>();
      }
    }
  }

 private:
  // Brings the first weights into the L2 while the kernels before may still run. If they write the
  // weights, the L2 has what they write.
  JAXGEMM_FEW void Prefetch() const {
    const int count = min((part_.end - part_.begin) * kFewStep, kFewPrefetch);
    for (int k = threadIdx.x; k < count; k += kForm.threads()) {
      const char* from = static_cast<const char*>(args_.weights) +
                         (int64_t{part_.begin} * kFewStep + k) * (args_.n / 2) + part_.column / 2;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
    }
  }

  // Finds group and rows of this CTA: those of the local group with rows before which are `slot`
  // others. The CTAs of the first slot also clear the rows of no group.
  JAXGEMM_FEW void FindRows(int slot, int* first, int* last) {
    int offset = args_.offset ? *args_.offset : 0;
    offset = min(max(offset, 0), args_.groups);
    const int all = min(offset + args_.local_groups, args_.groups);
    int end = 0, found = 0, local_first = 0;
    *first = *last = 0;
    for (int from = 0; from < all; from += 32) {
      const int i = from + lane_;
      const int size = i < all ? min(max(args_.sizes[i], 0), args_.rows) : 0;
      int sum = size;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_up_sync(~0u, sum, distance);
        if (lane_ >= distance) sum += other;
      }
      const bool is_local = i >= offset && size > 0;
      const uint32_t locals = __ballot_sync(~0u, is_local);
      const int before = found + __popc(locals & ((1u << lane_) - 1));
      const uint32_t match = __ballot_sync(~0u, is_local && before == slot);
      if (match) {
        const int lane = __ffs(match) - 1;
        part_.group = from + lane - offset;
        *last = min(end + __shfl_sync(~0u, sum, lane), args_.rows);
        *first = min(end + __shfl_sync(~0u, sum - size, lane), args_.rows);
      }
      found += __popc(locals);
      local_first += __reduce_add_sync(~0u, i < offset ? size : 0);
      end = min(end + __shfl_sync(~0u, sum, 31), args_.rows);
    }
    if (slot == 0 && rank_ == 0) ClearRows(min(local_first, args_.rows), end);
  }
  // Clears all rows but these.
  JAXGEMM_FEW void ClearRows(int first, int last) {
    const int chunks = min(kForm.columns, args_.n - part_.column) * (args_.wide ? 4 : 2) / 16;
    for (int row = threadIdx.x / 32; row < args_.rows; row += kForm.threads() / 32) {
      if (row >= first && row < last) continue;
      char* to = static_cast<char*>(args_.out) +
                 (int64_t{row} * args_.n + part_.column) * (args_.wide ? 4 : 2);
      for (int i = lane_; i < chunks; i += 32) reinterpret_cast<uint4*>(to)[i] = uint4{};
    }
  }

  JAXGEMM_FEW void LoadRows() {
    FewLoader<kE2M1, kForm> loader(args_, part_, stages_.shared());
    for (int step = part_.begin; step < part_.end; step += kForm.stage_steps()) {
      stages_.WaitUntilEmpty();
      loader.Load(stages_.from(), step);
      stages_.FillAndNext();
    }
  }

  JAXGEMM_FEW void MultiplyRows() {
    StartReads();
#pragma unroll
    for (int t = 0; t < kProducts; ++t) {
#pragma unroll
      for (int i = 0; i < kBlocks * 4; ++i) acc_[t][i / 4][i % 4] = 0;
    }
    const int end = part_.end - warp_k_ * kSteps;
    for (int step = part_.begin; step < part_.end; step += kForm.stage_steps()) {
      stages_.WaitUntilFull();
      if constexpr (kForm.wgmma()) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      if (step < end) MultiplyStage(stages_.from(), end - step);
      stages_.EmptyAndNext();
    }
  }

  // Four matrices of 8 x 8 units of 16 bits: two of a row, or transposed of a column.
  template <bool kTransposed>
  static JAXGEMM_FEW void LoadMatrices(uint32_t (&to)[4], uint32_t from) {
    if constexpr (kTransposed) {
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                   : "r"(from)
                   : "memory");
    } else {
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                   : "r"(from)
                   : "memory");
    }
  }
  // d = a b + c.
  static JAXGEMM_FEW void Mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                              const float (&c)[4]) {
    if constexpr (kBF16) {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%10, %11, %12, %13};"
          : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]),
            "f"(c[2]), "f"(c[3]));
    } else {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%10, %11, %12, %13};"
          : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]),
            "f"(c[2]), "f"(c[3]));
    }
  }

  // Adds sums of product t, times the scales of its columns.
  static JAXGEMM_FEW void AddScaled(float (&acc)[kBlocks][4], const float (&part)[kBlocks][4],
                                    const Scales& scales, int t) {
    float even, odd;
    if constexpr (kE2M1) {
      const uint32_t first = t ? scales.bytes << 7 : scales.bytes << 23;
      const uint32_t second = t ? scales.bytes >> 1 : scales.bytes << 15;
      even = __uint_as_float(first & 0x7f800000u), odd = __uint_as_float(second & 0x7f800000u);
    } else {
      even = t ? scales.floats.z : scales.floats.x, odd = t ? scales.floats.w : scales.floats.y;
    }
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      acc[block][0] += part[block][0] * even, acc[block][1] += part[block][1] * even;
      acc[block][2] += part[block][2] * odd, acc[block][3] += part[block][3] * odd;
    }
  }

  // The addresses, in the first stage, of what this lane reads.
  JAXGEMM_FEW void StartReads() {
    const uint32_t shared = stages_.shared();
    const int row = lane_ % 8, k = warp_k_ * kSteps * kFewStep + lane_;
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const int chunk = (warp_k_ * kSteps + i) * 4;
      x_from_[i] = shared + (kForm.wgmma() ? Stages::kX + chunk / 8 * kRows * 128 + chunk % 8 * 16
                                           : Stages::PlaceOfX(row, chunk + lane_ / 8));
      if constexpr (!kForm.wgmma()) x_from_[i] = FewKept(x_from_[i]);
    }
#pragma unroll
    for (int i = 0; i < kUnits; ++i) {
      weights_from_[i] = FewKept(shared + Stages::PlaceOfWeights(k, warp_n_ * kUnits + i));
    }
    const int column = warp_n_ * kForm.warp_columns() + lane_ / 4 * 4;
    scales_from_ = FewKept(shared + Stages::kScales +
                           (warp_k_ * kSteps * kForm.columns + column) * Stages::kScaleBytes);
  }
  JAXGEMM_FEW Scales LoadScales(uint32_t from, int i, int step) const {
    const uint32_t at = scales_from_ + from + (step * kForm.columns + i * 32) * Stages::kScaleBytes;
    Scales scales = {};
    if constexpr (kE2M1) {
      scales.bytes = *static_cast<const uint32_t*>(__cvta_shared_to_generic(at));
    } else {
      scales.floats = *static_cast<const float4*>(__cvta_shared_to_generic(at));
    }
    return scales;
  }

  // Multiplies the warp's `steps` steps of a stage, kSteps at most.
  JAXGEMM_FEW void MultiplyStage(uint32_t from, int steps) {
    if (kSteps == 1 || (Decoder::kScalesWeights ? steps >= kSteps : part_.whole)) {
      MultiplySteps<kSteps>(from, 0);
    } else {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step < steps) MultiplySteps<1>(from, step);
      }
    }
  }
  // Multiplies kN steps, with one scale for each column if scales are not for the weights.
  template <int kN>
  JAXGEMM_FEW void MultiplySteps(uint32_t from, int step) {
    if constexpr (kForm.wgmma()) {
      MultiplyByWarpgroup<kN>(from, step);
    } else {
      MultiplyByWarp<kN>(from, step);
    }
  }

  template <int kN>
  JAXGEMM_FEW void MultiplyByWarp(uint32_t from, int step) {
    uint32_t x[kN][kBlocks][4];
    float begin[kBlocks][4] = {};
#pragma unroll
    for (int d = 0; d < kN; ++d) {
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        LoadMatrices<false>(x[d][i], x_from_[step + d] + from + i * 8 * Stages::kXPiece * 16);
        if constexpr (Decoder::kScalesX) {
#pragma unroll
          for (int j = 0; j < 4; ++j)
            x[d][i][j] = Decoder::Multiply(x[d][i][j], 0x5e805e80u);  // 2**62
        }
        if constexpr (Decoder::kBits) {
          const uint32_t eights[4] = {0x80088008u, 0x80808080u, 0x80088008u, 0x80808080u};
          Mma(begin[i], eights, x[d][i][0], x[d][i][1], begin[i]);
          Mma(begin[i], eights, x[d][i][2], x[d][i][3], begin[i]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kProducts / 2; ++i) {
      float part[2][kBlocks][4];
#pragma unroll
      for (int d = 0; d < kN; ++d) {
        uint32_t w[4], a[2][4];
        LoadMatrices<true>(w,
                           weights_from_[i] + from + (step + d) * kFewStep * Stages::kChunks * 16);
        const Scales scales = LoadScales(from, i, step + (Decoder::kScalesWeights ? d : 0));
#pragma unroll
        for (int t = 0; t < 2; ++t) {
          Decoder::DecodeColumns(a, t, w, scales);
          float (&to)[kBlocks][4] = Decoder::kScalesWeights ? acc_[2 * i + t] : part[t];
#pragma unroll
          for (int half = 0; half < 2; ++half) {
#pragma unroll
            for (int block = 0; block < kBlocks; ++block) {
              const bool first = !Decoder::kScalesWeights && d == 0 && half == 0;
              Mma(to[block], a[half], x[d][block][2 * half], x[d][block][2 * half + 1],
                  first ? begin[block] : to[block]);
            }
          }
          if (!Decoder::kScalesWeights && d == kN - 1)
            AddScaled(acc_[2 * i + t], part[t], scales, t);
        }
      }
    }
  }

  // The same with wgmma: the four warps of a warpgroup have neighbouring columns. While the tensor
  // cores multiply, the next columns are decoded, and those after them are read.
  template <int kN>
  JAXGEMM_FEW void MultiplyByWarpgroup(uint32_t from, int step) {
    using Wgmma = FewWgmma<kBF16, kRows>;
    uint32_t w[2][4], a[2][2][4];
    Scales scales[3];
    float part[2][kBlocks][4];
    constexpr int kReads = kUnits * kN, kTurns = 2 * kReads;
    ReadUnit<kN>(w[0], scales[0], from, step, 0);
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int read = turn / 2, d = read % kN;
      if (turn % 2 == 0 && read + 1 < kReads) {
        ReadUnit<kN>(w[(read + 1) % 2], scales[(read + 1) % 3], from, step, read + 1);
      }
      const int at = turn % 2;
      Decoder::DecodeColumns(a[at], at, w[read % 2], scales[read % 3]);
      float (&to)[kBlocks][4] = Decoder::kScalesWeights ? acc_[Product<kN>(turn)] : part[at];
      // Rows of x have 128 bytes, whose chunks are swizzled, and 8 rows 1024 bytes.
      constexpr uint64_t kLayout = uint64_t{1} << 62 | uint64_t{64} << 32 | uint64_t{1} << 16;
      const uint64_t x = kLayout | ((x_from_[step + d] + from) >> 4);
      Wgmma::Fence();
      Wgmma::Run(to, a[at][0], x, Decoder::kScalesWeights || d > 0);
      Wgmma::Run(to, a[at][1], x + 2, true);
      Wgmma::Commit();
      if (turn == 0) continue;
      Wgmma::template Wait<1>();
      FinishTurn<kN>(a, part, scales, turn - 1);
    }
    Wgmma::template Wait<0>();
    FinishTurn<kN>(a, part, scales, kTurns - 1);
    if constexpr (Decoder::kScalesWeights) {
#pragma unroll
      for (int i = 0; i < kProducts; ++i) Wgmma::Keep(acc_[i]);
    }
  }
  // The product of a turn: the products of a unit take turns at each step.
  template <int kN>
  static JAXGEMM_FEW constexpr int Product(int turn) {
    return turn / 2 / kN * 2 + turn % 2;
  }
  // Reads the weights of a step of a unit, and what scales they need.
  template <int kN>
  JAXGEMM_FEW void ReadUnit(uint32_t (&w)[4], Scales& scales, uint32_t from, int step, int read) {
    const int i = read / kN, d = read % kN;
    LoadMatrices<true>(w, weights_from_[i] + from + (step + d) * kFewStep * Stages::kChunks * 16);
    if (Decoder::kScalesWeights || d == kN - 1) {
      scales = LoadScales(from, i, step + (Decoder::kScalesWeights ? d : 0));
    }
  }
  template <int kN>
  JAXGEMM_FEW void FinishTurn(uint32_t (&a)[2][2][4], float (&part)[2][kBlocks][4],
                              const Scales (&scales)[3], int turn) {
    const int read = turn / 2, t = turn % 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) asm volatile("" : "+r"(a[t][j / 4][j % 4])::"memory");
    if (Decoder::kScalesWeights || read % kN < kN - 1) return;
    FewWgmma<kBF16, kRows>::Keep(part[t]);
    AddScaled(acc_[Product<kN>(turn)], part[t], scales[read % 3], t);
  }

  // Four sums of part `part` in shared memory: those of a row, from a column.
  JAXGEMM_FEW float4* Sums(int part, int row, int column) const {
    return reinterpret_cast<float4*>(reinterpret_cast<float*>(shared_) +
                                     (part * kRows + row) * kForm.sum_columns() + column);
  }
  static JAXGEMM_FEW void Add(float4* to, const float4& from) {
    to->x += from.x, to->y += from.y, to->z += from.z, to->w += from.w;
  }
  // What a CTA of the cluster has at an address of its shared memory.
  static JAXGEMM_FEW float4 OfRank(uint32_t own, int rank) {
    uint32_t from;
    float4 value;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(from) : "r"(own), "r"(rank));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "r"(from)
                 : "memory");
    return value;
  }
  static JAXGEMM_FEW void ClusterBarrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
  }
  // Adds up the sums of the CTA's warps, and those of the cluster, and writes `rows` rows. The sums
  // of two warps are added up together with those of the other CTAs, and others before.
  template <bool kLoads>
  JAXGEMM_FEW void AddUp() {
    __syncthreads();  // all stages are read
    if constexpr (!kLoads) StoreSums();
    constexpr int kFours = kForm.columns / 4;
    constexpr bool kWarpsFirst = kWarpsK != 2;
    const int split = args_.split, row = part_.row;
    const int fours = kLoads ? 0 : min(part_.last - row, kRows) * kFours;
    if (kWarpsFirst || split == 1) __syncthreads();
    if constexpr (kWarpsFirst) {
      for (int i = threadIdx.x; i < fours; i += kThreads) {
        float4 sum = *Sums(0, i / kFours, i % kFours * 4);
#pragma unroll
        for (int part = 1; part < kWarpsK; ++part) {
          Add(&sum, *Sums(part, i / kFours, i % kFours * 4));
        }
        if (split > 1) {
          *Sums(0, i / kFours, i % kFours * 4) = sum;
        } else {
          Store(row + i / kFours, i % kFours * 4, sum);
        }
      }
    }
    if (split > 1) ClusterBarrier();
    if (!kWarpsFirst || split > 1) {
      for (int i = threadIdx.x * split + rank_; i < fours; i += kThreads * split) {
        float4 sum = {};
#pragma unroll 4
        for (int rank = 0; rank < split; ++rank) {
#pragma unroll
          for (int part = 0; part < (kWarpsFirst ? 1 : kWarpsK); ++part) {
            const float4* own = Sums(part, i / kFours, i % kFours * 4);
            Add(&sum, split > 1 ? OfRank(Stages::Address(own), rank) : *own);
          }
        }
        Store(row + i / kFours, i % kFours * 4, sum);
      }
    }
    if (split > 1) ClusterBarrier();  // the others may still read this CTA's sums
    __syncthreads();                  // before the next rows
  }
  JAXGEMM_FEW void StoreSums() const {
    // Lane 4 g + q has the columns 4 g to 4 g + 3 of each 32, of rows 2 q and 2 q + 1 of each 8.
#pragma unroll
    for (int i = 0; i < kUnits; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * kBlocks; ++j) {
        const auto sum = [&](int t, int odd) {
          return acc_[2 * i + t][j / 2][j % 2 + 2 * odd] *
                 (odd ? Decoder::kOddFactor : Decoder::kFactor);
        };
        *Sums(warp_k_, j / 2 * 8 + lane_ % 4 * 2 + j % 2,
              warp_n_ * kForm.warp_columns() + i * 32 + lane_ / 4 * 4) =
            float4{sum(0, 0), sum(0, 1), sum(1, 0), sum(1, 1)};
      }
    }
  }

  static JAXGEMM_FEW uint32_t Round(float low, float high) {
    uint32_t word;
    if constexpr (kBF16) {
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    } else {
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    }
    return word;
  }
  JAXGEMM_FEW void Store(int row, int column, const float4& sum) {
    column += part_.column;
    if (column >= args_.n) return;
    const int64_t at = int64_t{row} * args_.n + column;
    if (args_.wide) {
      *reinterpret_cast<float4*>(static_cast<float*>(args_.out) + at) = sum;
    } else {
      *reinterpret_cast<uint2*>(static_cast<uint16_t*>(args_.out) + at) =
          uint2{Round(sum.x, sum.y), Round(sum.z, sum.w)};
    }
  }

  const FewRowsArgs& args_;
  char* const shared_;
  const int lane_, warp_n_, warp_k_;
  int rank_;
  Stages stages_;
  FewPart part_ = {};
  uint32_t weights_from_[kUnits], x_from_[kSteps], scales_from_;
  // In the layout of mma: rows 2 q and 2 q + 1 of column 4 g + 2 t, and of column 4 g + 2 t + 1.
  float acc_[kProducts][kBlocks][4];
};

}  // namespace jaxgemm
