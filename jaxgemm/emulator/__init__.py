"""Runs AMD machine code (gfx942, gfx950, gfx90a) on the CPU, and reports its errors.

The emulator executes code objects, as clang or Triton produce them, instruction by
instruction with AMD's documented semantics. Workgroups and waves take turns in an
order drawn from a seed. It reports, with instruction, wave and lane:

* registers and LDS data that are used before the `s_waitcnt` that covers them;
* LDS races between waves, and races in global memory (a missing release or acquire)
  between workgroups or with a kernel that runs beside the launch;
* accesses outside the LDS or the launch's buffers, misaligned accesses, and reads of
  LDS that nothing wrote;
* wait states that AMD's manuals require and that the code (inline assembly) lacks;
* instructions that it does not support, and hangs.

It counts cycles of the matrix pipe and of vector issue, LDS cycles with bank conflicts
from the real addresses, and bytes. It measures no time; `Options(clock=1)` predicts times
(`jaxgemm.emulator.clock`). An example::

    import numpy as np
    from jaxgemm import emulator

    out = np.zeros(64, np.float32)
    record = emulator.launch(code, "kernel", emulator.pack_arguments(out, np.int32(64)),
                             grid=1, block=64, arch="gfx950", buffers={"out": out})
    record.cost["lds_conflict_cycles"]
"""

from collections.abc import Iterator, Mapping, Sequence
import contextlib
import ctypes
import dataclasses
import importlib
import json
import threading
from typing import Any
import weakref

import numpy as np

from jaxgemm import _ffi
from jaxgemm.emulator import _arguments, _library
from jaxgemm.emulator._arguments import pack_arguments
from jaxgemm.emulator._library import EmulationError, library_path
from jaxgemm.emulator.clock import Clock

__all__ = [
    "Beside",
    "EmulationError",
    "Options",
    "Record",
    "kernels",
    "last_record",
    "launch",
    "library_path",
    "options",
    "pack_arguments",
    "records",
]


class Beside:
  """A kernel to run beside launches: `options(beside=...)`, `Options(beside=...)`.

  It stands for another stream, another GPU or a copy engine, such as one that writes the
  input of a launch that waits for it. It starts with the launch, their waves take turns, and
  the launch is over when both have ended. Only releases and acquires of system scope
  (`sc0 sc1`) order memory between the two; code that relies on less is reported. The launch's
  record does not count this kernel.
  """

  def __init__(
      self,
      code_object: bytes,
      kernel: str,
      arguments: Sequence[Any],
      *,
      grid: int | Sequence[int] = 1,
      block: int | Sequence[int] = 64,
      buffers: Mapping[str, np.ndarray] | Sequence[np.ndarray] = (),
  ):
    """Loads the kernel, which then runs beside every launch with options that name it.

    Args:
      code_object: the linked ELF file, for the launch's architecture.
      kernel: name of the kernel.
      arguments: values that `pack_arguments` takes, or strings. A string names a buffer
        of the launch: its address is passed, and this kernel may write to it. The names
        in `jaxgemm`'s calls are lhs, rhs, chunk_signals, chunk_epoch, out and so on.
      grid: workgroups in x (y, z).
      block: work-items of a workgroup in x (y, z).
      buffers: other arrays, with names or without, that this kernel may access. They
        must not overlap the launch's buffers.

    Raises:
      EmulationError: the code object is invalid, or has no such kernel.
      TypeError: an argument has a wrong type; see `pack_arguments`. Or a buffer is no numpy
        array, or a size of grid or block no whole number.
      ValueError: a buffer is not contiguous, or grid or block is out of range.
    """
    packed, offsets, linked = b"", [], []
    for argument in arguments:
      if isinstance(argument, str):
        packed += bytes(-len(packed) % 8)
        offsets.append(len(packed))
        linked.append(argument.encode())
        argument = np.uint64(0)
      packed = _arguments.appended(packed, argument)
    self._buffers = buffers  # kept alive: the emulator has only their addresses
    lib = _library.load()
    number = ctypes.c_uint64()
    _library.check(
        lib.jaxgemm_emulator_add_beside(
            code_object, len(code_object), kernel.encode(), packed, len(packed),
            len(linked), (ctypes.c_uint32 * len(offsets))(*offsets),
            (ctypes.c_char_p * len(linked))(*linked),
            _arguments.triple("grid", grid), _arguments.triple("block", block),
            *_arguments.of_buffers(buffers), ctypes.byref(number),
        ) == 0
    )
    self.number = number.value
    weakref.finalize(self, lib.jaxgemm_emulator_remove_beside, self.number)


