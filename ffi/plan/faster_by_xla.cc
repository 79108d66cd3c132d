#include "plan/faster_by_xla.h"

#include <algorithm>

#include "host/large_pages.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

double NumOut(const Problem& p) {
  return static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n);
}

// The ratios in comments are XLA's time over the kernels' for random products, on an EPYC with
// AVX-512 and one thread. The files of timings are in benchmarks/model/data; where none is named it
// is cpu-avx512-seed64. In jaxlib 0.10.2, 0.11.2 and 0.12.0 XLA takes about the same time for these
// products.
std::string WhyFasterOnHost(const Problem& p, double operations) {
  const auto timed = [](DType dtype) { return dtype == DType::kF32 || dtype == DType::kBF16; };
  if (!timed(p.lhs_dtype) || !timed(p.rhs_dtype)) return "";
  const bool is_f32 = p.lhs_dtype == DType::kF32 && p.rhs_dtype == DType::kF32;
  // Below 10,000 operations in float32 the ratios are 0.05 to 0.98 for 28 products with a vector,
  // and 0.28 to 2.63 for 12 others, 0.90 in the geometric mean. Below 4,000 in bfloat16 they are
  // 0.12 to 0.90 for 12 with a vector, and 0.25 to 1.34 for 5 others.
  const int64_t tiny = is_f32 ? 10000 : 4000;
  if (operations < static_cast<double>(tiny)) {
    return "the product has fewer than " + Str(tiny) +
           " operations: XLA's product mostly takes 0.1 to 0.9 of the time, most of which is the "
           "start of the call";
  }
  // XLA computes batches of products of at most 3 x 3 in loops of its own, without a call for each.
  // With k from 4 to 7 the ratios are 0.33 to 0.97 for 29 batches, and 0.58 in the geometric mean.
  // In bfloat16 with [K, M] and [N, K] they are 0.56 to 0.86 for 6 with k up to 16. For the 149
  // other batches with k above 3 they are 0.71 to 35.9, and 3.9 in the geometric mean
  // (cpu-avx512-tiny-batches).
  constexpr int64_t kTinyOut = 3;
  const int64_t tiny_k = is_f32 || p.lhs_contracting == 1 || p.rhs_contracting == 0 ? 7 : 16;
  if (p.batch > 1 && std::max(p.m, p.n) <= kTinyOut && p.k <= tiny_k) {
    return "each product of the batch has at most " + Str(kTinyOut) +
           " rows and columns, and k is at most " + Str(tiny_k) +
           ": XLA's product mostly takes 0.3 to 1.0 of the time";
  }
  // If an operand is a vector in float32, the ratios of 13 products are 0.20 to 1.19, and 0.62 in
  // the geometric mean: XLA reads the matrix as it is. Those of large products are near 1. In
  // bfloat16 XLA converts the matrix first. Up to 2e5 operations the ratios are 0.44 to 1.21 for 18
  // products, above that 0.94 to 12.3 for 8.
  constexpr double kSmall = 2e5;
  if ((p.m == 1 || p.n == 1) && (is_f32 || operations < kSmall)) {
    return "an operand is a vector" + std::string(is_f32 ? "" : " and the product is small") +
           ": XLA's product mostly takes 0.3 to 1.0 of the time";
  }
  // XLA reads a large lhs of long rows faster if there are few columns. The ratios of 14 random
  // products are 0.73 to 1.03, and 0.87 in the geometric mean. With 5 or 6 columns they are 1.07 to
  // 1.26 for 10 (cpu-avx512-few-columns).
  constexpr int64_t kFewColumns = 4, kLongRow = 1000;
  constexpr double kLargeLhs = 1e6;  // elements
  if (is_f32 && p.n <= kFewColumns && p.lhs_contracting == 1 && p.k >= kLongRow &&
      operations >= 2 * kLargeLhs * static_cast<double>(p.n)) {
    return "the result has at most " + Str(kFewColumns) +
           " columns, and lhs is large and has long rows: XLA's product mostly takes 0.7 to 1.0 of "
           "the time";
  }
  // With a k of 2 or 3 storing the result takes most of the time. In float32 the ratios are 0.68 to
  // 3.39 for 6 products here, and 0.31 to 0.97 for 18 with AVX2 (cpu-avx2-seed1). For results that
  // get large pages (host/large_pages.h) they are 1.68 to 3.79 for 8 products (cpu-avx512-short-k).
  // In bfloat16 they are 0.48 to 1.41 for 6 with few rows or columns.
  constexpr int64_t kShortK = 3, kFew = 16;
  const bool in_heap = NumOut(p) * static_cast<double>(Bytes(p.out_dtype)) <= kLargestOfHeap;
  if (p.k <= kShortK && (is_f32 ? in_heap : std::min(p.m, p.n) <= kFew)) {
    return "k is at most " + Str(kShortK) + " and the result has at most " +
           (is_f32 ? Str(kLargestOfHeap >> 20) + " MiB" : Str(kFew) + " rows or columns") +
           ": XLA's product mostly takes 0.3 to 1.0 of the time";
  }
  // In bfloat16 with [K, M] and [N, K] XLA then makes one loop without a call. The ratios are 0.66
  // to 1.04 for 8 products with 4,000 to 12,000 operations and more rows and columns, and 1.28
  // to 1.50 for 4 larger ones.
  constexpr int64_t kSmallOuter = 12000;
  if (p.k <= kShortK && !is_f32 && p.lhs_contracting == 0 && p.rhs_contracting == 1 &&
      operations <= static_cast<double>(kSmallOuter)) {
    return "k is at most " + Str(kShortK) + " and the first of lhs's and the last of rhs's " +
           "dimensions, and the product has at most " + Str(kSmallOuter) +
           " operations: XLA's product mostly takes 0.6 to 1.0 of the time";
  }
  return "";
}

