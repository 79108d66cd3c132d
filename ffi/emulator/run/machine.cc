#include "emulator/run/machine.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "emulator/checks/waits.h"
#include "emulator/clock/report.h"
#include "emulator/clock/trace.h"
#include "emulator/memory/lds.h"
#include "emulator/memory/units.h"
#include "emulator/run/beside.h"
#include "emulator/run/launch.h"

namespace jaxgemm::emulator {
namespace {

constexpr uint32_t kLdsJunk = 0x7fc07fc0;
// A wave issues at most one instruction in 4 cycles; s_sleep counts 64 (CDNA3 ISA, "S_SLEEP").
constexpr uint64_t kCyclesOfIssue = 4, kCyclesOfSleep = 64;
// Decisions alone keep a launch going for this many instructions, and for this many times
// Options::idle_limit.
constexpr uint64_t kDecisionsLast = 4'000'000, kTimesIdleLimit = 16;
// Without decisions a launch goes on for this time, because a thread of the host may yet set the
// flag that is polled; between rounds it naps.
constexpr std::chrono::nanoseconds kPatiencePerInstruction{2000};
constexpr std::chrono::milliseconds kNap{1};
// How often a long turn looks for SIGINT.
constexpr uint64_t kInstructionsBetweenLooks = 4096;

// The workgroups of one kernel.
struct Part {
  Part(const Code& code, const Launch& launch)
      : code(code), state(code.object, code.kernel, launch) {}

  const Code code;
  const LaunchState state;
  std::vector<std::unique_ptr<Workgroup>> groups;  // the resident workgroups
  uint32_t next = 0;                               // id of the next workgroup to start
};

class Machine {
 public:
  Machine(const Code& code, Launch* launch, const Options& options, const InterruptWatch& watch,
          Cost* cost)
      : options_(options), watch_(watch), random_(options.seed), recorder_(options.clock) {
    // The kernel beside the launch comes first, because its links change the launch's buffers.
    if (options.beside != nullptr) {
      const Code other = options.beside->function->ToRun();
      if (other.object.arch() != code.object.arch()) {
        throw EmulationError(Text("The kernel beside the launch is for %s, the launch for %s.",
                                  ArchName(other.object.arch()).data(),
                                  ArchName(code.object.arch()).data()));
      }
      beside_launch_ = options.beside->LaunchWith(launch);
      beside_ = std::make_unique<Part>(other, beside_launch_);
    }
    part_ = std::make_unique<Part>(code, *launch);
    std::vector<Buffer> buffers = part_->state.Buffers(/*beside=*/false);
    log_.SetBuffers(buffers);
    int grain_shift = code.program.global_grain_shift();
    if (beside_ != nullptr) {
      for (Buffer& buffer : beside_->state.Buffers(/*beside=*/true)) {
        buffers.push_back(std::move(buffer));
      }
      grain_shift = std::min(grain_shift, beside_->code.program.global_grain_shift());
    }
    memory_.emplace(std::move(buffers), launch->buffers_given, grain_shift, options);
    const Arch arch = code.object.arch();
    contexts_.push_back({arch, options, *memory_, *cost, progress_});
    contexts_.push_back({arch, options, *memory_, beside_cost_, progress_});
  }

  void Run() {
    for (Part* part : {part_.get(), beside_.get()}) {
      if (part == nullptr) continue;
      uint32_t resident = std::min(options_.resident, part->state.workgroups());
      for (uint32_t slot = 0; slot < resident; ++slot) {
        auto group = std::make_unique<Workgroup>();
        group->beside = part == beside_.get();
        for (int w = 0; w < part->state.waves_per_workgroup(); ++w) {
          group->waves.push_back(std::make_unique<Wave>());
          group->waves.back()->one_l2 = part->code.object.arch() == Arch::kGfx90a;
          group->waves.back()->system_order = beside_ != nullptr;
        }
        group->lds = std::make_unique<Lds>();
        Start(part, group.get());
        part->groups.push_back(std::move(group));
      }
    }
    while (Round()) {
      Replace(part_.get());
      if (beside_ != nullptr) Replace(beside_.get());
    }
  }

  // The clock's report of the workgroups that were recorded.
  std::string Clock() const {
    const Code& code = part_->code;
    const ClockConstants constants(code.object.arch(), options_.clock_changes);
    const Residency residency{code.kernel.allocated_vgprs(), part_->state.lds_bytes()};
    const Times times = ComputeTimes(code.object.arch(), recorder_.groups(), residency, constants);
    const uint64_t entry = reinterpret_cast<uint64_t>(code.object.image()) + code.kernel.entry;
    return ClockJson(times, recorder_.groups(), entry, options_.timeline);
  }

