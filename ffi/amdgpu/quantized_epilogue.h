// A variant of amdgpu/epilogue.h, which calls it, for results that are quantised: float8, and a
// scale for each block of columns of a row. Everything but the last step is done in the registers
// of the fragments: a lane has four columns of each fragment, in a row of its own. The largest
// elements of blocks are found through LDS, for several waves may have columns of a block. At the
// end the float8 results go through LDS, so that each lane stores 16 columns of a row.
#pragma once

#include "amdgpu/args.h"
#include "amdgpu/vector_epilogue.h"
#include "kernel/quantize.h"

namespace jaxgemm {

// Whether the kernel's chip has instructions that convert to float8.
#if defined(__gfx90a__)
inline constexpr bool kConvertsFloat8 = false;
#else
inline constexpr bool kConvertsFloat8 = true;
#endif

template <class Traits>
class QuantizedTile {
  using Acc4 = typename Traits::Acc4;
  using Accumulators = Acc4[Traits::kFragsM][Traits::kFragsN];
  using Int4 = int __attribute__((ext_vector_type(4)));
  using LdsInt4 = __attribute__((address_space(3))) Int4;
  using Int2 = int __attribute__((ext_vector_type(2)));
  static constexpr int kFragsM = Traits::kFragsM, kFragsN = Traits::kFragsN;
  // Two magnitudes of each of the four lanes of 16 rows.
  static constexpr int kTopsBytes = 16 * 4 * sizeof(Int2);
  static_assert(2 * kTopsBytes + 16 * 64 <= kStageBytes<Traits>);

 public:
  // `lds` is this wave's own; those of the other waves are kStageBytes apart.
  JAXGEMM_AMD QuantizedTile(const WorkTile& tile, Lds* lds) : tile_(tile), lds_(lds) {}

  // All waves of the workgroup call this. The accumulators are in `acc`, or in memory at `loaded`.
  JAXGEMM_AMD void Store(const Accumulators& acc, const Acc4* loaded) const {
    const GemmArgs args = LoadArgs();
    const TileEpilogue epilogue(args, tile_, args.groups.ragged);
    if (loaded || epilogue.HasVectors() || args.gated || args.preact ||
        epilogue.activation != Activation::kNone) {
      return StoreRows(acc, loaded);
    }
    if (args.quantize_out == QuantizeOut::kMx) return StoreAll<QuantizeOut::kMx>(acc);
    StoreAll<QuantizeOut::kBlock>(acc);
  }

 private:
  // The wave's place in out. It is computed where it is needed, because there are no registers to
  // keep it.
  struct Place {
    const GemmArgs args;
    const int lane;
    int64_t col;         // the wave's first column
    int rows;            // the wave's rows inside of out
    int64_t first_row;   // of the wave in its matrix
    int64_t row_of_out;  // the matrix's first row in out

    explicit JAXGEMM_AMD Place(const WorkTile& tile) : args(LoadArgs()), lane(OpaqueLane()) {
      const MatrixRows of_out = RowsOfOut(args, tile);
      first_row = int64_t{tile.m} * Traits::kTileM + Traits::WaveM() * Traits::kWaveM;
      const int64_t left = of_out.count - first_row;
      rows = left < 0 ? 0 : left < Traits::kWaveM ? static_cast<int>(left) : Traits::kWaveM;
      row_of_out = of_out.first;
      const int64_t first = int64_t{tile.n} * Traits::kTileN + Traits::WaveN() * Traits::kWaveN;
      col = args.gated ? first / 2 : first;
    }
    // The compiler computes what follows from it here.
    static JAXGEMM_AMD int OpaqueLane() {
      int lane = LaneId();
      asm volatile("" : "+v"(lane));
      return lane;
    }
  };

