// Matrix instructions in full: of several blocks, of float64, of a sparse A, and with cbsz, abid
// and blgp. D = A B + C for each of B blocks, for all 64 lanes, whatever EXEC is. matrix.cc is
// faster, for the instructions of one block without modifiers.
//
// Layouts (the manuals' chapter on matrix arithmetic, and AMD's matrix instruction calculator). A
// lane holds P = M * K * blocks / 64 elements of A, and as many of B. Element e of row i of A, or
// of column i of B, for k = P * g + e is in lane i + M * (block + blocks * g). In D and C a
// register has rows of M lanes; H = 4 rows of a matrix (1 in float64) are in H registers of a lane,
// the next H rows in the next lanes, for each block that shares these registers.
//
// cbsz and abid: of each 2^cbsz blocks, all multiply block `abid` of A. blgp: the lanes of B that
// are read (or in float64 on gfx942 and gfx950, whether A, B and C are negated).
//
// Sparse (v_smfmac): of each four k of A, two are stored. Two bits for each of them say which; they
// are in the third source. cbsz = 0: `abid` selects the part of that register.
//
// Sums are those of matrix.cc: products are added one by one in the order of k.
#include <cmath>
#include <type_traits>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#include "emulator/alu/matrix_elements.h"

namespace jaxgemm::emulator {
namespace {

struct ElementF64 {};

// The lane of B that lane `lane` reads.
int LaneOfB(int lane, int blgp) {
  switch (blgp) {
    case 0: return lane;
    case 1: return lane % 32;
    case 2: return lane % 32 + 32;
    case 3: return (lane + 16) % 64;
    default: return lane % 16 + 16 * (blgp - 4);
  }
}

// `count` elements of each lane, as numbers: [element][lane].
template <class Element, class Number>
JAXGEMM_ALWAYS void ReadElements(Row registers, int count, Number (*out)[kLanes]) {
  if constexpr (std::is_same_v<Element, ElementF64>) {
    for (int e = 0; e < count; ++e) {
      for (int lane = 0; lane < kLanes; ++lane) {
        out[e][lane] = F64::Get(registers[2 * e][lane], registers[2 * e + 1][lane]);
      }
    }
  } else {
    for (int e = 0; e < count; ++e) {
      for (int lane = 0; lane < kLanes; lane += kVector) {
        const Bits bits = LoadVector<Bits>(&registers[e / Element::kPerWord][lane]);
        const Floats values = Element::Get(bits, e % Element::kPerWord);
        std::memcpy(&out[e][lane], &values, sizeof values);
      }
    }
  }
}

// sum + x * y, lane by lane: fused for float32 and float64.
template <class Element, int kCount, class Number, class Sum>
JAXGEMM_ALWAYS void AddProducts(Number x, const Number* y, Sum* sum) {
  for (int j = 0; j < kCount; ++j) {
    if constexpr (std::is_same_v<Sum, uint32_t>) {
      sum[j] += static_cast<uint32_t>(static_cast<int32_t>(x * y[j]));
    } else if constexpr (std::is_same_v<Element, ElementF64>) {
      sum[j] = __builtin_fma(x, y[j], sum[j]);
    } else if constexpr (std::is_same_v<Element, ElementF32>) {
      sum[j] = __builtin_fmaf(x, y[j], sum[j]);
    } else {
      sum[j] = sum[j] + x * y[j];
    }
  }
}

template <class Sum, int kM, int kBlocks>
struct Sums {
  Sum at[kBlocks][kM][kM];

