// A variant of amdgpu/epilogue.h, which calls it, for results that are quantised: float8, and a
// scale for each block of columns of a row. Everything but the last step is done in the registers
// of the fragments: a lane has four columns of each fragment, in a row of its own. The largest
// elements of blocks are found through LDS, for several waves may have columns of a block. At the
// end the float8 results go through LDS, so that each lane stores 16 columns of a row.
//
// There are two ways. StoreAll stores all rows together, with few instructions, but the
// accumulators must be the results already. StoreRows is for any product.
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

// Whether a kernel may quantise its results.
template <class Traits>
inline constexpr bool kMayQuantize = kConvertsFloat8 && Traits::kLhs != DType::kS8;

// Makes the compiler leave accumulators in their registers where some paths have changed them. Else
// clang copies them, for which there are no registers.
template <class Acc4, int kRows, int kColumns>
JAXGEMM_AMD void KeepInPlace(Acc4 (&acc)[kRows][kColumns]) {
#pragma unroll
  for (auto& row : acc) {
#pragma unroll
    for (Acc4& acc4 : row) asm volatile("" : "+v"(acc4));
  }
}

template <class Traits>
class QuantizedTile {
  using Acc4 = typename Traits::Acc4;
  using Accumulators = Acc4[Traits::kFragsM][Traits::kFragsN];
  using Int4 = int __attribute__((ext_vector_type(4)));
  using LdsInt4 = __attribute__((address_space(3))) Int4;
  using Int2 = int __attribute__((ext_vector_type(2)));
  using Float2 = float __attribute__((ext_vector_type(2)));
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
    StoreAtOnce(args, acc);
  }
  // For RunOneTile (gemm.h), a product without an activation and a gate: applies bias and scales to
  // its accumulators, which StoreAtOnce stores.
  JAXGEMM_AMD void ApplyVectors(const GemmArgs& args, Accumulators& acc) const {
    const TileEpilogue epilogue(args, tile_, args.groups.ragged);
    if (__builtin_expect(!epilogue.HasVectors(), true)) return;
    const Place place(args, tile_);
    if (place.rows == 0) return;
    // All vectors are loaded together, those of other rows and columns for what is outside of out.
    if (epilogue.HasRowVectors()) {
      RowVector vectors[kFragsM];
      const int64_t first_of_group = args.groups.ragged == Ragged::kM ? tile_.origin : 0;
#pragma unroll
      for (int i = 0; i < kFragsM; ++i) {
        const int row = 16 * i + place.lane % 16, last = place.rows - 1;
        vectors[i] = RowVector::Load(args, epilogue,
                                     first_of_group + place.first_row + (row < last ? row : last));
      }
#pragma unroll
      for (int i = 0; i < kFragsM * kFragsN; ++i) {
        Acc4& acc4 = acc[i / kFragsN][i % kFragsN];
        acc4 = vectors[i / kFragsN].Apply(Convert4<float>(acc4));
      }
    }
    if (!epilogue.HasColumnVectors()) return;
#pragma unroll
    for (int j = 0; j < kFragsN; ++j) {
      const int64_t col = place.col + 16 * j + place.lane / 16 * 4;
      const ColumnVectors vectors(epilogue, col < args.n ? col : 0, 4);
#pragma unroll
      for (int i = 0; i < kFragsM; ++i) acc[i][j] = vectors.Apply(acc[i][j], RowVector::None());
    }
  }
  // Stores accumulators that are the results.
  JAXGEMM_AMD void StoreAtOnce(const GemmArgs& args, const Accumulators& acc) const {
    if (args.quantize_out == QuantizeOut::kMx) return StoreAll<QuantizeOut::kMx>(args, acc);
    StoreAll<QuantizeOut::kBlock>(args, acc);
  }

 private:
  // Stores one row of fragments after the other: 16 rows of out. In a gated product the fragments
  // of the gate and of the up projection alternate.
  JAXGEMM_AMD void StoreRows(const Accumulators& acc, const Acc4* loaded) const {
    const Place place(LoadArgs(), tile_);
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
      // Four lanes have a row. The first one stores the scale of its first block of columns. If
      // there is a second block, which only MX formats have, the second lane stores that one's.
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

    JAXGEMM_AMD Place(const GemmArgs& args, const WorkTile& tile) : args(args), lane(OpaqueLane()) {
      const MatrixRows of_out = RowsOfOut(args, tile);
      first_row = int64_t{tile.m} * Traits::kTileM + Traits::WaveM() * Traits::kWaveM;
      const int64_t left = of_out.count - first_row;
      rows = left < 0 ? 0 : left < Traits::kWaveM ? static_cast<int>(left) : Traits::kWaveM;
      row_of_out = of_out.first;
      const int64_t first = int64_t{tile.n} * Traits::kTileN + Traits::WaveN() * Traits::kWaveN;
      col = args.gated ? first / 2 : first;
    }
    // The rows of an array with a row for each of out.
    JAXGEMM_AMD auto Rows(void* array, uint32_t row_bytes) const {
      return __builtin_amdgcn_make_buffer_rsrc(
          static_cast<char*>(array) + (row_of_out + first_row) * row_bytes, 0, rows * row_bytes,
          kDataFormat32);
    }
    // The compiler computes what follows from it here.
    static JAXGEMM_AMD int OpaqueLane() {
      int lane = LaneId();
      asm volatile("" : "+v"(lane));
      return lane;
    }
  };

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

  // Stores accumulators that are the results, all rows together.
  template <QuantizeOut kKind>
  JAXGEMM_AMD void StoreAll(const GemmArgs& args, const Accumulators& acc) const {
    // Fragments in a row of them and in a block, and blocks in the wave's columns. A block may have
    // columns of several waves.
    constexpr int kFrags = kFragsN, kColumns = QuantizedColumns(kKind), kOfBlock = kColumns / 16;
    constexpr int kBlocks = kFrags > kOfBlock ? kFrags / kOfBlock : 1, kHere = kFrags / kBlocks;
    constexpr int kWaves = kFrags < kOfBlock ? kOfBlock / kFrags : 1;
    if constexpr (kWaves > Traits::kWavesN) return;  // no tile with whole blocks, so no such call
    // The results of so many rows are staged at a time, in LDS behind the magnitudes, which other
    // waves may still read then.
    constexpr int kWaveM = Traits::kWaveM, kStaged = kWaveM < 64 ? kWaveM : 64;
    constexpr int kMagnitudes = kBlocks * kWaveM, kMagnitudesBytes = kMagnitudes * sizeof(Int4);
    static_assert(kMagnitudesBytes + kStaged * Traits::kWaveN <= kStageBytes<Traits>);
    const Place place(args, tile_);
    const uint32_t lane = place.lane;

    // Four lanes have the columns of a row. Each writes the largest magnitude of its own.
    constexpr int kTops = kFragsM * kBlocks;
    float tops[kTops];
#pragma unroll
    for (int i = 0; i < kTops; ++i) {
#pragma unroll
      for (int j = 0; j < kHere; ++j) {
        const auto frag = Convert4<float>(acc[i / kBlocks][i % kBlocks * kHere + j]);
        tops[i] = j == 0 ? LargestMagnitude(frag[0], frag[1])
                         : LargestMagnitude(tops[i], frag[0], frag[1]);
        tops[i] = LargestMagnitude(tops[i], frag[2], frag[3]);
      }
    }
    float all = LargestMagnitude(tops[0], tops[1]);
#pragma unroll
    for (int i = 2; i < kTops; i += 2) all = LargestMagnitude(all, tops[i], tops[i + 1]);
    // Infinities and NaN are rare, so there is short code for them, which takes a row of fragments
    // after the other.
    bool special = !(all < __builtin_inff());
    if constexpr (kKind == QuantizeOut::kMx && !kLargestHasNan) special |= MayHaveNan(acc);
    special = __builtin_amdgcn_ballot_w64(special) != 0;
    auto write = [&](int i, int b, float top) __attribute__((always_inline)) {
      const int row = 16 * i + static_cast<int>(lane % 16);
      *TopsOf<float>(lds_, 0, row * kBlocks + b, static_cast<int>(lane / 16)) = top;
    };
    if (__builtin_expect(special, false)) {
#pragma clang loop unroll(disable)
      for (int i = 0; i < kFragsM; ++i) {
        Vec4<float> values[4] = {};
        Load(acc, nullptr, i, values);
        const Int2 top = Top(values, [](float x) { return FiniteMagnitude(x); });
        const int both = Larger(top[0], top[1]);
#pragma unroll
        for (int b = 0; b < kBlocks; ++b) {
          write(i, b, __builtin_bit_cast(float, kBlocks > 1 ? top[b] : both));
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < kTops; ++i) write(i / kBlocks, i % kBlocks, tops[i]);
    }
    if (kWaves > 1) Barrier();

    // Lane l computes scales l, l + 64 and so on.
    constexpr int kScales = kMagnitudes > 64 ? kMagnitudes / 64 : 1;
    constexpr uint32_t kScaleBytes = kKind == QuantizeOut::kMx ? 1 : 4;
    const bool e4m3 = args.out_dtype == kTargetFloat8.e4m3;
    const LargestValue largest =
        e4m3 ? LargestOf(kTargetFloat8.e4m3) : LargestOf(kTargetFloat8.e5m2);
    const int wave = Traits::WaveN() % kWaves;
    // Rows and columns outside of out are outside of the resource.
    const auto row_bytes = static_cast<uint32_t>(args.n);
    const uint32_t scales = row_bytes / kColumns * kScaleBytes;  // bytes of a row's scales
    const auto first_col = static_cast<uint32_t>(place.col);
    const auto of_scales = place.Rows(args.out_scales, scales);
    const uint32_t scale_col = first_col / kColumns + lane % kBlocks;
    const bool stores_scale = scale_col * kColumns < row_bytes && lane < kMagnitudes;
    const uint32_t scale_offset =
        stores_scale ? lane / kBlocks * scales + scale_col * kScaleBytes : kOutsideBuffer;
    int factors[kScales];  // see Quantized
#pragma unroll
    for (int s = 0; s < kScales; ++s) {
      int top = 0;
#pragma unroll
      for (int other = 0; other < kWaves; ++other) {
        const Int4 of_row = *reinterpret_cast<LdsInt4*>(
            TopsOf<int>(lds_, other - wave, s * 64 + lane % kMagnitudes, 0));
        top = Larger(Larger(Larger(of_row[0], of_row[1]), Larger(of_row[2], of_row[3])), top);
      }
      const BlockScale scale = BlockScale::Of(kKind, top, largest);
      factors[s] = __builtin_bit_cast(int, kDivides<kKind> ? scale.scale : scale.reciprocal);
      // The waves of a block take turns.
      if (wave != s % kWaves) continue;
      const uint32_t rows_before = s * 64 / kBlocks;
      if constexpr (kKind == QuantizeOut::kMx) {
        __builtin_amdgcn_raw_buffer_store_b8(scale.E8M0(), of_scales, scale_offset,
                                             rows_before * scales, 0);
      } else {
        __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(int, scale.scale), of_scales,
                                              scale_offset, rows_before * scales, 0);
      }
    }

    const auto resource = place.Rows(args.out, row_bytes);
    constexpr int kAtOnce = kWaveSize / kFrags;  // rows that a wave stores together
    constexpr int kParts = kStaged > kAtOnce ? kStaged / kAtOnce : 1;
    const uint32_t row_of_lane = lane / kFrags, chunk = lane % kFrags;
    const uint32_t col = first_col + 16 * chunk;
    const bool stores = col < row_bytes && row_of_lane < kStaged;
    const uint32_t offset = stores ? row_of_lane * row_bytes + col : kOutsideBuffer;
    Lds* const stage = lds_ + kMagnitudesBytes;
    // Converts fragments, and stages them from row `at` on. All low halves come first, so that no
    // conversion waits for the one before. The value of the high halves before is not important.
    auto write_rows = [&](int at, const Vec4<float>(&values)[kFrags], auto convert)
                          __attribute__((always_inline)) {
      int words[kFrags];
#pragma unroll
      for (int j = 0; j < kFrags; ++j) {
        const int any = __builtin_bit_cast(int, values[j][0]);
        words[j] = convert.template operator()<false>(values[j].lo, j, any);
      }
#pragma unroll
      for (int j = 0; j < kFrags; ++j) {
        words[j] = convert.template operator()<true>(values[j].hi, j, words[j]);
      }
#pragma unroll
      for (int j = 0; j < kFrags; ++j) {
        *Staged<kFrags>(stage, at + lane % 16, j, lane / 16) = words[j];
      }
    };
    auto read = [&](int part) __attribute__((always_inline)) {
      return *reinterpret_cast<LdsInt4*>(
          Staged<kFrags>(stage, part * kAtOnce + row_of_lane % kStaged, chunk, 0));
    };
    auto store = [&](Int4 codes, int row) __attribute__((always_inline)) {
      __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec16, codes), resource, offset,
                                             row * row_bytes, 0);
    };
    // The factor of a row and block of the lane's, from the lane that has computed it.
    auto factor = [&](int word, int scale) __attribute__((always_inline)) {
      const int from = 4 * (scale % 64 + static_cast<int>(lane % 16) * kBlocks);
      return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(from, word));
    };
    auto store_all = [&]<bool kE4m3>() __attribute__((always_inline)) {
      Int4 codes[kParts];
#pragma unroll
      for (int first = 0; first < kWaveM; first += kStaged) {
#pragma unroll
        for (int row = first; row < first + kStaged; row += 16) {
          const int scale = row * kBlocks;
          Vec4<float> values[kFrags];
          float by[kBlocks];
#pragma unroll
          for (int j = 0; j < kFrags; ++j) values[j] = Convert4<float>(acc[row / 16][j]);
#pragma unroll
          for (int b = 0; b < kBlocks; ++b) by[b] = factor(factors[scale / 64], scale + b);
          write_rows(row - first, values,
                     [&]<bool kHigh>(Float2 x, int j, int word) __attribute__((always_inline)) {
            return Quantized<kKind, kE4m3, kHigh>(x, by[j / kHere], largest, word);
          });
        }
        // What was read before is stored here, after the LDS had time to read it.
#pragma unroll
        for (int part = 0; part < kParts; ++part) {
          if (first > 0) store(codes[part], first - kStaged + part * kAtOnce);
        }
#pragma unroll
        for (int part = 0; part < kParts; ++part) codes[part] = read(part);
      }
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        store(codes[part], kWaveM - kStaged + part * kAtOnce);
      }
    };
    auto store_special = [&]<bool kE4m3>() __attribute__((always_inline)) {
#pragma clang loop unroll(disable)
      for (int i = 0; i < kFragsM; ++i) {
        Vec4<float> loaded[4], values[kFrags];
        Load(acc, nullptr, i, loaded);
        const int scale = 16 * i * kBlocks;
        int word = factors[0];
#pragma unroll
        for (int s = 1; s < kScales; ++s) word = scale / 64 == s ? factors[s] : word;
#pragma unroll
        for (int j = 0; j < kFrags; ++j) {
          float by = factor(word, scale + j / kHere);
          if (kDivides<kKind>) by = 1 / by;  // a power of two
          values[j] = loaded[j] * Same4(by);
#pragma unroll
          for (int k = 0; k < 4; ++k) values[j][k] = BlockScale::Clamp(values[j][k], largest);
        }
        write_rows(0, values,
                   []<bool kHigh>(Float2 x, int, int word)
                       __attribute__((always_inline)) { return ToFloat8<kE4m3, kHigh>(x, word); });
        const Int4 codes = read(0);
        if (row_of_lane < 16) store(codes, 16 * i);
      }
    };
    auto store_as = [&]<bool kE4m3>() __attribute__((always_inline)) {
      if (kKind == QuantizeOut::kMx && __builtin_expect(special, false)) {
        store_special.template operator()<kE4m3>();
      } else {
        store_all.template operator()<kE4m3>();
      }
    };
    if (e4m3) {
      store_as.template operator()<true>();
    } else {
      store_as.template operator()<false>();
    }
  }

  static JAXGEMM_AMD int Larger(int a, int b) { return a > b ? a : b; }
  // The largest of the magnitudes of two numbers, and of `top`, in one instruction. On gfx950 it is
  // NaN if one of them is; on gfx942 NaN does not count.
