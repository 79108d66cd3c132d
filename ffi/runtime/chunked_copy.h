// A copy in chunks: what the producers of jaxgemm_chunks_start do.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jaxgemm {

// The array [outer, rows, row_bytes] is copied to one of the same shape, chunk_rows rows of every
// outer index at a time. A chunk's signal is 0 until the chunk is there, then 1.
struct ChunkedCopy {
  const char* source = nullptr;
  char* data = nullptr;
  uint32_t* signals = nullptr;  // num_chunks()
  int64_t outer = 1, rows = 0, row_bytes = 0;
  int64_t chunk_rows = 1;
  int64_t first_chunk = 0;  // then the next, round
  // For GPUs: the source is pinned memory; a product leaves multiprocessors free for this copy.
  bool from_host = false, product_leaves_room = false;

  // Whether a product that waits for a GPU's copy may run at the same time. Copies from the host
  // need no multiprocessor. Drivers do those within a device by engines or by kernels, as it suits
  // them, and a kernel would wait for a product that has all multiprocessors and waits for it.
  bool beside_products() const { return from_host || product_leaves_room; }

  int64_t num_chunks() const { return (rows + chunk_rows - 1) / chunk_rows; }
  int64_t chunk(int64_t turn) const { return (first_chunk + turn) % num_chunks(); }

  // Where a chunk's piece of outer index 0 is, and how long the piece is of every outer index.
  // Pieces are pitch() bytes from one another.
  int64_t offset(int64_t chunk) const { return chunk * chunk_rows * row_bytes; }
  int64_t bytes(int64_t chunk) const {
    return std::min(chunk_rows, rows - chunk * chunk_rows) * row_bytes;
  }
  int64_t pitch() const { return rows * row_bytes; }
};

}  // namespace jaxgemm
