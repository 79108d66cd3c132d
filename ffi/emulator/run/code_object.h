// AMDGPU code objects (ELF, code object version 5): the loaded image and its kernels, with their
// descriptors and metadata. Source: LLVM's AMDGPUUsage, "Code Object V5 Metadata" and "Kernel
// Descriptor".
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/checks/error.h"
#include "emulator/isa/isa.h"

namespace jaxgemm::emulator {

struct KernelArgument {
  std::string kind;  // "global_buffer", "by_value", "hidden_block_count_x", ...
  uint32_t offset = 0, size = 0;
};

struct Kernel {
  std::string name;
  uint64_t entry = 0;     // offset of the first instruction in the image
  uint64_t code_end = 0;  // offset after the last instruction
  // From the descriptor.
  uint32_t lds_bytes = 0, private_bytes = 0, kernarg_bytes = 0;
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0, kernarg_preload = 0;
  // From the metadata.
  uint32_t vgprs = 0, agprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0;
  uint32_t max_workgroup = 1024;
  uint32_t required_workgroup[3] = {0, 0, 0};
  bool dynamic_stack = false;
  std::vector<KernelArgument> arguments;

  // Vector registers are allocated in groups of eight; accumulation registers start at
  // accum_offset.
  uint32_t allocated_vgprs() const { return ((rsrc1 & 63) + 1) * 8; }
  uint32_t accum_offset() const { return ((rsrc3 & 63) + 1) * 4; }
  // Words of the arguments that the hardware loads into user SGPRs.
  uint32_t preloaded_words() const { return kernarg_preload & 127; }
  uint32_t preloaded_from() const { return kernarg_preload >> 7; }
};

// A variable of the program in global memory.
struct Variable {
  std::string name;
  uint64_t offset, bytes;  // in the image
};

class CodeObject {
 public:
  // Copies, maps and relocates the object. Any invalid bytes give an EmulationError; an accepted
  // object can be launched without further checks of sizes and offsets.
  explicit CodeObject(std::string_view bytes);

  Arch arch() const { return arch_; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const Kernel& kernel(std::string_view name) const;  // throws

  const std::vector<Variable>& variables() const { return variables_; }

  const uint8_t* image() const { return image_.get(); }
  uint8_t* image() { return image_.get(); }
  size_t size() const { return size_; }
  size_t mapped_bytes() const { return mapped_bytes_; }  // of the image's pages

 private:
  void MapSegments(std::string_view file);
  void Relocate(std::string_view file);
  void ReadKernels(std::string_view file);
  void ReadVariables(std::string_view file);
  void ReadMetadata(std::string_view file);

  Arch arch_ = Arch::kGfx942;
  struct Free {
    void operator()(uint8_t* image) const { std::free(image); }
  };
  std::unique_ptr<uint8_t[], Free> image_;
  size_t size_ = 0, mapped_bytes_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<Variable> variables_;
};

std::string_view ArchName(Arch arch);
// Throws for anything but "gfx942", "gfx950" and "gfx90a".
Arch ArchByName(std::string_view name);
// The LDS of a compute unit.
uint32_t LdsBytes(Arch arch);

}  // namespace jaxgemm::emulator
