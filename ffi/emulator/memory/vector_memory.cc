// MUBUF, FLAT, GLOBAL and SCRATCH instructions.
#include <algorithm>
#include <cstring>

#include "emulator/clock/trace.h"
#include "emulator/memory/lds_banks.h"
#include "emulator/memory/units.h"

namespace jaxgemm::emulator {
namespace {

// Loads and stores of several dwords need only the alignment of one dword.
uint32_t AlignmentOf(int bytes) { return std::min(bytes, 4); }

// A buffer resource (CDNA3 ISA, "Buffer Resource Descriptor"): raw buffers only.
struct Resource {
  uint64_t base;
  uint64_t records;  // limit in bytes of the offset without soffset

  Resource(const uint32_t* words, uint32_t soffset) {
    base = (words[0] | uint64_t{words[1]} << 32) & ((uint64_t{1} << 48) - 1);
    if ((words[1] >> 16 & 0x3fff) != 0 || words[1] >> 31 || (words[3] >> 23 & 1)) {
      throw Fault{
          "The buffer resource has a stride, is swizzled or adds the thread number; the "
          "emulator knows raw buffers only."};
    }
    base += soffset;
    records = words[2] > soffset ? words[2] - soffset : 0;
  }
};

class VectorMemoryUnit {
 public:
  VectorMemoryUnit(const Step& step, Wave* wave, KernelContext* context, uint32_t number)
      : op_(step.memory),
        instruction_(step.instruction),
        wave_(*wave),
        context_(*context),
        number_(number),
        exec_(wave->registers.exec()) {
    to_lds_ = instruction_.lds || op_.to_lds;
    const bool atomic = op_.access == Access::kAtomic;
    BeginAccess(atomic);
    if (instruction_.format == Format::kScratch) {
      if (to_lds_) throw Fault{"A scratch load to the LDS is not emulated."};
      ScratchAddresses();
    } else if (instruction_.format == Format::kMubuf) {
      BufferAddresses();
    } else {
      PointerAddresses();
    }
    if (instruction_.format == Format::kFlat) {
      FindApertures();
      if (shared_ != 0) wave->group->lds->Begin(*wave, kLdsQueue, atomic);
    }
    const uint64_t global = scratch_ ? 0 : exec_ & ~shared_ & ~private_;
    if (global != 0 && wave->Reaches(step.number, address_[__builtin_ctzll(global)])) {
      context_.NoteAdvance();
    }
  }

  void Load() {
    Cost& cost = context_.cost;
    if (to_lds_) {
      LoadToLds();
      ++cost.global_to_lds;
    } else {
      int first = instruction_.dst[0].index;
      ForEachLane(exec_, [&](int lane) {
        uint32_t loaded[4] = {};
        Fetch(lane, loaded);
        if (op_.bytes < 4) {
          uint32_t& to = wave_.registers.vgpr[first][lane];
          to = ExtendElement(op_, loaded[0], to);
        } else {
          for (int d = 0; d < op_.bytes / 4; ++d) {
            wave_.registers.vgpr[first + d][lane] = loaded[d];
          }
        }
      });
      if (!scratch_) ++cost.global_load;
    }
    context_.memory.EndRead(number_);
    Count(&cost.global_read_bytes);
  }

  void Store() {
    const Operand& data = instruction_.src[1];
    ForEachLane(exec_, [&](int lane) {
      uint32_t stored[4];
      for (int d = 0; d < data.count; ++d) {
        stored[d] = wave_.registers.vgpr[data.index + d][lane];
      }
      if (op_.high_half) stored[0] >>= 16;
      const auto* from = reinterpret_cast<const uint8_t*>(stored);
      uint32_t inside = BytesInside(lane);
      if (inside == 0) return;
      uint8_t* to = InScratch(lane)  ? Scratch(lane)
                    : InShared(lane) ? Shared(lane, /*reads=*/false, /*writes=*/true)
                                     : context_.memory.Write(address_[lane], inside,
                                                             AlignmentOf(op_.bytes), lane);
      std::memcpy(to, from, inside);
    });
    if (!scratch_) ++context_.cost.global_store;
    Count(&context_.cost.global_write_bytes);
  }

