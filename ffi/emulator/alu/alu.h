// How the vector arithmetic reads and writes a wave's registers: operand types, modifiers,
// DPP and SDWA, EXEC. Internal to the files of alu/.
//
// Lane loops work on arrays of 64 words, so that the compiler vectorises them.
#pragma once

#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator/alu/formats.h"
#include "emulator/isa/info.h"

// Compile a function a second time, for host processors with AVX2 or with FMA; the results are the
// same. The AVX2 version does not enable FMA, so that no product and sum are contracted.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define JAXGEMM_EMULATOR_AVX2 __attribute__((target_clones("default", "avx2")))
#define JAXGEMM_EMULATOR_FMA __attribute__((target_clones("default", "fma")))
#else
#define JAXGEMM_EMULATOR_AVX2
#define JAXGEMM_EMULATOR_FMA
#endif

namespace jaxgemm::emulator {

inline constexpr int kLanes = kWaveSize;

struct Words {
  alignas(64) uint32_t lane[kLanes];
};

// One execution of a vector instruction.
struct Context {
  Context(Arch arch, const Instruction& in, Registers& r)
      : arch(arch), in(in), r(r), exec(r.exec()), write_mask(exec), clamp(in.clamp) {}

  Arch arch;
  const Instruction& in;
  Registers& r;
  uint64_t exec;
  uint64_t write_mask;          // EXEC without the lanes that DPP does not write
  bool clamp;                   // clamp that Store still has to apply
  const char* error = nullptr;  // why the result would not be exact; it is not stored then
};

using Executor = void (*)(Context&);

// The bit of MODE with which M0 is added to the numbers of vector registers (s_set_gpr_idx_on).
inline constexpr uint32_t kGprIndexMode = 1u << 27;

// ---- Operand types: the meaning of a lane's one or two words.

enum class ValueKind : uint8_t { kBits, kF32, kF16, kF64 };

struct U32 {
  using Value = uint32_t;
  static constexpr ValueKind kKind = ValueKind::kBits;
  static constexpr int kWords = 1;
  static constexpr bool k16Bit = false;
  static uint32_t Get(uint32_t low, uint32_t) { return low; }
  static void Put(uint32_t value, uint32_t& low, uint32_t&) { low = value; }
};
struct I32 : U32 {
  using Value = int32_t;
  static int32_t Get(uint32_t low, uint32_t) { return static_cast<int32_t>(low); }
  static void Put(int32_t value, uint32_t& low, uint32_t&) { low = static_cast<uint32_t>(value); }
};
struct U16 : U32 {
  using Value = uint32_t;
  static constexpr bool k16Bit = true;
  static uint32_t Get(uint32_t low, uint32_t) { return low & 0xffff; }
  static void Put(uint32_t value, uint32_t& low, uint32_t&) { low = value & 0xffff; }
};
struct I16 : U16 {
  using Value = int32_t;
  static int32_t Get(uint32_t low, uint32_t) { return static_cast<int16_t>(low); }
  static void Put(int32_t value, uint32_t& low, uint32_t&) {
    low = static_cast<uint32_t>(value) & 0xffff;
  }
};
struct U64 {
  using Value = uint64_t;
  static constexpr ValueKind kKind = ValueKind::kBits;
  static constexpr int kWords = 2;
  static constexpr bool k16Bit = false;
  static uint64_t Get(uint32_t low, uint32_t high) { return low | (uint64_t{high} << 32); }
  static void Put(uint64_t value, uint32_t& low, uint32_t& high) {
    low = static_cast<uint32_t>(value);
    high = static_cast<uint32_t>(value >> 32);
  }
};
struct I64 : U64 {
  using Value = int64_t;
  static int64_t Get(uint32_t low, uint32_t high) {
    return static_cast<int64_t>(U64::Get(low, high));
  }
  static void Put(int64_t value, uint32_t& low, uint32_t& high) {
    U64::Put(static_cast<uint64_t>(value), low, high);
  }
};
struct F32 {
  using Value = float;
  static constexpr ValueKind kKind = ValueKind::kF32;
  static constexpr int kWords = 1;
  static constexpr bool k16Bit = false;
  static float Get(uint32_t low, uint32_t) { return std::bit_cast<float>(low); }
  static void Put(float value, uint32_t& low, uint32_t&) { low = std::bit_cast<uint32_t>(value); }
};
// Arithmetic on float16 is done in float and then rounded to float16. For +, -, *, / and sqrt
// this equals one rounding of the exact result (24 >= 2 * 11 + 2 bits).
struct F16 {
  using Value = float;
  static constexpr ValueKind kKind = ValueKind::kF16;
  static constexpr int kWords = 1;
  static constexpr bool k16Bit = true;
  static float Get(uint32_t low, uint32_t) { return Decode<Float16>(low & 0xffff); }
  static void Put(float value, uint32_t& low, uint32_t&) { low = Encode<Float16>(value); }
};
// The bits of a float16, with its modifiers applied.
struct F16Bits : U16 {
  static constexpr ValueKind kKind = ValueKind::kF16;
};
struct F64 {
  using Value = double;
  static constexpr ValueKind kKind = ValueKind::kF64;
  static constexpr int kWords = 2;
  static constexpr bool k16Bit = false;
  static double Get(uint32_t low, uint32_t high) {
    return std::bit_cast<double>(U64::Get(low, high));
  }
  static void Put(double value, uint32_t& low, uint32_t& high) {
    U64::Put(std::bit_cast<uint64_t>(value), low, high);
  }
};

// ---- Reading and writing.

// Points words[0] and words[1] at the words of source `i`: the register itself if they need no
// change, else `buffer`. Applies SDWA selection, DPP, op_sel, neg, abs, and flushes denormals.
void Load(Context& c, int i, ValueKind kind, bool is_16_bit, int num_words, Words* buffer,
          const uint32_t** words);

// Writes a result to the lanes of `write_mask`. Applies clamp and output modifier, flushes
// denormals, and places a result that is narrower than a register.
void Store(Context& c, ValueKind kind, bool is_16_bit, int num_words, Words* words);

// The steps of Load and Store, for instructions with several values in a register. FlushInputs
// flushes as MODE says. Finish checks the rounding mode, applies clamp and output modifier, and
// flushes the result. Write writes one word.
bool FlushesInput(const Registers& r, ValueKind kind);
void FlushInputs(const Context& c, ValueKind kind, Words* words);
void Finish(Context& c, ValueKind kind, Words* words);
void Write(Context& c, int word, const Words& words);

// Writes a lane mask to a pair of scalar registers, with zeros for inactive lanes.
void StoreMask(Context& c, const Operand& operand, uint64_t mask);

// The lane mask in source `i`, a pair of scalar registers.
inline uint64_t LoadMask(const Context& c, int i) {
  const uint32_t* pair = &c.r.sgpr[c.in.src[i].index];
  return U64::Get(pair[0], pair[1]);
}

// Sets c.error if the MODE register selects a rounding that is not implemented.
void CheckRounding(Context& c, ValueKind kind);

// ---- dst = f(sources), lane by lane. F takes and returns the Values of the types.

template <class D, class F, class... S, size_t... I>
inline __attribute__((always_inline)) void MapIndexed(Context& c, F f, std::tuple<S...>,
                                                      std::index_sequence<I...>) {
  Words buffer[sizeof...(S) > 0 ? 2 * sizeof...(S) : 1], result[2];
  const uint32_t* words[sizeof...(S) > 0 ? sizeof...(S) : 1][2];
  (Load(c, static_cast<int>(I), S::kKind, S::k16Bit, S::kWords, &buffer[2 * I], words[I]), ...);
  for (int lane = 0; lane < kLanes; ++lane) {
    D::Put(f(S::Get(words[I][0][lane], words[I][1][lane])...), result[0].lane[lane],
           result[1].lane[lane]);
  }
  Store(c, D::kKind, D::k16Bit, D::kWords, result);
}

template <class D, class... S, class F>
inline __attribute__((always_inline)) void Map(Context& c, F f) {
  MapIndexed<D>(c, f, std::tuple<S...>{}, std::index_sequence_for<S...>{});
}

// Map for an f(saturate, sources...) that saturates its result when clamp is set.
template <class D, class... S, class F>
inline void MapSaturating(Context& c, F f) {
  const bool saturate = c.clamp;
  c.clamp = false;
  if (saturate) {
    Map<D, S...>(c, [f](typename S::Value... s) { return f(true, s...); });
  } else {
    Map<D, S...>(c, [f](typename S::Value... s) { return f(false, s...); });
  }
}

// Mask of the lanes where f(sources) is true, inactive lanes included.
template <class F, class... S, size_t... I>
inline __attribute__((always_inline)) uint64_t WhereIndexed(Context& c, F f, std::tuple<S...>,
                                                            std::index_sequence<I...>) {
  Words buffer[2 * sizeof...(S)];
  const uint32_t* words[sizeof...(S)][2];
  (Load(c, static_cast<int>(I), S::kKind, S::k16Bit, S::kWords, &buffer[2 * I], words[I]), ...);
  uint64_t mask = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    mask |= uint64_t{f(S::Get(words[I][0][lane], words[I][1][lane])...)} << lane;
  }
  return mask;
}

