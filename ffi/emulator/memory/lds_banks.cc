#include "emulator/memory/lds_banks.h"

#include <algorithm>

namespace jaxgemm::emulator {
namespace {

// The phases of the first half of a wave. The second half has the same phases, for lanes 32 to 63.
// Banks are one dword wide.
struct Phases {
  int banks;
  int count;       // phases in half a wave
  uint8_t of[32];  // the phase of each lane
};

constexpr Phases Consecutive(int banks, int lanes) {
  Phases phases{.banks = banks, .count = 32 / lanes, .of = {}};
  for (int lane = 0; lane < 32; ++lane) phases.of[lane] = lane / lanes;
  return phases;
}

// Phases of groups of four lanes: groups[i] is the phase of lanes 4 i to 4 i + 3.
constexpr Phases Groups(int banks, int count, const int (&groups)[8]) {
  Phases phases{.banks = banks, .count = count, .of = {}};
  for (int lane = 0; lane < 32; ++lane) phases.of[lane] = groups[lane / 4];
  return phases;
}

// gfx950: HipKittens measured the phases on the chip (arXiv 2511.08083, appendix; the repository's
// analysis/paper_experiments/phases). Reads of 8 and 16 bytes use 64 banks; reads of 12 bytes and
// writes use 32. gfx942: there are 32 banks, 128 bytes a cycle. The phases of ds_read_b128 are from
// AMD ("Avoiding LDS Bank Conflicts on AMD GPUs Using CK-Tile"); those measured for ds_read_b96 are
// the same. Narrower accesses take 32 lanes at a time; for gfx950 no source gives more than 32
// banks for them. Transposing reads are assumed to be like plain reads of 8 bytes.
constexpr int kInEights[8] = {0, 1, 2, 3, 1, 0, 3, 2};
constexpr int kInSixteens[8] = {0, 1, 1, 0, 1, 0, 0, 1};
constexpr Phases kLanes32 = Consecutive(32, 32), kLanes16 = Consecutive(32, 16),
                 kLanes8 = Consecutive(32, 8), kLanes32Banks64 = Consecutive(64, 32),
                 kReadEights = Groups(32, 4, kInEights),
                 kReadSixteensBanks64 = Groups(64, 2, kInSixteens);

const Phases& PhasesOf(Arch arch, bool read, int bytes) {
  bool wide = arch == Arch::kGfx950 && read;
  if (bytes <= 4) return kLanes32;
  if (bytes == 8) return wide ? kLanes32Banks64 : kLanes16;
  if (bytes == 12) return read ? kReadEights : kLanes8;
  return wide ? kReadSixteensBanks64 : read ? kReadEights : kLanes8;
}

// The number of different dwords that the busiest bank serves in one phase.
int BusiestBank(const Phases& phases, int phase, int dwords, const uint32_t* addresses,
                uint32_t active) {
  uint32_t seen[64][32];
  uint8_t count[64] = {};
  int longest = 1;
  for (uint32_t lanes = active; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (phases.of[lane] != phase) continue;
    uint32_t first = addresses[lane] / 4;
    for (uint32_t dword = first; dword < first + dwords; ++dword) {
      int bank = dword & (phases.banks - 1);
      uint32_t* end = seen[bank] + count[bank];
      if (std::find(seen[bank], end, dword) != end) continue;
      *end = dword;
      longest = std::max<int>(longest, ++count[bank]);
    }
  }
  return longest;
}

}  // namespace

LdsCycles CountLdsCycles(Arch arch, bool read, int bytes, const uint32_t* addresses,
                         uint64_t exec) {
  const Phases& phases = PhasesOf(arch, read, bytes);
  LdsCycles cycles;
  int dwords = (bytes + 3) / 4;
  for (int half = 0; half < 2; ++half, addresses += 32) {
    uint32_t active = static_cast<uint32_t>(exec >> 32 * half);
    if (active == 0) continue;
    // An aligned access takes one of banks / dwords places. In the common case no two lanes of a
    // phase take the same place, and nothing conflicts.
    uint64_t taken[4] = {};
    uint32_t meet = dwords == 3 ? 15 : 0;  // phases that may have conflicts
    int places = phases.banks / dwords;
    for (uint32_t lanes = active; lanes != 0; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes), phase = phases.of[lane];
      uint64_t place = uint64_t{1} << (addresses[lane] / (4 * dwords) & (places - 1));
      meet |= (taken[phase] & place) != 0 ? 1u << phase : 0;
      taken[phase] |= place;
    }
    for (int phase = 0; phase < phases.count; ++phase) {
      cycles.base += 1;
      if (meet >> phase & 1) {
        cycles.conflicts += BusiestBank(phases, phase, dwords, addresses, active) - 1;
      }
    }
  }
  return cycles;
}

}  // namespace jaxgemm::emulator
