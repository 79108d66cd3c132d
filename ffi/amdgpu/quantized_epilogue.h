// A variant of amdgpu/epilogue.h, which calls it, for results that are quantised: float8, and a
// scale for each block of columns of a row. Several waves may have columns of a block, so they tell
// each other through LDS the largest element that they have.
#pragma once

#include "amdgpu/args.h"
#include "amdgpu/lane_columns.h"
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
  using Columns = LaneColumns<Traits>;
  using Int4 = int __attribute__((ext_vector_type(4)));
  using LdsInt4 = __attribute__((address_space(3))) Int4;
  // A lane's groups of four columns in the 32 rows of a pass; half as many if gated.
  static constexpr int kSteps = Traits::kWaveN / 8;

 public:
  JAXGEMM_AMD QuantizedTile(const WorkTile& tile, StagedRows<Traits> stage)
      : tile_(tile), stage_(stage) {}

  // All waves of the workgroup call this.
  JAXGEMM_AMD void Store(Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN], const Acc4* loaded) const {
#pragma clang loop unroll(disable)
    for (int pass = 0; pass < Traits::kFragsM / 2; ++pass) {
      stage_.Write(pass, acc, loaded);
      ApplyEpilogue(32 * pass);
      StorePass(32 * pass);
    }
  }

 private:
  // What a pass needs of the arguments and of the lane. It is computed again in each pass, because
  // there are no registers to keep it.
  struct Pass {
    const GemmArgs args;
    const int lane;
    const Columns columns;
    int rows;            // of the pass, inside of out
    int64_t first_row;   // of the pass in its matrix
    int64_t row_of_out;  // the matrix's first row in out

    JAXGEMM_AMD Pass(const WorkTile& tile, int first)
        : args(LoadArgs()), lane(LaneOfPass()), columns(args.gated, tile.n, lane) {
      const MatrixRows of_out = RowsOfOut(args, tile);
      first_row = int64_t{tile.m} * Traits::kTileM + Traits::WaveM() * Traits::kWaveM + first;
      const int64_t left = of_out.count - first_row;
      rows = left < 0 ? 0 : left < 32 ? static_cast<int>(left) : 32;
      row_of_out = of_out.first;
    }
    static JAXGEMM_AMD int LaneOfPass() {
      int lane = LaneId();
      asm volatile("" : "+v"(lane));
      return lane;
    }
  };

  // Replaces the accumulators in LDS by the results. `first` is the pass's first row in the wave's.
  JAXGEMM_AMD void ApplyEpilogue(int first) const {
    const Pass pass(tile_, first);
    const GemmArgs& args = pass.args;
    const Columns& columns = pass.columns;
    const TileEpilogue epilogue(args, tile_, args.groups.ragged);
    const bool applies = epilogue.HasVectors() || epilogue.activation != Activation::kNone ||
                         args.gated || args.preact;
    if (!applies) return;
    const bool has_columns = columns.col < args.n;
    const int64_t col = has_columns ? columns.col : 0;
    const ColumnVectors vectors(epilogue, col, 4);
    const int64_t first_of_group = args.groups.ragged == Ragged::kM ? tile_.origin : 0;
    const int of_lane = pass.lane % 32;
    const RowVector row_vectors =
        of_lane < pass.rows
            ? RowVector::Load(args, epilogue, first_of_group + pass.first_row + of_lane)
            : RowVector::None();
#pragma clang loop unroll(disable)
    for (int staged = 0; staged < 32; staged += columns.rows_at_once()) {
      const int in_stage = staged + columns.row;
      const RowVector row_vector = FromLane(in_stage, row_vectors);
      const Vec4<float> z = vectors.Apply(stage_.Read(in_stage, columns.vec4), row_vector);
      Vec4<float> value = z, up = z;
      WithActivation(epilogue.activation, [&](auto activate) __attribute__((always_inline)) {
#pragma unroll
        for (int i = 0; i < 4; ++i) value[i] = activate(z[i]);
      });
      if (args.gated) {
        up = ColumnVectors(epilogue, args.n + col, 4)
                 .Apply(stage_.Read(in_stage, columns.vec4 + 4), row_vector);
        value = value * up;
      }
      if (args.preact && has_columns && in_stage < pass.rows) {
        const int64_t length = args.gated ? 2 * args.n : args.n;
        const int64_t at = (pass.row_of_out + pass.first_row + in_stage) * length + col;
        Store4(args.preact, at, Convert16(true, z), 4, true);
        if (args.gated) Store4(args.preact, at + args.n, Convert16(true, up), 4, true);
      }
      *stage_.At(in_stage, columns.vec4) = value;
    }
  }

  JAXGEMM_AMD void StorePass(int first) const {
    const Pass pass(tile_, first);
    const GemmArgs& args = pass.args;
    const Columns& columns = pass.columns;
    const int lane = pass.lane, rows_at_once = columns.rows_at_once();
    const int64_t row_of_out = pass.row_of_out + pass.first_row;
    const QuantizeOut kind = args.quantize_out;
    const bool e4m3 = args.out_dtype == kTargetFloat8.e4m3;
    Vec4<float> values[kSteps];
    // Each four lanes write the largest magnitude of their 16 columns of a row to the first rows of
    // the stage, which the first step reads.
    auto write_top = [&](int step, int top) __attribute__((always_inline)) {
      if (lane % 4 == 0) {
        TopsOf(0, step * rows_at_once + columns.row)[columns.in_row / 4] = top;
      }
    };
    int all = 0;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step * rows_at_once >= 32) continue;
      values[step] = stage_.Read(step * rows_at_once + columns.row, columns.vec4);
      const int top = Top(values[step], [](float x) { return MagnitudeBits(x); });
      all = top > all ? top : all;
      write_top(step, top);
    }
    // NaN and infinities are rare.
    if (__builtin_expect(__builtin_amdgcn_ballot_w64(all >= kInfinityBits) != 0, false)) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step * rows_at_once >= 32) continue;
        write_top(step, Top(values[step], [](float x) { return FiniteMagnitude(x); }));
      }
    }
    // Lane l computes the scale of row l % 32 of the pass; with two blocks in the wave's columns,
    // lanes from 32 on those of the second one.
    const int quads = columns.vec4s() / 4, quads_of_block = kind == QuantizeOut::kMx ? 2 : 8;
    const bool shares = quads < quads_of_block;
    if (shares) Barrier();
    const int waves = shares ? quads_of_block / quads : 1, wave = Traits::WaveN() % waves;
    const int block_of_lane = shares ? 0 : lane / 32;
    int32_t top = 0;
