// The emulator's loader on code objects that are cut short or changed: it must report an error or
// load kernels that can be launched, without a fault under AddressSanitizer. Arguments: the files.
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/program.h"
#include "emulator/memory/lds.h"
#include "emulator/run/launch.h"
#include "emulator/run/msgpack.h"
#include "runtime/whole_elf.h"
#include "testing.h"

namespace jaxgemm::emulator {
namespace {

// Loads the object from memory of exactly its size, and prepares each kernel for a launch. Returns
// the error, or "".
std::string Load(std::string_view object) {
  const std::vector<char> bytes(object.begin(), object.end());
  try {
    const CodeObject loaded({bytes.data(), bytes.size()});
    for (const Kernel& kernel : loaded.kernels()) {
      Launch launch;
      for (int d = 0; d < 3; ++d) launch.grid[d] = launch.block[d] = 1;
      launch.arguments.assign(kernel.kernarg_bytes, 'x');
      const Program program(loaded, kernel);
      try {
        const LaunchState state(loaded, kernel, launch);
        Workgroup group;
        group.waves.push_back(std::make_unique<Wave>());
        state.StartWorkgroup(0, 0, &group);
      } catch (const EmulationError&) {
        // The kernel refuses this launch, which is allowed.
      }
    }
    return "";
  } catch (const EmulationError& error) {
    return error.what();
  }
}

void TestTruncations(const std::string& object) {
  for (size_t size = 0; size < object.size(); ++size) {
    const std::string_view cut(object.data(), size);
    const std::string error = Load(cut);
    CHECK_THAT(!error.empty(), "%zu of %zu bytes are taken", size, object.size());
    CHECK_THAT(size < 4 || !IsWholeElf(cut), "%zu of %zu bytes are whole", size, object.size());
  }
}

void TestOtherBytes(const std::string& object) {
  // Headers come first, then symbols, notes and code; the section headers are last.
  const int64_t size = static_cast<int64_t>(object.size());
  const uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xff};
  auto try_with = [&](auto&& change) {
    std::string changed = object;
    change(&changed);
    Load(changed);
    IsWholeElf(changed);
  };
  for (int64_t at = 0; at < size; ++at) {
    for (uint8_t value : extremes) {
      try_with([&](std::string* changed) { (*changed)[at] = static_cast<char>(value); });
    }
  }
  for (int i = 0; i < 4000; ++i) {
    try_with([&](std::string* changed) {
      for (int64_t n = Random(1, 4); n > 0; --n) {
        const int64_t bytes = int64_t{1} << Random(0, 3), at = Random(0, size - bytes);
        const uint64_t value = Random(0, 1) ? ~uint64_t{0} >> Random(0, 63) : rng();
        std::memcpy(changed->data() + at, &value, static_cast<size_t>(bytes));
      }
    });
  }
}

void TestMessagePack() {
  std::string nested(100'000, '\x91');  // arrays of one array
  for (std::string_view bytes : {std::string_view(nested), std::string_view("\xdd\xff\xff\xff\xff"),
                                 std::string_view("\xdb\xff\xff\xff\xffx"),
                                 std::string_view("\xcf\x01", 2), std::string_view("")}) {
    std::string error;
    try {
      MsgPack::Parse(bytes);
    } catch (const EmulationError& caught) {
      error = caught.what();
    }
    CHECK_THAT(!error.empty(), "%zu bytes are taken", bytes.size());
  }
}

}  // namespace
}  // namespace jaxgemm::emulator

int main(int argc, char** argv) {
  using namespace jaxgemm;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string object{std::istreambuf_iterator<char>(file), {}};
    const std::string error = emulator::Load(object);
    CHECK_THAT(!object.empty() && error.empty() && IsWholeElf(object), "%s: %s", argv[i],
               error.c_str());
    emulator::TestTruncations(object);
    emulator::TestOtherBytes(object);
  }
  emulator::TestMessagePack();
  std::printf("emulator_loader_test: %d failures\n", failures);
  return failures != 0;
}
