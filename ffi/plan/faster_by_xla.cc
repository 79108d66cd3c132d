#include "plan/faster_by_xla.h"

#include "spec/text.h"

namespace jaxgemm {

std::string WhyFasterByXla(const Problem& p, const Config& c, const Chip& chip,
                           const Relayout& relayout) {
  const bool asked = c.schedule != Schedule::kAuto || c.tile_m || c.tile_n || c.tile_k ||
                     c.num_workgroups || c.group_m || c.num_queues || c.num_shares ||
                     !c.kernel.empty();
  if (chip.target != "sm90" || asked || p.ragged != Ragged::kNone || p.tiles_per_chunk > 0) {
    return "";
  }
  const double operations = 2 * static_cast<double>(p.batch) * static_cast<double>(p.m) *
                            static_cast<double>(p.n) * static_cast<double>(p.k);
  // An H200's timings. Few rows: XLA's time over ours was 0.23 to 0.69 for 1 to 24 rows of all
  // types, and 0.68 for 32, because the lowest tile has 128.
  constexpr int64_t kFewRows = 24;
  if (p.batch == 1 && p.m <= kFewRows && operations > 0) {
    return "lhs has " + Str(p.m) +
           " rows, and the kernels for Hopper have tiles of 128 rows: with "
           "up to " +
           Str(kFewRows) + " rows XLA's product takes 0.2 to 0.7 of their time";
  }
  // Small products of short sums, where start and end of a kernel are most of its time: 0.58 to
  // 0.87 of 7 such products, 1.2 and more of most with longer sums.
  constexpr double kTiny = 3e7;
  constexpr int64_t kShortK = 96;
  if (p.k <= kShortK && operations > 0 && operations < kTiny) {
    return "the product is small and k=" + Str(p.k) +
           " is short: XLA's product takes 0.6 to 0.9 of "
           "the time, most of which is a kernel's start and end";
  }
  // Small products with copies: 0.18 to 0.57 in 16 of 18 below these operations, 0.7 and more
  // above.
  constexpr double kSmall = 3e8;
  if (!NeedsNoCopy(p, relayout) && operations > 0 && operations < kSmall) {
    return "the product is small, and TMA cannot read or write all its arrays as they are: XLA's "
           "product takes 0.2 to 0.6 of the time of a copy and a kernel";
  }
  return "";
}

}  // namespace jaxgemm
