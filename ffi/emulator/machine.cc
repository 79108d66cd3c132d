#include "emulator/machine.h"

#include <algorithm>
#include <memory>
#include <random>

#include "emulator/launch.h"
#include "emulator/lds.h"
#include "emulator/units.h"
#include "emulator/waits.h"

namespace jaxgemm::emulator {
namespace {

constexpr uint32_t kLdsJunk = 0x7fc07fc0;

class Machine {
 public:
  Machine(const CodeObject& object, const Kernel& kernel, Program* program, const Launch& launch,
          const Options& options, Cost* cost)
      : object_(object),
        kernel_(kernel),
        program_(*program),
        options_(options),
        state_(object, kernel, launch),
        memory_(state_.Buffers(), launch.buffers_given, program->global_grain_shift(), options),
        context_{object.arch(), options, memory_, *cost},
        random_(options.seed) {}

  void Run() {
    Cost& cost = context_.cost;
    uint32_t resident = std::min(options_.resident, state_.workgroups());
    for (uint32_t slot = 0; slot < resident; ++slot) {
      auto group = std::make_unique<Workgroup>();
      for (int w = 0; w < state_.waves_per_workgroup(); ++w) {
        group->waves.push_back(std::make_unique<Wave>());
      }
      group->lds = std::make_unique<Lds>();
      Start(group.get());
      groups_.push_back(std::move(group));
    }
    while (!groups_.empty()) {
      Round();
      // A workgroup that has ended makes room for the next.
      std::erase_if(groups_, [&](std::unique_ptr<Workgroup>& group) {
        for (int w = 0; w < group->num_waves; ++w) {
          if (group->waves[w]->state != Wave::kEnded) return false;
        }
        if (next_ == state_.workgroups()) return true;
        Start(group.get());
        return false;
      });
    }
    cost.instructions = context_.instructions;
  }

 private:
  void Start(Workgroup* group) {
    uint32_t index = options_.random_xcc ? random_() % options_.xcc_ids.size()
                                         : next_ % options_.xcc_ids.size();
    state_.StartWorkgroup(next_++, options_.xcc_ids[index], group);
    group->lds->Reset(group, state_.lds_bytes(), program_.lds_grain_shift(), options_, kLdsJunk);
    ++context_.cost.workgroups;
    context_.cost.waves += group->num_waves;
    context_.Progress();
  }

  // A turn for each wave that can run.
  void Round() {
    turns_.clear();
    for (const auto& group : groups_) {
      for (int w = 0; w < group->num_waves; ++w) {
        if (group->waves[w]->state == Wave::kReady) turns_.push_back(group->waves[w].get());
      }
    }
    if (options_.shuffle) std::shuffle(turns_.begin(), turns_.end(), random_);
    for (Wave* wave : turns_) {
      // Turns of different lengths, so that no two waves stay in step.
      uint32_t length = options_.shuffle ? 1 + random_() % (2 * options_.quantum - 1)
                                         : options_.quantum;
      Turn(wave, length);
    }
    if (context_.instructions - context_.progress_at > options_.idle_limit) {
      Hang(Text("%llu instructions changed nothing: flags are polled that nobody sets (raise "
                  "idle_limit if the kernel only computes)",
                  static_cast<unsigned long long>(options_.idle_limit)));
    }
  }

  void Turn(Wave* wave, uint32_t length) {
    Step* step = nullptr;
    try {
      for (; length > 0 && wave->state == Wave::kReady; --length) {
        step = nullptr;
        step = &program_.At(wave->registers.pc);
        if (!Execute(*step, wave)) break;
      }
    } catch (const Fault& fault) {
      Fail(*wave, step, fault);
    }
  }

