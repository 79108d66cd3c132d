// The matrix cores: v_mfma. D = A B + C for all 64 lanes, whatever EXEC is.
//
// Layouts (the manuals' chapter on matrix arithmetic, and AMD's matrix instruction calculator),
// with M = N = 16 or 32: a lane holds elements of row lane % M of A and of column lane % M of B,
// from k = (lane / M) * (elements per lane) on. In D and C a lane holds column lane % M. Register
// r holds row 4 * (lane / 16) + r of a 16 x 16 result, and row 8 * (r / 4) + 4 * (lane / 32) +
// r % 4 of a 32 x 32 result.
//
// An operand of f8f6f4 with 4 bits has this layout, too. With 8 bits, a lane of the hardware holds
// 16 elements along k, and 16 more after those of the other lanes of its row. If both operands have
// 8 bits and there are no scales, that changes only the order of summation, and the simpler layout
// above is used here; else the hardware's layout is used.
//
// Accumulators are float32 (int32). Products are added one by one in the order of k; each sum is
// rounded to nearest even and keeps denormals. Products of 8- and 16-bit floats are exact except
// at the ends of float32's range; float32 products are fused. The hardware has its own order.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__GNUC__) && !defined(__clang__)
// Only inlined functions return vectors, so their ABI does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#include "emulator/alu/matrix_elements.h"

namespace jaxgemm::emulator {
namespace {

// Unpacks the registers of A to [k][row], or those of B to [k][column]. A lane has kRun elements
// along k. Those of the other lanes of its row follow, then the lane's next kRun. 0: all elements
// of a lane follow one another.
template <class Element, int kM, int kK, int kRun = 0>
JAXGEMM_ALWAYS void Unpack(Row registers, float* out) {
  constexpr int kGroups = kLanes / kM, kPerLane = kK / kGroups, kInRun = kRun ? kRun : kPerLane;
  const auto put = [&](int element, int lane, const Floats& values) {
    const int k = (element / kInRun * kGroups + lane / kM) * kInRun + element % kInRun;
    std::memcpy(&out[k * kM + lane % kM], &values, sizeof values);
  };
  for (int lane = 0; lane < kLanes; lane += kVector) {
    if constexpr (Element::kPerWord == 0) {
      for (int element = 0; element < kPerLane; ++element) {
        const int word = 6 * element / 32, shift = 6 * element % 32;
        Bits code = LoadVector<Bits>(&registers[word][lane]) >> shift;
        if (shift > 26) code |= LoadVector<Bits>(&registers[word + 1][lane]) << (32 - shift);
        put(element, lane, Element::Get(code));
      }
    } else {
      for (int word = 0; word < kPerLane / Element::kPerWord; ++word) {
        const Bits bits = LoadVector<Bits>(&registers[word][lane]);
        for (int i = 0; i < Element::kPerWord; ++i) {
          put(word * Element::kPerWord + i, lane, Element::Get(bits, i));
        }
      }
    }
  }
}

template <int kM>
constexpr int RowOf(int reg, int group) {
  return kM == 16 ? 4 * group + reg : 8 * (reg / 4) + 4 * group + reg % 4;
}

template <bool kFused>
JAXGEMM_ALWAYS Floats Add(Floats sum, float x, Floats y) {
  if constexpr (kFused) {
    for (int j = 0; j < kVector; ++j) sum[j] = __builtin_fmaf(x, y[j], sum[j]);
    return sum;
  } else {
    return sum + x * y;
  }
}

// Computes four rows of the product at a time: four registers of one group of lanes. Their
// accumulators stay in host registers.
template <bool kFused, int kM, int kK>
JAXGEMM_ALWAYS void Multiply(const float* a, const float* b, uint32_t (*sums)[kLanes]) {
  for (int reg = 0; reg < kM * kM / kLanes; reg += 4) {
    for (int lane = 0; lane < kLanes; lane += 2 * kVector) {
      const int row = RowOf<kM>(reg, lane / kM), column = lane % kM;
      Floats sum[4][2];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
          sum[i][j] = LoadVector<Floats>(&sums[reg + i][lane + j * kVector]);
        }
      }
      for (int k = 0; k < kK; ++k) {
        const Floats right[2] = {LoadVector<Floats>(&b[k * kM + column]),
                                 LoadVector<Floats>(&b[k * kM + column + kVector])};
        for (int i = 0; i < 4; ++i) {
          const float left = a[k * kM + row + i];
          for (int j = 0; j < 2; ++j) sum[i][j] = Add<kFused>(sum[i][j], left, right[j]);
        }
      }
      for (int i = 0; i < 4; ++i) {
        std::memcpy(&sums[reg + i][lane], sum[i], sizeof sum[i]);
      }
    }
  }
}

