// The XLA FFI handlers of blocks that travel between the devices of one process beside other work;
// jaxgemm/collective/exchange.py emits the calls.
//
// "jaxgemm_exchange_start" begins the copies.
//   operand: x. result: received, the blocks of the D devices that arrive, [D - 1, ...] or, with
//   the device's own, [D, ...]. attributes: devices, the ordinals of the mesh's devices in groups
//   that copy from each other, such as "0 1;2 3"; sends and with_own, what travels where: see Form
//   in exchange.py; timeout_ns, how long a device waits for others.
// "jaxgemm_exchange_done" makes later work wait for the copies that read x and write received.
//   operands: received; arrays that are passed through; the x of the start. results: received; the
//   arrays, in the same memory. attribute: timeout_ns.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace jaxgemm {

inline constexpr char kExchangeStartTarget[] = "jaxgemm_exchange_start";
inline constexpr char kExchangeDoneTarget[] = "jaxgemm_exchange_done";

// None may become part of a command buffer, because devices meet while a call runs.
struct ExchangeHandlers {
  XLA_FFI_Handler* initialize;  // of the start
  XLA_FFI_Handler* start;
  XLA_FFI_Handler* done;
};
extern const ExchangeHandlers kRocmExchangeHandlers, kCudaExchangeHandlers;

}  // namespace jaxgemm
