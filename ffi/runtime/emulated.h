// GPU calls on the CPU: the launcher, with the emulator's library in place of a GPU's runtime.
#pragma once

#include <string>

#include "runtime/call.h"

namespace jaxgemm {

// The emulator's library; jaxgemm/emulator knows where it is. Before the first call.
void SetEmulatorLibrary(std::string path);

// Runs the call and waits for it. Returns an empty string, or the error; the emulator's
// message is part of it.
std::string LaunchEmulated(const Call& call);

}  // namespace jaxgemm
