// Clang's offload bundles: code objects for several architectures in one file.
#pragma once

#include <string>
#include <string_view>

namespace jaxgemm::emulator {

// The code object for the arch in the bundle at `bundle`. Throws HipFailure, also if the bundle is
// compressed.
std::string Unbundle(const char* bundle, std::string_view arch);

}  // namespace jaxgemm::emulator
