// Operands that are the results of a call, in the same memory if XLA allows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "spec/text.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgemm {

// The results from `first_result` on are the operands from `first_operand` on. XLA does not always
// alias them: if an operand is a slice, or a result becomes one, XLA may pass another address. Then
// copy(destination, source, bytes) is called, and its error is returned.
template <class Copy>
std::string PassThrough(xla::ffi::RemainingArgs args, size_t first_operand,
                        xla::ffi::RemainingRets rets, size_t first_result, Copy&& copy) {
  std::string error;
  for (size_t i = 0; first_result + i < rets.size() && error.empty(); ++i) {
    auto operand = args.get<xla::ffi::AnyBuffer>(first_operand + i);
    auto result = rets.get<xla::ffi::AnyBuffer>(first_result + i);
    if (!operand.has_value() || !result.has_value() ||
        operand->element_type() != (*result)->element_type() ||
        operand->size_bytes() != (*result)->size_bytes()) {
      return "result " + Str(static_cast<int64_t>(first_result + i)) + " is not like operand " +
             Str(static_cast<int64_t>(first_operand + i)) + ", which it must be.";
    }
    void* const to = (*result)->untyped_data();
    const void* const from = operand->untyped_data();
    if (to != from && operand->size_bytes() > 0) error = copy(to, from, operand->size_bytes());
  }
  return error;
}

}  // namespace jaxgemm