constexpr int kBlock = 32;  // k that share a scale

// kRun in the hardware's layout of an element of f8f6f4.
template <class Element>
constexpr int kHardwareRun = Element::kPerWord == 4 ? kBlock / 2 : 0;

template <class ElementA, int kM, int kK, class ElementB = ElementA>
JAXGEMM_EMULATOR_AVX2 void MultiplyFloat(Row a, Row b, uint32_t (*sums)[kLanes]) {
  constexpr bool kAlike = ElementA::kPerWord == ElementB::kPerWord;
  alignas(64) float left[kK * kM], right[kK * kM];
  Unpack<ElementA, kM, kK, kAlike ? 0 : kHardwareRun<ElementA>>(a, left);
  Unpack<ElementB, kM, kK, kAlike ? 0 : kHardwareRun<ElementB>>(b, right);
  Multiply<false, kM, kK>(left, right, sums);
}

template <int kM, int kK>
JAXGEMM_EMULATOR_FMA void MultiplyF32(Row a, Row b, uint32_t (*sums)[kLanes]) {
  alignas(64) float left[kK * kM], right[kK * kM];
  Unpack<ElementF32, kM, kK>(a, left);
  Unpack<ElementF32, kM, kK>(b, right);
  Multiply<true, kM, kK>(left, right, sums);
}

// A dot product of int8 over at most 64 elements of k is below 2^24, so float sums are exact.
// They are added to C as integers, which wrap.
template <int kM, int kK>
JAXGEMM_EMULATOR_AVX2 void MultiplyI8(Row a, Row b, uint32_t (*sums)[kLanes]) {
  alignas(64) float left[kK * kM], right[kK * kM];
  Unpack<ElementI8, kM, kK>(a, left);
  Unpack<ElementI8, kM, kK>(b, right);
  constexpr int kRegisters = kM * kM / kLanes;
  alignas(64) uint32_t products[kRegisters][kLanes] = {};
  Multiply<false, kM, kK>(left, right, products);
  for (int reg = 0; reg < kRegisters; ++reg) {
    for (int lane = 0; lane < kLanes; ++lane) {
      sums[reg][lane] +=
          static_cast<uint32_t>(static_cast<int32_t>(std::bit_cast<float>(products[reg][lane])));
    }
  }
}

// Scales of 32 k, as exponents, of the rows of A or the columns of B: [block of k][row].
template <int kM>
using Exponents = int[kLanes / kM][kM];
constexpr int kNan = 1 << 16;

// A sum over each block of k is multiplied by its two scales and added. (How the hardware rounds is
// not documented.)
template <class ElementA, class ElementB, int kM, int kK>
JAXGEMM_EMULATOR_AVX2 void MultiplyScaled(Row a, Row b, const Exponents<kM>& of_a,
                                          const Exponents<kM>& of_b, uint32_t (*sums)[kLanes]) {
  alignas(64) float left[kK * kM], right[kK * kM];
  Unpack<ElementA, kM, kK, kHardwareRun<ElementA>>(a, left);
  Unpack<ElementB, kM, kK, kHardwareRun<ElementB>>(b, right);
  constexpr int kRegisters = kM * kM / kLanes;
  for (int block = 0; block < kK / kBlock; ++block) {
    alignas(64) uint32_t products[kRegisters][kLanes] = {};
    Multiply<false, kM, kBlock>(&left[block * kBlock * kM], &right[block * kBlock * kM], products);
    for (int reg = 0; reg < kRegisters; ++reg) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const int exponent = of_a[block][RowOf<kM>(reg, lane / kM)] + of_b[block][lane % kM];
        const double product = std::bit_cast<float>(products[reg][lane]);
        const float scaled = exponent >= kNan / 2
                                 ? std::numeric_limits<float>::quiet_NaN()
                                 : static_cast<float>(std::ldexp(product, exponent));
        sums[reg][lane] = std::bit_cast<uint32_t>(std::bit_cast<float>(sums[reg][lane]) + scaled);
      }
    }
  }
}