  // Stores one row of fragments after the other: 16 rows of out. In a gated product the fragments
  // of the gate and of the up projection alternate.
  JAXGEMM_AMD void StoreRows(const Accumulators& acc, const Acc4* loaded) const {
    const Place place(tile_);
    const int columns = place.args.gated ? Traits::kWaveN / 2 : Traits::kWaveN;
    const int columns_of_block = QuantizedColumns(place.args.quantize_out);
    const int waves = columns < columns_of_block ? columns_of_block / columns : 1;
    const int wave = Traits::WaveN() % waves;
    const int row_of_lane = place.lane % 16, quarter = place.lane / 16;
    // The code for a row of fragments is long, so it is there once.
#pragma clang loop unroll(disable)
    for (int i = 0; i < kFragsM; ++i) {
      // The arguments are loaded again, because there are no registers to keep them.
      const GemmArgs args = LoadArgs();
      const QuantizeOut kind = args.quantize_out;
      const bool e4m3 = args.out_dtype == kTargetFloat8.e4m3;
      const LargestValue largest =
          e4m3 ? LargestOf(kTargetFloat8.e4m3) : LargestOf(kTargetFloat8.e5m2);
      Vec4<float> values[4] = {};
      Load(acc, loaded, i, values);
      ApplyEpilogue(args, place, 16 * i, values);
      // Magnitudes of the lane's columns in the first 32 columns, and in the others; those of a
      // block of 128 together. Rows take turns in two places in LDS.
      Int2 top = Top(values, [](float x) { return MagnitudeBits(x); });
      if (__builtin_amdgcn_ballot_w64(Larger(top[0], top[1]) >= kInfinityBits) != 0) {
        top = Top(values, [](float x) { return FiniteMagnitude(x); });
      }
      if (kind == QuantizeOut::kBlock) top = Larger(top[0], top[1]);
      Lds* const of_rows = lds_ + i % 2 * kTopsBytes;
      *TopsOf<Int2>(of_rows, 0, row_of_lane, quarter) = top;
      if (waves > 1) Barrier();
      top = 0;
#pragma clang loop unroll(disable)
      for (int other = 0; other < waves; ++other) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const Int2 of_other = *TopsOf<Int2>(of_rows, other - wave, row_of_lane, j);
          top = Int2{Larger(top[0], of_other[0]), Larger(top[1], of_other[1])};
        }
      }
      const BlockScale scales[2] = {BlockScale::Of(kind, top[0], largest),
                                    BlockScale::Of(kind, top[1], largest)};
      const int row = 16 * i + row_of_lane;
      const int64_t row_of_out = place.row_of_out + place.first_row + row;
      // Of the four lanes of a row, the first two store a scale each.
      const int64_t col = place.col + quarter * columns_of_block;
      if (wave == 0 && row < place.rows && col < args.n &&
          (quarter == 0 || quarter * columns_of_block < columns)) {
        StoreScale(kind, args.out_scales, (row_of_out * args.n + col) / columns_of_block,
                   quarter == 0 ? scales[0] : scales[1]);
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        Vec4<float> value = values[j] * Same4(scales[j / 2].reciprocal);
        if (kind == QuantizeOut::kMx) {
#pragma unroll
          for (int k = 0; k < 4; ++k) value[k] = BlockScale::Clamp(value[k], largest);
        }
        *Staged<4>(lds_ + 2 * kTopsBytes, row_of_lane, j, quarter) =
            e4m3 ? ToFloat8<true>(value) : ToFloat8<false>(value);
      }
      // A lane stores 16 columns of a row. Rows and columns outside of out are outside of the
      // resource.
      const auto row_bytes = static_cast<uint32_t>(args.n);
      const int chunk = place.lane % 4;
      const auto stored = static_cast<uint32_t>(place.col) + 16 * chunk;
      const uint32_t offset = 16 * chunk < columns && stored < args.n
                                  ? place.lane / 4 * row_bytes + stored
                                  : kOutsideBuffer;
      const int left = place.rows - 16 * i, rows = left < 0 ? 0 : left < 16 ? left : 16;
      const auto resource = __builtin_amdgcn_make_buffer_rsrc(
          static_cast<char*>(args.out) + (place.row_of_out + place.first_row + 16 * i) * row_bytes,
          0, rows * row_bytes, kDataFormat32);
      const Int4 codes =
          *reinterpret_cast<LdsInt4*>(Staged<4>(lds_ + 2 * kTopsBytes, place.lane / 4, chunk, 0));
      __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec16, codes), resource, offset, 0,
                                             0);
    }
    // Another wave may still read what the next tile overwrites.
    if (waves > 1) Barrier();
  }

  // The accumulators of a row of fragments; those that the wave does not have stay as they are.
  JAXGEMM_AMD void Load(const Accumulators& acc, const Acc4* loaded, int i,
                        Vec4<float> (&values)[4]) const {
    if (loaded) {
#pragma unroll
      for (int j = 0; j < kFragsN; ++j) {
        values[j] = Convert4<float>(loaded[(i * kFragsN + j) * Traits::kThreads]);
      }
      return;
    }
    // Registers cannot be indexed at run time, so each row has a branch of its own.
#pragma unroll
    for (int other = 0; other < kFragsM; ++other) {
      if (other != i) continue;
#pragma unroll
      for (int j = 0; j < kFragsN; ++j) values[j] = Convert4<float>(acc[other][j]);
    }
  }

  // Replaces the accumulators of the row of fragments by the results, of which a gated product has
  // half as many; the others are then zeros. `first` is the first row.
  JAXGEMM_AMD void ApplyEpilogue(const GemmArgs& args, const Place& place, int first,
                                 Vec4<float> (&values)[4]) const {
    const TileEpilogue epilogue(args, tile_, args.groups.ragged);
    const bool gated = args.gated;
    const int row = first + place.lane % 16;
    const bool is_inside = row < place.rows;
    const int64_t first_of_group = args.groups.ragged == Ragged::kM ? tile_.origin : 0;
    const RowVector row_vector =
        is_inside ? RowVector::Load(args, epilogue, first_of_group + place.first_row + row)
                  : RowVector::None();
    const int64_t length = gated ? 2 * args.n : args.n;
#pragma unroll
    for (int j = 0; j < kFragsN; ++j) {
      const int64_t col = place.col + 16 * (gated ? j / 2 : j) + place.lane / 16 * 4;
      const int64_t of_vectors = (col < args.n ? col : 0) + (gated && j % 2 ? args.n : 0);
      values[j] = ColumnVectors(epilogue, of_vectors, 4).Apply(values[j], row_vector);
      if (args.preact && is_inside && col < args.n) {
        const int64_t at = (place.row_of_out + place.first_row + row) * length + of_vectors;
        Store4(args.preact, at, Convert16(true, values[j]), 4, true);
      }
    }
    Vec4<float> up[2] = {values[1], values[3]};
    if (gated) values[1] = values[2], values[2] = values[3] = Same4(0.0f);
    WithActivation(epilogue.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
      for (int j = 0; j < kFragsN; ++j) {
        // The code is long, so only what a gated product has is there twice.
        if (gated && j >= kFragsN / 2) continue;
#pragma unroll
        for (int k = 0; k < 4; ++k) values[j][k] = activate(values[j][k]);
      }
    });
    if (gated) values[0] = values[0] * up[0], values[1] = values[1] * up[1];
  }

  static JAXGEMM_AMD Int2 Top(const Vec4<float> (&values)[4], auto magnitude) {
    Int2 top = 0;
#pragma unroll
    for (int j = 0; j < 16; ++j) top[j / 8] = Larger(magnitude(values[j / 4][j % 4]), top[j / 8]);
    return top;
  }

  // Stores all rows together, of a product without an epilogue.
  template <QuantizeOut kKind>
  JAXGEMM_AMD void StoreAll(const Accumulators& acc) const {
    // Fragments in a row of them and in a block, and blocks in the wave's columns. A block may have
    // columns of several waves.
    constexpr int kFrags = kFragsN, kFragsOfBlock = QuantizedColumns(kKind) / 16;
    constexpr int kBlocks = kFrags > kFragsOfBlock ? kFrags / kFragsOfBlock : 1;
    constexpr int kFragsHere = kFrags / kBlocks;
    constexpr int kWaves = kFrags < kFragsOfBlock ? kFragsOfBlock / kFrags : 1;
    if constexpr (kWaves > Traits::kWavesN) return;  // no tile with whole blocks, so no such call
    static_assert(kBlocks * Traits::kWaveM * sizeof(Int4) <= kStageBytes<Traits>);
    const Place place(tile_);
    const GemmArgs& args = place.args;
    const int lane = place.lane;

    // Four lanes have the columns of a row. Each writes the largest magnitude of its own.
    int all = 0, tops[kFragsM][kBlocks];
    auto find = [&](auto largest_of) __attribute__((always_inline)) {
#pragma unroll
      for (int i = 0; i < kFragsM; ++i) {
#pragma unroll
        for (int b = 0; b < kBlocks; ++b) {
          int top = 0;
#pragma unroll
          for (int j = 0; j < 2 * kFragsHere; ++j) {
            const auto frag = Convert4<float>(acc[i][b * kFragsHere + j / 2]);
            top = largest_of(top, frag[j % 2 * 2], frag[j % 2 * 2 + 1]);
          }
          tops[i][b] = top;
          all = Larger(top, all);
        }
      }
    };
    find([](int top, float x, float y) __attribute__((always_inline)) {
      if constexpr (kKind == QuantizeOut::kBlock) return LargerNumber(top, x, y);
      return Larger(Larger(MagnitudeBits(x), MagnitudeBits(y)), top);
    });
    // Infinities, and for MX formats NaN, are rare.
    const bool special = __builtin_amdgcn_ballot_w64(all >= kInfinityBits) != 0;
    if (__builtin_expect(special, false)) {
      find([](int top, float x, float y) __attribute__((always_inline)) {
        return Larger(Larger(FiniteMagnitude(x), FiniteMagnitude(y)), top);
      });
    }
#pragma unroll
    for (int i = 0; i < kFragsM; ++i) {
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        *TopsOf<int>(lds_, 0, b * Traits::kWaveM + 16 * i + lane % 16, lane / 16) = tops[i][b];
      }
    }
    if (kWaves > 1) Barrier();

    // Lane l computes the scales of rows l, l + 64 and so on, of one block after the other.
    constexpr int kRows = kBlocks * Traits::kWaveM, kScales = kRows > 64 ? kRows / 64 : 1;
    const bool e4m3 = args.out_dtype == kTargetFloat8.e4m3;
    const LargestValue largest =
        e4m3 ? LargestOf(kTargetFloat8.e4m3) : LargestOf(kTargetFloat8.e5m2);
    const int wave = Traits::WaveN() % kWaves;
    int reciprocals[kScales];
