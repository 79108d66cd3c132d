"""Small AMD kernels for tests: assembly or HIP, compiled by PyPI's ziglang."""

import functools
import importlib.util
import pathlib
import subprocess
import tempfile

ARCHS = ("gfx942", "gfx950", "gfx90a")
# The architectures whose memory instructions have scopes (sc0, sc1).
WITH_SCOPES = ("gfx942", "gfx950")
# The bit with which an atomic returns the old value.
RETURNS = {"gfx942": "sc0", "gfx950": "sc0", "gfx90a": "glc"}

_KERNEL = """
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
  s_endpgm
.Lend:
  .size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_kernarg_size 64
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_next_free_vgpr 512
  .amdhsa_accum_offset 256
  .amdhsa_next_free_sgpr 96
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 64
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 512
    .agpr_count: 256
    .max_flat_workgroup_size: 1024
.end_amdgpu_metadata
"""


@functools.cache
def zig() -> pathlib.Path:
  """The program itself: `python -m ziglang` takes longer to start than these take to compile."""
  return pathlib.Path(importlib.util.find_spec("ziglang").origin).parent / "zig"


def _clang(*arguments: str) -> None:
  subprocess.run([zig(), *arguments], check=True)


def link(assembly: str, arch: str) -> bytes:
  """The code object of an assembly file."""
  with tempfile.TemporaryDirectory() as folder:
    source, binary, out = (pathlib.Path(folder, n) for n in ("k.s", "k.o", "k.co"))
    source.write_text(assembly)
    _clang("clang", "-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}",
           "-mcode-object-version=5", "-c", str(source), "-o", str(binary))
    _clang("ld.lld", "-shared", str(binary), "-o", str(out))
    return out.read_bytes()


@functools.cache
def assemble(body: str, arch: str, lds: int = 0) -> bytes:
  """The code object of a kernel k with these instructions.

  The kernel starts with the address of its arguments in s[0:1], the id of the workgroup
  in s2 and that of the work-item in v0. It may use all registers.
  """
  return link(_KERNEL.format(body=body, lds=lds), arch)


@functools.cache
def compile_to_assembly(source: str, arch: str, *flags: str) -> str:
  """The assembly of HIP code; __global__, __device__ and __shared__ need no header."""
  prelude = "".join(
      f"#define __{name}__ __attribute__(({name}))\n"
      for name in ("global", "device", "shared")
  )
  with tempfile.TemporaryDirectory() as folder:
    hip, out = pathlib.Path(folder, "k.hip"), pathlib.Path(folder, "k.s")
    hip.write_text(prelude + source)
    _clang("clang", "-x", "hip", f"--offload-arch={arch}", "--cuda-device-only",
           "-nogpuinc", "-nogpulib", "-mcode-object-version=5", "-O3", *flags, "-S",
           str(hip), "-o", str(out))
    return out.read_text()


@functools.cache
def compile_hip(source: str, arch: str, *flags: str) -> bytes:
  """The code object of HIP code."""
  return link(compile_to_assembly(source, arch, *flags), arch)
