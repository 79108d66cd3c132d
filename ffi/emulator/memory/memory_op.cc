#include "emulator/memory/memory_op.h"

#include <string>

namespace jaxgemm::emulator {
namespace {

struct Named {
  std::string_view name;
  MemoryOp op;
};

constexpr MemoryOp Load(uint8_t bytes, Extend extend = Extend::kZero, bool sign_d16 = false) {
  return {.access = Access::kLoad, .bytes = bytes, .extend = extend, .sign_d16 = sign_d16};
}
constexpr MemoryOp ToLds(uint8_t bytes, Extend extend = Extend::kZero) {
  return {.access = Access::kLoad, .bytes = bytes, .extend = extend, .to_lds = true};
}
constexpr MemoryOp Store(uint8_t bytes, bool high_half = false) {
  return {.access = Access::kStore, .bytes = bytes, .high_half = high_half};
}
constexpr MemoryOp Two(Access access, uint8_t bytes, uint8_t stride) {
  return {.access = access, .bytes = bytes, .stride = stride};
}
constexpr MemoryOp Transposed(uint8_t bytes, uint8_t bits) {
  return {.access = Access::kTransposed, .bytes = bytes, .element_bits = bits};
}
constexpr MemoryOp Atomic(AtomicOp op, uint8_t bytes) {
  return {.access = Access::kAtomic, .bytes = bytes, .atomic = op};
}
constexpr MemoryOp Other(Access access, uint8_t bytes = 0) {
  return {.access = access, .bytes = bytes};
}

// Names after the prefix "buffer_", "global_", "flat_" or "scratch_".
constexpr Named kVectorMemory[] = {
    {"load_ubyte", Load(1)},
    {"load_sbyte", Load(1, Extend::kSign)},
    {"load_ushort", Load(2)},
    {"load_sshort", Load(2, Extend::kSign)},
    {"load_ubyte_d16", Load(1, Extend::kLowHalf)},
    {"load_ubyte_d16_hi", Load(1, Extend::kHighHalf)},
    {"load_sbyte_d16", Load(1, Extend::kLowHalf, true)},
    {"load_sbyte_d16_hi", Load(1, Extend::kHighHalf, true)},
    {"load_short_d16", Load(2, Extend::kLowHalf)},
    {"load_short_d16_hi", Load(2, Extend::kHighHalf)},
    {"load_dword", Load(4)},
    {"load_dwordx2", Load(8)},
    {"load_dwordx3", Load(12)},
    {"load_dwordx4", Load(16)},
    {"load_lds_ubyte", ToLds(1)},
    {"load_lds_sbyte", ToLds(1, Extend::kSign)},
    {"load_lds_ushort", ToLds(2)},
    {"load_lds_sshort", ToLds(2, Extend::kSign)},
    {"load_lds_dword", ToLds(4)},
    {"load_lds_dwordx3", ToLds(12)},
    {"load_lds_dwordx4", ToLds(16)},
    {"store_byte", Store(1)},
    {"store_byte_d16_hi", Store(1, true)},
    {"store_short", Store(2)},
    {"store_short_d16_hi", Store(2, true)},
    {"store_dword", Store(4)},
    {"store_dwordx2", Store(8)},
    {"store_dwordx3", Store(12)},
    {"store_dwordx4", Store(16)},
    {"atomic_swap", Atomic(AtomicOp::kSwap, 4)},
    {"atomic_cmpswap", Atomic(AtomicOp::kCompareSwap, 4)},
    {"atomic_add", Atomic(AtomicOp::kAdd, 4)},
    {"atomic_sub", Atomic(AtomicOp::kSub, 4)},
    {"atomic_smin", Atomic(AtomicOp::kSMin, 4)},
    {"atomic_umin", Atomic(AtomicOp::kUMin, 4)},
    {"atomic_smax", Atomic(AtomicOp::kSMax, 4)},
    {"atomic_umax", Atomic(AtomicOp::kUMax, 4)},
    {"atomic_and", Atomic(AtomicOp::kAnd, 4)},
    {"atomic_or", Atomic(AtomicOp::kOr, 4)},
    {"atomic_xor", Atomic(AtomicOp::kXor, 4)},
    {"atomic_inc", Atomic(AtomicOp::kInc, 4)},
    {"atomic_dec", Atomic(AtomicOp::kDec, 4)},
    {"atomic_add_f32", Atomic(AtomicOp::kAddF32, 4)},
    {"atomic_pk_add_f16", Atomic(AtomicOp::kPkAddF16, 4)},
    {"atomic_pk_add_bf16", Atomic(AtomicOp::kPkAddBf16, 4)},
    {"atomic_swap_x2", Atomic(AtomicOp::kSwap, 8)},
    {"atomic_cmpswap_x2", Atomic(AtomicOp::kCompareSwap, 8)},
    {"atomic_add_x2", Atomic(AtomicOp::kAdd, 8)},
    {"atomic_sub_x2", Atomic(AtomicOp::kSub, 8)},
    {"atomic_smin_x2", Atomic(AtomicOp::kSMin, 8)},
    {"atomic_umin_x2", Atomic(AtomicOp::kUMin, 8)},
    {"atomic_smax_x2", Atomic(AtomicOp::kSMax, 8)},
    {"atomic_umax_x2", Atomic(AtomicOp::kUMax, 8)},
    {"atomic_and_x2", Atomic(AtomicOp::kAnd, 8)},
    {"atomic_or_x2", Atomic(AtomicOp::kOr, 8)},
    {"atomic_xor_x2", Atomic(AtomicOp::kXor, 8)},
    {"atomic_inc_x2", Atomic(AtomicOp::kInc, 8)},
    {"atomic_dec_x2", Atomic(AtomicOp::kDec, 8)},
    {"atomic_add_f64", Atomic(AtomicOp::kAddF64, 8)},
    {"atomic_min_f64", Atomic(AtomicOp::kMinF64, 8)},
    {"atomic_max_f64", Atomic(AtomicOp::kMaxF64, 8)},
    {"inv", Other(Access::kInvalidate)},
    {"wbl2", Other(Access::kWriteBack)},
    {"invl2", Other(Access::kInvalidateL2)},
    {"wbinvl1", Other(Access::kInvalidate)},
    {"wbinvl1_vol", Other(Access::kInvalidate)},
};

// Names after the prefix "ds_".
constexpr Named kLds[] = {
    {"read_u8", Load(1)},
    {"read_i8", Load(1, Extend::kSign)},
    {"read_u16", Load(2)},
    {"read_i16", Load(2, Extend::kSign)},
    {"read_u8_d16", Load(1, Extend::kLowHalf)},
    {"read_u8_d16_hi", Load(1, Extend::kHighHalf)},
    {"read_i8_d16", Load(1, Extend::kLowHalf, true)},
    {"read_i8_d16_hi", Load(1, Extend::kHighHalf, true)},
    {"read_u16_d16", Load(2, Extend::kLowHalf)},
    {"read_u16_d16_hi", Load(2, Extend::kHighHalf)},
    {"read_b32", Load(4)},
    {"read_b64", Load(8)},
    {"read_b96", Load(12)},
    {"read_b128", Load(16)},
    {"read2_b32", Two(Access::kLoad, 4, 1)},
    {"read2_b64", Two(Access::kLoad, 8, 1)},
    {"read2st64_b32", Two(Access::kLoad, 4, 64)},
    {"read2st64_b64", Two(Access::kLoad, 8, 64)},
    {"read_b64_tr_b16", Transposed(8, 16)},
    {"read_b64_tr_b8", Transposed(8, 8)},
    {"read_b64_tr_b4", Transposed(8, 4)},
    {"write_b8", Store(1)},
    {"write_b8_d16_hi", Store(1, true)},
    {"write_b16", Store(2)},
    {"write_b16_d16_hi", Store(2, true)},
    {"write_b32", Store(4)},
    {"write_b64", Store(8)},
    {"write_b96", Store(12)},
    {"write_b128", Store(16)},
    {"write2_b32", Two(Access::kStore, 4, 1)},
    {"write2_b64", Two(Access::kStore, 8, 1)},
    {"write2st64_b32", Two(Access::kStore, 4, 64)},
    {"write2st64_b64", Two(Access::kStore, 8, 64)},
    {"permute_b32", Other(Access::kPermute, 4)},
    {"bpermute_b32", Other(Access::kPermute, 4)},
    {"swizzle_b32", Other(Access::kPermute, 4)},
    {"wrxchg_rtn_b32", Atomic(AtomicOp::kSwap, 4)},
    {"wrxchg_rtn_b64", Atomic(AtomicOp::kSwap, 8)},
    {"cmpst_b32", Atomic(AtomicOp::kCompareSwap, 4)},
    {"cmpst_b64", Atomic(AtomicOp::kCompareSwap, 8)},
    {"add_u32", Atomic(AtomicOp::kAdd, 4)},
    {"sub_u32", Atomic(AtomicOp::kSub, 4)},
    {"inc_u32", Atomic(AtomicOp::kInc, 4)},
    {"dec_u32", Atomic(AtomicOp::kDec, 4)},
    {"min_i32", Atomic(AtomicOp::kSMin, 4)},
    {"max_i32", Atomic(AtomicOp::kSMax, 4)},
    {"min_u32", Atomic(AtomicOp::kUMin, 4)},
    {"max_u32", Atomic(AtomicOp::kUMax, 4)},
    {"and_b32", Atomic(AtomicOp::kAnd, 4)},
    {"or_b32", Atomic(AtomicOp::kOr, 4)},
    {"xor_b32", Atomic(AtomicOp::kXor, 4)},
    {"add_u64", Atomic(AtomicOp::kAdd, 8)},
    {"rsub_u32", Atomic(AtomicOp::kReverseSub, 4)},
    {"rsub_u64", Atomic(AtomicOp::kReverseSub, 8)},
    {"sub_u64", Atomic(AtomicOp::kSub, 8)},
    {"inc_u64", Atomic(AtomicOp::kInc, 8)},
    {"dec_u64", Atomic(AtomicOp::kDec, 8)},
    {"min_i64", Atomic(AtomicOp::kSMin, 8)},
    {"max_i64", Atomic(AtomicOp::kSMax, 8)},
    {"min_u64", Atomic(AtomicOp::kUMin, 8)},
    {"max_u64", Atomic(AtomicOp::kUMax, 8)},
    {"and_b64", Atomic(AtomicOp::kAnd, 8)},
    {"or_b64", Atomic(AtomicOp::kOr, 8)},
    {"xor_b64", Atomic(AtomicOp::kXor, 8)},
    {"mskor_b64", Atomic(AtomicOp::kMaskedOr, 8)},
    {"cmpst_f64", Atomic(AtomicOp::kCompareSwapF64, 8)},
    {"min_f64", Atomic(AtomicOp::kMinF64, 8)},
    {"max_f64", Atomic(AtomicOp::kMaxF64, 8)},
    {"mskor_b32", Atomic(AtomicOp::kMaskedOr, 4)},
    {"cmpst_f32", Atomic(AtomicOp::kCompareSwapF32, 4)},
    {"add_f32", Atomic(AtomicOp::kAddF32, 4)},
    {"min_f32", Atomic(AtomicOp::kMinF32, 4)},
    {"max_f32", Atomic(AtomicOp::kMaxF32, 4)},
    {"add_f64", Atomic(AtomicOp::kAddF64, 8)},
    {"pk_add_f16", Atomic(AtomicOp::kPkAddF16, 4)},
    {"pk_add_bf16", Atomic(AtomicOp::kPkAddBf16, 4)},
};

constexpr Named kScalar[] = {
    {"s_load_dword", Other(Access::kScalarLoad, 4)},
    {"s_load_dwordx2", Other(Access::kScalarLoad, 8)},
    {"s_load_dwordx4", Other(Access::kScalarLoad, 16)},
    {"s_load_dwordx8", Other(Access::kScalarLoad, 32)},
    {"s_load_dwordx16", Other(Access::kScalarLoad, 64)},
    {"s_buffer_load_dword", Other(Access::kScalarLoad, 4)},
    {"s_buffer_load_dwordx2", Other(Access::kScalarLoad, 8)},
    {"s_buffer_load_dwordx4", Other(Access::kScalarLoad, 16)},
    {"s_buffer_load_dwordx8", Other(Access::kScalarLoad, 32)},
    {"s_buffer_load_dwordx16", Other(Access::kScalarLoad, 64)},
    {"s_dcache_inv", Other(Access::kScalarCache)},
    {"s_dcache_wb", Other(Access::kScalarCache)},
    {"s_dcache_inv_vol", Other(Access::kScalarCache)},
    {"s_dcache_wb_vol", Other(Access::kScalarCache)},
    {"s_memtime", Other(Access::kTime, 8)},
    {"s_memrealtime", Other(Access::kTime, 8)},
};

template <size_t size>
MemoryOp Find(const Named (&table)[size], std::string_view name) {
  for (const Named& entry : table) {
    if (entry.name == name) return entry.op;
  }
  return {};
}

}  // namespace

MemoryOp DescribeMemory(Format format, std::string_view mnemonic) {
  switch (format) {
    case Format::kSmem: return Find(kScalar, mnemonic);
    case Format::kMubuf:
    case Format::kFlat:
    case Format::kGlobal:
    case Format::kScratch: return Find(kVectorMemory, mnemonic.substr(mnemonic.find('_') + 1));
    case Format::kDs: {
      std::string_view name = mnemonic.substr(3);
      MemoryOp op = Find(kLds, name);
      if (op.access != Access::kNone) {
        op.returns = name.starts_with("wrxchg_rtn");
        return op;
      }
      // ds_add_rtn_u32 is ds_add_u32 with the old value returned.
      size_t rtn = name.find("_rtn");
      if (rtn == name.npos) return {};
      std::string plain(name.substr(0, rtn));
      op = Find(kLds, plain.append(name.substr(rtn + 4)));
      op.returns = true;
      return op;
    }
    default: return {};
  }
}

}  // namespace jaxgemm::emulator
