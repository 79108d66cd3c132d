// The XLA FFI handlers of the custom calls around a product whose lhs arrives in chunks;
// jaxgemm/chunked/producers.py emits the first two, jaxgemm/custom_call.py the last.
//
// "jaxgemm_chunks_start"
//   operand: source. results: data, like source; signals u32[C], C = ceil(n / chunk_rows) for the
//   n rows along `axis`. attributes: axis, chunk_rows, first_chunk, from_host, product_leaves_room.
//   Zeroes the signals and lists a copy, which the first "jaxgemm_chunked_gemm" of these signals
//   in the same run begins: chunk after chunk, setting the signal of each to 1 behind it. On GPUs
//   the copy ends before that product starts, unless one of the last two attributes is not 0; the
//   CPU heeds neither. The product's call ends behind the copy, so that nothing of a program that
//   fails between start and join writes to memory that has become another's.
// "jaxgemm_chunks_join"
//   operands: data, signals, sources[num_sources], then what the consumer computed. results: the
//   latter, aliased where XLA keeps to it. attributes: epoch, num_sources, timeout_ns.
//   epoch=-1: waits for the copy that was listed under these signals in this run, and makes it
//   where no product did. Else waits until all signals are the epoch, or fails after the timeout; a
//   GPU's host waits.
// "jaxgemm_chunk_status", on GPUs
//   operands: a product's results but the workspace, then the workspace. results: all but the
//   workspace, aliased. attributes: status_offset, timeout_ns.
//   Waits for the product on the host; an error where a chunk did not come.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kStartTarget[] = "jaxgemm_chunks_start";
inline constexpr char kJoinTarget[] = "jaxgemm_chunks_join";
inline constexpr char kStatusTarget[] = "jaxgemm_chunk_status";

// On platform "cpu".
XLA_FFI_Error* StartHost(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* JoinHost(XLA_FFI_CallFrame* call_frame);

// On GPUs. None may become part of a command buffer: a producer has a stream of its own.
struct ChunkHandlers {
  XLA_FFI_Handler* start_initialize;
  XLA_FFI_Handler* start;
  XLA_FFI_Handler* join;
  XLA_FFI_Handler* status;
};
extern const ChunkHandlers kRocmChunkHandlers, kCudaChunkHandlers;

}  // namespace jaxgemm