bool HasEpilogue(const Problem& p) { return p.has_vectors() || p.activation != Activation::kNone; }

// The rules for Hopper. A ratio in a comment is XLA's time over that of the kernel with its copies,
// on an H200 or an H100. Where no file of benchmarks/model/data is named it is h200-small-k.

// The longest k with which a product is left to XLA. A k tile has 128 bytes along k. With few k
// tiles the start and the store take most of the time.
int64_t ShortKOnHopper(const Problem& p) {
  // The ratio was 0.32 to 1.04 for 33 products with k up to 128, and 0.55 in the geometric mean.
  // With longer k and more than 1e5 results it was 1.03, 1.07 and 1.11 (h100-seed8102 and
  // h100-seed8105).
  if (p.lhs_dtype == DType::kS8) return 128;
  // The ratio was 0.67, 0.72, 0.75 and 0.91 (products of benchmarks.model.calls).
  if (p.lhs_dtype == DType::kF32) return 64;
  // For float32 results it was 0.42 to 1.00 for 75 products, and 0.76 in the geometric mean
  // (h100-seed8101 to -8105).
  if (Bytes(p.lhs_dtype) == 2 && p.out_dtype == DType::kF32) return 128;
  // For all others it was 0.37 to 1.08 for 86 products, and 0.63 in the geometric mean. With a bias
  // and k up to 96 it was 0.50 for 23 products.
  return HasEpilogue(p) ? 96 : 64;
}

// Whether one operand is a vector and the other one a k-contiguous matrix, so that a reduction
// reads both as they are.
bool IsReduction(const Problem& p) {
  return p.batch == 1 &&
         ((p.n == 1 && p.lhs_contracting == 1) || (p.m == 1 && p.rhs_contracting == 1));
}

