// A product of few rows and weights of 4 bits on Hopper: its time is that of reading the weights.
//
// The weights are [K, N], two neighbours along n in a byte, with a scale for each block of k of a
// column: MXFP4 (E2M1, scales of E8M0), or int4 with scales of float32. A step is 32 k. A warp
// multiplies 128 columns by up to 8 * kBlocks rows; the warps of a CTA, and the CTAs of a cluster,
// share the steps, and their sums are added up in a fixed order. Each warp copies its steps to a
// ring of its own in shared memory, so that warps do not wait for each other.
//
// The tensor cores compute out^T = w^T x^T (mma.m16n8k16): the weights are the first operand, in
// registers. The order of k does not matter, if both operands have the same. Lane 4 g + q has
// k = 8 q to 8 q + 7 of a step, of row g of x, and of the columns 16 g to 16 g + 15 of the weights.
// Columns 16 g + 2 t and 16 g + 2 t + 1, which share a byte, are rows g and g + 8 of product t.
// Sums of a step are multiplied by the scale of its block in float32: weights are never rounded.
#pragma once

#include <cstdint>

#include "weights/few_rows_args.h"

#define JAXGEMM_FEW __device__ __forceinline__

namespace jaxgemm {

template <bool kBF16, bool kE2M1, int kBlocks>
class FewRows {
  static constexpr int kWarps = kFewWarps, kColumns = kFewColumns, kStep = kFewStep;
  static constexpr int kProducts = kColumns / 16;  // of 16 columns
  // A stage of a warp's ring: the rows of the weights, with a gap after each eight so that the
  // lanes that read at the same time read from different banks; x; the scales.
  static constexpr int kRowBytes = kColumns / 2, kGap = 32;
  static constexpr int kWeights = kStep * kRowBytes + kStep / 8 * kGap;
  static constexpr int kX = 8 * kStep * 2;  // of eight rows
  static constexpr int kScaleBytes = kE2M1 ? 1 : 4;
  static constexpr int kStage = kWeights + kBlocks * kX + kColumns * kScaleBytes;
  static constexpr int kStages = FewStages(kBlocks);

 public:
  static constexpr int kSharedBytes = FewSharedBytes(kE2M1, kBlocks);
  static_assert(kSharedBytes >= kWarps * kStages * kStage);

  JAXGEMM_FEW FewRows(const FewRowsArgs& args, char* shared)
      : args_(args), shared_(shared), lane_(threadIdx.x % 32), warp_(threadIdx.x / 32) {}

  JAXGEMM_FEW void Run() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const int split = args_.split, place = blockIdx.x / split;
    rank_ = blockIdx.x % split;
    const int tile = place % args_.tiles_n;
    group_ = place / args_.tiles_n;
    column_ = tile * kColumns;
    int first = 0, last = args_.rows;
    if (args_.sizes) FindRows(&first, &last);
    const int steps = args_.k / kStep;
    begin_ = static_cast<int>(int64_t{steps} * rank_ / split);
    end_ = static_cast<int>(int64_t{steps} * (rank_ + 1) / split);
    for (int row = first; row < last; row += 8 * kBlocks) {
      MultiplyRows(row, last);
    }
  }

 private:
  // The rows of this CTA's group. The CTAs of the first group also clear the rows of no group.
  JAXGEMM_FEW void FindRows(int* first, int* last) {
    int offset = args_.offset ? *args_.offset : 0;
    offset = min(max(offset, 0), args_.groups);
    const int own = offset + group_;
    const int all = min(offset + args_.local_groups, args_.groups);
    int before = 0, size = 0, local_first = 0, local_last = 0;
    for (int i = lane_; i < all; i += 32) {
      const int each = max(args_.sizes[i], 0);
      before += i < own ? min(each, args_.rows) : 0;
      size += i == own ? min(each, args_.rows) : 0;
      local_first += i < offset ? min(each, args_.rows) : 0;
      local_last += min(each, args_.rows);
    }
    before = __reduce_add_sync(~0u, before), size = __reduce_add_sync(~0u, size);
    *first = min(before, args_.rows), *last = min(*first + size, args_.rows);
    if (group_ != 0 || rank_ != 0) return;
    local_first = min(__reduce_add_sync(~0u, local_first), args_.rows);
    local_last = min(__reduce_add_sync(~0u, local_last), args_.rows);
    const int columns = min(kColumns, args_.n - column_);
    for (int row = warp_; row < args_.rows; row += kWarps) {
      if (row >= local_first && row < local_last) continue;
      char* to =
          static_cast<char*>(args_.out) + (int64_t{row} * args_.n + column_) * (args_.wide ? 4 : 2);
      for (int i = lane_; i < columns * (args_.wide ? 4 : 2) / 16; i += 32) {
        reinterpret_cast<uint4*>(to)[i] = uint4{};
      }
    }
  }

