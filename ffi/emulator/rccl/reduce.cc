#include "emulator/rccl/reduce.h"

#include <cstdint>
#include <cstring>

#include "emulator/alu/formats.h"

namespace jaxgemm::emulator {
namespace {

// Values of ncclDataType_t and ncclRedOp_t.
enum Type { kS8, kU8, kS32, kU32, kS64, kU64, kF16, kF32, kF64, kBF16, kNumTypes };
enum Op { kSum, kProduct, kMax, kMin, kAverage, kNumOps };
constexpr size_t kBytes[kNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

// A float of 16 bits.
template <class Format>
struct Small {
  uint16_t bits;

  Small() = default;
  explicit Small(double value) : bits(static_cast<uint16_t>(Encode<Format>(value))) {}
  explicit operator double() const { return Decode<Format>(bits); }
};

template <class T, class Wide>
void ReduceAs(const std::vector<const void*>& from, void* to, size_t count, int op) {
  for (size_t i = 0; i < count; ++i) {
    auto element = [&](size_t rank) {
      T value;
      std::memcpy(&value, static_cast<const char*>(from[rank]) + i * sizeof(T), sizeof(T));
      return static_cast<Wide>(value);
    };
    Wide result = element(0);
    for (size_t rank = 1; rank < from.size(); ++rank) {
      const Wide next = element(rank);
      switch (op) {
        case kProduct: result *= next; break;
        case kMax: result = result != result || result > next ? result : next; break;
        case kMin: result = result != result || result < next ? result : next; break;
        default: result += next;
      }
    }
    if (op == kAverage) result /= static_cast<Wide>(from.size());
    const T value = static_cast<T>(result);
    std::memcpy(static_cast<char*>(to) + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

size_t BytesOf(int type) {
  // Two types of float8 follow in NCCL. They can be moved, but not reduced.
  if (type == kNumTypes || type == kNumTypes + 1) return 1;
  return type >= 0 && type < kNumTypes ? kBytes[type] : 0;
}

bool CanReduce(int type, int op) {
  return type >= 0 && type < kNumTypes && op >= 0 && op < kNumOps;
}

void Reduce(const std::vector<const void*>& from, void* to, size_t count, int type, int op) {
  switch (type) {
    case kS8: return ReduceAs<int8_t, int64_t>(from, to, count, op);
    case kU8: return ReduceAs<uint8_t, uint64_t>(from, to, count, op);
    case kS32: return ReduceAs<int32_t, int64_t>(from, to, count, op);
    case kU32: return ReduceAs<uint32_t, uint64_t>(from, to, count, op);
    case kS64: return ReduceAs<int64_t, int64_t>(from, to, count, op);
    case kU64: return ReduceAs<uint64_t, uint64_t>(from, to, count, op);
    case kF16: return ReduceAs<Small<Float16>, double>(from, to, count, op);
    case kF32: return ReduceAs<float, double>(from, to, count, op);
    case kF64: return ReduceAs<double, double>(from, to, count, op);
    case kBF16: return ReduceAs<Small<Bfloat16>, double>(from, to, count, op);
  }
}

}  // namespace jaxgemm::emulator
