// Loads the code objects of the build: <folder>/<target>/<name>.hsaco or .cubin. Functions that
// return a string return an empty one, or the error as sentences for the user.
#pragma once

#include <string>
#include <string_view>

#include "runtime/driver.h"

namespace jaxgemm {

// Sets the folder of the code objects. Called once, before any load.
void SetKernelFolder(std::string folder);

// The target of a device, or "" with the error code in *result.
std::string TargetOf(const Driver& driver, int device, DriverResult* result);

// The error for what failed for a kernel on a device.
std::string KernelFailure(const char* what, const Driver& driver, const std::string& kernel,
                          int device, DriverResult result);

// Loads a target's code object on the thread's current device, which has this target.
std::string LoadCodeObject(const Driver& driver, std::string_view target, const std::string& name,
                           int device, void** module);

}  // namespace jaxgemm
