// Loaded code objects.
#pragma once

#include <memory>
#include <string_view>

#include "emulator/hip/state.h"

namespace jaxgemm::emulator {

// Loads a code object for the current device. Throws HipFailure.
Module* LoadModule(std::string_view file);

// Throws HipFailure if the module was unloaded.
std::shared_ptr<Module> KeepModule(const Module* module);

// The function that a graph node names: a handle, or a registered host function, for the current
// device.
Function* FunctionOf(void* function);

}  // namespace jaxgemm::emulator
