// Checks that an ELF file is not cut short. A driver gets only the address of the file's contents
// and reads everything that the headers refer to.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace jaxgemm {

// Whether all that the headers of a 64-bit ELF file refer to lies within the file. True for other
// files, which drivers refuse by their first bytes.
inline bool IsWholeElf(std::string_view file) {
  if (!file.starts_with(std::string_view(ELFMAG, SELFMAG))) return true;
  auto within = [file](uint64_t offset, uint64_t bytes) {
    return offset <= file.size() && bytes <= file.size() - offset;
  };
  Elf64_Ehdr header;
  if (!within(0, sizeof(header))) return false;
  std::memcpy(&header, file.data(), sizeof(header));
  if (!within(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize) ||
      !within(header.e_phoff, uint64_t{header.e_phnum} * header.e_phentsize)) {
    return false;
  }
  for (int i = 0; i < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr); ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, file.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_NOBITS && !within(section.sh_offset, section.sh_size)) return false;
  }
  return true;
}

}  // namespace jaxgemm
