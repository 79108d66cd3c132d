#include "plan/relayout_sm90.h"

#include <algorithm>
#include <array>

namespace jaxgemm {
namespace {

// A line of an operand is what is contiguous in memory: one row's k, or all rows at one k. TMA
// reads lines whose length is a multiple of 16 bytes. If it is a multiple of 128, a box covers
// whole cache lines of the L2.
constexpr int64_t kLineBytes = 16, kCacheLine = 128;

bool TmaReads(const Problem& p, int64_t contracting, int64_t other) {
  if (contracting == 0 && Bytes(p.lhs_dtype) != 2) return false;
  const int64_t line = contracting == 1 ? p.k : other;
  return line * Bytes(p.lhs_dtype) % kLineBytes == 0;
}

double AsDouble(int64_t value) { return static_cast<double>(value); }

// Operations in a microsecond of main loops that read both operands by TMA, by an element's bytes.
double TmaRate(int64_t bytes) { return bytes == 1 ? 1200e6 : bytes == 2 ? 650e6 : 380e6; }
// The rate of main loops that read an operand of float32 into registers (an H200: 4096 x 4096 x
// 4096 in 418 us).
constexpr double kRegistersRate = 330e6;
// The rate of main loops that load one operand by element (an H200: float32 4096 x 4096 x 4096 in
// 7002 us, bfloat16 4096 x 4097 x 4096 in 2145 us, float8 8 groups 16384 x 7168 x 4096 in 31.7 ms).
double ElementRate(int64_t bytes) { return bytes == 1 ? 30e6 : bytes == 2 ? 64e6 : 20e6; }

// The cost of a copy by XLA: microseconds to launch it, and bytes (read and written) per
// microsecond when it pads and when it transposes.
constexpr double kLaunch = 2.5, kPadBytes = 3e6, kTransposedBytes = 2e6;
// Bytes per microsecond when a result is stored whose lines are no multiple of 16 bytes (4096 x
// 4097 of bfloat16: 65 more microseconds; 1000 x 1001: 7).
constexpr double kOddStoreBytes = 0.3e6;
// The factor of a product's time if its boxes do not cover whole lines of the L2.
constexpr double kStraddles = 1.12;

// Microseconds of the copies and the product. Only relayouts of one problem are compared, so the
// time that all of them have need not be exact.
double Microseconds(const Problem& p, const Relayout& r) {
  const Problem relaid = Relaid(p, r);
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
  if (!TmaStoresOut(relaid)) time += out / kOddStoreBytes;

  // `used` is the fraction of multiprocessors that have work: a tile, or a share of one along k.
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
  const bool by_registers = RegistersReadRhs(relaid);
  time +=
      operations / (by_registers ? kRegistersRate : TmaRate(bytes)) * (straddles ? kStraddles : 1);
  for (bool reads : {TmaReadsLhs(relaid), TmaReadsRhs(relaid) || by_registers}) {
    if (!reads) time += operations / ElementRate(bytes);
  }
  return time;
}

// A size as it is, padded to whole TMA lines, and padded to whole lines of the L2.
std::array<int64_t, 3> Paddings(int64_t size, DType dtype) {
  auto padded = [&](int64_t line) {
    const int64_t elements = line / Bytes(dtype);
    return CeilDiv(size, elements) * elements;
  };
  return {size, padded(kLineBytes), padded(kCacheLine)};
}

}  // namespace

// A box must begin at a multiple of 16 bytes of its line: elsewhere TMA ends the kernel with an
// illegal instruction (an H100, driver 580). Along a line of lhs the rows of a group begin
// anywhere, and along a line of rhs the columns of the up projection begin at n.
bool TmaReadsLhs(const Problem& p) {
  return TmaReads(p, p.lhs_contracting, p.m) && !(p.ragged == Ragged::kM && p.lhs_contracting == 0);
}
bool TmaReadsRhs(const Problem& p) {
  return TmaReads(p, p.rhs_contracting, p.num_columns()) &&
         !(p.gated && p.rhs_contracting == 0 && p.n * Bytes(p.rhs_dtype) % kLineBytes != 0);
}
bool RegistersReadRhs(const Problem& p) {
  // On an H200, 512 x 4096 x 4096 takes 60 us, and XLA's kernel 51 us; with 256 rows it is 34 us,
  // and XLA's 52 us.
  constexpr int64_t kMostRows = 256;
  return p.lhs_dtype == DType::kF32 && !p.grouped() && p.tiles_per_chunk == 0 && p.m <= kMostRows &&
         p.lhs_contracting == 1 && p.rhs_contracting == 0 && TmaReadsLhs(p) &&
         p.n * Bytes(p.rhs_dtype) % kLineBytes == 0;
}
int64_t AlignedK(const Problem& p) {
  const bool along_k = p.lhs_contracting == 1 || p.rhs_contracting == 1;
  return p.ragged == Ragged::kK && along_k ? kLineBytes / Bytes(p.lhs_dtype) : 1;
}
bool TmaStoresOut(const Problem& p) { return p.n * Bytes(p.out_dtype) % kLineBytes == 0; }
bool TmaMovesAll(const Problem& p) { return TmaReadsLhs(p) && TmaReadsRhs(p) && TmaStoresOut(p); }

Problem Relaid(Problem p, const Relayout& r) {
  p.lhs_contracting = r.lhs_contracting, p.rhs_contracting = r.rhs_contracting;
  p.m = r.m, p.n = r.n, p.k = r.k;
  return p;
}

Relayout ChooseRelayout(const Problem& p, const Config& config, const Chip& chip) {
  Relayout best{p.lhs_contracting, p.rhs_contracting, p.m, p.n, p.k};
  const int64_t most = int64_t{1} << 30;  // sizes that padding cannot bring over a limit
  if (chip.target != "sm90" || p.block_k > 0 || !config.kernel.empty() || TmaMovesAll(p) ||
      p.m == 0 || p.n == 0 || p.k == 0 || p.m > most || p.n > most || p.k > most) {
    return best;
  }
  // Chunks of lhs have not arrived when a copy would be made. Neither a buffer that is accumulated
  // into in place nor the two matrices of a gated rhs can be padded.
  const bool lhs_stays = p.tiles_per_chunk > 0;
  double least = Microseconds(p, best);
  for (int64_t k : Paddings(p.k, p.lhs_dtype)) {
    for (int64_t m : Paddings(p.m, p.lhs_dtype)) {
      for (int64_t n : Paddings(p.n, p.lhs_dtype)) {
        if (p.accumulate && (m != p.m || n != p.n)) continue;
        if (p.gated && n != p.n) continue;
        for (int64_t lhs : {1, 0}) {
          for (int64_t rhs : {0, 1}) {
            const Relayout trial{lhs, rhs, m, n, k};
            if (lhs_stays && trial.CopiesLhs(p)) continue;
            const double time = Microseconds(p, trial);
            if (time < least) least = time, best = trial;
          }
        }
      }
    }
  }
  return best;
}

}  // namespace jaxgemm
