// What the decoders of the formats share.
#pragma once

#include <string>

#include "emulator/isa/info.h"

namespace jaxgemm::emulator {

// The instruction being decoded: `low` and `high` are its first two dwords (high is 0 where
// there is none; `size` bytes are left in the code).
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

// Each returns an empty string or why not.

// A source field: 8 bits (scalar registers and constants) or 9 (vector registers too). Takes
// a literal from the dword at instruction->bytes and counts it.
std::string DecodeSource(const Encoding& encoding, uint32_t code, char letter, bool literal_ok,
                         Instruction* instruction, Operand* operand);
// A scalar register number of seven bits; pairs start at an even number, more at a multiple of
// four.
std::string DecodeSgpr(uint32_t code, int count, Operand* operand);
// `count` vector registers from `index`, of the accumulation bank where `accumulation`. Those of
// 64 bits and more start at an even number on these chips.
std::string DecodeVgpr(uint32_t index, int count, bool accumulation, Operand* operand);
Operand ScalarPair(int index);  // VCC and EXEC, implicit

std::string DecodeVector(const Encoding& encoding, Instruction* instruction);
std::string DecodeVop3p(const Encoding& encoding, Instruction* instruction);
std::string DecodeMemory(const Encoding& encoding, Instruction* instruction);

// Fills the implicit operands ('=', '~', 'c', 'e') after the written ones.
void AddImplicit(const OpInfo& info, int num_dst, int num_src, Instruction* instruction);

std::string Unknown(const Encoding& encoding);

}  // namespace jaxgemm::emulator
