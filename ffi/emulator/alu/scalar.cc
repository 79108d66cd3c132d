// The scalar unit and branches.
#include <algorithm>
#include <bit>

#include "emulator/alu/alu.h"

namespace jaxgemm::emulator {
namespace {

struct Scalar {
  const Instruction& in;
  Registers& r;
  const char* error = nullptr;

  uint32_t Source(int i) const {
    const Operand& operand = in.src[i];
    return operand.kind == Operand::kSgpr ? r.sgpr[operand.index] : operand.constant;
  }
  int32_t Signed(int i) const { return static_cast<int32_t>(Source(i)); }
  uint64_t Wide(int i) const {
    const Operand& operand = in.src[i];
    return operand.kind == Operand::kSgpr
               ? U64::Get(r.sgpr[operand.index], r.sgpr[operand.index + 1])
               : U64::Get(operand.constant, operand.constant_high);
  }
  void Set(uint32_t value) { r.sgpr[in.dst[0].index] = value; }
  void SetWide(uint64_t value) {
    U64::Put(value, r.sgpr[in.dst[0].index], r.sgpr[in.dst[0].index + 1]);
  }
  // Sets the destination, and SCC to whether the result is not zero.
  void SetScc(uint32_t value) {
    Set(value);
    r.scc = value != 0;
  }
  void SetWideScc(uint64_t value) {
    SetWide(value);
    r.scc = value != 0;
  }
  void Carry(uint64_t sum) {
    Set(static_cast<uint32_t>(sum));
    r.scc = (sum >> 32) & 1;
  }
  void ShiftAdd(uint64_t sum) {
    Set(static_cast<uint32_t>(sum));
    r.scc = sum >> 32 != 0;
  }
  void Overflow(int64_t exact) {
    const int32_t value = static_cast<int32_t>(exact);
    Set(static_cast<uint32_t>(value));
    r.scc = value != exact;
  }
  // Sets the destination to the old EXEC, and EXEC to `value`.
  void SaveExec(uint64_t value) {
    const uint64_t old = r.exec();
    SetWide(old);
    SetExec(value);
  }
  void SetExec(uint64_t value) {
    U64::Put(value, r.sgpr[kExec], r.sgpr[kExec + 1]);
    r.scc = value != 0;
  }
  void Branch(bool taken) {
    if (taken) r.pc += static_cast<int64_t>(in.imm) * 4;
  }
};

// A field of `width` bits from `offset`. A width of zero gives zero; kBits or more gives the rest.
template <class T>
T BitField(T value, uint32_t offset, uint32_t width) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  using Unsigned = std::make_unsigned_t<T>;
  const T shifted = value >> (offset & (kBits - 1));
  if (width == 0) return 0;
  if (width >= kBits) return shifted;
  const Unsigned top = static_cast<Unsigned>(shifted) << (kBits - width);
  return static_cast<T>(top) >> (kBits - width);
}

template <class T>
int FirstBit(T value) {
  return value == 0 ? -1 : std::countr_zero(value);
}
template <class T>
int FirstFromTop(T value) {
  return value == 0 ? -1 : std::countl_zero(value);
}

template <class T>
T Reverse(T x) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) result |= ((x >> i) & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}

uint64_t Wqm(uint64_t x) {
  uint64_t result = 0;
  for (int i = 0; i < 64; i += 4) {
    if ((x >> i) & 15) result |= uint64_t{15} << i;
  }
  return result;
}
uint64_t Quadmask(uint64_t x) {
  uint64_t result = 0;
  for (int i = 0; i < 16; ++i) result |= uint64_t{((x >> (4 * i)) & 15) != 0} << i;
  return result;
}
uint64_t Replicate(uint32_t x) {
  uint64_t result = 0;
  for (int i = 0; i < 32; ++i) result |= (uint64_t{(x >> i) & 1} * 3) << (2 * i);
  return result;
}

constexpr int kModeRegister = 1;

void GetReg(Scalar& s) {
  const uint32_t imm = static_cast<uint32_t>(s.in.imm);
  const uint32_t id = imm & 63, offset = (imm >> 6) & 31, size = ((imm >> 11) & 31) + 1;
  uint32_t value;
  if (id == kModeRegister) {
    value = s.r.mode;
  } else if (id < 32 && ((s.r.hardware_known >> id) & 1)) {
    value = s.r.hardware[id];
  } else {
    s.error = "a hardware register that the emulator does not have";
    return;
  }
  s.Set(static_cast<uint32_t>((uint64_t{value} >> offset) & ((uint64_t{1} << size) - 1)));
}