#pragma clang loop unroll(disable)
    for (int other = 0; other < waves; ++other) {
      const Int4 of_row = TopsOfRow(other - wave, lane % 32);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const bool counts = i < quads && (shares || i / quads_of_block == block_of_lane);
        top = counts && of_row[i] > top ? of_row[i] : top;
      }
    }
    const LargestValue largest =
        e4m3 ? LargestOf(kTargetFloat8.e4m3) : LargestOf(kTargetFloat8.e5m2);
    const BlockScale scale = BlockScale::Of(kind, top, largest);
    const int log_columns = kind == QuantizeOut::kMx ? 5 : 7;
    const int64_t block = (columns.first_of_wave >> log_columns) + block_of_lane;
    const bool has_block = lane < 32 || quads >= 2 * quads_of_block;
    if (wave == 0 && has_block && lane % 32 < pass.rows && block < args.n >> log_columns) {
      StoreScale(kind, args.out_scales, (row_of_out + lane % 32) * (args.n >> log_columns) + block,
                 scale);
    }
    // Rows and columns outside of out are outside of the resource.
    const auto row_bytes = static_cast<uint32_t>(args.n);
    const auto resource =
        __builtin_amdgcn_make_buffer_rsrc(static_cast<char*>(args.out) + row_of_out * row_bytes, 0,
                                          pass.rows * row_bytes, kDataFormat32);
    const uint32_t offset = columns.col < args.n
                                ? columns.row * row_bytes + static_cast<uint32_t>(columns.col)
                                : kOutsideBuffer;
    const int from = columns.row + (shares ? 0 : columns.in_row / 4 / quads_of_block * 32);
    const int32_t reciprocal = __builtin_bit_cast(int32_t, scale.reciprocal);
    auto store = [&](auto convert) __attribute__((always_inline)) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step * rows_at_once >= 32) continue;
        const int own = __builtin_amdgcn_ds_bpermute(4 * (from + step * rows_at_once), reciprocal);
        const int codes = convert(values[step] * Same4(__builtin_bit_cast(float, own)));
        __builtin_amdgcn_raw_buffer_store_b32(codes, resource,
                                              offset + step * rows_at_once * row_bytes, 0, 0);
      }
    };
    if (kind == QuantizeOut::kMx) {
      auto clamp = [&](Vec4<float> x) __attribute__((always_inline)) {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = BlockScale::Clamp(x[i], largest);
        return x;
      };
      if (e4m3) {
        store([&](Vec4<float> x)
                  __attribute__((always_inline)) { return ToFloat8<true>(clamp(x)); });
      } else {
        store([&](Vec4<float> x)
                  __attribute__((always_inline)) { return ToFloat8<false>(clamp(x)); });
      }
    } else if (e4m3) {
      store([](Vec4<float> x) __attribute__((always_inline)) { return ToFloat8<true>(x); });
    } else {
      store([](Vec4<float> x) __attribute__((always_inline)) { return ToFloat8<false>(x); });
    }
    // Another wave may still read what the next pass overwrites.
    if (shares) Barrier();
  }

  // The largest of the 16 columns that this lane and its three neighbours have.
  static JAXGEMM_AMD int Top(Vec4<float> value, auto magnitude) {
    constexpr int kSwapPairs = 0xb1, kSwapHalves = 0x4e;  // DPP controls quad_perm
    int top = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int other = magnitude(value[i]);
      top = other > top ? other : top;
    }
    int other = __builtin_amdgcn_update_dpp(0, top, kSwapPairs, 0xf, 0xf, false);
    top = other > top ? other : top;
    other = __builtin_amdgcn_update_dpp(0, top, kSwapHalves, 0xf, 0xf, false);
    return other > top ? other : top;
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

  // The magnitudes of a row's four times 16 columns, of the wave `waves` columns of waves away.
  JAXGEMM_AMD Int4 TopsOfRow(int waves, int row) const {
    return *(reinterpret_cast<LdsInt4*>(stage_.lds + waves * kStageBytes<Traits>) + row);
  }
  JAXGEMM_AMD LdsIndex* TopsOf(int waves, int row) const {
    return reinterpret_cast<LdsIndex*>(stage_.lds + waves * kStageBytes<Traits>) + 4 * row;
  }

  const WorkTile& tile_;
  const StagedRows<Traits> stage_;
};

}  // namespace jaxgemm
