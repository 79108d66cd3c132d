// Helpers that put messages together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxgemm {

inline std::string Str(int64_t value) { return std::to_string(value); }
inline std::string Str(std::string_view value) { return std::string(value); }

// A number that is not negative, with one digit after the point.
inline std::string Fixed1(double value) {
  const auto tenths = static_cast<int64_t>(value * 10 + 0.5);
  return Str(tenths / 10) + "." + Str(tenths % 10);
}

// The pieces one after the other. (For operator+ with a short literal before a string GCC 12
// wrongly warns that a copy overlaps itself.)
template <class... Pieces>
std::string Concat(const Pieces&... pieces) {
  std::string text;
  (text.append(pieces), ...);
  return text;
}

}  // namespace jaxgemm
