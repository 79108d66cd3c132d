// The names of a call's attributes, in the order in which XLA passes them: sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "spec/problem.h"

namespace jaxgemm {

struct AttributeInfo {
  std::string_view name;
  bool is_number;  // else it is a text
};

inline constexpr auto kAttributes = [] {
  std::array attributes = {
#define JAXGEMM_ATTRIBUTE(record, type, name) \
  AttributeInfo{#name, std::is_same_v<type, int64_t> || std::is_same_v<type, bool>},
#include "spec/call_schema.def"
#undef JAXGEMM_ATTRIBUTE
  };
  std::ranges::sort(attributes, {}, &AttributeInfo::name);
  return attributes;
}();
inline constexpr int64_t kNumAttributes = kAttributes.size();

// The index of an attribute.
consteval int64_t SortedIndex(std::string_view name) {
  return std::ranges::find(kAttributes, name, &AttributeInfo::name) - kAttributes.begin();
}

}  // namespace jaxgemm