@dataclasses.dataclass(frozen=True)
class Options:
  """Options of the emulation of a launch.

  Attributes:
    seed: seed of the random order in which waves take turns.
    quantum: instructions of a turn; with `shuffle` their mean number.
    resident: workgroups that are resident at once.
    shuffle: whether waves take turns in a new random order each round, instead of round
      robin.
    xcc: XCC_ID of workgroup w is `xcc[w % len(xcc)]`; `"random"` gives arbitrary ids,
      and None gives w % 8, as on the hardware.
    beside: a kernel that runs beside the launch.
    check_waits: finds accesses to registers before their `s_waitcnt`.
    check_hazards: finds missing wait states that software must insert.
    check_store_hazards: with check_hazards, finds also missing wait states between a store of
      more than 64 bits and a write of the registers that it stores.
    check_lds_loads: finds loads from global memory to the LDS that nothing orders with
      other accesses to the same place: a missing `s_waitcnt vmcnt`, or barrier.
    check_lds_races: finds LDS instructions that nothing orders with other LDS instructions on
      the same place.
    check_global_races: finds accesses to global memory that nothing orders with other accesses
      to the same place, also between workgroups.
    check_atomic_races: with check_global_races, finds also plain loads of what atomics of another
      workgroup change. A loop of compare-and-swap may begin with such a load.
    check_uninitialized: finds reads of LDS that nothing wrote.
    check_bounds: finds accesses outside the launch's buffers.
    check_alignment: finds loads and stores of the LDS that are not aligned to their size,
      and of global memory that are not aligned to 4 bytes (or to their size, if it is
      less). ROCm's driver allows both.
    idle_limit: a launch is reported as hanging after this many instructions in which no wave
      compared anything new, as in a loop that polls a flag. The emulator then waits up to 2
      microseconds for each of them, so that a thread of the host can set the flag. A launch
      whose waves compare new numbers, such as a counter, is reported after sixteen times as
      many, and 4 million at least, in which no wave ended or reached new code or a new place
      in global memory.
    profile: whether to count how often each instruction ran (`Record.profile`).
    clock: how many of the first workgroups run on one compute unit and are timed
      (`Record.clock`); 0 times none.
    timeline: whether `Record.clock` has the times of each instruction.
    constants: values by name that replace those of `clock.constants`.

  Raises:
    TypeError: a value has a wrong type. A number out of range is an EmulationError of the launch.
  """

  seed: int = 0
  quantum: int = 64
  resident: int = 8
  shuffle: bool = True
  xcc: str | Sequence[int] | None = None
  beside: Beside | None = None
  check_waits: bool = True
  check_hazards: bool = True
  check_store_hazards: bool = True
  check_lds_loads: bool = True
  check_lds_races: bool = True
  check_global_races: bool = True
  check_uninitialized: bool = True
  check_bounds: bool = True
  check_alignment: bool = True
  idle_limit: int = 4_000_000
  profile: bool = False
  clock: int = 0
  timeline: bool = False
  constants: Mapping[str, float] | None = None
  check_atomic_races: bool = True

  @classmethod
  def unchecked(cls, **fields: Any) -> "Options":
    """Options with all checks off, so that a launch is several times as fast."""
    names = [f.name for f in dataclasses.fields(cls) if f.name.startswith("check_")]
    return cls(**(dict.fromkeys(names, False) | fields))

  def __post_init__(self):
    for field in dataclasses.fields(self):
      given = getattr(self, field.name)
      if field.type is bool and not isinstance(given, (bool, np.bool_)):
        raise TypeError(
            f"{field.name}={given!r} was given; True and False are allowed. Pass one of these.")
      if field.type is int and not _arguments.is_whole(given):
        raise TypeError(
            f"{field.name}={given!r} was given; a whole number is allowed. Pass an int.")
    if self.xcc is not None and not isinstance(self.xcc, str):
      for i, each in enumerate(self.xcc):
        if not _arguments.is_whole(each):
          raise TypeError(f"xcc[{i}]={each!r} was given; whole numbers from 0 to 7 are allowed. "
                          "Pass xcc=(0, 1), for example.")
    if self.beside is not None and not isinstance(self.beside, Beside):
      raise TypeError(f"beside={self.beside!r} was given; an emulator.Beside is allowed, or None. "
                      "Pass emulator.Beside(...).")

  def _text(self) -> bytes:
    parts = []
    for field in dataclasses.fields(self):
      value = getattr(self, field.name)
      if value is None:
        continue
      if field.name == "constants":
        parts += [f"clock.{name}={float(number)}" for name, number in value.items()]
        continue
      if field.name == "beside":
        value = value.number
      if field.name == "xcc" and not isinstance(value, str):
        value = ",".join(str(int(x)) for x in value)
      if field.type is bool:
        value = int(value)
      parts.append(f"{field.name}={value}")
    return ";".join(parts).encode()


