// What the kernels for few rows and weights of 4 bits get; see few_rows.h.
#pragma once

#include <cstdint>

namespace jaxgemm {

inline constexpr int kFewWarps = 8;      // of a CTA
inline constexpr int kFewColumns = 128;  // of a CTA
inline constexpr int kFewStep = 32;      // k

// Stages of a warp's ring, and the bytes of shared memory of a CTA. Two CTAs run on a
// multiprocessor, or one with the accumulators of 32 rows.
constexpr int FewStages(int blocks) { return blocks == 1 ? 4 : blocks == 2 ? 3 : 5; }
constexpr int FewCtas(int blocks) { return blocks > 2 ? 1 : 2; }
constexpr int FewSharedBytes(bool e2m1, int blocks) {
  const int weights = kFewStep * kFewColumns / 2 + kFewStep / 8 * 32;
  const int stage = weights + blocks * 8 * kFewStep * 2 + kFewColumns * (e2m1 ? 1 : 4);
  return kFewWarps * FewStages(blocks) * stage;
}

struct FewRowsArgs {
  const void* x;        // [lines, k], of float16 or bfloat16
  const void* weights;  // [local_groups, k, n / 2]: two values in a byte, the first in the low bits
  // [local_groups, k / block, n]: bytes of E8M0 for E2M1, else float32. A byte of 0 counts as 0,
  // and one of 255 as infinite.
  const void* scales;
  const int32_t* sizes;       // [groups]; null: one group of all rows
  const int32_t* offset;      // the first local group; null: 0
  const int32_t* indices;     // [rows]: the line of x of each row; null: row i is line i
  void* out;                  // [rows, n], of x's type, or float32; AMD: [split, rows, n]
  int32_t rows, lines, k, n;  // k is a multiple of kFewStep, n one of 32
  int32_t groups, local_groups;
  int32_t steps_of_block;  // of kFewStep k
  int32_t tiles_n;         // AMD: an even number
  int32_t split;           // the CTAs of a cluster, which share k; AMD: the workgroups
  int32_t wide;            // out is float32
};

}  // namespace jaxgemm
