// A product of few rows and weights of 4 bits on AMD GPUs: its time is that of reading the weights.
//
// The arrays are those of few_rows.h. A step is 32 k of 128 columns. The waves of a workgroup, and
// `split` workgroups, share the steps. Each wave loads its steps straight to registers, several of
// them ahead. The waves' sums are added up in a fixed order; those of the workgroups are results
// of their own.
//
// Lane 16 g + c has k = 8 g to 8 g + 7 of a step, of the columns 8 c to 8 c + 7 of the weights and
// of row c of x. Columns 8 c + f of all c are the fragment f of the weights. In its accumulators
// the lane has rows 4 g to 4 g + 3 of the same columns, so it has one scale for each fragment.
// Sums of a step are multiplied by the scales in float32. Only bfloat16 from E2M1 on gfx950 gets
// them as it is made: such scales are powers of two, so this is exact.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/isa.h"
#include "weights/few_rows_args.h"

namespace jaxgemm {

template <bool kBF16, bool kE2M1, int kMostBlocks>
class FewRows {
  static constexpr int kWaves = kFewAmdThreads / kWaveSize, kColumns = kFewAmdColumns;
  static constexpr int kStep = kFewStep;
  static constexpr int kFrags = kColumns / 16;
  static constexpr int kScaleBytes = kE2M1 ? 1 : 4;
#if defined(__gfx950__)
  static constexpr bool kScalesFirst = kBF16 && kE2M1;
#else
  static constexpr bool kScalesFirst = false;
#endif
  // Blocks of 16 rows that are multiplied at a time. With scaled sums the registers have room for
  // two, and the weights are read again for the next two.
  static constexpr int kBlocks = kScalesFirst || kMostBlocks < 2 ? kMostBlocks : 2;
  // How many steps a wave loads ahead. A tuning constant: as many as the registers have room for.
  static constexpr int kAhead = kBlocks == 1 ? 4 : kBlocks == 2 ? 3 : 2;

  using Float4 = float __attribute__((ext_vector_type(4)));
  using LdsFloat4 = __attribute__((address_space(3))) Float4;
  using X = typename SelectType<kBF16, __bf16, _Float16>::Type;
  using X2 = X __attribute__((ext_vector_type(2)));
  using X4 = X __attribute__((ext_vector_type(4)));
  using X8 = X __attribute__((ext_vector_type(8)));
  using Scales = uint32_t __attribute__((ext_vector_type(2 * kScaleBytes)));

  struct Loaded {
    uint32_t weights[8];  // [k]: eight columns
    Scales scales;
    Vec16 x[kBlocks];
  };

 public:
  static constexpr int kLdsBytes = kWaves * 16 * kColumns * 4;

  JAXGEMM_AMD FewRows(const FewRowsArgs& args, Lds* lds) : args_(args), lds_(lds) {}

  JAXGEMM_AMD void Run() {
    // Neighbouring tiles have halves of the same cache lines, so they run on the same XCD: those of
    // eight XCDs take turns.
    int id = __builtin_amdgcn_workgroup_id_x();
    const int all = args_.tiles_n * args_.split * Places();
    if (id / 16 < all / 16) id = id / 16 * 16 + id % 8 * 2 + id / 8 % 2;
    column_ = id % args_.tiles_n * kColumns;
    const int others = id / args_.tiles_n;
    rank_ = others % args_.split;
    if (column_ >= args_.n) return;
    int first = 0, last = args_.rows;
    if (args_.sizes) {
      FindRows(others / args_.split, &first, &last);
      if (first >= last) return;
    }
    const int steps = args_.k / kStep;
    begin_ = static_cast<int>(int64_t{steps} * rank_ / args_.split);
    end_ = static_cast<int>(int64_t{steps} * (rank_ + 1) / args_.split);
    for (int row = first; row < last; row += 16 * kBlocks) MultiplyRows(row, last);
  }