@dataclasses.dataclass(frozen=True)
class Record:
  """The record of a launch.

  Attributes:
    kernel: name of the kernel.
    arch: "gfx942", "gfx950" or "gfx90a".
    grid: workgroups in x, y, z.
    block: work-items of a workgroup in x, y, z.
    cost: counters by name, summed over all waves.
      Numbers of instructions: instructions (all), matrix, vector, scalar, branch, wait, barrier,
      other, scalar_memory, lds_read, lds_write, lds_atomic, lane_permute, global_load,
      global_to_lds, global_store, global_atomic, scratch.
      Cycles in which a pipe is in use, as if it were never idle and never shared: matrix_cycles
      and vector_cycles of the SIMDs; simd_matrix_cycles and simd_vector_cycles, the same for
      each of the four SIMDs; and for the LDS of the compute unit lds_read_cycles,
      lds_write_cycles, lds_dma_cycles (loads to the LDS) and, in addition to these three,
      lds_conflict_cycles.
      Bytes: lds_read_bytes, lds_write_bytes, lds_dma_bytes, global_read_bytes,
      global_write_bytes, scalar_read_bytes, scratch_bytes.
      Other numbers: global_lines (64-byte segments of global accesses), workgroups, waves.
    profile: (offset from the kernel's entry, times executed by a wave, instruction) for
      each instruction, with `Options(profile=True)`.
    clock: predicted times, with `Options(clock=...)`; else None.
  """

  kernel: str
  arch: str
  grid: tuple[int, int, int]
  block: tuple[int, int, int]
  cost: dict[str, Any]
  profile: list[tuple[int, int, str]]
  clock: Clock | None = None

  @classmethod
  def _from_json(cls, text: str) -> "Record":
    data = json.loads(text)
    data["grid"], data["block"] = tuple(data["grid"]), tuple(data["block"])
    data["profile"] = [tuple(line) for line in data["profile"]]
    if data["clock"] is not None:
      data["clock"] = Clock._from_json(data["arch"], data["kernel"], data["clock"])
    return cls(**data)


def kernels(code_object: bytes) -> list[dict[str, Any]]:
  """The kernels of a code object and their resources.

  Returns:
    For each kernel a dictionary: name, arch, vgprs, agprs, sgprs, vgpr_spills,
    sgpr_spills, allocated_vgprs (vector and accumulation registers of a wave, as
    allocated), lds_bytes, scratch_bytes (of a work-item), argument_bytes, max_workgroup
    (work-items), code_bytes, and arguments, a list of (kind, offset, bytes).

  Raises:
    EmulationError: `code_object` is not a code object for gfx942, gfx950 or gfx90a.
  """
  lib = _library.load()
  text = _library.read_text(
      lib.jaxgemm_emulator_kernels, code_object, len(code_object)
  )
  _library.check(bool(text))
  return json.loads(text)


