#include "bindings/exchange_handlers.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "bindings/decode.h"
#include "bindings/pass_through.h"
#include "bindings/peer_groups.h"
#include "plan/check.h"
#include "runtime/peer_streams.h"
#include "runtime/side_stream.h"
#include "spec/text.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
namespace {

Refusal CheckTimeout(int64_t timeout_ns) {
  if (timeout_ns >= 1 && timeout_ns <= kMostTimeoutNs) return "";
  return "timeout_ns=" + Str(timeout_ns) + "; 1 to " + Str(kMostTimeoutNs) +
         " nanoseconds are allowed.";
}

// Sets what the buffers say; the group, its size and the time limit are set before.
Refusal ParseStart(ffi::RemainingArgs args, ffi::RemainingRets rets, std::string_view sends,
                   int64_t with_own, Exchange* exchange) {
  PeerCall& peers = exchange->peers;
  const auto x = args.get<ffi::AnyBuffer>(0);
  auto result = rets.get<ffi::AnyBuffer>(0);
  if (!x.has_value() || !result.has_value() || args.size() != 1 || rets.size() != 1) {
    return "it must have the operand x and the result received.";
  }
  if ((sends != "all" && sends != "after" && sends != "before") || with_own < 0 || with_own > 1) {
    return Concat("sends='", sends, "' and with_own=", Str(with_own),
                  "; allowed are all, after and before, and 0 and 1.");
  }
  const ffi::AnyBuffer received = **result;
  const bool all = sends == "all";
  auto given = x->dimensions(), blocks = received.dimensions();
  const int64_t count = peers.size - 1 + with_own;
  // If all devices get x, the received blocks have one dimension more.
  const bool fits = blocks.size() == given.size() + all && blocks.size() > 0 &&
                    blocks[0] == count &&
                    std::equal(given.begin(), given.end(), blocks.begin() + all, blocks.end());
  if (!fits || x->element_type() != received.element_type()) {
    return "x has shape " + Shape(*x) + " and received " + Shape(received) + "; with " +
           Str(int64_t{peers.size}) + " devices received must have " + Str(count) +
           " blocks of one type and shape with those of x.";
  }
  exchange->received = static_cast<char*>(received.untyped_data());
  exchange->x = static_cast<const char*>(x->untyped_data());
  exchange->sends_all = all;
  exchange->from_after = sends != "after";
  exchange->with_own = with_own != 0;
  peers.block_bytes = count == 0 ? 0 : static_cast<int64_t>(received.size_bytes()) / count;
  const int64_t own_bytes = with_own * peers.block_bytes;
  peers.mine = exchange->x + (all ? 0 : own_bytes);
  peers.others = exchange->received + own_bytes;
  return "";
}

template <OpenDriver kOpen, OpenStreams kStreams>
struct Gpu {
  static std::string Copy(void* to, const void* from, size_t bytes, int device, void* stream) {
    std::string error;
    SideStreams* sides = StreamsOf<SideStreams, kOpen, kStreams>(&error);
    return sides ? sides->Copy(to, from, bytes, device, stream) : error;
  }

  static XLA_FFI_Error* Initialize(XLA_FFI_CallFrame* call_frame) {
    static auto* handler = ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>()
                               .Ctx<ffi::DeviceOrdinal>()
                               .To([](int32_t device) {
      std::string error;
      PeerStreams* streams = StreamsOf<PeerStreams, kOpen, kStreams>(&error);
      return Outcome(kExchangeStartTarget, streams ? streams->Open(device) : error);
    }).release();
    return handler->Call(call_frame);
  }

  static XLA_FFI_Error* Start(XLA_FFI_CallFrame* call_frame) {
    static auto* handler =
        ffi::Ffi::Bind()
            .RemainingArgs()
            .RemainingRets()
            .Ctx<ffi::DeviceOrdinal>()
            .Ctx<ffi::PlatformStream<void*>>()
            .Ctx<ffi::RunId>()
            .Attr<std::string_view>("devices")
            .Attr<std::string_view>("sends")
            .Attr<int64_t>("timeout_ns")
            .Attr<int64_t>("with_own")
            .To([](ffi::RemainingArgs args, ffi::RemainingRets rets, int32_t device, void* stream,
                   ffi::RunId run, std::string_view devices, std::string_view sends,
                   int64_t timeout_ns, int64_t with_own) {
      Exchange exchange;
      exchange.peers.run = run.run_id;
      exchange.peers.device = device;
      exchange.peers.stream = stream;
      exchange.peers.timeout_ns = timeout_ns;
      Refusal refusal = CheckTimeout(timeout_ns);
      if (refusal.empty()) refusal = FindGroup(devices, device, &exchange.peers);
      if (refusal.empty()) refusal = ParseStart(args, rets, sends, with_own, &exchange);
      if (!refusal.empty()) return Refused(kExchangeStartTarget, refusal);
      std::string error;
      PeerStreams* streams = StreamsOf<PeerStreams, kOpen, kStreams>(&error);
      if (streams) error = streams->Start(exchange);
      return Outcome(kExchangeStartTarget, error);
    }).release();
    return handler->Call(call_frame);
  }

  static XLA_FFI_Error* Done(XLA_FFI_CallFrame* call_frame) {
    static auto* handler =
        ffi::Ffi::Bind()
            .RemainingArgs()
            .RemainingRets()
            .Ctx<ffi::DeviceOrdinal>()
            .Ctx<ffi::PlatformStream<void*>>()
            .Ctx<ffi::RunId>()
            .Attr<int64_t>("timeout_ns")
            .To([](ffi::RemainingArgs args, ffi::RemainingRets rets, int32_t device, void* stream,
                   ffi::RunId run, int64_t timeout_ns) {
      Refusal refusal = CheckTimeout(timeout_ns);
      const auto received = args.get<ffi::AnyBuffer>(0);
      const auto x = args.get<ffi::AnyBuffer>(rets.size());
      if (refusal.empty() && (!received.has_value() || !x.has_value() || rets.size() < 1 ||
                              args.size() != rets.size() + 1)) {
        refusal = "it must have received, an operand for each result, and x.";
      }
      if (!refusal.empty()) return Refused(kExchangeDoneTarget, refusal);
      std::string error;
      PeerStreams* streams = StreamsOf<PeerStreams, kOpen, kStreams>(&error);
      if (streams) {
        error =
            streams->Done(run.run_id, static_cast<const char*>(received->untyped_data()),
                          static_cast<const char*>(x->untyped_data()), device, stream, timeout_ns);
      }
      if (error.empty()) {
        error = PassThrough(args, 0, rets, 0, [=](void* to, const void* from, size_t bytes) {
          return Copy(to, from, bytes, device, stream);
        });
      }
      return Outcome(kExchangeDoneTarget, error);
    }).release();
    return handler->Call(call_frame);
  }

  static constexpr ExchangeHandlers kHandlers{Initialize, Start, Done};
};

}  // namespace

constexpr ExchangeHandlers kRocmExchangeHandlers = Gpu<OpenHip, HipStreams>::kHandlers;
constexpr ExchangeHandlers kCudaExchangeHandlers = Gpu<OpenCuda, CudaStreams>::kHandlers;

}  // namespace jaxgemm