 private:
  Part& PartOf(const Wave& wave) const { return wave.group->beside ? *beside_ : *part_; }

  void Start(Part* part, Workgroup* group) {
    uint32_t index = options_.random_xcc ? random_() % options_.xcc_ids.size()
                                         : part->next % options_.xcc_ids.size();
    part->state.StartWorkgroup(part->next++, options_.xcc_ids[index], group);
    group->lds->Reset(group, part->state.lds_bytes(), part->code.program.lds_grain_shift(),
                      options_, kLdsJunk);
    KernelContext& context = contexts_[group->beside];
    ++context.cost.workgroups;
    context.cost.waves += group->num_waves;
    context.NoteAdvance();
  }

  // Starts the next workgroups in place of those that have ended.
  void Replace(Part* part) {
    std::erase_if(part->groups, [&](std::unique_ptr<Workgroup>& group) {
      for (int w = 0; w < group->num_waves; ++w) {
        if (group->waves[w]->state != Wave::kEnded) return false;
      }
      if (part->next == part->state.workgroups()) return true;
      Start(part, group.get());
      return false;
    });
  }

  // Gives each wave that can run a turn. Returns false when there is none.
  bool Round() {
    turns_.clear();
    uint64_t wakes_at = ~uint64_t{0};
    for (const Part* part : {part_.get(), beside_.get()}) {
      if (part == nullptr) continue;
      for (const auto& group : part->groups) {
        for (int w = 0; w < group->num_waves; ++w) {
          Wave* wave = group->waves[w].get();
          if (wave->state != Wave::kReady) continue;
          wakes_at = std::min(wakes_at, wave->wakes_at);
          turns_.push_back(wave);
        }
      }
    }
    if (turns_.empty()) return false;
    // If all waves sleep, time advances until the first of them wakes.
    progress_.cycles = std::max(progress_.cycles, wakes_at);
    std::erase_if(turns_, [&](const Wave* wave) { return wave->wakes_at > progress_.cycles; });
    if (options_.shuffle) std::shuffle(turns_.begin(), turns_.end(), random_);
    const uint64_t begin = progress_.instructions;
    for (Wave* wave : turns_) {
      // Turns have different lengths, so that no two waves stay in step.
      uint32_t length =
          options_.shuffle ? 1 + random_() % (2 * options_.quantum - 1) : options_.quantum;
      Turn(wave, length);
    }
    EndIfHanging(begin);
    return true;
  }

  bool IsIdle() const { return progress_.instructions - progress_.decided > options_.idle_limit; }

