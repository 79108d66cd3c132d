#include "emulator/run/msgpack.h"

#include "emulator/checks/error.h"

namespace jaxgemm::emulator {
namespace {

constexpr int kMaxDepth = 16;  // three times the depth that metadata needs

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  // `depth`: the number of arrays and maps around the value.
  MsgPack Value(int depth = 0) {
    if (depth > kMaxDepth) {
      throw EmulationError("The code object's metadata is nested deeper than AMDGPU metadata is.");
    }
    MsgPack value;
    uint8_t tag = Take(1)[0];
    if (tag < 0x80 || tag >= 0xe0) {
      value.type = MsgPack::kInteger;
      value.integer = static_cast<int8_t>(tag);
    } else if (tag < 0x90) {
      Map(tag & 15, depth, &value);
    } else if (tag < 0xa0) {
      Array(tag & 15, depth, &value);
    } else if (tag < 0xc0) {
      String(tag & 31, &value);
    } else {
      switch (tag) {
        case 0xc0: break;
        case 0xc2:
        case 0xc3:
          value.type = MsgPack::kBool;
          value.integer = tag & 1;
          break;
        case 0xcc:
        case 0xcd:
        case 0xce:
        case 0xcf:
          value.type = MsgPack::kInteger;
          value.integer = static_cast<int64_t>(BigEndian(1 << (tag - 0xcc)));
          break;
        case 0xd0:
        case 0xd1:
        case 0xd2:
        case 0xd3: {
          int bytes = 1 << (tag - 0xd0), unused = 64 - 8 * bytes;
          value.type = MsgPack::kInteger;
          value.integer = static_cast<int64_t>(BigEndian(bytes) << unused) >> unused;
          break;
        }
        case 0xd9:
        case 0xda:
        case 0xdb: String(BigEndian(1 << (tag - 0xd9)), &value); break;
        case 0xdc:
        case 0xdd: Array(BigEndian(2 << (tag - 0xdc)), depth, &value); break;
        case 0xde:
        case 0xdf: Map(BigEndian(2 << (tag - 0xde)), depth, &value); break;
        default:
          throw EmulationError(
              Text("The code object's metadata has a MessagePack tag 0x%02x, "
                   "which AMDGPU metadata does not use.",
                   tag));
      }
    }
    return value;
  }

 private:
  const uint8_t* Take(size_t count) {
    if (count > bytes_.size()) throw EmulationError("The code object's metadata is cut short.");
    auto* at = reinterpret_cast<const uint8_t*>(bytes_.data());
    bytes_.remove_prefix(count);
    return at;
  }
  uint64_t BigEndian(int count) {
    uint64_t value = 0;
    for (const uint8_t *at = Take(count), *end = at + count; at < end; ++at) {
      value = value << 8 | *at;
    }
    return value;
  }
  void String(size_t size, MsgPack* value) {
    value->type = MsgPack::kString;
    value->string.assign(reinterpret_cast<const char*>(Take(size)), size);
  }
  void Array(uint64_t size, int depth, MsgPack* value) {
    value->type = MsgPack::kArray;
    while (size-- > 0) value->array.push_back(Value(depth + 1));
  }
  void Map(uint64_t size, int depth, MsgPack* value) {
    value->type = MsgPack::kMap;
    while (size-- > 0) {
      std::string key = Value(depth + 1).string;
      value->map.emplace_back(std::move(key), Value(depth + 1));
    }
  }

  std::string_view bytes_;
};

}  // namespace

const MsgPack& MsgPack::operator[](std::string_view key) const {
  static const MsgPack nil;
  for (const auto& [name, value] : map) {
    if (name == key) return value;
  }
  return nil;
}

MsgPack MsgPack::Parse(std::string_view bytes) { return Reader(bytes).Value(); }

}  // namespace jaxgemm::emulator