void SetReg(Scalar& s) {
  const uint32_t imm = static_cast<uint32_t>(s.in.imm);
  const uint32_t id = imm & 63, offset = (imm >> 6) & 31, size = ((imm >> 11) & 31) + 1;
  if (id != kModeRegister) {
    s.error = "writing a hardware register other than MODE";
    return;
  }
  const uint32_t mask = static_cast<uint32_t>(((uint64_t{1} << size) - 1) << offset);
  s.r.mode = (s.r.mode & ~mask) | ((s.Source(0) << offset) & mask);
}

// s_cmp, and s_cmpk, whose second source is the immediate.
bool Compare(const Scalar& s, Op op) {
  const bool is_immediate = InfoOf(op).format == Format::kSopk;
  const uint32_t a = s.Source(0);
  const uint32_t b = is_immediate ? static_cast<uint32_t>(s.in.imm) : s.Source(1);
  const int32_t x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (op) {
    case Op::s_cmp_eq_i32:
    case Op::s_cmpk_eq_i32:
    case Op::s_cmp_eq_u32:
    case Op::s_cmpk_eq_u32: return a == b;
    case Op::s_cmp_lg_i32:
    case Op::s_cmpk_lg_i32:
    case Op::s_cmp_lg_u32:
    case Op::s_cmpk_lg_u32: return a != b;
    case Op::s_cmp_gt_i32:
    case Op::s_cmpk_gt_i32: return x > y;
    case Op::s_cmp_ge_i32:
    case Op::s_cmpk_ge_i32: return x >= y;
    case Op::s_cmp_lt_i32:
    case Op::s_cmpk_lt_i32: return x < y;
    case Op::s_cmp_le_i32:
    case Op::s_cmpk_le_i32: return x <= y;
    case Op::s_cmp_gt_u32:
    case Op::s_cmpk_gt_u32: return a > b;
    case Op::s_cmp_ge_u32:
    case Op::s_cmpk_ge_u32: return a >= b;
    case Op::s_cmp_lt_u32:
    case Op::s_cmpk_lt_u32: return a < b;
    case Op::s_cmp_le_u32:
    case Op::s_cmpk_le_u32: return a <= b;
    case Op::s_cmp_eq_u64: return s.Wide(0) == s.Wide(1);
    case Op::s_cmp_lg_u64: return s.Wide(0) != s.Wide(1);
    case Op::s_bitcmp0_b32: return !((a >> (b & 31)) & 1);
    case Op::s_bitcmp1_b32: return (a >> (b & 31)) & 1;
    case Op::s_bitcmp0_b64: return !((s.Wide(0) >> (b & 63)) & 1);
    default: return (s.Wide(0) >> (b & 63)) & 1;  // s_bitcmp1_b64
  }
}

// SOPK and program control.
void ExecuteControl(Scalar& s, Op op) {
  Registers& r = s.r;
  switch (op) {
    case Op::s_movk_i32: s.Set(static_cast<uint32_t>(s.in.imm)); break;
    case Op::s_cmovk_i32:
      if (r.scc) s.Set(static_cast<uint32_t>(s.in.imm));
      break;
    case Op::s_addk_i32: s.Overflow(int64_t{s.Signed(0)} + s.in.imm); break;
    case Op::s_mulk_i32: s.Set(s.Source(0) * static_cast<uint32_t>(s.in.imm)); break;
    case Op::s_getreg_b32: GetReg(s); break;
    case Op::s_setreg_b32:
    case Op::s_setreg_imm32_b32: SetReg(s); break;
    case Op::s_call_b64:
      s.SetWide(r.pc);
      s.Branch(true);
      break;
    case Op::s_getpc_b64: s.SetWide(r.pc); break;
    case Op::s_setpc_b64: r.pc = s.Wide(0); break;
    case Op::s_swappc_b64: {
      const uint64_t target = s.Wide(0);
      s.SetWide(r.pc);
      r.pc = target;
      break;
    }
    case Op::s_branch: s.Branch(true); break;
    case Op::s_cbranch_scc0: s.Branch(!r.scc); break;
    case Op::s_cbranch_scc1: s.Branch(r.scc); break;
    case Op::s_cbranch_vccz: s.Branch((r.sgpr[kVcc] | r.sgpr[kVcc + 1]) == 0); break;
    case Op::s_cbranch_vccnz: s.Branch((r.sgpr[kVcc] | r.sgpr[kVcc + 1]) != 0); break;
    case Op::s_cbranch_execz: s.Branch(r.exec() == 0); break;
    case Op::s_cbranch_execnz: s.Branch(r.exec() != 0); break;
    // M0[7:0] is the index, and M0[15:12] says which operands of vector instructions it is added
    // to.
    case Op::s_set_gpr_idx_off: r.mode &= ~kGprIndexMode; break;
    case Op::s_set_gpr_idx_mode:
      r.sgpr[kM0] = (r.sgpr[kM0] & ~0xf000u) | static_cast<uint32_t>(s.in.imm) << 12;
      break;
    case Op::s_trap: s.error = "the kernel stops itself with a trap"; break;
    default: s.error = "an instruction of another unit"; break;
  }
}

