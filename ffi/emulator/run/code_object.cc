#include "emulator/run/code_object.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/run/msgpack.h"

namespace jaxgemm::emulator {
namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint32_t kNoteMetadata = 32;                      // NT_AMDGPU_METADATA
constexpr uint32_t kRelocAbs64 = 3, kRelocRelative64 = 13;  // R_AMDGPU_*

struct ArchOfElf {
  Arch arch;
  std::string_view name;
  uint32_t mach;  // EF_AMDGPU_MACH
};
constexpr ArchOfElf kArchs[kNumArchs] = {{Arch::kGfx942, "gfx942", 0x4c},
                                         {Arch::kGfx950, "gfx950", 0x4f},
                                         {Arch::kGfx90a, "gfx90a", 0x3f}};
constexpr const char* kArchNames = "gfx942, gfx950 and gfx90a";

constexpr size_t kPage = 4096;

// Limits that are larger than any kernel needs, and small enough to allocate.
constexpr uint64_t kMaxImageBytes = uint64_t{1} << 28;
constexpr uint32_t kMaxArgumentBytes = 1 << 16;
constexpr uint32_t kMaxPrivateBytes = 1 << 20;  // for each lane
constexpr uint32_t kMaxUserRegisters = 16;      // user SGPRs for preloaded arguments

// Whether `bytes` at `offset` lie within `size`, correct for all numbers.
bool Within(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

// The address of `bytes` bytes at `offset`. Throws if they are not in the file, whose lengths may
// be wrong.
const char* At(std::string_view file, uint64_t offset, uint64_t bytes) {
  if (!Within(offset, bytes, file.size())) {
    throw EmulationError("The code object is cut short: a header points past its end.");
  }
  return file.data() + offset;
}

template <class T>
T Read(std::string_view file, uint64_t offset) {
  T value;
  std::memcpy(&value, At(file, offset, sizeof(T)), sizeof(T));
  return value;
}

template <class F>
void ForEachSection(std::string_view file, F&& f) {
  auto header = Read<Elf64_Ehdr>(file, 0);
  for (int i = 0; i < header.e_shnum; ++i) {
    f(Read<Elf64_Shdr>(file, header.e_shoff + static_cast<uint64_t>(i) * sizeof(Elf64_Shdr)));
  }
}

template <class F>
void ForEachSegment(std::string_view file, F&& f) {
  auto header = Read<Elf64_Ehdr>(file, 0);
  for (int i = 0; i < header.e_phnum; ++i) {
    f(Read<Elf64_Phdr>(file, header.e_phoff + static_cast<uint64_t>(i) * sizeof(Elf64_Phdr)));
  }
}

struct Symbol {
  std::string name;
  uint64_t value, size;
  int type;
};

std::vector<Symbol> ReadSymbols(std::string_view file) {
  std::vector<Symbol> symbols;
  auto header = Read<Elf64_Ehdr>(file, 0);
  ForEachSection(file, [&](const Elf64_Shdr& section) {
    if (section.sh_type != SHT_DYNSYM) return;
    auto strings =
        Read<Elf64_Shdr>(file, header.e_shoff + uint64_t{section.sh_link} * sizeof(Elf64_Shdr));
    std::string_view names(At(file, strings.sh_offset, strings.sh_size), strings.sh_size);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      auto symbol = Read<Elf64_Sym>(file, section.sh_offset + at);
      if (symbol.st_name >= names.size()) continue;
      std::string_view name = names.substr(symbol.st_name);
      name = name.substr(0, name.find('\0'));
      symbols.push_back(
          {std::string(name), symbol.st_value, symbol.st_size, ELF64_ST_TYPE(symbol.st_info)});
    }
  });
  return symbols;
}

// Names of kernels and of arguments go into JSON unescaped, so their characters are restricted.
void CheckName(std::string_view name) {
  for (const char c : name) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') {
      throw EmulationError(
          "The code object has a name with characters that the emulator does not accept.");
    }
  }
}

