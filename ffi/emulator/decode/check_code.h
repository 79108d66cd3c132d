// Whether the emulator has all instructions of a kernel, which is asked before the kernel runs.
#pragma once

#include <string>

#include "emulator/run/code_object.h"

namespace jaxgemm::emulator {

// Follows the kernel's code from its entry through all branches. Returns the error of the first
// instruction that the emulator does not execute, with its kernel and place, or an empty string.
std::string CheckCode(const CodeObject& object, const Kernel& kernel);

}  // namespace jaxgemm::emulator
