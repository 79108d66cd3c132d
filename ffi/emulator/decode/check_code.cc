#include "emulator/decode/check_code.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "emulator/alu/host_float.h"
#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {
namespace {

// MODE of a wave that rounds to nearest even and keeps denormals.
constexpr uint32_t kUsualMode = 0x3f0;

bool IsArithmetic(Unit unit) {
  return unit == Unit::kScalar || unit == Unit::kVector || unit == Unit::kTranscendental ||
         unit == Unit::kMatrix;
}

class Walk {
 public:
  Walk(const CodeObject& object, const Kernel& kernel)
      : object_(object), kernel_(kernel), scratch_(std::make_unique<Registers>()) {}

  std::string Run() {
    const HostFloatMode float_mode;
    Reach(kernel_.entry);
    // With kernarg preload a kernel starts 256 bytes later where the hardware has loaded arguments.
    if (kernel_.preloaded_words() != 0) Reach(kernel_.entry + 256);
    while (!next_.empty()) {
      const uint64_t offset = next_.back();
      next_.pop_back();
      const std::string error = Follow(offset);
      if (!error.empty()) return error;
    }
    return "";
  }

 private:
  void Reach(uint64_t offset) {
    if (offset < object_.size() && offset % 4 == 0 && seen_.insert(offset).second) {
      next_.push_back(offset);
    }
  }

  // The instructions from `offset` on, until one that was seen, or that nothing follows.
  std::string Follow(uint64_t offset) {
    while (true) {
      Instruction in;
      std::string error =
          Decode(object_.arch(), object_.image() + offset, object_.size() - offset, &in);
      if (error.empty() && IsArithmetic(UnitOf(in.op)) && in.op != Op::s_trap) error = Try(in);
      if (!error.empty()) {
        return Text("%s kernel %s+0x%llx: the emulator cannot execute this: %s.",
                    ArchName(object_.arch()).data(), kernel_.name.c_str(),
                    static_cast<unsigned long long>(offset - kernel_.entry), error.c_str());
      }
      offset += in.bytes;
      FollowAddress(in, offset);
      switch (in.op) {
        case Op::s_endpgm:
        case Op::s_trap: return "";
        case Op::s_setpc_b64: return "";
        default:
          if (UnitOf(in.op) == Unit::kBranch && in.op != Op::s_swappc_b64)
            Reach(offset + 4 * static_cast<int64_t>(in.imm));
          if (in.op == Op::s_branch) return "";
      }
      if (!seen_.insert(offset).second) return "";
    }
  }

  // A call of a function: s_getpc_b64, an addition to the lower half, and a jump.
  void FollowAddress(const Instruction& in, uint64_t after) {
    if (in.op == Op::s_getpc_b64) {
      addresses_[in.dst[0].index] = after;
    } else if (in.op == Op::s_add_u32 && in.src[1].is_literal &&
               in.src[0].index == in.dst[0].index) {
      const auto found = addresses_.find(in.dst[0].index);
      if (found != addresses_.end()) found->second += static_cast<int32_t>(in.src[1].constant);
    } else if (in.op == Op::s_swappc_b64 || in.op == Op::s_setpc_b64) {
      const auto found = addresses_.find(in.src[0].index);
      if (found != addresses_.end()) Reach(found->second);
    }
  }

  // Executes the instruction on registers of no wave: a modifier may be what the emulator lacks.
  std::string Try(const Instruction& in) {
    Registers& r = *scratch_;
    r.mode = kUsualMode;
    r.hardware_known = 1u << 20;  // XCC_ID
    r.sgpr[124] = 0;              // M0
    r.sgpr[126] = r.sgpr[127] = ~0u;
    return ExecuteAlu(object_.arch(), in, &r);
  }

  const CodeObject& object_;
  const Kernel& kernel_;
  std::unique_ptr<Registers> scratch_;
  std::set<uint64_t> seen_;
  std::vector<uint64_t> next_;
  std::map<int, uint64_t> addresses_;  // offsets in pairs of scalar registers
};

}  // namespace

std::string CheckCode(const CodeObject& object, const Kernel& kernel) {
  // There it is behind swizzled buffers; on the other chips scratch_* instructions access it.
  if (object.arch() == Arch::kGfx90a && kernel.private_bytes > 0) {
    return Text(
        "gfx90a kernel %s: it needs %u bytes of scratch memory a lane, which the emulator does "
        "not have on gfx90a.",
        kernel.name.c_str(), kernel.private_bytes);
  }
  return Walk(object, kernel).Run();
}

}  // namespace jaxgemm::emulator
