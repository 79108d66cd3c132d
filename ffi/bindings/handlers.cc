#include "bindings/handlers.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "bindings/decode.h"
#include "bindings/kept_calls.h"
#include "host/crew.h"
#include "host/producer.h"
#include "host/workgroups.h"
#include "runtime/emulated.h"
#include "runtime/launcher.h"
#include "runtime/missing_chunk.h"
#include "runtime/side_stream.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace jaxgemm {
// The result of a call that has ended, or the future of one that other threads still compute.
using Completion = std::variant<ffi::Error, ffi::Future>;
}  // namespace jaxgemm

template <ffi::ExecutionStage stage>
struct xla::ffi::ResultEncoding<stage, jaxgemm::Completion> {
  static std::variant<XLA_FFI_Error*, XLA_FFI_Future*> Encode(const XLA_FFI_Api* api,
                                                              XLA_FFI_ExecutionContext* ctx,
                                                              jaxgemm::Completion completion) {
    if (auto* error = std::get_if<Error>(&completion)) {
      return ResultEncoding<stage, Error>::Encode(api, ctx, std::move(*error));
    }
    return ResultEncoding<stage, Future>::Encode(api, ctx, std::get<Future>(std::move(completion)));
  }
};

namespace jaxgemm {
namespace {

// ------------------------------------------------------------------------------------- CPU

Completion RunOnHost(ffi::RemainingArgs args, ffi::RemainingRets rets, ffi::ThreadPool pool,
                     int64_t run_id, const Attributes& attributes) {
  HostCall call;
  Refusal refusal = ParseCall(args, rets, attributes, &call);
  const Problem& p = call.problem;
  const Choice& c = call.plan.choice;
  if (refusal.empty()) call.kernel = ChooseHostKernel(p.lhs_dtype, p.rhs_dtype, c.kernel, &refusal);
  if (!refusal.empty()) return Refused(kGemmTarget, refusal);

  InitWorkspace(call);
  const auto crew = std::make_shared<Crew>(call);
  // If a copy in chunks brings this product's lhs, it begins now. The call lasts until it ends.
  if (call.chunk_signals) {
    crew->Join();
    if (!BeginHostCopy(run_id, call.chunk_signals, [crew] { crew->Leave(); })) crew->Leave();
  }
  // At most as many threads as the plan has scratch for, and as the pool has.
  int64_t threads = c.num_threads;
  if (threads > 1) threads = std::min(threads, pool.num_threads());
  for (int64_t thread = 1; thread < threads; ++thread) pool.Schedule([crew] { crew->Help(); });
  const auto outcome = [](const Crew& crew) {
    const HostCall& call = crew.call();
    return Outcome(kGemmTarget, MissingChunk(call.chunk_status(), call.problem.timeout_ns));
  };
  // The crew owns the callback, so the callback must not own the crew.
  ffi::CountDownPromise promise(1);
  ffi::Future future(promise);
  const bool ended = crew->Run(
      [promise, outcome, crew = crew.get()]() mutable { promise.CountDown(outcome(*crew)); });
  if (ended) return outcome(*crew);
  return future;
}

// Runs a call that can do without XLA's threads, and that needs no new check. False: it is another
// call, or one that is refused.
bool RunKept(const XLA_FFI_CallFrame& frame) {
  const HostCall* call = KeptCall(frame);
  if (!call) return false;
  InitWorkspace(*call);
  std::atomic<int64_t> next = 0;
  RunWorkgroups(*call, 0, &next);
  return true;
}

Completion RunEmulated(ffi::RemainingArgs args, ffi::RemainingRets rets, int64_t run_id,
                       const Attributes& attributes) {
  Call call;
  Refusal refusal = ParseCall(args, rets, attributes, &call);
  if (!refusal.empty()) return Refused(kGemmTarget, refusal);
  ffi::CountDownPromise running(2);
  ffi::Future future(running);
  const bool copies =
      call.chunk_signals &&
      BeginHostCopy(run_id, call.chunk_signals, [running]() mutable { running.CountDown(); });
  if (!copies) return Outcome(kGemmTarget, LaunchEmulated(call));
  running.CountDown(Outcome(kGemmTarget, LaunchEmulated(call)));
  return future;
}

Completion Gemm(ffi::RemainingArgs args, ffi::RemainingRets rets, ffi::ThreadPool pool,
                ffi::RunId run, GivenAttributes given) {
  Attributes attributes;
  Refusal refusal = ParseAttributes(given, &attributes);
  if (!refusal.empty()) return Refused(kGemmTarget, refusal);
  if (FindTarget(attributes.choice.target).family != Family::kHost) {
    return RunEmulated(args, rets, run.run_id, attributes);
  }
  return RunOnHost(args, rets, pool, run.run_id, attributes);
}

// ------------------------------------------------------------------------------------ GPUs

template <OpenDriver kOpen>
ffi::Error Initialize(int32_t device, GivenAttributes given) {
  Attributes attributes;
  Refusal refusal = ParseAttributes(given, &attributes);
  if (!refusal.empty()) return Refused(kGemmTarget, refusal);
  std::string error;
  GpuLauncher* launcher = TheLauncher<kOpen>(&error);
  return Outcome(kGemmTarget, launcher ? launcher->Load(attributes.choice, device) : error);
}

Refusal ParseLaunch(ffi::RemainingArgs args, ffi::RemainingRets rets, GivenAttributes given,
                    Call* call) {
  Attributes attributes;
  Refusal refusal = ParseAttributes(given, &attributes);
  if (refusal.empty()) refusal = ParseCall(args, rets, attributes, call);
  if (refusal.empty() && !call->plan.instance) refusal = "this program was lowered for the CPU.";
  return refusal;
}

template <OpenDriver kOpen>
ffi::Error Launch(ffi::RemainingArgs args, ffi::RemainingRets rets, int32_t device, void* stream,
                  GivenAttributes given) {
  Call call;
  Refusal refusal = ParseLaunch(args, rets, given, &call);
  if (!refusal.empty()) return Refused(kGemmTarget, refusal);
  std::string error;
  GpuLauncher* launcher = TheLauncher<kOpen>(&error);
  return Outcome(kGemmTarget, launcher ? launcher->Launch(call, device, stream) : error);
}

// Launches the product. If a copy that brings its chunks is listed, begins the copy, too.
template <OpenDriver kOpen, OpenStreams kStreams>
ffi::Error LaunchChunked(ffi::RemainingArgs args, ffi::RemainingRets rets, int32_t device,
                         void* stream, ffi::RunId run, GivenAttributes given) {
  Call call;
  Refusal refusal = ParseLaunch(args, rets, given, &call);
  if (!refusal.empty()) return Refused(kGemmTarget, refusal);
  std::string error;
  GpuLauncher* launcher = TheLauncher<kOpen>(&error);
  SideStreams* sides = launcher ? StreamsOf<SideStreams, kOpen, kStreams>(&error) : nullptr;
  if (!sides) return Outcome(kGemmTarget, error);
  return Outcome(kGemmTarget, sides->Around(run.run_id, call.chunk_signals, device, stream, [&] {
    return launcher->Launch(call, device, stream);
  }));
}

template <OpenDriver kOpen>
XLA_FFI_Error* CallInitialize(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>()
                             .Ctx<ffi::DeviceOrdinal>()
                             .Attrs<GivenAttributes>()
                             .To(Initialize<kOpen>)
                             .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, bool kCaptured>
XLA_FFI_Error* CallLaunch(XLA_FFI_CallFrame* call_frame) {
  using Traits = std::initializer_list<ffi::Traits>;
  static auto* handler =
      ffi::Ffi::Bind()
          .RemainingArgs()
          .RemainingRets()
          .Ctx<ffi::DeviceOrdinal>()
          .Ctx<ffi::PlatformStream<void*>>()
          .Attrs<GivenAttributes>()
          .To(Launch<kOpen>, kCaptured ? Traits{ffi::Traits::kCmdBufferCompatible} : Traits{})
          .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, OpenStreams kStreams>
XLA_FFI_Error* CallLaunchChunked(XLA_FFI_CallFrame* call_frame) {
  static auto* handler = ffi::Ffi::Bind()
                             .RemainingArgs()
                             .RemainingRets()
                             .Ctx<ffi::DeviceOrdinal>()
                             .Ctx<ffi::PlatformStream<void*>>()
                             .Ctx<ffi::RunId>()
                             .Attrs<GivenAttributes>()
                             .To(LaunchChunked<kOpen, kStreams>)
                             .release();
  return handler->Call(call_frame);
}

template <OpenDriver kOpen, OpenStreams kStreams>
constexpr GemmHandlers kHandlers = {CallInitialize<kOpen>, CallLaunch<kOpen, true>,
                                    CallLaunch<kOpen, false>, CallLaunchChunked<kOpen, kStreams>};

}  // namespace

XLA_FFI_Error* GemmHost(XLA_FFI_CallFrame* call_frame) {
  if (RunKept(*call_frame)) return nullptr;
  static auto* handler = ffi::Ffi::Bind()
                             .RemainingArgs()
                             .RemainingRets()
                             .Ctx<ffi::ThreadPool>()
                             .Ctx<ffi::RunId>()
                             .Attrs<GivenAttributes>()
                             .To(Gemm)
                             .release();
  return handler->Call(call_frame);
}

constexpr GemmHandlers kRocmGemmHandlers = kHandlers<OpenHip, HipStreams>;
constexpr GemmHandlers kCudaGemmHandlers = kHandlers<OpenCuda, CudaStreams>;

}  // namespace jaxgemm
