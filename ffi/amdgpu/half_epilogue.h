// A variant of amdgpu/epilogue.h for the most common products: a result of 16 bits, to which
// nothing is applied. It converts before it stages, so that LDS moves half of the bytes, and all of
// it is one block of code, because a branch takes as long as eight other instructions.
#pragma once

#include "amdgpu/buffer.h"
#include "amdgpu/gemm_traits.h"
#include "amdgpu/tile_rows.h"
#include "kernel/row_epilogue.h"

namespace jaxgemm {

// 16 rows of out, a row of a wave's fragments, in LDS as elements of 16 bits. A lane writes four
// columns of fragment 2 p and four of fragment 2 p + 1 as one unit of 16 bytes. It reads eight
// neighbouring columns, which are in two units.
template <class Traits>
struct StagedHalves {
  static constexpr int kUnits = Traits::kWaveN / 8;  // in a row
  static constexpr int kRowsAtOnce = kWaveSize / kUnits, kParts = 16 / kRowsAtOnce;
  using Half4 = Vec4<uint16_t>;
  using Half8 = uint16_t __attribute__((ext_vector_type(8)));

  Lds* write[kUnits / 4];
  Lds* read[2];

  explicit JAXGEMM_AMD StagedHalves(Lds* lds) {
    const uint32_t lane = LaneId();
#pragma unroll
    for (int pair = 0; pair < kUnits / 4; ++pair) {
      write[pair] = lds + UnitOffset(lane % 16, 4 * pair + lane / 16);
    }
    const uint32_t row = lane / kUnits, eight = lane % kUnits;
    const uint32_t unit = eight / 4 * 4 + eight % 2 * 2, half = eight / 2 % 2;
#pragma unroll
    for (int i = 0; i < 2; ++i) read[i] = lds + UnitOffset(row, unit + i) + half * sizeof(Half4);
  }
  // Makes the compiler compute the addresses here and keep them in registers.
  JAXGEMM_AMD void Materialize() {
#pragma unroll
    for (Lds*& each : write) asm volatile("" : "+v"(each));
    asm volatile("" : "+v"(read[0]), "+v"(read[1]));
  }
  JAXGEMM_AMD void Write(int pair, Half4 even, Half4 odd) const {
    const Half8 unit = __builtin_shufflevector(even, odd, 0, 1, 2, 3, 4, 5, 6, 7);
    *reinterpret_cast<LdsVec16*>(write[pair]) = __builtin_bit_cast(Vec16, unit);
  }
  // Row `part` * kRowsAtOnce + lane / kUnits.
  JAXGEMM_AMD Vec16 Read(int part) const {
    using LdsHalf4 = __attribute__((address_space(3))) Half4;
    constexpr int kPartBytes = kRowsAtOnce * Traits::kWaveN * 2;
    const Half4 first = *reinterpret_cast<LdsHalf4*>(read[0] + part * kPartBytes);
    const Half4 second = *reinterpret_cast<LdsHalf4*>(read[1] + part * kPartBytes);
    return __builtin_bit_cast(Vec16,
                              __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7));
  }

 private:
  // Units are swizzled so that there are no bank conflicts: eight lanes that write have one unit of
  // eight rows, and lanes that read have every other unit of two rows (on gfx950 four).
  static JAXGEMM_AMD uint32_t UnitOffset(uint32_t row, uint32_t unit) {
    const uint32_t line = row * kUnits / 8;
    return (row * kUnits + (unit ^ (line ^ (line >> 1 & 1)) % kUnits)) * kVecBytes;
  }
};

// Whether ConvertNumbers16 converts NaN, too. gfx942 has no instruction that converts to bfloat16,
// and half of the instructions that it needs instead are for NaN. So StoreHalves does without them
// there, and accumulators that may have NaN are left to StoreVectors (vector_epilogue.h).
#if defined(__gfx950__)
inline constexpr bool kConvertsNan = true;
#else
inline constexpr bool kConvertsNan = false;
#endif

// Returns true if an accumulator of the wave is NaN. It may also return true if there are
// infinities or very large numbers. One instruction looks at four accumulators: it adds two
// products of them.
template <int kRows, int kColumns>
JAXGEMM_AMD bool MayHaveNan(const Vec4<float> (&acc)[kRows][kColumns]) {
  using Float2 = float __attribute__((ext_vector_type(2)));
  Float2 all[2] = {0, 0};  // two, so that no instruction waits for the one before
#pragma unroll
  for (int i = 0; i < kRows * kColumns; ++i) {
    const Vec4<float> acc4 = acc[i / kColumns][i % kColumns];
    all[i % 2] = __builtin_elementwise_fma(acc4.lo, acc4.hi, all[i % 2]);
  }
  const Float2 both = all[0] + all[1];
  return __builtin_amdgcn_ballot_w64(__builtin_isunordered(both[0], both[1])) != 0;
}

// Converts to bfloat16 or float16. Unless kConvertsNan, no value may be NaN.
template <bool kBf16>
JAXGEMM_AMD Vec4<uint16_t> ConvertNumbers16(Vec4<float> value) {
  if constexpr (!kBf16 || kConvertsNan) return Convert16(kBf16, value);
  const auto bits = __builtin_bit_cast(Vec4<uint32_t>, value);
  return __builtin_convertvector(RoundToBF16(bits), Vec4<uint16_t>);
}

