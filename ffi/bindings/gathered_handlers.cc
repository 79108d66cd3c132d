#include "bindings/gathered_handlers.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/decode.h"
#include "runtime/gathered.h"
#include "runtime/launcher.h"
#include "spec/text.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

constexpr int64_t kMostPieces = 1024;

ffi::Error Refused(const Refusal& refusal) {
  return ffi::Error::InvalidArgument(Concat(kGatheredGemmTarget, ": ", refusal));
}
ffi::Error Outcome(const std::string& error) {
  return error.empty() ? ffi::Error::Success()
                       : ffi::Error::Internal(Concat(kGatheredGemmTarget, ": ", error));
}

// Finds the device's group in a text like "0 1;2 3", its place there and the group's size.
Refusal FindGroup(std::string_view groups, int device, GatheredRows* call) {
  for (size_t begin = 0; begin < groups.size();) {
    const size_t end = std::min(groups.find(';', begin), groups.size());
    const std::string_view group = groups.substr(begin, end - begin);
    int size = 0, rank = -1;
    for (const char *at = group.data(), *stop = at + group.size(); at < stop; ++at) {
      int ordinal = -1;
      const auto parsed = std::from_chars(at, stop, ordinal);
      if (parsed.ec != std::errc() || ordinal < 0) {
        return Concat("devices '", groups, "' are no numbers in groups.");
      }
      if (ordinal == device) rank = size;
      ++size;
      at = parsed.ptr;
    }
    if (rank >= 0) {
      call->group = std::string(group);
      call->size = size;
      call->rank = rank;
      return "";
    }
    begin = end + 1;
  }
  return Concat("device ", Str(int64_t{device}), " is none of '", groups,
                "', for which the program was lowered. Lower it again for this mesh.");
}

// A buffer as XLA passes it, with another first dimension.
class ResizedBuffer {
 public:
  ResizedBuffer(const ffi::AnyBuffer& buffer, int64_t rows)
      : dims_(buffer.dimensions().begin(), buffer.dimensions().end()),
        dtype_(static_cast<XLA_FFI_DataType>(buffer.element_type())),
        data_(buffer.untyped_data()) {
    if (rows >= 0 && !dims_.empty()) dims_[0] = rows;
  }
  XLA_FFI_Buffer* buffer() {
    made_ = {XLA_FFI_Buffer_STRUCT_SIZE,         nullptr,     dtype_, data_,
             static_cast<int64_t>(dims_.size()), dims_.data()};
    return &made_;
  }

 private:
  std::vector<int64_t> dims_;
  XLA_FFI_DataType dtype_;
  void* data_;
  XLA_FFI_Buffer made_;
};

// The product of the first piece, as ParseCall reads it, and the sizes of all.
struct GatheredCall {
  Call piece;
  GatheredRows rows;
  int64_t piece_rows = 0;
  char* workspaces[2] = {};

  Call At(const GatheredPiece& given) const {
    Call call = piece;
    const int64_t row = (given.owner * int64_t{rows.pieces} + given.piece) * piece_rows;
    const int64_t bytes = row * piece.problem.n * ElementBytes(piece.problem.out_dtype);
    call.lhs = given.rows;
    call.out = static_cast<char*>(piece.out) + bytes;
    if (call.preact) call.preact = static_cast<char*>(piece.preact) + bytes;
    call.workspace = workspaces[given.stream_number];
    return call;
  }
};

