// The groups of devices that copy from each other, an attribute of the calls between devices.
#pragma once

#include <string_view>

#include "bindings/decode.h"
#include "runtime/peer_streams.h"

namespace jaxgemm {

// Finds the device's group in a text like "0 1;2 3", its place there and the group's size.
Refusal FindGroup(std::string_view groups, int device, PeerCall* call);

}  // namespace jaxgemm