// Checks the values that a launch relies on.
void CheckDescriptor(const Kernel& kernel) {
  CheckName(kernel.name);
  const char* name = kernel.name.c_str();
  if (kernel.kernarg_bytes > kMaxArgumentBytes) {
    throw EmulationError(Text("Kernel %s takes %u bytes of arguments; at most %u are emulated.",
                              name, kernel.kernarg_bytes, kMaxArgumentBytes));
  }
  if (kernel.private_bytes > kMaxPrivateBytes) {
    throw EmulationError(
        Text("Kernel %s needs %u bytes of scratch memory for each lane; at most "
             "%u are emulated.",
             name, kernel.private_bytes, kMaxPrivateBytes));
  }
  const uint32_t words = kernel.preloaded_words(), from = kernel.preloaded_from();
  if (words > kMaxUserRegisters || 4 * (from + words) > kernel.kernarg_bytes) {
    throw EmulationError(
        Text("Kernel %s preloads %u words from word %u on of its %u bytes of "
             "arguments; at most %u that exist are emulated.",
             name, words, from, kernel.kernarg_bytes, kMaxUserRegisters));
  }
}

KernelArgument ReadArgument(const MsgPack& argument, const Kernel& kernel) {
  KernelArgument read;
  read.kind = argument[".value_kind"].string;
  CheckName(read.kind);
  const auto offset = static_cast<uint64_t>(argument[".offset"].integer);
  const auto size = static_cast<uint64_t>(argument[".size"].integer);
  const bool is_hidden = read.kind.starts_with("hidden_");
  if (!Within(offset, size, kernel.kernarg_bytes) || (is_hidden && size > sizeof(uint64_t))) {
    throw EmulationError(
        Text("The code object's metadata places an argument of kernel %s outside "
             "its %u bytes of arguments.",
             kernel.name.c_str(), kernel.kernarg_bytes));
  }
  read.offset = static_cast<uint32_t>(offset);
  read.size = static_cast<uint32_t>(size);
  return read;
}

// The 64 bytes of AMDGPUUsage's "Kernel Descriptor".
struct Descriptor {
  uint32_t lds_bytes, private_bytes, kernarg_bytes, reserved0;
  int64_t entry_offset;  // from the descriptor itself
  uint8_t reserved1[20];
  uint32_t rsrc3, rsrc1, rsrc2;
  uint16_t properties, kernarg_preload;
  uint32_t reserved2;
};
static_assert(sizeof(Descriptor) == 64);

}  // namespace

CodeObject::CodeObject(std::string_view file) {
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) {
    throw EmulationError(
        "The code object is not an ELF file; give the output of the AMDGPU "
        "linker (a .hsaco file), not a bundle or assembly.");
  }
  auto header = Read<Elf64_Ehdr>(file, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      (header.e_shnum > 0 && header.e_shentsize != sizeof(Elf64_Shdr)) ||
      (header.e_phnum > 0 && header.e_phentsize != sizeof(Elf64_Phdr))) {
    throw EmulationError(
        "The ELF file is not one of 64-bit little-endian headers, as AMDGPU code "
        "objects are.");
  }
  if (header.e_machine != kMachineAmdgpu || header.e_type != ET_DYN) {
    throw EmulationError(
        Text("The ELF file is not a linked AMDGPU code object (machine %d, "
             "type %d); link it with ld.lld -shared.",
             header.e_machine, header.e_type));
  }
  uint32_t mach = header.e_flags & 0xff;
  const auto found = std::ranges::find(kArchs, mach, &ArchOfElf::mach);
  if (found == std::end(kArchs)) {
    throw EmulationError(
        Text("The code object is for another GPU (EF_AMDGPU_MACH 0x%02x); "
             "the emulator knows %s.",
             mach, kArchNames));
  }
  arch_ = found->arch;
  MapSegments(file);
  Relocate(file);
  ReadKernels(file);
  ReadVariables(file);
  ReadMetadata(file);
}

