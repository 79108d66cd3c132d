#include "bindings/peer_handlers.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/decode.h"
#include "bindings/peer_groups.h"
#include "runtime/launcher.h"
#include "runtime/peer_streams.h"
#include "spec/text.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

constexpr int64_t kMostPieces = 1024;                 // an arbitrary limit
constexpr char kCalls[] = "jaxgemm between devices";  // the messages of both calls begin with it

// The buffers of one piece's call, as ParseCall reads them.
class PieceBuffers {
 public:
  void AddArg(const ffi::AnyBuffer& buffer, int64_t rows) { Add(buffer, rows, &args_); }
  void AddRet(const ffi::AnyBuffer& buffer, int64_t rows) { Add(buffer, rows, &rets_); }

  Refusal Parse(const Attributes& attributes, Call* call) {
    for (Buffer& buffer : args_) arg_pointers_.push_back(buffer.Get());
    for (Buffer& buffer : rets_) ret_pointers_.push_back(buffer.Get());
    std::vector<XLA_FFI_ArgType> arg_types(args_.size(), XLA_FFI_ArgType_BUFFER);
    std::vector<XLA_FFI_RetType> ret_types(rets_.size(), XLA_FFI_RetType_BUFFER);
    const XLA_FFI_Args args{XLA_FFI_Args_STRUCT_SIZE, nullptr, static_cast<int64_t>(args_.size()),
                            arg_types.data(), arg_pointers_.data()};
    const XLA_FFI_Rets rets{XLA_FFI_Rets_STRUCT_SIZE, nullptr, static_cast<int64_t>(rets_.size()),
                            ret_types.data(), ret_pointers_.data()};
    return ParseCall(ffi::RemainingArgs(&args, 0), ffi::RemainingRets(&rets, 0), attributes, call);
  }

 private:
  struct Buffer {
    std::vector<int64_t> dims;
    XLA_FFI_Buffer made;
    void* Get() {
      made.dims = dims.data();
      return &made;
    }
  };

  // rows: replaces the buffer's first dimension, unless it is -1.
  static void Add(const ffi::AnyBuffer& buffer, int64_t rows, std::vector<Buffer>* to) {
    auto dims = buffer.dimensions();
    Buffer added{
        {dims.begin(), dims.end()},
        {XLA_FFI_Buffer_STRUCT_SIZE, nullptr, static_cast<XLA_FFI_DataType>(buffer.element_type()),
         buffer.untyped_data(), static_cast<int64_t>(dims.size()), nullptr}};
    if (rows >= 0 && !added.dims.empty()) added.dims[0] = rows;
    to->push_back(std::move(added));
  }

  std::vector<Buffer> args_, rets_;
  std::vector<void*> arg_pointers_, ret_pointers_;
};

// The call for the first piece, and what the calls for other pieces differ in.
struct PeerGemm {
  Call piece;
  PeerCall peers;
  bool scatters = false;
  int64_t piece_rows = 0;
  char* workspaces[2] = {};

  int64_t LhsBytes() const {
    return piece_rows * piece.problem.k * ElementBytes(piece.problem.lhs_dtype);
  }
  int64_t OutBytes() const {
    return piece_rows * piece.problem.n * ElementBytes(piece.problem.out_dtype);
  }

  Call At(const PeerProduct& product) const {
    Call call = piece;
    const int64_t pieces = peers.pieces;
    // The number of the piece among those of all devices, and among those of the others.
    const int64_t of_all = peers.after(product.step) * pieces + product.piece;
    const int64_t of_others = (product.step - 1) * pieces + product.piece;
    call.workspace = workspaces[product.stream_number];
    if (scatters) {
      call.lhs = static_cast<const char*>(piece.lhs) + of_all * LhsBytes();
      call.out = product.step == 0 ? static_cast<char*>(piece.out) + product.piece * OutBytes()
                                   : const_cast<char*>(peers.mine) + of_others * OutBytes();
      return call;
    }
    call.lhs = product.step == 0 ? static_cast<const char*>(piece.lhs) + product.piece * LhsBytes()
                                 : peers.others + of_others * LhsBytes();
    call.out = static_cast<char*>(piece.out) + of_all * OutBytes();
    if (call.preact) call.preact = static_cast<char*>(piece.preact) + of_all * OutBytes();
    return call;
  }
};

