// A variant of few_rows_mainloop.h and few_rows_epilogue.h for products with a k of a few k tiles.
// Here the waves divide the tile and not k: each of the first waves loads all k of its part of the
// tile straight to registers, at once, and stores its part from registers. So there are no barriers
// and no LDS between the loads and the stores.
#pragma once

#include "amdgpu/few_rows_mainloop.h"
#include "amdgpu/half_epilogue.h"

namespace jaxgemm {

template <class Traits>
class ShortK {
  // An operand that is not k-contiguous is loaded in words of two neighbouring rows, which are in
  // two fragments.
  static constexpr bool kLhsK = Traits::kLhsKContiguous, kRhsK = Traits::kRhsKContiguous;
  static constexpr int kPartM = kLhsK ? 16 : 32, kPartN = kLhsK || !kRhsK ? 32 : 16;
  static constexpr int kPartsM = Traits::kTileM / kPartM, kPartsN = Traits::kTileN / kPartN;
  static_assert(kPartsM * kPartsN <= Traits::kWavesK);

  using Part = GemmTraits<Traits::kLhs, Traits::kRhs, kPartM, kPartN, 1, 1, 1, kLhsK, kRhsK>;
  using Lhs = StreamedOperand<Part, true>;
  using Rhs = StreamedOperand<Part, false>;
  using Loop = FewRowsMainloop<Part>;
  using Accumulators = typename Loop::WaveAccumulators;
  static constexpr int kFragsM = Lhs::kFrags, kFragsN = Rhs::kFrags;

  static constexpr int kMostKTiles = MostShortKTiles(kLhsK, kRhsK);

 public:
  // Whether this class has a product of RunOneTile (gemm.h).
  static JAXGEMM_AMD bool Has(const GemmArgs& args) {
    return args.only_rounded & (static_cast<int32_t>(args.k) <= kMostKTiles * Part::kTileK);
  }
  // Computes a tile of such a product, and ends the wave.
  static JAXGEMM_AMD void Run(const GemmArgs& args, WorkTile tile) {
    const uint32_t part = WaveId();
    tile.m = tile.m * kPartsM + part / kPartsN;
    tile.n = tile.n * kPartsN + part % kPartsN;
    if (kPartsM * kPartsN < Traits::kWavesK && part >= kPartsM * kPartsN) EndWave();
    const auto m = static_cast<int32_t>(args.m), n = static_cast<int32_t>(args.n);
    if (tile.m * kPartM >= m || tile.n * kPartN >= n) EndWave();
    ForKTiles<1>(args, tile, Lhs(OperandMemory<Part, true>(args, tile.batch), tile.m, 0),
                 Rhs(OperandMemory<Part, false>(args, tile.batch), tile.n, 0));
  }

 private:
  // Each number of k tiles has code of its own, so that a wave waits only for the loads that it
  // needs.
  template <int kKTiles>
  static JAXGEMM_AMD void ForKTiles(const GemmArgs& args, const WorkTile& tile, Lhs lhs, Rhs rhs) {
    const auto k = static_cast<uint32_t>(args.k);
    if constexpr (kKTiles < kMostKTiles) {
      if (k > kKTiles * Part::kTileK) return ForKTiles<kKTiles + 1>(args, tile, lhs, rhs);
    }
    typename Lhs::Pieces of_lhs[kKTiles];
    typename Rhs::Pieces of_rhs[kKTiles];
#pragma unroll
    for (int i = 0; i < kKTiles; ++i) {
      if (i == kKTiles - 1) {
        lhs.MaskK(k - i * Part::kTileK);
        rhs.MaskK(k - i * Part::kTileK);
      }
      lhs.Load(of_lhs[i]);
      rhs.Load(of_rhs[i]);
      lhs.NextTile();
      rhs.NextTile();
    }
    __builtin_amdgcn_sched_barrier(0);
    const Place place(args, tile);
    Accumulators acc;
    ClearAccumulators(acc);
#pragma unroll
    for (int i = 0; i < kKTiles; ++i) {
      __builtin_amdgcn_sched_barrier(0);
      Loop::MultiplyTile(of_lhs[i], of_rhs[i], acc);
    }
    Store(acc, place);
    EndWave();
  }

