#include "bindings/kept_calls.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/decode.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

// Everything on which the check of a call depends, beside the addresses of its buffers. Two calls
// have the same words only if their attributes, types and shapes are the same.
struct Signature {
  static constexpr int64_t kMost = 512;
  int64_t words[kMost];
  int64_t size = 0;
  uint64_t hash = 0;

  std::vector<int64_t> Copy() const { return {words, words + size}; }
  bool Is(const std::vector<int64_t>& other) const {
    return static_cast<int64_t>(other.size()) == size &&
           std::memcmp(other.data(), words, other.size() * 8) == 0;
  }
};

// Writes a signature. It is not a part of it, so that the compiler keeps it in registers.
struct Writer {
  int64_t* to;
  int64_t room;  // at least 1 if all has fitted
  uint64_t hash = 0;

  void Add(int64_t word) {
    *to = word;
    if (room > 1) ++to;
    room -= room > 0;
  }
  void AddHashed(int64_t word) {
    Add(word);
    hash = (hash << 5 | hash >> 59) ^ static_cast<uint64_t>(word);
  }
  // The length and the text in words, the last of which may repeat a part of the one before.
  void Add(const XLA_FFI_ByteSpan& text) {
    const size_t length = text.len;
    const auto part = [&]<class T>(T value, size_t at) {
      std::memcpy(&value, text.ptr + at, sizeof value);
      return static_cast<int64_t>(value);
    };
    Add(static_cast<int64_t>(length));
    if (length >= 8) {
      for (size_t i = 0; i + 8 < length; i += 8) Add(part(int64_t{}, i));
      Add(part(int64_t{}, length - 8));
    } else if (length >= 4) {
      Add(part(uint32_t{}, 0) << 32 | part(uint32_t{}, length - 4));
    } else if (length > 0) {
      Add(part(uint8_t{}, 0) << 16 | part(uint8_t{}, length / 2) << 8 |
          part(uint8_t{}, length - 1));
    }
  }
  void AddBuffer(const void* given) {
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(given);
    Add(buffer.dtype);
    Add(buffer.rank);
    for (int64_t i = 0; i < buffer.rank; ++i) AddHashed(buffer.dims[i]);
  }
};

// False if the frame has something that a signature does not have, or too much.
bool Read(const XLA_FFI_CallFrame& frame, Signature* signature) {
  Writer writer{signature->words, Signature::kMost};
  const XLA_FFI_Attrs& attrs = frame.attrs;
  writer.Add(attrs.size);
  for (int64_t i = 0; i < attrs.size; ++i) {
    writer.Add(*attrs.names[i]);
    if (attrs.types[i] == XLA_FFI_AttrType_STRING) {
      writer.Add(*static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[i]));
      continue;
    }
    if (attrs.types[i] != XLA_FFI_AttrType_SCALAR) return false;
    const auto& scalar = *static_cast<const XLA_FFI_Scalar*>(attrs.attrs[i]);
    if (scalar.dtype != XLA_FFI_DataType_S64) return false;
    writer.Add(-1);  // no string has this length, so a scalar is never taken for a string
    writer.AddHashed(*static_cast<const int64_t*>(scalar.value));
  }
  writer.Add(frame.args.size);
  for (int64_t i = 0; i < frame.args.size; ++i) {
    if (frame.args.types[i] != XLA_FFI_ArgType_BUFFER) return false;
    writer.AddBuffer(frame.args.args[i]);
  }
  writer.Add(frame.rets.size);
  for (int64_t i = 0; i < frame.rets.size; ++i) {
    if (frame.rets.types[i] != XLA_FFI_RetType_BUFFER) return false;
    writer.AddBuffer(frame.rets.rets[i]);
  }
  signature->size = writer.to - signature->words;
  signature->hash = writer.hash * 0x9e3779b97f4a7c15u >> 32;
  return writer.room > 0;
}

struct Kept {
  std::vector<int64_t> signature;
  HostCall call;
  std::string target, kernel;  // those of the call, whose own are views
  bool is_simple = false;      // whether KeptCall returns it
};

std::unique_ptr<Kept> Keep(const XLA_FFI_CallFrame& frame, const Signature& signature) {
  Attributes attributes;
  if (!ParseAttributes({&frame.attrs}, &attributes).empty()) return nullptr;
  auto kept = std::make_unique<Kept>();
  kept->signature = signature.Copy();
  const Problem& p = attributes.problem;
  const Choice& c = attributes.choice;
  // Whether an addend is the same buffer as out depends on the addresses.
  kept->is_simple =
      c.target == "cpu" && c.num_threads == 1 && p.tiles_per_chunk == 0 && !p.accumulate;
  if (!kept->is_simple) return kept;
  const Refusal refusal = ParseCall(ffi::RemainingArgs(&frame.args, 0),
                                    ffi::RemainingRets(&frame.rets, 0), attributes, &kept->call);
  if (!refusal.empty()) return nullptr;
  Choice& choice = kept->call.plan.choice;
  kept->target = choice.target, kept->kernel = choice.kernel;
  choice.target = kept->target, choice.kernel = kept->kernel;
  return kept;
}

void SetAddresses(const XLA_FFI_CallFrame& frame, HostCall* call) {
  const Problem& p = call->problem;
  void *const *arg = frame.args.args, *const *ret = frame.rets.rets;
  const auto data = [](const void* buffer) {
    return static_cast<const XLA_FFI_Buffer*>(buffer)->data;
  };
#define JAXGEMM_OPERAND(type, name, is_there) \
  if (is_there) call->name = static_cast<const type*>(data(*arg++));
#define JAXGEMM_RESULT(type, name, is_there) \
  if (is_there) call->name = static_cast<type*>(data(*ret++));
#include "spec/call_schema.def"
#undef JAXGEMM_OPERAND
#undef JAXGEMM_RESULT
  call->workspace = AlignWorkspace(call->workspace);
}

}  // namespace

HostCall* KeptCall(const XLA_FFI_CallFrame& frame) {
  // Each thread has its own, so that no call waits for another. A call takes the place of another
  // one with the same hash.
  constexpr size_t kCalls = 64;
  thread_local std::array<std::unique_ptr<Kept>, kCalls> calls;
  if (frame.stage != XLA_FFI_ExecutionStage_EXECUTE || frame.extension_start) return nullptr;
  Signature signature;
  if (!Read(frame, &signature)) return nullptr;
  std::unique_ptr<Kept>& kept = calls[signature.hash % kCalls];
  if (!kept || !signature.Is(kept->signature)) kept = Keep(frame, signature);
  if (!kept || !kept->is_simple) return nullptr;
  SetAddresses(frame, &kept->call);
  return &kept->call;
}

}  // namespace jaxgemm
