// Instructions that move values between lanes or to and from scalar registers, and v_cndmask_b32.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

uint32_t ScalarSource(const Context& c, int i) {
  const Operand& operand = c.in.src[i];
  return operand.kind == Operand::kSgpr ? c.r.sgpr[operand.index] : operand.constant;
}

uint32_t* VectorRow(const Context& c, const Operand& operand) { return c.r.vgpr[operand.index]; }

void Cndmask(Context& c) {
  const uint64_t mask = LoadMask(c, 2);
  Words buffer[4], result[2];
  const uint32_t* words[2][2];
  // neg and abs change the sign bit, as for floats, and keep denormals.
  const bool modified = (c.in.neg | c.in.abs) != 0;
  if (modified && !(((c.r.mode >> 4) & 1))) {
    c.error = "v_cndmask_b32 with neg or abs where denormals are flushed";
    return;
  }
  for (int i = 0; i < 2; ++i) {
    Load(c, i, modified ? ValueKind::kF32 : ValueKind::kBits, false, 1, &buffer[2 * i], words[i]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    result[0].lane[lane] = (mask >> lane) & 1 ? words[1][0][lane] : words[0][0][lane];
  }
  Store(c, ValueKind::kBits, false, 1, result);
}

void Swap(Context& c) {
  uint32_t* a = VectorRow(c, c.in.dst[0]);
  uint32_t* b = VectorRow(c, c.in.dst[1]);
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((c.exec >> lane) & 1) std::swap(a[lane], b[lane]);
  }
}

// Swaps the odd rows of the first register with the even rows of the second. A row is kRow lanes.
template <int kRow>
void PermlaneSwap(Context& c) {
  if (c.exec != ~uint64_t{0}) {
    c.error = "a permlane swap with inactive lanes, whose result the manual leaves open";
    return;
  }
  uint32_t* a = VectorRow(c, c.in.dst[0]);
  uint32_t* b = VectorRow(c, c.in.src[0]);
  for (int row = 0; row < kLanes; row += 2 * kRow) {
    std::swap_ranges(a + row + kRow, a + row + 2 * kRow, b + row);
  }
}

void Copy(Context& c) {
  Words buffer[2];
  const uint32_t* words[2];
  Load(c, 0, ValueKind::kBits, false, 1, buffer, words);
  Words result[2];
  std::memcpy(result[0].lane, words[0], sizeof result[0].lane);
  Store(c, ValueKind::kBits, false, 1, result);
}

}  // namespace

Executor FindLanes(Op op) {
  switch (op) {
    case Op::v_clrexcp:  // exceptions are not recorded
    case Op::v_nop: return [](Context&) {};
    case Op::v_cndmask_b32: return Cndmask;
    case Op::v_readfirstlane_b32:
      return [](Context& c) {
        const int lane = c.exec == 0 ? 0 : std::countr_zero(c.exec);
        c.r.sgpr[c.in.dst[0].index] = VectorRow(c, c.in.src[0])[lane];
      };
    case Op::v_readlane_b32:
      return [](Context& c) {
        const uint32_t lane = ScalarSource(c, 1) & 63;
        c.r.sgpr[c.in.dst[0].index] = VectorRow(c, c.in.src[0])[lane];
      };
    case Op::v_writelane_b32:
      return [](Context& c) {
        VectorRow(c, c.in.dst[0])[ScalarSource(c, 1) & 63] = ScalarSource(c, 0);
      };
    case Op::v_swap_b32: return Swap;
    case Op::v_permlane16_swap_b32: return PermlaneSwap<16>;
    case Op::v_permlane32_swap_b32: return PermlaneSwap<32>;
    case Op::v_accvgpr_read_b32:
    case Op::v_accvgpr_write_b32:
    case Op::v_accvgpr_mov_b32: return Copy;
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