// ---- Operands.

template <int kM, class Multiplier>
void Run(Context& c, Multiplier multiply) {
  constexpr int kRegisters = kM * kM / kLanes;
  const Instruction& in = c.in;
  alignas(64) uint32_t sums[kRegisters][kLanes];
  const Operand& addend = in.src[2];
  if (addend.kind == Operand::kConstant) {
    for (auto& reg : sums) {
      for (uint32_t& lane : reg) lane = addend.constant;
    }
  } else {
    std::memcpy(sums, c.r.vgpr[addend.index], sizeof sums);
  }
  multiply(&c.r.vgpr[in.src[0].index], &c.r.vgpr[in.src[1].index], sums);
  std::memcpy(c.r.vgpr[in.dst[0].index], sums, sizeof sums);
}

// cbsz and abid broadcast blocks of A, and blgp permutes lanes of B (matrix_blocks.cc). For f8f6f4
// cbsz and blgp are formats.
template <int kM, auto kMultiply>
void Matrix(Context& c) {
  if (c.in.cbsz != 0 || c.in.abid != 0 || c.in.blgp != 0) return FindMatrixBlocks(c.in.op)(c);
  Run<kM>(c, kMultiply);
}

template <class A, class B, int kM, int kK>
void MatrixF8(Context& c) {
  if (c.arch == Arch::kGfx942) {
    Matrix<kM, MultiplyFloat<typename A::Fnuz, kM, kK, typename B::Fnuz>>(c);
  } else {
    Matrix<kM, MultiplyFloat<typename A::Ocp, kM, kK, typename B::Ocp>>(c);
  }
}

// Calls f with the types of an element of A and of B. cbsz and blgp are their formats: 0 is fp8, 1
// is bf8, 2 is fp6, 3 is bf6, 4 is fp4. The decoder refuses others.
template <class F>
void WithFormats(Context& c, F f) {
  auto with = [](int format, auto g) {
    switch (format) {
      case 0: return g(AnyFp8::Ocp{});
      case 1: return g(AnyBf8::Ocp{});
      case 2: return g(ElementFp6{});
      case 3: return g(ElementBf6{});
      default: return g(ElementFp4{});
    }
  };
  if (c.in.abid != 0) {
    c.error = "abid of a matrix instruction";
    return;
  }
  with(c.in.cbsz, [&](auto a) { with(c.in.blgp, [&](auto b) { f(a, b); }); });
}

template <int kM, int kK>
void MatrixF8F6F4(Context& c) {
  WithFormats(c, [&c]<class A, class B>(A, B) { Run<kM>(c, MultiplyFloat<A, kM, kK, B>); });
}

// The exponents of source `i`, in E8M0: a byte of each lane, chosen by op_sel. Lane l has the scale
// of row l % kM and of block l / kM of the 32 k (measured on an MI355X by AMD:
// test/mx_mfma_op/scale_mapping_16x16x128.txt of ROCm/composable_kernel).
template <int kM>
void ReadExponents(const Context& c, int i, Exponents<kM>* exponents) {
  const Operand& operand = c.in.src[3 + i];
  const int byte = (c.in.op_sel >> i & 1) | (c.in.op_sel_hi >> i & 1) << 1;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int code = static_cast<int>(c.r.vgpr[operand.index][lane] >> (8 * byte) & 0xff);
    (*exponents)[lane / kM][lane % kM] = code == 0xff ? kNan : code - 127;
  }
}

template <int kM, int kK>
void ScaledMatrixF8F6F4(Context& c) {
  Exponents<kM> of_a, of_b;
  ReadExponents<kM>(c, 0, &of_a);
  ReadExponents<kM>(c, 1, &of_b);
  WithFormats(c, [&]<class A, class B>(A, B) {
    Run<kM>(c, [&](Row a, Row b, uint32_t (*sums)[kLanes]) {
      MultiplyScaled<A, B, kM, kK>(a, b, of_a, of_b, sums);
    });
  });
}

}  // namespace