#if defined(__gfx950__)
  static constexpr bool kLargestHasNan = true;
#define JAXGEMM_LARGEST "v_maximum3_f32 "
#else
  static constexpr bool kLargestHasNan = false;
#define JAXGEMM_LARGEST "v_max3_f32 "
#endif
  static JAXGEMM_AMD float LargestMagnitude(float x, float y) {
    float top;
    asm(JAXGEMM_LARGEST "%0, |%1|, |%2|, 0" : "=v"(top) : "v"(x), "v"(y));
    return top;
  }
  static JAXGEMM_AMD float LargestMagnitude(float top, float x, float y) {
    asm(JAXGEMM_LARGEST "%0, |%1|, |%2|, %0" : "+v"(top) : "v"(x), "v"(y));
    return top;
  }
#undef JAXGEMM_LARGEST
  // Converts two numbers to the low or high half of a word, whose other half stays. An overflow
  // gives NaN, or inf if the type has it (CDNA3 ISA, FP16_OVFL is 0).
  template <bool kE4m3, bool kHigh>
  static JAXGEMM_AMD int ToFloat8(Float2 x, int word) {
    if constexpr (!kConvertsFloat8) {
      return 0;
    } else if constexpr (kE4m3) {
      return __builtin_amdgcn_cvt_pk_fp8_f32(x[0], x[1], word, kHigh);
    } else {
      return __builtin_amdgcn_cvt_pk_bf8_f32(x[0], x[1], word, kHigh);
    }
  }
  // Whether a chip has instructions that divide by a power of two and convert.
