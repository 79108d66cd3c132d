#include "bindings/chunk_handlers.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "bindings/decode.h"
#include "bindings/pass_through.h"
#include "host/producer.h"
#include "plan/check.h"
#include "runtime/missing_chunk.h"
#include "runtime/side_stream.h"
#include "schedule/atomics.h"
#include "spec/text.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

// ----------------------------------------------------------------------------------- start

Refusal ParseStart(const ffi::AnyBuffer& source, const ffi::AnyBuffer& data,
                   const ffi::AnyBuffer& signals, int64_t axis, int64_t chunk_rows,
                   int64_t first_chunk, int64_t from_host, int64_t product_leaves_room,
                   ChunkedCopy* copy) {
  auto dims = source.dimensions();
  if (source.element_type() != data.element_type() ||
      !std::equal(dims.begin(), dims.end(), data.dimensions().begin(), data.dimensions().end())) {
    return "source has shape " + Shape(source) + " and data " + Shape(data) +
           "; both must have one shape and one type.";
  }
  if (axis < 0 || axis >= static_cast<int64_t>(dims.size()) || chunk_rows < 1) {
    return "axis=" + Str(axis) + " and chunk_rows=" + Str(chunk_rows) + " of an array of " +
           Str(static_cast<int64_t>(dims.size())) +
           " dimensions; allowed are an axis from 0 on and at least one row.";
  }
  copy->source = static_cast<const char*>(source.untyped_data());
  copy->data = static_cast<char*>(data.untyped_data());
  copy->signals = static_cast<uint32_t*>(signals.untyped_data());
  copy->rows = dims[axis];
  copy->chunk_rows = chunk_rows;
  copy->first_chunk = first_chunk;
  copy->from_host = from_host != 0;
  copy->product_leaves_room = product_leaves_room != 0;
  copy->row_bytes = static_cast<int64_t>(ffi::ByteWidth(source.element_type()));
  for (int64_t i = 0; i < axis; ++i) copy->outer *= dims[i];
  for (size_t i = axis + 1; i < dims.size(); ++i) copy->row_bytes *= dims[i];
  const int64_t chunks = copy->num_chunks();
  if (signals.element_type() != ffi::DataType::U32 || signals.dimensions().size() != 1 ||
      signals.dimensions()[0] != chunks) {
    return "signals has shape " + Shape(signals) + "; it must be uint32[" + Str(chunks) +
           "], one "
           "for each chunk.";
  }
  if (first_chunk < 0 || first_chunk >= std::max<int64_t>(chunks, 1)) {
    return "first_chunk=" + Str(first_chunk) + "; there are " + Str(chunks) +
           " chunks, counted from 0.";
  }
  return "";
}

template <class Binding>
auto BindStart(Binding binding) {
  return std::move(binding)
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>()
      .template Attr<int64_t>("axis")
      .template Attr<int64_t>("chunk_rows")
      .template Attr<int64_t>("first_chunk")
      .template Attr<int64_t>("from_host")
      .template Attr<int64_t>("product_leaves_room");
}

// ------------------------------------------------------------------------------------ join

constexpr int64_t kListed = -1;  // given instead of an epoch if the producer is a listed copy

// The decoded arguments of a join.
struct JoinCall {
  int64_t epoch = kListed, timeout_ns = 0;
  size_t first_result = 0;  // the operand that is the first result
  const uint32_t* signals = nullptr;
  int64_t count = 0;

  // The error if signal `missing` is the first that does not equal the epoch; "" if it is -1.
  std::string Missing(int64_t missing) const {
    if (missing < 0) return "";
    return "signal " + Str(missing) + " did not become the epoch " + Str(epoch) + " within " +
           Limit(timeout_ns) +
           " of the join. Start the producer before the join, on a stream or "
           "thread of its own, let it set every signal to the epoch, or pass a longer timeout.";
  }
};

Refusal ParseJoin(ffi::RemainingArgs args, ffi::RemainingRets rets, int64_t epoch,
                  int64_t num_sources, int64_t timeout_ns, JoinCall* join) {
  constexpr int64_t kMaxEpoch = (int64_t{1} << 32) - 1;
  const int64_t operands = 2 + num_sources + static_cast<int64_t>(rets.size());
  if (num_sources < 0 || static_cast<int64_t>(args.size()) != operands) {
    return "got " + Str(static_cast<int64_t>(args.size())) + " operands and " +
           Str(static_cast<int64_t>(rets.size())) + " results; allowed are data, signals, " +
           Str(num_sources) + " sources and an operand for each result.";
  }
  if (epoch < kListed || epoch > kMaxEpoch) {
    return "epoch=" + Str(epoch) + "; allowed are -1 and 0 to 2**32 - 1.";
  }
  if (timeout_ns < 1 || timeout_ns > kMostTimeoutNs) {
    return "timeout_ns=" + Str(timeout_ns) + "; 1 to " + Str(kMostTimeoutNs) +
           " nanoseconds are allowed.";
  }
  auto given = args.get<ffi::AnyBuffer>(1);
  if (!given.has_value() || given->element_type() != ffi::DataType::U32) {
    return "signals are not uint32.";
  }
  *join = {.epoch = epoch,
           .timeout_ns = timeout_ns,
           .first_result = static_cast<size_t>(2 + num_sources),
           .signals = static_cast<const uint32_t*>(given->untyped_data()),
           .count = static_cast<int64_t>(given->element_count())};
  return "";
}

