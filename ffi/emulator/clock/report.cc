#include "emulator/clock/report.h"

#include <algorithm>
#include <map>

#include "emulator/checks/error.h"

namespace jaxgemm::emulator {
namespace {

constexpr const char* kStateNames[] = {
#define JAXGEMM_STATE(name) #name,
    JAXGEMM_CLOCK_STATES(JAXGEMM_STATE)
#undef JAXGEMM_STATE
};

using Number = unsigned long long;

constexpr uint64_t kLeastTaken = 4;

uint64_t Pc(const TraceEvent& event) { return event.step->pc; }

template <class T, size_t size>
std::string List(const T (&values)[size]) {
  std::string json = "[";
  for (size_t i = 0; i < size; ++i) json += (i ? ", " : "") + std::to_string(values[i]);
  return json + "]";
}

// The shortest body of a backward branch, taken at least four times, that executed half of the
// wave's matrix instructions or more. A branch that is taken in less than three of four iterations
// does not count: it comes back from code that few iterations execute.
LoopTimes MainLoop(const WaveTrace& trace) {
  struct Branch {
    uint64_t target = 0, taken = 0;
  };
  std::map<uint64_t, Branch> branches;  // by pc
  std::map<uint64_t, uint64_t> matrix;  // executions by pc
  uint64_t all = 0;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Step& step = *trace.events[i].step;
    if (step.unit == Unit::kMatrix) {
      ++matrix[step.pc];
      ++all;
    }
    if (step.unit != Unit::kBranch || i + 1 == trace.events.size()) continue;
    if (uint64_t next = Pc(trace.events[i + 1]); next <= step.pc) {
      Branch& branch = branches[step.pc];
      branch.target = next;
      ++branch.taken;
    }
  }
  LoopTimes found;
  for (const auto& [pc, branch] : branches) {
    uint64_t executed = 0, most = 0;
    for (auto it = matrix.lower_bound(branch.target); it != matrix.end() && it->first <= pc; ++it) {
      executed += it->second;
      most = std::max(most, it->second);
    }
    if (branch.taken < kLeastTaken || executed == 0 || 2 * executed < all) continue;
    if (4 * branch.taken < 3 * most) continue;
    if (found.last_pc != 0 && pc - branch.target >= found.last_pc - found.first_pc) continue;
    found.first_pc = branch.target;
    found.last_pc = pc;
  }
  return found;
}

std::string LoopJson(const LoopTimes& loop, uint64_t entry) {
  if (loop.iterations == 0) return "null";
  return Text(
      "{\"first_offset\": %llu, \"last_offset\": %llu, \"iterations\": %llu, \"cycles\": %.4f, "
      "\"matrix_share\": %.6f}",
      static_cast<Number>(loop.first_pc - entry), static_cast<Number>(loop.last_pc - entry),
      static_cast<Number>(loop.iterations), loop.cycles, loop.matrix_share);
}

// The times at which the iterations of a wave's longest run end. A run begins where the wave comes
// to the first instruction by another way than the branch that closes the loop. An iteration may
// execute code outside of the loop's addresses: compilers move rare code out of a loop.
std::vector<uint64_t> IterationEnds(const WaveTrace& trace, const WaveTimes& times,
                                    const LoopTimes& loop) {
  std::vector<uint64_t> run, longest;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const uint64_t pc = Pc(trace.events[i]);
    if (pc == loop.first_pc && (i == 0 || Pc(trace.events[i - 1]) != loop.last_pc)) run.clear();
    if (pc != loop.last_pc) continue;
    run.push_back(times.issued[i]);
    if (run.size() > longest.size()) longest = run;
  }
  return longest;
}

std::string WaveJson(const WaveTimes& wave, const WaveTrace& trace, uint64_t entry, bool timeline) {
  std::string json = Text(
      "{\"workgroup\": %u, \"wave\": %d, \"simd\": %d, \"start\": %llu, \"end\": %llu, "
      "\"instructions\": %zu, \"cycles\": {",
      wave.group, wave.index, wave.simd, static_cast<Number>(wave.start),
      static_cast<Number>(wave.end), wave.issued.size());
  for (int i = 0; i < kWaveClockStates; ++i) {
    json +=
        Text("%s\"%s\": %llu", i ? ", " : "", kStateNames[i], static_cast<Number>(wave.cycles[i]));
  }
  json += "}, \"timeline\": [";
  for (size_t i = 0; timeline && i < wave.issued.size(); ++i) {
    json +=
        Text("%s[%llu, %llu, %llu, \"%s\"]", i ? ", " : "",
             static_cast<Number>(Pc(trace.events[i]) - entry), static_cast<Number>(wave.issued[i]),
             static_cast<Number>(wave.done[i]), kStateNames[static_cast<int>(wave.waited[i])]);
  }
  return json + "]}";
}

}  // namespace

