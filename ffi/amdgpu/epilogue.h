// The epilogue on AMD GPUs: a wave's fragments go through LDS, so that each lane stores
// neighbouring columns of a row. Every kernel has two versions, because code that is fast for the
// common options would be too long for all of them. vector_epilogue.h is for the common options;
// this file is for all options and types of out: a short loop in which a lane stores four columns.
#pragma once

#include "amdgpu/quantized_epilogue.h"

namespace jaxgemm {

// Where a lane's four columns are in the staged rows of its wave, and in out, bias and scale.
template <class Traits>
struct LaneColumns {
  static constexpr int kVec4s = Traits::kWaveN / 4;  // groups of four columns in a staged row

  bool gated;
  int64_t col;    // in out
  int vec4, row;  // in the staged rows; gated: vec4 + 4 is the group of the up projection

  explicit JAXGEMM_AMD LaneColumns(const GemmArgs& args, const WorkTile& tile) : gated(args.gated) {
    const int lane = LaneId();
    const int vec4s = gated ? kVec4s / 2 : kVec4s;
    const int in_row = lane % vec4s;
    row = lane / vec4s;
    vec4 = gated ? in_row / 4 * 8 + in_row % 4 : in_row;
    const int64_t first = int64_t{tile.n} * Traits::kTileN + Traits::WaveN() * Traits::kWaveN;
    col = (gated ? first / 2 : first) + 4 * in_row;
  }
  JAXGEMM_AMD int rows_at_once() const { return kWaveSize / kVec4s * (gated ? 2 : 1); }
};

template <class Traits>
JAXGEMM_AMD void StoreRows(const GemmArgs& args, const WorkTile& tile,
                           typename Traits::Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN],
                           const typename Traits::Acc4* loaded, StagedRows<Traits> stage) {
  using Columns = LaneColumns<Traits>;
  const int lane = LaneId();
  const Columns columns(args, tile);
  const int64_t col = columns.col;
  const int64_t first_row =
      int64_t{tile.m} * Traits::kTileM + Traits::WaveM() * Traits::kWaveM + columns.row;
  const int count = args.n - col < 4 ? static_cast<int>(args.n - col) : 4;
  const bool aligned = args.n % 4 == 0;
  const bool ragged_m = args.groups.ragged == Ragged::kM;
  const auto [rows, row_of_out] = RowsOfOut(args, tile);
  const TileEpilogue epilogue(args, tile, args.groups.ragged);
  const ColumnVectors vectors(epilogue, col, count);
  // Lane l holds the RowVector (the row_scale) of row l % 32 of a pass. The RowVectors of the next
  // pass are loaded one pass ahead.
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
    stage.Write(pass, acc, loaded);
#pragma clang loop unroll(disable)
    for (int staged = 0; staged < 32; staged += columns.rows_at_once()) {
      const int64_t row = first_row + pass * 32 + staged;
      const int in_stage = staged + columns.row;
      const RowVector row_vector = FromLane(in_stage, row_vectors);
      if (row >= rows || count <= 0) continue;
      StoreRow<Traits::kLhs == DType::kS8>(
          args, epilogue, vectors, row_vector, row_of_out + row, args.n, col, count, aligned,
          stage.Read(in_stage, columns.vec4),
          [&]() __attribute__((always_inline)) { return stage.Read(in_stage, columns.vec4 + 4); });
    }
  }
}

// Stores a tile. The accumulators are in `acc` or, if `loaded` is not null, in memory, where the
// fragments of a thread are kThreads Acc4 apart. `lds` is this wave's own kStageBytes of LDS.
template <class Traits>
JAXGEMM_AMD void StoreTile(const GemmArgs& args, const WorkTile& tile,
                           typename Traits::Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN],
                           const typename Traits::Acc4* loaded, Lds* lds) {
  if constexpr (kMayQuantize<Traits>) {
    if (__builtin_expect(args.quantize_out != QuantizeOut::kNone, false)) {
      return QuantizedTile<Traits>(tile, lds).Store(acc, loaded);
    }
  }
  const StagedRows<Traits> stage{lds};
  if (StoresVectors(args, Traits::kLhs, kTargetFloat8, Traits::kWaveM)) {
    StoreVectors<Traits>(args, tile, acc, loaded, stage);
  } else {
    StoreRows<Traits>(args, tile, acc, loaded, stage);
  }
}

}  // namespace jaxgemm
