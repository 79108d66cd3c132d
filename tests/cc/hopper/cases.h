// A case of a test of Hopper's kernels: runs a product through the launcher, and compares the
// result with sums in float64. Operands are small integers, so results are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "driver.h"
#include "runtime/launcher.h"

namespace jaxgemm {

inline void Encode(DType type, double value, char* to) {
  const auto f = static_cast<float>(value);
  const auto put = [to](auto code) { std::memcpy(to, &code, sizeof(code)); };
  switch (type) {
    case DType::kF32: return put(f);
    case DType::kBF16: return put(EncodeBF16(f));
    case DType::kF16: return put(static_cast<uint16_t>(EncodeMinifloat<F16Format>(f)));
    case DType::kF8E4M3FN: return put(static_cast<uint8_t>(EncodeMinifloat<F8E4M3FNFormat>(f)));
    case DType::kF8E5M2: return put(static_cast<uint8_t>(EncodeMinifloat<F8E5M2Format>(f)));
    case DType::kS8: return put(static_cast<int8_t>(value));
    default: return put(static_cast<int32_t>(value));
  }
}

// Elements, aligned to 256 bytes, and guard bytes after them, which must not be written.
struct Buffer {
  static constexpr size_t kGuard = 512;
  std::vector<char> bytes;
  size_t size;

  explicit Buffer(size_t size) : bytes(size + kGuard + 256, '\xff'), size(size) {}
  char* data() {
    return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(bytes.data()) + 255) / 256 * 256);
  }
  bool IsWhole() {
    return std::all_of(data() + size, data() + size + kGuard, [](char c) { return c == '\xff'; });
  }
};

inline double Decode(DType type, const char* from) {
  const auto code = static_cast<uint8_t>(*from);
  return type == DType::kF8E5M2 ? DecodeMinifloat<F8E5M2Format, float, uint32_t>(code)
                                : DecodeMinifloat<F8E4M3FNFormat, float, uint32_t>(code);
}

// Random small integers, in float64 and in the type of the operand.
struct Operand {
  std::vector<double> values;
  Buffer buffer;

  Operand(DType type, int64_t count) : values(count), buffer(count * ElementBytes(type)) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = static_cast<double>(Random(-4, 4));
      Encode(type, values[i], buffer.data() + i * ElementBytes(type));
    }
  }
};

struct Case {
  Problem p;
  Config config;
  std::string form;                // suffix of the expected kernel
  std::vector<int32_t> sizes{};    // group sizes
  bool one_scale = false;          // one for all columns
  bool misplaced = false;          // lhs is not aligned to 16 bytes
  std::vector<int32_t> indices{};  // of the rows of lhs, if these are gathered
  bool infinite = false;           // some elements of the bias are
};

// The scales of a row that is quantised, and whether it is near enough to `values`: within half a
// unit in the last place of its type, of what is representable with a scale that follows from the
// largest finite element of the block.
inline bool IsQuantized(const Problem& p, const double* values, const char* row,
                        const char* scales) {
  const bool mx = p.quantize_out == QuantizeOut::kMx, e5m2 = p.out_dtype == DType::kF8E5M2;
  const double largest = e5m2 ? 57344 : 448, unit = e5m2 ? 0x1p-3 : 0x1p-4;
  const double least = e5m2 ? 0x1p-17 : 0x1p-10;  // half of the smallest value
  const int columns = QuantizedColumns(p.quantize_out);
  for (int64_t first = 0; first < p.n; first += columns) {
    double top = 0;
    for (int i = 0; i < columns; ++i) {
      if (std::isfinite(values[first + i])) top = std::max(top, std::fabs(values[first + i]));
    }
    double scale = 1;
    if (mx) {
      const auto code = static_cast<uint8_t>(scales[first / columns]);
      scale = std::ldexp(1, code - 127);
      if (scale != (top ? std::ldexp(1, std::ilogb(top) - std::ilogb(largest)) : 1)) return false;
    } else {
      float found;
      std::memcpy(&found, scales + first / columns * sizeof(found), sizeof(found));
      scale = found;
      if (std::fabs(scale - (top ? top / largest : 1)) > 0x1p-22 * scale) return false;
    }
    for (int i = 0; i < columns; ++i) {
      const double value = values[first + i], code = Decode(p.out_dtype, row + first + i);
      if (std::isinf(value)) {
        if (e5m2 ? code != value : !std::isnan(code)) return false;
        continue;
      }
      const double wanted = std::min(std::fabs(value), largest * scale);
      const double error = std::fabs(std::copysign(wanted, value) - code * scale);
      if (!(error <= std::max(1.0001 * unit * wanted, least * scale))) return false;
    }
  }
  return true;
}