LoopTimes FindLoop(const Times& times, const std::vector<GroupTrace>& groups) {
  auto trace = [&](const WaveTimes& wave) -> const WaveTrace& {
    return groups[wave.group].waves[wave.index];
  };
  if (times.waves.empty()) return {};
  const LoopTimes none, loop = MainLoop(trace(times.waves[0]));
  if (loop.last_pc == 0) return none;
  const std::vector<uint64_t> ends = IterationEnds(trace(times.waves[0]), times.waves[0], loop);
  // The time in which all waves of the first workgroups are in the loop, without the first and
  // last iterations, which are not in the steady state.
  uint64_t begin = 0, end = ~uint64_t{0};
  for (const WaveTimes& wave : times.waves) {
    if (wave.group >= static_cast<uint32_t>(times.resident)) continue;
    const std::vector<uint64_t> mine = IterationEnds(trace(wave), wave, loop);
    if (mine.size() <= kLeastTaken) return none;
    const size_t left_out = std::min<size_t>(2, (mine.size() - 1) / 4);
    begin = std::max(begin, mine[left_out]);
    end = std::min(end, mine[mine.size() - 1 - left_out]);
  }
  // Whole iterations of the first wave.
  const auto first = std::lower_bound(ends.begin(), ends.end(), begin);
  const auto last = std::upper_bound(ends.begin(), ends.end(), end) - 1;
  if (last - first < 2) return none;
  uint64_t matrix = 0;
  for (const WaveTimes& wave : times.waves) {
    const WaveTrace& executed = trace(wave);
    for (size_t i = 0; i < executed.events.size(); ++i) {
      if (wave.issued[i] < *first || wave.issued[i] >= *last) continue;
      matrix += executed.events[i].step->matrix_cycles;
    }
  }
  LoopTimes found = loop;
  found.iterations = static_cast<uint64_t>(last - first);
  const double cycles = static_cast<double>(*last - *first);
  found.cycles = cycles / static_cast<double>(found.iterations);
  found.matrix_share = static_cast<double>(matrix) / (4 * cycles);
  return found;
}

std::string ClockJson(const Times& times, const std::vector<GroupTrace>& groups, uint64_t entry,
                      bool timeline) {
  std::string json = Text(
      "{\"cycles\": %llu, \"resident\": %d, \"matrix_cycles\": %s, \"vector_cycles\": %s, "
      "\"scalar_cycles\": %llu, \"lds_cycles\": %llu, \"memory_cycles\": %llu, "
      "\"l1_hits\": %llu, \"l1_misses\": %llu, \"l2_misses\": %llu, \"store_lines\": %llu, "
      "\"loop\": %s, \"waves\": [",
      static_cast<Number>(times.cycles), times.resident, List(times.matrix_cycles).c_str(),
      List(times.vector_cycles).c_str(), static_cast<Number>(times.scalar_cycles),
      static_cast<Number>(times.lds_cycles), static_cast<Number>(times.memory_cycles),
      static_cast<Number>(times.l1_hits), static_cast<Number>(times.l1_misses),
      static_cast<Number>(times.l2_misses), static_cast<Number>(times.store_lines),
      LoopJson(FindLoop(times, groups), entry).c_str());
  std::map<uint64_t, const Step*> code;
  for (const WaveTimes& wave : times.waves) {
    const WaveTrace& trace = groups[wave.group].waves[wave.index];
    json += (&wave == times.waves.data() ? "" : ", ") + WaveJson(wave, trace, entry, timeline);
    for (const TraceEvent& event : trace.events) code[Pc(event)] = event.step;
  }
  json += "], \"code\": {";
  bool first = true;
  for (const auto& [pc, step] : code) {
    if (!timeline) break;
    json += Text("%s\"%llu\": \"%s\"", first ? "" : ", ", static_cast<Number>(pc - entry),
                 Disassemble(step->instruction).c_str());
    first = false;
  }
  return json + "}}";
}

}  // namespace jaxgemm::emulator