  // Where a lane stores. Rows and columns outside of out are outside of the resource.
  struct Place {
    char* first;
    uint32_t bytes, row_bytes, offset[Rhs::kInterleaved ? 1 : kFragsN];

    JAXGEMM_AMD Place(const GemmArgs& args, const WorkTile& tile) {
      const auto rows = static_cast<uint32_t>(args.m), columns = static_cast<uint32_t>(args.n);
      row_bytes = 2 * columns & 0xffffff;  // by runtime/amd_launch.cc
      const uint32_t first_row = tile.m * kPartM, left = rows - first_row;
      first = static_cast<char*>(args.out) +
              (RowsOfOut(args, tile, Ragged::kNone).first + first_row) * row_bytes;
      bytes = (left < kPartM ? left : kPartM) * row_bytes;
      const uint32_t lane = LaneId(), group = lane / 16;
#pragma unroll
      for (uint32_t& each : offset) {
        const uint32_t col = tile.n * kPartN + (Rhs::kInterleaved ? 8 : 4) * group +
                             16 * static_cast<uint32_t>(&each - offset);
        each = col < columns ? Lhs::Row(0, lane) * row_bytes + 2 * col : kOutsideBuffer;
        asm volatile("" : "+v"(each));
      }
      // With the asm all of it is computed here, while the loads are in flight.
      asm volatile("" : "+s"(first), "+s"(bytes));
    }
  };

  using Halves = Vec4<uint16_t>[kFragsM][kFragsN];

  static JAXGEMM_AMD void Store(const Accumulators& acc, const Place& place) {
    constexpr bool kBf16 = HalfTypeOf(Traits::kLhs) == DType::kBF16;
    Halves halves;
    if (kBf16 && !kConvertsNan && __builtin_expect(MayHaveNan(acc), false)) {
      Convert(acc, halves, [](auto x) { return Convert16(true, x); });
    } else {
      Convert(acc, halves, [](auto x) { return ConvertNumbers16<kBf16>(x); });
    }
    const auto resource =
        __builtin_amdgcn_make_buffer_rsrc(place.first, 0, place.bytes, kDataFormat32);
#pragma unroll
    for (int i = 0; i < kFragsM; ++i) {
      const uint32_t row = i * (Lhs::kInterleaved ? 1 : 16) * place.row_bytes;
      if constexpr (Rhs::kInterleaved) {
        const auto eight =
            __builtin_shufflevector(halves[i][0], halves[i][1], 0, 1, 2, 3, 4, 5, 6, 7);
        __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec16, eight), resource,
                                               place.offset[0] + row, 0, 0);
      } else {
#pragma unroll
        for (int j = 0; j < kFragsN; ++j) {
          __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(Vec8, halves[i][j]), resource,
                                                place.offset[j] + row, 0, 0);
        }
      }
    }
  }
  // If rhs is interleaved, a lane's halves of a row are eight neighbouring columns.
  static JAXGEMM_AMD void Convert(const Accumulators& acc, Halves& halves, auto&& convert) {
#pragma unroll
    for (int i = 0; i < kFragsM; ++i) {
      if constexpr (Rhs::kInterleaved) {
        static_assert(kFragsN == 2);
        const auto even = acc[i][0], odd = acc[i][1];
        halves[i][0] = convert(__builtin_shufflevector(even, odd, 0, 4, 1, 5));
        halves[i][1] = convert(__builtin_shufflevector(even, odd, 2, 6, 3, 7));
      } else {
#pragma unroll
        for (int j = 0; j < kFragsN; ++j) halves[i][j] = convert(acc[i][j]);
      }
    }
  }
};

}  // namespace jaxgemm
