#include <algorithm>
#include <bit>
#include <cmath>

#include "emulator/alu/formats.h"
#include "emulator/memory/units.h"

namespace jaxgemm::emulator {
namespace {

template <class U, class S>
U Integer(AtomicOp op, U old, U data, U compare) {
  switch (op) {
    case AtomicOp::kSwap: return data;
    case AtomicOp::kCompareSwap: return old == compare ? data : old;
    case AtomicOp::kAdd: return old + data;
    case AtomicOp::kSub: return old - data;
    case AtomicOp::kReverseSub: return data - old;
    case AtomicOp::kMaskedOr: return (old & ~compare) | data;
    case AtomicOp::kSMin: return std::min<S>(old, data);
    case AtomicOp::kUMin: return std::min(old, data);
    case AtomicOp::kSMax: return std::max<S>(old, data);
    case AtomicOp::kUMax: return std::max(old, data);
    case AtomicOp::kAnd: return old & data;
    case AtomicOp::kOr: return old | data;
    case AtomicOp::kXor: return old ^ data;
    case AtomicOp::kInc: return old >= data ? 0 : old + 1;
    case AtomicOp::kDec: return old == 0 || old > data ? data : old - 1;
    default: return old;
  }
}

// The sums of the two floats in each word.
template <class Format>
uint32_t AddHalves(uint32_t a, uint32_t b) {
  const auto add = [](uint32_t x, uint32_t y) {
    return Encode<Format>(Decode<Format>(x) + Decode<Format>(y));
  };
  return add(a & 0xffff, b & 0xffff) | add(a >> 16, b >> 16) << 16;
}

}  // namespace

uint64_t ApplyAtomic(AtomicOp op, int bytes, uint64_t old, uint64_t data, uint64_t compare) {
  auto f32 = [](uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); };
  auto f64 = [](uint64_t bits) { return std::bit_cast<double>(bits); };
  auto bits32 = [](float value) { return std::bit_cast<uint32_t>(value); };
  auto bits64 = [](double value) { return std::bit_cast<uint64_t>(value); };
  switch (op) {
    case AtomicOp::kAddF32: return bits32(f32(old) + f32(data));
    case AtomicOp::kMinF32: return bits32(std::fmin(f32(old), f32(data)));
    case AtomicOp::kMaxF32: return bits32(std::fmax(f32(old), f32(data)));
    case AtomicOp::kAddF64: return bits64(f64(old) + f64(data));
    case AtomicOp::kMinF64: return bits64(std::fmin(f64(old), f64(data)));
    case AtomicOp::kMaxF64: return bits64(std::fmax(f64(old), f64(data)));
    case AtomicOp::kCompareSwapF32: return f32(old) == f32(compare) ? data : old;
    case AtomicOp::kCompareSwapF64: return f64(old) == f64(compare) ? data : old;
    case AtomicOp::kPkAddF16: return AddHalves<Float16>(old, data);
    case AtomicOp::kPkAddBf16: return AddHalves<Bfloat16>(old, data);
    default: break;
  }
  return bytes == 4 ? Integer<uint32_t, int32_t>(op, old, data, compare)
                    : Integer<uint64_t, int64_t>(op, old, data, compare);
}

uint32_t ExtendElement(const MemoryOp& op, uint32_t element, uint32_t old) {
  uint32_t half = op.sign_d16 ? static_cast<uint16_t>(static_cast<int8_t>(element))
                              : static_cast<uint16_t>(element);
  switch (op.extend) {
    case Extend::kZero: return element;
    case Extend::kSign:
      return op.bytes == 1 ? static_cast<int32_t>(static_cast<int8_t>(element))
                           : static_cast<int32_t>(static_cast<int16_t>(element));
    case Extend::kLowHalf: return (old & 0xffff0000) | half;
    case Extend::kHighHalf: return (old & 0xffff) | half << 16;
  }
  return element;
}

}  // namespace jaxgemm::emulator
