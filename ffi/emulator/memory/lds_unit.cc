// DS instructions.
#include <algorithm>
#include <cstring>

#include "emulator/memory/lds_banks.h"
#include "emulator/memory/units.h"

namespace jaxgemm::emulator {
namespace {

class LdsUnit {
 public:
  LdsUnit(const Step& step, Wave* wave, KernelContext* context)
      : op_(step.memory),
        instruction_(step.instruction),
        wave_(*wave),
        context_(*context),
        lds_(*wave->group->lds),
        exec_(wave->registers.exec()) {
    lds_.Begin(*wave, kLdsQueue, step.memory.access == Access::kAtomic);
  }

  void Load() {
    ForEachPart([&](int part, const uint32_t* address) {
      Count(/*read=*/true, address);
      uint32_t (*to)[kWaveSize] =
          wave_.registers.vgpr + instruction_.dst[0].index + part * (op_.bytes / 4);
      switch (op_.bytes) {
        case 4: LoadDwords<1>(address, to); break;
        case 8: LoadDwords<2>(address, to); break;
        case 12: LoadDwords<3>(address, to); break;
        case 16: LoadDwords<4>(address, to); break;
        default:
          ForEachLane(exec_, [&](int lane) {
            uint32_t loaded = 0;
            std::memcpy(&loaded, Read(address[lane], lane), op_.bytes);
            to[0][lane] = ExtendElement(op_, loaded, to[0][lane]);
          });
      }
    });
    ++context_.cost.lds_read;
  }

  void Store() {
    ForEachPart([&](int part, const uint32_t* address) {
      Count(/*read=*/false, address);
      const uint32_t (*from)[kWaveSize] =
          wave_.registers.vgpr + instruction_.src[part == 0 ? 1 : 3].index;
      switch (op_.bytes) {
        case 4: StoreDwords<1>(address, from); break;
        case 8: StoreDwords<2>(address, from); break;
        case 12: StoreDwords<3>(address, from); break;
        case 16: StoreDwords<4>(address, from); break;
        default:
          ForEachLane(exec_, [&](int lane) {
            uint32_t stored = from[0][lane] >> (op_.high_half ? 16 : 0);
            std::memcpy(Write(address[lane], lane), &stored, op_.bytes);
          });
      }
    });
    ++context_.cost.lds_write;
  }

  void Atomic() {
    const uint32_t* address = Addresses(instruction_.offset);
    Count(/*read=*/false, address);
    const bool two = instruction_.src[3].kind == Operand::kVgpr;
    ForEachLane(exec_, [&](int lane) {
      uint8_t* at = Write(address[lane], lane);
      uint64_t old = 0;
      std::memcpy(&old, at, op_.bytes);
      // The value to compare with (ds_cmpst), or the mask (ds_mskor), comes first.
      uint64_t first = Data(instruction_.src[1], lane), second = Data(instruction_.src[3], lane);
      uint64_t value = ApplyAtomic(op_.atomic, op_.bytes, old, two ? second : first, first);
      std::memcpy(at, &value, op_.bytes);
      if (op_.returns) {
        for (int d = 0; d < op_.bytes / 4; ++d) {
          wave_.registers.vgpr[instruction_.dst[0].index + d][lane] = old >> 32 * d;
        }
      }
    });
    ++context_.cost.lds_atomic;
  }

  // ds_read_b64_tr_b16, _b8, _b4 (CDNA4 ISA, "MFMA Transpose Load from LDS"). Sixteen lanes read 8
  // bytes each. In lane order these bytes are the rows of a matrix of 16 columns, and lane i of
  // the sixteen receives column i. EXEC must be all ones.
  void Transposed() {
    if (exec_ != ~uint64_t{0}) {
      throw Fault{"A transposing LDS read needs EXEC to be all ones."};
    }
    const uint32_t* address = Addresses(instruction_.offset);
    Count(/*read=*/true, address);
    const int bits = op_.element_bits, per_lane = 64 / bits, lanes_per_row = 16 / per_lane;
    for (int group = 0; group < kWaveSize; group += 16) {
      uint64_t rows[16];
      for (int i = 0; i < 16; ++i) {
        std::memcpy(&rows[i], Read(address[group + i], group + i), 8);
      }
      for (int i = 0; i < 16; ++i) {
        uint64_t column = 0;
        for (int row = 0; row < per_lane; ++row) {
          const uint64_t from = rows[row * lanes_per_row + i / per_lane] >> (i % per_lane * bits);
          column |= (from & ((uint64_t{1} << bits) - 1)) << (row * bits);
        }
        for (int d = 0; d < 2; ++d) {
          wave_.registers.vgpr[instruction_.dst[0].index + d][group + i] =
              static_cast<uint32_t>(column >> (32 * d));
        }
      }
    }
    ++context_.cost.lds_read;
  }

  // Lanes exchange values through the LDS crossbar; LDS memory is not accessed.
  void Permute() {
    uint32_t result[kWaveSize] = {};
    auto& vgpr = wave_.registers.vgpr;
    uint32_t offset = static_cast<uint32_t>(instruction_.offset);
    const uint32_t* from = vgpr[instruction_.src[1].index];
    if (instruction_.op == Op::ds_bpermute_b32) {
      // Lane i reads lane address / 4; an inactive lane gives 0.
      ForEachLane(exec_, [&](int lane) {
        int source = (vgpr[instruction_.src[0].index][lane] + offset) / 4 & 63;
        result[lane] = exec_ >> source & 1 ? from[source] : 0;
      });
    } else if (instruction_.op == Op::ds_permute_b32) {
      // Lane i sends to lane address / 4. If several send to one lane, the highest wins.
      ForEachLane(exec_, [&](int lane) {
        result[(vgpr[instruction_.src[0].index][lane] + offset) / 4 & 63] = from[lane];
      });
    } else {
      Swizzle(offset, vgpr[instruction_.src[0].index], result);
    }
    ForEachLane(exec_, [&](int lane) { vgpr[instruction_.dst[0].index][lane] = result[lane]; });
    ++context_.cost.lane_permute;
  }

