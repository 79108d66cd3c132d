// Reads the part of MessagePack that code object metadata uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jaxgemm::emulator {

struct MsgPack {
  enum Type { kNil, kBool, kInteger, kString, kArray, kMap } type = kNil;
  int64_t integer = 0;
  std::string string;
  std::vector<MsgPack> array;
  std::vector<std::pair<std::string, MsgPack>> map;  // keys are strings

  // The value of a key, or a nil value if there is none.
  const MsgPack& operator[](std::string_view key) const;

  // Throws EmulationError for a type that metadata never holds.
  static MsgPack Parse(std::string_view bytes);
};

}  // namespace jaxgemm::emulator
