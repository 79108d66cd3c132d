// The epilogue on AMD GPUs: a wave's fragments go through LDS, so that one short loop for all
// types of out stores whole rows, four elements per lane.
#pragma once

#include "kernel/epilogue.h"
#include "kernel/gemm_args.h"
#include "kernel/gemm_traits.h"

namespace jaxgemm {

// Bytes of LDS in which one wave stages two rows of fragments at a time.
template <class Traits>
inline constexpr int kStageBytes = 2 * 16 * Traits::kWaveN * 4;

// Stores four neighbours of a row, or the first `count` of them.
template <class T>
JAXGEMM_AMD void StoreFour(void* base, int64_t offset, Vec4<T> value, int count, bool aligned) {
  T* to = static_cast<T*>(base) + offset;
  if (aligned) {
    *reinterpret_cast<Vec4<T>*>(to) = value;
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i < count) to[i] = value[i];
  }
}

template <class Format>
JAXGEMM_AMD Vec4<uint8_t> EncodeFour(Vec4<float> value) {
  Vec4<uint8_t> code;
#pragma unroll
  for (int i = 0; i < 4; ++i) code[i] = EncodeSmallFloat<Format>(value[i]);
  return code;
}

JAXGEMM_AMD void StoreAs(DType dtype, void* base, int64_t offset, Vec4<float> value, int count,
                         bool aligned) {
  switch (dtype) {
    case DType::kF32: return StoreFour<float>(base, offset, value, count, aligned);
    case DType::kF16:
      return StoreFour<_Float16>(base, offset, __builtin_convertvector(value, Vec4<_Float16>),
                                 count, aligned);
    case DType::kBF16:
      return StoreFour<__bf16>(base, offset, __builtin_convertvector(value, Vec4<__bf16>), count,
                               aligned);
#define JAXGEMM_FLOAT8(id, format, exponent_bits, mantissa_bits, exponent_bias, specials) \
  case DType::id:                                                                         \
    return StoreFour<uint8_t>(base, offset, EncodeFour<format>(value), count, aligned);
#include "spec/instances.def"
#undef JAXGEMM_FLOAT8
    case DType::kS8:
    case DType::kS32: return;  // only from int32_t
  }
}

// int8 results wrap, as in an integer conversion.
JAXGEMM_AMD void StoreAs(DType dtype, void* base, int64_t offset, Vec4<int32_t> value, int count,
                         bool aligned) {
  if (dtype == DType::kS8) {
    StoreFour<int8_t>(base, offset, __builtin_convertvector(value, Vec4<int8_t>), count, aligned);
  } else {
    StoreFour<int32_t>(base, offset, value, count, aligned);
  }
}

JAXGEMM_AMD Vec4<float> Activate(Activation activation, Vec4<float> value) {
  switch (activation) {
    case Activation::kNone: break;
#define JAXGEMM_ACTIVATION(id, name, function)                                   \
  case Activation::id:                                                           \
    _Pragma("unroll") for (int i = 0; i < 4; ++i) value[i] = function(value[i]); \
    break;
#include "spec/instances.def"
#undef JAXGEMM_ACTIVATION
  }
  return value;
}

template <class T>
JAXGEMM_AMD Vec4<T> LoadFour(const void* base, int64_t offset, int count) {
  const T* from = static_cast<const T*>(base) + offset;
  Vec4<T> value = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i < count) value[i] = from[i];
  }
  return value;
}

// The position of a lane's four columns in the staged rows of its wave, in out, bias and scale.
template <class Traits>
struct LaneColumns {
  static constexpr int kFours = Traits::kWaveN / 4;  // groups of four columns in a staged row

  bool gated;
  int64_t col;    // in out
  int four, row;  // in the staged rows; gated: the up projection's four is `four` + 4

  explicit JAXGEMM_AMD LaneColumns(const GemmArgs& args, const WorkTile& tile) : gated(args.gated) {
    const int lane = LaneId();
    const int fours = gated ? kFours / 2 : kFours;
    const int in_row = lane % fours;
    row = lane / fours;
    four = gated ? in_row / 4 * 8 + in_row % 4 : in_row;
    const int64_t sums = int64_t{tile.n} * Traits::kTileN + Traits::WaveN() * Traits::kWaveN;
    col = (gated ? sums / 2 : sums) + 4 * in_row;
  }
  JAXGEMM_AMD int rows_at_once() const { return kWaveSize / kFours * (gated ? 2 : 1); }
};

// Bias and scale of four columns of one matrix.
struct LaneVectors {
  // The bits of float, or of int32_t with an integer out: zero is the same in both.
  Vec4<uint32_t> bias = 0;
  Vec4<float> scale = 1;

