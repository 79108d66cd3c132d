#include "emulator/hip/unbundle.h"

#include <cstring>

#include "emulator/hip/state.h"

namespace jaxgemm::emulator {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__", kCompressedMagic = "CCOB";

uint64_t Word(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Whether the entry "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+" or the like is for the arch.
bool IsFor(std::string_view entry, std::string_view arch) {
  const size_t at = entry.rfind("--");
  if (!entry.starts_with("hip") || at == entry.npos) return false;
  entry = entry.substr(at + 2);
  return entry.substr(0, entry.find(':')) == arch && entry.find("xnack+") == entry.npos;
}

}  // namespace

std::string Unbundle(const char* bundle, std::string_view arch) {
  if (std::memcmp(bundle, kCompressedMagic.data(), kCompressedMagic.size()) == 0) {
    throw HipFailure{hipErrorInvalidImage, "The emulator does not read compressed fat binaries."};
  }
  if (std::memcmp(bundle, kMagic.data(), kMagic.size()) != 0) {
    throw HipFailure{hipErrorInvalidImage, "A registered binary is not an offload bundle."};
  }
  const char* at = bundle + kMagic.size();
  const uint64_t entries = Word(at);
  at += 8;
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t offset = Word(at), bytes = Word(at + 8), name_bytes = Word(at + 16);
    const std::string_view name(at + 24, name_bytes);
    at += 24 + name_bytes;
    if (IsFor(name, arch)) return std::string(bundle + offset, bytes);
  }
  throw HipFailure{hipErrorNoBinaryForGpu,
                   Text("A registered binary has no code for %s.", std::string(arch).c_str())};
}

}  // namespace jaxgemm::emulator
