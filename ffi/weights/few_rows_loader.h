// What the warps that load do: copies of weights, of rows of x, and of scales into the stages.
#pragma once

#include <cstdint>

#include "weights/few_rows_stages.h"

namespace jaxgemm {

// The part of the product that a CTA computes for some rows.
struct FewPart {
  int group, column;
  int begin, end;  // its steps along k
  int row, last;   // from this row to before that one
  bool whole;      // blocks have a multiple of a warp's steps
};

// Where a thread copies from and to for a part: addresses, the steps before which there is
// something to copy, and the bytes of a copy of x, none for zeros.
template <bool kE2M1, FewForm kForm>
class FewLoader {
  using Stages = FewStages<kE2M1, kForm>;
  static constexpr int kSteps = Stages::kSteps, kScaleBytes = Stages::kScaleBytes;
  // A copy of weights is kRowsOfCopy rows of all threads, so all rows of a thread have one place.
  static constexpr int kRowsOfCopy = kFewCopiers / Stages::kChunks;
  static constexpr int kWeightCopies = kSteps * kFewStep / kRowsOfCopy;
  static_assert(kRowsOfCopy % 8 == 0 && kFewStep % kRowsOfCopy == 0);
  // The chunks of the scales of a step, and the copies of a thread.
  static constexpr int kScaleChunks = kForm.columns * kScaleBytes / 16;
  static constexpr int kXCopies = (kForm.rows() * Stages::kXChunks - 1) / kFewCopiers + 1;
  static constexpr int kScaleCopies = (kSteps * kScaleChunks - 1) / kFewCopiers + 1;
  static_assert(kFewCopiers % Stages::kXChunks == 0);
  // A copy of x has so many rows. Rows that are a multiple of 8 apart have one place in their
  // piece.
  static constexpr int kXRows = kFewCopiers / Stages::kXChunks;
  static constexpr int kXPlaces = kXCopies == 1 || kXRows % 8 == 0 ? 1 : 8 / kXRows;
  static_assert(kForm.rows() <= kXRows || kForm.rows() % kXRows == 0);

 public:
  JAXGEMM_FEW FewLoader(const FewRowsArgs& args, const FewPart& part, uint32_t shared)
      : args_(args) {
    const int thread = threadIdx.x % kFewCopiers;
    const int k = thread / Stages::kChunks, chunk = thread % Stages::kChunks;
    weights_ = static_cast<const char*>(args.weights) +
               (int64_t{part.group} * args.k + k) * (args.n / 2) + part.column / 2 + chunk * 16;
    // No weights, if the columns are after the last one.
    weights_end_ = FewKept(part.column + chunk * 32 < args.n ? part.end - k / kFewStep : 0);
    weights_to_ = FewKept(shared + Stages::PlaceOfWeights(k, chunk));
#pragma unroll
    for (int i = 0; i < kXCopies; ++i) {
      const int of_rows = (thread + i * kFewCopiers) / Stages::kXChunks;
      const int of_row = thread % Stages::kXChunks, at = part.row + of_rows;
      int line = at < part.last ? at : -1;
      if (args.indices && line >= 0) {
        line = args.indices[line];
        line = line < args.lines ? line : -1;
      }
      x_given_ |= static_cast<uint32_t>(line >= 0) << i;
      x_line_[i] = FewKept(static_cast<uint32_t>(max(line, 0)) * (args.k / kFewStep));
      if (i < kXPlaces) x_to_[i] = FewKept(shared + Stages::PlaceOfX(of_rows, of_row));
    }
    x_ = static_cast<const char*>(args.x) + thread % Stages::kXChunks * 16;
    const bool has_x = thread / Stages::kXChunks < kForm.rows();
    x_end_ = FewKept(has_x ? part.end - thread % Stages::kXChunks / 4 : 0);
    const int blocks = args.k / kFewStep / args.steps_of_block;
#pragma unroll
    for (int i = 0; i < kScaleCopies; ++i) {
      const int at = thread + i * kFewCopiers, of_step = at / kScaleChunks;
      const int column = part.column + at % kScaleChunks * 16 / kScaleBytes;
      scales_[i] = static_cast<const char*>(args.scales) +
                   (int64_t{part.group} * blocks * args.n + column) * kScaleBytes;
      scales_step_[i] = FewKept(of_step);
      // With blocks of all steps of a warp, the first step has the scales.
      const bool copies = of_step < kSteps && !(part.whole && of_step % kForm.steps);
      scales_end_[i] = FewKept(copies && column < args.n ? part.end - of_step : 0);
    }
    scales_to_ = FewKept(shared + Stages::kScales + thread * 16);
    scales_shift_ = __popc(args.steps_of_block) == 1 ? __ffs(args.steps_of_block) - 1 : -1;
  }

  // Begins the copies of the stage of the steps from `step`.
  JAXGEMM_FEW void Load(uint32_t to, int step) {
    const char* weights = weights_ + int64_t{step} * (kFewStep / 2 * args_.n);
    const char* x = x_ + int64_t{step} * (kFewStep * 2);
#pragma unroll
    for (int i = 0; i < kWeightCopies; ++i) {
      if (step + i * kRowsOfCopy / kFewStep < weights_end_) {
        Copy(weights_to_ + to + i * kRowsOfCopy * Stages::kChunks * 16, weights);
      }
      weights += int64_t{kRowsOfCopy / 2} * args_.n;
    }
#pragma unroll
    for (int i = 0; i < kXCopies; ++i) {
      const uint32_t place = x_to_[i % kXPlaces] + i / kXPlaces * kXPlaces * kXRows * 128;
      if (step < x_end_) {
        Copy(place + to, x + uint64_t{x_line_[i]} * (kFewStep * 2), x_given_ >> i << 4 & 16);
      }
    }
#pragma unroll
    for (int i = 0; i < kScaleCopies; ++i) {
      if (step < scales_end_[i]) {
        const int at = step + scales_step_[i];
        const int block = scales_shift_ >= 0 ? at >> scales_shift_ : at / args_.steps_of_block;
        Copy(scales_to_ + to + i * kFewCopiers * 16,
             scales_[i] + int64_t{block} * args_.n * kScaleBytes);
      }
    }
  }

 private:
  static JAXGEMM_FEW void Copy(uint32_t to, const void* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
  }
  static JAXGEMM_FEW void Copy(uint32_t to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  }

  const FewRowsArgs& args_;
  const char *weights_, *x_, *scales_[kScaleCopies];
  uint32_t weights_to_, x_to_[kXPlaces], x_given_ = 0, scales_to_;
  uint32_t x_line_[kXCopies];  // the steps of x before the line
  int weights_end_, x_end_, scales_end_[kScaleCopies];
  int scales_step_[kScaleCopies], scales_shift_;
};

}  // namespace jaxgemm