// Stores the rows of a wave. `resource` begins at the first one, and `offset` is that of the lane's
// first columns in it.
template <class Traits, bool kBf16>
JAXGEMM_AMD void StoreHalves(const typename Traits::Acc4 (&acc)[Traits::kFragsM][Traits::kFragsN],
                             auto resource, uint32_t offset, uint32_t row_bytes,
                             const StagedHalves<Traits>& stage) {
  using Stage = StagedHalves<Traits>;
  Vec16 rows[Stage::kParts];
  auto store = [&]() __attribute__((always_inline)) {
#pragma unroll
    for (const Vec16 row : rows) {
      __builtin_amdgcn_raw_buffer_store_b128(row, resource, offset, 0, 0);
      offset += Stage::kRowsAtOnce * row_bytes;
    }
  };
#pragma unroll
  for (int i = 0; i < Traits::kFragsM; ++i) {
    auto convert = [&](int j) __attribute__((always_inline)) {
      return ConvertNumbers16<kBf16>(Convert4<float>(acc[i][j]));
    };
#pragma unroll
    for (int pair = 0; pair < Traits::kFragsN / 2; ++pair) {
      stage.Write(pair, convert(2 * pair), convert(2 * pair + 1));
    }
    // What was read before is stored here, after the LDS had time to read it.
    if (i > 0) store();
#pragma unroll
    for (int part = 0; part < Stage::kParts; ++part) rows[part] = stage.Read(part);
  }
  store();
}

// The epilogue for args.only_rounded: a result of type HalfTypeOf() that is only rounded. In
// RunOneTile (gemm.h) it is computed while the first loads are in flight where it stores
// (kOverlapsLoads), unless the tile leaves no registers for it.
template <class Traits>
class HalfTile {
  using Accumulators = typename Traits::Acc4[Traits::kFragsM][Traits::kFragsN];
  using Stage = StagedHalves<Traits>;

 public:
  static constexpr bool kOverlapsLoads = Traits::kFragsM * Traits::kFragsN <= 8;

  // `of_out` are the rows of the tile's matrix, and `lds` is this wave's own.
  JAXGEMM_AMD HalfTile(const GemmArgs& args, const WorkTile& tile, MatrixRows of_out, Lds* lds)
      : stage_(lds) {
    const auto rows = static_cast<int32_t>(of_out.count), columns = static_cast<int32_t>(args.n);
    row_bytes_ = 2 * static_cast<uint32_t>(columns) & 0xffffff;  // by runtime/amd_launch.cc
    const int32_t first_row = tile.m * Traits::kTileM + Traits::WaveM() * Traits::kWaveM;
    // The compiler knows that this is the same in all lanes only by readfirstlane.
    const int32_t left = rows - first_row, up_to = left < Traits::kWaveM ? left : Traits::kWaveM;
    bytes_ = __builtin_amdgcn_readfirstlane(up_to > 0 ? up_to : 0) * row_bytes_;
    first_ = static_cast<char*>(args.out) + of_out.first * row_bytes_ +
             uint64_t{static_cast<uint32_t>(first_row)} * row_bytes_;
    const uint32_t lane = LaneId();
    const int32_t col = tile.n * Traits::kTileN + Traits::WaveN() * Traits::kWaveN +
                        static_cast<int32_t>(lane % Stage::kUnits) * 8;
    offset_ = col < columns ? lane / Stage::kUnits * row_bytes_ + 2 * col : kOutsideBuffer;
    if (kOverlapsLoads) {
      // Without this asm the compiler computes them where they are used.
      asm volatile("" : "+s"(bytes_), "+s"(first_), "+v"(offset_));
      stage_.Materialize();
    }
  }
  // Stores the tile. Returns false if the accumulators may have NaN, which this file does not
  // convert.
  JAXGEMM_AMD bool Store(const Accumulators& acc) const {
    constexpr bool kBf16 = HalfTypeOf(Traits::kLhs) == DType::kBF16;
    if constexpr (Traits::kLhs != DType::kS8 && kBf16 && !kConvertsNan) {
      if (__builtin_expect(MayHaveNan(acc), false)) return false;
    }
    // They are the same in all lanes, which the compiler does not always know here.
    auto scalar = [](uint64_t value) -> uint64_t {
      return uint32_t(__builtin_amdgcn_readfirstlane(static_cast<uint32_t>(value)));
    };
    const auto at = reinterpret_cast<uint64_t>(first_);
    const auto resource = __builtin_amdgcn_make_buffer_rsrc(
        reinterpret_cast<void*>(scalar(at) | scalar(at >> 32) << 32), 0, scalar(bytes_),
        kDataFormat32);
    StoreHalves<Traits, kBf16>(acc, resource, offset_, row_bytes_, stage_);
    return true;
  }

 private:
  Stage stage_;
  char* first_;
  uint32_t bytes_, row_bytes_, offset_;
};

}  // namespace jaxgemm