template <class Binding>
auto BindJoin(Binding binding) {
  return std::move(binding)
      .RemainingArgs()
      .RemainingRets()
      .template Attr<int64_t>("epoch")
      .template Attr<int64_t>("num_sources")
      .template Attr<int64_t>("timeout_ns");
}

// ------------------------------------------------------------------------------------ GPUs

template <OpenDriver kOpen, OpenStreams kStreams>
struct Gpu {
  static SideStreams* Streams(std::string* error) {
    return StreamsOf<SideStreams, kOpen, kStreams>(error);
  }

  static auto CopyOn(SideStreams* sides, int device, void* stream) {
    return [=](void* to, const void* from, size_t bytes) {
      return sides->Copy(to, from, bytes, device, stream);
    };
  }

  static XLA_FFI_Error* StartInitialize(XLA_FFI_CallFrame* call_frame) {
    static auto* handler = ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>()
                               .Ctx<ffi::DeviceOrdinal>()
                               .To([](int32_t device) {
      std::string error;
      SideStreams* sides = Streams(&error);
      return Outcome(kStartTarget, sides ? sides->Open(device) : error);
    }).release();
    return handler->Call(call_frame);
  }

  static XLA_FFI_Error* Start(XLA_FFI_CallFrame* call_frame) {
    static auto* handler =
        BindStart(ffi::Ffi::Bind()
                      .Ctx<ffi::DeviceOrdinal>()
                      .Ctx<ffi::PlatformStream<void*>>()
                      .Ctx<ffi::RunId>())
            .To([](int32_t device, void* stream, ffi::RunId run, ffi::AnyBuffer source,
                   ffi::Result<ffi::AnyBuffer> data, ffi::Result<ffi::AnyBuffer> signals,
                   int64_t axis, int64_t chunk_rows, int64_t first_chunk, int64_t from_host,
                   int64_t product_leaves_room) {
      ChunkedCopy copy;
      Refusal refusal = ParseStart(source, *data, *signals, axis, chunk_rows, first_chunk,
                                   from_host, product_leaves_room, &copy);
      if (!refusal.empty()) return Refused(kStartTarget, refusal);
      std::string error;
      SideStreams* sides = Streams(&error);
      return Outcome(kStartTarget, sides ? sides->List(run.run_id, copy, device, stream) : error);
    }).release();
    return handler->Call(call_frame);
  }

  static XLA_FFI_Error* Join(XLA_FFI_CallFrame* call_frame) {
    static auto* handler = BindJoin(ffi::Ffi::Bind()
                                        .Ctx<ffi::DeviceOrdinal>()
                                        .Ctx<ffi::PlatformStream<void*>>()
                                        .Ctx<ffi::RunId>())
                               .To([](int32_t device, void* stream, ffi::RunId run,
                                      ffi::RemainingArgs args, ffi::RemainingRets rets,
                                      int64_t epoch, int64_t num_sources, int64_t timeout_ns) {
      JoinCall join;
      Refusal refusal = ParseJoin(args, rets, epoch, num_sources, timeout_ns, &join);
      if (!refusal.empty()) return Refused(kJoinTarget, refusal);
      std::string error;
      SideStreams* sides = Streams(&error);
      if (!sides) return Outcome(kJoinTarget, error);
      if (epoch == kListed) {
        error = sides->Join(run.run_id, join.signals, device, stream);
      } else {
        int64_t missing = -1;
        error = sides->JoinSignals(join.signals, join.count, static_cast<uint32_t>(epoch),
                                   timeout_ns, device, stream, &missing);
        if (error.empty()) error = join.Missing(missing);
      }
      if (error.empty()) {
        error = PassThrough(args, join.first_result, rets, 0, CopyOn(sides, device, stream));
      }
      return Outcome(kJoinTarget, error);
    }).release();
    return handler->Call(call_frame);
  }

