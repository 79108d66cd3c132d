#include "plan/hopper/copies.h"

#include <algorithm>
#include <array>
#include <limits>

#include "plan/hopper/tma.h"
#include "plan/plan.h"

namespace jaxgemm {
namespace {

// If the length of lines is a multiple of this, a box covers whole cache lines of the L2.
constexpr int64_t kCacheLine = 128;

double AsDouble(int64_t value) { return static_cast<double>(value); }

// Estimates for an H200, not fitted, of the time when the copies were added;
// benchmarks/model/data/h200-relayout.json.gz has times of that day, among them those of several
// ways to copy for 12 products.

// Operations per microsecond of main loops that read both operands by TMA, for the bytes of an
// element.
double TmaRate(int64_t bytes) { return bytes == 1 ? 1200e6 : bytes == 2 ? 650e6 : 380e6; }
// The same for main loops that read an operand of float32 into registers.
constexpr double kRegistersRate = 330e6;
// The same for main loops that load one operand element by element.
double ElementRate(int64_t bytes) { return bytes == 1 ? 30e6 : bytes == 2 ? 64e6 : 20e6; }

// A copy by XLA: microseconds for its launch, and bytes (read and written) per microsecond if it
// pads and if it transposes.
constexpr double kLaunch = 2.5, kPadBytes = 3e6, kTransposedBytes = 2e6;
// A result whose lines are no multiple of 16 bytes takes a microsecond longer to store for each
// kOddStoreBytes bytes.
constexpr double kOddStoreBytes = 0.3e6;
// The factor on a product's time if its boxes do not cover whole cache lines of the L2.
constexpr double kStraddles = 1.12;

// The microseconds of the copies and the product together. Only relayouts of one problem are
// compared, so the time that all of them share need not be exact.
double Microseconds(const Problem& p, const Config& config, const Relayout& r) {
  const Problem relaid = Relaid(p, r);
  const Tma tma(relaid);
  const int64_t bytes = Bytes(p.lhs_dtype);
  const double element = AsDouble(bytes);
  double time = 0;
  auto copy = [&time](double read, double written, bool transposes) {
    time += kLaunch + (read + written) / (transposes ? kTransposedBytes : kPadBytes);
  };
  if (r.CopiesLhs(p)) {
    const double matrices = AsDouble(p.lhs_batched ? p.batch : 1) * element;
    copy(matrices * AsDouble(p.m) * AsDouble(p.k), matrices * AsDouble(r.m) * AsDouble(r.k),
         r.lhs_contracting != p.lhs_contracting);
  }
  if (r.CopiesRhs(p)) {
    const double matrices = AsDouble(p.num_rhs()) * element;
    copy(matrices * AsDouble(p.num_columns()) * AsDouble(p.k),
         matrices * AsDouble(relaid.num_columns()) * AsDouble(r.k),
         r.rhs_contracting != p.rhs_contracting);
  }
  const double out = AsDouble(p.num_out()) * AsDouble(Bytes(p.out_dtype)) *
                     AsDouble(p.save_preact ? 2 : 1) * AsDouble(r.m) * AsDouble(r.n);
  if (r.m != p.m || r.n != p.n) copy(out, out, false);
  if (r.n != p.n && p.has_vectors()) time += kLaunch;
  if (!tma.stores_out) time += out / kOddStoreBytes;

  // `used` is the fraction of multiprocessors that have work: a tile of kTile rows and columns, or
  // a share of it with a k of kSharedK at least.
  constexpr double kTile = 128, kSharedK = 512, kMultiprocessors = 132;
  const double m = AsDouble(r.m), n = AsDouble(relaid.num_columns()), k = AsDouble(r.k);
  const double tiles = AsDouble(p.num_out()) * std::max(1.0, m / kTile) * std::max(1.0, n / kTile);
  const double used =
      std::min(kMultiprocessors, tiles * std::max(1.0, k / kSharedK)) / kMultiprocessors;
  // The kernel multiplies a whole tile even if the operands fill only a part of it.
  const double operations =
      2 * AsDouble(p.batch) * std::max(m, kTile) * std::max(n, kTile) * k / used;
  const int64_t lhs_line = r.lhs_contracting == 1 ? r.k : r.m;
  const int64_t rhs_line = r.rhs_contracting == 1 ? r.k : relaid.num_columns();
  const bool straddles = lhs_line * bytes % kCacheLine != 0 || rhs_line * bytes % kCacheLine != 0;
  // The grouped form has its tiles at a fixed stride.
  const bool at_stride =
      config.num_queues == 0 && config.num_shares == 0 &&
      (config.schedule == Schedule::kAuto || config.schedule == Schedule::kPersistent);
  const bool by_registers = tma.registers_read_rhs && (at_stride || !p.grouped());
  const double rate = by_registers && !p.grouped() ? kRegistersRate : TmaRate(bytes);
  time += operations / rate * (straddles ? kStraddles : 1);
  for (bool reads : {tma.reads_lhs, tma.reads_rhs || by_registers}) {
    if (!reads) time += operations / ElementRate(bytes);
  }
  return time;
}

// A size as it is, padded to lines that TMA reads, and padded to whole cache lines of the L2.
std::array<int64_t, 3> Paddings(int64_t size, DType dtype) {
  auto padded = [&](int64_t line) {
    const int64_t elements = line / Bytes(dtype);
    return CeilDiv(size, elements) * elements;
  };
  return {size, padded(kTmaLineBytes), padded(kCacheLine)};
}

}  // namespace

Relayout ChooseRelayout(const Problem& p, const Config& config) {
  Relayout best = AsItIs(p);
  const int64_t most = int64_t{1} << 30;  // padding brings no such size over a limit of the kernels
  if (p.block_k > 0 || !config.kernel.empty() || Tma(p).moves_all() || p.m == 0 || p.n == 0 ||
      p.k == 0 || p.m > most || p.n > most || p.k > most) {
    return best;
  }
  // Chunks of lhs have not arrived when a copy would be made. Two things cannot be padded: an out
  // that is accumulated into in place, and the two matrices of a gated rhs.
  const bool lhs_stays = p.tiles_per_chunk > 0;
  // TMA rounds float32 to TF32, and dense kernels that load an operand in another way do not. So
  // for deterministic="rows" both operands are made such that TMA reads them, whatever the rows
  // are.
  const bool all_by_tma = config.same_rows && p.lhs_dtype == DType::kF32 && !p.grouped();
  const int64_t aligned = all_by_tma ? kTmaLineBytes / Bytes(p.lhs_dtype) : 1;
  double least =
      all_by_tma ? std::numeric_limits<double>::infinity() : Microseconds(p, config, best);
  for (int64_t k : Paddings(p.k, p.lhs_dtype)) {
    for (int64_t m : Paddings(p.m, p.lhs_dtype)) {
      for (int64_t n : Paddings(p.n, p.lhs_dtype)) {
        if (p.accumulate && (m != p.m || n != p.n)) continue;
        if (p.gated && n != p.n) continue;
        for (int64_t lhs : {1, 0}) {
          for (int64_t rhs : {0, 1}) {
            Relayout trial{lhs, rhs, m, n, k, p.lhs_gathered, p.rhs_gathered};
            // A copy gathers, too.
            trial.lhs_gathered &= !trial.CopiesLhs(p);
            trial.rhs_gathered &= !trial.CopiesRhs(p);
            if (lhs_stays && trial.CopiesLhs(p)) continue;
            if (all_by_tma && (lhs != 1 || rhs != 1 || k % aligned != 0)) continue;
            const double time = Microseconds(p, config, trial);
            if (time < least) least = time, best = trial;
          }
        }
      }
    }
  }
  return best;
}

}  // namespace jaxgemm
