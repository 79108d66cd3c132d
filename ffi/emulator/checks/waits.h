// s_waitcnt: registers must not be touched while an operation that writes them is outstanding.
#pragma once

#include "emulator/decode/program.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

// Throws Fault if `step` reads or overwrites a register that an outstanding load writes.
void CheckWaits(const Step& step, const Wave& wave);

// s_waitcnt's immediate (GFX9): vmcnt in [15:14] and [3:0], expcnt in [6:4], lgkmcnt in
// [11:8]; all ones means no wait.
void ExecuteWait(const Step& step, Wave* wave);

}  // namespace jaxgemm::emulator