  void Atomic() {
    if (scratch_) throw Fault{"An atomic on scratch memory is not emulated."};
    int dwords = op_.bytes / 4;
    const Operand &data = instruction_.src[1], &to = instruction_.dst[0];
    ForEachLane(exec_, [&](int lane) {
      uint64_t old = 0;
      if (BytesInside(lane) == op_.bytes) {
        if (InScratch(lane)) throw Fault{"An atomic on scratch memory is not emulated."};
        uint8_t* at = InShared(lane) ? Shared(lane, /*reads=*/true, /*writes=*/true)
                                     : context_.memory.Atomic(address_[lane], op_.bytes, lane);
        std::memcpy(&old, at, op_.bytes);
        uint64_t value =
            ApplyAtomic(op_.atomic, op_.bytes, old, Data(data, 0, lane), Data(data, dwords, lane));
        std::memcpy(at, &value, op_.bytes);
      }
      if (to.kind == Operand::kVgpr) {
        for (int d = 0; d < dwords; ++d) {
          wave_.registers.vgpr[to.index + d][lane] = static_cast<uint32_t>(old >> 32 * d);
        }
      }
    });
    if (to.kind == Operand::kVgpr) context_.memory.EndRead(number_);
    ++context_.cost.global_atomic;
    Count(&context_.cost.global_write_bytes);
  }

 private:
  // Tells `memory` the kind and the scope of the access.
  void BeginAccess(bool atomic) {
    AccessKind kind = atomic ? AccessKind::kAtomic : AccessKind::kPlain;
    Scope scope = kDevice;
    if (context_.arch == Arch::kGfx90a) {
      // gfx90a's instructions have no scope. Loads with glc and all stores bypass the L1.
      scope = kSystem;
      const bool load = op_.access == Access::kLoad;
      if (load && instruction_.sc0) kind = AccessKind::kThrough;
      if (!load && !atomic && op_.bytes == 4) kind = AccessKind::kWord;
    } else {
      // For an atomic, sc0 means that the old value is returned; it is not part of the scope.
      if (!atomic && instruction_.sc1) kind = AccessKind::kThrough;
      if (instruction_.sc1 && (atomic || instruction_.sc0)) scope = kSystem;
    }
    // Float atomics accumulate data; they are never flags.
    const bool adds_floats = atomic && op_.atomic >= AtomicOp::kAddF32;
    context_.memory.Begin(&wave_, kind, scope, kind != AccessKind::kPlain && !adds_floats);
  }

  // CDNA3 ISA, "Memory Buffer Instructions", raw buffers: ADDRESS = BASE + soffset + offset,
  // in range if offset < NUM_RECORDS - soffset, checked for each dword separately.
  void BufferAddresses() {
    if (instruction_.idxen) throw Fault{"A buffer access with an index is not emulated."};
    uint32_t soffset = ScalarValue(instruction_.src[3], wave_);
    Resource resource(wave_.registers.sgpr + instruction_.src[2].index, soffset);
    bounded_ = true;
    for (int lane = 0; lane < kWaveSize; ++lane) {
      uint64_t offset = static_cast<uint32_t>(instruction_.offset);
      if (instruction_.offen) offset += wave_.registers.vgpr[instruction_.src[0].index][lane];
      address_[lane] = resource.base + offset;
      left_[lane] = resource.records > offset ? resource.records - offset : 0;
    }
  }

  void PointerAddresses() {
    const auto& vgpr = wave_.registers.vgpr;
    const Operand& from = instruction_.src[0];
    if (instruction_.saddr) {
      uint64_t base =
          ScalarPairValue(instruction_.src[2], wave_) + static_cast<int64_t>(instruction_.offset);
      for (int lane = 0; lane < kWaveSize; ++lane) {
        address_[lane] = base + vgpr[from.index][lane];
      }
    } else {
      for (int lane = 0; lane < kWaveSize; ++lane) {
        address_[lane] = (vgpr[from.index][lane] | uint64_t{vgpr[from.index + 1][lane]} << 32) +
                         static_cast<int64_t>(instruction_.offset);
      }
    }
  }

