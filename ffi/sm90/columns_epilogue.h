// The epilogue on Hopper for products whose rhs goes to wgmma through registers (kRhsInRegisters):
// the rows of the wgmma are columns of out, and its columns are rows of out. It applies vectors,
// casts, and stores from the registers.
#pragma once

#include "kernel/epilogue_vectors.h"
#include "sm90/overlapped_store.h"
#include "sm90/register_operand.h"

namespace jaxgemm {

// A thread's results of a tile. Those of 16 bits are stored part by part while the next tile is
// multiplied. Those of 32 bits, for which there are no registers, are stored at once.
template <class Traits>
struct StoredColumns : SpreadParts<8> {
  using Sum = typename Traits::Sum;
  using Columns = ColumnsOfThread<Traits>;
  // Accumulators 4 j + {0, 1} and 4 j + {2, 3} of a block are rows 8 j + 2 (lane % 4) + {0, 1} of
  // the tile, in the first and the second of the block's two columns.
  static constexpr int kBlocks = Columns::kBlocks, kEights = Traits::kCtaM / 8;
  static constexpr int kInPart = kEights / kParts;
  static_assert(kEights % kParts == 0);

  const GemmArgs& args;
  const int rank;
  // Both columns of a block, for rows 8 j and 8 j + 1 after the thread's first.
  uint32_t pairs[kBlocks][2 * kEights];
  char* first;       // the place of pairs[0][0] in out
  int rows;          // how many rows are stored from there on
  bool has_columns;  // whether out has the last block's columns; if not the first one's, rows is 0

  JAXGEMM_SM90 StoredColumns(const GemmArgs& args, int rank) : args(args), rank(rank) {}

  // Takes a tile's accumulators when IsDone().
  JAXGEMM_SM90 void Take(const WorkTile& tile, Sum (&sums)[Traits::kAllSums]) {
    const int thread = ThreadId() - kWarpgroupSize, lane = thread % kWarpSize;
    const int64_t column = int64_t{tile.n} * Traits::kTileN + Columns::OfWarp(thread);
    const int64_t row =
        int64_t{tile.m} * Traits::kTileM + rank * Traits::kCtaM + lane % 4 * 2;  // in the group
    const int64_t left = tile.limit - tile.origin - row;
    rows = left < 0 ? 0 : left < Traits::kCtaM ? static_cast<int>(left) : Traits::kCtaM;
    const TileEpilogue epilogue(args, tile, Ragged::kM);
    if (SameInWarp(epilogue.HasVectors())) Apply(epilogue, tile.origin + row, column, lane, sums);
    const bool is_wide = SameInWarp(args.out_dtype == DType::kF32);
    first = static_cast<char*>(args.out) +
            ((int64_t{tile.batch} * args.m + tile.origin + row) * args.n + column +
             Columns::InWarp(lane, 0)) *
                (is_wide ? 4 : 2);
    if (column + Columns::InWarp(lane, 0) >= args.n) rows = 0;
    has_columns = column + Columns::InWarp(lane, 1) < args.n;
    if (is_wide) return StoreWide(sums);
    const bool bf16 = args.out_dtype == DType::kBF16;
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
      for (int i = 0; i < 2 * kEights; ++i) {
        const Sum* sum = sums + block * kEights * 4 + i / 2 * 4 + i % 2;
        pairs[block][i] = PackPair(bf16, sum[0], sum[2]);
      }
    }
    this->part = 0;
  }
  // Multiplier::Run calls this.
  JAXGEMM_SM90 void operator()() {
    if (this->Skips()) return;
    // Registers cannot be indexed at run time, so each part has a branch of its own.
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
      if (i == this->part) StorePart(i);
    }
    ++this->part;
  }
  // Stores the parts that are left.
  JAXGEMM_SM90 void StoreRest() {
    while (!this->IsDone()) (*this)();
  }
  // Whole warpgroups call this after the last tile.
  JAXGEMM_SM90 void Finish() { StoreRest(); }

 private:
  // `row` counts from the batch's first row on.
  JAXGEMM_SM90 void Apply(const TileEpilogue& epilogue, int64_t row, int64_t column, int lane,
                          Sum (&sums)[Traits::kAllSums]) const {
    ColumnVector vectors[kBlocks][2];
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int64_t its = column + Columns::InWarp(lane, block) + i;
        vectors[block][i] = ColumnVector::Load(epilogue, its < args.n ? its : args.n - 1);
      }
    }
#pragma unroll
    for (int i = 0; i < 2 * kEights; ++i) {
      const int in_tile = i / 2 * 8 + i % 2;
      const RowVector of_row =
          RowVector::Load(args, epilogue, in_tile < rows ? row + in_tile : row);
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        Sum* sum = sums + block * kEights * 4 + i / 2 * 4 + i % 2;
        sum[0] = vectors[block][0].Apply(of_row.Apply(sum[0]));
        sum[2] = vectors[block][1].Apply(of_row.Apply(sum[2]));
      }
    }
  }

  // The place of row `in_tile` after the first, and of a block's columns there, of `bytes` each.
  JAXGEMM_SM90 char* At(int in_tile, int block, int bytes) const {
    const int between = Columns::InWarp(0, block) - Columns::InWarp(0, 0);
    return first + (in_tile * args.n + between) * bytes;
  }
  JAXGEMM_SM90 void StorePart(int i) const {
#pragma unroll
    for (int row = 0; row < 2 * kInPart; ++row) {
      const int j = i * 2 * kInPart + row, in_tile = j / 2 * 8 + j % 2;
      if (in_tile >= rows) continue;
      if constexpr (Columns::kAreFour) {
        *reinterpret_cast<uint2*>(At(in_tile, 0, 2)) = {pairs[0][j], pairs[1][j]};
      } else {
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          if (block > 0 && !has_columns) continue;
          *reinterpret_cast<uint32_t*>(At(in_tile, block, 2)) = pairs[block][j];
        }
      }
    }
  }
  JAXGEMM_SM90 void StoreWide(const Sum (&sums)[Traits::kAllSums]) const {
#pragma unroll
    for (int j = 0; j < 2 * kEights; ++j) {
      const int in_tile = j / 2 * 8 + j % 2;
      if (in_tile >= rows) continue;
      const auto bits = [&](int block, int i) {
        return __builtin_bit_cast(uint32_t, sums[block * kEights * 4 + j / 2 * 4 + j % 2 + 2 * i]);
      };
      if constexpr (Columns::kAreFour) {
        *reinterpret_cast<uint4*>(At(in_tile, 0, 4)) = {bits(0, 0), bits(0, 1), bits(1, 0),
                                                        bits(1, 1)};
      } else {
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          if (block > 0 && !has_columns) continue;
          *reinterpret_cast<uint2*>(At(in_tile, block, 4)) = {bits(block, 0), bits(block, 1)};
        }
      }
    }
  }
};

}  // namespace jaxgemm
