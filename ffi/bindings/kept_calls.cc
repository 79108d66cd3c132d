#include "bindings/kept_calls.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/decode.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

// A call's signature is everything on which its check depends, beside the addresses of its buffers,
// in words. Two calls have the same words only if their attributes, types and shapes are the same.
// These walk through a frame and give each word to `to`, which returns false to stop: a Writer
// keeps the words, a Comparer compares them with others. False: `to` has stopped, or the frame has
// something that a signature does not have.

// The length and the text in words, the last of which may repeat a part of the one before.
template <class To>
[[gnu::always_inline]] inline bool AddText(const XLA_FFI_ByteSpan& text, To& to) {
  const size_t length = text.len;
  const auto part = [&]<class T>(T value, size_t at) {
    std::memcpy(&value, text.ptr + at, sizeof value);
    return static_cast<int64_t>(value);
  };
  if (!to.Add(static_cast<int64_t>(length))) return false;
  if (length >= 8) {
    for (size_t i = 0; i + 8 < length; i += 8) {
      if (!to.Add(part(int64_t{}, i))) return false;
    }
    return to.Add(part(int64_t{}, length - 8));
  }
  if (length >= 4) return to.Add(part(uint32_t{}, 0) << 32 | part(uint32_t{}, length - 4));
  if (length == 0) return true;
  return to.Add(part(uint8_t{}, 0) << 16 | part(uint8_t{}, length / 2) << 8 |
                part(uint8_t{}, length - 1));
}

template <class To>
bool AddBuffer(const void* given, To& to) {
  const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(given);
  if (!to.Add(buffer.dtype) || !to.Add(buffer.rank)) return false;
  for (int64_t i = 0; i < buffer.rank; ++i) {
    if (!to.Add(buffer.dims[i])) return false;
  }
  return true;
}

template <class To>
bool AddFrame(const XLA_FFI_CallFrame& frame, To& to) {
  if (!to.Add(frame.args.size) || !to.Add(frame.rets.size)) return false;
  for (int64_t i = 0; i < frame.args.size; ++i) {
    if (frame.args.types[i] != XLA_FFI_ArgType_BUFFER) return false;
    if (!AddBuffer(frame.args.args[i], to)) return false;
  }
  for (int64_t i = 0; i < frame.rets.size; ++i) {
    if (frame.rets.types[i] != XLA_FFI_RetType_BUFFER) return false;
    if (!AddBuffer(frame.rets.rets[i], to)) return false;
  }
  const XLA_FFI_Attrs& attrs = frame.attrs;
  if (!to.Add(attrs.size)) return false;
  for (int64_t i = 0; i < attrs.size; ++i) {
    if (!AddText(*attrs.names[i], to)) return false;
    if (attrs.types[i] == XLA_FFI_AttrType_STRING) {
      if (!AddText(*static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[i]), to)) return false;
      continue;
    }
    if (attrs.types[i] != XLA_FFI_AttrType_SCALAR) return false;
    const auto& scalar = *static_cast<const XLA_FFI_Scalar*>(attrs.attrs[i]);
    if (scalar.dtype != XLA_FFI_DataType_S64) return false;
    // No string has the length -1, so a scalar is never taken for a string.
    if (!to.Add(-1) || !to.Add(*static_cast<const int64_t*>(scalar.value))) return false;
  }
  return true;
}

struct Writer {
  std::vector<int64_t> words;
  bool Add(int64_t word) {
    words.push_back(word);
    return true;
  }
};

// It stops at the first difference. So it never reads more words than there are: how many words
// follow is decided by words that were equal.
struct Comparer {
  const int64_t* next;
  bool Add(int64_t word) { return word == *next++; }
};

struct Kept {
  std::vector<int64_t> signature;
  HostCall call;
  std::string target, kernel;  // those of the call, whose own are views
  bool is_simple = false;      // whether KeptCall returns it
};

std::unique_ptr<Kept> Keep(const XLA_FFI_CallFrame& frame) {
  Writer signature;
  if (!AddFrame(frame, signature)) return nullptr;
  Attributes attributes;
  if (!ParseAttributes({&frame.attrs}, &attributes).empty()) return nullptr;
  auto kept = std::make_unique<Kept>();
  kept->signature = std::move(signature.words);
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
  std::string error;
  const Problem& problem = kept->call.problem;  // which has the types of the buffers
  kept->call.kernel = ChooseHostKernel(problem.lhs_dtype, problem.rhs_dtype, choice.kernel, &error);
  if (!kept->call.kernel) return nullptr;
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

uint64_t HashOfSizes(const XLA_FFI_CallFrame& frame) {
  uint64_t hash = 0;
  for (int64_t i = 0; i < frame.args.size; ++i) {
    if (frame.args.types[i] != XLA_FFI_ArgType_BUFFER) continue;
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(frame.args.args[i]);
    for (int64_t d = 0; d < buffer.rank; ++d) {
      hash = (hash << 7 | hash >> 57) ^ static_cast<uint64_t>(buffer.dims[d]);
    }
  }
  return hash * 0x9e3779b97f4a7c15u >> 32;
}

}  // namespace

const HostCall* KeptCall(const XLA_FFI_CallFrame& frame) {
  // Each thread has its own, so that no call waits for another. A call may be in one of a few
  // places, which its sizes say.
  constexpr uint64_t kSets = 32, kPlaces = 4;
  struct Set {
    std::array<std::unique_ptr<Kept>, kPlaces> places;
    uint64_t next = 0;  // the place that the next new call takes
  };
  thread_local std::array<Set, kSets> sets;
  if (frame.stage != XLA_FFI_ExecutionStage_EXECUTE || frame.extension_start) return nullptr;
  Set& set = sets[HashOfSizes(frame) % kSets];
  Kept* kept = nullptr;
  for (const std::unique_ptr<Kept>& place : set.places) {
    if (!place) break;
    Comparer comparer{place->signature.data()};
    if (AddFrame(frame, comparer)) {
      kept = place.get();
      break;
    }
  }
  if (!kept) {
    std::unique_ptr<Kept> added = Keep(frame);
    if (!added) return nullptr;
    kept = added.get();
    set.places[set.next++ % kPlaces] = std::move(added);
  }
  if (!kept->is_simple) return nullptr;
  SetAddresses(frame, &kept->call);
  return &kept->call;
}

}  // namespace jaxgemm
