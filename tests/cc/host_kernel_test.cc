// Checks every function of every host kernel that this processor has against float64 or
// int64 references, with random odd shapes, all layouts and all element types. Buffers have exactly
// their size, so that a sanitizer detects any read past the end, and there are guard values around
// the results.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "host/kernel.h"
#include "testing.h"

namespace jaxgemm {
namespace {

struct Format {
  const char* name;
  int bytes, exponent, mantissa, bias;  // exponent 0: integer
};
const Format kFormats[] = {{"float32", 4, 8, 23, 127}, {"float16", 2, 5, 10, 15},
                           {"bfloat16", 2, 8, 7, 127}, {"e4m3fn", 1, 4, 3, 7},
                           {"e5m2", 1, 5, 2, 15},      {"e4m3fnuz", 1, 4, 3, 8},
                           {"e5m2fnuz", 1, 5, 2, 16},  {"e2m1fn", 1, 2, 1, 1},
                           {"int8", 1, 0, 0, 0},       {"int32", 4, 0, 0, 0}};
const Format& FormatOf(DType dtype) { return kFormats[static_cast<int>(dtype)]; }

uint32_t Bits(const void* base, int64_t index, int bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(base) + index * bytes, bytes);
  return bits;
}

// The value of a finite code.
double Value(DType dtype, const void* base, int64_t index) {
  const Format& f = FormatOf(dtype);
  uint32_t bits = Bits(base, index, f.bytes);
  if (f.exponent == 0) return f.bytes == 1 ? int8_t(bits) : int32_t(bits);
  int exponent = bits >> f.mantissa & ((1 << f.exponent) - 1);
  double mantissa = bits & ((1u << f.mantissa) - 1);
  if (exponent > 0) mantissa += 1u << f.mantissa;
  double value = std::ldexp(mantissa, std::max(exponent, 1) - f.bias - f.mantissa);
  return bits >> (f.exponent + f.mantissa) & 1 ? -value : value;
}

// Random finite codes of magnitude below 4 (any int8), without NaN.
std::unique_ptr<char[]> RandomOperand(DType dtype, int64_t count) {
  const Format& f = FormatOf(dtype);
  std::unique_ptr<char[]> data(new char[count * f.bytes]);
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = rng();
    if (f.exponent > 0) {
      int exponent = f.bias + 1 - int(bits % std::min(f.bias + 2, 12));
      bits = (bits & ((1u << f.mantissa) - 1)) | exponent << f.mantissa |
             (bits >> 31) << (f.exponent + f.mantissa);
      if (bits == 1u << (f.exponent + f.mantissa)) bits = 0;
    }
    std::memcpy(&data[i * f.bytes], &bits, f.bytes);
  }
  return data;
}

void Fail(const HostKernel& kernel, const std::string& what) {
  CHECK_THAT(false, "%s math %d: %s", kernel.name, int(kernel.math), what.c_str());
}

// The value of an element of an operand, which may be gathered.
double At(const OperandView& view, int64_t row, int64_t col) {
  bool inside = true;
  const auto find = [&](const int32_t* indices, int64_t* line) {
    if (!indices) return;
    *line = indices[*line];
    inside = *line >= 0 && *line < view.lines;
  };
  find(view.row_indices, &row);
  find(view.col_indices, &col);
  return inside ? Value(view.dtype, view.data, row * view.row_stride + col * view.col_stride) : 0;
}