// s_movrels and s_movreld: the number of the source or destination is M0 more than the
// instruction's.
void MoveRelative(Scalar& s, Op op) {
  const bool wide = op == Op::s_movrels_b64 || op == Op::s_movreld_b64;
  const bool from = op == Op::s_movrels_b32 || op == Op::s_movrels_b64;
  Instruction moved = s.in;
  Operand& operand = from ? moved.src[0] : moved.dst[0];
  const uint64_t index = uint64_t{operand.index} + s.r.sgpr[kM0];
  if (operand.kind != Operand::kSgpr || index + wide > 101 || (wide && index % 2 != 0)) {
    s.error = "a relative move to or from a register that is not there";
    return;
  }
  operand.index = static_cast<uint16_t>(index);
  Scalar relative{moved, s.r};
  wide ? relative.SetWide(relative.Wide(0)) : relative.Set(relative.Source(0));
}

void ExecuteSop1(Scalar& s, Op op) {
  Registers& r = s.r;
  const uint64_t exec = r.exec();
  const auto source = [&] { return s.Source(0); };
  const auto wide = [&] { return s.Wide(0); };
  switch (op) {
    case Op::s_mov_b32: s.Set(source()); break;
    case Op::s_mov_b64: s.SetWide(wide()); break;
    case Op::s_movrels_b32:
    case Op::s_movrels_b64:
    case Op::s_movreld_b32:
    case Op::s_movreld_b64: MoveRelative(s, op); break;
    case Op::s_set_gpr_idx_idx: r.sgpr[kM0] = (r.sgpr[kM0] & ~0xffu) | (source() & 0xff); break;
    case Op::s_cmov_b32:
      if (r.scc) s.Set(source());
      break;
    case Op::s_cmov_b64:
      if (r.scc) s.SetWide(wide());
      break;
    case Op::s_not_b32: s.SetScc(~source()); break;
    case Op::s_not_b64: s.SetWideScc(~wide()); break;
    case Op::s_wqm_b32: s.SetScc(static_cast<uint32_t>(Wqm(source()))); break;
    case Op::s_wqm_b64: s.SetWideScc(Wqm(wide())); break;
    case Op::s_quadmask_b32: s.SetScc(static_cast<uint32_t>(Quadmask(source()))); break;
    case Op::s_quadmask_b64: s.SetWideScc(Quadmask(wide())); break;
    case Op::s_brev_b32: s.Set(Reverse(source())); break;
    case Op::s_brev_b64: s.SetWide(Reverse(wide())); break;
    case Op::s_bcnt0_i32_b32: s.SetScc(32 - std::popcount(source())); break;
    case Op::s_bcnt0_i32_b64: s.SetScc(64 - std::popcount(wide())); break;
    case Op::s_bcnt1_i32_b32: s.SetScc(std::popcount(source())); break;
    case Op::s_bcnt1_i32_b64: s.SetScc(std::popcount(wide())); break;
    case Op::s_ff0_i32_b32: s.Set(FirstBit(~source())); break;
    case Op::s_ff0_i32_b64: s.Set(FirstBit(~wide())); break;
    case Op::s_ff1_i32_b32: s.Set(FirstBit(source())); break;
    case Op::s_ff1_i32_b64: s.Set(FirstBit(wide())); break;
    case Op::s_flbit_i32_b32: s.Set(FirstFromTop(source())); break;
    case Op::s_flbit_i32_b64: s.Set(FirstFromTop(wide())); break;
    case Op::s_flbit_i32:
      s.Set(FirstFromTop(source() ^ static_cast<uint32_t>(s.Signed(0) >> 31)));
      break;
    case Op::s_flbit_i32_i64:
      s.Set(FirstFromTop(wide() ^ static_cast<uint64_t>(static_cast<int64_t>(wide()) >> 63)));
      break;
    case Op::s_sext_i32_i8: s.Set(static_cast<uint32_t>(static_cast<int8_t>(source()))); break;
    case Op::s_sext_i32_i16: s.Set(static_cast<uint32_t>(static_cast<int16_t>(source()))); break;
    case Op::s_bitset0_b32: s.Set(s.Source(1) & ~(1u << (source() & 31))); break;
    case Op::s_bitset0_b64: s.SetWide(s.Wide(1) & ~(uint64_t{1} << (source() & 63))); break;
    case Op::s_bitset1_b32: s.Set(s.Source(1) | (1u << (source() & 31))); break;
    case Op::s_bitset1_b64: s.SetWide(s.Wide(1) | (uint64_t{1} << (source() & 63))); break;
    case Op::s_and_saveexec_b64: s.SaveExec(wide() & exec); break;
    case Op::s_or_saveexec_b64: s.SaveExec(wide() | exec); break;
    case Op::s_xor_saveexec_b64: s.SaveExec(wide() ^ exec); break;
    case Op::s_andn2_saveexec_b64: s.SaveExec(wide() & ~exec); break;
    case Op::s_orn2_saveexec_b64: s.SaveExec(wide() | ~exec); break;
    case Op::s_nand_saveexec_b64: s.SaveExec(~(wide() & exec)); break;
    case Op::s_nor_saveexec_b64: s.SaveExec(~(wide() | exec)); break;
    case Op::s_xnor_saveexec_b64: s.SaveExec(~(wide() ^ exec)); break;
    case Op::s_andn1_saveexec_b64: s.SaveExec(~wide() & exec); break;
    case Op::s_orn1_saveexec_b64: s.SaveExec(~wide() | exec); break;
    case Op::s_andn1_wrexec_b64:
      s.SetExec(~wide() & exec);
      s.SetWide(r.exec());
      break;
    case Op::s_andn2_wrexec_b64:
      s.SetExec(wide() & ~exec);
      s.SetWide(r.exec());
      break;
    case Op::s_abs_i32: s.SetScc(s.Signed(0) < 0 ? 0 - source() : source()); break;
    case Op::s_bitreplicate_b64_b32: s.SetWide(Replicate(source())); break;
    default: ExecuteControl(s, op); break;
  }
}

