// The operands of a call, described for Hopper's copy engine.
#pragma once

#include "runtime/call.h"
#include "runtime/driver.h"
#include "sm90/launch_args.h"

namespace jaxgemm {

TensorMaps MakeTensorMaps(const Driver& driver, const Call& call);

}  // namespace jaxgemm