 private:
  // A workgroup takes the group that is its place among the local groups that have rows. So there
  // are not more places than rows.
  JAXGEMM_AMD int Places() const {
    return args_.local_groups < args_.rows ? args_.local_groups : args_.rows;
  }
  // The sum over the lanes of a wave (CDNA3 ISA, DPP).
  static JAXGEMM_AMD int WaveSum(int value) {
#define JAXGEMM_DPP_ADD(control, rows) \
  value += __builtin_amdgcn_update_dpp(0, value, control, rows, 0xf, false)
    constexpr int kRowShift = 0x110, kRowBroadcast15 = 0x142, kRowBroadcast31 = 0x143;
    JAXGEMM_DPP_ADD(kRowShift + 1, 0xf);
    JAXGEMM_DPP_ADD(kRowShift + 2, 0xf);
    JAXGEMM_DPP_ADD(kRowShift + 4, 0xf);
    JAXGEMM_DPP_ADD(kRowShift + 8, 0xf);
    JAXGEMM_DPP_ADD(kRowBroadcast15, 0xa);
    JAXGEMM_DPP_ADD(kRowBroadcast31, 0xc);
#undef JAXGEMM_DPP_ADD
    return __builtin_amdgcn_readlane(value, kWaveSize - 1);
  }
  // The rows of the local group with rows number `place`. The workgroups of the first place also
  // clear the rows of no group.
  JAXGEMM_AMD void FindRows(int place, int* first, int* last) {
    const auto clamp = [](int value, int most) __attribute__((always_inline)) {
      return value < 0 ? 0 : value < most ? value : most;
    };
    const int offset = args_.offset ? clamp(*args_.offset, args_.groups) : 0;
    const int all = clamp(offset + args_.local_groups, args_.groups);
    int total = 0, local_first = 0, left = place;
    *first = *last = 0;
    for (int base = 0; base < all; base += kWaveSize) {
      const int i = base + LaneId();
      const int size = i < all ? clamp(args_.sizes[i], args_.rows) : 0;
      uint64_t filled = __builtin_amdgcn_ballot_w64(i >= offset && size > 0);
      const int count = __builtin_popcountll(filled);
      if (left >= 0 && left < count) {
        for (int skipped = 0; skipped < left; ++skipped) filled &= filled - 1;
        const int lane = __builtin_ctzll(filled);
        group_ = base + lane - offset;
        *first = clamp(total + WaveSum(LaneId() < lane ? size : 0), args_.rows);
        *last = clamp(*first + __builtin_amdgcn_readlane(size, lane), args_.rows);
      }
      left -= count;
      local_first = clamp(local_first + WaveSum(i < offset ? size : 0), args_.rows);
      total = clamp(total + WaveSum(size), args_.rows);
    }
    if (place != 0) return;
    for (int row = WaveId(); row < args_.rows; row += kWaves) {
      if (row >= local_first && row < total) continue;
      if (LaneId() < kColumns / 4) Store(row, LaneId() * 4, Float4{});
    }
  }

  // Stores four columns, if the product has them.
  JAXGEMM_AMD void Store(int row, int column, const Float4& sums) const {
    column += column_;
    if (column >= args_.n) return;
    const int64_t at = (int64_t{rank_} * args_.rows + row) * args_.n + column;
    if (args_.wide) {
      *reinterpret_cast<Float4*>(static_cast<float*>(args_.out) + at) = sums;
    } else {
      *reinterpret_cast<X4*>(static_cast<X*>(args_.out) + at) = __builtin_convertvector(sums, X4);
    }
  }

  // Starts the loads of the next step, which return zeros after the last one.
  JAXGEMM_AMD void Load(Loaded& to) {
    const uint32_t records = next_ < end_ ? kOutsideBuffer : 0;
    weights_[2] = scales_[2] = x_[2] = records;
    uint32_t row_bytes = args_.n / 2;
    // Without this asm the compiler keeps the offsets of all rows in registers.
    asm volatile("" : "+s"(row_bytes));
    const uint32_t first = next_ * kStep * row_bytes;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      to.weights[i] = LoadBuffer<uint32_t>(weights_, weights_offset_, first + i * row_bytes);
    }
    const uint32_t scales = block_ * args_.n * kScaleBytes;
    if constexpr (kE2M1) {
      to.scales = LoadBuffer<Vec8>(scales_, scales_offset_, scales);
    } else {
      const auto low = LoadBuffer<Vec16>(scales_, scales_offset_, scales);
      const auto high = LoadBuffer<Vec16>(scales_, scales_offset_, scales + 16);
      to.scales = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      to.x[i] = LoadBuffer<Vec16>(x_, x_offset_[i], next_ * kStep * 2);
    }
    next_ += kWaves;
    block_ += kWaves / args_.steps_of_block;
    rest_ += kWaves % args_.steps_of_block;
    if (rest_ >= args_.steps_of_block) rest_ -= args_.steps_of_block, ++block_;
  }

  static JAXGEMM_AMD float ScaleOf(const Scales& scales, int frag) {
    const uint32_t word = scales[kE2M1 ? frag / 4 : frag];
    return __builtin_bit_cast(float, kE2M1 ? (word >> frag % 4 * 8 & 0xff) << 23 : word);
  }

