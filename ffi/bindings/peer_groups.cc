#include "bindings/peer_groups.h"

#include <algorithm>
#include <charconv>

#include "spec/text.h"

namespace jaxgemm {

Refusal FindGroup(std::string_view groups, int device, PeerCall* call) {
  for (size_t begin = 0; begin < groups.size();) {
    const size_t end = std::min(groups.find(';', begin), groups.size());
    const std::string_view group = groups.substr(begin, end - begin);
    int size = 0, rank = -1;
    for (const char *at = group.data(), *stop = at + group.size(); at < stop; ++at) {
      int ordinal = -1;
      const auto parsed = std::from_chars(at, stop, ordinal);
      if (parsed.ec != std::errc() || ordinal < 0) {
        return Concat("devices '", groups, "' are not groups of numbers, such as '0 1;2 3'.");
      }
      if (ordinal == device) rank = size;
      ++size;
      at = parsed.ptr;
    }
    if (rank >= 0) {
      call->group = std::string(group);
      call->size = size;
      call->rank = rank;
      return "";
    }
    begin = end + 1;
  }
  return Concat("device ", Str(int64_t{device}), " is none of '", groups,
                "', for which the program was lowered. Lower it again for this mesh.");
}

}  // namespace jaxgemm
