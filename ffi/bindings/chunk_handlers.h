// The XLA FFI handlers of the custom calls around a product with an lhs that arrives in chunks;
// jaxgemm/chunked/producers.py emits the first two, jaxgemm/call/lower.py the last.
//
// "jaxgemm_chunks_start"
//   operand: source. results: data, like source; signals u32[C], C = ceil(n / chunk_rows) for the
//   n rows along `axis`. attributes: axis, chunk_rows, first_chunk, from_host, product_leaves_room.
//   Zeroes the signals and lists a copy. The first "jaxgemm_chunked_gemm" of these signals in the
//   same run begins the copy, which sets the signal of each chunk to 1 when the chunk has arrived.
//   On GPUs the copy ends before that product starts, unless from_host or product_leaves_room is
//   1; on the CPU they have no effect. The product's call ends after the copy, so that a program
//   that fails between start and join does not write to memory that XLA has given to others.
// "jaxgemm_chunks_join"
//   operands: data, signals, sources[num_sources], then what the consumer computed. results: what
//   the consumer computed, aliased if XLA allows it. attributes: epoch, num_sources, timeout_ns.
//   epoch=-1: waits for the copy that was listed under these signals in this run, and makes it if
//   no product has begun it. Else waits until all signals equal the epoch, or fails after the
//   timeout; on a GPU the host waits.
// "jaxgemm_chunk_status", on GPUs
//   operands: a product's results, the workspace last. results: all but the workspace, aliased.
//   attributes: status_offset, timeout_ns.
//   Waits for the product on the host, and fails if a chunk did not arrive.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kStartTarget[] = "jaxgemm_chunks_start";
inline constexpr char kJoinTarget[] = "jaxgemm_chunks_join";
inline constexpr char kStatusTarget[] = "jaxgemm_chunk_status";

// On platform "cpu".
XLA_FFI_Error* StartHost(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* JoinHost(XLA_FFI_CallFrame* call_frame);

// On GPUs. None may become part of a command buffer, because a producer has a stream of its own.
struct ChunkHandlers {
  XLA_FFI_Handler* start_initialize;
  XLA_FFI_Handler* start;
  XLA_FFI_Handler* join;
  XLA_FFI_Handler* status;
};
extern const ChunkHandlers kRocmChunkHandlers, kCudaChunkHandlers;

}  // namespace jaxgemm