  // The fragments of a step: elements 2 i and 2 i + 1 of their k in word i.
  static JAXGEMM_AMD void Decode(const Loaded& from, uint32_t (&to)[kFrags][4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t even = from.weights[2 * i], odd = from.weights[2 * i + 1];
#if defined(__gfx950__)
      if constexpr (kE2M1) {
        // The bytes of a word get both k of a column.
        const uint32_t of_even = (even & 0x0f0f0f0fu) | (odd << 4 & 0xf0f0f0f0u);
        const uint32_t of_odd = (even >> 4 & 0x0f0f0f0fu) | (odd & 0xf0f0f0f0u);
        ConvertColumns<0>(from.scales, of_even, of_odd, i, to);
        continue;
      }
#endif
      if constexpr (kE2M1) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          // The bytes of both k beside each other.
          const uint32_t pairs = Permute(odd, even, half ? 0x07030602u : 0x05010400u);
#pragma unroll
          for (int high = 0; high < 2; ++high) {
            const uint32_t which = (high ? pairs >> 4 : pairs) & 0x07070707u;
            const uint32_t sign = (high ? pairs : pairs << 4) & 0x80808080u;
            // The high and the low bytes of 0, 0.5, 1, 1.5, 2, 3, 4, 6.
            const uint32_t upper = (kBF16 ? Permute(0x40404040u, 0x3f3f3f00u, which)
                                          : Permute(0x46444240u, 0x3e3c3800u, which)) |
                                   sign;
            const uint32_t lower = kBF16 ? Permute(0xc0804000u, 0xc0800000u, which) : 0;
            to[4 * half + high][i] = Permute(upper, lower, 0x05010400u);
            to[4 * half + 2 + high][i] = Permute(upper, lower, 0x07030602u);
          }
        }
      } else {
        // The value plus 8, in the lowest bits of 128 or 1024.
        constexpr uint32_t kAround = kBF16 ? 0x43004300u : 0x64006400u;
        even ^= 0x88888888u, odd ^= 0x88888888u;
#pragma unroll
        for (int byte = 0; byte < 4; ++byte) {
          const uint32_t pair = Permute(odd, even, 0x0c040c00u + byte * 0x00010001u);
          to[2 * byte][i] = Centered((pair & 0x000f000fu) | kAround);
          to[2 * byte + 1][i] = Centered((pair >> 4 & 0x000f000fu) | kAround);
        }
      }
    }
  }
  static JAXGEMM_AMD uint32_t Permute(uint32_t high, uint32_t low, uint32_t which) {
    return __builtin_amdgcn_perm(high, low, which);
  }
  // float16's exactly; those of bfloat16 are 136 too large, see Multiply.
  static JAXGEMM_AMD uint32_t Centered(uint32_t pair) {
    if constexpr (kBF16) return pair;
    return __builtin_bit_cast(uint32_t, __builtin_bit_cast(X2, pair) - X2{1032, 1032});
  }
#if defined(__gfx950__)
  template <int kByte>
  static JAXGEMM_AMD void ConvertColumns(const Scales& scales, uint32_t even, uint32_t odd, int i,
                                         uint32_t (&to)[kFrags][4]) {
    if constexpr (kByte < 4) {
      to[2 * kByte][i] = Convert<kByte>(even, ScaleOf(scales, 2 * kByte));
      to[2 * kByte + 1][i] = Convert<kByte>(odd, ScaleOf(scales, 2 * kByte + 1));
      ConvertColumns<kByte + 1>(scales, even, odd, i, to);
    }
  }
  template <int kByte>
  static JAXGEMM_AMD uint32_t Convert(uint32_t values, float scale) {
    if constexpr (kScalesFirst) {
      return __builtin_bit_cast(uint32_t,
                                __builtin_amdgcn_cvt_scalef32_pk_bf16_fp4(values, scale, kByte));
    } else {
      return __builtin_bit_cast(uint32_t,
                                __builtin_amdgcn_cvt_scalef32_pk_f16_fp4(values, 1.0f, kByte));
    }
  }
#endif

  static JAXGEMM_AMD Float4 Mma(const Vec16& x, const Vec16& weights, Float4 acc) {
#if defined(__gfx950__)
    const X8 a = __builtin_bit_cast(X8, x), b = __builtin_bit_cast(X8, weights);
    if constexpr (kBF16)
      return __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, acc, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, acc, 0, 0, 0);
#else
    using Short4 = short __attribute__((ext_vector_type(4)));
    using Part = typename SelectType<kBF16, Short4, X4>::Type;
    struct Parts {
      Part part[2];
    };
    const Parts a = __builtin_bit_cast(Parts, x), b = __builtin_bit_cast(Parts, weights);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if constexpr (kBF16) {
        acc = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a.part[i], b.part[i], acc, 0, 0, 0);
      } else {
        acc = __builtin_amdgcn_mfma_f32_16x16x16f16(a.part[i], b.part[i], acc, 0, 0, 0);
      }
    }
    return acc;
