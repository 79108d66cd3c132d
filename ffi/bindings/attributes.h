// Where each attribute of a call is. XLA passes them sorted by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace jaxgemm {

inline constexpr std::string_view kAttributes[] = {
#define JAXGEMM_PROBLEM(type, name, initial)
#define JAXGEMM_PROBLEM_ATTRIBUTE(type, name, initial) #name,
#define JAXGEMM_CHOICE(type, name, initial) #name,
#include "spec/call_schema.def"
#undef JAXGEMM_PROBLEM
#undef JAXGEMM_PROBLEM_ATTRIBUTE
#undef JAXGEMM_CHOICE
};
inline constexpr int64_t kNumAttributes = std::size(kAttributes);

// The index of an attribute if all are sorted by name.
consteval int64_t SortedIndex(std::string_view name) {
  return std::count_if(std::begin(kAttributes), std::end(kAttributes),
                       [name](std::string_view other) { return other < name; });
}

}  // namespace jaxgemm
