"""Predicted times of emulated kernels: when each instruction issues on one compute unit.

`Options(clock=n)` puts the first n workgroups of a launch on one compute unit and replays
what they executed on a model of it: four SIMDs with their waves in order, matrix and
vector pipes, the LDS with the bank conflicts of the real addresses, the L1, and this
unit's share of the L2 and of the memory behind it. `Record.clock` then has a `Clock`.
All its times are predictions, and none was measured on an AMD GPU. An
example::

    from jaxgemm import emulator
    from jaxgemm.emulator import clock

    with emulator.options(clock=1, timeline=True):
      jax.block_until_ready(call(x, y))  # implementation="emulated:gfx950"
      record = emulator.last_record()
    record.clock.loop.matrix_share  # of the matrix pipes' peak, in the main loop
    record.clock.waits()            # what waves waited for, in cycles
    clock.write_trace(record.clock, "trace.json")  # opens in ui.perfetto.dev

The model's numbers, with unit and source, are in `constants`; `Options(constants=...)`
changes them. The documentation of the emulator says what the model leaves out.
"""

from collections.abc import Mapping
import dataclasses
import json
import os
from typing import Any, NamedTuple

from jaxgemm import _ffi
from jaxgemm.emulator import _library

__all__ = [
    "Clock",
    "Constant",
    "Event",
    "Loop",
    "WaveTimes",
    "constants",
    "write_trace",
]

_SIMDS = 4
_ISSUE = 4  # cycles from one instruction of a wave to its next
# The colours of waits, by their names in Perfetto.
_COLOURS = {"vmcnt": "terrible", "lgkmcnt": "bad", "barrier": "yellow", "matrix_pipe": "good"}


class Constant(NamedTuple):
  """A number of the model. The source "assumption" means that no public figure was found."""

  value: float
  unit: str
  source: str


def constants(arch: str) -> dict[str, Constant]:
  """The constants of the model by name.

  Args:
    arch: "gfx942" (MI300X), "gfx950" (MI355X) or "gfx90a" (a die of MI250X), or the name of one
      of these chips.

  Raises:
    EmulationError: `arch` has another value, such as a chip that has no constants.
  """
  first = {target: chip for chip, (target, _) in reversed(_ffi.NAMES["chips"].items())}
  if arch in first.values():
    arch = _ffi.NAMES["chips"][arch][0]
  text = _library.read_text(
      _library.load().jaxgemm_emulator_clock_constants, arch.encode()
  )
  _library.check(bool(text))
  return {name: Constant(*row) for name, row in json.loads(text).items()}


class Event(NamedTuple):
  """One executed instruction.

  Attributes:
    offset: bytes from the kernel's entry; `Clock.code` has the instruction.
    issued: cycle in which it issued.
    done: cycle in which its result is there; for a memory instruction, the cycle in which its
      counter falls.
    waited: what the wave waited for last before it (`WaveTimes.cycles` has the names);
      "issue" if it did not wait.
  """

  offset: int
  issued: int
  done: int
  waited: str


@dataclasses.dataclass(frozen=True)
class WaveTimes:
  """The predicted times of one wave.

  Attributes:
    workgroup: number of the workgroup in the grid.
    wave: number of the wave in the workgroup.
    simd: the SIMD that the wave ran on, 0 to 3.
    start: cycle in which the wave started.
    end: cycle in which it ended.
    instructions: number of instructions that it executed.
    cycles: the cycles of the wave, by name: issue, and what it waited for: matrix_pipe
      and vector_port (another instruction uses them), dependency (a result of
      arithmetic), vmcnt, lgkmcnt, barrier, lds_queue, memory_queue, arbitration (another
      wave issued the same kind), branch (fetch after a branch), idle (s_nop, s_sleep).
    timeline: the instructions in order, with `Options(timeline=True)`.
  """

  workgroup: int
  wave: int
  simd: int
  start: int
  end: int
  instructions: int
  cycles: dict[str, int]
  timeline: list[Event]


@dataclasses.dataclass(frozen=True)
class Loop:
  """The predicted steady state of the main loop.

  This is the innermost loop that has at least half of the first wave's matrix instructions.

  Attributes:
    first_offset: bytes from the kernel's entry to the loop's first instruction.
    last_offset: bytes from the kernel's entry to the branch that closes the loop.
    iterations: number of iterations of the first wave that were timed: those during which all
      waves that run with it are in the loop, without the first and last iterations.
    cycles: cycles of one iteration of the first wave.
    matrix_share: share of the time in which the four matrix pipes work, 0 to 1.
  """

  first_offset: int
  last_offset: int
  iterations: int
  cycles: float
  matrix_share: float


