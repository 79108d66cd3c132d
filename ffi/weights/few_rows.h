// A product of few rows and weights of 4 bits on Hopper: its time is that of reading the weights.
//
// The weights are [K, N], two neighbours along n in a byte, with a scale for each block of k of a
// column: MXFP4 (E2M1, scales of E8M0), or int4 with scales of float32. A step is 32 k. The warps
// of a CTA share a ring of stages in shared memory. A stage has a step for each warp along k. The
// CTAs of a cluster share k, too, and all sums are added up in a fixed order.
//
// The tensor cores compute out^T = w^T x^T (mma.m16n8k16): the weights are the first operand, in
// registers. ldmatrix transposes units of 16 bits, which are four neighbours along n. So each half
// of a lane's register has one k, and value i of the half is column 4 g + i of 32 for lane 4 g + q.
// Columns 4 g + 2 t and 4 g + 2 t + 1 are rows g and g + 8 of product t.
//
// Most integer instructions have half the rate of those of floats, so decoding is what limits the
// kernel. Eight values of E2M1 take 9 such instructions, and eight of int4 take 5.
#pragma once

#include <cstdint>

#include "weights/few_rows_args.h"
#include "weights/few_rows_wgmma.h"

#define JAXGEMM_FEW __device__ __forceinline__

namespace jaxgemm {

template <bool kBF16, bool kE2M1, FewForm kForm>
class FewRows {
  static constexpr int kBlocks = kForm.blocks, kRows = kForm.rows(), kColumns = kForm.columns();
  static constexpr int kWarpsN = kForm.warps_n, kWarpsK = kForm.warps_k(), kSteps = kForm.steps;
  static constexpr int kThreads = 32 * kFewWarps, kStep = kFewStep, kStages = kForm.stages;
  static constexpr int kStageSteps = kForm.stage_steps();
  static constexpr int kProducts = kForm.warp_columns / 16;  // of 16 columns
  static constexpr int kScaleBytes = kE2M1 ? 1 : 4;
  static constexpr int kX = kForm.WeightBytes(), kScales = kX + kForm.XBytes();
  static constexpr int kStage = kForm.StageBytes(kE2M1);
  // The chunks of 16 bytes in a row of a stage. Rows of x are in pieces of kXPiece chunks.
  static constexpr int kChunks = kColumns / 32, kXChunks = kStageSteps * kStep / 8;
  static constexpr int kXPiece = kXChunks < 8 ? kXChunks : 8;
  static constexpr int kScaleChunks = kColumns * kScaleBytes / 16;
  // Chunks of x, and of scales, that a thread copies.
  static constexpr int kXCopies = (kRows * kXChunks + kThreads - 1) / kThreads;
  static constexpr int kScaleCopies = (kStageSteps * kScaleChunks + kThreads - 1) / kThreads;
  // bfloat16 has the exponents for MX scales, so these may multiply the weights, which stay exact.
  // Other scales multiply the float32 sums of each step, or block.
  static constexpr bool kScalesWeights = kBF16 && kE2M1 && !kForm.scale_sums;
  // Integers without their sign: the bits of the value plus 8 are the operand. What the 8 gives
  // too much is where the sums begin.
  static constexpr bool kBits = !kE2M1 && !kForm.wgmma;
  // The values are so small that products with x would be, too.
  static constexpr bool kScalesX = kBF16 && (kBits || (kE2M1 && !kScalesWeights));
  // What the sums are multiplied by in the end: the powers of two that decoding leaves out.
  static constexpr float kFactor = kBits ? (kBF16 ? 0x1p71f : 0x1p24f) : kE2M1 ? (kBF16 ? 0x1p64f : 0x1p14f) : kBF16 ? 64 : 512;
  static constexpr float kOddFactor = kBits ? kFactor / 16 : kFactor;

  static_assert(kStage % 128 == 0 && kX % 128 == 0 && kColumns % 128 == 0);
  static_assert(!kForm.wgmma || (kX % 1024 == 0 && kStage % 1024 == 0 && kXPiece == 8));

 public:
  JAXGEMM_FEW FewRows(const FewRowsArgs& args, char* shared)
      : args_(args),
        shared_(shared),
        lane_(threadIdx.x % 32),
        warp_n_(threadIdx.x / 32 % kWarpsN),
        warp_k_(threadIdx.x / 32 / kWarpsN) {}

