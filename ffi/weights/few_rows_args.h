// What the kernels for few rows and weights of 4 bits get, and their forms; see few_rows.h.
#pragma once

#include <cstdint>

namespace jaxgemm {

inline constexpr int kFewStep = 32;  // k

// A CTA of Hopper's kernel has so many warps that multiply, and threads that copy. So many k come
// to the L2 early.
inline constexpr int kFewWarps = 8, kFewCopiers = 128, kFewPrefetch = 256;

// A form of this kernel.
struct FewForm {
  int blocks;   // of eight rows, that a CTA multiplies at a time
  int warps_n;  // the warps that share a CTA's columns; the others share k
  int steps;    // of a warp in a stage, neighbours along k
  int stages;   // of the ring in shared memory
  int ctas;     // on a multiprocessor
  int columns;  // of a CTA
  int time;     // that the same work takes, relative to the forms with as many rows

  // With 8 rows a warpgroup's instruction would gain nothing.
  constexpr bool wgmma() const { return blocks > 1; }
  constexpr int threads() const { return 32 * kFewWarps + kFewCopiers; }
  constexpr int rows() const { return 8 * blocks; }
  constexpr int warp_columns() const { return columns / warps_n; }
  constexpr int warps_k() const { return kFewWarps / warps_n; }
  // The sums of a row in shared memory have a gap for its banks.
  constexpr int sum_columns() const { return columns + 4; }
  constexpr int stage_steps() const { return warps_k() * steps; }
  // The parts of a stage: weights, x, and scales.
  constexpr int WeightBytes() const { return stage_steps() * kFewStep * columns / 2; }
  constexpr int XBytes() const { return stage_steps() * kFewStep * rows() * 2; }
  constexpr int StageBytes(bool e2m1) const {
    const int bytes = WeightBytes() + XBytes() + stage_steps() * columns * (e2m1 ? 1 : 4);
    return wgmma() ? (bytes + 1023) / 1024 * 1024 : bytes;
  }
  constexpr int RingBytes(bool e2m1) const {
    const int ring = stages * StageBytes(e2m1), sums = warps_k() * rows() * sum_columns() * 4;
    return ring > sums ? ring : sums;
  }
  // Each stage has two barriers.
  constexpr int SharedBytes(bool e2m1) const { return RingBytes(e2m1) + 16 * stages; }
};

// The forms that are built, the fewest rows first. The last one with some rows is for more CTAs
// than the device has room for.
inline constexpr FewForm kFewForms[] = {
    {.blocks = 1, .warps_n = 1, .steps = 2, .stages = 4, .ctas = 1, .columns = 128, .time = 33},
    {.blocks = 1, .warps_n = 2, .steps = 2, .stages = 4, .ctas = 1, .columns = 256, .time = 32},
    {.blocks = 1, .warps_n = 2, .steps = 1, .stages = 4, .ctas = 2, .columns = 256, .time = 32},
    {.blocks = 2, .warps_n = 4, .steps = 4, .stages = 7, .ctas = 1, .columns = 128, .time = 33},
    {.blocks = 2, .warps_n = 4, .steps = 4, .stages = 3, .ctas = 2, .columns = 128, .time = 32},
    {.blocks = 4, .warps_n = 4, .steps = 4, .stages = 6, .ctas = 1, .columns = 128, .time = 33},
    {.blocks = 4, .warps_n = 8, .steps = 4, .stages = 7, .ctas = 1, .columns = 256, .time = 32},
    {.blocks = 4, .warps_n = 4, .steps = 4, .stages = 3, .ctas = 2, .columns = 128, .time = 32},
    {.blocks = 8, .warps_n = 4, .steps = 2, .stages = 8, .ctas = 1, .columns = 128, .time = 36},
    {.blocks = 8, .warps_n = 8, .steps = 4, .stages = 5, .ctas = 1, .columns = 256, .time = 32},
};

// The forms of AMD's kernel have so many blocks of 16 rows. Its tiles are pairs of these columns.
inline constexpr int kFewAmdBlocks[] = {1, 2, 4};
inline constexpr int kFewAmdColumns = 128, kFewAmdThreads = 512;

struct FewRowsArgs {
  const void* x;        // [lines, k], of float16 or bfloat16
  const void* weights;  // [local_groups, k, n / 2]: two values in a byte, the first in the low bits
  // [local_groups, k / block, n]: bytes of E8M0 for E2M1, else float32. A byte of 0 counts as 0,
  // and one of 255 as infinite. With bfloat16 scales above 2**65 count as infinite, too, and those
  // below 2**-61 lose bits.
  const void* scales;
  const int32_t* sizes;       // [groups]; null: one group of all rows
  const int32_t* offset;      // the first local group; null: 0
  const int32_t* indices;     // [rows]: the line of x of each row; null: row i is line i
  void* out;                  // [rows, n], of x's type, or float32; AMD: [split, rows, n]
  int32_t rows, lines, k, n;  // k is a multiple of kFewStep, n one of 32
  int32_t groups, local_groups;
  int32_t steps_of_block;  // of kFewStep k
  int32_t tiles_n;         // of the form's columns; AMD: an even number
  int32_t split;           // the CTAs of a cluster, which share k; AMD: the workgroups
  int32_t wide;            // out is float32
};

}  // namespace jaxgemm
