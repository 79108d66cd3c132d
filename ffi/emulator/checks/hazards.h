// Checks of the wait states that the hardware does not insert by itself (CDNA3 and CDNA4 ISA,
// "Manually Inserted Wait States"). The numbers are those of LLVM's GCNHazardRecognizer for gfx942,
// gfx950 and gfx90a, which needs fewer of them. Compilers insert them; inline assembly must contain
// them. Soft clauses, which only GPUs with XNACK switched on need, are not checked.
#pragma once

#include <cstdint>

#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

struct Wave;
struct Step;

struct HazardState {
  // The clock: wait states issued so far. The arrays below have the time of the last such access of
  // each register; 0 means long ago.
  uint32_t now = 1024;
  uint32_t matrix_until = 0;  // no matrix result is in flight from this time on

  uint32_t scalar_by_vector[128] = {};  // scalar registers written by vector instructions
  uint32_t vector_by_vector[512] = {};  // written by vector instructions, not by matrix ones
  uint32_t vector_by_any[512] = {};     // written by any instruction (for DPP)
  uint32_t stored[512] = {};            // data registers of wide stores
  uint32_t dot_at[512] = {};
  uint16_t dot_op[512] = {};

  struct Matrix {
    uint32_t written = 0, read_as_c = 0;
    uint16_t first = 0;  // first register of the destination; count registers in all
    uint8_t count = 0, passes = 0, passes_as_c = 0;
    bool xdl = false;
  } matrix[512];

  uint32_t m0_by_scalar = 0;
  uint32_t setreg_at[64] = {};  // indexed by hardware register
  uint32_t transcendental_at = 0, partial_at = 0;
  uint16_t transcendental_first = 0, transcendental_end = 0;
  uint16_t partial_first = 0, partial_end = 0;
};

// Additional wait states after a matrix instruction: on gfx950, XDL results take one pass more
// unless the instruction has only two passes.
inline uint32_t ExtraStates(Arch arch, uint32_t passes, bool xdl) {
  return arch == Arch::kGfx950 && xdl && passes != 2;
}
// The wait states between a matrix instruction and one that reads or overwrites its result.
inline uint32_t StatesUntilResult(Arch arch, uint32_t passes, bool xdl) {
  return passes + (xdl ? 3 : 2) + ExtraStates(arch, passes, xdl);
}

// Throws Fault if `step` comes too early; else records its writes and advances the clock. `stores`:
// whether to check also the wait states between a store of more than 64 bits and a write of its
// data registers.
void CheckHazards(Arch arch, const Step& step, bool stores, Wave* wave);

}  // namespace jaxgemm::emulator