  // Calls f(sum, register, lane) for all sums.
  template <class F>
  void ForEach(F f) {
    constexpr int kHeight = sizeof(Sum) == 8 ? 1 : 4, kRows = kLanes / kM;
    constexpr int kInRegister = kHeight * kLanes > kM * kM ? kHeight * kLanes / (kM * kM) : 1;
    for (int b = 0; b < kBlocks; ++b) {
      for (int i = 0; i < kM; ++i) {
        const int reg = b * (kM * kM / kLanes) + i / (kHeight * kRows) * kHeight + i % kHeight;
        const int lane = (b % kInRegister + i / kHeight % kRows * kInRegister) * kM;
        for (int j = 0; j < kM; ++j) f(at[b][i][j], reg, lane + j);
      }
    }
  }
};

bool NegatesByBlgp(const Context& c) { return c.arch != Arch::kGfx90a; }

template <class ElementA, class ElementB, class Sum, int kM, int kK, int kBlocks, bool kSparse>
JAXGEMM_EMULATOR_FMA void Multiply(const Context& c, Sums<Sum, kM, kBlocks>* sums) {
  using Number = std::conditional_t<std::is_same_v<Sum, double>, double, float>;
  constexpr int kPerLane = kM * kK * kBlocks / kLanes, kStored = kSparse ? kPerLane / 2 : kPerLane;
  constexpr bool kIsF64 = std::is_same_v<Sum, double>;
  const Instruction& in = c.in;
  alignas(64) Number a[kStored][kLanes], all_b[kPerLane][kLanes], b[kPerLane][kLanes];
  ReadElements<ElementA>(&c.r.vgpr[in.src[0].index], kStored, a);
  ReadElements<ElementB>(&c.r.vgpr[in.src[1].index], kPerLane, all_b);
  const bool negates = kIsF64 && NegatesByBlgp(c);
  for (int e = 0; e < kPerLane; ++e) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const Number value = all_b[e][negates ? lane : LaneOfB(lane, in.blgp)];
      b[e][lane] = negates && (in.blgp & 2) ? -value : value;
    }
  }
  for (int block = 0; block < kBlocks; ++block) {
    const int of_a = kSparse ? 0 : (block >> in.cbsz << in.cbsz) + in.abid;
    for (int i = 0; i < kM; ++i) {
      for (int group = 0; group < kLanes / (kM * kBlocks); ++group) {
        const int lane = i + kM * (of_a + kBlocks * group);
        for (int e = 0; e < kStored; ++e) {
          int of_b = e;
          if constexpr (kSparse) {
            const uint32_t index = c.r.vgpr[in.src[2].index][lane];
            const int shift = 2 * (e + (in.cbsz == 0 ? in.abid * kStored : 0));
            of_b = e / 2 * 4 + static_cast<int>(index >> shift & 3);
          }
          const Number x = negates && (in.blgp & 1) ? -a[e][lane] : a[e][lane];
          AddProducts<ElementA, kM>(x, &b[of_b][kM * (block + kBlocks * group)],
                                    sums->at[block][i]);
        }
      }
    }
  }
}

// What AMD's calculator says of the modifiers: cbsz and abid are for several blocks, or the parts
// of a sparse instruction's register; blgp is for several blocks and float32, on gfx90a for all.
template <class Element, class Sum, int kPerLane, int kBlocks, bool kSparse>
const char* CheckModifiers(const Context& c) {
  const Instruction& in = c.in;
  if (kSparse) {
    if (in.blgp != 0) return "blgp of a sparse matrix instruction";
    const bool inside = in.cbsz != 0 || 2 * (in.abid + 1) * (kPerLane / 2) <= 32;
    return inside ? nullptr : "abid past the register of a sparse matrix instruction";
  }
  const bool has_blocks = kBlocks > 1 && !std::is_same_v<Sum, double>;
  if (!has_blocks && (in.cbsz != 0 || in.abid != 0)) {
    return "cbsz or abid of a matrix instruction that has no blocks to broadcast";
  }
  if ((1 << in.cbsz) > kBlocks || in.abid >= 1 << in.cbsz) {
    return "cbsz or abid beyond the blocks of a matrix instruction";
  }
  if (std::is_same_v<Sum, double>) {
    return in.blgp != 0 && c.arch == Arch::kGfx90a ? "blgp of a float64 matrix instruction"
                                                   : nullptr;
  }
  const bool permutes =
      c.arch == Arch::kGfx90a || kBlocks > 1 || std::is_same_v<Element, ElementF32>;
  return in.blgp != 0 && !permutes ? "blgp of a matrix instruction that does not have it" : nullptr;
}

template <class ElementA, class Sum, int kM, int kK, int kBlocks = 1, bool kSparse = false,
          class ElementB = ElementA>
void Blocks(Context& c) {
  c.error = CheckModifiers<ElementA, Sum, kM * kK * kBlocks / kLanes, kBlocks, kSparse>(c);
  if (c.error != nullptr) return;
  const Instruction& in = c.in;
  const Operand& addend = kSparse ? in.dst[0] : in.src[2];
  static thread_local Sums<Sum, kM, kBlocks> sums;
  const bool negates = std::is_same_v<Sum, double> && NegatesByBlgp(c) && (in.blgp & 4);
  sums.ForEach([&](Sum& sum, int reg, int lane) {
    constexpr int kWords = sizeof(Sum) / 4;
    const bool constant = addend.kind == Operand::kConstant;
    const uint32_t* words = &c.r.vgpr[constant ? 0 : addend.index + kWords * reg][lane];
    const uint32_t low = constant ? addend.constant : words[0];
    if constexpr (kWords == 2) {
      sum = F64::Get(low, constant ? addend.constant_high : words[kLanes]);
      if (negates) sum = -sum;
    } else {
      sum = std::bit_cast<Sum>(low);
    }
  });
  Multiply<ElementA, ElementB, Sum, kM, kK, kBlocks, kSparse>(c, &sums);
  sums.ForEach([&](Sum& sum, int reg, int lane) {
    if constexpr (sizeof(Sum) == 8) {
      uint32_t* words = &c.r.vgpr[in.dst[0].index + 2 * reg][lane];
      F64::Put(sum, words[0], words[kLanes]);
    } else {
      c.r.vgpr[in.dst[0].index + reg][lane] = std::bit_cast<uint32_t>(sum);
    }
  });
}

