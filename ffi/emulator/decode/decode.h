// Functions that the decoders of all formats share.
#pragma once

#include <string>

#include "emulator/checks/error.h"
#include "emulator/isa/info.h"

namespace jaxgemm::emulator {

// The instruction being decoded. `low` and `high` are its first two dwords (high is 0 if there is
// none); `size` is the number of bytes from `code` to the end of the code.
struct Encoding {
  Arch arch;
  const uint8_t* code;
  size_t size;
  uint32_t low = 0, high = 0;
  uint64_t both() const { return low | (uint64_t{high} << 32); }
  uint32_t Dword(int i) const;
};

// A field of `word`, as the manuals write it: [last:first].
inline uint32_t Field(uint64_t word, int last, int first) {
  return static_cast<uint32_t>((word >> first) & ((uint64_t{1} << (last - first + 1)) - 1));
}

// Each of these returns an empty string or an error.

// Decodes a source field of 8 bits (scalar registers and constants) or 9 (vector registers too).
// Reads a literal from the dword at instruction->bytes and adds its size to `bytes`.
std::string DecodeSource(const Encoding& encoding, uint32_t code, char letter, bool literal_ok,
                         Instruction* instruction, Operand* operand);
// Decodes a scalar register number of seven bits. Pairs start at an even number, larger groups at
// a multiple of four.
std::string DecodeSgpr(uint32_t code, int count, Operand* operand);
// Decodes `count` vector registers from `index` on; `accumulation` selects the AGPRs. Operands of
// 64 bits and more start at an even number on these chips.
std::string DecodeVgpr(uint32_t index, int count, bool accumulation, Operand* operand);
Operand ScalarPair(int index);  // for VCC and EXEC as implicit operands

std::string DecodeVector(const Encoding& encoding, Instruction* instruction);
std::string DecodeVop3p(const Encoding& encoding, Instruction* instruction);
std::string DecodeMemory(const Encoding& encoding, Instruction* instruction);

// Adds the implicit operands ('=', '~', 'c', 'e') after the explicit ones.
void AddImplicit(const OpInfo& info, int num_dst, int num_src, Instruction* instruction);

// The error for an encoding that is not in isa.def. It names the instructions of refused.def.
std::string Unknown(const Encoding& encoding);

}  // namespace jaxgemm::emulator