template <class Acc>
void TestMultiply(const HostKernel& kernel, DType lhs, DType rhs, bool few_rows) {
  const int rows = Random(1, few_rows ? kHostFewRows : kHostBlockM);
  const int cols = Random(1, Random(0, 1) ? 400 : 70);
  const int most_k = few_rows ? kHostBlockK : kernel.block_k;
  const int k = Random(0, 7) == 0   ? Random(0, 1) * most_k
                : Random(0, 1) == 0 ? Random(1, 40)
                                    : Random(1, 3 * most_k / 4);
  const bool lhs_t = Random(0, 1), rhs_t = Random(0, 1), accumulate = Random(0, 1);
  const bool lhs_gathered = Random(0, 1), rhs_gathered = !rhs_t && Random(0, 1);
  // Each operand may be a part of a larger matrix, whose rows are further apart.
  const auto apart = [](int length) { return length + (Random(0, 2) ? 0 : Random(0, 1500)); };
  const int lda = apart(lhs_t ? rows : k), ldb = apart(rhs_t ? k : cols);
  OperandView av{nullptr, lhs, lhs_t ? 1 : lda, lhs_t ? lda : 1};
  OperandView bv{nullptr, rhs, rhs_t ? 1 : ldb, rhs_t ? ldb : 1};
  const auto size_of = [](const OperandView& x, int rows, int cols) {
    return rows && cols ? (rows - 1) * x.row_stride + (cols - 1) * x.col_stride + 1 : 0;
  };
  // The lines of a gathered operand.
  av.lines = Random(0, 40), bv.lines = Random(0, 40);
  const int a_rows = lhs_gathered && !lhs_t ? av.lines : rows;
  const int a_k = lhs_gathered && lhs_t ? av.lines : k, b_k = rhs_gathered ? bv.lines : k;
  const int64_t a_size = size_of(av, a_rows, a_k), b_size = size_of(bv, b_k, cols);
  const Guarded a(RandomOperand(lhs, a_size).get(), a_size * FormatOf(lhs).bytes);
  const Guarded b(RandomOperand(rhs, b_size).get(), b_size * FormatOf(rhs).bytes);
  const std::vector<int32_t> of_a = RandomIndices(lhs_t ? k : rows, av.lines);
  const std::vector<int32_t> of_b = RandomIndices(k, bv.lines);
  const Guarded a_indices(of_a.data(), of_a.size() * 4), b_indices(of_b.data(), of_b.size() * 4);
  av.data = a.as<void>(), bv.data = b.as<void>();
  if (lhs_gathered) (lhs_t ? av.col_indices : av.row_indices) = a_indices.as<int32_t>();
  if (rhs_gathered) bv.row_indices = b_indices.as<int32_t>();
  bv.total_bytes = Random(0, 1) << 30;  // whether it is more than a cache has
  auto aligned = [](int64_t bytes) {
    return std::unique_ptr<void, decltype(&std::free)>(
        std::aligned_alloc(64, (bytes + 63) / 64 * 64), &std::free);
  };
  auto pa = aligned(HostPackedABytes(rows)), pb = aligned(HostPackedBBytes(cols, k));
  // All ones is NaN, so a byte that is not packed changes the result if it is used.
  std::memset(pa.get(), 0xff, HostPackedABytes(rows));
  std::memset(pb.get(), 0xff, HostPackedBBytes(cols, k));
  const int64_t ldc = cols + Random(1, 9), margin = 64;
  std::vector<Acc> c((rows + 2) * ldc + 2 * margin), before;
  for (Acc& x : c) x = Acc(Random(-1000, 1000));
  before = c;
  const int64_t origin = margin + ldc;
  kernel.pack_a(pa.get(), av, rows, k);
  if (few_rows) {
    kernel.multiply_few_rows(pa.get(), bv, rows, cols, k, &c[origin], ldc, accumulate);
  } else {
    kernel.pack_b(pb.get(), bv, k, cols);
    NextRhs next;  // any addresses
    if (Random(0, 1)) next = {b.as<char>(), Random(0, 5000), static_cast<int>(Random(1, 9))};
    if (kernel.multiply_in_place && lhs == DType::kF32 && !lhs_gathered && Random(0, 1)) {
      kernel.multiply_in_place(av, pb.get(), rows, cols, k, &c[origin], ldc, accumulate, next);
    } else {
      kernel.multiply(pa.get(), pb.get(), rows, cols, k, &c[origin], ldc, accumulate, next);
    }
  }
  std::vector<double> x(rows * k), y(k * cols);
  for (int64_t i = 0; i < rows * k; ++i) x[i] = At(av, i / k, i % k);
  for (int64_t i = 0; i < k * cols; ++i) y[i] = At(bv, i / cols, i % cols);
  for (int64_t i = 0; i < int64_t(c.size()); ++i) {
    int64_t row = (i - origin) / ldc, col = (i - origin) % ldc;
    double sum = before[i], size = std::abs(sum);
    if (i >= origin && row < rows && col < cols) {
      if (!accumulate) sum = size = 0;
      for (int p = 0; p < k; ++p) {
        double term = x[row * k + p] * y[p * cols + col];
        sum += term;
        size += std::abs(term);
      }
    } else {
      size = 0;
    }
    const double allowed = kernel.math == Math::kS8 ? 0 : size * 4e-6;
    if (!(std::abs(double(c[i]) - sum) <= allowed)) {
      CHECK_THAT(
          false, "%s %s x %s%s %dx%dx%d, transposed %d %d, gathered %d %d, at %d, %d: %g for %g",
          kernel.name, FormatOf(lhs).name, FormatOf(rhs).name, few_rows ? " few rows" : "", rows,
          cols, k, lhs_t, rhs_t, lhs_gathered, rhs_gathered, int(row), int(col), double(c[i]), sum);
      return;
    }
  }
}

