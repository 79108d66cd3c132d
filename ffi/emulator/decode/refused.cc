// The names of instructions that the emulator refuses.
#include "emulator/decode/decode.h"

namespace jaxgemm::emulator {
namespace {

// Encodings: the formats of isa.h, and those that no instruction of isa.def has.
enum Encodings {
  kSop1 = static_cast<int>(Format::kSop1),
  kSop2 = static_cast<int>(Format::kSop2),
  kSopk = static_cast<int>(Format::kSopk),
  kSopc = static_cast<int>(Format::kSopc),
  kSopp = static_cast<int>(Format::kSopp),
  kSmem = static_cast<int>(Format::kSmem),
  kVop1 = static_cast<int>(Format::kVop1),
  kVop2 = static_cast<int>(Format::kVop2),
  kVop3 = static_cast<int>(Format::kVop3),
  kVop3p = static_cast<int>(Format::kVop3p),
  kVopc = static_cast<int>(Format::kVopc),
  kDs = static_cast<int>(Format::kDs),
  kMubuf = static_cast<int>(Format::kMubuf),
  kMtbuf = 64,  // formatted buffers
  kMimg,        // images
  kOther,
};

enum Archs : unsigned {
  kOnlyGfx90a = 1u << static_cast<int>(Arch::kGfx90a),
  kOnlyGfx950 = 1u << static_cast<int>(Arch::kGfx950),
  kNotGfx90a = 1u << static_cast<int>(Arch::kGfx942) | kOnlyGfx950,
  kAll = kNotGfx90a | kOnlyGfx90a,
};

constexpr char kImages[] = "it is for images or formatted buffers";
constexpr char kScalarMemory[] = "it writes memory in the scalar unit";
constexpr char kLdsExtras[] = "it is a rare form of the LDS";
constexpr char kSystem[] = "it is for debuggers, trap handlers or graphics";
constexpr char kStochastic[] = "the manuals do not say how its seed rounds";
constexpr char kSixBits[] = "it is for vectors of floats of 6 bits";
constexpr char kUndocumented[] = "the manuals leave its result open";

struct Refused {
  const char* name;
  int encoding, opcode;
  unsigned archs;
  const char* reason;
};
constexpr Refused kRefused[] = {
#define JAXGEMM_REFUSED(name, encoding, opcode, archs, reason) \
  {#name, encoding, opcode, archs, reason},
#include "emulator/isa/refused.def"
#undef JAXGEMM_REFUSED
};

struct Code {
  int encoding, opcode;
};

Code CodeOf(uint32_t low) {
  if ((low >> 30) == 2) {
    switch (low >> 23) {
      case 0x17d: return {kSop1, static_cast<int>(Field(low, 15, 8))};
      case 0x17e: return {kSopc, static_cast<int>(Field(low, 22, 16))};
      case 0x17f: return {kSopp, static_cast<int>(Field(low, 22, 16))};
      default: break;
    }
    if ((low >> 28) == 0xb) return {kSopk, static_cast<int>(Field(low, 27, 23))};
    return {kSop2, static_cast<int>(Field(low, 29, 23))};
  }
  if ((low >> 31) == 0) {
    if ((low >> 25) == 0x3f) return {kVop1, static_cast<int>(Field(low, 16, 9))};
    if ((low >> 25) == 0x3e) return {kVopc, static_cast<int>(Field(low, 24, 17))};
    return {kVop2, static_cast<int>(Field(low, 30, 25))};
  }
  switch (low >> 26) {
    case 0x30: return {kSmem, static_cast<int>(Field(low, 25, 18))};
    case 0x34: {
      if ((low >> 23) == 0x1a7) return {kVop3p, static_cast<int>(Field(low, 22, 16))};
      // VOP1 and VOP2 instructions are encoded as VOP3, too.
      const int opcode = static_cast<int>(Field(low, 25, 16));
      if (opcode >= kVop1InVop3 && opcode < kVop1InVop3 + 128) return {kVop1, opcode - kVop1InVop3};
      if (opcode >= kVop2InVop3 && opcode < kVop1InVop3) return {kVop2, opcode - kVop2InVop3};
      return {kVop3, opcode};
    }
    case 0x36: return {kDs, static_cast<int>(Field(low, 24, 17))};
    case 0x38: return {kMubuf, static_cast<int>(Field(low, 24, 18))};
    case 0x3a: return {kMtbuf, static_cast<int>(Field(low, 18, 15))};
    case 0x3c: return {kMimg, static_cast<int>(Field(low, 24, 18) | Field(low, 0, 0) << 7)};
    default: return {kOther, 0};
  }
}

}  // namespace

std::string Unknown(const Encoding& e) {
  std::string words = Text("0x%08x", e.low);
  if (e.size >= 8) words += Text(" 0x%08x", e.high);
  const Code code = CodeOf(e.low);
  for (const Refused& row : kRefused) {
    if (row.encoding != code.encoding || row.opcode != code.opcode) continue;
    if (row.archs >> static_cast<int>(e.arch) & 1) {
      return Text("%s (%s), which the emulator does not have: %s", row.name, words.c_str(),
                  row.reason);
    }
  }
  return "an instruction that the emulator does not know (" + words + ")";
}

}  // namespace jaxgemm::emulator
