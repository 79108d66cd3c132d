// The issue slots of gfx942's main loop: where its LDS accesses are among its matrix instructions.
#pragma once

#include "amdgpu/isa.h"

namespace jaxgemm {

// A step of the main loop multiplies kRows x kColumns fragments, two rows at a time, with kParts
// matrix instructions for each product of two fragments. Slot t of a step is the place after its
// matrix instruction t. The slots from kSlots on are those of the next step.
//
// A step reads the next step's fragments in this order: all of lhs but the last two, those of rhs,
// and the last two of lhs. `n` counts fragments in this order.
template <int kRows, int kColumns, int kParts>
struct StepSlots {
  static constexpr int kPerColumn = 2 * kParts, kPerRows = kColumns * kPerColumn;
  static constexpr int kSlots = kRows / 2 * kPerRows, kReads = kRows + kColumns;

  static constexpr bool IsRhs(int n) { return n >= kRows - 2 && n < kReads - 2; }
  // The number of fragment n among those of its operand.
  static constexpr int Index(int n) {
    return n < kRows - 2 ? n : IsRhs(n) ? n - (kRows - 2) : n - kColumns;
  }
  // From which slot on the step does not use the registers of fragment n any more.
  static constexpr int FreeAt(int n) {
    return IsRhs(n) ? kSlots - kPerRows + (Index(n) + 1) * kPerColumn - 1
                    : (Index(n) / 2 + 1) * kPerRows - 2 + Index(n) % 2;
  }
  // The last slot in which fragment n of the next step can be read.
  static constexpr int NeededAfter(int n) {
    return kSlots - 1 + (IsRhs(n) ? Index(n) * kPerColumn : Index(n) / 2 * kPerRows);
  }
  // The slot in which fragment n is read, if reads are `gap` or more slots apart, from slot `begin`
  // on.
  static constexpr int ReadAt(int n, int begin, int gap) {
    int at = begin;
    for (int i = 0; i <= n; ++i) {
      if (i > 0) at += gap;
      if (at < FreeAt(i)) at = FreeAt(i);
    }
    return at < NeededAfter(n) ? at : NeededAfter(n);
  }
};

// Where the part-th of `parts` equal parts of the range from `begin` to `end` begins.
JAXGEMM_AMD constexpr int PartBegin(int part, int parts, int begin, int end) {
  return begin + (end - begin) * part / parts;
}

// A number that is part of a type, so that it is a constant where it is an argument.
template <int kValue>
struct Constant {
  JAXGEMM_AMD constexpr operator int() const { return kValue; }
};

// Calls f for the numbers from kBegin to kEnd - 1. (The compiler does not unroll a loop as large as
// a step.)
template <int kBegin, int kEnd, class F>
JAXGEMM_AMD void ForConstants(F&& f) {
  if constexpr (kBegin < kEnd) {
    f(Constant<kBegin>());
    ForConstants<kBegin + 1, kEnd>(f);
  }
}

}  // namespace jaxgemm