@dataclasses.dataclass(frozen=True)
class Clock:
  """Predicted times of workgroups that share one compute unit.

  Attributes:
    arch: "gfx942", "gfx950" or "gfx90a".
    kernel: name of the kernel.
    cycles: cycles from the start of the first wave to the end of the last.
    resident: the largest number of workgroups that ran at once, by their registers and LDS.
    matrix_cycles: cycles in which the matrix pipe of each SIMD worked.
    vector_cycles: cycles of each SIMD's vector issue, without matrix instructions.
    scalar_cycles: cycles of the scalar unit.
    lds_cycles: cycles of the LDS, conflicts included.
    memory_cycles: cycles of the L1.
    l1_hits: number of 128-byte lines that loads found in the L1.
    l1_misses: number of lines that loads did not find in the L1.
    l2_misses: number of lines that came from behind the L2; see the constant l2_hit_percent.
    store_lines: number of lines that stores and atomics wrote.
    loop: the main loop, or None if the launch has no loop with matrix instructions and
      five iterations, or its workgroups are never in it together.
    waves: the waves, in the order in which they started.
    code: instructions by offset, with `Options(timeline=True)`.
  """

  arch: str
  kernel: str
  cycles: int
  resident: int
  matrix_cycles: tuple[int, ...]
  vector_cycles: tuple[int, ...]
  scalar_cycles: int
  lds_cycles: int
  memory_cycles: int
  l1_hits: int
  l1_misses: int
  l2_misses: int
  store_lines: int
  loop: Loop | None
  waves: list[WaveTimes]
  code: dict[int, str]

  @classmethod
  def _from_json(cls, arch: str, kernel: str, data: dict[str, Any]) -> "Clock":
    waves = [
        WaveTimes(**wave | {"timeline": [Event(*event) for event in wave["timeline"]]})
        for wave in data["waves"]
    ]
    return cls(
        arch, kernel,
        **data
        | {
            "matrix_cycles": tuple(data["matrix_cycles"]),
            "vector_cycles": tuple(data["vector_cycles"]),
            "loop": Loop(**data["loop"]) if data["loop"] else None,
            "waves": waves,
            "code": {int(offset): text for offset, text in data["code"].items()},
        },
    )

  def utilisation(self) -> dict[str, float]:
    """The share of the time, 0 to 1, in which each pipe worked, from start to end."""
    return {
        "matrix": sum(self.matrix_cycles) / (_SIMDS * self.cycles),
        "vector": sum(self.vector_cycles) / (_SIMDS * self.cycles),
        "scalar": self.scalar_cycles / self.cycles,
        "lds": self.lds_cycles / self.cycles,
        "memory": self.memory_cycles / self.cycles,
    }

  def waits(self) -> dict[str, int]:
    """The sums of `WaveTimes.cycles` over all waves, by name, the largest first."""
    total: dict[str, int] = {}
    for wave in self.waves:
      for name, cycles in wave.cycles.items():
        total[name] = total.get(name, 0) + cycles
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def write_trace(clock: Clock, path: str | os.PathLike) -> None:
  """Writes a timeline that ui.perfetto.dev and chrome://tracing open.

  Each SIMD is a process, each wave a thread; one microsecond of the viewer is a cycle.
  The first thread of a SIMD is its matrix pipe. A wave's slices are its instructions and
  what it waited for in between. Memory instructions last until their counter falls, as
  asynchronous events.

  Args:
    clock: the clock of a launch with `Options(timeline=True)`.
    path: path of the JSON file to write.

  Raises:
    ValueError: the launch kept no timeline.
  """
  if not clock.code:
    raise ValueError("The launch kept no timeline. Use Options(clock=..., timeline=True).")
  events: list[Mapping[str, Any]] = []
  for simd in range(_SIMDS):
    events.append(_name("process_name", f"SIMD {simd}", simd, 0))
    events.append(_name("thread_name", "matrix pipe", simd, 0))
  for number, wave in enumerate(clock.waves, start=1):
    title = f"workgroup {wave.workgroup}, wave {wave.wave}"
    events.append(_name("thread_name", title, wave.simd, number))
    for i, event in enumerate(wave.timeline):
      text = clock.code[event.offset]
      common = {"name": text.split()[0], "pid": wave.simd, "tid": number,
                "args": {"instruction": text, "offset": f"0x{event.offset:x}"}}
      after = wave.timeline[i - 1].issued + _ISSUE if i else wave.start
      if event.waited != "issue" and event.issued > after:
        events.append({"name": f"wait: {event.waited}", "ph": "X", "pid": wave.simd,
                       "tid": number, "ts": after, "dur": event.issued - after,
                       "cname": _COLOURS.get(event.waited, "grey")})
      events.append({**common, "ph": "X", "ts": event.issued, "dur": _ISSUE})
      if text.startswith(("v_mfma", "v_smfma")):
        events.append({**common, "ph": "X", "tid": 0, "ts": event.issued,
                       "dur": event.done - event.issued})
      elif text.startswith(("buffer_", "global_", "flat_", "ds_", "scratch_", "s_load")):
        both = {**common, "cat": "memory", "id": f"{number}.{i}"}
        events.append({**both, "ph": "b", "ts": event.issued})
        events.append({**both, "ph": "e", "ts": event.done})
  with open(path, "w") as file:
    json.dump({"traceEvents": events, "otherData": {
        "kernel": clock.kernel, "arch": clock.arch, "unit": "one microsecond is one cycle",
        "note": "predicted, not measured"}}, file)


def _name(kind: str, name: str, pid: int, tid: int) -> dict[str, Any]:
  return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}
