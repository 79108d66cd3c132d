// A variant of amdgpu/epilogue.h, which calls it, for the common options (StoresVectors): vectors
// and an activation, without a gate, a stored preactivation or accumulation. Every lane stores
// eight columns of a row at once. Rows and columns outside of out are outside of a buffer resource,
// so that there are no branches for them. This file calls half_epilogue.h for results of 16 bits to
// which nothing is applied.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/half_epilogue.h"
#include "amdgpu/tile_rows.h"
#include "kernel/row_epilogue.h"

namespace jaxgemm {

// Bytes of LDS in which one wave stages two rows of fragments (a pass) at a time.
template <class Traits>
inline constexpr int kStageBytes = 2 * 16 * Traits::kWaveN * 4;

// The 32 rows of a wave's pass in LDS, as groups of four columns.
template <class Traits>
struct StagedRows {
  using Acc4 = typename Traits::Acc4;
  using LdsAcc4 = __attribute__((address_space(3))) Acc4;
  static constexpr int kVec4s = Traits::kWaveN / 4;
  static_assert(kVec4s == 8 || kVec4s == 16, "a wave must have 32 or 64 columns");
  static_assert(Traits::kFragsM % 2 == 0 && Traits::kFragsN % 2 == 0);

  Lds* lds;

  // The even groups of a row come before the odd ones, and each row is swizzled. So there are no
  // bank conflicts when fragments are written, or when neighbouring lanes read every other group.
  JAXGEMM_AMD LdsAcc4* At(uint32_t row, uint32_t vec4) const {
    const uint32_t flip = row % 8 | ((row ^ row >> 3) & 1) << 3;
    const uint32_t place = (vec4 / 2 | vec4 % 2 * (kVec4s / 2)) ^ flip % kVec4s;
    return reinterpret_cast<LdsAcc4*>(lds) + row * kVec4s + place;
  }
  JAXGEMM_AMD Acc4 Read(uint32_t row, uint32_t vec4) const { return *At(row, vec4); }

  // Writes two rows of fragments, from the registers or from `loaded`, which it advances.
  JAXGEMM_AMD void Write(int pass, Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN],
                         const Acc4*& loaded) const {
    const int lane = LaneId();
    if (loaded) {
#pragma unroll 4
      for (int i = 0; i < 2 * Traits::kFragsN; ++i, loaded += Traits::kThreads) {
        const int frag_m = i / Traits::kFragsN, frag_n = i % Traits::kFragsN;
        *At(frag_m * 16 + lane % 16, 4 * frag_n + lane / 16) = *loaded;
      }
      return;
    }
    // Registers cannot be indexed at run time, so each pass has a branch of its own.
#pragma unroll
    for (int i = 0; i < Traits::kFragsM; i += 2) {
      if (i / 2 != pass) continue;
#pragma unroll
      for (int j = 0; j < 2 * Traits::kFragsN; ++j) {
        const int frag_m = j / Traits::kFragsN, frag_n = j % Traits::kFragsN;
        *At(frag_m * 16 + lane % 16, 4 * frag_n + lane / 16) = acc[i + frag_m][frag_n];
      }
    }
  }
};

// Returns the RowVector that lane `lane` holds. All lanes of the wave must be active here, because
// ds_bpermute_b32 reads 0 from a lane with an EXEC bit of 0.
JAXGEMM_AMD RowVector FromLane(int lane, RowVector vector) {
  struct Words {
    int words[sizeof(RowVector) / sizeof(int)];
  };
  Words copy = __builtin_bit_cast(Words, vector);
#pragma unroll
  for (int& word : copy.words) word = __builtin_amdgcn_ds_bpermute(4 * lane, word);
  return __builtin_bit_cast(RowVector, copy);
}

#if defined(__gfx950__)
inline constexpr TargetFloat8 kTargetFloat8 = kOcpFloat8;
#else
inline constexpr TargetFloat8 kTargetFloat8 = kFnuzFloat8;
#endif

