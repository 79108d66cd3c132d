// From a custom call's attributes and buffers to a checked Call, on every platform.
//
// operands: lhs [B, M, K] or [B, K, M] (lhs_contracting 1 or 0), rhs [B, K, N] or [B, N, K]
//   (rhs_contracting 0 or 1), where B may be missing from one operand (shared) or both;
//   if tiles_per_chunk_m > 0, chunk_signals u32[C] or u32[B, C], and their epoch u32[1];
//   unless ragged="none", group_sizes s32[G] or s32[B, G], and group_offset s32[1] if
//   group_offset=1; if accumulate=1 what is added to, like out and aliased to it; bias [N] or
//   [B, N] if bias=1; scale [N], [1], [B, N] or [B, 1] if scale=1.
// results: out [B, M, N]; preact like out if save_preact=1; workspace u8[>= plan's].
// ragged="m": rhs has L groups before its last two dimensions, bias and scale have L for B.
// ragged="k": out has L groups before its last two dimensions; there is no bias or scale.
// gated=1: rhs, bias, scale and preact have 2 N columns.
// attributes: a resolved plan, as plan() of module.cc returns it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "call.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgemm {

// Why a handler refuses, as a sentence; empty: it does not.
using Refusal = std::string;

// A buffer's shape, for messages.
std::string Shape(const xla::ffi::AnyBuffer& buffer);

// Where the plan's workspace begins in its buffer, which has as many bytes more.
inline constexpr int64_t kWorkspaceAlignment = 64;
inline char* AlignWorkspace(void* buffer) {
  const auto start = reinterpret_cast<uintptr_t>(buffer);
  return reinterpret_cast<char*>((start + kWorkspaceAlignment - 1) / kWorkspaceAlignment *
                                 kWorkspaceAlignment);
}

// What the attributes say. Views into the call frame.
struct Attributes {
  Problem problem;  // but for what the buffers say
  Config config;
  std::string_view target;
};

// Adds the attributes to a handler's binding, in the order of ParseAttributes' parameters.
template <class Binding>
auto BindAttributes(Binding binding) {
  return std::move(binding)
      .template Attr<int64_t>("accumulate")
      .template Attr<std::string_view>("activation")
      .template Attr<int64_t>("bias")
      .template Attr<int64_t>("claim_ahead")
      .template Attr<int64_t>("gated")
      .template Attr<int64_t>("group_m")
      .template Attr<int64_t>("group_offset")
      .template Attr<std::string_view>("kernel")
      .template Attr<int64_t>("lhs_contracting")
      .template Attr<int64_t>("num_queues")
      .template Attr<int64_t>("num_shares")
      .template Attr<int64_t>("num_threads")
      .template Attr<int64_t>("num_workgroups")
      .template Attr<std::string_view>("ragged")
      .template Attr<std::string_view>("reduction")
      .template Attr<int64_t>("rhs_contracting")
      .template Attr<int64_t>("save_preact")
      .template Attr<int64_t>("scale")
      .template Attr<std::string_view>("schedule")
      .template Attr<std::string_view>("target")
      .template Attr<int64_t>("tile_idx_pivot_m")
      .template Attr<int64_t>("tile_k")
      .template Attr<int64_t>("tile_m")
      .template Attr<int64_t>("tile_n")
      .template Attr<int64_t>("tiles_per_chunk_m")
      .template Attr<int64_t>("timeout_ns");
}

Refusal ParseAttributes(Attributes* attributes, int64_t accumulate, std::string_view activation,
                        int64_t bias, int64_t claim_ahead, int64_t gated, int64_t group_m,
                        int64_t group_offset, std::string_view kernel, int64_t lhs_contracting,
                        int64_t num_queues, int64_t num_shares, int64_t num_threads,
                        int64_t num_workgroups, std::string_view ragged,
                        std::string_view reduction, int64_t rhs_contracting, int64_t save_preact,
                        int64_t scale, std::string_view schedule, std::string_view target,
                        int64_t tile_idx_pivot_m, int64_t tile_k, int64_t tile_m, int64_t tile_n,
                        int64_t tiles_per_chunk_m, int64_t timeout_ns);

// Makes the plan again and checks that every buffer is as it needs it.
Refusal ParseCall(xla::ffi::RemainingArgs args, xla::ffi::RemainingRets rets,
                  const Attributes& attributes, Call* call);

}  // namespace jaxgemm
