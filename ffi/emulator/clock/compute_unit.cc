#include "emulator/clock/compute_unit.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <tuple>

#include "emulator/checks/error.h"
#include "emulator/checks/hazards.h"
#include "emulator/clock/memory_pipe.h"
#include "emulator/clock/wave_state.h"

namespace jaxgemm::emulator {
namespace {

constexpr int kSimds = 4;

// The kinds of instructions. In a turn a SIMD issues at most one of each. Those of kInternal need
// no unit: waits, barriers, s_nop, s_setprio and the end.
enum class Kind : uint8_t { kVector, kScalar, kBranch, kLds, kMemory, kInternal };

Kind KindOf(const Step& step) {
  switch (step.unit) {
    case Unit::kVector:
    case Unit::kTranscendental:
    case Unit::kMatrix: return Kind::kVector;
    case Unit::kScalar:
    case Unit::kScalarMemory: return Kind::kScalar;
    case Unit::kBranch: return Kind::kBranch;
    case Unit::kLds: return Kind::kLds;
    case Unit::kVectorMemory:
    case Unit::kCache:
      return step.instruction.format == Format::kSmem ? Kind::kScalar : Kind::kMemory;
    default: return Kind::kInternal;
  }
}

// What happens to a wave at a later time: a counter falls, or a load's data reaches the LDS.
struct Later {
  enum What : uint8_t { kVector, kLgkm, kToLds } what;
  uint64_t time, order;
  WaveState* wave;
  size_t event;                               // of the wave's trace
  size_t number = 0;                          // of the operation in vmcnt
  bool operator<(const Later& other) const {  // the next one is the largest in the queue
    return std::tie(time, order) > std::tie(other.time, other.order);
  }
};

struct ResidentGroup {
  uint32_t id;
  std::vector<WaveState*> waves;
};

class ComputeUnit {
 public:
  ComputeUnit(Arch arch, const std::vector<GroupTrace>& groups, const Residency& residency,
              const ClockConstants& constants)
      : arch_(arch), groups_(groups), constants_(constants), memory_(constants) {
    auto rounded = [](double value, double granule) {
      return granule * ((static_cast<uint64_t>(value) + static_cast<uint64_t>(granule) - 1) /
                        static_cast<uint64_t>(granule));
    };
    registers_ = residency.registers;
    lds_bytes_ = rounded(residency.lds_bytes, constants.lds_granule);
    size_t waves = 0;
    for (const GroupTrace& group : groups) waves += group.waves.size();
    times_.waves.reserve(waves);  // WaveState keeps references
  }

  Times Run() {
    StartGroups();
    for (now_ = 0; !resident_.empty(); ++now_) {
      while (!later_.empty() && later_.top().time <= now_) Happen();
      Turn(static_cast<int>(now_ % kSimds));
      if (now_ > last_issue_ + kStuck) {
        throw EmulationError("The clock stands still: no wave of the trace can issue.");
      }
    }
    times_.cycles = *std::max_element(matrix_free_, matrix_free_ + kSimds);
    for (const WaveTimes& wave : times_.waves) times_.cycles = std::max(times_.cycles, wave.end);
    times_.memory_cycles = memory_.busy_cycles;
    times_.l1_hits = memory_.l1_hits;
    times_.l1_misses = memory_.l1_misses;
    times_.l2_misses = memory_.l2_misses;
    times_.store_lines = memory_.store_lines;
    return std::move(times_);
  }

 private:
  static constexpr uint64_t kStuck = 1 << 20, kNever = ~uint64_t{0};

