// A copy in chunks, as jaxgemm_chunks_start lists it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jaxgemm {

// The array [outer, rows, row_bytes] is copied to an array of the same shape. A chunk is chunk_rows
// rows of every outer index. A chunk's signal is 0 until the chunk has arrived, then 1.
struct ChunkedCopy {
  const char* source = nullptr;
  char* data = nullptr;
  uint32_t* signals = nullptr;  // num_chunks()
  int64_t outer = 1, rows = 0, row_bytes = 0;
  int64_t chunk_rows = 1;
  int64_t first_chunk = 0;  // is copied first; the others follow cyclically
  // For GPUs: the source is pinned host memory; the product leaves multiprocessors free for this
  // copy.
  bool from_host = false, product_leaves_room = false;

  // Whether a GPU may run this copy and the product that waits for it at the same time. A copy from
  // the host needs no multiprocessor. A copy within a device may run on a copy engine or as a
  // kernel: the driver decides. Such a kernel would wait for a product that has all multiprocessors
  // and waits for the copy.
  bool beside_products() const { return from_host || product_leaves_room; }

  int64_t num_chunks() const { return (rows + chunk_rows - 1) / chunk_rows; }
  int64_t chunk(int64_t turn) const { return (first_chunk + turn) % num_chunks(); }

  // A chunk has one piece for each outer index. The piece of outer index 0 is at offset(chunk);
  // each piece has bytes(chunk) bytes, and the next piece is pitch() bytes further on.
  int64_t offset(int64_t chunk) const { return chunk * chunk_rows * row_bytes; }
  int64_t bytes(int64_t chunk) const {
    return std::min(chunk_rows, rows - chunk * chunk_rows) * row_bytes;
  }
  int64_t pitch() const { return rows * row_bytes; }
};

}  // namespace jaxgemm
