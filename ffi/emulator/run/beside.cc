#include "emulator/run/beside.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "emulator/checks/error.h"

namespace jaxgemm::emulator {
namespace {

struct Known {
  std::mutex mutex;
  uint64_t last = 0;
  std::map<uint64_t, std::shared_ptr<Beside>> by_number;
};
Known& TheKnown() {
  static Known* known = new Known;  // never freed, so that it outlives all threads
  return *known;
}

}  // namespace

Launch Beside::LaunchWith(Launch* other) const {
  Launch mine = launch;
  mine.buffers_given = other->buffers_given;
  for (const Link& link : links) {
    Buffer* found = nullptr;
    std::string names;
    for (Buffer& buffer : other->buffers) {
      if (buffer.name == link.buffer) found = &buffer;
      names += (names.empty() ? "" : ", ") + buffer.name;
    }
    if (found == nullptr) {
      throw EmulationError("Kernel " + function->kernel->name + " is to be given buffer " +
                           link.buffer + " of the launch that it runs beside, which has " +
                           (names.empty() ? "none" : names) + ".");
    }
    found->beside = Right::kWrite;
    std::memcpy(mine.arguments.data() + link.offset, &found->base, sizeof(found->base));
  }
  for (Buffer& buffer : mine.buffers) {
    buffer.beside = std::exchange(buffer.launch, Right::kNone);
  }
  return mine;
}

uint64_t AddBeside(std::shared_ptr<Beside> beside) {
  std::lock_guard guard(TheKnown().mutex);
  TheKnown().by_number[++TheKnown().last] = std::move(beside);
  return TheKnown().last;
}

void RemoveBeside(uint64_t number) {
  std::lock_guard guard(TheKnown().mutex);
  TheKnown().by_number.erase(number);
}

std::shared_ptr<Beside> FindBeside(uint64_t number) {
  std::lock_guard guard(TheKnown().mutex);
  auto found = TheKnown().by_number.find(number);
  return found == TheKnown().by_number.end() ? nullptr : found->second;
}

}  // namespace jaxgemm::emulator
