"""Single instructions in the emulator: assembled by clang, decoded and executed."""

import ctypes
import functools
import re
import subprocess
import sys

import numpy as np

from jaxgemm import emulator

ARCHS = ("gfx942", "gfx950", "gfx90a")
LANES = 64
# MODE of clang's kernels: round to nearest even, keep denormals, DX10_CLAMP, IEEE.
MODE = 0x3F0
VCC, M0, EXEC = 106, 124, 126


class Registers(ctypes.Structure):
  """The registers of a wave, laid out as in isa_c_api.cc."""

  _fields_ = [
    ("pc", ctypes.c_uint64),
    ("scc", ctypes.c_uint32),
    ("mode", ctypes.c_uint32),
    ("hardware_known", ctypes.c_uint32),
    ("reserved", ctypes.c_uint32),
    ("hardware", ctypes.c_uint32 * 32),
    ("sgpr", ctypes.c_uint32 * 128),
    ("vgpr", ctypes.c_uint32 * LANES * 512),
  ]

  @property
  def s(self) -> np.ndarray:
    """Scalar registers, uint32[128], by hardware number."""
    return np.frombuffer(self.sgpr, np.uint32)

  @property
  def v(self) -> np.ndarray:
    """Vector registers, uint32[512, 64]; 256 and up are accumulation registers."""
    return np.frombuffer(self.vgpr, np.uint32).reshape(512, LANES)

  def s64(self, index: int) -> int:
    return int(self.s[index]) | int(self.s[index + 1]) << 32

  def v64(self, index: int) -> np.ndarray:
    return self.v[index].astype(np.uint64) | self.v[index + 1].astype(
      np.uint64
    ) << np.uint64(32)


class StepError(RuntimeError):
  """The emulator refuses an instruction; its message says why."""


@functools.cache
def library() -> ctypes.CDLL:
  return ctypes.CDLL(emulator.library_path())


def run_assembler(arch: str, source: str, *options: str) -> subprocess.CompletedProcess:
  """Runs clang's assembler, which prints the instructions of `source` as text."""
  command = [sys.executable, "-m", "ziglang", "clang", "-cc1as", "-triple",
             "amdgcn-amd-amdhsa", "-target-cpu", arch, "-filetype", "asm", *options,
             "-", "-o", "-"]
  return subprocess.run(command, input=source, capture_output=True, text=True, check=False)


@functools.cache
def assemble(arch: str, source: str) -> tuple[tuple[str, bytes], ...]:
  """(text as clang prints it, bytes) of each instruction of `source`."""
  result = run_assembler(arch, source, "-show-encoding")
  if result.returncode:
    raise ValueError(result.stderr)
  found = []
  for line in result.stdout.splitlines():
    if match := re.match(r"\s*(\S.*?)\s*; encoding: \[(.*)\]", line):
      # A branch to a label has letters where the linker puts its distance.
      code = bytes(
        int(byte, 16) if re.fullmatch("0x..", byte) else 0
        for byte in match[2].split(",")
      )
      found.append((re.sub(r"\s+", " ", match[1]), code))
  return tuple(found)


def decode(arch: str, code: bytes) -> tuple[int, str]:
  """(size in bytes, text) of the first instruction of `code`, or (-1, reason)."""
  out = ctypes.create_string_buffer(512)
  size = library().jaxgemm_emulator_decode(
    ARCHS.index(arch), code, ctypes.c_size_t(len(code)), out, ctypes.c_size_t(512)
  )
  return size, out.value.decode()


@functools.cache
def table() -> tuple[dict, ...]:
  """The rows of isa.def."""
  lib = library()
  lib.jaxgemm_emulator_instruction.restype = ctypes.c_char_p
  rows = []
  for row in range(lib.jaxgemm_emulator_num_instructions()):
    opcodes, text = (ctypes.c_int * len(ARCHS))(), ctypes.c_char_p()
    numbers = [ctypes.c_int() for _ in range(3)]
    name = lib.jaxgemm_emulator_instruction(
      row, opcodes, *map(ctypes.byref, numbers), ctypes.byref(text)
    )
    rows.append(
      dict(
        name=name.decode(),
        opcodes=tuple(opcodes),
        format=numbers[0].value,
        unit=numbers[1].value,
        cycles=numbers[2].value,
        operands=text.value.decode(),
      )
    )
  return tuple(rows)


def _words(value) -> np.ndarray:
  """uint32[words, 64] of one value for all lanes, or of 64 values of 16 to 64 bits."""
  value = np.asarray(value)
  if value.ndim == 0:
    value = np.full(LANES, int(value) & 0xFFFFFFFF, np.uint32)
  if value.itemsize < 4:
    value = value.view(f"u{value.itemsize}").astype(np.uint32)
  if value.itemsize == 8:
    value = value.view(np.uint64)
    return np.stack(
      [value.astype(np.uint32), (value >> np.uint64(32)).astype(np.uint32)]
    )
  return value.view(np.uint32)[None]


def run(
  arch: str,
  source: str | bytes,
  *,
  v=None,
  s=None,
  exec_mask=2**64 - 1,
  scc=0,
  mode=MODE,
  hardware=None,
) -> Registers:
  """Executes assembly from the given registers.

  Args:
    arch: "gfx942", "gfx950" or "gfx90a".
    source: lines of assembly, branches by number of dwords; or their machine code.
    v: vector registers by number: one value, or 64 lanes of 16, 32 or 64 bits (two
      registers).
    s: scalar registers by hardware number: an int has 32 bits, and (int,) has 64.
    exec_mask, scc, mode: EXEC, SCC, MODE.
    hardware: values that s_getreg reads, by register number.

  Returns:
    The registers afterwards. Those that were not given began with a pattern.

  Raises:
    StepError: the emulator refuses an instruction.
  """
  registers = Registers(scc=scc, mode=mode)
  registers.v[:] = 0xDEAD0000 + np.arange(512, dtype=np.uint32)[:, None] * 64
  registers.s[:] = 0xBEEF0000 + np.arange(128, dtype=np.uint32)
  for index, value in (v or {}).items():
    words = _words(value)
    registers.v[index : index + len(words)] = words
  for index, value in {**(s or {}), EXEC: (exec_mask,)}.items():
    if isinstance(value, tuple):
      registers.s[index], registers.s[index + 1] = value[0] & 0xFFFFFFFF, value[0] >> 32
    else:
      registers.s[index] = value & 0xFFFFFFFF
  for index, value in (hardware or {}).items():
    registers.hardware[index] = value
    registers.hardware_known |= 1 << index
  if isinstance(source, str):
    source = b"".join(encoded for _, encoded in assemble(arch, source + "\n"))
  out = ctypes.create_string_buffer(512)
  if library().jaxgemm_emulator_step(
    ARCHS.index(arch),
    source,
    ctypes.c_size_t(len(source)),
    ctypes.byref(registers),
    out,
    ctypes.c_size_t(512),
  ):
    raise StepError(out.value.decode())
  return registers