  // Computes the offsets in each lane's private memory.
  void ScratchAddresses() {
    scratch_ = true;
    ++context_.cost.scratch;
    const Operand& from = instruction_.src[0];
    for (int lane = 0; lane < kWaveSize; ++lane) {
      int64_t offset = instruction_.offset;
      if (instruction_.saddr) {
        offset += static_cast<int32_t>(ScalarValue(instruction_.src[2], wave_));
      }
      if (from.kind == Operand::kVgpr) {
        offset += static_cast<int32_t>(wave_.registers.vgpr[from.index][lane]);
      }
      address_[lane] = static_cast<uint64_t>(offset);
    }
  }

  // Finds the lanes whose FLAT addresses are in the LDS or in scratch; these become offsets.
  void FindApertures() {
    ForEachLane(exec_, [&](int lane) {
      const uint32_t high = address_[lane] >> 32;
      if (high != kSharedBaseHigh && high != kPrivateBaseHigh) return;
      (high == kSharedBaseHigh ? shared_ : private_) |= uint64_t{1} << lane;
      address_[lane] &= ~uint32_t{0};
    });
  }
  bool InShared(int lane) const { return shared_ >> lane & 1; }
  bool InScratch(int lane) const { return scratch_ || (private_ >> lane & 1); }

  uint8_t* Shared(int lane, bool reads, bool writes) {
    Lds& lds = *wave_.group->lds;
    const uint32_t address = static_cast<uint32_t>(address_[lane]);
    uint8_t* at = lds.At(address, op_.bytes, lds.aligned() ? AlignmentOf(op_.bytes) : 1, lane);
    if (reads) lds.NoteRead(address, op_.bytes, lane);
    if (writes) lds.NoteWrite(address, op_.bytes, lane);
    return at;
  }

  uint8_t* Scratch(int lane) {
    uint64_t size = wave_.scratch.size() / kWaveSize;
    if (address_[lane] > size || op_.bytes > size - address_[lane]) {
      throw Fault{Text("%d bytes at scratch offset %lld are outside the %llu bytes that a lane "
                       "has.",
                       op_.bytes, static_cast<long long>(address_[lane]),
                       static_cast<unsigned long long>(size)),
                  lane};
    }
    return wave_.scratch.data() + lane * size + address_[lane];
  }

  // The number of the access's bytes that are in the buffer resource's range: whole dwords.
  uint32_t BytesInside(int lane) const {
    if (!bounded_ || left_[lane] >= op_.bytes) return op_.bytes;
    if (op_.bytes > 4 && left_[lane] % 4 == 0) return static_cast<uint32_t>(left_[lane]);
    if (left_[lane] == 0) return 0;
    throw Fault{Text("The access of %d bytes straddles the end of the buffer resource, %llu "
                     "bytes on; what the hardware does with half an element is not emulated: "
                     "round NUM_RECORDS.",
                     op_.bytes, static_cast<unsigned long long>(left_[lane])),
                lane};
  }

  void Fetch(int lane, void* to) {
    uint32_t inside = BytesInside(lane);
    if (inside == 0) return;
    const uint8_t* from = InScratch(lane)  ? Scratch(lane)
                          : InShared(lane) ? Shared(lane, /*reads=*/true, /*writes=*/false)
                                           : context_.memory.Read(address_[lane], inside,
                                                                  AlignmentOf(op_.bytes), lane);
    std::memcpy(to, from, inside);
  }

  // CDNA3 and CDNA4 ISA, "Memory Buffer Load to LDS": LDS_ADDR = LDS base + M0 + offset + lane
  // x size. The size is at least a dword, lanes out of range write zeros, and gfx942 and gfx90a use
  // 16 bits of M0.
  void LoadToLds() {
    uint32_t m0 = wave_.registers.sgpr[124];
    if (context_.arch != Arch::kGfx950 && m0 >> 16) {
      throw Fault{Text("M0 is 0x%08x; a load to the LDS takes its address from 16 bits.", m0)};
    }
    uint32_t size = std::max<uint32_t>(op_.bytes, 4);
    uint32_t first = m0 + static_cast<uint32_t>(instruction_.offset);
    Lds& lds = *wave_.group->lds;
    uint32_t to[kWaveSize];
    for (int lane = 0; lane < kWaveSize; ++lane) to[lane] = first + lane * size;
    lds.Begin(wave_, kVectorQueue);
    ForEachLane(exec_, [&](int lane) {
      uint32_t loaded[4] = {};
      Fetch(lane, loaded);
      if (op_.bytes < 4) loaded[0] = ExtendElement(op_, loaded[0], 0);
      uint8_t* at = lds.At(to[lane], size, 4, lane);
      lds.NoteWrite(to[lane], size, lane);
      std::memcpy(at, loaded, size);
    });
    LdsCycles cycles = CountLdsCycles(context_.arch, /*read=*/false, size, to, exec_);
    context_.cost.lds_dma_cycles += cycles.base;
    context_.cost.lds_conflict_cycles += cycles.conflicts;
    context_.cost.lds_dma_bytes += uint64_t{size} * __builtin_popcountll(exec_);
  }