  // Starts workgroups in order while the next one fits.
  void StartGroups() {
    for (; next_group_ < groups_.size(); ++next_group_) {
      const GroupTrace& group = groups_[next_group_];
      if (group.waves.empty()) continue;
      int simds[kSimds] = {}, place[64];
      auto on = [&](int simd) { return simd_waves_[simd].size() + simds[simd]; };
      int first = 0;
      for (int simd = 1; simd < kSimds; ++simd) {
        if (on(simd) < on(first)) first = simd;
      }
      bool fits = lds_used_ + lds_bytes_ <= constants_.lds_bytes;
      for (size_t w = 0; w < group.waves.size(); ++w) {
        const int simd = static_cast<int>(first + w) % kSimds;
        fits &= on(simd) < constants_.simd_waves &&
                (on(simd) + 1) * registers_ <= constants_.simd_registers;
        ++simds[simd];
        place[w] = simd;
      }
      if (!fits) {
        if (resident_.empty()) {
          throw EmulationError(
              Text("A workgroup of %zu waves with %u vector registers each and %.0f bytes of LDS "
                   "does not fit into a compute unit.",
                   group.waves.size(), registers_, lds_bytes_));
        }
        return;
      }
      StartGroup(group, place);
    }
  }

  void StartGroup(const GroupTrace& group, const int* place) {
    lds_used_ += lds_bytes_;
    // The first workgroups find an empty unit.
    const uint64_t start =
        now_ == 0 ? 0 : now_ + static_cast<uint64_t>(constants_.next_workgroup_cycles);
    ResidentGroup resident{.id = static_cast<uint32_t>(next_group_), .waves = {}};
    for (size_t w = 0; w < group.waves.size(); ++w) {
      WaveTimes& times = times_.waves.emplace_back();
      times.group = resident.id;
      times.index = static_cast<int>(w);
      times.simd = place[w];
      times.start = start + static_cast<uint64_t>(w * constants_.wave_start_cycles);
      auto& wave = states_.emplace_back(
          std::make_unique<WaveState>(group.waves[w], &times, static_cast<int>(states_.size())));
      wave->ready = times.start;
      wave->waits = WaveClock::k_idle;
      resident.waves.push_back(wave.get());
      simd_waves_[place[w]].push_back(wave.get());
    }
    resident_.push_back(std::move(resident));
    times_.resident = std::max(times_.resident, static_cast<int>(resident_.size()));
    last_issue_ = start;
  }

  // One turn of a SIMD.
  void Turn(int simd) {
    bool taken[6] = {};
    turn_ = simd_waves_[simd];  // a copy: a wave that ends leaves the list
    std::stable_sort(turn_.begin(), turn_.end(), [](const WaveState* a, const WaveState* b) {
      return a->priority > b->priority;
    });
    for (WaveState* wave : turn_) {
      WaveClock state = Try(simd, wave, taken);
      if (state != WaveClock::k_issue) wave->waited = state;
      if (now_ >= wave->times().start) {
        wave->times().cycles[static_cast<int>(state)] += kSimds;
      }
    }
  }

  // Issues the wave's next instruction if that is possible.
  WaveClock Try(int simd, WaveState* wave, bool* taken) {
    if (wave->at_barrier) return WaveClock::k_barrier;
    if (now_ < wave->ready) return wave->waits;
    const TraceEvent& event = wave->event();
    const Step& step = *event.step;
    if (step.unit == Unit::kWait) {
      const uint32_t imm = static_cast<uint32_t>(step.instruction.imm);
      const int vm = (imm & 15) | (imm >> 14 & 3) << 4, lgkm = imm >> 8 & 15;
      if (vm != 63 && wave->vm() > vm) return WaveClock::k_vmcnt;
      if (lgkm != 15 && wave->lgkm > lgkm) return WaveClock::k_lgkmcnt;
    }
    if (wave->OperandsReady(step) > now_) return WaveClock::k_dependency;
    const Kind kind = KindOf(step);
    if (kind == Kind::kVector && vector_free_[simd] > now_) return WaveClock::k_vector_port;
    if (step.unit == Unit::kMatrix && matrix_free_[simd] > now_) return WaveClock::k_matrix_pipe;
    if (kind == Kind::kLds &&
        (lds_free_ > now_ + constants_.lds_queue_cycles || wave->lgkm >= constants_.lgkm_limit)) {
      return WaveClock::k_lds_queue;
    }
    if (kind == Kind::kMemory) {
      if (wave->vm() >= constants_.vm_limit) return WaveClock::k_memory_queue;
      if (!TakesMemoryTurn(simd)) return WaveClock::k_memory_queue;
    }
    if (kind != Kind::kInternal) {
      if (taken[static_cast<int>(kind)]) return WaveClock::k_arbitration;
      taken[static_cast<int>(kind)] = true;
    }
    Issue(simd, wave, event);
    return WaveClock::k_issue;
  }

