// The epilogue on AMD GPUs: a wave's fragments go through LDS, so that one short loop for all
// types of out stores whole rows, four elements per lane.
#pragma once

#include "amdgpu/gemm_traits.h"
#include "kernel/row_epilogue.h"

namespace jaxgemm {

// Bytes of LDS in which one wave stages two rows of fragments at a time.
template <class Traits>
inline constexpr int kStageBytes = 2 * 16 * Traits::kWaveN * 4;

JAXGEMM_AMD Vec4<uint16_t> Convert16(bool bf16, Vec4<float> value) {
  return bf16 ? __builtin_bit_cast(Vec4<uint16_t>, Convert4<__bf16>(value))
              : __builtin_bit_cast(Vec4<uint16_t>, Convert4<_Float16>(value));
}

// The vector of a row that lane `lane` has. All lanes take part: a lane that is switched off would
// give 0.
JAXGEMM_AMD RowVector FromLane(int lane, RowVector vector) {
  struct Words {
    int words[sizeof(RowVector) / sizeof(int)];
  };
  Words its = __builtin_bit_cast(Words, vector);
#pragma unroll
  for (int& word : its.words) word = __builtin_amdgcn_ds_bpermute(4 * lane, word);
  return __builtin_bit_cast(RowVector, its);
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
  const bool ragged_m = args.groups.ragged == Ragged::kM;
  const int64_t rows = ragged_m ? tile.limit - tile.origin : args.m;
  int64_t row_of_out = tile.batch * args.m;
  if (ragged_m) row_of_out += tile.origin;
  if (args.groups.ragged == Ragged::kK) {
    row_of_out = (int64_t{tile.batch} * args.groups.local_groups + tile.group) * args.m;
  }
  const TileEpilogue epilogue(args, tile, args.groups.ragged);
  const ColumnVectors vectors(epilogue, col, count);
  // Lane l has the vector of row l % 32 of a pass. That of the next pass is loaded one pass ahead.
  const int64_t first_of_wave = first_row - columns.row;
  const int64_t first_of_group = ragged_m ? tile.origin : 0;
  auto load_row = [&](int pass) __attribute__((always_inline)) {
    const int64_t row = first_of_wave + pass * 32 + lane % 32;
    return row < rows ? RowVector::Load(args, epilogue, first_of_group + row) : RowVector::None();
  };
  RowVector row_vectors = RowVector::None(), next_row_vectors = load_row(0);

#pragma clang loop unroll(disable)
  for (int pass = 0; pass < Traits::kFragsM / 2; ++pass) {
    row_vectors = next_row_vectors;
    if (epilogue.HasRowVectors()) next_row_vectors = load_row(pass + 1);
    if (loaded) {
#pragma unroll 4
      for (int i = 0; i < 2 * Traits::kFragsN; ++i, loaded += Traits::kThreads) {
        const int frag_m = i / Traits::kFragsN, frag_n = i % Traits::kFragsN;
        *at(frag_m * 16 + lane % 16, 4 * frag_n + lane / 16) = *loaded;
      }
    }
    // Registers cannot be indexed at run time, so each pass has a branch of its own.
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
      const int64_t row = first_row + pass * 32 + staged;
      const int in_stage = staged + columns.row;
      const RowVector row_vector = FromLane(in_stage, row_vectors);
      if (row >= rows || count <= 0) continue;
      StoreRow<Traits::kLhs == DType::kS8>(
          args, epilogue, vectors, row_vector, row_of_out + row, args.n, col, count, aligned,
          Sum4(*at(in_stage, columns.four)),
          [&]() __attribute__((always_inline)) { return Sum4(*at(in_stage, columns.four + 4)); });
    }
  }
}

}  // namespace jaxgemm
