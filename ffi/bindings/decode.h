// Makes a checked Call from a custom call's attributes and buffers, on every platform.
//
// spec/call_schema.def lists the attributes, operands and results. Their shapes: lhs [B, M, K] or
// [B, K, M] (lhs_contracting 1 or 0), rhs [B, K, N] or [B, N, K] (rhs_contracting 0 or 1), where B
// may be missing from one of them (it is shared) or both; out [B, M, N], preact like out; workspace
// u8[>= the plan's]. ragged="m": rhs has L groups before its last two dimensions. ragged="k": out
// has L groups before its last two dimensions; there are no vectors. gated=1: rhs and preact have
// 2 N columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/call.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgemm {

// The reason why a handler refuses a call, as a sentence; empty if it does not.
using Refusal = std::string;

// The result of a call that is refused, or of one that failed unless the error is empty. `call` is
// what begins the message.
xla::ffi::Error Refused(std::string_view call, const Refusal& refusal);
xla::ffi::Error Outcome(std::string_view call, const std::string& error);

// A buffer's shape, for messages.
std::string Shape(const xla::ffi::AnyBuffer& buffer);

// The plan's workspace begins at the first multiple of this in its buffer, which has as many bytes
// more than the workspace.
inline constexpr int64_t kWorkspaceAlignment = 64;
inline char* AlignWorkspace(void* buffer) {
  const auto start = reinterpret_cast<uintptr_t>(buffer);
  return reinterpret_cast<char*>((start + kWorkspaceAlignment - 1) / kWorkspaceAlignment *
                                 kWorkspaceAlignment);
}

// The attributes of a call as XLA passes them, sorted by name. (ffi::Dictionary finds each by a
// binary search, which took most of the time of a small product.)
struct GivenAttributes {
  const XLA_FFI_Attrs* attrs;
};

// The decoded attributes. Their strings are views into the call frame.
struct Attributes {
  Problem problem;  // without the fields that come from the buffers
  Choice choice;
};

// Reads all attributes of a call. One attribute more or less is refused.
Refusal ParseAttributes(GivenAttributes given, Attributes* attributes);

// Derives the plan and checks that every buffer has the shape and type that the plan needs.
Refusal ParseCall(xla::ffi::RemainingArgs args, xla::ffi::RemainingRets rets,
                  const Attributes& attributes, Call* call);

}  // namespace jaxgemm

template <>
struct xla::ffi::internal::Decode<xla::ffi::internal::AttrsTag<jaxgemm::GivenAttributes>> {
  static std::optional<jaxgemm::GivenAttributes> call(DecodingOffsets&, DecodingContext& ctx,
                                                      DiagnosticEngine&) {
    return jaxgemm::GivenAttributes{&ctx.call_frame->attrs};
  }
};

// The attributes of a product as one attribute of another call.
template <>
struct xla::ffi::AttrDecoding<jaxgemm::GivenAttributes> {
  using Type = jaxgemm::GivenAttributes;
  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr,
                                    DiagnosticEngine& diagnostic) {
    if (type == XLA_FFI_AttrType_DICTIONARY) return Type{static_cast<XLA_FFI_Attrs*>(attr)};
    return diagnostic.Emit("the attributes of the product are no dictionary");
  }
};