  JAXGEMM_AMD LaneVectors(const GemmArgs& args, const WorkTile& tile, int64_t col, int count) {
    // Rows of no group stay zero: every activation of zero is zero.
    if (tile.zero) return;
    const Index vector = args.groups.ragged == Ragged::kM ? tile.group : tile.batch;
    if (args.bias) {
      bias = LoadFour<uint32_t>(args.bias, vector * args.bias_batch_stride + col, count);
    }
    if (args.scale) {
      const int64_t scale_at = vector * args.scale_batch_stride;
      scale = args.scale_stride ? LoadFour<float>(args.scale, scale_at + col, count)
                                : Vec4<float>(args.scale[scale_at]);
    }
  }
  template <class Sum4>
  JAXGEMM_AMD Vec4<float> Apply(Sum4 sum) const {
    return __builtin_convertvector(sum, Vec4<float>) * scale +
           __builtin_bit_cast(Vec4<float>, bias);
  }
};

// The accumulators are in registers or, if `loaded` is not null, in memory, with kThreads Sum4
// from one fragment to the next. `stage` is this wave's own kStageBytes of LDS.
template <class Traits>
JAXGEMM_AMD void StoreTile(const GemmArgs& args, const WorkTile& tile,
                           typename Traits::Sum4 (&sums)[Traits::kFragsM][Traits::kFragsN],
                           const typename Traits::Sum4* loaded, Lds* stage) {
  using Sum4 = typename Traits::Sum4;
  using LdsSum4 = __attribute__((address_space(3))) Sum4;
  using Columns = LaneColumns<Traits>;
  constexpr int kFours = Columns::kFours;
  constexpr bool kInteger = Traits::kLhs == DType::kS8;
  static_assert(kWaveSize % kFours == 0 && Traits::kFragsM % 2 == 0 && Traits::kFragsN % 2 == 0);
  const int lane = LaneId();
  // Each row spans all banks, so its groups of four columns are swizzled.
  auto at = [stage](int row, int four) {
    return reinterpret_cast<LdsSum4*>(stage) + row * kFours + (four ^ (row % 16 % kFours));
  };

  const Columns columns(args, tile);
  const int64_t col = columns.col;
  const int64_t first_row =
      int64_t{tile.m} * Traits::kTileM + Traits::WaveM() * Traits::kWaveM + columns.row;
  const int count = args.n - col < 4 ? static_cast<int>(args.n - col) : 4;
  const bool aligned = args.n % 4 == 0;
  const bool integer_out = args.out_dtype == DType::kS32 || args.out_dtype == DType::kS8;
  const bool ragged_m = args.groups.ragged == Ragged::kM;
  const int64_t rows = ragged_m ? tile.limit - tile.origin : args.m;
  int64_t row_of_out = tile.batch * args.m;
  if (ragged_m) row_of_out += tile.origin;
  if (args.groups.ragged == Ragged::kK) {
    row_of_out = (int64_t{tile.batch} * args.groups.local_groups + tile.group) * args.m;
  }
  const LaneVectors vectors(args, tile, col, count);

#pragma clang loop unroll(disable)
  for (int pass = 0; pass < Traits::kFragsM / 2; ++pass) {
    if (loaded) {
#pragma unroll 4
      for (int i = 0; i < 2 * Traits::kFragsN; ++i, loaded += Traits::kThreads) {
        const int frag_m = i / Traits::kFragsN, frag_n = i % Traits::kFragsN;
        *at(frag_m * 16 + lane % 16, 4 * frag_n + lane / 16) = *loaded;
      }
    }
    // Registers cannot be indexed: one branch for each pass.
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; ++i) {
      if (i / 2 != pass || loaded) continue;
#pragma unroll
      for (int j = 0; j < Traits::kFragsN; ++j) {
        *at(i % 2 * 16 + lane % 16, 4 * j + lane / 16) = sums[i][j];
      }
    }
#pragma clang loop unroll(disable)
    for (int staged = 0; staged < 32; staged += columns.rows_at_once()) {
      const Sum4 sum = *at(staged + columns.row, columns.four);
      const int64_t row = first_row + pass * 32 + staged;
      if (row >= rows || count <= 0) continue;
      const int64_t out_row = row_of_out + row, offset = out_row * args.n + col;
      if constexpr (kInteger) {
        if (integer_out) {
          StoreAs(args.out_dtype, args.out, offset, sum + __builtin_bit_cast(Sum4, vectors.bias),
                  count, aligned);
          continue;
        }
      }
      const Vec4<float> z = vectors.Apply(sum);
      Vec4<float> up = 1, value = Activate(args.activation, z);
      if (columns.gated) {
        const LaneVectors up_vectors(args, tile, args.n + col, count);
        up = up_vectors.Apply(*at(staged + columns.row, columns.four + 4));
        value *= up;
      }
      if (args.accumulate) value += LoadFour<float>(args.out, offset, count);
      const int64_t preact_at = columns.gated ? offset + out_row * args.n : offset;
      // Everything is stored in one place, because the code for all types of out is long.
#pragma clang loop unroll(disable)
      for (int part = args.preact ? 0 : 2; part < 3; ++part) {
        if (part == 1 && !columns.gated) continue;
        StoreAs(args.out_dtype, part < 2 ? args.preact : args.out,
                part == 0   ? preact_at
                : part == 1 ? preact_at + args.n
                            : offset,
                part == 0   ? z
                : part == 1 ? up
                            : value,
                count, aligned);
      }
    }
  }
}

}  // namespace jaxgemm
