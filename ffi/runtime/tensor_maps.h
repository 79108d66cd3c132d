// Descriptions of a call's operands and out for Hopper's TMA.
#pragma once

#include "runtime/call.h"
#include "runtime/driver.h"
#include "sm90/launch_args.h"

namespace jaxgemm {

TensorMaps MakeTensorMaps(const Driver& driver, const Call& call);

}  // namespace jaxgemm