def launch(
    code_object: bytes,
    kernel: str,
    args: bytes,
    *,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    arch: str,
    buffers: Mapping[str, np.ndarray] | Sequence[np.ndarray] | None,
    dynamic_lds: int = 0,
    options: Options | None = None,
) -> Record:
  """Runs a kernel of a code object on this process's memory.

  Args:
    code_object: the linked ELF file.
    kernel: name of the kernel.
    args: the explicit arguments, packed; see `pack_arguments`.
    grid: workgroups in x (y, z).
    block: work-items of a workgroup in x (y, z).
    arch: "gfx942", "gfx950" or "gfx90a", or a chip that has it, such as "MI300A"; the code object
      must be for this architecture.
    buffers: the arrays, with names or without, that the kernel may access. It may not
      write to arrays that are read-only in numpy. With None, accesses are not checked.
    dynamic_lds: bytes of LDS in addition to those that the kernel declares.
    options: see `Options`.

  Returns:
    The `Record` of the launch.

  Raises:
    EmulationError: the launch is not possible, or the kernel fails a check. Buffers
      then hold the values written up to that point.
    TypeError: a buffer is no numpy array, or a number is not a whole one.
    ValueError: a buffer is not contiguous; grid or block has more than three dimensions; or
      one of their sizes, or dynamic_lds, is not from 0 to 2^32 - 1.
  """
  lib = _library.load()
  out = ctypes.c_char_p()
  _library.check(
      lib.jaxgemm_emulator_launch(
          code_object, len(code_object), kernel.encode(), args, len(args),
          _arguments.triple("grid", grid), _arguments.triple("block", block),
          _arguments.whole("dynamic_lds", dynamic_lds, 0, _arguments.UINT32),
          (_ffi.target_of(arch) or arch).encode(), (options or Options())._text(),
          *_arguments.of_buffers(buffers), ctypes.byref(out),
      ) == 0
  )
  assert out.value is not None  # a launch that succeeds has a record
  return Record._from_json(out.value.decode())


_options_lock = threading.RLock()
_options_stack = [Options()]


def _set_default_options(value: Options) -> None:
  """Sets the options of launches outside of `options`."""
  with _options_lock:
    _library.check(_library.load().jaxgemm_emulator_set_options(value._text()) == 0)
    _options_stack[0] = value


@contextlib.contextmanager
def options(value: Options | None = None, **fields: Any) -> Iterator[Options]:
  """A context that sets the options of kernels launched through HIP, for the whole process.

  Use `with emulator.options(seed=3):` around a call of `jaxgemm.matmul(...,
  implementation="emulated:gfx942")`, and wait for the result inside. `records()` are
  cleared on entry.

  Args:
    value: the options; None: those of the context around this one.
    **fields: fields of `Options` that replace those of `value`.

  Raises:
    EmulationError: a value is not allowed.
  """
  lib = _library.load()
  with _options_lock:
    chosen = dataclasses.replace(value or _options_stack[-1], **fields)
    _library.check(lib.jaxgemm_emulator_set_options(chosen._text()) == 0)
    lib.jaxgemm_emulator_clear_records()
    _options_stack.append(chosen)
    try:
      yield chosen
    finally:
      _options_stack.pop()
      _library.check(lib.jaxgemm_emulator_set_options(_options_stack[-1]._text()) == 0)


def records() -> list[Record]:
  """The records of the last 4096 launches since `options` was entered, the oldest first."""
  lib = _library.load()
  return [
      Record._from_json(_library.read_text(lib.jaxgemm_emulator_record, i))
      for i in range(lib.jaxgemm_emulator_count_records())
  ]


def last_record() -> Record | None:
  """The last of `records()`, or None if there is none."""
  lib = _library.load()
  count = lib.jaxgemm_emulator_count_records()
  if count == 0:
    return None
  return Record._from_json(_library.read_text(lib.jaxgemm_emulator_record, count - 1))


def __getattr__(name: str):
  if name == "rocm":  # virtual devices, which few programs use
    return importlib.import_module("jaxgemm.emulator.rocm")
  raise AttributeError(f"module 'jaxgemm.emulator' has no attribute {name!r}")
