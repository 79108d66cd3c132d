// The error of a product that waited for a chunk of its lhs without success.
#pragma once

#include <cstdint>
#include <string>

#include "spec/text.h"

namespace jaxgemm {

// The time limit of a wait, for messages.
inline std::string Limit(int64_t timeout_ns) {
  return timeout_ns < 1'000'000 ? Str(timeout_ns / 1000) + " us"
                                : Str(timeout_ns / 1'000'000) + " ms";
}

// The error for ChunkSignals::status after the kernel, or "".
inline std::string MissingChunk(int32_t status, int64_t timeout_ns) {
  if (status == 0) return "";
  return "signal " + Str(int64_t{status} - 1) +
         " of chunk_signals did not become the epoch "
         "within " +
         Limit(timeout_ns) +
         ", so the product was given up and its result is void. "
         "Start the producer before the product, on a stream or thread of its own, leave "
         "processors free for it (GemmConfig(num_workgroups=...)), or pass a longer timeout.";
}

}  // namespace jaxgemm