  JAXGEMM_FEW void Run() {
    const int split = args_.split, place = blockIdx.x / split;
    rank_ = blockIdx.x % split;
    column_ = place % args_.tiles_n * kColumns;
    const int steps = args_.k / kStep;
    const int64_t stages = (steps + kStageSteps - 1) / kStageSteps;
    begin_ = static_cast<int>(stages * rank_ / split) * kStageSteps;
    end_ = min(static_cast<int>(stages * (rank_ + 1) / split) * kStageSteps, steps);
    whole_ = args_.steps_of_block % kSteps == 0;
    if (!args_.sizes) Prefetch();
    WaitForKernels();
    int first = 0, last = args_.rows;
    if (args_.sizes) FindRows(place / args_.tiles_n, &first, &last);
    for (int row = first; row < last; row += kRows) MultiplyRows(row, last);
  }

 private:
  // Kernels that come next may start, and wait here for the end of this one.
  static JAXGEMM_FEW void WaitForKernels() {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
  // Brings weights into the L2 while the kernels before may still run. If they write the weights,
  // the L2 has what they write.
  JAXGEMM_FEW void Prefetch() const {
    constexpr int kLines = kColumns / 256;
    const int row = threadIdx.x / kLines, line = threadIdx.x % kLines;
    const char* from = static_cast<const char*>(args_.weights) +
                       (int64_t{begin_} * kStep + row) * (args_.n / 2) + column_ / 2 + line * 128;
    if (column_ + line * 256 >= args_.n) return;
#pragma unroll 1
    for (int k = row; k < min((end_ - begin_) * kStep, kForm.prefetch); k += kThreads / kLines) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
      from += int64_t{kThreads / kLines} * (args_.n / 2);
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
        group_ = from + lane - offset;
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
    const int chunks = min(kColumns, args_.n - column_) * (args_.wide ? 4 : 2) / 16;
    for (int row = threadIdx.x / 32; row < args_.rows; row += kFewWarps) {
      if (row >= first && row < last) continue;
      char* to =
          static_cast<char*>(args_.out) + (int64_t{row} * args_.n + column_) * (args_.wide ? 4 : 2);
      for (int i = lane_; i < chunks; i += 32) reinterpret_cast<uint4*>(to)[i] = uint4{};
    }
  }

  static JAXGEMM_FEW uint32_t Shared(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
  }
  // The chunk of a row where lanes find its chunk i, so that the rows that they read at the same
  // time are in different banks.
  template <int kOfRow>
  static JAXGEMM_FEW int Place(int row, int i) {
    return kOfRow >= 8 ? i ^ (row % 8) : i ^ (row / 2 % 4);
  }

  static JAXGEMM_FEW int PlaceOfX(int row, int chunk) {
    const int piece = chunk / kXPiece, i = chunk % kXPiece;
    return ((piece * kRows + row) * kXPiece + Place<kXPiece>(row, i)) * 16;
  }

  // Where this thread copies from and to. A copy of weights is kRowsOfCopy rows of all threads.
  static constexpr int kRowsOfCopy = kThreads / kChunks;
  JAXGEMM_FEW void StartCopies(int row, int last) {
    const int thread = threadIdx.x, k = thread / kChunks, chunk = thread % kChunks;
    weights_ = static_cast<const char*>(args_.weights) +
               (int64_t{group_} * args_.k + begin_ * kStep + k) * (args_.n / 2) + column_ / 2 +
               chunk * 16;
    // The steps whose weights this thread copies; none, if its columns are after the last one.
    weights_end_ = Kept(column_ + chunk * 32 < args_.n ? end_ - k / kStep : 0);
    weights_to_ = Kept(Shared(shared_) + (k * kChunks + Place<kChunks>(k, chunk)) * 16);
#pragma unroll
    for (int i = 0; i < kXCopies; ++i) {
      const int of_rows = (thread + i * kThreads) / kXChunks, part = thread % kXChunks;
      const int at = row + of_rows;
      int line = at < last ? at : -1;
      if (args_.indices && line >= 0) {
        line = args_.indices[line];
        line = line < args_.lines ? line : -1;
      }
      x_bytes_[i] = Kept(line < 0 ? 0 : 16);
      x_[i] = static_cast<const char*>(args_.x) +
              (int64_t{max(line, 0)} * args_.k + begin_ * kStep) * 2 + part * 16;
      x_to_[i] =
          Kept(Shared(shared_) + kX + PlaceOfX(of_rows, part));
      x_end_[i] = Kept(of_rows < kRows ? end_ - part / 4 : 0);
    }
    const int blocks = args_.k / kStep / args_.steps_of_block;
#pragma unroll
    for (int i = 0; i < kScaleCopies; ++i) {
      const int at = thread + i * kThreads, of_step = at / kScaleChunks;
      const int column = column_ + at % kScaleChunks * 16 / kScaleBytes;
      scales_[i] = static_cast<const char*>(args_.scales) +
                   (int64_t{group_} * blocks * args_.n + column) * kScaleBytes;
      scales_step_[i] = Kept(of_step);
      // With blocks of all steps of a warp, the first step has the scales.
      const bool copies = of_step < kStageSteps && !(whole_ && of_step % kSteps);
      scales_end_[i] = Kept(copies && column < args_.n ? end_ - of_step : 0);
    }
    scales_to_ = Kept(Shared(shared_) + kScales + thread * 16);
    scales_row_ = args_.n * kScaleBytes;
    scales_shift_ = __popc(args_.steps_of_block) == 1 ? __ffs(args_.steps_of_block) - 1 : -1;
  }

  static JAXGEMM_FEW void Copy(uint32_t to, const void* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
  }
  static JAXGEMM_FEW void Copy(uint32_t to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  }

  static JAXGEMM_FEW void EndCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int kGroups>
  static JAXGEMM_FEW void WaitForCopies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
  }