// gfx942 has the FNUZ formats, gfx950 the OCP formats.
template <class A, class B, int kM, int kK, bool kSparse = false>
void Float8(Context& c) {
  if (c.arch == Arch::kGfx942) {
    Blocks<typename A::Fnuz, float, kM, kK, 1, kSparse, typename B::Fnuz>(c);
  } else {
    Blocks<typename A::Ocp, float, kM, kK, 1, kSparse, typename B::Ocp>(c);
  }
}

}  // namespace

Executor FindMatrixBlocks(Op op) {
  switch (op) {
    // Float32, XF32, float64.
    case Op::v_mfma_f32_32x32x1f32:
    case Op::v_mfma_f32_32x32x1_2b_f32: return Blocks<ElementF32, float, 32, 1, 2>;
    case Op::v_mfma_f32_16x16x1f32:
    case Op::v_mfma_f32_16x16x1_4b_f32: return Blocks<ElementF32, float, 16, 1, 4>;
    case Op::v_mfma_f32_4x4x1f32:
    case Op::v_mfma_f32_4x4x1_16b_f32: return Blocks<ElementF32, float, 4, 1, 16>;
    case Op::v_mfma_f32_16x16x4f32:
    case Op::v_mfma_f32_16x16x4_f32: return Blocks<ElementF32, float, 16, 4>;
    case Op::v_mfma_f32_32x32x2f32:
    case Op::v_mfma_f32_32x32x2_f32: return Blocks<ElementF32, float, 32, 2>;
    case Op::v_mfma_f32_16x16x8_xf32: return Blocks<ElementXf32, float, 16, 8>;
    case Op::v_mfma_f32_32x32x4_xf32: return Blocks<ElementXf32, float, 32, 4>;
    case Op::v_mfma_f64_16x16x4f64:
    case Op::v_mfma_f64_16x16x4_f64: return Blocks<ElementF64, double, 16, 4>;
    case Op::v_mfma_f64_4x4x4f64:
    case Op::v_mfma_f64_4x4x4_4b_f64: return Blocks<ElementF64, double, 4, 4, 4>;

    // Float16 and bfloat16.
    case Op::v_mfma_f32_32x32x4f16:
    case Op::v_mfma_f32_32x32x4_2b_f16: return Blocks<ElementF16, float, 32, 4, 2>;
    case Op::v_mfma_f32_16x16x4f16:
    case Op::v_mfma_f32_16x16x4_4b_f16: return Blocks<ElementF16, float, 16, 4, 4>;
    case Op::v_mfma_f32_4x4x4f16:
    case Op::v_mfma_f32_4x4x4_16b_f16: return Blocks<ElementF16, float, 4, 4, 16>;
    case Op::v_mfma_f32_16x16x16f16:
    case Op::v_mfma_f32_16x16x16_f16: return Blocks<ElementF16, float, 16, 16>;
    case Op::v_mfma_f32_32x32x8f16:
    case Op::v_mfma_f32_32x32x8_f16: return Blocks<ElementF16, float, 32, 8>;
    case Op::v_mfma_f32_16x16x32_f16: return Blocks<ElementF16, float, 16, 32>;
    case Op::v_mfma_f32_32x32x16_f16: return Blocks<ElementF16, float, 32, 16>;
    case Op::v_mfma_f32_32x32x2bf16: return Blocks<ElementBf16, float, 32, 2, 2>;
    case Op::v_mfma_f32_16x16x2bf16: return Blocks<ElementBf16, float, 16, 2, 4>;
    case Op::v_mfma_f32_4x4x2bf16: return Blocks<ElementBf16, float, 4, 2, 16>;
    case Op::v_mfma_f32_32x32x4bf16: return Blocks<ElementBf16, float, 32, 4>;
    case Op::v_mfma_f32_16x16x8bf16: return Blocks<ElementBf16, float, 16, 8>;
    case Op::v_mfma_f32_32x32x4bf16_1k:
    case Op::v_mfma_f32_32x32x4_2b_bf16: return Blocks<ElementBf16, float, 32, 4, 2>;
    case Op::v_mfma_f32_16x16x4bf16_1k:
    case Op::v_mfma_f32_16x16x4_4b_bf16: return Blocks<ElementBf16, float, 16, 4, 4>;
    case Op::v_mfma_f32_4x4x4bf16_1k:
    case Op::v_mfma_f32_4x4x4_16b_bf16: return Blocks<ElementBf16, float, 4, 4, 16>;
    case Op::v_mfma_f32_16x16x16bf16_1k:
    case Op::v_mfma_f32_16x16x16_bf16: return Blocks<ElementBf16, float, 16, 16>;
    case Op::v_mfma_f32_32x32x8bf16_1k:
    case Op::v_mfma_f32_32x32x8_bf16: return Blocks<ElementBf16, float, 32, 8>;
    case Op::v_mfma_f32_16x16x32_bf16: return Blocks<ElementBf16, float, 16, 32>;
    case Op::v_mfma_f32_32x32x16_bf16: return Blocks<ElementBf16, float, 32, 16>;

    // Int8.
    case Op::v_mfma_i32_32x32x4i8:
    case Op::v_mfma_i32_32x32x4_2b_i8: return Blocks<ElementI8, uint32_t, 32, 4, 2>;
    case Op::v_mfma_i32_16x16x4i8:
    case Op::v_mfma_i32_16x16x4_4b_i8: return Blocks<ElementI8, uint32_t, 16, 4, 4>;
    case Op::v_mfma_i32_4x4x4i8:
    case Op::v_mfma_i32_4x4x4_16b_i8: return Blocks<ElementI8, uint32_t, 4, 4, 16>;
    case Op::v_mfma_i32_16x16x16i8: return Blocks<ElementI8, uint32_t, 16, 16>;
    case Op::v_mfma_i32_32x32x8i8: return Blocks<ElementI8, uint32_t, 32, 8>;
    case Op::v_mfma_i32_16x16x32_i8: return Blocks<ElementI8, uint32_t, 16, 32>;
    case Op::v_mfma_i32_32x32x16_i8: return Blocks<ElementI8, uint32_t, 32, 16>;
    case Op::v_mfma_i32_16x16x64_i8: return Blocks<ElementI8, uint32_t, 16, 64>;
    case Op::v_mfma_i32_32x32x32_i8: return Blocks<ElementI8, uint32_t, 32, 32>;

    // Sparse.
    case Op::v_smfmac_f32_16x16x32_f16: return Blocks<ElementF16, float, 16, 32, 1, true>;
    case Op::v_smfmac_f32_32x32x16_f16: return Blocks<ElementF16, float, 32, 16, 1, true>;
    case Op::v_smfmac_f32_16x16x64_f16: return Blocks<ElementF16, float, 16, 64, 1, true>;
    case Op::v_smfmac_f32_32x32x32_f16: return Blocks<ElementF16, float, 32, 32, 1, true>;
    case Op::v_smfmac_f32_16x16x32_bf16: return Blocks<ElementBf16, float, 16, 32, 1, true>;
    case Op::v_smfmac_f32_32x32x16_bf16: return Blocks<ElementBf16, float, 32, 16, 1, true>;
    case Op::v_smfmac_f32_16x16x64_bf16: return Blocks<ElementBf16, float, 16, 64, 1, true>;
    case Op::v_smfmac_f32_32x32x32_bf16: return Blocks<ElementBf16, float, 32, 32, 1, true>;
    case Op::v_smfmac_i32_16x16x64_i8: return Blocks<ElementI8, uint32_t, 16, 64, 1, true>;
    case Op::v_smfmac_i32_32x32x32_i8: return Blocks<ElementI8, uint32_t, 32, 32, 1, true>;
    case Op::v_smfmac_i32_16x16x128_i8: return Blocks<ElementI8, uint32_t, 16, 128, 1, true>;
    case Op::v_smfmac_i32_32x32x64_i8: return Blocks<ElementI8, uint32_t, 32, 64, 1, true>;
#define JAXGEMM_FLOAT8(a, b, A, B)                                               \
  case Op::v_mfma_f32_16x16x32_##a##_##b: return Float8<A, B, 16, 32>;           \
  case Op::v_mfma_f32_32x32x16_##a##_##b: return Float8<A, B, 32, 16>;           \
  case Op::v_smfmac_f32_16x16x64_##a##_##b: return Float8<A, B, 16, 64, true>;   \
  case Op::v_smfmac_f32_32x32x32_##a##_##b: return Float8<A, B, 32, 32, true>;   \
  case Op::v_smfmac_f32_16x16x128_##a##_##b: return Float8<A, B, 16, 128, true>; \
  case Op::v_smfmac_f32_32x32x64_##a##_##b: return Float8<A, B, 32, 64, true>;
      JAXGEMM_FLOAT8(fp8, fp8, AnyFp8, AnyFp8)
      JAXGEMM_FLOAT8(fp8, bf8, AnyFp8, AnyBf8)
      JAXGEMM_FLOAT8(bf8, fp8, AnyBf8, AnyFp8)
      JAXGEMM_FLOAT8(bf8, bf8, AnyBf8, AnyBf8)
#undef JAXGEMM_FLOAT8
    default: return nullptr;
  }
}

}  // namespace jaxgemm::emulator