void CodeObject::MapSegments(std::string_view file) {
  ForEachSegment(file, [&](const Elf64_Phdr& segment) {
    if (segment.p_type != PT_LOAD) return;
    if (!Within(segment.p_vaddr, segment.p_memsz, kMaxImageBytes)) {
      throw EmulationError("The code object's image exceeds 256 MiB.");
    }
    size_ = std::max<size_t>(size_, segment.p_vaddr + segment.p_memsz);
  });
  // 64 bytes more, so that the decoder may read past the last instruction. The loader aligns to
  // pages, and kernels compute with addresses of variables that are aligned to 256 bytes.
  mapped_bytes_ = (size_ + 64 + kPage - 1) / kPage * kPage;
  image_.reset(static_cast<uint8_t*>(std::aligned_alloc(kPage, mapped_bytes_)));
  if (image_) std::memset(image_.get(), 0, mapped_bytes_);
  if (!image_) {
    throw EmulationError(Text("The code object's image of %zu bytes cannot be allocated.", size_));
  }
  ForEachSegment(file, [&](const Elf64_Phdr& segment) {
    if (segment.p_type != PT_LOAD) return;
    if (segment.p_filesz > segment.p_memsz) {
      throw EmulationError("The code object has a segment larger in the file than in memory.");
    }
    std::memcpy(image_.get() + segment.p_vaddr, At(file, segment.p_offset, segment.p_filesz),
                segment.p_filesz);
  });
}

void CodeObject::Relocate(std::string_view file) {
  std::vector<Symbol> symbols = ReadSymbols(file);
  uint64_t base = reinterpret_cast<uint64_t>(image_.get());
  ForEachSection(file, [&](const Elf64_Shdr& section) {
    if (section.sh_type != SHT_RELA || !(section.sh_flags & SHF_ALLOC)) return;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
      auto rela = Read<Elf64_Rela>(file, section.sh_offset + at);
      uint64_t type = ELF64_R_TYPE(rela.r_info), symbol = ELF64_R_SYM(rela.r_info);
      uint64_t value = base + rela.r_addend;
      if (type == kRelocAbs64 && symbol < symbols.size()) {
        value += symbols[symbol].value;
      } else if (type != kRelocRelative64) {
        throw EmulationError(
            Text("The code object needs relocation type %d, which the "
                 "emulator does not do.",
                 static_cast<int>(type)));
      }
      if (!Within(rela.r_offset, 8, size_)) {
        throw EmulationError("A relocation lies outside the image.");
      }
      std::memcpy(image_.get() + rela.r_offset, &value, 8);
    }
  });
}

void CodeObject::ReadKernels(std::string_view file) {
  std::vector<Symbol> symbols = ReadSymbols(file);
  for (const Symbol& symbol : symbols) {
    std::string_view name = symbol.name;
    if (!name.ends_with(".kd")) continue;
    if (!Within(symbol.value, sizeof(Descriptor), size_)) {
      throw EmulationError("A kernel descriptor lies outside the image.");
    }
    Descriptor descriptor;
    std::memcpy(&descriptor, image_.get() + symbol.value, sizeof(descriptor));
    Kernel kernel;
    kernel.name = name.substr(0, name.size() - 3);
    kernel.entry = symbol.value + descriptor.entry_offset;
    kernel.code_end = size_;
    for (const Symbol& code : symbols) {
      if (code.name != kernel.name || code.size == 0) continue;
      if (!Within(code.value, code.size, size_)) {
        throw EmulationError("A kernel's code lies outside the image.");
      }
      kernel.code_end = code.value + code.size;
    }
    if (kernel.entry >= kernel.code_end) {
      throw EmulationError("A kernel's entry lies outside its code.");
    }
    kernel.lds_bytes = descriptor.lds_bytes;
    kernel.private_bytes = descriptor.private_bytes;
    kernel.kernarg_bytes = descriptor.kernarg_bytes;
    kernel.rsrc1 = descriptor.rsrc1;
    kernel.rsrc2 = descriptor.rsrc2;
    kernel.rsrc3 = descriptor.rsrc3;
    kernel.properties = descriptor.properties;
    kernel.kernarg_preload = descriptor.kernarg_preload;
    CheckDescriptor(kernel);
    kernels_.push_back(std::move(kernel));
  }
}