Executor FindMatrix(Op op) {
  switch (op) {
    case Op::v_mfma_f32_16x16x4f32:
    case Op::v_mfma_f32_16x16x4_f32: return Matrix<16, MultiplyF32<16, 4>>;
    case Op::v_mfma_f32_32x32x2f32:
    case Op::v_mfma_f32_32x32x2_f32: return Matrix<32, MultiplyF32<32, 2>>;
    case Op::v_mfma_f32_16x16x8_xf32: return Matrix<16, MultiplyFloat<ElementXf32, 16, 8>>;
    case Op::v_mfma_f32_32x32x4_xf32: return Matrix<32, MultiplyFloat<ElementXf32, 32, 4>>;
    case Op::v_mfma_f32_16x16x16f16:
    case Op::v_mfma_f32_16x16x16_f16: return Matrix<16, MultiplyFloat<ElementF16, 16, 16>>;
    case Op::v_mfma_f32_32x32x8f16:
    case Op::v_mfma_f32_32x32x8_f16: return Matrix<32, MultiplyFloat<ElementF16, 32, 8>>;
    case Op::v_mfma_f32_16x16x32_f16: return Matrix<16, MultiplyFloat<ElementF16, 16, 32>>;
    case Op::v_mfma_f32_32x32x16_f16: return Matrix<32, MultiplyFloat<ElementF16, 32, 16>>;
    case Op::v_mfma_f32_16x16x16bf16_1k:
    case Op::v_mfma_f32_16x16x16_bf16: return Matrix<16, MultiplyFloat<ElementBf16, 16, 16>>;
    case Op::v_mfma_f32_32x32x8bf16_1k:
    case Op::v_mfma_f32_32x32x8_bf16: return Matrix<32, MultiplyFloat<ElementBf16, 32, 8>>;
    case Op::v_mfma_f32_16x16x32_bf16: return Matrix<16, MultiplyFloat<ElementBf16, 16, 32>>;
    case Op::v_mfma_f32_32x32x16_bf16: return Matrix<32, MultiplyFloat<ElementBf16, 32, 16>>;
    case Op::v_mfma_i32_16x16x16i8: return Matrix<16, MultiplyI8<16, 16>>;
    case Op::v_mfma_i32_32x32x8i8: return Matrix<32, MultiplyI8<32, 8>>;
    case Op::v_mfma_i32_16x16x32_i8: return Matrix<16, MultiplyI8<16, 32>>;
    case Op::v_mfma_i32_32x32x16_i8: return Matrix<32, MultiplyI8<32, 16>>;
    case Op::v_mfma_i32_16x16x64_i8: return Matrix<16, MultiplyI8<16, 64>>;
    case Op::v_mfma_i32_32x32x32_i8: return Matrix<32, MultiplyI8<32, 32>>;
    case Op::v_mfma_f32_16x16x32_fp8_fp8: return MatrixF8<AnyFp8, AnyFp8, 16, 32>;
    case Op::v_mfma_f32_16x16x32_fp8_bf8: return MatrixF8<AnyFp8, AnyBf8, 16, 32>;
    case Op::v_mfma_f32_16x16x32_bf8_fp8: return MatrixF8<AnyBf8, AnyFp8, 16, 32>;
    case Op::v_mfma_f32_16x16x32_bf8_bf8: return MatrixF8<AnyBf8, AnyBf8, 16, 32>;
    case Op::v_mfma_f32_32x32x16_fp8_fp8: return MatrixF8<AnyFp8, AnyFp8, 32, 16>;
    case Op::v_mfma_f32_32x32x16_fp8_bf8: return MatrixF8<AnyFp8, AnyBf8, 32, 16>;
    case Op::v_mfma_f32_32x32x16_bf8_fp8: return MatrixF8<AnyBf8, AnyFp8, 32, 16>;
    case Op::v_mfma_f32_32x32x16_bf8_bf8: return MatrixF8<AnyBf8, AnyBf8, 32, 16>;
    case Op::v_mfma_f32_16x16x128_f8f6f4: return MatrixF8F6F4<16, 128>;
    case Op::v_mfma_f32_32x32x64_f8f6f4: return MatrixF8F6F4<32, 64>;
    case Op::v_mfma_scale_f32_16x16x128_f8f6f4: return ScaledMatrixF8F6F4<16, 128>;
    case Op::v_mfma_scale_f32_32x32x64_f8f6f4: return ScaledMatrixF8F6F4<32, 64>;
    default: return FindMatrixBlocks(op);
  }
}

}  // namespace jaxgemm::emulator