  // Loads the stage of the steps from `step`, or nothing after the last one. Each load is a group
  // of copies. Stages are loaded in the order of k.
  JAXGEMM_FEW void Load(uint32_t to, int step) {
    if (step < end_) {
      const int64_t copy = int64_t{kRowsOfCopy / 2} * args_.n;
#pragma unroll
      for (int i = 0; i < kStageSteps * kStep / kRowsOfCopy; ++i) {
        static_assert(kRowsOfCopy % kStep == 0 || kStep % kRowsOfCopy == 0);
        if (step + i * kRowsOfCopy / kStep < weights_end_) {
          Copy(weights_to_ + to + i * kRowsOfCopy * kChunks * 16, weights_);
        }
        weights_ += copy;
      }
#pragma unroll
      for (int i = 0; i < kXCopies; ++i) {
        if (step < x_end_[i]) Copy(x_to_[i] + to, x_[i], x_bytes_[i]);
        x_[i] += kStageSteps * kStep * 2;
      }
#pragma unroll
      for (int i = 0; i < kScaleCopies; ++i) {
        if (step < scales_end_[i]) {
          const int at = step + scales_step_[i];
          const int block = scales_shift_ >= 0 ? at >> scales_shift_ : at / args_.steps_of_block;
          Copy(scales_to_ + to + i * kThreads * 16, scales_[i] + int64_t{block} * scales_row_);
        }
      }
    }
    EndCopies();
  }

  static JAXGEMM_FEW uint32_t Multiply(uint32_t a, uint32_t b) {
    uint32_t out;
    if constexpr (kBF16) {
      asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    } else {
      asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    }
    return out;
  }
  static JAXGEMM_FEW uint32_t MultiplyAdd(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t out;
    if constexpr (kBF16) {
      asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    } else {
      asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    }
    return out;
  }