// The same as StoreTile in epilogue.h, if StoresVectors (plain_product.h).
template <class Traits>
JAXGEMM_AMD void StoreVectors(const GemmArgs& args, const WorkTile& tile,
                              typename Traits::Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN],
                              const typename Traits::Acc4* loaded, StagedRows<Traits> stage) {
  using Acc4 = typename Traits::Acc4;
  constexpr bool kInteger = Traits::kLhs == DType::kS8;
  constexpr int kLanesPerRow = Traits::kWaveN / 8, kRowsAtOnce = kWaveSize / kLanesPerRow;
  constexpr int kParts = 2;  // rows that a lane has in its registers
  static_assert(32 % (kParts * kRowsAtOnce) == 0);
  const int lane = LaneId();
  const uint32_t row_of_lane = lane / kLanesPerRow, eight = lane % kLanesPerRow;
  const DType out = args.out_dtype;
  const int log_bytes = out == DType::kF32 || out == DType::kS32    ? 2
                        : out == DType::kBF16 || out == DType::kF16 ? 1
                                                                    : 0;
  const auto row_bytes = static_cast<uint32_t>(args.n << log_bytes);
  const auto [rows, row_of_out] = RowsOfOut(args, tile);
  const int64_t first_row = int64_t{tile.m} * Traits::kTileM + Traits::WaveM() * Traits::kWaveM;
  const int64_t rows_left = rows - first_row;
  const int rows_of_wave = rows_left < 0                ? 0
                           : rows_left < Traits::kWaveM ? static_cast<int>(rows_left)
                                                        : Traits::kWaveM;
  const auto resource = __builtin_amdgcn_make_buffer_rsrc(
      static_cast<char*>(args.out) + (row_of_out + first_row) * row_bytes, 0,
      rows_of_wave * row_bytes, kDataFormat32);
  int64_t col = int64_t{tile.n} * Traits::kTileN + Traits::WaveN() * Traits::kWaveN + 8 * eight;
  uint32_t offset = col < args.n
                        ? row_of_lane * row_bytes + (static_cast<uint32_t>(col) << log_bytes)
                        : kOutsideBuffer;
  if (col >= args.n) col = 0;

  const TileEpilogue epilogue(args, tile, args.groups.ragged);
  const bool has_vectors = epilogue.HasVectors();
  if (IsOnlyRounded(log_bytes, loaded != nullptr, has_vectors, epilogue.activation)) {
    if (out == DType::kF16) {
      return StoreHalves<Traits, false>(acc, resource, offset, row_bytes,
                                        StagedHalves<Traits>(stage.lds));
    }
    bool may_have_nan = false;
    if constexpr (!kInteger && !kConvertsNan) may_have_nan = MayHaveNan(acc);
    if (!may_have_nan) {
      return StoreHalves<Traits, true>(acc, resource, offset, row_bytes,
                                       StagedHalves<Traits>(stage.lds));
    }
  }
  const ColumnVectors vectors[2] = {{epilogue, col, 4}, {epilogue, col + 4, 4}};
  // Lane l holds the RowVector (the row_scale) of row l % 32 of a pass. The RowVectors of the next
  // pass are loaded one pass ahead.
  const int64_t first_of_group = args.groups.ragged == Ragged::kM ? tile.origin : 0;
  auto load_row = [&](int pass) __attribute__((always_inline)) {
    const int row = pass * 32 + lane % 32;
    return row < rows_of_wave ? RowVector::Load(args, epilogue, first_of_group + first_row + row)
                              : RowVector::None();
  };
  RowVector row_vectors = RowVector::None(), next_row_vectors = load_row(0);

#pragma clang loop unroll(disable)
  for (int pass = 0; pass < Traits::kFragsM / 2; ++pass) {
    row_vectors = next_row_vectors;
    if (epilogue.HasRowVectors()) next_row_vectors = load_row(pass + 1);
    stage.Write(pass, acc, loaded);
#pragma clang loop unroll(disable)
    for (int staged = 0; staged < 32; staged += kParts * kRowsAtOnce) {
      Acc4 acc4[kParts][2];
      uint32_t at[kParts];
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const uint32_t row = staged + part * kRowsAtOnce + row_of_lane;
        acc4[part][0] = stage.Read(row, 2 * eight);
        acc4[part][1] = stage.Read(row, 2 * eight + 1);
        at[part] = offset;
        offset += kRowsAtOnce * row_bytes;
      }
      auto store32 = [&](int part, auto first, auto second) __attribute__((always_inline)) {
        __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec16, first), resource, at[part],
                                               0, 0);
        __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec16, second), resource,
                                               at[part] + 16, 0, 0);
      };
      if constexpr (kInteger) {
        if (out == DType::kS32) {
#pragma unroll
          for (int part = 0; part < kParts; ++part) {
            store32(part, acc4[part][0] + __builtin_bit_cast(Acc4, vectors[0].bias),
                    acc4[part][1] + __builtin_bit_cast(Acc4, vectors[1].bias));
          }
          continue;
        }
      }
      Vec4<float> value[kParts][2];
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
#pragma unroll
        for (int i = 0; i < 2; ++i) value[part][i] = Convert4<float>(acc4[part][i]);
      }
      if (has_vectors) {
#pragma unroll
        for (int part = 0; part < kParts; ++part) {
          RowVector row_vector = RowVector::None();
          if (epilogue.HasRowVectors()) {
            row_vector = FromLane(staged + part * kRowsAtOnce + row_of_lane, row_vectors);
          }
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            value[part][i] = vectors[i].Apply(acc4[part][i], row_vector);
          }
        }
      }
      WithActivation(epilogue.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
        for (int i = 0; i < kParts * 8; ++i) {
          float& x = reinterpret_cast<float*>(value)[i];
          x = activate(x);
        }
      });
      if (out == DType::kF32) {
#pragma unroll
        for (int part = 0; part < kParts; ++part) store32(part, value[part][0], value[part][1]);
      } else if (out == DType::kBF16 || out == DType::kF16) {
        auto store16 = [&](bool bf16) __attribute__((always_inline)) {
#pragma unroll
          for (int part = 0; part < kParts; ++part) {
            const auto eight16 =
                __builtin_shufflevector(Convert16(bf16, value[part][0]),
                                        Convert16(bf16, value[part][1]), 0, 1, 2, 3, 4, 5, 6, 7);
            __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec16, eight16), resource,
                                                   at[part], 0, 0);
          }
        };
        if (out == DType::kBF16) {
          store16(true);
        } else {
          store16(false);
        }
      } else if constexpr (Traits::kBytes == 1 && !kInteger) {
        using Int2 = int __attribute__((ext_vector_type(2)));
        auto store8 = [&](auto convert) __attribute__((always_inline)) {
#pragma unroll
          for (int part = 0; part < kParts; ++part) {
            const Int2 codes = {convert(value[part][0]), convert(value[part][1])};
            __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(Int2, codes), resource,
                                                  at[part], 0, 0);
          }
        };
        // An overflow gives NaN, or inf if the type has it (CDNA3 ISA, FP16_OVFL is 0).
        if (out == kTargetFloat8.e4m3) {
          store8([](Vec4<float> x) __attribute__((always_inline)) {
            const int low = __builtin_amdgcn_cvt_pk_fp8_f32(x[0], x[1], 0, false);
            return __builtin_amdgcn_cvt_pk_fp8_f32(x[2], x[3], low, true);
          });
        } else {
          store8([](Vec4<float> x) __attribute__((always_inline)) {
            const int low = __builtin_amdgcn_cvt_pk_bf8_f32(x[0], x[1], 0, false);
            return __builtin_amdgcn_cvt_pk_bf8_f32(x[2], x[3], low, true);
          });
        }
      }
    }
  }
}

}  // namespace jaxgemm