  // One instruction; false ends the turn.
  bool Execute(Step& step, Wave* wave) {
    if (options_.check_waits && wave->outstanding) CheckWaits(step, *wave);
    if (options_.check_hazards) CheckHazards(object_.arch(), step, wave);
    ++context_.instructions;
    ++wave->instructions;
    if (options_.profile) ++step.executed;
    wave->registers.pc += step.instruction.bytes;
    Cost& cost = context_.cost;
    int simd = wave->index & 3;
    switch (step.unit) {
      case Unit::kMatrix:
        ++cost.matrix;
        cost.matrix_cycles += step.matrix_cycles;
        cost.simd_matrix_cycles[simd] += step.matrix_cycles;
        context_.Progress();
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
      case Unit::kScalarMemory:
        ExecuteScalarMemory(step, wave, &context_);
        break;
      case Unit::kLds:
        ExecuteLds(step, wave, &context_);
        break;
      case Unit::kVectorMemory:
        ExecuteVectorMemory(step, wave, &context_);
        break;
      case Unit::kCache:
        ExecuteCache(step, wave, &context_);
        break;
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
        return false;
      case Unit::kNop:
      case Unit::kPriority:
        ++cost.other;
        break;
      case Unit::kMessage:
        throw Fault{"The emulator does not send messages or trap."};
    }
    return true;
  }

  void Alu(const Step& step, Wave* wave) {
    std::string error = ExecuteAlu(object_.arch(), step.instruction, &wave->registers);
    if (!error.empty()) throw Fault{std::move(error)};
  }

  // Once every wave that has not ended is there.
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

  std::string Code(uint64_t pc) const {
    uint64_t offset = program_.Offset(pc) - kernel_.entry;
    std::string text = "an instruction that cannot be decoded";
    try {
      text = Disassemble(program_.At(pc).instruction);
    } catch (const Fault&) {
    }
    return Text("%s+0x%llx: %s", kernel_.name.c_str(), static_cast<unsigned long long>(offset),
                  text.c_str());
  }

  [[noreturn]] void Fail(const Wave& wave, const Step* step, const Fault& fault) {
    std::string lane = fault.lane >= 0 ? Text(", lane %d", fault.lane) : "";
    throw EmulationError(Text("%s kernel %s\n  at %s%s", ArchName(object_.arch()).data(),
                                Code(step ? step->pc : wave.registers.pc).c_str(),
                                Where(wave).c_str(), lane.c_str()) +
                         ":\n  " + fault.text);
  }

  [[noreturn]] void Hang(const std::string& why) {
    std::string message = Text("%s kernel %s hangs: %s. Waves:",
                                 ArchName(object_.arch()).data(), kernel_.name.c_str(),
                                 why.c_str());
    int shown = 0;
    for (const auto& group : groups_) {
      for (int w = 0; w < group->num_waves; ++w) {
        const Wave& wave = *group->waves[w];
        if (wave.state == Wave::kEnded) continue;
        if (++shown > 32) continue;
        message += Text("\n  %s: %s at %s", Where(wave).c_str(),
                          wave.state == Wave::kAtBarrier ? "waits at the barrier before"
                                                         : "runs",
                          Code(wave.registers.pc).c_str());
      }
    }
    if (shown > 32) message += Text("\n  and %d more", shown - 32);
    if (next_ < state_.workgroups()) {
      message += Text("\n  %u workgroups have not started; %u are resident at once",
                        state_.workgroups() - next_, options_.resident);
    }
    throw EmulationError(message);
  }

  const CodeObject& object_;
  const Kernel& kernel_;
  Program& program_;
  const Options& options_;
  LaunchState state_;
  GlobalMemory memory_;
  Context context_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Workgroup>> groups_;
  std::vector<Wave*> turns_;
  uint32_t next_ = 0;  // workgroup to start
};

}  // namespace

Record Run(const CodeObject& object, const Kernel& kernel, Program* program,
           const Launch& launch, const Options& options) {
  Record record;
  record.kernel = kernel.name;
  record.arch = ArchName(object.arch());
  record.launch = launch;
  for (Step& step : program->steps()) step.executed = 0;
  Machine(object, kernel, program, launch, options, &record.cost).Run();
  if (options.profile) {
    for (const Step& step : program->steps()) {
      if (step.executed == 0) continue;
      record.profile.push_back({program->Offset(step.pc) - kernel.entry, step.executed,
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
      kernel.c_str(), arch.c_str(), launch.grid[0], launch.grid[1], launch.grid[2],
      launch.block[0], launch.block[1], launch.block[2], emulator::ToJson(cost).c_str());
  for (const Line& line : profile) {
    json += Text("%s[%llu, %llu, \"%s\"]", &line == profile.data() ? "" : ", ",
                   static_cast<unsigned long long>(line.offset),
                   static_cast<unsigned long long>(line.executed), line.text.c_str());
  }
  return json + "]}";
}

}  // namespace jaxgemm::emulator