  static JAXGEMM_FEW uint32_t Shared(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
  }
  // Copies 16 bytes, zeros if they are not there.
  static JAXGEMM_FEW void Copy(uint32_t to, const void* from, bool is_there) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(is_there ? 16 : 0)
                 : "memory");
  }

  // Loads a step, or nothing after the last one. Each load is a group of copies.
  JAXGEMM_FEW void Load(int stage, int step) {
    if (step < end_) {
      const uint32_t to = Shared(shared_) + (warp_ * kStages + stage) * kStage;
      const int64_t row_bytes = args_.n / 2;
      const char* weights = static_cast<const char*>(args_.weights) +
                            (int64_t{group_} * args_.k + step * kStep) * row_bytes + column_ / 2;
#pragma unroll
      for (int i = 0; i < kStep * kRowBytes / 16 / 32; ++i) {
        constexpr int kChunks = kRowBytes / 16;
        const int k = (lane_ + 32 * i) / kChunks, chunk = lane_ % kChunks;
        const bool is_there = column_ + chunk * 32 < args_.n;
        Copy(to + k * kRowBytes + k / 8 * kGap + chunk * 16,
             is_there ? weights + k * row_bytes + chunk * 16 : weights, is_there);
      }
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        const bool is_there = lines_[i] >= 0;
        const char* x = static_cast<const char*>(args_.x) +
                        (int64_t{is_there ? lines_[i] : 0} * args_.k + step * kStep) * 2;
        Copy(to + kWeights + i * kX + lane_ * 16, x + lane_ % 4 * 16, is_there);
      }
      const int blocks = args_.k / kStep / args_.steps_of_block;
      const char* scales =
          static_cast<const char*>(args_.scales) +
          ((int64_t{group_} * blocks + step / args_.steps_of_block) * args_.n + column_) *
              kScaleBytes;
      if (lane_ < kColumns * kScaleBytes / 16) {
        const bool is_there = column_ + lane_ * 16 / kScaleBytes < args_.n;
        Copy(to + kWeights + kBlocks * kX + lane_ * 16, is_there ? scales + lane_ * 16 : scales,
             is_there);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  // Two values of 4 bits as two floats of 16 bits. kHigh: they are in the high bits of the low
  // bytes of `pair`; else in the low bits.
  template <bool kHigh>
  static JAXGEMM_FEW uint32_t Decode(uint32_t pair) {
    uint32_t bits;
    if constexpr (kE2M1) {
      // Sign, exponent and mantissa move to their places. What they stand for there is too small
      // by the difference of the biases, also where the exponent is 0.
      constexpr int kDown = kBF16 ? 6 : 3;
      constexpr uint32_t kSign = 0x80008000u, kRest = kBF16 ? 0x01c001c0u : 0x0e000e00u;
      const uint32_t sign = kHigh ? pair : pair << 4;
      const uint32_t rest = kHigh ? pair >> kDown : kDown > 4 ? pair >> (kDown - 4) : pair << 1;
      bits = (sign & kSign) | (rest & kRest);
      return Multiply(bits, kBF16 ? 0x7e807e80u : 0x74007400u);  // 2**126, 2**14
    } else {
      // The value plus 8, in the lowest bits of 128 or 1024.
      const uint32_t low = kHigh ? pair >> 4 : pair;
      bits = (low & 0x000f000fu) ^ (kBF16 ? 0x43084308u : 0x64086408u);
      return Subtract(bits, kBF16 ? 0x43084308u : 0x64086408u);
    }
  }
  static JAXGEMM_FEW uint32_t Multiply(uint32_t a, uint32_t b) {
    uint32_t out;
    if constexpr (kBF16) {
      asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(0x80008000u));
    } else {
      asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    }
    return out;
  }
  static JAXGEMM_FEW uint32_t Subtract(uint32_t a, uint32_t b) {
    uint32_t out;
    if constexpr (kBF16) {
      asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(b), "r"(0xbf80bf80u), "r"(a));
    } else {
      asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    }
    return out;
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

  // The scales of columns 2 t and 2 t + 1 of a lane's 16.
  template <int t>
  JAXGEMM_FEW void Scales(const char* scales, const uint4& bytes, float* even, float* odd) const {
    if constexpr (kE2M1) {
      const uint32_t word = t < 2 ? bytes.x : t < 4 ? bytes.y : t < 6 ? bytes.z : bytes.w;
      constexpr int kEven = 23 - 16 * (t % 2), kOdd = 15 - 16 * (t % 2);
      const uint32_t first = kEven > 0 ? word << kEven : word;
      const uint32_t second = kOdd > 0 ? word << kOdd : word >> -kOdd;
      *even = __uint_as_float(first & 0x7f800000u), *odd = __uint_as_float(second & 0x7f800000u);
    } else {
      const float2 both = *reinterpret_cast<const float2*>(scales + t * 8);
      *even = both.x, *odd = both.y;
    }
  }

  template <int t>
  JAXGEMM_FEW void MultiplyColumns(const uint2 (&w)[8], const uint4 (&x)[kBlocks],
                                   const char* scales, const uint4& bytes) {
    if constexpr (t < kProducts) {
      constexpr uint32_t kByte = t % 4, kPair = (4 + kByte) * 0x1100 + kByte * 0x11;
      uint32_t a[2][4];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const uint2 &first = w[4 * half + 2 * i], &second = w[4 * half + 2 * i + 1];
          const uint32_t pair =
              __byte_perm(t < 4 ? first.x : first.y, t < 4 ? second.x : second.y, kPair);
          a[half][2 * i] = Decode<false>(pair), a[half][2 * i + 1] = Decode<true>(pair);
        }
      }
      float even, odd;
      Scales<t>(scales, bytes, &even, &odd);
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        float part[4] = {};
        Mma(part, a[0], x[block].x, x[block].y);
        Mma(part, a[1], x[block].z, x[block].w);
        acc_[t][block][0] += part[0] * even, acc_[t][block][1] += part[1] * even;
        acc_[t][block][2] += part[2] * odd, acc_[t][block][3] += part[3] * odd;
      }
      MultiplyColumns<t + 1>(w, x, scales, bytes);
    }
  }

  JAXGEMM_FEW void MultiplyStage(int stage) {
    const char* from = shared_ + (warp_ * kStages + stage) * kStage;
    const int g = lane_ / 4, q = lane_ % 4;
    uint2 w[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      w[i] = *reinterpret_cast<const uint2*>(from + (8 * q + i) * kRowBytes + q * kGap + g * 8);
    }
    uint4 x[kBlocks];
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      x[i] = *reinterpret_cast<const uint4*>(from + kWeights + i * kX + lane_ * 16);
    }
    const char* scales = from + kWeights + kBlocks * kX + g * 16 * kScaleBytes;
    uint4 bytes = {};
    if constexpr (kE2M1) bytes = *reinterpret_cast<const uint4*>(scales);
    MultiplyColumns<0>(w, x, scales, bytes);
  }

  JAXGEMM_FEW void MultiplyRows(int row, int last) {
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      const int at = row + 8 * i + lane_ / 4;
      int line = at < last ? at : -1;
      if (args_.indices && line >= 0) {
        line = args_.indices[line];
        line = line < args_.lines ? line : -1;
      }
      lines_[i] = line;
    }