 private:
  const uint8_t* Read(uint32_t address, int lane) {
    const uint8_t* from = lds_.At(address, op_.bytes, Alignment(), lane);
    lds_.NoteRead(address, op_.bytes, lane);
    return from;
  }

  uint8_t* Write(uint32_t address, int lane) {
    uint8_t* to = lds_.At(address, op_.bytes, Alignment(), lane);
    lds_.NoteWrite(address, op_.bytes, lane);
    return to;
  }

  // The size of the access, rounded up to a power of two. This is the manual's aligned mode; in
  // unaligned mode the hardware splits a misaligned load or store without notice.
  uint32_t Alignment() const {
    if (op_.access != Access::kAtomic && !lds_.aligned()) return 1;
    return op_.bytes == 12 ? 16 : op_.bytes;
  }

  template <int kDwords>
  void LoadDwords(const uint32_t* address, uint32_t (*to)[kWaveSize]) {
    ForEachLane(exec_, [&](int lane) {
      uint32_t loaded[kDwords];
      std::memcpy(loaded, Read(address[lane], lane), sizeof(loaded));
      for (int d = 0; d < kDwords; ++d) to[d][lane] = loaded[d];
    });
  }

  template <int kDwords>
  void StoreDwords(const uint32_t* address, const uint32_t (*from)[kWaveSize]) {
    ForEachLane(exec_, [&](int lane) {
      uint32_t stored[kDwords];
      for (int d = 0; d < kDwords; ++d) stored[d] = from[d][lane];
      std::memcpy(Write(address[lane], lane), stored, sizeof(stored));
    });
  }

  // ds_swizzle_b32. With offset[15] set, two bits for each lane of a quad select the lane of the
  // quad that it reads. Otherwise lane i of 32 reads lane ((i & and) | or) ^ xor, five bits each.
  void Swizzle(uint32_t offset, const uint32_t* from, uint32_t* result) {
    if ((offset & 0xff00) != 0x8000 && (offset & 0x8000)) {
      throw Fault{Text("ds_swizzle_b32 with offset 0x%04x is not emulated.", offset)};
    }
    ForEachLane(exec_, [&](int lane) {
      int source;
      if (offset & 0x8000) {
        source = (lane & ~3) | (offset >> 2 * (lane & 3) & 3);
      } else {
        int within = ((lane & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
        source = (lane & 32) | within;
      }
      result[lane] = exec_ >> source & 1 ? from[source] : 0;
    });
  }

  const uint32_t* Addresses(int32_t offset, int part = 0) {
    const uint32_t* base = wave_.registers.vgpr[instruction_.src[0].index];
    for (int lane = 0; lane < kWaveSize; ++lane) addresses_[part][lane] = base[lane] + offset;
    return addresses_[part];
  }

  // Calls f(part, addresses) for the one access, or for the two of read2 and write2.
  template <class F>
  void ForEachPart(F&& f) {
    if (op_.stride == 0) {
      f(0, Addresses(instruction_.offset));
    } else {
      int unit = op_.stride * op_.bytes;
      const uint32_t* first = Addresses(instruction_.offset * unit);
      // Computed before f, because the loaded data may overwrite the address register.
      const uint32_t* second = Addresses(instruction_.offset1 * unit, 1);
      f(0, first);
      f(1, second);
    }
  }

  uint64_t Data(const Operand& operand, int lane) const {
    if (operand.kind != Operand::kVgpr) return 0;
    uint64_t value = wave_.registers.vgpr[operand.index][lane];
    if (op_.bytes == 8) {
      value |= uint64_t{wave_.registers.vgpr[operand.index + 1][lane]} << 32;
    }
    return value;
  }

  void Count(bool read, const uint32_t* address) {
    LdsCycles cycles = CountLdsCycles(context_.arch, read, op_.bytes, address, exec_);
    Cost& cost = context_.cost;
    uint64_t bytes = uint64_t{op_.bytes} * __builtin_popcountll(exec_);
    (read ? cost.lds_read_cycles : cost.lds_write_cycles) += cycles.base;
    (read ? cost.lds_read_bytes : cost.lds_write_bytes) += bytes;
    cost.lds_conflict_cycles += cycles.conflicts;
  }

  const MemoryOp& op_;
  const Instruction& instruction_;
  Wave& wave_;
  KernelContext& context_;
  Lds& lds_;
  uint64_t exec_;
  uint32_t addresses_[2][kWaveSize];
};

}  // namespace

void ExecuteLds(const Step& step, Wave* wave, KernelContext* context) {
  uint32_t number = wave->Issue(kLdsQueue);
  LdsUnit unit(step, wave, context);
  switch (step.memory.access) {
    case Access::kLoad: unit.Load(); break;
    case Access::kStore: unit.Store(); break;
    case Access::kAtomic: unit.Atomic(); break;
    case Access::kTransposed: unit.Transposed(); break;
    default: unit.Permute(); break;
  }
  const Operand& to = step.instruction.dst[0];
  if (to.kind == Operand::kVgpr) wave->MarkPending(to.index, to.count, kLdsQueue, number);
}

}  // namespace jaxgemm::emulator
