// Runs GPU calls on the CPU: the launcher uses the emulator's library in place of a GPU's runtime.
#pragma once

#include <string>

#include "runtime/call.h"

namespace jaxgemm {

// Sets the path of the emulator's library (jaxgemm/emulator finds it). Called before the first
// LaunchEmulated.
void SetEmulatorLibrary(std::string path);

// Runs the call to its end. Returns an empty string, or the error, which includes the emulator's
// message.
std::string LaunchEmulated(const Call& call);

}  // namespace jaxgemm