#endif
  }

  JAXGEMM_AMD void Multiply(const Loaded& from) {
    uint32_t words[kFrags][4];
    Decode(from, words);
    Float4 start[kBlocks] = {};
    if constexpr (kBF16 && !kE2M1) {
      // Minus 136 times the sum of x.
      constexpr uint32_t kMinus136 = 0xc308c308u;
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        start[i] = Mma(from.x[i], Vec16{kMinus136, kMinus136, kMinus136, kMinus136}, start[i]);
      }
    }
#pragma unroll
    for (int frag = 0; frag < kFrags; ++frag) {
      const Vec16 weights = {words[frag][0], words[frag][1], words[frag][2], words[frag][3]};
      const float scale = ScaleOf(from.scales, frag);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        if constexpr (kScalesFirst) {
          acc_[i][frag] = Mma(from.x[i], weights, acc_[i][frag]);
        } else {
          acc_[i][frag] += Mma(from.x[i], weights, start[i]) * scale;
        }
      }
    }
  }

  JAXGEMM_AMD void MultiplyRows(int row, int last) {
    const int lane = LaneId(), group = lane / 16, column = lane % 16;
    const int64_t group_bytes = int64_t{args_.k} * args_.n / 2;
    const int64_t blocks = args_.k / kStep / args_.steps_of_block;
    weights_ = MakeResource(reinterpret_cast<uint64_t>(args_.weights) + group_ * group_bytes);
    scales_ = MakeResource(reinterpret_cast<uint64_t>(args_.scales) +
                           group_ * blocks * args_.n * kScaleBytes);
    x_ = MakeResource(reinterpret_cast<uint64_t>(args_.x));
    const int own = column_ + 8 * column;
    weights_offset_ = own < args_.n ? (8 * group * args_.n + own) / 2 : kOutsideBuffer;
    scales_offset_ = own < args_.n ? own * kScaleBytes : kOutsideBuffer;
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      const int at = row + 16 * i + column;
      uint32_t line = at < last ? at : kOutsideBuffer;
      if (args_.indices && at < last) line = args_.indices[at];
      x_offset_[i] = line < static_cast<uint32_t>(args_.lines) ? line * args_.k * 2 + 16 * group
                                                               : kOutsideBuffer;
    }
    next_ = begin_ + WaveId();
    block_ = next_ / args_.steps_of_block, rest_ = next_ % args_.steps_of_block;
#pragma unroll
    for (auto& of_block : acc_) {
#pragma unroll
      for (Float4& acc : of_block) acc = Float4{};
    }
    Loaded loaded[kAhead];
    int left = (end_ - next_ + kWaves - 1) / kWaves;
    if (left > 0) {
#pragma unroll
      for (Loaded& each : loaded) Load(each);
#pragma clang loop unroll(disable)
      for (; left > kAhead; left -= kAhead) {
#pragma unroll
        for (Loaded& each : loaded) {
          __builtin_amdgcn_sched_barrier(0);
          Multiply(each);
          __builtin_amdgcn_sched_barrier(0);
          Load(each);
        }
      }
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        __builtin_amdgcn_sched_barrier(0);
        if (left > i) Multiply(loaded[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      if (i > 0 && row + 16 * i >= last) break;
      AddWaves(acc_[i], row + 16 * i, last);
    }
  }

  // Where four columns of a row of a wave's sums are in LDS.
  JAXGEMM_AMD LdsFloat4* At(int wave, int row, int vec4) const {
    return reinterpret_cast<LdsFloat4*>(lds_) + (wave * 16 + row) * (kColumns / 4) + vec4;
  }
  JAXGEMM_AMD void AddWaves(const Float4 (&acc)[kFrags], int row, int last) {
    const int lane = LaneId(), group = lane / 16, column = lane % 16;
    Barrier();  // the sums before have been read
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        *At(WaveId(), 4 * group + i, 16 * half + column) = Float4{
            acc[4 * half][i], acc[4 * half + 1][i], acc[4 * half + 2][i], acc[4 * half + 3][i]};
      }
    }
    Barrier();
    const int own = ThreadId() / (kColumns / 4), vec4 = ThreadId() % (kColumns / 4);
    Float4 sums = *At(0, own, vec4);
#pragma unroll
    for (int wave = 1; wave < kWaves; ++wave) sums += *At(wave, own, vec4);
    if (row + own < last) Store(row + own, vec4 % 16 * 8 + vec4 / 16 * 4, sums);
  }

  const FewRowsArgs& args_;
  Lds* const lds_;
  int rank_, column_, group_ = 0;
  int begin_, end_;          // the workgroup's steps
  int next_, block_, rest_;  // the next step to load, its block of a scale, its place there
  Resource weights_, scales_, x_;
  uint32_t weights_offset_, scales_offset_, x_offset_[kBlocks];
  Float4 acc_[kBlocks][kFrags];
};

}  // namespace jaxgemm