// A part of a batch of small products. No element of out may be written that is not of this part.
void TestSmall(const HostKernel& kernel, DType operands, DType out_dtype) {
  SmallBatch batch{.out_dtype = out_dtype};
  do {
    batch.m = Random(1, 40), batch.n = Random(1, 40), batch.k = Random(1, kHostSmallK);
    const int long_side = Random(0, 3);  // of two in four
    if (long_side == 1) batch.m = Random(40, kHostSmallOut);
    if (long_side == 2) batch.n = Random(40, kHostSmallOut);
  } while (!IsSmallOnHost(batch.m, batch.n, batch.k));
  const int64_t m = batch.m, n = batch.n, k = batch.k, products = Random(1, 9);
  const bool lhs_t = Random(0, 1), rhs_t = Random(0, 1);
  batch.lhs_step = Random(0, 3) ? m * k : 0;
  batch.rhs_step = batch.lhs_step == 0 || Random(0, 3) ? k * n : 0;
  auto a = RandomOperand(operands, batch.lhs_step ? products * m * k : m * k);
  auto b = RandomOperand(operands, batch.rhs_step ? products * k * n : k * n);
  batch.lhs = {a.get(), operands, lhs_t ? 1 : k, lhs_t ? m : 1};
  batch.rhs = {b.get(), operands, rhs_t ? 1 : n, rhs_t ? k : 1};
  const Format& f = FormatOf(out_dtype);
  const int64_t first = Random(0, products - 1), count = Random(1, products - first);
  std::vector<unsigned char> out(products * m * n * f.bytes, 0x55);
  batch.out = out.data();
  kernel.multiply_small(batch, first, count);
  for (int64_t i = 0; i < products * m * n; ++i) {
    const int64_t product = i / (m * n), row = i / n % m, col = i % n;
    if (product < first || product >= first + count) {
      const uint32_t untouched = f.bytes == 4 ? 0x55555555 : 0x5555;
      if (Bits(out.data(), i, f.bytes) == untouched) continue;
      return Fail(kernel, "small products were written that are not of this part");
    }
    double sum = 0, size = 0;
    for (int64_t j = 0; j < k; ++j) {
      const double x =
          Value(operands, a.get(),
                product * batch.lhs_step + row * batch.lhs.row_stride + j * batch.lhs.col_stride);
      const double y =
          Value(operands, b.get(),
                product * batch.rhs_step + j * batch.rhs.row_stride + col * batch.rhs.col_stride);
      sum += x * y, size += std::abs(x * y);
    }
    const double rounding = std::ldexp(std::abs(sum), -f.mantissa - 1);
    const double got = Value(out_dtype, out.data(), i);
    if (!(std::abs(got - sum) <= 6e-8 * static_cast<double>(k + 1) * size + rounding)) {
      return Fail(kernel, "small " + std::to_string(m) + "x" + std::to_string(n) + "x" +
                              std::to_string(k) + " " + FormatOf(operands).name + ": " +
                              std::to_string(got) + ", not " + std::to_string(sum));
    }
  }
}

double Activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone: return x;
    case Activation::kRelu: return x < 0 ? 0 : x;
    case Activation::kGelu:
      return x * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::kSilu: return x / (1 + std::exp(-x));
  }
  return x;
}