Refusal ParsePeerGemm(ffi::RemainingArgs args, ffi::RemainingRets rets, GivenAttributes given,
                      std::string_view devices, int64_t pieces, int64_t timeout_ns, int device,
                      PeerGemm* gemm) {
  Attributes attributes;
  PeerCall& peers = gemm->peers;
  Refusal refusal = ParseAttributes(given, &attributes);
  if (refusal.empty() && attributes.problem.quantize_out != QuantizeOut::kNone) {
    refusal = "products of rows that travel between devices are not quantised.";
  }
  if (refusal.empty()) refusal = FindGroup(devices, device, &peers);
  if (!refusal.empty()) return refusal;
  const auto lhs = args.get<ffi::AnyBuffer>(0);
  // How many results are between those of a product and the workspace.
  const size_t between = gemm->scatters ? 2 : 1, results = rets.size();
  const int64_t blocks = gemm->scatters ? peers.size : 1;
  if (!lhs.has_value() || lhs->dimensions().size() != 2 || results < between + 2 || pieces < 1 ||
      pieces > kMostPieces || lhs->dimensions()[0] % (pieces * blocks) != 0 || timeout_ns < 1 ||
      attributes.problem.lhs_contracting != 1) {
    return "its operands, results or pieces are not those of this call. Trace and compile the function again with this jaxgemm.";
  }
  const int64_t block_rows = lhs->dimensions()[0] / blocks;
  gemm->piece_rows = block_rows / pieces;
  peers.pieces = static_cast<int>(pieces);
  peers.timeout_ns = timeout_ns;

  PieceBuffers buffers;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto buffer = args.get<ffi::AnyBuffer>(i);
    if (!buffer.has_value()) return "operand " + Str(static_cast<int64_t>(i)) + " is no array.";
    buffers.AddArg(*buffer, i == 0 ? gemm->piece_rows : -1);
  }
  const size_t first_between = results - 1 - between, workspace = results - 1;
  std::vector<ffi::AnyBuffer> travels;
  for (size_t i = 0; i < results; ++i) {
    auto result = rets.get<ffi::AnyBuffer>(i);
    if (!result.has_value()) return "result " + Str(static_cast<int64_t>(i)) + " is no array.";
    const ffi::AnyBuffer buffer = **result;
    auto dims = buffer.dimensions();
    const bool is_between = i >= first_between && i < workspace;
    const int64_t rows = block_rows * (is_between       ? peers.size - 1
                                       : gemm->scatters ? 1
                                                        : peers.size);
    const bool fits = i == workspace ? dims.size() == 1 : dims.size() == 2 && dims[0] == rows;
    if (!fits) {
      return "result " + Str(static_cast<int64_t>(i)) + " has shape " + Shape(buffer) +
             (i == workspace ? "; the workspace has one dimension."
                             : "; it must have " + Str(rows) + " rows.");
    }
    if (is_between) {
      travels.push_back(buffer);
    } else if (i != workspace) {
      buffers.AddRet(buffer, gemm->piece_rows);
    } else {
      buffers.AddRet(buffer, dims[0] / 2);
      char* const first = static_cast<char*>(buffer.untyped_data());
      gemm->workspaces[0] = AlignWorkspace(first);
      gemm->workspaces[1] = AlignWorkspace(first + dims[0] / 2);
    }
  }
  refusal = buffers.Parse(attributes, &gemm->piece);
  if (refusal.empty() && !gemm->piece.plan.instance) {
    refusal = "this program was lowered for the CPU.";
  }
  if (!refusal.empty()) return refusal;
  peers.block_bytes = pieces * (gemm->scatters ? gemm->OutBytes() : gemm->LhsBytes());
  for (const ffi::AnyBuffer& buffer : travels) {
    if (static_cast<int64_t>(buffer.size_bytes()) != (peers.size - 1) * peers.block_bytes) {
      return "the copied rows have shape " + Shape(buffer) +
             "; they must have the columns of the product.";
    }
  }
  peers.mine =
      static_cast<const char*>(gemm->scatters ? travels[0].untyped_data() : lhs->untyped_data());
  peers.others = static_cast<char*>(travels.back().untyped_data());
  return "";
}

template <OpenDriver kOpen, OpenStreams kStreams>
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
      if (!refusal.empty()) return Refused(kCalls, refusal);
      std::string error;
      GpuLauncher* launcher = TheLauncher<kOpen>(&error);
      if (launcher) error = launcher->Load(attributes.choice, device);
      if (!error.empty()) return Outcome(kCalls, error);
      PeerStreams* streams = StreamsOf<PeerStreams, kOpen, kStreams>(&error);
      return Outcome(kCalls, streams ? streams->Open(device) : error);
    }).release();
    return handler->Call(call_frame);
  }

  template <bool kScatters>
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
      PeerGemm gemm;
      gemm.scatters = kScatters;
      Refusal refusal =
          ParsePeerGemm(args, rets, given, devices, pieces, timeout_ns, device, &gemm);
      if (!refusal.empty()) return Refused(kCalls, refusal);
      gemm.peers.run = run.run_id;
      gemm.peers.device = device;
      gemm.peers.stream = stream;
      std::string error;
      GpuLauncher* launcher = TheLauncher<kOpen>(&error);
      PeerStreams* streams = launcher ? StreamsOf<PeerStreams, kOpen, kStreams>(&error) : nullptr;
      if (!streams) return Outcome(kCalls, error);
      auto launch = [&](const PeerProduct& product) {
        return launcher->Launch(gemm.At(product), device, product.stream);
      };
      return Outcome(kCalls, kScatters ? streams->Scatter(gemm.peers, launch)
                                       : streams->Gather(gemm.peers, launch));
    }).release();
    return handler->Call(call_frame);
  }

  static constexpr PeerHandlers kHandlers{Initialize, Execute<false>, Execute<true>};
};

}  // namespace

constexpr PeerHandlers kRocmPeerHandlers = Gpu<OpenHip, HipStreams>::kHandlers;
constexpr PeerHandlers kCudaPeerHandlers = Gpu<OpenCuda, CudaStreams>::kHandlers;

}  // namespace jaxgemm
