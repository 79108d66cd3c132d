#include "plan/faster_by_xla.h"

#include <algorithm>

#include "spec/text.h"

namespace jaxgemm {
namespace {

// Ratios are the time of XLA over the kernels' for random products, on an EPYC with AVX2 and one
// thread (benchmarks/results/cpu-epyc-avx2-random-kernels.json). XLA takes about the same time for
// these in jaxlib 0.10.2, 0.11.2 and 0.12.0.
std::string WhyFasterOnHost(const Problem& p, double operations) {
  const auto timed = [](DType dtype) { return dtype == DType::kF32 || dtype == DType::kBF16; };
  if (!timed(p.lhs_dtype) || !timed(p.rhs_dtype)) return "";
  // Few operations: the ratios are 0.05 to 1.4, and 0.3 in the geometric mean. A call of the
  // kernels takes 2 to 5 microseconds.
  constexpr double kTiny = 1e4;
  if (operations < kTiny) {
    return "the product has fewer than " + Str(static_cast<int64_t>(kTiny)) +
           " operations: XLA's product mostly takes 0.1 to 0.9 of the time, most of which is the "
           "start of the call";
  }
  // A vector in float32: the ratios are 0.02 to 0.98, because XLA reads the matrix as it is; they
  // come near 0.98 only above 1e6 operations. In bfloat16 XLA converts the matrix first, and takes
  // 2 to 6 times as long as the kernels for large ones.
  constexpr double kSmall = 2e5;
  const bool is_f32 = p.lhs_dtype == DType::kF32 && p.rhs_dtype == DType::kF32;
  if ((p.m == 1 || p.n == 1) && (is_f32 || operations < kSmall)) {
    return "an operand is a vector" + std::string(is_f32 ? "" : " and the product is small") +
           ": XLA's product mostly takes 0.3 to 0.9 of the time";
  }
  // Sums of two or three products: XLA's time over ours was 0.31 to 0.97 for 18 calls, and more for
  // 2 others. Most of the time goes to the result.
  constexpr int64_t kShortK = 3;
  if (p.k <= kShortK) {
    return "k is at most " + Str(kShortK) + ": XLA's product mostly takes 0.3 to 1.0 of the time";
  }
  // Short sums in bfloat16: the ratio was 0.39 to 0.98 for 22 calls and 1.18 to 2.25 for 5 others,
  // 0.77 in the geometric mean.
  constexpr int64_t kShortKOfBf16 = 16;
  if (!is_f32 && p.k <= kShortKOfBf16) {
    return "an operand is bfloat16 and k is at most " + Str(kShortKOfBf16) +
           ": XLA's product mostly takes 0.4 to 1.0 of the time";
  }
  return "";
}

bool HasEpilogue(const Problem& p) { return p.has_vectors() || p.activation != Activation::kNone; }
double NumOut(const Problem& p) {
  return static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n);
}

// The longest k with which a product is left to XLA. A k tile has 128 bytes of k. With a few of
// them the start and the store take most of the time.
int64_t ShortKOnHopper(const Problem& p) {
  // XLA's time over ours was 0.32 to 1.04 for 33 products up to k = 128, 0.55 in the geometric
  // mean. With longer k and more than 1e5 results it was 1.03, 1.07 and 1.11
  // (gpu-h100-2026-11-25-calls-5 and benchmarks/model/data/h100-seed8105).
  if (p.lhs_dtype == DType::kS8) return 128;
  // The ratio was 0.67, 0.72, 0.75 and 0.91 (gpu-h*-calls files).
  if (p.lhs_dtype == DType::kF32) return 64;
  // For float32 results it was 0.42 to 1.00 for 75 products, 0.76 in the geometric mean
  // (h100-seed8101 to -8105, gpu-h100-2026-11-25-calls-5).
  if (Bytes(p.lhs_dtype) == 2 && p.out_dtype == DType::kF32) return 128;
  // For all others it was 0.37 to 1.08 for 86 products, 0.63 in the geometric mean. With a bias and
  // k up to 96 it was 0.50 for 23 products.
  return HasEpilogue(p) ? 96 : 64;
}

// Whether an operand is a vector and the other one a matrix in which k runs along the lines, so
// that a reduction reads both as they are.
bool IsReduction(const Problem& p) {
  return p.batch == 1 &&
         ((p.n == 1 && p.lhs_contracting == 1) || (p.m == 1 && p.rhs_contracting == 1));
}

// Ratios are the time of XLA over the copies' and the kernel's on an H200 or an H100. Those of
// float32 are from seeds 2611 to 2614 of benchmarks.model.measure (the last two are in
// benchmarks/model/data), the others from benchmarks/results/gpu-h200-2026-11-24-small.json.
std::string WhyFasterOnHopper(const Problem& p, const Relayout& relayout, double operations) {
  // tf32 needs k along the lines of both operands, and XLA has kernels that do without the copy:
  // 0.32 to 1.04 for 15 products, and 0.74 in the geometric mean. The ratios are above 0.95 where
  // the copy is a small part of the time.
  constexpr double kLarge = 2e11;
  const bool transposes = relayout.lhs_contracting != p.lhs_contracting ||
                          relayout.rhs_contracting != p.rhs_contracting;
  if (p.lhs_dtype == DType::kF32 && transposes && operations < kLarge) {
    return "k is not the last dimension of a float32 operand, which would be copied: XLA's product "
           "takes 0.3 to 1.0 of the time of a copy and a kernel";
  }
  // XLA's small kernels start sooner: a call of theirs takes 1.5 us at least, one of ours 2.4.
  // Below a million operations the ratios are 0.34 to 1.05 for 51 products, and 0.58 in the
  // geometric mean.
  constexpr double kTiny = 1e6;
  if (operations < kTiny) {
    return "the product has fewer than " + Str(static_cast<int64_t>(kTiny)) +
           " operations: XLA's product mostly takes 0.5 to 0.8 of the time, most of which is the "
           "start of the kernel";
  }
  // XLA makes a reduction of such a product up to this size (its own threshold is 10 million
  // multiply-adds): 0.22 to 0.91 for 12 products (gpu-h200-2026-11-27-small).
  constexpr double kLargestReduction = 2e7;
  if (Bytes(p.lhs_dtype) == 2 && !HasEpilogue(p) && IsReduction(p) &&
      operations < kLargestReduction) {
    return "an operand is a vector and the product has fewer than " +
           Str(static_cast<int64_t>(kLargestReduction)) +
           " operations: XLA makes a reduction of it, which mostly takes 0.2 to 0.9 of the time";
  }
  // Two copies take longer than such a product: 0.54 to 1.06 for 29 products, 0.80 in the geometric
  // mean (the same file). It was 0.87 to 1.09 for 6 products up to 5e8.
  constexpr double kTwoCopies = 3e8;
  if (Bytes(p.lhs_dtype) == 2 && relayout.CopiesLhs(p) && relayout.CopiesRhs(p) &&
      operations < kTwoCopies) {
    return "both operands would be copied, because TMA cannot read them, and the product has fewer than " +
           Str(static_cast<int64_t>(kTwoCopies)) +
           " operations: XLA's product mostly takes 0.5 to 1.0 of the time";
  }
  const int64_t short_k = ShortKOnHopper(p);
  if (p.k <= short_k) {
    return "k is at most " + Str(short_k) + ": XLA's product mostly takes 0.4 to 0.9 of the time";
  }
  // Where TMA cannot store the result, threads store its elements: 0.19 to 0.88 for 44 bfloat16
  // products with k up to 400, 1.08 and more for most longer ones (H100, seeds 9101 and 9201).
  constexpr int64_t kShortKOfOddRows = 400;
  if (Bytes(p.lhs_dtype) == 2 && !TmaStoresOut(p) && p.k <= kShortKOfOddRows) {
    return "the result's rows are no multiple of 16 bytes, and k is at most " +
           Str(kShortKOfOddRows) + ": XLA's product mostly takes 0.2 to 0.9 of the time";
  }
  // Where TMA cannot read an operand as it is: 0.42 to 0.95 for 8 products with k from 65 to 192
  // (that file and gpu-h100-2026-11-27-plan), 0.92 and more for most longer ones with one copy.
  constexpr int64_t kShortKOfOddLines = 192;
  if (Bytes(p.lhs_dtype) == 2 && !(TmaReadsLhs(p) && TmaReadsRhs(p)) && p.k <= kShortKOfOddLines) {
    return "TMA cannot read an operand as it is, and k is at most " + Str(kShortKOfOddLines) +
           ": XLA's product mostly takes 0.4 to 0.9 of the time";
  }
  // The smallest tile has 16 rows or columns: 0.70, 0.74, 0.86 and 0.87 for products with 16 (that
  // file and gpu-h200-*-calls), 1.04 to 1.31 for 8 others with 32.
  constexpr int64_t kFewRows = 16, kShortKOfFewRows = 192;
  if (Bytes(p.lhs_dtype) == 2 && std::min(p.m, p.n) <= kFewRows && p.k <= kShortKOfFewRows) {
    return "the result has at most " + Str(kFewRows) + " rows or columns, and k is at most " +
           Str(kShortKOfFewRows) + ": XLA's product mostly takes 0.7 to 0.9 of the time";
  }
  // Where a float32 result is large and k is short, its store takes most of the time: 0.74 to 1.04
  // for 26 products with k from 129 to 1024, 0.90 in the geometric mean (the same files). XLA
  // cannot add an epilogue at that speed.
  constexpr double kLargeOut = 1e6;
  constexpr int64_t kStoreBoundK = 1024;
  if (Bytes(p.lhs_dtype) == 2 && p.out_dtype == DType::kF32 && !HasEpilogue(p) && !p.accumulate &&
      NumOut(p) >= kLargeOut && p.k <= kStoreBoundK) {
    return "the result is float32 and large, and k is at most " + Str(kStoreBoundK) +
           ": XLA's product mostly takes 0.8 to 1.0 of the time";
  }
  return "";
}

}  // namespace

std::string WhyFasterByXla(const Problem& p, const Config& c, const Chip& chip,
                           const Relayout& relayout) {
  const bool asked = c.schedule != Schedule::kAuto || c.tile_m || c.tile_n || c.tile_k ||
                     c.num_workgroups || c.group_m || c.num_queues || c.num_shares ||
                     !c.kernel.empty();
  if (asked || p.ragged != Ragged::kNone || p.tiles_per_chunk > 0) return "";
  const double operations = 2 * static_cast<double>(p.batch) * static_cast<double>(p.m) *
                            static_cast<double>(p.n) * static_cast<double>(p.k);
  // For k = 1 the caller has a rule of its own: prefers_xla in jaxgemm/fallback.py.
  if (operations == 0 || p.k == 1) return "";
  if (chip.target == "cpu") return WhyFasterOnHost(p, operations);
  if (chip.target == "sm90") return WhyFasterOnHopper(p, relayout, operations);
  return "";
}

}  // namespace jaxgemm
