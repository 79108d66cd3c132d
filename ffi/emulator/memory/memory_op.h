// The description of a memory instruction, derived from its mnemonic. LDS, buffer, flat, global
// and scratch forms have the same kind of description.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

enum class Access : uint8_t {
  kNone,  // not a memory instruction
  kLoad,
  kStore,
  kAtomic,
  kTransposed,  // gfx950's ds_read_b64_tr_*
  kPermute,     // ds_permute_b32, ds_bpermute_b32, ds_swizzle_b32: lanes, not memory
  kScalarLoad,
  kScalarCache,   // s_dcache_inv, s_dcache_wb: no data
  kTime,          // s_memtime, s_memrealtime
  kInvalidate,    // buffer_inv, buffer_wbinvl1, buffer_wbinvl1_vol
  kInvalidateL2,  // buffer_invl2
  kWriteBack,     // buffer_wbl2
};

enum class AtomicOp : uint8_t {
  kSwap,
  kCompareSwap,
  kAdd,
  kSub,
  kReverseSub,  // data - old
  kSMin,
  kUMin,
  kSMax,
  kUMax,
  kAnd,
  kOr,
  kXor,
  kInc,
  kDec,
  kMaskedOr,  // (old & ~compare) | data
  kAddF32,
  kAddF64,
  kMinF32,
  kMaxF32,
  kMinF64,
  kMaxF64,
  kCompareSwapF32,
  kCompareSwapF64,
  kPkAddF16,
  kPkAddBf16,
};

// How a loaded element smaller than a dword fills its register.
enum class Extend : uint8_t { kZero, kSign, kLowHalf, kHighHalf };

struct MemoryOp {
  Access access = Access::kNone;
  uint8_t bytes = 0;   // size of one lane's access (of each, if there are two)
  uint8_t stride = 0;  // two-address LDS forms: the unit of offset and offset1, in elements
  Extend extend = Extend::kZero;
  bool sign_d16 = false;     // kLowHalf, kHighHalf: a byte is sign-extended to 16 bits
  bool high_half = false;    // stores of the high half (…_d16_hi)
  bool returns = false;      // LDS atomics named …_rtn
  bool to_lds = false;       // global_load_lds_*
  uint8_t element_bits = 0;  // kTransposed: size of an element
  AtomicOp atomic{};
};

// Describes the instruction. access is kNone if the mnemonic is no known memory instruction.
MemoryOp DescribeMemory(Format format, std::string_view mnemonic);

}  // namespace jaxgemm::emulator
