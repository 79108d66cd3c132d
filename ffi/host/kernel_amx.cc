// The host kernel for bf16 on AMX: products of 16 x 32 by 32 x 16 tiles. Operands are packed as in
// kernel_avx512_bf16.cc, with k padded to whole tiles. A tile of lhs is loaded from strided rows, a
// tile of rhs from half a panel.
#define JAXGEMM_VECTOR_BYTES 64
#define JAXGEMM_TILE_ROWS 16
#include "host/simd.h"

namespace jaxgemm {
namespace {

constexpr int kTile = 16;  // rows, and 32-bit words in a row

struct TilePairOps : BF16PairOps {
  static constexpr int kWordMultiple = kTile;
};

struct TileConfig {  // the layout that ldtilecfg reads
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {kTile, kTile, kTile, kTile, kTile, kTile, kTile, kTile};
};

// Up to this many rows vectors are faster than tiles, which have 16.
constexpr int kVectorRows = 4;

// It is not a local variable, because the compiler does not see that ldtilecfg reads all of it.
alignas(64) constexpr TileConfig kTileConfig;

// c[32, 32] (kTwo) or c[16, 32] (+)= A B. Rows of lhs after the given ones have arbitrary values,
// from the padding of packed_a. They affect only rows of c that the caller drops.
template <bool kTwo>
JAXGEMM_INLINE void MultiplyAmxTiles(const uint32_t* a, const uint32_t* b, int words, float* c,
                                     int64_t ldc, bool accumulate) {
  const int64_t stride = ldc * 4;
  float* below = c + kTile * ldc;
  if (accumulate) {
    _tile_loadd(0, c, stride);
    _tile_loadd(1, c + kTile, stride);
    if constexpr (kTwo) {
      _tile_loadd(2, below, stride);
      _tile_loadd(3, below + kTile, stride);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int word = 0; word < words; word += kTile) {
    _tile_loadd(6, b + word * kPanel, kPanel * 4);
    _tile_loadd(4, a + word, kRowWords * 4);
    _tile_loadd(7, b + word * kPanel + kTile, kPanel * 4);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kTwo) {
      _tile_loadd(5, a + kTile * kRowWords + word, kRowWords * 4);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, c, stride);
  _tile_stored(1, c + kTile, stride);
  if constexpr (kTwo) {
    _tile_stored(2, below, stride);
    _tile_stored(3, below + kTile, stride);
  }
}

// Whole tiles are faster, although AMX needs a packed rhs.
template <DType kDType>
constexpr int kDirectRows<TilePairOps, kDType> = kTile - 1;

// Replaces the vector tiles of panels.h. Every row is added up in the same order: edges of the
// result begin with what c holds, too.
template <>
void MultiplyWords<TilePairOps>(const uint32_t* a, const uint32_t* b, int rows, int cols, int words,
                                float* c, int64_t ldc, bool accumulate, const NextRhs&) {
  // The compiler does not see that tileloadd reads memory: without this it could store the packed
  // words later.
  __asm__ volatile("" ::: "memory");
  _tile_loadconfig(&kTileConfig);
  for (int col = 0; col < cols; col += kPanel, b += words * kPanel) {
    const int width = cols - col < kPanel ? cols - col : kPanel;
    for (int row = 0; row < rows; row += 2 * kTile) {
      const int height = rows - row < 2 * kTile ? rows - row : 2 * kTile;
      const uint32_t* a_rows = a + row * kRowWords;
      float* corner = c + row * ldc + col;
      if (width == kPanel && height % kTile == 0) {
        if (height > kTile) {
          MultiplyAmxTiles<true>(a_rows, b, words, corner, ldc, accumulate);
        } else {
          MultiplyAmxTiles<false>(a_rows, b, words, corner, ldc, accumulate);
        }
        continue;
      }
      alignas(64) float edge[2 * kTile * kPanel];
      const auto copy = [&](auto&& assign) __attribute__((always_inline)) {
        for (int i = 0; i < height; ++i) {
          for (int j = 0; j < width; ++j) assign(edge[i * kPanel + j], corner[i * ldc + j]);
        }
      };
      if (accumulate) copy([](float& inside, float from) { inside = from; });
      __asm__ volatile("" ::: "memory");  // as above
      if (height > kTile) {
        MultiplyAmxTiles<true>(a_rows, b, words, edge, kPanel, accumulate);
      } else {
        MultiplyAmxTiles<false>(a_rows, b, words, edge, kPanel, accumulate);
      }
      copy([](float inside, float& to) { to = inside; });
    }
  }
  _tile_release();
}

template <>
void MultiplyPackedPart<TilePairOps>(const uint32_t* a, const uint32_t* b, int rows, int cols,
                                     int words, float* c, int64_t ldc, bool accumulate) {
  if (rows > kVectorRows) {
    return MultiplyWords<TilePairOps>(a, b, rows, cols, words, c, ldc, accumulate, {});
  }
  MultiplyTiles<TilePairOps, Lhs::kPacked>(a, kRowWords, b, rows, cols, words, c, ldc, accumulate,
                                           {});
}

}  // namespace

extern constinit const HostKernel kHostAmxBF16 =
    MakeHostKernel<TilePairOps>("amx", Math::kBF16, 384);

}  // namespace jaxgemm
