// The operands of a call, described for Hopper's copy engine.
#pragma once

#include "backend/driver.h"
#include "call.h"
#include "kernel/tensor_maps.h"

namespace jaxgemm {

TensorMaps MakeTensorMaps(const Driver& driver, const Call& call);

}  // namespace jaxgemm
