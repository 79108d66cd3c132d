#include "emulator/run/launch.h"

#include <algorithm>
#include <cstring>

namespace jaxgemm::emulator {
namespace {

// The initial value of registers that the launch does not set: NaN as float32 and as two bfloat16.
constexpr uint32_t kJunk = 0x7fc07fc0;

constexpr uint64_t kTooMany = uint64_t{1} << 31;  // workgroups, or work-items

// Bits of the kernel descriptor's properties, in the order of the user SGPRs.
enum Property {
  kPrivateSegmentBuffer = 1 << 0,
  kDispatchPointer = 1 << 1,
  kQueuePointer = 1 << 2,
  kArgumentPointer = 1 << 3,
  kDispatchId = 1 << 4,
  kFlatScratchInit = 1 << 5,
  kPrivateSegmentSize = 1 << 6,
};

}  // namespace

LaunchState::LaunchState(const CodeObject& object, const Kernel& kernel, const Launch& launch)
    : object_(object), kernel_(kernel), launch_(launch) {
  uint64_t items = 1, groups = 1;
  for (int d = 0; d < 3; ++d) {
    // The products saturate at kTooMany; they must not wrap.
    items = std::min(items * launch.block[d], kTooMany);
    groups = std::min(groups * launch.grid[d], kTooMany);
    if (launch.block[d] == 0 || launch.grid[d] == 0) {
      throw EmulationError("A launch needs at least one workgroup and one work-item.");
    }
    // The dispatch packet has the work-items of a dimension in 32 bits.
    if (uint64_t{launch.block[d]} * launch.grid[d] >> 32) {
      throw EmulationError(Text("The launch has 2^32 work-items or more in dimension %d.", d));
    }
    if (kernel.required_workgroup[d] && kernel.required_workgroup[d] != launch.block[d]) {
      throw EmulationError(Text("Kernel %s requires workgroups of %u x %u x %u work-items.",
                                kernel.name.c_str(), kernel.required_workgroup[0],
                                kernel.required_workgroup[1], kernel.required_workgroup[2]));
    }
  }
  if (items > kernel.max_workgroup || items > kMaxWaves * kWaveSize) {
    throw EmulationError(Text("Kernel %s takes workgroups of at most %u work-items, not %llu.",
                              kernel.name.c_str(), kernel.max_workgroup,
                              static_cast<unsigned long long>(items)));
  }
  if (groups >= kTooMany) throw EmulationError("The grid has 2^31 workgroups or more.");
  uint32_t limit = LdsBytes(object.arch());
  if (kernel.lds_bytes > limit || launch.dynamic_lds > limit - kernel.lds_bytes) {
    throw EmulationError(
        Text("Kernel %s needs %u bytes of LDS and the launch %u more; %s has "
             "%u.",
             kernel.name.c_str(), kernel.lds_bytes, launch.dynamic_lds,
             ArchName(object.arch()).data(), limit));
  }
  waves_ = static_cast<int>((items + kWaveSize - 1) / kWaveSize);
  FillArguments();
  FillPacket();
}

void LaunchState::FillArguments() {
  arguments_.resize((kernel_.kernarg_bytes + 7) / 8 + 8);
  auto* to = reinterpret_cast<uint8_t*>(arguments_.data());
  uint32_t explicit_bytes = 0;
  for (const KernelArgument& argument : kernel_.arguments) {
    if (argument.kind.starts_with("hidden_")) continue;
    explicit_bytes = std::max(explicit_bytes, argument.offset + argument.size);
  }
  if (launch_.arguments.size() < explicit_bytes ||
      launch_.arguments.size() > kernel_.kernarg_bytes) {
    throw EmulationError(Text("Kernel %s takes %u bytes of arguments, not %zu.",
                              kernel_.name.c_str(), explicit_bytes, launch_.arguments.size()));
  }
  std::memcpy(to, launch_.arguments.data(), launch_.arguments.size());
  for (const KernelArgument& argument : kernel_.arguments) {
    std::string_view kind = argument.kind;
    if (!kind.starts_with("hidden_")) continue;
    // Pointers to queues, heaps and the like stay null, so a kernel that uses them faults.
    uint64_t value = 0;
    for (int d = 0; d < 3; ++d) {
      const char axis = "xyz"[d];
      if (kind == std::string("hidden_block_count_") + axis) value = launch_.grid[d];
      if (kind == std::string("hidden_group_size_") + axis) value = launch_.block[d];
    }
    if (kind == "hidden_dynamic_lds_size") value = launch_.dynamic_lds;
    if (kind == "hidden_grid_dims") {
      value = launch_.grid[2] * launch_.block[2] > 1   ? 3
              : launch_.grid[1] * launch_.block[1] > 1 ? 2
                                                       : 1;
    }
    std::memcpy(to + argument.offset, &value, argument.size);
  }
}

// HSA's kernel dispatch packet.
void LaunchState::FillPacket() {
  struct Packet {
    uint16_t header, setup, workgroup[3], reserved0;
    uint32_t grid[3], private_bytes, group_bytes;
    uint64_t kernel, arguments, reserved1, signal;
  } packet{};
  static_assert(sizeof(packet) == sizeof(packet_));
  packet.setup = 3;
  for (int d = 0; d < 3; ++d) {
    packet.workgroup[d] = launch_.block[d];
    packet.grid[d] = launch_.grid[d] * launch_.block[d];
  }
  packet.private_bytes = kernel_.private_bytes;
  packet.group_bytes = lds_bytes();
  packet.arguments = reinterpret_cast<uint64_t>(arguments_.data());
  std::memcpy(packet_, &packet, sizeof(packet));
}

std::vector<Buffer> LaunchState::Buffers(bool beside) const {
  std::vector<Buffer> buffers = launch_.buffers;
  auto add = [&](const void* base, size_t bytes, const char* name) {
    const Right launch = beside ? Right::kNone : Right::kRead;
    buffers.push_back({reinterpret_cast<uint64_t>(base), bytes, launch, name,
                       beside ? Right::kRead : Right::kNone});
  };
  add(arguments_.data(), arguments_.size() * 8, "the kernel's arguments");
  add(packet_, sizeof(packet_), "the dispatch packet");
  add(object_.image(), object_.size(), "the code object");
  return buffers;
}

void LaunchState::StartWorkgroup(uint32_t id, uint32_t xcc, Workgroup* group) const {
  group->id = id;
  group->xcc = xcc;
  group->coordinates[0] = id % launch_.grid[0];
  group->coordinates[1] = id / launch_.grid[0] % launch_.grid[1];
  group->coordinates[2] = id / launch_.grid[0] / launch_.grid[1];
  group->num_waves = waves_;
  for (int w = 0; w < waves_; ++w) {
    Wave* wave = group->waves[w].get();
    wave->group = group;
    wave->index = w;
    StartWave(*group, wave);
  }
}

void LaunchState::StartWave(const Workgroup& group, Wave* wave) const {
  Registers& registers = wave->registers;
  uint32_t total = kernel_.allocated_vgprs(), accum = std::min(kernel_.accum_offset(), total);
  std::fill_n(&registers.vgpr[0][0], std::min(accum, 256u) * kWaveSize, kJunk);
  std::fill_n(&registers.vgpr[256][0], std::min(total - accum, 256u) * kWaveSize, kJunk);
  std::fill_n(registers.sgpr, 128, kJunk);

  // User SGPRs.
  uint32_t* next = registers.sgpr;
  auto pointer = [&](const void* address) {
    uint64_t bits = reinterpret_cast<uint64_t>(address);
    std::memcpy(next, &bits, 8);
    next += 2;
  };
  uint16_t properties = kernel_.properties;
  if (properties & kPrivateSegmentBuffer) next += 4;
  if (properties & kDispatchPointer) pointer(packet_);
  if (properties & kQueuePointer) pointer(nullptr);
  if (properties & kArgumentPointer) pointer(arguments_.data());
  if (properties & kDispatchId) pointer(nullptr);
  if (properties & kFlatScratchInit) pointer(nullptr);
  if (properties & kPrivateSegmentSize) *next++ = kernel_.private_bytes;
  const uint32_t preloaded = kernel_.preloaded_words();
  std::memcpy(next, reinterpret_cast<const uint32_t*>(arguments_.data()) + kernel_.preloaded_from(),
              4 * preloaded);
  // System SGPRs follow.
  next = registers.sgpr + (kernel_.rsrc2 >> 1 & 31);
  for (int d = 0; d < 3; ++d) {
    if (kernel_.rsrc2 >> (7 + d) & 1) *next++ = group.coordinates[d];
  }

  for (int lane = 0; lane < kWaveSize; ++lane) {
    uint32_t item = wave->index * kWaveSize + lane;
    uint32_t x = item % launch_.block[0], yz = item / launch_.block[0];
    uint32_t y = yz % launch_.block[1], z = yz / launch_.block[1];
    registers.vgpr[0][lane] = x | y << 10 | z << 20;
  }
  uint32_t items = launch_.block[0] * launch_.block[1] * launch_.block[2];
  uint32_t left = items - wave->index * kWaveSize;
  uint64_t exec = left >= kWaveSize ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
  registers.sgpr[126] = static_cast<uint32_t>(exec);
  registers.sgpr[127] = static_cast<uint32_t>(exec >> 32);
  registers.scc = false;
  uint32_t rsrc1 = kernel_.rsrc1;
  registers.mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9 |
                   (rsrc1 >> 26 & 1) << 23;
  registers.hardware[20] = group.xcc;  // HW_REG_XCC_ID
  registers.hardware_known = 1u << 20;
  // With kernarg preload the kernel starts at its entry plus 256 bytes. The first 256 bytes of code
  // load the arguments where the hardware has not preloaded them (AMDGPUUsage).
  registers.pc =
      reinterpret_cast<uint64_t>(object_.image()) + kernel_.entry + (preloaded != 0 ? 256 : 0);

  wave->state = Wave::kReady;
  wave->hazards = {};
  for (WaveOrdering& ordering : wave->ordering) ordering = {};
  std::fill(std::begin(wave->pending), std::end(wave->pending), 0);
  for (int q = 0; q < kNumQueues; ++q) {
    wave->done[q] = wave->issued[q];
    wave->done_at_release[q] = wave->issued_at_release[q] = wave->issued[q];
  }
  wave->flat_done_vm = wave->flat_done_lgkm = wave->issued[kFlatQueue];
  wave->outstanding = false;
  std::fill(std::begin(wave->decisions), std::end(wave->decisions), Wave::Decision{});
  wave->reached.clear();
  wave->furthest_pc = 0;
  wave->instructions = 0;
  wave->wakes_at = 0;
  // A stack of unknown depth gets 16 KiB.
  uint32_t scratch = kernel_.private_bytes + (kernel_.dynamic_stack ? 16 << 10 : 0);
  wave->scratch.assign(size_t{scratch} * kWaveSize, 0xc0);
}

}  // namespace jaxgemm::emulator