  uint64_t Data(const Operand& operand, int first, int lane) const {
    if (first + op_.bytes / 4 > operand.count) return 0;
    const auto& vgpr = wave_.registers.vgpr;
    uint64_t value = vgpr[operand.index + first][lane];
    if (op_.bytes == 8) value |= uint64_t{vgpr[operand.index + first + 1][lane]} << 32;
    return value;
  }

  // Counts bytes and, in lane order, 64-byte segments: the L1 serves one segment a cycle.
  void Count(uint64_t* bytes) {
    uint64_t moved = 0, segments = 0, last = ~uint64_t{0};
    ForEachLane(exec_, [&](int lane) {
      uint32_t inside = BytesInside(lane);
      if (inside == 0) return;
      moved += inside;
      uint64_t begin = address_[lane] / 64, end = (address_[lane] + inside - 1) / 64;
      segments += end - begin + (begin != last);
      last = end;
      if (context_.log != nullptr && !InScratch(lane) && !InShared(lane))
        context_.log->Note(address_[lane], inside);
    });
    if (scratch_) {
      context_.cost.scratch_bytes += moved;
    } else {
      *bytes += moved;
      context_.cost.global_lines += segments;
    }
  }

  const MemoryOp& op_;
  const Instruction& instruction_;
  Wave& wave_;
  KernelContext& context_;
  uint32_t number_;
  uint64_t exec_;
  uint64_t shared_ = 0, private_ = 0;  // the lanes whose FLAT addresses are in the LDS, in scratch
  bool to_lds_ = false, scratch_ = false, bounded_ = false;
  uint64_t address_[kWaveSize];
  uint64_t left_[kWaveSize];
};

}  // namespace

void ExecuteVectorMemory(const Step& step, Wave* wave, KernelContext* context) {
  const Instruction& instruction = step.instruction;
  Queue queue = instruction.format == Format::kFlat ? kFlatQueue : kVectorQueue;
  // A flat access also counts in the vector queue, for its order in global memory.
  uint32_t vector_number = wave->Issue(kVectorQueue);
  uint32_t number = queue == kFlatQueue ? wave->Issue(kFlatQueue) : vector_number;
  VectorMemoryUnit unit(step, wave, context, vector_number);
  switch (step.memory.access) {
    case Access::kLoad: unit.Load(); break;
    case Access::kStore: unit.Store(); break;
    default: unit.Atomic(); break;
  }
  const Operand& to = instruction.dst[0];
  if (to.kind == Operand::kVgpr) wave->MarkPending(to.index, to.count, queue, number);
}

void ExecuteCache(const Step& step, Wave* wave, KernelContext* context) {
  const Instruction& instruction = step.instruction;
  ++context->cost.other;
  if (context->arch == Arch::kGfx90a) {
    switch (step.memory.access) {
      case Access::kWriteBack: return IssueWriteBack(wave, kSystem, wave->Issue(kVectorQueue));
      case Access::kInvalidateL2: return IssueInvalidateL2(wave);
      case Access::kInvalidate: return IssueInvalidateL1(wave);
      default: return;
    }
  }
  // sc1 is the scope of the device, sc0 sc1 that of the system. sc0 alone or neither is the scope
  // of a workgroup, which has one L1 and needs nothing.
  const Scope scope = instruction.sc0 ? kSystem : kDevice;
  if (step.memory.access == Access::kWriteBack) {
    uint32_t number = wave->Issue(kVectorQueue);
    if (instruction.sc1) IssueWriteBack(wave, scope, number);
  } else if (step.memory.access == Access::kInvalidate && instruction.sc1) {
    IssueInvalidate(wave, scope);
  }
}

}  // namespace jaxgemm::emulator