template <class Acc>
void TestStore(const HostKernel& kernel, DType out) {
  const Format& f = FormatOf(out);
  const bool integer = f.exponent == 0;
  const int rows = Random(1, 20), cols = Random(1, 600);
  const bool transposed = Random(0, 1), along_rows = Random(0, 1);
  const bool one_scale = Random(0, 1);
  const int64_t ldacc = cols + Random(0, 5);
  const int64_t ldout = (transposed ? rows : cols) + Random(1, 5);
  std::vector<Acc> acc(rows * ldacc);
  for (Acc& x : acc) x = Acc(integer ? int32_t(rng()) : Random(-8000, 8000) / 1000.0);
  const int length = along_rows ? rows : cols;
  const int other_length = along_rows ? cols : rows;
  std::vector<float> bias(length), scale(one_scale ? 1 : length), row_scale(other_length);
  std::vector<int32_t> int_bias(length);
  for (float& x : bias) x = Random(-3000, 3000) / 1000.f;
  for (float& x : scale) x = Random(-3000, 3000) / 3000.f;
  for (float& x : row_scale) x = Random(-3000, 3000) / 3000.f;
  for (int32_t& x : int_bias) x = int32_t(rng());
  const int64_t size = (transposed ? cols : rows) * ldout + 1, bytes = size * f.bytes;
  std::vector<char> result(bytes, 0x55), preact(bytes, 0x55);
  const bool with_bias = Random(0, 1), with_scale = !integer && Random(0, 1);
  const bool with_row_scale = !integer && Random(0, 1);
  EpilogueTile tile{
      result.data(),
      Random(0, 1) ? preact.data() : nullptr,
      out,
      out,
      transposed ? 1 : ldout,
      transposed ? ldout : 1,
      {!with_bias ? nullptr
       : integer  ? (void*)int_bias.data()
                  : bias.data(),
       along_rows, !along_rows},
      {with_scale ? scale.data() : nullptr, along_rows && !one_scale, !along_rows && !one_scale},
      {with_row_scale ? row_scale.data() : nullptr, !along_rows, along_rows},
      integer ? Activation::kNone : static_cast<Activation>(Random(0, 3))};
  kernel.store(acc.data(), ldacc, rows, cols, tile);
  auto check = [&](int64_t i, const std::vector<char>& data, double want, const char* what) {
    const int64_t exact = int64_t(want);
    if (integer) want = out == DType::kS8 ? int8_t(exact) : int32_t(exact);
    // Half a unit in the last place, plus the error of float arithmetic on terms below 32.
    double got = Value(out, data.data(), i);
    double allowed = std::abs(want) * std::ldexp(1.001, -f.mantissa - 1) + 1e-5 +
                     std::ldexp(0.5, 1 - f.bias - f.mantissa);
    if (integer) allowed = 0;
    if (!(std::abs(got - want) <= allowed)) {
      Fail(kernel, std::string("store ") + f.name + " " + what + " activation " +
                       std::to_string(int(tile.activation)) + ": " + std::to_string(got) + " for " +
                       std::to_string(want));
    }
  };
  std::vector<char> written(size);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      int v = along_rows ? row : col;
      double x = acc[row * ldacc + col];
      if (with_scale) x *= scale[one_scale ? 0 : v];
      if (with_row_scale) x *= row_scale[along_rows ? col : row];
      if (with_bias) x += integer ? double(int_bias[v]) : bias[v];
      if (integer) x = int32_t(int64_t(x));  // wraps
      int64_t i = row * tile.row_stride + col * tile.col_stride;
      written[i] = 1;
      if (tile.preact) check(i, preact, x, "preact");
      check(i, result, Activated(tile.activation, x), "out");
    }
  }
  for (int64_t i = 0; i < bytes; ++i) {
    if (!written[i / f.bytes] && (result[i] != 0x55 || preact[i] != 0x55)) {
      return Fail(kernel, std::string("store ") + f.name + " wrote outside its tile");
    }
  }
}

void Test(const char* name, Math math, int rounds) {
  const HostKernel* kernel = FindHostKernel(name, math);
  if (!kernel) {
    std::printf("%s math %d: not on this processor\n", name, int(math));
    return;
  }
  for (int round = 0; round < rounds; ++round) {
    if (math == Math::kS8) {
      TestMultiply<int32_t>(*kernel, DType::kS8, DType::kS8, round % 2);
      for (DType out : {DType::kS8, DType::kS32, DType::kF32}) {
        TestStore<int32_t>(*kernel, out);
      }
      continue;
    }
    for (DType operands : {DType::kF32, DType::kBF16}) {
      if (operands == DType::kF32 && math != Math::kF32) continue;
      for (DType out : {DType::kF32, DType::kBF16}) {
        for (int i = 0; i < 20; ++i) TestSmall(*kernel, operands, out);
      }
    }
    for (int lhs = 0; lhs < 7; ++lhs) {
      const auto takes = [&](int t) { return math == Math::kF32 || t > 1; };
      const int rhs = takes(lhs) ? (lhs + round) % 7 : 0;
      if (!takes(lhs) || !takes(rhs)) continue;
      TestMultiply<float>(*kernel, DType(lhs), DType(rhs), round % 2);
      TestStore<float>(*kernel, DType(lhs));
    }
  }
  std::printf("%s math %d: done\n", name, int(math));
}

}  // namespace
}  // namespace jaxgemm

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
#define JAXGEMM_HOST_KERNEL(name, math, symbol, features) \
  jaxgemm::Test(name, jaxgemm::Math::math, rounds);
#include "spec/instances.def"
#undef JAXGEMM_HOST_KERNEL
  std::printf("host_kernel_test: %d failures\n", jaxgemm::failures);
  return jaxgemm::failures != 0;
}
