// Pieces of messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxgemm {

inline std::string Str(int64_t value) { return std::to_string(value); }
inline std::string Str(std::string_view value) { return std::string(value); }

}  // namespace jaxgemm