  // Whether a wave of a SIMD may issue to the memory pipe. SIMDs that wait for its queue take
  // turns, in the order in which they began to wait.
  bool TakesMemoryTurn(int simd) {
    uint64_t& since = waits_since_[simd];
    since = std::min(since, now_);
    if (!memory_.Accepts(now_) || since != *std::min_element(waits_since_, waits_since_ + kSimds)) {
      return false;
    }
    since = kNever;
    return true;
  }

  void Issue(int simd, WaveState* wave, const TraceEvent& event) {
    const Step& step = *event.step;
    const size_t index = wave->next();
    const TraceEvent* following = wave->following();
    last_issue_ = now_;
    wave->ready = now_ + static_cast<uint64_t>(constants_.issue_cycles);
    wave->waits = WaveClock::k_issue;
    wave->Advance(now_);
    uint64_t done = wave->ready;
    switch (step.unit) {
      case Unit::kMatrix: {
        vector_free_[simd] = now_ + static_cast<uint64_t>(constants_.issue_cycles);
        matrix_free_[simd] = done = now_ + step.matrix_cycles;
        times_.matrix_cycles[simd] += step.matrix_cycles;
        // The wait states that the manuals require before other instructions read the result, each
        // four cycles, after the instruction itself.
        const uint32_t states = StatesUntilResult(arch_, step.hazard.passes, step.hazard.xdl);
        wave->NoteResults(step, now_ + 4 * (states + 1), done);
        break;
      }
      case Unit::kVector:
      case Unit::kTranscendental: {
        vector_free_[simd] = now_ + step.issue_cycles;
        times_.vector_cycles[simd] += step.issue_cycles;
        const uint64_t ready =
            vector_free_[simd] + static_cast<uint64_t>(constants_.vector_result_cycles) - 4;
        wave->NoteResults(step, ready, ready);
        done = ready;
        break;
      }
      case Unit::kScalar:
      case Unit::kBranch: {
        ++times_.scalar_cycles;
        const uint64_t ready = now_ + static_cast<uint64_t>(constants_.scalar_result_cycles);
        wave->NoteResults(step, ready, ready);
        if (following != nullptr && following->step->pc != step.pc + step.instruction.bytes) {
          wave->ready = now_ + static_cast<uint64_t>(constants_.branch_taken_cycles);
          wave->waits = WaveClock::k_branch;
        }
        break;
      }
      case Unit::kScalarMemory:
        ++times_.scalar_cycles;
        ++wave->lgkm;
        done = now_ + static_cast<uint64_t>(constants_.scalar_load_latency);
        Schedule({Later::kLgkm, done, ++order_, wave, index});
        break;
      case Unit::kLds: {
        uint64_t cycles = event.lds_cycles;
        if (step.memory.access == Access::kPermute) {
          cycles = static_cast<uint64_t>(constants_.lds_permute_cycles);
        }
        ++wave->lgkm;
        done = UseLds(cycles) + static_cast<uint64_t>(constants_.lds_latency);
        Schedule({Later::kLgkm, done, ++order_, wave, index});
        break;
      }
      case Unit::kVectorMemory: {
        done = memory_.Access(event, wave->trace(), now_);
        const size_t number = wave->IssueVector();
        // An access with flat addresses counts in both counters.
        if (step.instruction.format == Format::kFlat) {
          ++wave->lgkm;
          Schedule({Later::kLgkm, done, ++order_, wave, index});
        }
        const bool to_lds = event.lds_cycles > 0;
        Schedule({to_lds ? Later::kToLds : Later::kVector, done, ++order_, wave, index, number});
        break;
      }
      case Unit::kCache:
        if (step.memory.access == Access::kInvalidate) {
          memory_.Invalidate();
        } else if (step.memory.access == Access::kWriteBack) {
          done = now_ + static_cast<uint64_t>(constants_.miss_latency);
          Schedule({Later::kVector, done, ++order_, wave, index, wave->IssueVector()});
        }
        break;
      case Unit::kNop:
        wave->ready = now_ + 4 * step.hazard.states;
        wave->waits = WaveClock::k_idle;
        break;
      case Unit::kSleep:
        wave->ready = now_ + 64 * std::max(1, step.instruction.imm & 127);
        wave->waits = WaveClock::k_idle;
        break;
      case Unit::kPriority: wave->priority = step.instruction.imm & 3; break;
      case Unit::kBarrier:
        wave->at_barrier = true;
        Arrive(wave);
        break;
      case Unit::kEnd: End(simd, wave); break;
      default: break;
    }
    wave->times().done[index] = done;
  }