  // Value `i` of each half of a word as a float of 16 bits, without kFactor. `high` is the word
  // without its lowest 8 bits, and `scale` is for weights that are scaled.
  template <int i>
  static JAXGEMM_FEW uint32_t Decode(uint32_t word, uint32_t high, uint32_t scale) {
    constexpr uint32_t kMask = i % 2 ? 0x00f000f0u : 0x000f000fu;
    const uint32_t from = i < 2 ? word : high;
    if constexpr (kE2M1 && kBF16) {
      // A multiplication moves exponent and mantissa to one place, and the sign to another. What
      // they stand for there is too small by 2**126, also where the exponent is 0.
      const uint32_t moved = (from & kMask) * (i % 2 ? 0x104u : 0x1040u);
      if constexpr (!kScalesWeights) return moved & 0x81c081c0u;
      return Multiply(moved & 0x81c081c0u, scale);
    } else if constexpr (kE2M1) {
      const uint32_t rest = i < 3 ? word << (9 - 4 * (i % 3)) : word >> 3;
      return ((word << (12 - 4 * i)) & 0x80008000u) | (rest & 0x0e000e00u);
    } else {
      // The value plus 8, in the lowest bits of a float, is so many times the least denormal one.
      const uint32_t bits = (from & kMask) ^ (i % 2 ? 0x00800080u : 0x00080008u);
      if constexpr (kBits) {
        return bits;
      } else if constexpr (kBF16) {
        return MultiplyAdd(bits, i % 2 ? 0x7d007d00u : 0x7f007f00u, 0xbe00be00u);  // 2**123, 2**127
      } else {
        return MultiplyAdd(bits, i % 2 ? 0x68006800u : 0x78007800u, 0xa400a400u);  // 2**11, 2**15
      }
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
  static JAXGEMM_FEW void Mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    if constexpr (kBF16) {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%0, %1, %2, %3};"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    } else {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%0, %1, %2, %3};"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
  }

  // The first operand of product t of 32 columns, whose words are `w`, for both halves of a step.
  template <int t>
  static JAXGEMM_FEW void DecodeColumns(uint32_t (&a)[2][4], const uint32_t (&w)[4],
                                        uint32_t bytes) {
    uint32_t pairs[2] = {};
    if constexpr (kScalesWeights) {
      // As exponents of bfloat16, times 2**62.
      constexpr uint32_t kPair = 0x4040 + 2 * t * 0x0101;
      pairs[0] = Multiply(__byte_perm(bytes, 0, kPair) * 128, 0x5e805e80u);
      pairs[1] = Multiply(__byte_perm(bytes, 0, kPair + 0x0101) * 128, 0x5e805e80u);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t high = w[i] >> 8;
      a[i / 2][i % 2 * 2] = Decode<2 * t>(w[i], high, pairs[0]);
      a[i / 2][i % 2 * 2 + 1] = Decode<2 * t + 1>(w[i], high, pairs[1]);
    }
  }
  // The scales of columns 2 t and 2 t + 1 of four.
  struct Scales {
    uint32_t bytes;
    float4 floats;
  };
  template <int t>
  static JAXGEMM_FEW float2 Floats(const Scales& scales) {
    if constexpr (kE2M1) {
      const uint32_t first = t ? scales.bytes << 7 : scales.bytes << 23;
      const uint32_t second = t ? scales.bytes >> 1 : scales.bytes << 15;
      return {__uint_as_float(first & 0x7f800000u), __uint_as_float(second & 0x7f800000u)};
    } else {
      return t ? float2{scales.floats.z, scales.floats.w} : float2{scales.floats.x, scales.floats.y};
    }
  }
  static JAXGEMM_FEW void AddScaled(float (&acc)[kBlocks][4], float (&part)[kBlocks][4],
                                    float2 scale) {
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      acc[block][0] += part[block][0] * scale.x, acc[block][1] += part[block][1] * scale.x;
      acc[block][2] += part[block][2] * scale.y, acc[block][3] += part[block][3] * scale.y;
    }
  }

  // The addresses, in the first stage, of what this lane reads.
  JAXGEMM_FEW void StartReads() {
    const int row = lane_ % 8, k = warp_k_ * kSteps * kStep + lane_;
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const int chunk = (warp_k_ * kSteps + i) * 4;
      x_from_[i] = Kept(Shared(shared_) + kX +
                        (kForm.wgmma ? chunk / 8 * kRows * 128 + chunk % 8 * 16
                                     : PlaceOfX(row, chunk + lane_ / 8)));
    }
#pragma unroll
    for (int i = 0; i < kProducts / 2; ++i) {
      const int chunk = warp_n_ * kProducts / 2 + i;
      weights_from_[i] = Kept(Shared(shared_) + (k * kChunks + Place<kChunks>(k, chunk)) * 16);
    }
    multiply_end_ = Kept(end_ - warp_k_ * kSteps);
    const int column = warp_n_ * kForm.warp_columns + lane_ / 4 * 4;
    scales_from_ = Kept(Shared(shared_) + kScales + (warp_k_ * kSteps * kColumns + column) * kScaleBytes);
  }
  static JAXGEMM_FEW const void* At(uint32_t shared) { return __cvta_shared_to_generic(shared); }
  // Keeps a value in a register. The compiler would compute addresses again in each stage.
  static JAXGEMM_FEW uint32_t Kept(uint32_t value) {
    asm volatile("" : "+r"(value));
    return value;
  }