void ExecuteSop2(Scalar& s, Op op) {
  Registers& r = s.r;
  const uint64_t a = s.Source(0), b = s.Source(1);
  const uint32_t a32 = s.Source(0), b32 = s.Source(1);
  const int32_t x = s.Signed(0), y = s.Signed(1);
  const auto wide0 = [&] { return s.Wide(0); };
  const auto wide1 = [&] { return s.Wide(1); };
  const auto choose = [&](bool first) {
    s.Set(first ? a32 : b32);
    r.scc = first;
  };
  switch (op) {
    case Op::s_add_u32: s.Carry(a + b); break;
    case Op::s_sub_u32: s.Carry(a - b); break;
    case Op::s_add_i32: s.Overflow(int64_t{x} + y); break;
    case Op::s_sub_i32: s.Overflow(int64_t{x} - y); break;
    case Op::s_addc_u32: s.Carry(a + b + r.scc); break;
    case Op::s_subb_u32: s.Carry(a - b - r.scc); break;
    case Op::s_min_i32: choose(x < y); break;
    case Op::s_min_u32: choose(a < b); break;
    case Op::s_max_i32: choose(x >= y); break;
    case Op::s_max_u32: choose(a >= b); break;
    case Op::s_cselect_b32: s.Set(r.scc ? a32 : b32); break;
    case Op::s_cselect_b64: s.SetWide(r.scc ? wide0() : wide1()); break;
    case Op::s_and_b32: s.SetScc(a32 & b32); break;
    case Op::s_and_b64: s.SetWideScc(wide0() & wide1()); break;
    case Op::s_or_b32: s.SetScc(a32 | b32); break;
    case Op::s_or_b64: s.SetWideScc(wide0() | wide1()); break;
    case Op::s_xor_b32: s.SetScc(a32 ^ b32); break;
    case Op::s_xor_b64: s.SetWideScc(wide0() ^ wide1()); break;
    case Op::s_andn2_b32: s.SetScc(a32 & ~b32); break;
    case Op::s_andn2_b64: s.SetWideScc(wide0() & ~wide1()); break;
    case Op::s_orn2_b32: s.SetScc(a32 | ~b32); break;
    case Op::s_orn2_b64: s.SetWideScc(wide0() | ~wide1()); break;
    case Op::s_nand_b32: s.SetScc(~(a32 & b32)); break;
    case Op::s_nand_b64: s.SetWideScc(~(wide0() & wide1())); break;
    case Op::s_nor_b32: s.SetScc(~(a32 | b32)); break;
    case Op::s_nor_b64: s.SetWideScc(~(wide0() | wide1())); break;
    case Op::s_xnor_b32: s.SetScc(~(a32 ^ b32)); break;
    case Op::s_xnor_b64: s.SetWideScc(~(wide0() ^ wide1())); break;
    case Op::s_lshl_b32: s.SetScc(a32 << (b & 31)); break;
    case Op::s_lshl_b64: s.SetWideScc(wide0() << (b & 63)); break;
    case Op::s_lshr_b32: s.SetScc(a32 >> (b & 31)); break;
    case Op::s_lshr_b64: s.SetWideScc(wide0() >> (b & 63)); break;
    case Op::s_ashr_i32: s.SetScc(static_cast<uint32_t>(x >> (b & 31))); break;
    case Op::s_ashr_i64:
      s.SetWideScc(static_cast<uint64_t>(static_cast<int64_t>(wide0()) >> (b & 63)));
      break;
    case Op::s_bfm_b32: s.Set(((1u << (a & 31)) - 1) << (b & 31)); break;
    case Op::s_bfm_b64: s.SetWide(((uint64_t{1} << (a & 63)) - 1) << (b & 63)); break;
    case Op::s_mul_i32: s.Set(a32 * b32); break;
    case Op::s_mul_hi_u32: s.Set(static_cast<uint32_t>((a * b) >> 32)); break;
    case Op::s_mul_hi_i32: s.Set(static_cast<uint32_t>((int64_t{x} * y) >> 32)); break;
    case Op::s_bfe_u32: s.SetScc(BitField(a32, b32, (b32 >> 16) & 127)); break;
    case Op::s_bfe_i32: s.SetScc(static_cast<uint32_t>(BitField(x, b32, (b32 >> 16) & 127))); break;
    case Op::s_bfe_u64: s.SetWideScc(BitField(wide0(), b32, (b32 >> 16) & 127)); break;
    case Op::s_bfe_i64:
      s.SetWideScc(
          static_cast<uint64_t>(BitField(static_cast<int64_t>(wide0()), b32, (b32 >> 16) & 127)));
      break;
    case Op::s_absdiff_i32: {
      const uint32_t difference = a32 - b32;
      s.SetScc(difference >> 31 ? 0 - difference : difference);
      break;
    }
    case Op::s_lshl1_add_u32: s.ShiftAdd((a << 1) + b); break;
    case Op::s_lshl2_add_u32: s.ShiftAdd((a << 2) + b); break;
    case Op::s_lshl3_add_u32: s.ShiftAdd((a << 3) + b); break;
    case Op::s_lshl4_add_u32: s.ShiftAdd((a << 4) + b); break;
    case Op::s_pack_ll_b32_b16: s.Set((b32 << 16) | (a32 & 0xffff)); break;
    case Op::s_pack_lh_b32_b16: s.Set((b32 & 0xffff0000u) | (a32 & 0xffff)); break;
    default: s.Set((b32 & 0xffff0000u) | (a32 >> 16)); break;  // s_pack_hh_b32_b16
  }
}

}  // namespace

void ExecuteScalar(const Instruction& in, Registers* r, const char** error) {
  Scalar s{in, *r};
  switch (InfoOf(in.op).format) {
    case Format::kSop1: ExecuteSop1(s, in.op); break;
    case Format::kSop2: ExecuteSop2(s, in.op); break;
    case Format::kSopc:
      if (in.op == Op::s_set_gpr_idx_on) {
        r->mode |= kGprIndexMode;
        r->sgpr[kM0] =
            (r->sgpr[kM0] & ~0xf0ffu) | (s.Source(0) & 0xff) | static_cast<uint32_t>(in.imm) << 12;
      } else {
        r->scc = Compare(s, in.op);
      }
      break;
    case Format::kSopk:
      if (in.op >= Op::s_cmpk_eq_i32 && in.op <= Op::s_cmpk_le_u32) {
        r->scc = Compare(s, in.op);
        break;
      }
      [[fallthrough]];
    default: ExecuteControl(s, in.op);
  }
  *error = s.error;
}

}  // namespace jaxgemm::emulator
