// Decoding of SMEM, DS, MUBUF and the FLAT formats.
#include "emulator/decode/decode.h"

namespace jaxgemm::emulator {
namespace {

std::string DecodeSmem(const Encoding& e, const OpInfo& info, Instruction* in) {
  if (info.destinations[0] != ':') {
    const std::string error =
        DecodeSgpr(Field(e.low, 12, 6), Dwords(info.destinations[0]), &in->dst[0]);
    if (!error.empty()) return error;
  }
  if (info.sources[0] == 0) return "";
  std::string error = DecodeSgpr(Field(e.low, 5, 0) << 1, Dwords(info.sources[0]), &in->src[2]);
  if (!error.empty()) return error;
  in->sc0 = Field(e.low, 16, 16) != 0;  // glc
  const bool immediate = Field(e.low, 17, 17) != 0, soffset = Field(e.low, 14, 14) != 0;
  if (immediate) {
    in->offset = static_cast<int32_t>(e.high << 11) >> 11;
    if (in->offset < 0 && Dwords(info.sources[0]) == 4) {
      return "a buffer load's negative offset";
    }
    if (soffset) error = DecodeSgpr(Field(e.high, 31, 25), 1, &in->src[3]);
  } else {
    error = DecodeSgpr(soffset ? Field(e.high, 31, 25) : Field(e.high, 6, 0), 1, &in->src[3]);
  }
  return error;
}

std::string DecodeDs(const Encoding& e, const OpInfo& info, Instruction* in) {
  if (Field(e.low, 16, 16)) {
    return std::string(info.mnemonic) + " with gds, which these chips do not have";
  }
  const bool accumulation = Field(e.low, 25, 25) != 0;
  std::string error = DecodeVgpr(Field(e.high, 7, 0), 1, false, &in->src[0]);
  if (error.empty() && info.destinations[0] != ':') {
    error =
        DecodeVgpr(Field(e.high, 31, 24), Dwords(info.destinations[0]), accumulation, &in->dst[0]);
  }
  if (error.empty() && info.sources[0] != 0) {
    error = DecodeVgpr(Field(e.high, 15, 8), Dwords(info.sources[0]), accumulation, &in->src[1]);
    if (error.empty() && info.sources[1] != 0) {
      error = DecodeVgpr(Field(e.high, 23, 16), Dwords(info.sources[1]), accumulation, &in->src[3]);
    }
  }
  const std::string_view name = info.mnemonic;
  if (name.starts_with("ds_read2") || name.starts_with("ds_write2")) {
    in->offset = static_cast<int32_t>(Field(e.low, 7, 0));
    in->offset1 = static_cast<int32_t>(Field(e.low, 15, 8));
  } else {
    in->offset = static_cast<int32_t>(Field(e.low, 15, 0));
  }
  return error;
}

std::string DecodeMubuf(const Encoding& e, const OpInfo& info, Instruction* in) {
  in->offset = static_cast<int32_t>(Field(e.low, 11, 0));
  in->offen = Field(e.low, 12, 12) != 0;
  in->idxen = Field(e.low, 13, 13) != 0;
  in->sc0 = Field(e.low, 14, 14) != 0;
  in->sc1 = Field(e.low, 15, 15) != 0;
  in->lds = Field(e.low, 16, 16) != 0;
  in->nt = Field(e.low, 17, 17) != 0;
  if (info.unit == Unit::kCache) {
    const bool plain = in->offset == 0 && !in->offen && !in->idxen && !in->lds && !in->nt;
    return plain && e.high == 0 ? "" : Unknown(e);
  }
  const bool accumulation = Field(e.high, 23, 23) != 0;
  std::string error;
  if (in->offen || in->idxen) {
    error = DecodeVgpr(Field(e.high, 7, 0), in->offen && in->idxen ? 2 : 1, false, &in->src[0]);
  }
  const bool loads = info.destinations[0] != ':', stores = info.sources[0] != 0;
  const uint32_t vdata = Field(e.high, 15, 8);
  if (in->lds) {
    // gfx950 added the forms of 12 and 16 bytes.
    const bool wide = in->op == Op::buffer_load_dwordx3 || in->op == Op::buffer_load_dwordx4;
    const bool narrow = in->op == Op::buffer_load_ubyte || in->op == Op::buffer_load_sbyte ||
                        in->op == Op::buffer_load_ushort || in->op == Op::buffer_load_sshort ||
                        in->op == Op::buffer_load_dword;
    if (!narrow && !(wide && e.arch == Arch::kGfx950)) return Unknown(e);
  } else {
    // An atomic returns the old value only with sc0.
    if (error.empty() && loads && (!stores || in->sc0)) {
      error = DecodeVgpr(vdata, Dwords(info.destinations[0]), accumulation, &in->dst[0]);
    }
    if (error.empty() && stores) {
      error = DecodeVgpr(vdata, Dwords(info.sources[0]), accumulation, &in->src[1]);
    }
  }
  if (error.empty()) error = DecodeSgpr(Field(e.high, 20, 16) << 2, 4, &in->src[2]);
  if (error.empty()) {
    error = DecodeSource(e, Field(e.high, 31, 24), 'b', false, in, &in->src[3]);
  }
  return error;
}

std::string DecodeFlat(const Encoding& e, const OpInfo& info, Instruction* in) {
  const bool flat = info.format == Format::kFlat, scratch = info.format == Format::kScratch;
  const bool bit13 = Field(e.low, 13, 13) != 0;
  if (bit13 && (!scratch || e.arch == Arch::kGfx90a)) return Unknown(e);
  // GLOBAL and SCRATCH have signed offsets of 13 bits, FLAT has unsigned offsets of 12 bits.
  in->offset =
      flat ? static_cast<int32_t>(Field(e.low, 11, 0)) : static_cast<int32_t>(e.low << 19) >> 19;
  if (flat && Field(e.low, 12, 12)) return Unknown(e);
  in->sc0 = Field(e.low, 16, 16) != 0;
  in->nt = Field(e.low, 17, 17) != 0;
  in->sc1 = Field(e.low, 25, 25) != 0;
  const bool accumulation = Field(e.high, 23, 23) != 0;
  const uint32_t saddr = Field(e.high, 22, 16);
  in->saddr = !flat && saddr != 127;
  in->lds = std::string_view(info.mnemonic).find("_load_lds_") != std::string_view::npos;
  std::string error;
  if (in->saddr) error = DecodeSgpr(saddr, scratch ? 1 : 2, &in->src[2]);
  // A scratch address has a vector register if bit 13 is set; on gfx90a, if it has no scalar
  // register.
  if (error.empty() && (!scratch || (e.arch == Arch::kGfx90a ? !in->saddr : bit13))) {
    error = DecodeVgpr(Field(e.high, 7, 0), scratch || in->saddr ? 1 : 2, false, &in->src[0]);
  }
  const bool loads = info.destinations[0] != ':', stores = info.sources[0] != 0;
  if (error.empty() && loads && (!stores || in->sc0)) {
    error =
        DecodeVgpr(Field(e.high, 31, 24), Dwords(info.destinations[0]), accumulation, &in->dst[0]);
  }
  if (error.empty() && stores) {
    error = DecodeVgpr(Field(e.high, 15, 8), Dwords(info.sources[0]), accumulation, &in->src[1]);
  }
  return error;
}

}  // namespace

std::string DecodeMemory(const Encoding& e, Instruction* in) {
  if (e.size < 8) return "code that ends in the middle of an instruction";
  in->bytes = 8;
  int opcode;
  switch (e.low >> 26) {
    case 0x30:
      in->format = Format::kSmem;
      opcode = Field(e.low, 25, 18);
      break;
    case 0x36:
      in->format = Format::kDs;
      opcode = Field(e.low, 24, 17);
      break;
    case 0x37: {
      constexpr Format kSegments[] = {Format::kFlat, Format::kScratch, Format::kGlobal};
      if (Field(e.low, 15, 14) == 3) return Unknown(e);
      in->format = kSegments[Field(e.low, 15, 14)];
      opcode = Field(e.low, 24, 18);
      break;
    }
    case 0x38:
      in->format = Format::kMubuf;
      opcode = Field(e.low, 24, 18);
      break;
    default: return Unknown(e);
  }
  const OpInfo* info = FindOp(e.arch, in->format, opcode, &in->op);
  if (info == nullptr) return Unknown(e);
  if (info->unit == Unit::kNop) return "";
  switch (in->format) {
    case Format::kSmem: return DecodeSmem(e, *info, in);
    case Format::kDs: return DecodeDs(e, *info, in);
    case Format::kMubuf: return DecodeMubuf(e, *info, in);
    default: return DecodeFlat(e, *info, in);
  }
}

}  // namespace jaxgemm::emulator
