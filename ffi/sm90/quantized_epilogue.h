// A variant of sm90/fused_epilogue.h for results that are quantised: float8, and a scale for each
// block of columns of a row. Four lanes of a warp have the columns of a row, so they find the
// largest element of a block together. Results go straight from the registers to out, 32 bytes of a
// row at once.
#pragma once

#include "kernel/quantize.h"
#include "sm90/fused_epilogue.h"

namespace jaxgemm {

template <class Traits>
class QuantizedEpilogue : public FusedEpilogue<Traits> {
  using Base = FusedEpilogue<Traits>;
  using Base::Lane;
  using typename Base::Place;
  static constexpr int kHalf = Traits::kAccs / 2;

 public:
  using Base::Base;

  // Applies the epilogue, and stores the tile's results and their scales.
  JAXGEMM_SM90 void StoreQuantized(const GemmArgs& args, const WorkTile& tile,
                                   float (&acc)[Traits::kAllAccs]) {
    static_assert(Traits::kAllAccs == Traits::kAccs);
    const Place place = Base::FirstPlace(args, tile);
    // Tells ptxas that the branches are uniform in the warp, see SmemMainloop::Run in mainloop.h.
    if (WarpUniform(place.row >= place.rows)) return;
    Base::LoadAndApplyVectors(args, place, acc);
    const bool gated = WarpUniform(Traits::IsGated(args));
    if (WarpUniform(args.preact != nullptr)) {
      const int64_t length = gated ? 2 * args.n : args.n;
      Base::template StoreTo<kHalf>(args, args.preact, length, place, 0, args.n, acc);
      Base::template StoreTo<kHalf>(args, args.preact, length, place,
                                    gated ? args.n : Traits::kTileN / 2, length, acc + kHalf);
    }
    if (gated) {
      Base::template Activate<kHalf>(place.epilogue.activation, acc);
#pragma unroll
      for (int i = 0; i < kHalf; ++i) acc[i] *= acc[kHalf + i];
    } else {
      Base::Activate(place.epilogue.activation, acc);
    }
    const bool e5m2 = WarpUniform(args.out_dtype == DType::kF8E5M2);
    if (WarpUniform(args.quantize_out == QuantizeOut::kMx)) {
      if (e5m2) return StoreBlocks<QuantizeOut::kMx, true>(args, place, gated, acc);
      return StoreBlocks<QuantizeOut::kMx, false>(args, place, gated, acc);
    }
    if (e5m2) return StoreBlocks<QuantizeOut::kBlock, true>(args, place, gated, acc);
    StoreBlocks<QuantizeOut::kBlock, false>(args, place, gated, acc);
  }

 private:
  // The results are the first half of the accumulators in a gated tile, else all of them.
  template <QuantizeOut kKind, bool kE5m2>
  JAXGEMM_SM90 void StoreBlocks(const GemmArgs& args, const Place& place, bool gated,
                                const float (&acc)[Traits::kAllAccs]) {
    constexpr int kColumns = QuantizedColumns(kKind), kCount = kColumns / 2;
    constexpr int kBlocks = Traits::kTileN / kColumns;
    const int64_t row = place.row + Lane() / 4;
    const int rows =
        place.rows - row < 9 ? place.rows - row < 1 ? 0 : 1 : 2;  // how many of rows 0 and 8 exist
    const int64_t out_row = place.z * args.m + place.first_row + row;
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      const int64_t column = place.column + i * kColumns;
      if (WarpUniform(column >= args.n || (gated && i >= kBlocks / 2))) return;
      StoreBlock<kKind, kE5m2, kCount>(args, out_row, rows, column, acc + i * kCount);
    }
  }

  template <QuantizeOut kKind, bool kE5m2, int kCount>
  JAXGEMM_SM90 void StoreBlock(const GemmArgs& args, int64_t out_row, int rows, int64_t column,
                               const float* acc) {
    constexpr LargestValue kLargest =
        kE5m2 ? LargestOf<F8E5M2Format>() : LargestOf<F8E4M3FNFormat>();
    constexpr float kInfinity = __builtin_inff();
    // Accumulators 4 j + {0, 1} are of the upper row, and 4 j + {2, 3} of the lower one. fmaxf
    // ignores NaN.
    float top[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < kCount; ++i) top[i % 4 / 2] = fmaxf(top[i % 4 / 2], fabsf(acc[i]));
    const bool has_infinity = __any_sync(~0u, fmaxf(top[0], top[1]) == kInfinity);
    if (has_infinity) {
      top[0] = top[1] = 0;
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const float finite = fabsf(acc[i]) == kInfinity ? 0 : fabsf(acc[i]);
        top[i % 4 / 2] = fmaxf(top[i % 4 / 2], finite);
      }
    }
    BlockScale scales[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      top[half] = fmaxf(top[half], __shfl_xor_sync(~0u, top[half], 1));
      top[half] = fmaxf(top[half], __shfl_xor_sync(~0u, top[half], 2));
      scales[half] = BlockScale::Of(kKind, __float_as_int(top[half]), kLargest);
    }
    const int quad = Lane() % 4;
    uint8_t* const line = static_cast<uint8_t*>(args.out) + out_row * args.n + column;
#pragma unroll
    for (int group = 0; group < kCount / 16; ++group) {
      // A word has two columns of the upper row, then those of the lower one. The four lanes trade
      // words, so that each has eight neighbouring columns of both rows.
      uint32_t words[4];
#pragma unroll
      for (int eight = 0; eight < 4; ++eight) {
        const float* four = acc + 16 * group + 4 * eight;
        const float upper = scales[0].reciprocal, lower = scales[1].reciprocal;
        words[eight] = CvtFloat8X2(kE5m2, four[0] * upper, four[1] * upper) |
                       CvtFloat8X2(kE5m2, four[2] * lower, four[3] * lower) << 16;
      }
      Base::Trade(quad & 1, 1, words[0], words[1]);
      Base::Trade(quad & 1, 1, words[2], words[3]);
      Base::Trade(quad & 2, 2, words[0], words[2]);
      Base::Trade(quad & 2, 2, words[1], words[3]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int select = half == 0 ? 0x5410 : 0x7632;
        if (half < rows) {
          *reinterpret_cast<uint2*>(line + 8 * half * args.n + 32 * group + 8 * quad) = {
              __byte_perm(words[0], words[1], select), __byte_perm(words[2], words[3], select)};
        }
      }
    }
    if (quad < rows && quad < 2) {
      constexpr int kColumns = QuantizedColumns(kKind);
      StoreScale(kKind, args.out_scales, ((out_row + 8 * quad) * args.n + column) / kColumns,
                 {quad == 0 ? scales[0].scale : scales[1].scale, 0});
    }
    if (has_infinity) StoreInfinities<kE5m2, kCount>(args, rows, line, acc);
  }

  // The conversion makes the largest value of an infinity. Here it becomes NaN, or infinity in a
  // type that has one.
  template <bool kE5m2, int kCount>
  JAXGEMM_SM90 void StoreInfinities(const GemmArgs& args, int rows, uint8_t* line,
                                    const float* acc) {
    __syncwarp();  // another lane has stored the element before
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int half = i % 4 / 2, column = i / 4 * 8 + Lane() % 4 * 2 + i % 2;
      if (half < rows && fabsf(acc[i]) == __builtin_inff()) {
        line[8 * half * args.n + column] = (kE5m2 ? 0x7c : 0x7f) | (acc[i] < 0 ? 0x80 : 0);
      }
    }
  }
};

}  // namespace jaxgemm