  // Occupies the LDS for `cycles`, when its earlier work is done. Returns the time of the end.
  uint64_t UseLds(uint64_t cycles) {
    lds_free_ = std::max(lds_free_, now_) + cycles;
    times_.lds_cycles += cycles;
    return lds_free_;
  }

  void Schedule(Later later) { later_.push(later); }

  void Happen() {
    Later later = later_.top();
    later_.pop();
    switch (later.what) {
      case Later::kLgkm: --later.wave->lgkm; break;
      case Later::kVector: later.wave->FinishVector(later.number); break;
      case Later::kToLds: {
        // The data has come from memory. It is written to the LDS, and then the counter falls.
        const uint64_t done = UseLds(later.wave->trace().events[later.event].lds_cycles);
        later.wave->times().done[later.event] = done;
        Schedule({Later::kVector, done, ++order_, later.wave, later.event, later.number});
        break;
      }
    }
  }

  ResidentGroup& GroupOf(const WaveState* wave) {
    for (ResidentGroup& group : resident_) {
      if (std::find(group.waves.begin(), group.waves.end(), wave) != group.waves.end()) {
        return group;
      }
    }
    throw EmulationError("A wave of the clock has no workgroup.");
  }

  // Releases the barrier if all waves that have not ended are at it.
  void Arrive(WaveState* wave) {
    ResidentGroup& group = GroupOf(wave);
    for (const WaveState* other : group.waves) {
      if (!other->ended() && !other->at_barrier) return;
    }
    for (WaveState* other : group.waves) {
      if (!other->at_barrier) continue;
      other->at_barrier = false;
      other->ready = now_ + static_cast<uint64_t>(constants_.barrier_cycles);
      other->waits = WaveClock::k_barrier;
    }
  }

  void End(int simd, WaveState* wave) {
    wave->times().end = now_ + static_cast<uint64_t>(constants_.issue_cycles);
    std::erase(simd_waves_[simd], wave);
    Arrive(wave);
    ResidentGroup& group = GroupOf(wave);
    for (const WaveState* other : group.waves) {
      if (!other->ended()) return;
    }
    std::erase_if(resident_, [&](const ResidentGroup& other) { return other.id == group.id; });
    lds_used_ -= lds_bytes_;
    StartGroups();
  }

  const Arch arch_;
  const std::vector<GroupTrace>& groups_;
  const ClockConstants& constants_;
  uint32_t registers_ = 0;
  double lds_bytes_ = 0, lds_used_ = 0;

  Times times_;
  uint64_t now_ = 0, last_issue_ = 0, order_ = 0;
  uint64_t waits_since_[kSimds] = {kNever, kNever, kNever, kNever};
  size_t next_group_ = 0;
  std::vector<ResidentGroup> resident_;
  std::vector<std::unique_ptr<WaveState>> states_;
  std::vector<WaveState*> simd_waves_[kSimds], turn_;
  uint64_t vector_free_[kSimds] = {}, matrix_free_[kSimds] = {}, lds_free_ = 0;
  MemoryPipe memory_;
  std::priority_queue<Later> later_;
};

}  // namespace

Times ComputeTimes(Arch arch, const std::vector<GroupTrace>& groups, const Residency& residency,
                   const ClockConstants& constants) {
  return ComputeUnit(arch, groups, residency, constants).Run();
}

}  // namespace jaxgemm::emulator
