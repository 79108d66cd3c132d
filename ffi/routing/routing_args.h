// What the kernels of a mixture of experts get, but for those of its products.
//
// A mixture of experts sends each token to its top_k experts, its choices. The routing table sorts
// the choices by expert, so that the products of the experts read rows: row i is for expert
// experts[i], and belongs to choice[i] of token[i]. It is stable: an expert's rows are in the order
// of their choices.
//
// The gated gradient is that of rows w silu(gate) up, with a weight w for each row.
//
// Rows are quantised to float8 with a scale for each row, or for each block of a row. For products
// that contract rows, they are transposed and quantised with a factor for each row.
//
// Products that do not read rows by index get a copy of them.
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace jaxgemm {

inline constexpr int kTableThreads = 512, kTopKThreads = 256, kGatedThreads = 256,
                     kQuantizeThreads = kGatedThreads, kColumnsThreads = 256,
                     kRowsThreads = kGatedThreads;
// A lane keeps so many vectors of a row whose scale it does not know yet.
inline constexpr int kQuantizeVectors = 8;
// A lane copies so many vectors of a row at once.
inline constexpr int kRowsVectors = 4;
// Rows and columns of a tile that a workgroup transposes.
inline constexpr int kColumnsTile = 128;
// In a workgroup that makes a table each expert has a thread.
inline constexpr int kMostTableExperts = kTableThreads;
// Each lane of a wave keeps the scores of up to 32 or 16 experts, and at the end one choice.
inline constexpr int kMostTopKExperts = 1024, kMostTopK = 32;

// Arrays of a batch follow one another.
struct TableArgs {
  const int32_t* chosen;  // [choices]: experts. Other numbers stand for the nearest expert.
  int32_t* group_sizes;   // [num_experts]: the rows of each expert
  int32_t* experts;       // [choices]: the expert of each row, ascending
  int32_t* choice;        // [choices]: the choice of each row
  int32_t* token;         // [choices]: the token of each row
  int32_t* row;           // [choices]: the row of each choice
  int32_t* counts;        // [workgroups, num_experts]: the rows of each workgroup's choices
  int32_t choices, num_experts;
  int32_t top_k;  // choices of each token
  // Workgroup w of a batch has the choices from w * part to (w + 1) * part, a multiple of
  // kTableThreads. A workgroup that is alone needs no `counts`.
  int32_t workgroups, part;

  JAXGEMM_DEVICE TableArgs OfBatch(int64_t batch) const {
    TableArgs args = *this;
    args.chosen += batch * choices;
    args.group_sizes += batch * num_experts;
    args.experts += batch * choices;
    args.choice += batch * choices;
    args.token += batch * choices;
    args.row += batch * choices;
    args.counts += batch * workgroups * num_experts;
    return args;
  }
};

struct TopKArgs {
  const int32_t* scores;  // [tokens, num_experts]: the bits of float32
  int32_t* chosen;        // [tokens, top_k]: the experts with the largest scores, best first
  float* weights;         // [tokens, top_k]: the softmax of these scores
  int64_t tokens;
  int32_t num_experts, top_k;
};

// The arrays have one dtype, but for w and dw, and their rows have H elements, whole vectors of 16
// bytes.
struct GatedArgs {
  const void* z;   // [rows, 2, H]: gate and up
  const void* g;   // [rows, H]: the cotangent of the weighted rows
  const float* w;  // [rows]
  void* dz;        // [rows, 2, H]: w g up silu'(gate), and w g silu(gate); it may be z
  void* hw;        // [rows, H]: w silu(gate) up; it may be g
  float* dw;       // [rows]: the sums over H of g silu(gate) up
  int64_t rows;
  int32_t vectors;    // those of H elements
  int32_t lane_bits;  // 2**lane_bits lanes share a row; at most kGatedThreads
};

// Where the rows of a gated gradient are written. Rows from `count` on, and rows whose place is not
// in the results, are neither read nor written.
struct GatedPlaces {
  const int32_t* places;  // [rows of the call]: distinct rows of the results; null: row i is row i
  const int32_t* count;   // one number; null: all rows
  int64_t rows;           // those of dz, hw and dw
};
struct PlacedGatedArgs {
  GatedArgs gated;  // dz and hw are neither z nor g, if there are places
  GatedPlaces to;
};

// Rows of float8.
struct Float8Rows {
  void* values;        // [rows, K]
  void* scales;        // [rows, blocks]: float32, or float8_e8m0fnu if `mx`
  bool e5m2;           // the values are e5m2, else e4m3, in the target's formats
  bool mx;             // the scales are powers of two
  int32_t block_bits;  // the vectors of 2**block_bits lanes share a scale; -1: those of a row do
};

// The rows of x have K elements, whole vectors of 16 bytes, and whole blocks. Rows out of bounds
// are not read: they become zeros, with scales of 1.
struct QuantizeArgs {
  const void* x;          // [rows, K]; or gate and up [rows, 2, K]: the rows are silu(gate) up
  const int32_t* bounds;  // [rows / batch_rows, 2]: the first row, and the end
  Float8Rows out;
  int64_t rows, batch_rows;
  int32_t vectors;    // those of K elements
  int32_t lane_bits;  // 2**lane_bits lanes share a row; at most kQuantizeThreads
};

// Arrays of a batch follow one another. Rows out of bounds are not read, and become zeros.
struct ColumnsArgs {
  const void* x;                     // [num_lines, columns], whole vectors of 16 bytes
  const int32_t* lines;              // [rows]: the line of x that is the row; null: row i is line i
  const float* factors;              // [rows]
  const int32_t* bounds;             // [2]: the first row, and the end
  void* out;                         // [columns, rows]: the rows times their factors, in float8
  int64_t rows, num_lines, columns;  // rows: a multiple of 8
  int32_t row_tiles, column_tiles;
  bool e5m2;  // out is e5m2, else e4m3, in the target's formats
};

// Rows of any dtype, whole vectors of 16 bytes. Rows out of bounds are neither read nor written.
struct GatherArgs {
  const void* x;          // [num_lines, K]
  const int32_t* lines;   // [rows]: the line of x that the row is; one that is not there is zeros
  const int32_t* bounds;  // [2]: the first row, and the end
  void* out;              // [rows, K]
  int64_t rows, num_lines;
  int32_t vectors;    // those of K elements
  int32_t lane_bits;  // 2**lane_bits lanes share a row; at most kRowsThreads
};

// The gated gradient, and dz in float8, of rows with 2 H elements.
struct QuantizedGatedArgs {
  GatedArgs gated;
  Float8Rows out;
};

}  // namespace jaxgemm