void CodeObject::ReadVariables(std::string_view file) {
  for (Symbol& symbol : ReadSymbols(file)) {
    if (symbol.type != STT_OBJECT || symbol.name.ends_with(".kd")) continue;
    if (!Within(symbol.value, symbol.size, size_)) {
      throw EmulationError("A variable lies outside the image.");
    }
    variables_.push_back({std::move(symbol.name), symbol.value, symbol.size});
  }
}

void CodeObject::ReadMetadata(std::string_view file) {
  ForEachSegment(file, [&](const Elf64_Phdr& segment) {
    if (segment.p_type != PT_NOTE) return;
    uint64_t at = segment.p_offset, end = at + segment.p_filesz;
    while (at + sizeof(Elf64_Nhdr) <= end) {
      auto note = Read<Elf64_Nhdr>(file, at);
      uint64_t name = at + sizeof(note), text = name + ((note.n_namesz + 3) & ~3u);
      if (note.n_type == kNoteMetadata) {
        MsgPack metadata = MsgPack::Parse({At(file, text, note.n_descsz), note.n_descsz});
        for (const MsgPack& entry : metadata["amdhsa.kernels"].array) {
          for (Kernel& kernel : kernels_) {
            if (entry[".name"].string != kernel.name) continue;
            kernel.vgprs = entry[".vgpr_count"].integer;
            kernel.agprs = entry[".agpr_count"].integer;
            kernel.sgprs = entry[".sgpr_count"].integer;
            kernel.vgpr_spills = entry[".vgpr_spill_count"].integer;
            kernel.sgpr_spills = entry[".sgpr_spill_count"].integer;
            kernel.dynamic_stack = entry[".uses_dynamic_stack"].integer;
            if (entry[".max_flat_workgroup_size"].type == MsgPack::kInteger) {
              kernel.max_workgroup = entry[".max_flat_workgroup_size"].integer;
            }
            const auto& required = entry[".reqd_workgroup_size"].array;
            for (size_t i = 0; i < 3 && i < required.size(); ++i) {
              kernel.required_workgroup[i] = required[i].integer;
            }
            for (const MsgPack& argument : entry[".args"].array) {
              kernel.arguments.push_back(ReadArgument(argument, kernel));
            }
          }
        }
      }
      at = text + ((note.n_descsz + 3) & ~3u);
    }
  });
}

const Kernel& CodeObject::kernel(std::string_view name) const {
  std::string names;
  for (const Kernel& kernel : kernels_) {
    if (kernel.name == name) return kernel;
    names += names.empty() ? kernel.name : ", " + kernel.name;
  }
  throw EmulationError("The code object has no kernel \"" + std::string(name) +
                       "\"; it has: " + (names.empty() ? "none" : names) + ".");
}

std::string_view ArchName(Arch arch) { return kArchs[static_cast<int>(arch)].name; }

Arch ArchByName(std::string_view name) {
  const auto found = std::ranges::find(kArchs, name, &ArchOfElf::name);
  if (found != std::end(kArchs)) return found->arch;
  throw EmulationError("There is no arch \"" + std::string(name) + "\" in the emulator; it has " +
                       kArchNames + ".");
}

uint32_t LdsBytes(Arch arch) { return arch == Arch::kGfx950 ? 160 << 10 : 64 << 10; }

}  // namespace jaxgemm::emulator