inline void Run(GpuLauncher& launcher, Case c) {
  Problem& p = c.p;
  Plan plan;
  std::string error;
  error = MakePlan(p, c.config, FindChip("sm90", 0, &error), &plan);
  CHECK_THAT(error.empty(), "%s (%ld x %ld x %ld x %ld)", error.c_str(), p.batch, p.m, p.n, p.k);
  if (!error.empty()) return;
  const bool by_m = p.ragged == Ragged::kM, by_k = p.ragged == Ragged::kK;
  Operand lhs(p.lhs_dtype, (p.lhs_batched ? p.batch : 1) * p.lhs_size() + 1);
  // Each batch has vectors of its own; with groups of rows, each group has its own column vectors.
  const int64_t vectors = by_m ? p.local_groups : p.batch;
  // With a gate rhs has 2 n columns.
  const int64_t columns = p.num_columns();
  Operand rhs(p.rhs_dtype, p.num_rhs() * p.k * columns), scale(DType::kF32, vectors * columns);
  Operand row_scale(DType::kF32, p.batch * p.m);
  Operand bias(p.bias_bf16              ? DType::kBF16
               : IsInteger(p.out_dtype) ? DType::kS32
                                        : DType::kF32,
               vectors * columns);
  // Scales of blocks are powers of two, so that results stay exact.
  const int64_t blocks = p.blocks_k();
  auto powers = [](int64_t count) {
    Operand scales(DType::kF32, count);
    for (int64_t i = 0; i < count; ++i) {
      scales.values[i] = std::ldexp(1, static_cast<int>(Random(-2, 2)));
      Encode(DType::kF32, scales.values[i], scales.buffer.data() + i * 4);
    }
    return scales;
  };
  Operand lhs_scales = powers((p.lhs_batched ? p.batch : 1) * p.m * blocks);
  Operand rhs_scales = powers(p.num_rhs() * p.blocks_n() * blocks);
  const int bytes = ElementBytes(p.out_dtype);
  const int64_t out_bytes = p.num_out() * p.m * p.n * bytes;
  const bool quantizes = p.quantize_out != QuantizeOut::kNone;
  const DType preact_dtype = PreactDType(p.out_dtype, p.quantize_out);
  const int64_t preact_bytes = ElementBytes(preact_dtype);
  Buffer out(out_bytes), workspace(plan.workspace_bytes);
  Buffer preact(p.save_preact ? p.num_out() * p.m * columns * preact_bytes : 0);
  const int64_t scales_of_row = quantizes
                                    ? p.n / QuantizedColumns(p.quantize_out) *
                                          (p.quantize_out == QuantizeOut::kMx ? 1 : sizeof(float))
                                    : 0;
  Buffer out_scales(p.num_out() * p.m * scales_of_row);
  for (int64_t i = 0; c.infinite && i < std::ssize(bias.values); i += Random(20, 200)) {
    bias.values[i] = Random(0, 1) ? INFINITY : -INFINITY;
    Encode(p.bias_bf16 ? DType::kBF16 : DType::kF32, bias.values[i],
           bias.buffer.data() + i * (p.bias_bf16 ? 2 : 4));
  }
  Operand addend(DType::kF32, p.accumulate ? p.num_out() * p.m * p.n : 0);
  if (p.accumulate) std::memcpy(out.data(), addend.buffer.data(), out_bytes);
  std::vector<uint32_t> signals(64, 1);
  if (c.misplaced) {
    // The values are the same, moved by one element.
    std::memmove(lhs.buffer.data() + ElementBytes(p.lhs_dtype), lhs.buffer.data(),
                 (lhs.values.size() - 1) * ElementBytes(p.lhs_dtype));
  }
  Call call{.problem = p,
            .plan = plan,
            .lhs = lhs.buffer.data() + (c.misplaced ? ElementBytes(p.lhs_dtype) : 0),
            .rhs = rhs.buffer.data(),
            .group_sizes = c.sizes.data(),
            .lhs_indices = c.indices.empty() ? nullptr : c.indices.data(),
            .chunk_signals = p.tiles_per_chunk ? signals.data() : nullptr,
            .chunk_epoch = signals.data(),
            .lhs_scales = reinterpret_cast<float*>(lhs_scales.buffer.data()),
            .rhs_scales = reinterpret_cast<float*>(rhs_scales.buffer.data()),
            .bias = p.bias ? bias.buffer.data() : nullptr,
            .scale = p.scale ? reinterpret_cast<float*>(scale.buffer.data()) : nullptr,
            .row_scale = p.row_scale ? reinterpret_cast<float*>(row_scale.buffer.data()) : nullptr,
            .out = out.data(),
            .preact = p.save_preact ? preact.data() : nullptr,
            .out_scales = quantizes ? out_scales.data() : nullptr,
            .workspace = workspace.data()};
  call.strides.bias = {.batch = columns, .column = 1};
  call.strides.scale = {.batch = c.one_scale ? 1 : columns, .column = !c.one_scale};
  call.strides.row_scale = {.batch = p.m, .row = 1, .column = 0};
  error = launcher.Load(*plan.instance, 0);
  if (error.empty()) error = launcher.Launch(call, 0, nullptr);
  CHECK_THAT(error.empty(), "%s", error.c_str());
  const std::string ran = launched.empty() ? "" : launched.back();
  const bool multicasts = plan.cluster_size() > plan.choice.cluster_k && !c.misplaced;
  CHECK_THAT(ran == plan.instance->name + c.form + (multicasts ? "_multicast" : ""),
             "%s ran, not %s: %ld x %ld x %ld x %ld, %ld workgroups", ran.c_str(), c.form.c_str(),
             p.batch, p.m, p.n, p.k, plan.choice.num_workgroups);

  // Checks row by row; `matrix` and [begin, end) are the rhs and the range of k of the row.
  int64_t wrong = 0, first_wrong = -1;
  std::vector<double> sums(columns);
  for (int64_t row = 0; row < p.num_out() * p.m; ++row) {
    const int64_t z = row / p.m, m = row % p.m;
    int64_t matrix = p.rhs_batched ? z : 0, begin = 0, end = p.k;
    if (by_m) {
      int64_t rows = 0;
      for (matrix = 0; matrix < std::ssize(c.sizes); ++matrix) {
        rows += c.sizes[matrix];
        if (m < rows) break;
      }
      if (matrix == std::ssize(c.sizes)) end = 0;
    } else if (by_k) {
      for (int64_t g = 0; g < z; ++g) begin += c.sizes[g];
      end = std::min(begin + c.sizes[z], p.k), matrix = 0;
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t lhs_z = p.lhs_batched && !by_k ? z : 0;
      const int64_t line = c.indices.empty() ? m : c.indices[m];
      if (line < 0 || line >= (c.indices.empty() ? p.m : p.lhs_lines)) continue;
      double a =
          lhs.values[lhs_z * p.m * p.k + (p.lhs_contracting == 1 ? line * p.k + k : k * p.m + m)];
      const double* of_rhs = nullptr;
      int64_t column_step = 0;
      if (p.block_k > 0) {
        const int64_t block = k / p.block_k;
        a *= lhs_scales.values[(lhs_z * p.m + m) * blocks + block];
        of_rhs = rhs_scales.values.data() + matrix * p.blocks_n() * blocks +
                 (p.block_n == 1 ? block * p.n : block);
        column_step = p.block_n == 1 ? 1 : blocks;
      }
      const double* b = rhs.values.data() + matrix * p.k * columns;
      for (int64_t n = 0; n < columns; ++n) {
        const double scale = of_rhs ? of_rhs[n / p.block_n * column_step] : 1;
        sums[n] += a * scale * (p.rhs_contracting == 0 ? b[k * columns + n] : b[n * p.k + k]);
      }
    }
    auto check = [&](double value, DType type, Buffer& result, int64_t at) {
      char wanted[4];
      Encode(type, value, wanted);
      const int size = ElementBytes(type);
      if (std::memcmp(wanted, result.data() + at * size, size) && wrong++ == 0) first_wrong = at;
    };
    for (int64_t n = 0; n < columns; ++n) {
      const int64_t vector = by_m ? matrix : p.grouped() ? 0 : z;
      // Rows of no group are zero, not -0.
      const bool is_zero = by_m && end == 0;
      if (p.scale && !is_zero) sums[n] *= scale.values[c.one_scale ? vector : vector * columns + n];
      if (p.row_scale && !is_zero) sums[n] *= row_scale.values[by_k ? m : row];
      if (p.bias && !is_zero) sums[n] += bias.values[vector * columns + n];
      if (p.save_preact) check(sums[n], preact_dtype, preact, row * columns + n);
    }
    for (int64_t n = 0; n < p.n; ++n) {
      WithActivation(p.activation,
                     [&](auto activate) { sums[n] = activate(static_cast<float>(sums[n])); });
      if (p.gated) sums[n] *= sums[p.n + n];
      if (p.accumulate) sums[n] += addend.values[row * p.n + n];
      if (!quantizes) check(sums[n], p.out_dtype, out, row * p.n + n);
    }
    if (quantizes && !IsQuantized(p, sums.data(), out.data() + row * p.n,
                                  out_scales.data() + row * scales_of_row)) {
      if (wrong++ == 0) first_wrong = row * p.n;
    }
  }
  const bool is_whole = out.IsWhole() && preact.IsWhole() && out_scales.IsWhole();
  CHECK_THAT(wrong == 0 && is_whole && workspace.IsWhole(),
             "%s: %ld of %ld x %ld x %ld x %ld are wrong, the first at %ld; out %s, workspace %s; "
             "%ld workgroups",
             ran.c_str(), wrong, p.num_out(), p.m, p.n, p.k, first_wrong,
             is_whole ? "whole" : "overrun", workspace.IsWhole() ? "whole" : "overrun",
             plan.choice.num_workgroups);
}

}  // namespace jaxgemm
