// The names of enumerators, as Python and the call's attributes use them, and the properties of
// element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "spec/types.h"

namespace jaxgemm {

// All names of E, an enum of types.h or forms.h, in the order of its enumerators.
template <class E>
std::span<const std::string_view> Names();

template <class E>
std::string_view Name(E value) {
  return Names<E>()[static_cast<size_t>(value)];
}

// Returns false if no enumerator has this name.
template <class E>
bool Parse(std::string_view name, E* value) {
  auto names = Names<E>();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return *value = static_cast<E>(i), true;
  }
  return false;
}

int64_t Bytes(DType dtype);  // as ElementBytes
bool IsOperand(DType dtype);
bool IsOut(DType dtype);
bool IsInteger(DType dtype);
bool IsF8(DType dtype);
bool IsF4(DType dtype);

}  // namespace jaxgemm