#pragma unroll
    for (int t = 0; t < kProducts; ++t) {
#pragma unroll
      for (int i = 0; i < kBlocks * 4; ++i) acc_[t][i / 4][i % 4] = 0;
    }
    int next = begin_ + warp_;
#pragma unroll
    for (int i = 0; i < kStages - 1; ++i, next += kWarps) Load(i, next);
    int stage = 0;
    for (int step = begin_ + warp_; step < end_; step += kWarps, next += kWarps) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
      __syncwarp();  // all lanes' copies are there, and all lanes have read the stage before
      Load(stage == 0 ? kStages - 1 : stage - 1, next);
      MultiplyStage(stage);
      stage = stage == kStages - 1 ? 0 : stage + 1;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    AddWarps();
    if (args_.split > 1) AddCluster();
    if (warp_ == 0 && rank_ == 0) Store(row, last);
    __syncthreads();  // before the next rows
    if (args_.split > 1) ClusterBarrier();
  }

  // The place of a lane's four accumulators `i` of part `part` in shared memory.
  JAXGEMM_FEW float4* Sums(int part, int i) const {
    return reinterpret_cast<float4*>(shared_) + (part * kProducts * kBlocks + i) * 32 + lane_;
  }
  JAXGEMM_FEW void StoreSums(int part) {
#pragma unroll
    for (int i = 0; i < kProducts * kBlocks; ++i) {
      const float (&acc)[4] = acc_[i / kBlocks][i % kBlocks];
      *Sums(part, i) = float4{acc[0], acc[1], acc[2], acc[3]};
    }
  }
  JAXGEMM_FEW void Add(int i, const float4& sums) {
    float (&acc)[4] = acc_[i / kBlocks][i % kBlocks];
    acc[0] += sums.x, acc[1] += sums.y, acc[2] += sums.z, acc[3] += sums.w;
  }
  // Afterwards warp 0 has the sums of the CTA.
  JAXGEMM_FEW void AddWarps() {
#pragma unroll 1
    for (int half = kWarps / 2; half > 0; half /= 2) {
      if (warp_ >= half && warp_ < 2 * half) StoreSums(warp_ - half);
      __syncthreads();
      if (warp_ < half) {
#pragma unroll
        for (int i = 0; i < kProducts * kBlocks; ++i) Add(i, *Sums(warp_, i));
      }
      __syncthreads();
    }
  }
  static JAXGEMM_FEW void ClusterBarrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
  }
  // Afterwards warp 0 of the cluster's first CTA has the sums of the cluster.
  JAXGEMM_FEW void AddCluster() {
    if (warp_ == 0 && rank_ > 0) StoreSums(0);
    ClusterBarrier();
    if (warp_ != 0 || rank_ != 0) return;
    for (int rank = 1; rank < args_.split; ++rank) {
#pragma unroll
      for (int i = 0; i < kProducts * kBlocks; ++i) {
        uint32_t from;
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(from)
            : "r"(Shared(Sums(0, i))), "r"(rank));
        float4 sums;
        asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(sums.x), "=f"(sums.y), "=f"(sums.z), "=f"(sums.w)
                     : "r"(from)
                     : "memory");
        Add(i, sums);
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
  // Lane 4 g + q has the columns 16 g to 16 g + 15 of rows 2 q and 2 q + 1 of each eight.
  JAXGEMM_FEW void Store(int first, int last) {
    const int column = column_ + lane_ / 4 * 16;
    if (column >= args_.n) return;
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
      for (int odd = 0; odd < 2; ++odd) {
        const int row = first + 8 * block + lane_ % 4 * 2 + odd;
        if (row >= last) continue;
        const int64_t at = int64_t{row} * args_.n + column;
        if (args_.wide) {
          auto* to = reinterpret_cast<float4*>(static_cast<float*>(args_.out) + at);
#pragma unroll
          for (int t = 0; t < kProducts; t += 2) {
            to[t / 2] = float4{acc_[t][block][odd], acc_[t][block][odd + 2],
                               acc_[t + 1][block][odd], acc_[t + 1][block][odd + 2]};
          }
        } else {
          auto* to = reinterpret_cast<uint4*>(static_cast<uint16_t*>(args_.out) + at);
#pragma unroll
          for (int t = 0; t < kProducts; t += 4) {
            const auto word = [&](int i) {
              return Round(acc_[t + i][block][odd], acc_[t + i][block][odd + 2]);
            };
            to[t / 4] = uint4{word(0), word(1), word(2), word(3)};
          }
        }
      }
    }
  }

  const FewRowsArgs& args_;
  char* const shared_;
  const int lane_, warp_;
  int rank_, group_, column_;
  int begin_, end_;     // the CTA's steps
  int lines_[kBlocks];  // the lines of x of the rows that this lane copies; -1: zeros
  // As mma has them: rows 2 q and 2 q + 1 of column 16 g + 2 t, and of column 16 g + 2 t + 1.
  float acc_[kProducts][kBlocks][4];
};

}  // namespace jaxgemm
