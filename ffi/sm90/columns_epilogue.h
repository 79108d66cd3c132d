// A variant of sm90/epilogue.h for kRhsInRegisters, where wgmma gets rhs in registers: the rows of
// the wgmma are columns of out, and its columns are rows of out. It applies vectors and casts.
// Results of 8-bit operands usually have 16 bits. They go through shared memory, where a warpgroup
// has room for all of a tile; TMA stores them while the next tile is multiplied. Those of float32
// operands, and those of 32 bits, go from the registers to out.
#pragma once

#include "sm90/epilogue.h"
#include "sm90/register_operand.h"

namespace jaxgemm {

template <class Traits>
class ColumnsEpilogue {
  using Acc = typename Traits::Acc;
  using Columns = ColumnsOfThread<Traits>;
  // Accumulators 4 j + {0, 1} and 4 j + {2, 3} of a block are rows 8 j + 2 (lane % 4) + {0, 1} of
  // the tile, in the first and the second of the block's two columns. kRows: a thread's rows.
  static constexpr int kBlocks = Columns::kBlocks, kRows = Traits::kCtaM / 4;
  static constexpr int kWarps = kWarpgroupSize / kWarpSize;
  // The warpgroup's results in boxes of 16 rows and 64 columns, as TMA stores them. Each warp
  // stores some of them.
  static constexpr int kAcross = Columns::kOfWarpgroup / kBoxColumns;
  static constexpr int kBoxes = Traits::kCtaM / kBoxRows * kAcross / kWarps;
  static constexpr int kBytes = kBoxRows * kRowBytes;
  static_assert(!Traits::kStagesWholeTiles || Traits::kStagedBytes == kBoxes * kBytes);

  // Both columns of a block.
  struct alignas(8) Pair {
    float values[2];
  };
  // All columns of a thread, if they are neighbours.
  struct alignas(16) Quad {
    Pair blocks[2];
  };
  // What is applied to the accumulators of both columns of `block` in the thread's row i: nothing,
  // or vectors.
  struct Unscaled {
    JAXGEMM_SM90 Pair operator()(int, int, Acc a, Acc b) const { return {a, b}; }
  };
  struct Scaled {
    const ColumnsEpilogue& of;
    const TileEpilogue& epilogue;
    ColumnVector vectors[kBlocks][2];

    JAXGEMM_SM90 Scaled(const ColumnsEpilogue& of, const TileEpilogue& epilogue)
        : of(of), epilogue(epilogue) {
      const int last = static_cast<int>(of.args_.n) - 1;
#pragma unroll
      for (int i = 0; i < kBlocks * 2; ++i) {
        const int column = of.column_ + Columns::InWarp(of.Lane(), i / 2) + i % 2;
        vectors[i / 2][i % 2] = ColumnVector::Load(epilogue, column < last ? column : last);
      }
    }
    JAXGEMM_SM90 Pair operator()(int block, int i, Acc a, Acc b) const {
      const int row = of.RowInTile(i);
      const RowVector of_row =
          RowVector::Load(of.args_, epilogue, of.row_ + (row < of.rows_ ? row : 0));
      return {vectors[block][0].Apply(of_row.Apply(a)), vectors[block][1].Apply(of_row.Apply(b))};
    }
  };

 public:
  JAXGEMM_SM90 ColumnsEpilogue(const GemmArgs& args, const TensorMaps& maps,
                               SharedMemory<Traits>& shared, int rank, const WorkTile& tile)
      : args_(args), maps_(maps), shared_(shared), thread_(ThreadId() - kWarpgroupSize) {
    const int in_group = tile.m * Traits::kTileM + rank * Traits::kCtaM;
    row_ = tile.origin + in_group, rows_ = tile.limit - row_;
    column_ = tile.n * Traits::kTileN + Columns::OfWarp(thread_);
  }

  JAXGEMM_SM90 void Store(const WorkTile& tile, const Acc (&acc)[Traits::kAllAccs]) {
    const TileEpilogue epilogue(args_, tile, Ragged::kM);
    // The accumulators are not changed in place: ptxas would copy and spill them.
    if (WarpUniform(epilogue.HasVectors())) {
      Store(tile, acc, Scaled(*this, epilogue));
    } else {
      Store(tile, acc, Unscaled());
    }
  }

 private:
  JAXGEMM_SM90 int Lane() const { return thread_ % kWarpSize; }
  JAXGEMM_SM90 int Warp() const { return thread_ / kWarpSize % kWarps; }  // in its warpgroup
  JAXGEMM_SM90 int RowInTile(int i) const { return i / 2 * 8 + Lane() % 4 * 2 + i % 2; }
  // The warpgroup's first box in shared memory.
  JAXGEMM_SM90 char* Boxes() const { return shared_.out[thread_ / kWarpgroupSize * kWarps]; }

  template <class Apply>
  static JAXGEMM_SM90 Pair At(const Apply& apply, int block, int i,
                              const Acc (&acc)[Traits::kAllAccs]) {
    const Acc* pairs = acc + (block * kRows + i / 2 * 2) * 2 + i % 2;
    return apply(block, i, pairs[0], pairs[2]);
  }

