"""The mnemonics that clang assembles for AMD GPUs."""

import functools
import re

from tests.emulator import emulator_isa
from tests.support import amdgpu

# The assembler has all mnemonics in one string, sorted, each after its length.
_KNOWN = b"v_mfma_f32_16x16x4f32"
_NAME = re.compile(rb"[a-z][a-z0-9_.]*\Z")


@functools.cache
def _all() -> tuple[str, ...]:
  data = amdgpu.zig().read_bytes()
  start = data.index(bytes([len(_KNOWN)]) + _KNOWN)
  while before := [length for length in range(1, 64) if data[start - length - 1] == length
                   and _NAME.match(data[start - length : start])]:
    start -= before[0] + 1
  names = []
  while _NAME.match(name := data[start + 1 : start + 1 + data[start]]):
    names.append(name.decode())
    start += 1 + data[start]
  return tuple(names)


@functools.cache
def of(arch: str) -> frozenset[str]:
  """Those that `arch` has, without the suffixes of encodings."""
  names = _all()
  assert len(names) > 2000, "The assembler keeps its mnemonics in another way."
  result = emulator_isa.run_assembler(arch, "\n".join(names) + "\n")
  lacks = {int(line.split(":")[1]) - 1 for line in result.stderr.splitlines()
           if "error: instruction not supported" in line}
  assert 500 < len(lacks) < len(names) - 500
  return frozenset(re.sub("_e32$", "", name) for i, name in enumerate(names) if i not in lacks)
