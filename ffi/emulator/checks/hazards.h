// Wait states that the hardware does not insert by itself: CDNA3 and CDNA4 ISA, "Manually
// Inserted Wait States", in the form in which LLVM's GCNHazardRecognizer states them for
// gfx942 and gfx950. Compilers obey them; inline assembly has to do it by hand. Not checked:
// the soft clauses that only GPUs with XNACK switched on ask for.
#pragma once

#include <cstdint>

#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

struct Wave;
struct Step;

struct HazardState {
  // Wait states issued so far; marks below are of this clock, 0 meaning long ago.
  uint32_t now = 1024;
  uint32_t matrix_until = 0;  // no matrix result is in flight from here on

  uint32_t scalar_by_vector[128] = {};  // scalar registers written by vector instructions
  uint32_t vector_by_vector[512] = {};  // by vector instructions that are not matrix ones
  uint32_t vector_by_any[512] = {};     // (for DPP)
  uint32_t stored[512] = {};            // data of wide stores
  uint32_t dot_at[512] = {};
  uint16_t dot_op[512] = {};

  struct Matrix {
    uint32_t written = 0, read_as_c = 0;
    uint16_t first = 0;  // of the destination it was written as
    uint8_t count = 0, passes = 0, passes_as_c = 0;
    bool xdl = false;
  } matrix[512];

  uint32_t m0_by_scalar = 0;
  uint32_t setreg_at[64] = {};  // by hardware register
  uint32_t transcendental_at = 0, partial_at = 0;
  uint16_t transcendental_first = 0, transcendental_end = 0;
  uint16_t partial_first = 0, partial_end = 0;
};

// Throws Fault where `step` comes too early; else notes it and moves the clock on.
void CheckHazards(Arch arch, const Step& step, Wave* wave);

}  // namespace jaxgemm::emulator