#if defined(__gfx950__)
  template <QuantizeOut kKind>
  static constexpr bool kDivides = kKind == QuantizeOut::kMx;
#else
  template <QuantizeOut kKind>
  static constexpr bool kDivides = false;
#endif
  // The same for two finite numbers of a block. `factor` is the scale if kDivides, else its
  // reciprocal.
  template <QuantizeOut kKind, bool kE4m3, bool kHigh>
  static JAXGEMM_AMD int Quantized(Float2 x, float factor, LargestValue largest, int word) {
    if (!kDivides<kKind>) x *= factor;
    if (kKind == QuantizeOut::kMx) {
      const float most = kDivides<kKind> ? largest.value * factor : largest.value;
      x = Float2{__builtin_amdgcn_fmed3f(x[0], -most, most),
                 __builtin_amdgcn_fmed3f(x[1], -most, most)};
    }
#if defined(__gfx950__)
    if constexpr (kDivides<kKind>) {
      using Short2 = short __attribute__((ext_vector_type(2)));
      const auto old = __builtin_bit_cast(Short2, word);
      return __builtin_bit_cast(
          int, kE4m3 ? __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(old, x[0], x[1], factor, kHigh)
                     : __builtin_amdgcn_cvt_scalef32_pk_bf8_f32(old, x[0], x[1], factor, kHigh));
    }
#endif
    return ToFloat8<kE4m3, kHigh>(x, word);
  }
  template <bool kE4m3>
  static JAXGEMM_AMD int ToFloat8(Vec4<float> x) {
    return ToFloat8<kE4m3, true>(x.hi, ToFloat8<kE4m3, false>(x.lo, 0));
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