Refusal ParseGathered(ffi::RemainingArgs args, ffi::RemainingRets rets, GivenAttributes given,
                      std::string_view devices, int64_t pieces, int64_t timeout_ns, int device,
                      GatheredCall* call) {
  Attributes attributes;
  Refusal refusal = ParseAttributes(given, &attributes);
  if (refusal.empty()) refusal = FindGroup(devices, device, &call->rows);
  if (!refusal.empty()) return refusal;
  const auto lhs = args.get<ffi::AnyBuffer>(0);
  const size_t results = rets.size();
  if (!lhs.has_value() || lhs->dimensions().size() != 2 || results < 3 || pieces < 1 ||
      pieces > kMostPieces || lhs->dimensions()[0] % pieces != 0 || timeout_ns < 1) {
    return "its operands, results or pieces are not those of this call. Lower the program again.";
  }
  GatheredRows& rows = call->rows;
  const int64_t block_rows = lhs->dimensions()[0];
  call->piece_rows = block_rows / pieces;
  rows.pieces = static_cast<int>(pieces);
  rows.timeout_ns = timeout_ns;
  rows.rows = static_cast<const char*>(lhs->untyped_data());
  rows.block_bytes = static_cast<int64_t>(lhs->size_bytes());

  // ParseCall is given the buffers of one piece, and no `gathered`.
  std::vector<ResizedBuffer> buffers;
  std::vector<void*> arg_buffers, ret_buffers;
  buffers.reserve(args.size() + results);
  for (size_t i = 0; i < args.size(); ++i) {
    buffers.emplace_back(*args.get<ffi::AnyBuffer>(i), i == 0 ? call->piece_rows : -1);
    arg_buffers.push_back(buffers.back().buffer());
  }
  const size_t gathered = results - 2, workspace = results - 1;
  for (size_t i = 0; i < results; ++i) {
    const ffi::AnyBuffer buffer = **rets.get<ffi::AnyBuffer>(i);
    auto dims = buffer.dimensions();
    const int64_t blocks = i < gathered ? rows.size : rows.size - 1;
    if (i < workspace && (dims.size() != 2 || dims[0] != blocks * block_rows)) {
      return "result " + Str(static_cast<int64_t>(i)) + " has shape " + Shape(buffer) +
             "; it must have " + Str(blocks * block_rows) + " rows.";
    }
    if (i == gathered) {
      rows.gathered = static_cast<char*>(buffer.untyped_data());
      if (static_cast<int64_t>(buffer.size_bytes()) < blocks * rows.block_bytes) {
        return "there is no room for the rows of the other devices.";
      }
      continue;
    }
    const int64_t new_rows = i == workspace ? dims[0] / 2 : call->piece_rows;
    buffers.emplace_back(buffer, new_rows);
    ret_buffers.push_back(buffers.back().buffer());
    if (i == workspace) {
      char* const first = static_cast<char*>(buffer.untyped_data());
      call->workspaces[0] = AlignWorkspace(first);
      call->workspaces[1] = AlignWorkspace(first + dims[0] / 2);
    }
  }
  std::vector<XLA_FFI_ArgType> arg_types(arg_buffers.size(), XLA_FFI_ArgType_BUFFER);
  std::vector<XLA_FFI_RetType> ret_types(ret_buffers.size(), XLA_FFI_RetType_BUFFER);
  const XLA_FFI_Args piece_args{XLA_FFI_Args_STRUCT_SIZE, nullptr,
                                static_cast<int64_t>(arg_buffers.size()), arg_types.data(),
                                arg_buffers.data()};
  const XLA_FFI_Rets piece_rets{XLA_FFI_Rets_STRUCT_SIZE, nullptr,
                                static_cast<int64_t>(ret_buffers.size()), ret_types.data(),
                                ret_buffers.data()};
  refusal = ParseCall(ffi::RemainingArgs(&piece_args, 0), ffi::RemainingRets(&piece_rets, 0),
                      attributes, &call->piece);
  if (refusal.empty() && !call->piece.plan.instance) {
    refusal = "this program was lowered for the CPU.";
  }
  if (refusal.empty() && call->piece.problem.lhs_contracting != 1) {
    refusal = "only rows can be gathered.";
  }
  return refusal;
}

template <const Driver* (*kOpen)(std::string*),
          const StreamDriver* (*kStreams)(const Driver&, std::string*)>
struct Gpu {
  static XLA_FFI_Error* Initialize(XLA_FFI_CallFrame* call_frame) {
    static auto* handler =
        ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>()
            .Ctx<ffi::DeviceOrdinal>()
            .Attr<std::string_view>("devices")
            .Attr<int64_t>("pieces")
            .Attr<GivenAttributes>("product")
            .Attr<int64_t>("timeout_ns")
            .To([](int32_t device, std::string_view, int64_t, GivenAttributes given, int64_t) {
      Attributes attributes;
      Refusal refusal = ParseAttributes(given, &attributes);
      if (!refusal.empty()) return Refused(refusal);
      std::string error;
      GpuLauncher* launcher = TheLauncher<kOpen>(&error);
      if (launcher) error = launcher->Load(attributes.choice, device);
      if (!error.empty()) return Outcome(error);
      GatheringStreams* streams = TheGatheringStreams<kOpen, kStreams>(&error);
      return Outcome(streams ? streams->Open(device) : error);
    }).release();
    return handler->Call(call_frame);
  }

  static XLA_FFI_Error* Execute(XLA_FFI_CallFrame* call_frame) {
    static auto* handler =
        ffi::Ffi::Bind()
            .RemainingArgs()
            .RemainingRets()
            .Ctx<ffi::DeviceOrdinal>()
            .Ctx<ffi::PlatformStream<void*>>()
            .Ctx<ffi::RunId>()
            .Attr<std::string_view>("devices")
            .Attr<int64_t>("pieces")
            .Attr<GivenAttributes>("product")
            .Attr<int64_t>("timeout_ns")
            .To([](ffi::RemainingArgs args, ffi::RemainingRets rets, int32_t device, void* stream,
                   ffi::RunId run, std::string_view devices, int64_t pieces, GivenAttributes given,
                   int64_t timeout_ns) {
      GatheredCall call;
      Refusal refusal =
          ParseGathered(args, rets, given, devices, pieces, timeout_ns, device, &call);
      if (!refusal.empty()) return Refused(refusal);
      call.rows.run = run.run_id;
      call.rows.device = device;
      call.rows.stream = stream;
      std::string error;
      GpuLauncher* launcher = TheLauncher<kOpen>(&error);
      GatheringStreams* streams = launcher ? TheGatheringStreams<kOpen, kStreams>(&error) : nullptr;
      if (!streams) return Outcome(error);
      return Outcome(streams->Run(call.rows, [&](const GatheredPiece& piece) {
        return launcher->Launch(call.At(piece), device, piece.stream);
      }));
    }).release();
    return handler->Call(call_frame);
  }

  static constexpr GatheredHandlers kHandlers{Initialize, Execute};
};

}  // namespace

constexpr GatheredHandlers kRocmGatheredHandlers = Gpu<OpenHip, HipStreams>::kHandlers;
constexpr GatheredHandlers kCudaGatheredHandlers = Gpu<OpenCuda, CudaStreams>::kHandlers;

}  // namespace jaxgemm