  template <class Apply>
  JAXGEMM_SM90 void Store(const WorkTile& tile, const Acc (&acc)[Traits::kAllAccs],
                          const Apply& apply) const {
    if (WarpUniform(args_.out_dtype == DType::kF32)) return StoreStraight<4>(tile, acc, apply);
    if constexpr (Traits::kStagesWholeTiles) {
      StoreBoxes(tile, acc, apply);
    } else {
      StoreStraight<2>(tile, acc, apply);
    }
  }

  template <class Apply>
  JAXGEMM_SM90 void StoreBoxes(const WorkTile& tile, const Acc (&acc)[Traits::kAllAccs],
                               const Apply& apply) const {
    // Waits until the boxes of the tile before have been read.
    if (ElectSync()) TmaStoreWaitRead<0>();
    WarpgroupBarrier(thread_ / kWarpgroupSize);
    Write(acc, apply);
    FenceProxyAsync();
    WarpgroupBarrier(thread_ / kWarpgroupSize);
    const int of_warpgroup = column_ - Warp() * Columns::kOfWarp;
#pragma unroll 1
    for (int i = Warp() * kBoxes; i < (Warp() + 1) * kBoxes; ++i) {
      const int first = i / kAcross * kBoxRows, column = of_warpgroup + i % kAcross * kBoxColumns;
      const char* box = Boxes() + i * kBytes;
      if (WarpUniform(maps_.out_valid && rows_ - first >= kBoxRows)) {
        if (ElectSync()) TmaStore(&maps_.out, SharedAddress(box), column, row_ + first, tile.batch);
      } else {
        StorePart(tile, box, first, column);
      }
    }
  }

  template <class Apply>
  JAXGEMM_SM90 void Write(const Acc (&acc)[Traits::kAllAccs], const Apply& apply) const {
    const bool bf16 = args_.out_dtype == DType::kBF16;
    // The thread's first two bytes in row 0 of the boxes, without TMA's swizzle.
    const int byte = Warp() * Columns::kOfWarp % kBoxColumns * 2 + Columns::InWarp(Lane(), 0) * 2;
    const uint32_t boxes =
        SharedAddress(Boxes()) + Warp() * Columns::kOfWarp / kBoxColumns * kBytes;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int row = Lane() % 4 * 2 + i % 2;  // of eight
      const uint32_t to =
          boxes + i / 4 * kAcross * kBytes + (i / 2 % 2 * 8 + row) * kRowBytes + (byte ^ row * 16);
      uint32_t pairs[kBlocks];
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        const Pair pair = At(apply, block, i, acc);
        pairs[block] = CvtRnX2(bf16, pair.values[0], pair.values[1]);
      }
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) StShared(to ^ block * 2 * 16, pairs[block]);
    }
  }

  // Stores the rows of a box that are in the group.
  JAXGEMM_SM90 void StorePart(const WorkTile& tile, const char* box, int first, int column) const {
    constexpr int kVectors = kRowBytes / 16, kAtOnce = kWarpSize / kVectors;
    const int byte = Lane() % kVectors * 16;
    if (column + byte / 2 >= args_.n) return;
    char* out = static_cast<char*>(args_.out) + column * 2 + byte;
    for (int row = Lane() / kVectors; row < kBoxRows && first + row < rows_; row += kAtOnce) {
      const int64_t out_row = int64_t{tile.batch} * args_.m + row_ + first + row;
      *reinterpret_cast<uint4*>(out + out_row * args_.n * 2) =
          *reinterpret_cast<const uint4*>(box + row * kRowBytes + (byte ^ row % 8 * 16));
    }
  }

  // Stores from the registers, kBytes for each result.
  template <int kBytes, class Apply>
  JAXGEMM_SM90 void StoreStraight(const WorkTile& tile, const Acc (&acc)[Traits::kAllAccs],
                                  const Apply& apply) const {
    int columns[kBlocks];
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      columns[block] = column_ + Columns::InWarp(Lane(), block);
    }
    if (columns[0] >= args_.n) return;
    const int64_t row = int64_t{tile.batch} * args_.m + row_ + RowInTile(0);
    char* first = static_cast<char*>(args_.out) + row * args_.n * kBytes;
    const bool bf16 = args_.out_dtype == DType::kBF16;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (RowInTile(i) >= rows_) continue;
      char* line = first + (RowInTile(i) - RowInTile(0)) * args_.n * kBytes;
      Pair pairs[kBlocks];
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) pairs[block] = At(apply, block, i, acc);
      if constexpr (kBytes == 2 && Columns::kColumnsAreAdjacent) {
        *reinterpret_cast<uint2*>(line + columns[0] * kBytes) = {
            CvtRnX2(bf16, pairs[0].values[0], pairs[0].values[1]),
            CvtRnX2(bf16, pairs[1].values[0], pairs[1].values[1])};
      } else if constexpr (Columns::kColumnsAreAdjacent) {
        *reinterpret_cast<Quad*>(line + columns[0] * kBytes) = {{pairs[0], pairs[1]}};
      } else {
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          if (columns[block] < args_.n)
            *reinterpret_cast<Pair*>(line + columns[block] * kBytes) = pairs[block];
        }
      }
    }
  }

  const GemmArgs& args_;
  const TensorMaps& maps_;
  SharedMemory<Traits>& shared_;
  const int thread_;  // among the CTA's consumers
  int row_, rows_;    // the CTA's first row in its batch, and how many of its group follow
  int column_;        // the warp's first column
};

}  // namespace jaxgemm