template <class... S, class F>
inline __attribute__((always_inline)) uint64_t Where(Context& c, F f) {
  return WhereIndexed(c, f, std::tuple<S...>{}, std::index_sequence_for<S...>{});
}

// fma of float32, lane by lane.
void FmaLanes(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out);
// a * b + c in double, rounded to odd: a second rounding to fewer bits equals one rounding.
double FmaToOdd(float a, float b, float c);
// The same for float64, where the product neither overflows nor has bits below the smallest number.
long double FmaToOdd(double a, double b, double c);
// fma of float16 values, rounded to odd: storing it as float16 equals one rounding.
float FmaF16(float a, float b, float c);

// Sine and cosine of x turns. Beyond the manuals' valid domain of 256 turns they are 0 and 1.
double SinTurns(double x);
double CosTurns(double x);

// v_min and v_max as in the manuals: a number wins over a NaN, and -0 is less than 0. In IEEE
// mode a signalling NaN wins and becomes quiet.
template <class T>
inline bool IsSignalling(T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return x != x && !((std::bit_cast<Bits>(x) >> (sizeof(T) == 4 ? 22 : 51)) & 1);
}
template <class T>
inline T QuietOf(T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(std::bit_cast<Bits>(x) | (Bits{1} << (sizeof(T) == 4 ? 22 : 51)));
}
template <class T>
inline bool IsNegative(T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<Bits>(x) >> (8 * sizeof(T) - 1);
}
template <class T>
inline T FloatMin(bool ieee, T a, T b) {
  if (ieee && IsSignalling(a)) return QuietOf(a);
  if (ieee && IsSignalling(b)) return QuietOf(b);
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && IsNegative(a)) ? a : b;
}
template <class T>
inline T FloatMax(bool ieee, T a, T b) {
  return -FloatMin(ieee, -a, -b);
}
template <class T>
inline T FloatMed3(bool ieee, T a, T b, T c) {
  if (a != a || b != b || c != c) return FloatMin(ieee, FloatMin(ieee, a, b), c);
  const T max3 = FloatMax(ieee, FloatMax(ieee, a, b), c);
  if (max3 == a) return FloatMax(ieee, b, c);
  if (max3 == b) return FloatMax(ieee, a, c);
  return FloatMax(ieee, a, b);
}
// minimum and maximum of IEEE 754-2019 (a NaN wins), for gfx950's v_minimum3 and v_maximum3.
template <class T>
inline T Minimum(T a, T b) {
  if (a != a) return QuietOf(a);
  if (b != b) return QuietOf(b);
  return FloatMin(false, a, b);
}
template <class T>
inline T Maximum(T a, T b) {
  return -Minimum(-a, -b);
}
inline bool IeeeMode(const Context& c) { return (c.r.mode >> 9) & 1; }

// ---- The executor of an operation, or null if it is not in the function's file.

Executor FindFloat(Op op);
Executor FindInteger(Op op);
Executor FindConvert(Op op);
Executor FindSpecial(Op op);
Executor FindCompare(Op op);
Executor FindPacked(Op op);
Executor FindLanes(Op op);
Executor FindMatrix(Op op);

void ExecuteScalar(const Instruction& in, Registers* r, const char** error);

}  // namespace jaxgemm::emulator