  static XLA_FFI_Error* Status(XLA_FFI_CallFrame* call_frame) {
    static auto* handler =
        ffi::Ffi::Bind()
            .Ctx<ffi::DeviceOrdinal>()
            .Ctx<ffi::PlatformStream<void*>>()
            .RemainingArgs()
            .RemainingRets()
            .Attr<int64_t>("status_offset")
            .Attr<int64_t>("timeout_ns")
            .To([](int32_t device, void* stream, ffi::RemainingArgs args, ffi::RemainingRets rets,
                   int64_t status_offset, int64_t timeout_ns) {
      Refusal refusal;
      if (args.size() != rets.size() + 1) {
        refusal = "there must be an operand for each result, and the workspace.";
      }
      auto workspace = args.get<ffi::AnyBuffer>(rets.size());
      const int64_t needed = status_offset + 4 + kWorkspaceAlignment;
      if (refusal.empty() && (!workspace.has_value() || status_offset < 0 ||
                              static_cast<int64_t>(workspace->size_bytes()) < needed)) {
        refusal = "status_offset=" + Str(status_offset) + " is not in the workspace.";
      }
      if (!refusal.empty()) return Refused(kStatusTarget, refusal);
      std::string error;
      SideStreams* sides = Streams(&error);
      if (!sides) return Outcome(kStatusTarget, error);
      int32_t status = 0;
      error = sides->ReadStatus(reinterpret_cast<const int32_t*>(
                                    AlignWorkspace(workspace->untyped_data()) + status_offset),
                                device, stream, &status);
      if (error.empty()) error = MissingChunk(status, timeout_ns);
      if (error.empty()) {
        error = PassThrough(args, 0, rets, 0, CopyOn(sides, device, stream));
      }
      return Outcome(kStatusTarget, error);
    }).release();
    return handler->Call(call_frame);
  }

  static constexpr ChunkHandlers kHandlers{StartInitialize, Start, Join, Status};
};

// Returns the first signal that does not become the epoch within the limit, or -1.
int64_t WaitForSignals(const JoinCall& join) {
  const int64_t begin = Nanoseconds();
  for (int64_t i = 0; i < join.count; ++i) {
    while (!AcquireIfEqual(join.signals + i, static_cast<uint32_t>(join.epoch))) {
      if (Nanoseconds() - begin > join.timeout_ns) return i;
      SleepBriefly();
    }
  }
  return -1;
}

}  // namespace

// ------------------------------------------------------------------------------------- CPU

XLA_FFI_Error* StartHost(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      BindStart(ffi::Ffi::Bind().Ctx<ffi::RunId>())
          .To([](ffi::RunId run, ffi::AnyBuffer source, ffi::Result<ffi::AnyBuffer> data,
                 ffi::Result<ffi::AnyBuffer> signals, int64_t axis, int64_t chunk_rows,
                 int64_t first_chunk, int64_t from_host, int64_t product_leaves_room) {
    ChunkedCopy copy;
    Refusal refusal = ParseStart(source, *data, *signals, axis, chunk_rows, first_chunk, from_host,
                                 product_leaves_room, &copy);
    if (!refusal.empty()) return Refused(kStartTarget, refusal);
    ListHostCopy(run.run_id, copy);
    return ffi::Error::Success();
  }).release();
  return handler->Call(call_frame);
}

XLA_FFI_Error* JoinHost(XLA_FFI_CallFrame* call_frame) {
  static auto* handler =
      BindJoin(ffi::Ffi::Bind().Ctx<ffi::RunId>())
          .To([](ffi::RunId run, ffi::RemainingArgs args, ffi::RemainingRets rets, int64_t epoch,
                 int64_t num_sources, int64_t timeout_ns) {
    JoinCall join;
    Refusal refusal = ParseJoin(args, rets, epoch, num_sources, timeout_ns, &join);
    if (!refusal.empty()) return Refused(kJoinTarget, refusal);
    std::string error;
    if (epoch == kListed) {
      JoinHostCopy(run.run_id, join.signals);
    } else {
      error = join.Missing(WaitForSignals(join));
    }
    if (error.empty()) {
      error = PassThrough(args, join.first_result, rets, 0,
                          [](void* to, const void* from, size_t bytes) {
        std::memcpy(to, from, bytes);
        return std::string();
      });
    }
    return Outcome(kJoinTarget, error);
  }).release();
  return handler->Call(call_frame);
}

constexpr ChunkHandlers kRocmChunkHandlers = Gpu<OpenHip, HipStreams>::kHandlers;
constexpr ChunkHandlers kCudaChunkHandlers = Gpu<OpenCuda, CudaStreams>::kHandlers;

}  // namespace jaxgemm