  // `round`: progress_.instructions before the last round, in which every wave had a turn.
  void EndIfHanging(uint64_t round) {
    LookForSignal();
    const auto now = std::chrono::steady_clock::now();
    if (!IsIdle() || progress_.decided > round) {
      idle_since_ = now;
      const uint64_t since = progress_.instructions - progress_.advanced;
      if (since > kDecisionsLast && since / kTimesIdleLimit > options_.idle_limit) {
        Hang(
            Text("%llu instructions reached no new code, no new place in global memory and no "
                 "end of a wave: a loop does not end (raise idle_limit if it does)",
                 static_cast<unsigned long long>(since)));
      }
    } else if ((now - idle_since_) / kPatiencePerInstruction > options_.idle_limit) {
      Hang(
          Text("%llu instructions compared nothing new: flags are polled that no wave sets, or a "
               "loop has no exit (raise idle_limit if it has one)",
               static_cast<unsigned long long>(options_.idle_limit)));
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }

  void LookForSignal() const {
    if (watch_.interrupted()) throw Interruption();
  }

  void Turn(Wave* wave, uint32_t length) {
    Program& program = PartOf(*wave).code.program;
    Step* step = nullptr;
    try {
      for (; length > 0 && wave->state == Wave::kReady; --length) {
        step = nullptr;
        step = &program.At(wave->registers.pc);
        if (!(recorder_.Wants(*wave) ? Record(*step, wave) : Execute(*step, wave))) break;
        if (progress_.instructions % kInstructionsBetweenLooks == 0) {
          LookForSignal();
          if (IsIdle()) break;  // perhaps this turn waits for another wave
        }
      }
      if (wave->registers.pc > wave->furthest_pc || wave->state == Wave::kEnded) {
        wave->furthest_pc = wave->registers.pc;
        contexts_[wave->group->beside].NoteAdvance();
      }
    } catch (const Fault& fault) {
      Fail(*wave, step, fault);
    }
  }

  // Executes one instruction for the clock's trace. Returns false if it ends the turn.
  bool Record(Step& step, Wave* wave) {
    KernelContext& context = contexts_[0];
    const Cost before = context.cost;
    context.log = &log_;
    const bool goes_on = Execute(step, wave);
    context.log = nullptr;
    recorder_.Add(*wave, step, before, context.cost, &log_);
    return goes_on;
  }

  // Executes one instruction. Returns false if it ends the turn.
  bool Execute(Step& step, Wave* wave) {
    if (options_.check_waits && wave->outstanding) CheckWaits(step, *wave);
    KernelContext& context = contexts_[wave->group->beside];
    if (options_.check_hazards) {
      CheckHazards(context.arch, step, options_.check_store_hazards, wave);
    }
    ++progress_.instructions;
    progress_.cycles += kCyclesOfIssue;
    if (step.decides && wave->DecidesAnew(step)) context.NoteDecision();
    ++wave->instructions;
    if (options_.profile) ++step.executed;
    wave->registers.pc += step.instruction.bytes;
    Cost& cost = context.cost;
    ++cost.instructions;
    int simd = wave->index & 3;
    switch (step.unit) {
      case Unit::kMatrix:
        ++cost.matrix;
        cost.matrix_cycles += step.matrix_cycles;
        cost.simd_matrix_cycles[simd] += step.matrix_cycles;
        Alu(step, wave);
        break;
      case Unit::kVector:
      case Unit::kTranscendental:
        ++cost.vector;
        cost.vector_cycles += step.issue_cycles;
        cost.simd_vector_cycles[simd] += step.issue_cycles;
        Alu(step, wave);
        break;
      case Unit::kScalar:
        ++cost.scalar;
        Alu(step, wave);
        break;
      case Unit::kBranch:
        ++cost.branch;
        Alu(step, wave);
        break;
      case Unit::kScalarMemory: ExecuteScalarMemory(step, wave, &context); break;
      case Unit::kLds: ExecuteLds(step, wave, &context); break;
      case Unit::kVectorMemory: ExecuteVectorMemory(step, wave, &context); break;
      case Unit::kCache: ExecuteCache(step, wave, &context); break;
      case Unit::kWait:
        ++cost.wait;
        ExecuteWait(step, wave);
        break;
      case Unit::kBarrier:
        ++cost.barrier;
        wave->state = Wave::kAtBarrier;
        ReleaseBarrier(wave->group);
        break;
      case Unit::kEnd:
        ++cost.other;
        wave->state = Wave::kEnded;
        ReleaseBarrier(wave->group);
        break;
      case Unit::kSleep:
        ++cost.other;
        wave->wakes_at = progress_.cycles + kCyclesOfSleep * (step.instruction.imm & 127);
        return false;
      case Unit::kNop:
      case Unit::kPriority: ++cost.other; break;
      case Unit::kMessage: throw Fault{"The emulator does not send messages or trap."};
    }
    return true;
  }

  void Alu(const Step& step, Wave* wave) {
    std::string error = ExecuteAlu(contexts_[0].arch, step.instruction, &wave->registers);
    if (!error.empty()) throw Fault{"The emulator cannot execute this: " + error + "."};
  }

  // Releases the barrier if every wave that has not ended waits at it.
  void ReleaseBarrier(Workgroup* group) {
    bool waiting = false;
    for (int w = 0; w < group->num_waves; ++w) {
      if (group->waves[w]->state == Wave::kReady) return;
      waiting |= group->waves[w]->state == Wave::kAtBarrier;
    }
    if (!waiting) return;
    ++group->epoch;
    for (int w = 0; w < group->num_waves; ++w) {
      Wave& wave = *group->waves[w];
      std::copy(wave.done, wave.done + kNumQueues, wave.done_at_release);
      std::copy(wave.issued, wave.issued + kNumQueues, wave.issued_at_release);
      if (wave.state == Wave::kAtBarrier) wave.state = Wave::kReady;
    }
    JoinAtBarrier(group);
  }

  std::string Where(const Wave& wave) const {
    const Workgroup& group = *wave.group;
    return Text("workgroup %u (%u, %u, %u), wave %d", group.id, group.coordinates[0],
                group.coordinates[1], group.coordinates[2], wave.index);
  }

  std::string CodeAt(const Wave& wave, uint64_t pc) const {
    const Code& code = PartOf(wave).code;
    uint64_t offset = code.program.Offset(pc) - code.kernel.entry;
    std::string text = "an instruction that cannot be decoded";
    try {
      text = Disassemble(code.program.At(pc).instruction);
    } catch (const Fault&) {
    }
    return Text("%s+0x%llx: %s", code.kernel.name.c_str(), static_cast<unsigned long long>(offset),
                text.c_str());
  }

  [[noreturn]] void Fail(const Wave& wave, const Step* step, const Fault& fault) {
    std::string lane = fault.lane >= 0 ? Text(", lane %d", fault.lane) : "";
    throw EmulationError(Text("%s kernel %s\n  at %s%s", ArchName(contexts_[0].arch).data(),
                              CodeAt(wave, step ? step->pc : wave.registers.pc).c_str(),
                              Where(wave).c_str(), lane.c_str()) +
                         ":\n  " + fault.text);
  }

  [[noreturn]] void Hang(const std::string& why) {
    std::string message = Text("%s kernel %s hangs: %s. Waves:", ArchName(contexts_[0].arch).data(),
                               part_->code.kernel.name.c_str(), why.c_str());
    int shown = 0;
    for (const Part* part : {part_.get(), beside_.get()}) {
      if (part == nullptr) continue;
      for (const auto& group : part->groups) {
        for (int w = 0; w < group->num_waves; ++w) {
          const Wave& wave = *group->waves[w];
          if (wave.state == Wave::kEnded) continue;
          if (++shown > 32) continue;
          message += Text("\n  %s: %s at %s", Where(wave).c_str(),
                          wave.state == Wave::kAtBarrier ? "waits at the barrier before" : "runs",
                          CodeAt(wave, wave.registers.pc).c_str());
        }
      }
    }
    if (shown > 32) message += Text("\n  and %d more", shown - 32);
    if (uint32_t left = part_->state.workgroups() - part_->next) {
      message += Text("\n  %u workgroups have not started; %u are resident at once", left,
                      options_.resident);
    }
    throw EmulationError(message);
  }

  const Options& options_;
  const InterruptWatch& watch_;
  Launch beside_launch_;
  std::unique_ptr<Part> part_, beside_;  // the launch's kernel, and the one beside it, if any
  std::optional<GlobalMemory> memory_;
  Progress progress_;
  std::chrono::steady_clock::time_point idle_since_;  // the end of the last round with progress
  Cost beside_cost_;                                  // not reported
  std::vector<KernelContext> contexts_;  // of the launch's kernel, and of the one beside it
  std::mt19937_64 random_;
  std::vector<Wave*> turns_;
  Recorder recorder_;
  AccessLog log_;  // of the recorded instruction
};

}  // namespace

Record Run(const Code& code, Launch launch, const Options& options, const InterruptWatch& watch) {
  Record record;
  record.kernel = code.kernel.name;
  record.arch = ArchName(code.object.arch());
  std::copy(launch.grid, launch.grid + 3, record.grid);
  std::copy(launch.block, launch.block + 3, record.block);
  for (Step& step : code.program.steps()) step.executed = 0;
  Machine machine(code, &launch, options, watch, &record.cost);
  machine.Run();
  if (options.clock > 0) record.clock = machine.Clock();
  if (options.profile) {
    for (const Step& step : code.program.steps()) {
      if (step.executed == 0) continue;
      record.profile.push_back({code.program.Offset(step.pc) - code.kernel.entry, step.executed,
                                Disassemble(step.instruction)});
    }
    std::sort(record.profile.begin(), record.profile.end(),
              [](const Record::Line& a, const Record::Line& b) { return a.offset < b.offset; });
  }
  return record;
}

std::string Record::ToJson() const {
  std::string json = Text(
      "{\"kernel\": \"%s\", \"arch\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], "
      "\"cost\": %s, \"profile\": [",
      kernel.c_str(), arch.c_str(), grid[0], grid[1], grid[2], block[0], block[1], block[2],
      emulator::ToJson(cost).c_str());
  for (const Line& line : profile) {
    json += Text("%s[%llu, %llu, \"%s\"]", &line == profile.data() ? "" : ", ",
                 static_cast<unsigned long long>(line.offset),
                 static_cast<unsigned long long>(line.executed), line.text.c_str());
  }
  return json + "], \"clock\": " + clock + "}";
}

}  // namespace jaxgemm::emulator