  JAXGEMM_FEW Scales LoadScales(uint32_t from, int i, int step) const {
    const uint32_t at = scales_from_ + from + (step * kColumns + i * 32) * kScaleBytes;
    Scales scales = {};
    if constexpr (kE2M1) {
      scales.bytes = *static_cast<const uint32_t*>(At(at));
    } else {
      scales.floats = *static_cast<const float4*>(At(at));
    }
    return scales;
  }

  // Multiplies the warp's `steps` steps of a stage, kSteps at most. kWhole: all, of one block.
  template <bool kWhole>
  JAXGEMM_FEW void MultiplyStage(uint32_t from, int steps) {
    if constexpr (kForm.wgmma) {
      MultiplyByWarpgroup<kWhole>(from, steps);
    } else {
      MultiplyByWarp<kWhole>(from, steps);
    }
  }

  template <bool kWhole>
  JAXGEMM_FEW void MultiplyByWarp(uint32_t from, int steps) {
    uint32_t x[kSteps][kBlocks][4];
    float begin[kWhole ? 1 : kSteps][kBlocks][4] = {};
#pragma unroll
    for (int d = 0; d < kSteps; ++d) {
      if (!kWhole && d >= steps) break;
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        LoadMatrices<false>(x[d][i], x_from_[d] + from + i * 8 * kXPiece * 16);
        if constexpr (kScalesX) {
#pragma unroll
          for (int j = 0; j < 4; ++j) x[d][i][j] = Multiply(x[d][i][j], 0x5e805e80u);  // 2**62
        }
        if constexpr (kBits) {
          const uint32_t eights[4] = {0x80088008u, 0x80808080u, 0x80088008u, 0x80808080u};
          Mma(begin[kWhole ? 0 : d][i], eights, x[d][i][0], x[d][i][1]);
          Mma(begin[kWhole ? 0 : d][i], eights, x[d][i][2], x[d][i][3]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kProducts / 2; ++i) {
      float part[2][kBlocks][4];
      Scales scales;
#pragma unroll
      for (int d = 0; d < kSteps; ++d) {
        if (!kWhole && d >= steps) break;
        uint32_t w[4];
        LoadMatrices<true>(w, weights_from_[i] + from + d * kStep * kChunks * 16);
        if (!kWhole || d == 0) scales = LoadScales(from, i, d);
        MultiplyColumns<0, kWhole>(acc_[2 * i], part[0], w, x[d], begin[kWhole ? 0 : d], scales, d);
        MultiplyColumns<1, kWhole>(acc_[2 * i + 1], part[1], w, x[d], begin[kWhole ? 0 : d], scales,
                                   d);
      }
    }
  }
  template <int t, bool kWhole>
  static JAXGEMM_FEW void MultiplyColumns(float (&acc)[kBlocks][4], float (&part)[kBlocks][4],
                                          const uint32_t (&w)[4], const uint32_t (&x)[kBlocks][4],
                                          const float (&begin)[kBlocks][4], const Scales& scales,
                                          int d) {
    uint32_t a[2][4];
    DecodeColumns<t>(a, w, scales.bytes);
    if constexpr (kScalesWeights) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          Mma(acc[block], a[half], x[block][2 * half], x[block][2 * half + 1]);
        }
      }
    } else {
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        if (!kWhole || d == 0) {
#pragma unroll
          for (int j = 0; j < 4; ++j) part[block][j] = begin[block][j];
        }
        Mma(part[block], a[0], x[block][0], x[block][1]);
        Mma(part[block], a[1], x[block][2], x[block][3]);
      }
      if (!kWhole || d == kSteps - 1) AddScaled(acc, part, Floats<t>(scales));
    }
  }

  // The same with wgmma: the four warps of a warpgroup have neighbouring columns. While the
  // products of 16 columns are computed, the next ones are decoded.
  template <bool kWhole>
  JAXGEMM_FEW void MultiplyByWarpgroup(uint32_t from, int steps) {
    // With 128 bytes of k in a row: 8 rows are 1024 bytes, and chunks are swizzled.
    constexpr uint64_t kLayout = uint64_t{1} << 62 | uint64_t{64} << 32 | uint64_t{1} << 16;
    uint32_t a[2][2][4];
    float part[2][kBlocks][4];
    Scales last_scales = {};
    int turn = 0;
#pragma unroll
    for (int i = 0; i < kProducts / 2; ++i) {
      uint32_t w[kSteps][4];
      Scales scales[kWhole ? 1 : kSteps];
#pragma unroll
      for (int d = 0; d < kSteps; ++d) {
        if (!kWhole && d >= steps) break;
        LoadMatrices<true>(w[d], weights_from_[i] + from + d * kStep * kChunks * 16);
        if (!kWhole || d == 0) scales[kWhole ? 0 : d] = LoadScales(from, i, d);
      }
#pragma unroll
      for (int dt = 0; dt < 2 * kSteps; ++dt) {
        // With scales for the sums a product's steps follow each other.
        const int t = kWhole ? dt / kSteps : dt % 2, d = kWhole ? dt % kSteps : dt / 2;
        if (!kWhole && d >= steps) break;
        const Scales& now = scales[kWhole ? 0 : d];
        if (t) {
          DecodeColumns<1>(a[turn], w[d], now.bytes);
        } else {
          DecodeColumns<0>(a[turn], w[d], now.bytes);
        }
        float* to = kScalesWeights ? &acc_[2 * i + t][0][0] : &part[t][0][0];
        const bool first = !kScalesWeights && (!kWhole || d == 0);
        const uint64_t x = kLayout | (((x_from_[d] + from) & 0x3ffff) >> 4);
        FewWgmma<kBF16, kRows>::Fence();
        FewWgmma<kBF16, kRows>::Run(to, a[turn][0], x, !first);
        FewWgmma<kBF16, kRows>::Run(to, a[turn][1], x + 2, true);
        FewWgmma<kBF16, kRows>::Commit();
        FewWgmma<kBF16, kRows>::template Wait<1>();
        // The products before this one are done.
        turn ^= 1;
#pragma unroll
        for (int j = 0; j < 8; ++j) asm volatile("" : "+r"(a[turn][j / 4][j % 4])::"memory");
        if constexpr (!kScalesWeights) {
          if (!first || (i == 0 && dt == 0)) continue;
          FinishPart(part[t ^ 1], acc_[t ? 2 * i : (kWhole || d == 0) ? 2 * i - 1 : 2 * i + 1],
                     t ? Floats<0>(now) : Floats<1>(last_scales));
          if (t) last_scales = now;
        }
      }
      if constexpr (!kScalesWeights) last_scales = scales[kWhole ? 0 : kSteps - 1];
    }
    FewWgmma<kBF16, kRows>::template Wait<0>();
#pragma unroll
    for (int j = 0; j < 16; ++j) asm volatile("" : "+r"(a[j / 8][j / 4 % 2][j % 4])::"memory");
    if constexpr (!kScalesWeights) {
      FinishPart(part[1], acc_[kProducts - 1], Floats<1>(last_scales));
    } else {
#pragma unroll
      for (int j = 0; j < kProducts * kBlocks * 4; ++j) {
        asm volatile("" : "+f"(acc_[j / (4 * kBlocks)][j / 4 % kBlocks][j % 4])::"memory");
      }
    }
  }
  static JAXGEMM_FEW void FinishPart(float (&part)[kBlocks][4], float (&acc)[kBlocks][4],
                                     float2 scale) {
#pragma unroll
    for (int j = 0; j < kBlocks * 4; ++j) asm volatile("" : "+f"(part[j / 4][j % 4])::"memory");
    AddScaled(acc, part, scale);
  }

  JAXGEMM_FEW void MultiplyRows(int row, int last) {
    StartCopies(row, last);
    StartReads();
#pragma unroll
    for (int t = 0; t < kProducts; ++t) {
#pragma unroll
      for (int i = 0; i < kBlocks * 4; ++i) acc_[t][i / 4][i % 4] = 0;
    }
    int next = begin_;
#pragma unroll
    for (int i = 0; i < kStages - 1; ++i, next += kStageSteps) Load(i * kStage, next);
    uint32_t from = 0, to = (kStages - 1) * kStage;  // places of stages in the ring
    for (int step = begin_; step < end_; step += kStageSteps, next += kStageSteps) {
      WaitForCopies<kStages - 2>();
      if constexpr (kForm.wgmma) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncthreads();  // all copies are there, and all warps have read the stage before
      Load(to, next);
      if (step < multiply_end_) {
        if constexpr (kScalesWeights || kSteps == 1) {
          MultiplyStage<false>(from, multiply_end_ - step);
        } else if (whole_) {
          MultiplyStage<true>(from, kSteps);
        } else {
          MultiplyStage<false>(from, multiply_end_ - step);
        }
      }
      to = from;
      from = from == (kStages - 1) * kStage ? 0 : from + kStage;
      from = Kept(from);
    }
    WaitForCopies<0>();
    __syncthreads();
    AddUp(row, min(last - row, kRows));
  }

  // Four sums of part `part` in shared memory: those of a row, from a column.
  JAXGEMM_FEW float4* Sums(int part, int row, int column) const {
    return reinterpret_cast<float4*>(reinterpret_cast<float*>(shared_) +
                                     (part * kRows + row) * kForm.SumColumns() + column);
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
  // Adds up the sums of the CTA's warps, then those of the cluster, and writes `rows` rows.
  JAXGEMM_FEW void AddUp(int row, int rows) {
    // Lane 4 g + q has the columns 4 g to 4 g + 3 of each 32, of rows 2 q and 2 q + 1 of each 8.
#pragma unroll
    for (int i = 0; i < kProducts / 2; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * kBlocks; ++j) {
        const auto sum = [&](int t, int odd) {
          return acc_[2 * i + t][j / 2][j % 2 + 2 * odd] * (odd ? kOddFactor : kFactor);
        };
        *Sums(warp_k_, j / 2 * 8 + lane_ % 4 * 2 + j % 2,
              warp_n_ * kForm.warp_columns + i * 32 + lane_ / 4 * 4) =
            float4{sum(0, 0), sum(0, 1), sum(1, 0), sum(1, 1)};
      }
    }
    __syncthreads();
    constexpr int kFours = kColumns / 4;
    const int split = args_.split;
    for (int i = threadIdx.x; i < rows * kFours; i += kThreads) {
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
    if (split > 1) {
      ClusterBarrier();
      for (int i = threadIdx.x * split + rank_; i < rows * kFours; i += kThreads * split) {
        const uint32_t own = Shared(Sums(0, i / kFours, i % kFours * 4));
        float4 sum = {};
#pragma unroll 4
        for (int rank = 0; rank < split; ++rank) {
          Add(&sum, OfRank(own, rank));
        }
        Store(row + i / kFours, i % kFours * 4, sum);
      }
      ClusterBarrier();  // the others may still read this CTA's sums
    }
    __syncthreads();  // before the next rows
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
    column += column_;
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
  int rank_, group_ = 0, column_;
  int begin_, end_;  // the CTA's steps
  bool whole_;  // blocks have a multiple of kSteps steps
  // What StartCopies finds: addresses, the steps before which there is something to copy, and the
  // bytes of a copy of x, none for zeros.
  const char *weights_, *x_[kXCopies], *scales_[kScaleCopies];
  uint32_t weights_to_, x_to_[kXCopies], scales_to_;
  int weights_end_, x_end_[kXCopies], scales_end_[kScaleCopies], x_bytes_[kXCopies];
  int scales_step_[kScaleCopies], scales_row_, scales_shift_;
  uint32_t weights_from_[kProducts / 2], x_from_[kSteps], scales_from_;
  int multiply_end_;
  // As mma has them: rows 2 q and 2 q + 1 of column 4 g + 2 t, and of column 4 g + 2 t + 1.
  float acc_[kProducts][kBlocks][4];
};

}  // namespace jaxgemm