#pragma unroll
    for (int s = 0; s < kScales; ++s) {
      const int row = s * 64 + lane % kRows;
      int top = 0;
#pragma unroll
      for (int other = 0; other < kWaves; ++other) {
        const Int4 of_row = *reinterpret_cast<LdsInt4*>(TopsOf<int>(lds_, other - wave, row, 0));
        top = Larger(Larger(Larger(of_row[0], of_row[1]), Larger(of_row[2], of_row[3])), top);
      }
      const BlockScale scale = BlockScale::Of(kKind, top, largest);
      reciprocals[s] = __builtin_bit_cast(int, scale.reciprocal);
      const int of_wave = row % Traits::kWaveM, block = row / Traits::kWaveM;
      const int64_t col = place.col + block * QuantizedColumns(kKind);
      if (wave == 0 && of_wave < place.rows && col < args.n) {
        StoreScale(kKind, args.out_scales,
                   ((place.row_of_out + place.first_row + of_wave) * args.n + col) /
                       QuantizedColumns(kKind),
                   scale);
      }
    }
    // Another wave may still read what is overwritten next.
    if (kWaves > 1) Barrier();

    auto stage = [&](auto convert) __attribute__((always_inline)) {
#pragma unroll
      for (int i = 0; i < kFragsM; ++i) {
#pragma unroll
        for (int j = 0; j < kFrags; ++j) {
          constexpr int kWaveM = Traits::kWaveM;
          const int row = j / kFragsHere * kWaveM + 16 * i;
          const int reciprocal =
              __builtin_amdgcn_ds_bpermute(4 * (row % 64 + lane % 16), reciprocals[row / 64]);
          const auto value =
              Convert4<float>(acc[i][j]) * Same4(__builtin_bit_cast(float, reciprocal));
          *Staged<kFrags>(lds_, 16 * i + lane % 16, j, lane / 16) = convert(value);
        }
      }
    };
    auto stage_as = [&](auto clamp) __attribute__((always_inline)) {
      auto clamp4 = [&](Vec4<float> x) __attribute__((always_inline)) {
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = clamp(x[k]);
        return x;
      };
      if (e4m3) {
        stage([&](Vec4<float> x)
                  __attribute__((always_inline)) { return ToFloat8<true>(clamp4(x)); });
      } else {
        stage([&](Vec4<float> x)
                  __attribute__((always_inline)) { return ToFloat8<false>(clamp4(x)); });
      }
    };
    if (kKind == QuantizeOut::kBlock) {
      stage_as([](float x) { return x; });
    } else if (__builtin_expect(special, false)) {
      stage_as([&](float x) { return BlockScale::Clamp(x, largest); });
    } else {
      stage_as([&](float x) { return __builtin_amdgcn_fmed3f(x, -largest.value, largest.value); });
    }

    // Rows and columns outside of out are outside of the resource.
    const auto row_bytes = static_cast<uint32_t>(args.n);
    const auto resource = __builtin_amdgcn_make_buffer_rsrc(
        static_cast<char*>(args.out) + (place.row_of_out + place.first_row) * row_bytes, 0,
        place.rows * row_bytes, kDataFormat32);
    constexpr int kAtOnce = kWaveSize / kFrags;  // rows
    const int row_of_lane = lane / kFrags, chunk = lane % kFrags;
    const auto col = static_cast<uint32_t>(place.col) + 16 * chunk;
    const uint32_t offset = col < args.n ? row_of_lane * row_bytes + col : kOutsideBuffer;