std::string WhyFasterOnHopper(const Problem& p, const Relayout& relayout, double operations) {
  // tf32 needs two k-contiguous operands, and XLA has kernels that do without the copy. The ratio
  // was 0.32 to 1.04 for 15 products, and 0.74 in the geometric mean (seeds 2611 to 2614 of
  // benchmarks.model.measure on an H200, of which the last two are kept). It was above 0.95 if the
  // copy was a small part of the time.
  constexpr double kLarge = 2e11;
  const bool transposes = relayout.lhs_contracting != p.lhs_contracting ||
                          relayout.rhs_contracting != p.rhs_contracting;
  if (p.lhs_dtype == DType::kF32 && transposes && operations < kLarge) {
    return "k is not the last dimension of a float32 operand, which would be copied: XLA's product "
           "takes 0.3 to 1.0 of the time of a copy and a kernel";
  }
  // With one column nothing has to be copied, but our kernels have not been timed beside XLA's
  // product there.
  if (p.lhs_dtype == DType::kF32 && p.n == 1) {
    return "rhs is a vector of float32: XLA's product, which reads lhs once, is the known one";
  }
  // XLA's small kernels start sooner. Below a million operations the ratio was 0.34 to 1.05 for 51
  // products, and 0.58 in the geometric mean.
  constexpr double kTiny = 1e6;
  if (operations < kTiny) {
    return "the product has fewer than " + Str(static_cast<int64_t>(kTiny)) +
           " operations: XLA's product mostly takes 0.5 to 0.8 of the time, most of which is the "
           "start of the kernel";
  }
  // XLA makes a reduction of such a product up to this size (its own threshold is 10 million
  // multiply-adds). The ratio was 0.22 to 0.91 for 12 products (h200-seed9801).
  constexpr double kLargestReduction = 2e7;
  if (Bytes(p.lhs_dtype) == 2 && !HasEpilogue(p) && IsReduction(p) &&
      operations < kLargestReduction) {
    return "an operand is a vector and the product has fewer than " +
           Str(static_cast<int64_t>(kLargestReduction)) +
           " operations: XLA makes a reduction of it, which mostly takes 0.2 to 0.9 of the time";
  }
  // Two copies take longer than such a product. The ratio was 0.54 to 1.06 for 29 products, and
  // 0.80 in the geometric mean; 0.87 to 1.09 for 6 products of up to 5e8 operations
  // (h200-seed9801). A vector need not be copied, and takes no time beside the matrix.
  constexpr double kTwoCopies = 3e8;
  if (Bytes(p.lhs_dtype) == 2 && relayout.CopiesLhs(p) && (relayout.CopiesRhs(p) || p.n == 1) &&
      operations < kTwoCopies) {
    const std::string copied = p.n == 1 ? "a matrix" : "both operands";
    return copied + " would be copied, for TMA, and the product has fewer than " +
           Str(static_cast<int64_t>(kTwoCopies)) +
           " operations: XLA's product mostly takes 0.5 to 1.0 of the time";
  }
  const int64_t short_k = ShortKOnHopper(p);
  if (p.k <= short_k) {
    return "k is at most " + Str(short_k) + ": XLA's product mostly takes 0.4 to 0.9 of the time";
  }
  // Threads store the elements of a result that TMA cannot store. The ratio was 0.19 to 0.88 for 44
  // bfloat16 products with k up to 400, and 1.08 or more for most with longer k (an H100, seeds
  // 9101 and 9201 of benchmarks.tuned, of which h100-seed9201 is kept).
  constexpr int64_t kShortKOfOddRows = 400;
  if (Bytes(p.lhs_dtype) == 2 && !TmaStoresOut(p) && p.k <= kShortKOfOddRows) {
    return "the result's rows are no multiple of 16 bytes, and k is at most " +
           Str(kShortKOfOddRows) + ": XLA's product mostly takes 0.2 to 0.9 of the time";
  }
  // If TMA cannot read an operand as it is, the ratio was 0.42 to 0.95 for 8 products with k from
  // 65 to 192, and 0.92 or more for most with longer k and one copy (h200-seed9801 and
  // h100-seed9831).
  constexpr int64_t kShortKOfOddLines = 192;
  if (Bytes(p.lhs_dtype) == 2 && !(TmaReadsLhs(p) && TmaReadsRhs(p)) && p.k <= kShortKOfOddLines) {
    return "TMA cannot read an operand as it is, and k is at most " + Str(kShortKOfOddLines) +
           ": XLA's product mostly takes 0.4 to 0.9 of the time";
  }
  // The kernels for 8-bit operands need k last. With the copy that transposes an operand the ratio
  // was 0.61 to 1.06 for 9 products with k from 80 to 192, and 0.81 in the geometric mean
  // (h200-seed9801 and products of benchmarks.model.calls).
  constexpr int64_t kShortKOfTransposes = 192;
  if (Bytes(p.lhs_dtype) == 1 && transposes && p.k <= kShortKOfTransposes) {
    return "k is not the last dimension of an 8-bit operand, which would be copied, and k is at "
           "most " +
           Str(kShortKOfTransposes) + ": XLA's product mostly takes 0.6 to 1.0 of the time";
  }
  // The smallest tile has 16 rows or columns. For 16-bit products with 16 rows or columns the ratio
  // was 0.70, 0.74, 0.86 and 0.87, and 1.04 to 1.31 for 8 others with 32; for 8-bit ones with 16 it
  // was 0.44 to 0.82 for 9 products (h200-small-k, h200-seed9801 and products of
  // benchmarks.model.calls).
  constexpr int64_t kFewRows = 16, kShortKOfFewRows = 192;
  if (Bytes(p.lhs_dtype) <= 2 && std::min(p.m, p.n) <= kFewRows && p.k <= kShortKOfFewRows) {
    return "the result has at most " + Str(kFewRows) + " rows or columns, and k is at most " +
           Str(kShortKOfFewRows) + ": XLA's product mostly takes 0.7 to 0.9 of the time";
  }
  // If a float32 result is large and k is short, the store takes most of the time. The ratio was
  // 0.74 to 1.04 for 26 products with k from 129 to 1024, and 0.90 in the geometric mean (the files
  // of float32 results in ShortKOnHopper). With an epilogue XLA is not so fast.
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
  // For k = 1 the caller has its own rule: prefers_xla in jaxgemm/fallback.py.
  if (operations == 0 || p.k == 1) return "";
  if (chip.target == "cpu") return WhyFasterOnHost(p, operations);
  if (chip.target == "sm90") return WhyFasterOnHopper(p, relayout, operations);
  return "";
}

}  // namespace jaxgemm
