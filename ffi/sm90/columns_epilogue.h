// The epilogue on Hopper for products whose rhs goes to wgmma through registers (kRhsInRegisters):
// the rows of the wgmma are columns of out, and its columns are rows of out. It applies vectors,
// casts and stores.
#pragma once

#include "kernel/epilogue_vectors.h"
#include "sm90/overlapped_store.h"
#include "sm90/register_operand.h"

namespace jaxgemm {

// A warp's results of a tile. Those of 16 bits are stored part by part while the next tile is
// multiplied. Those of 32 bits, for which there are no registers, are stored at once.
template <class Traits>
struct StoredColumns : SpreadParts<8> {
  using Sum = typename Traits::Sum;
  using Columns = ColumnsOfThread<Traits>;
  // Accumulators 4 j + {0, 1} and 4 j + {2, 3} of a block are rows 8 j + 2 (lane % 4) + {0, 1} of
  // the tile, in the first and the second of the block's two columns.
  static constexpr int kBlocks = Columns::kBlocks, kEights = Traits::kCtaM / 8;
  // The rows of a part, and the bytes from one to the next in shared memory: with 80 bytes the
  // lanes write to different banks.
  static constexpr int kRows = Traits::kCtaM / kParts, kPitch = Columns::kOfWarp * 2 + 16;
  static_assert(kRows * kPitch <= Traits::kStagedBytes && kRows % 8 == 0);
  // What a lane stores at once: columns of one of the two operands' types come in such numbers.
  using Vector = std::conditional_t<Columns::kAreFour, uint2, uint4>;
  static constexpr int kVectors = Columns::kOfWarp * 2 / sizeof(Vector);  // in a row

  const GemmArgs& args;
  SharedMemory<Traits>& shared;
  const int rank;
  uint32_t pairs[kBlocks][2 * kEights];  // both columns of a block, for rows 8 j and 8 j + 1
  int row, rows;  // the warp's first row of those that are left, in out, and how many rows exist
  int column;     // the warp's first column

  JAXGEMM_SM90 StoredColumns(const GemmArgs& args, SharedMemory<Traits>& shared, int rank)
      : args(args), shared(shared), rank(rank) {}

  // Takes a tile's accumulators when IsDone().
  JAXGEMM_SM90 void Take(const WorkTile& tile, Sum (&sums)[Traits::kAllSums]) {
    const int thread = ThreadId() - kWarpgroupSize, lane = thread % kWarpSize;
    const int in_group = tile.m * Traits::kTileM + rank * Traits::kCtaM;
    column = tile.n * Traits::kTileN + Columns::OfWarp(thread);
    row = tile.origin + in_group;
    rows = tile.limit - tile.origin - in_group;
    const TileEpilogue epilogue(args, tile, Ragged::kM);
    if (SameInWarp(epilogue.HasVectors())) Apply(epilogue, lane, sums);
    row += tile.batch * static_cast<int>(args.m);
    if (SameInWarp(args.out_dtype == DType::kF32)) return StoreWide(lane, sums);
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
    const int thread = ThreadId() - kWarpgroupSize, lane = thread % kWarpSize;
    const char* staged = shared.out[thread / kWarpSize];
    StageAny(SharedAddress(staged), lane, std::make_integer_sequence<int, kParts>());
    __syncwarp();
    StoreStaged(staged, lane);
    __syncwarp();
    ++this->part, row += kRows, rows -= kRows;
  }
  // Stores the parts that are left.
  JAXGEMM_SM90 void StoreRest() {
    while (!this->IsDone()) (*this)();
  }

