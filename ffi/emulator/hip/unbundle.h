// Clang's offload bundles: code objects for several architectures in one file.
#pragma once

#include <string>
#include <string_view>

namespace jaxgemm::emulator {

// The code object for the arch in the bundle at `bundle`, which may be compressed. Throws
// HipFailure.
std::string Unbundle(const char* bundle, std::string_view arch);

}  // namespace jaxgemm::emulator