#pragma unroll
    for (int row = 0; row < Traits::kWaveM; row += kAtOnce) {
      const Int4 codes =
          *reinterpret_cast<LdsInt4*>(Staged<kFrags>(lds_, row + row_of_lane, chunk, 0));
      if (kAtOnce > Traits::kWaveM && row_of_lane >= Traits::kWaveM) continue;
      __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec16, codes), resource, offset,
                                             row * row_bytes, 0);
    }
  }

  static JAXGEMM_AMD int Larger(int a, int b) { return a > b ? a : b; }
  // The largest of a magnitude (its bits) and those of two numbers; NaN does not count.
  static JAXGEMM_AMD int LargerNumber(int top, float x, float y) {
    asm("v_max3_f32 %0, |%1|, |%2|, %0" : "+v"(top) : "v"(x), "v"(y));
    return top;
  }
  // An overflow gives NaN, or inf if the type has it (CDNA3 ISA, FP16_OVFL is 0).
  template <bool kE4m3>
  static JAXGEMM_AMD int ToFloat8(Vec4<float> x) {
    if constexpr (!kConvertsFloat8) {
      return 0;
    } else if constexpr (kE4m3) {
      const int low = __builtin_amdgcn_cvt_pk_fp8_f32(x[0], x[1], 0, false);
      return __builtin_amdgcn_cvt_pk_fp8_f32(x[2], x[3], low, true);
    } else {
      const int low = __builtin_amdgcn_cvt_pk_bf8_f32(x[0], x[1], 0, false);
      return __builtin_amdgcn_cvt_pk_bf8_f32(x[2], x[3], low, true);
    }
  }

  // The magnitudes of a quarter of a row's lanes, in the part `lds` of LDS of the wave that is
  // `waves` columns of waves away.
  template <class T>
  static JAXGEMM_AMD __attribute__((address_space(3))) T* TopsOf(Lds* lds, int waves, int row,
                                                                 int quarter) {
    return reinterpret_cast<__attribute__((address_space(3))) T*>(lds +
                                                                  waves * kStageBytes<Traits>) +
           4 * row + quarter;
  }
  // Word `word` of chunk `chunk` of 16 results of a row, which has kChunks. The chunks of eight
  // rows are swizzled, so that rows lie in different banks.
  template <int kChunks>
  static JAXGEMM_AMD LdsIndex* Staged(Lds* lds, int row, int chunk, int word) {
    const int place = chunk ^ row / (8 / kChunks) % kChunks;
    return reinterpret_cast<LdsIndex*>(lds) + (row * kChunks + place) * 4 + word;
  }

  const WorkTile& tile_;
  Lds* const lds_;
};

}  // namespace jaxgemm