 private:
  JAXGEMM_SM90 void Apply(const TileEpilogue& epilogue, int lane,
                          Sum (&sums)[Traits::kAllSums]) const {
    const int last_column = static_cast<int>(args.n) - 1;
    ColumnVector vectors[kBlocks][2];
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int its = column + Columns::InWarp(lane, block) + i;
        vectors[block][i] = ColumnVector::Load(epilogue, its < last_column ? its : last_column);
      }
    }
    if (SameInWarp(epilogue.HasRowVectors())) {
#pragma unroll
      for (int i = 0; i < 2 * kEights; ++i) {
        const int in_tile = i / 2 * 8 + lane % 4 * 2 + i % 2;
        const RowVector of_row =
            RowVector::Load(args, epilogue, in_tile < rows ? row + in_tile : row);
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          Sum* sum = sums + block * kEights * 4 + i / 2 * 4 + i % 2;
          sum[0] = of_row.Apply(sum[0]), sum[2] = of_row.Apply(sum[2]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < Traits::kAllSums; ++i) {
      sums[i] = vectors[i / (kEights * 4)][i % 4 / 2].Apply(sums[i]);
    }
  }

  // Writes the part's rows to shared memory. Registers cannot be indexed at run time, so each part
  // has a branch of its own. (nvcc makes an index of a loop over the parts.)
  template <int... kPart>
  JAXGEMM_SM90 void StageAny(uint32_t staged, int lane,
                             std::integer_sequence<int, kPart...>) const {
    ((kPart == this->part ? Stage<kPart>(staged, lane) : void()), ...);
  }
  template <int kPart>
  JAXGEMM_SM90 void Stage(uint32_t staged, int lane) const {
    const uint32_t to = staged + lane % 4 * 2 * kPitch + Columns::InWarp(lane, 0) * 2;
#pragma unroll
    for (int its = 0; its < kRows / 4; ++its) {
      const int j = kPart * kRows / 4 + its;
      const uint32_t at = to + (its / 2 * 8 + its % 2) * kPitch;
      if constexpr (Columns::kAreFour) {
        StorePair(at, pairs[0][j], pairs[1][j]);
      } else {
        StoreWord(at, pairs[0][j]);
        StoreWord(at + 16 * 2, pairs[1][j]);
      }
    }
  }
  // Stores the rows that are staged, as far as they exist.
  JAXGEMM_SM90 void StoreStaged(const char* staged, int lane) const {
    constexpr int kInVector = sizeof(Vector) / 2, kAtOnce = kWarpSize / kVectors;
    const int vector = lane % kVectors;
    if (column + vector * kInVector >= args.n) return;
    char* out =
        static_cast<char*>(args.out) + (int64_t{row} * args.n + column + vector * kInVector) * 2;
#pragma unroll
    for (int first = 0; first < kRows; first += kAtOnce) {
      const int its = first + lane / kVectors;
      if (its >= rows) return;
      *reinterpret_cast<Vector*>(out + its * args.n * 2) =
          *reinterpret_cast<const Vector*>(staged + its * kPitch + vector * sizeof(Vector));
    }
  }
  JAXGEMM_SM90 void StoreWide(int lane, const Sum (&sums)[Traits::kAllSums]) const {
    const auto bits = [&](int block, int j, int i) {
      return __builtin_bit_cast(uint32_t, sums[block * kEights * 4 + j / 2 * 4 + j % 2 + 2 * i]);
    };
    int at[kBlocks];
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) at[block] = column + Columns::InWarp(lane, block);
    if (at[0] >= args.n) return;
    float* out = static_cast<float*>(args.out) + (row + lane % 4 * 2) * args.n;
#pragma unroll
    for (int j = 0; j < 2 * kEights; ++j) {
      const int in_tile = j / 2 * 8 + j % 2;
      if (in_tile + lane % 4 * 2 >= rows) continue;
      float* line = out + in_tile * args.n;
      if constexpr (Columns::kAreFour) {
        *reinterpret_cast<uint4*>(line + at[0]) = {bits(0, j, 0), bits(0, j, 1), bits(1, j, 0),
                                                   bits(1, j, 1)};
      } else {
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          if (at[block] >= args.n) continue;
          *reinterpret_cast<uint2*>(line + at[block]) = {bits(block, j, 0), bits(block, j, 1)};
        }
      }
    }
  }
};

}  // namespace jaxgemm
