"""Device time of functions, kernel by kernel, from jax.profiler's trace of a GPU.

Candidates take turns as in timing.py, but a sample is the time in which the device ran
the sample's kernels, memsets and copies: those in the trace between its first call and
the end of its wait. Where two of them overlap, the time counts once.
The trace is the driver's (CUPTI), so it has the kernels of every library in the
process: all candidates are timed by the same clock.

A virtual GPU has no profiler. There a whole sample, in wall time, counts as one kernel with the
name "emulated".
"""

import bisect
import collections
from collections.abc import Callable, Mapping, Sequence
import dataclasses
import itertools
import pathlib
import re
import tempfile
import time
from typing import Any

import jax
import numpy as np

from jaxgemm import _ffi
from jaxgemm.tune import timing

_MOST_CALLS = 1000  # the most calls of one candidate in one trace
_VISIT, _DISPATCH = "jaxgemm benchmark visit ", "jaxgemm benchmark dispatch "
# Calls of the CUDA driver that neither wait nor allocate.
_STARTS_WORK = re.compile("Memset|cuLaunch|cuGraphLaunch")


@dataclasses.dataclass(frozen=True)
class Candidate:
  """A function to time: call(i) starts work on input set i, and wait waits for its result."""

  call: Callable[[int], Any]
  wait: Callable[[Any], Any] = jax.block_until_ready


@dataclasses.dataclass(frozen=True)
class Event:
  """An event of a trace, from `begin` to `end` in nanoseconds."""

  name: str
  begin: float
  end: float

  @property
  def kind(self) -> str:
    """The kind of work on the device: "kernel", "memset" or "copy"."""
    kinds = {"memset": "memset", "memcpy": "copy"}
    return kinds.get(self.name[:6].lower(), "kernel")


@dataclasses.dataclass(frozen=True)
class Trace:
  """The events of a trace.

  Attributes:
    device: events of the device's streams.
    host: annotations and calls of the CUDA driver.
  """

  device: list[Event]
  host: list[Event]


@dataclasses.dataclass
class Launches:
  """The work that one candidate launched on the device, over all its samples."""

  kernels: float  # number in one call, as are memsets and copies
  memsets: float
  copies: float
  names: list[str]  # of the kernels of one call, in order
  times: dict[str, float]  # median seconds per call, by the name of kernel or memset
  driver_calls: dict[str, float]  # by name, during the dispatch of one call
  held_back: list[str]  # driver calls that wait, allocate or copy
  dispatch_share: float  # median of the host's time to dispatch over device time
  # Events that are not the candidate's own, by name: the medians of their "seconds" in
  # a sample, and of their "overlap" with its own events.
  others: dict[str, dict[str, float]]


@dataclasses.dataclass(frozen=True)
class Measured:
  """The result of `measure`."""

  timing: timing.Timing
  launches: dict[str, Launches]
  unclaimed: int  # device events outside of all samples


def read(path: str | pathlib.Path) -> Trace:
  """The events of the only trace under a directory, or of an .xplane.pb file."""
  path = pathlib.Path(path)
  if path.is_dir():
    (path,) = path.rglob("*.xplane.pb")
  device, host = [], []
  for plane in jax.profiler.ProfileData.from_file(str(path)).planes:
    on_device = plane.name.startswith("/device:GPU:")
    if not on_device and not plane.name.startswith("/host:"):
      continue
    for line in plane.lines:
      # Other lines of the device repeat the events by module, operation and scope.
      if on_device and not line.name.startswith("Stream"):
        continue
      for event in line.events:
        name = event.name
        if on_device:
          device.append(Event(name, event.start_ns, event.start_ns + event.duration_ns))
        elif name.startswith("jaxgemm benchmark ") or _is_driver_call(event):
          host.append(Event(name, event.start_ns, event.start_ns + event.duration_ns))
  order = lambda event: event.begin
  return Trace(sorted(device, key=order), sorted(host, key=order))


def _is_driver_call(event) -> bool:
  # The event of a launch has the kernel's name.
  return bool(re.match("cu[A-Z]", event.name)) or any(
      key == "correlation_id" for key, _ in event.stats)


def _numbered(events: Sequence[Event], prefix: str) -> list[Event]:
  found = {int(e.name[len(prefix):]): e for e in events if e.name.startswith(prefix)}
  return [found[index] for index in range(len(found))]


class _Windows:
  """Finds the span, of several in order, that contains the middle of an event."""

  def __init__(self, spans: Sequence[Event]):
    self.spans = spans
    self.begins = [span.begin for span in spans]

  def find(self, event: Event) -> int | None:
    middle = (event.begin + event.end) / 2
    index = bisect.bisect_right(self.begins, middle) - 1
    return index if index >= 0 and middle <= self.spans[index].end else None


def _united(events: Sequence[Event]) -> list[tuple[float, float]]:
  """The spans, in order, in which at least one of the events runs."""
  spans: list[tuple[float, float]] = []
  for event in sorted(events, key=lambda event: event.begin):
    if spans and event.begin <= spans[-1][1]:
      spans[-1] = (spans[-1][0], max(spans[-1][1], event.end))
    else:
      spans.append((event.begin, event.end))
  return spans


def evaluate(trace: Trace, visits: Sequence[str], calls: int, own=None) -> Measured:
  """Seconds and launches of each candidate from a trace.

  Args:
    trace: the trace, with two annotations for each visit, as `measure` makes them.
    visits: the candidate of each visit (that is, sample), in order.
    calls: number of calls in one visit.
    own: function of the name of a device event that says whether it is the candidate's own.
      Other events, such as those of another program, are not added to its time. None: all are.

  Raises:
    RuntimeError: the trace lacks a visit, or a visit has no kernel.
  """
  spans, dispatches = (_numbered(trace.host, p) for p in (_VISIT, _DISPATCH))
  if len(spans) != len(visits) or len(dispatches) != len(visits):
    raise RuntimeError(
        f"The trace has {len(spans)} samples and {len(dispatches)} dispatches of "
        f"{len(visits)}. Measure fewer rounds at once: the profiler keeps a limited "
        "number of events.")
  windows, unclaimed = _Windows(spans), 0
  work: list[list[Event]] = [[] for _ in visits]
  for event in trace.device:
    index = windows.find(event)
    if index is None:
      unclaimed += 1
    else:
      work[index].append(event)
  in_dispatch = _Windows(dispatches)
  driver: list[collections.Counter[str]] = [collections.Counter() for _ in visits]
  for event in trace.host:
    if not event.name.startswith("jaxgemm") and (
        index := in_dispatch.find(event)) is not None:
      driver[index][event.name] += 1
  seconds: dict[str, list[float]] = collections.defaultdict(list)
  launches = {}
  by_name = collections.defaultdict(list)
  for index, name in enumerate(visits):
    by_name[name].append(index)
  for name, indices in by_name.items():
    counts: collections.Counter[str] = collections.Counter()
    total: collections.Counter[str] = collections.Counter()
    others: dict[str, list[tuple[float, float]]] = {}
    times: list[dict[str, float]] = []
    shares = []
    launched = {e.name for index in indices for e in work[index]}
    for index in indices:
      mine: list[Event] = []
      foreign: list[Event] = []
      for e in work[index]:
        (mine if own is None or own(e.name) else foreign).append(e)
      if not any(e.kind == "kernel" for e in mine):
        raise RuntimeError(
            f"A sample of {name} has no kernel in the trace, of {len(trace.device)} "
            "device events. Run this on a GPU, and as a user who may profile it.")
      spans_of_work = _united(mine)
      busy = sum(end - begin for begin, end in spans_of_work) * 1e-9
      seconds[name].append(busy / calls)
      counts.update(e.kind for e in mine)
      times.append(collections.defaultdict(float))
      for e in mine:
        times[-1][e.name] += (e.end - e.begin) * 1e-9 / calls
      total.update(driver[index])
      shares.append((dispatches[index].end - dispatches[index].begin) * 1e-9 / busy)
      for e in foreign:
        overlap = sum(max(0, min(e.end, end) - max(e.begin, begin))
                      for begin, end in spans_of_work)
        others.setdefault(e.name, []).append(
            ((e.end - e.begin) * 1e-9, overlap * 1e-9))
    runs = len(indices) * calls
    first = [e.name for e in work[indices[0]]
             if e.kind == "kernel" and (own is None or own(e.name))]
    launches[name] = Launches(
        kernels=counts["kernel"] / runs, memsets=counts["memset"] / runs,
        copies=counts["copy"] / runs,
        names=first[:max(1, round(len(first) / calls))],
        times={key: float(np.median([each[key] for each in times]))
               for key in dict.fromkeys(itertools.chain(*times))},
        driver_calls={key: value / runs for key, value in sorted(total.items())},
        held_back=sorted(
            key for key in total
            if key not in launched and not _STARTS_WORK.match(key)),
        dispatch_share=float(np.median(shares)),
        others={key: dict(zip(("seconds", "overlap"), np.median(value, 0).tolist()))
                for key, value in others.items()})
  return Measured(
      timing.Timing({n: np.asarray(s) for n, s in seconds.items()}, calls), launches,
      unclaimed)


def measure(
    candidates: Mapping[str, Candidate], num_inputs: int, *, rounds: int,
    calls: int | None = None, sample_seconds: float = 1e-3, warmup: int = 0, own=None,
    directory: str | None = None, within: Callable[[str], None] = lambda part: None,
) -> Measured:
  """Times candidates turn by turn under the profiler.

  Args:
    candidates: the candidates by name.
    num_inputs: number of input sets, which all candidates use in turn.
    rounds: number of samples of each candidate.
    calls: number of calls in one sample. None: so many that a sample takes about
      `sample_seconds`, but at most 64, and fewer with many rounds.
    sample_seconds: approximate length of a sample.
    warmup: calls of each candidate before its first sample, in addition to its first two calls.
    own: see `evaluate`.
    directory: directory in which the trace is kept; None: it is not kept.
    within: called with a description of the next step.

  Raises:
    RuntimeError: see `evaluate`.
  """
  names, turn = list(candidates), itertools.cycle(range(num_inputs))
  fastest = float("inf")
  for name, candidate in candidates.items():
    within(f"{name}, first calls")
    for _ in range(2):  # the first call compiles
      begin = time.perf_counter()
      candidate.wait(candidate.call(next(turn)))
    fastest = min(fastest, time.perf_counter() - begin)
    for _ in range(warmup):
      candidate.wait(candidate.call(next(turn)))
  if calls is None:
    # A trace of more calls takes longer to read than to record.
    most = min(64, max(1, _MOST_CALLS // rounds))
    calls = max(1, min(most, round(sample_seconds / fastest)))
  visits: list[str] = []

  def visit(name, keep=True):
    candidate, index = candidates[name], len(visits)
    with jax.profiler.TraceAnnotation(f"{_VISIT}{index}" if keep else "warm"):
      with jax.profiler.TraceAnnotation(f"{_DISPATCH}{index}" if keep else "warm"):
        for _ in range(calls):
          result = candidate.call(next(turn))
      candidate.wait(result)
    if keep:
      visits.append(name)

  options = jax.profiler.ProfileOptions()
  options.python_tracer_level, options.host_tracer_level = 0, 1
  with tempfile.TemporaryDirectory() as scratch:
    with jax.profiler.trace(directory or scratch, profiler_options=options):
      for name in names:
        visit(name, keep=False)
      for index in range(rounds):
        within(f"round {index + 1} of {rounds}")
        for name in timing.in_turn(names, index):
          visit(name)
    within("reading the trace")
    trace = read(directory or scratch)
  samples = [e for e in trace.host if e.name.startswith(_VISIT)]
  device = trace.device
  if _ffi.virtual_gpus:
    device = [Event("emulated", e.begin, e.end) for e in samples]
  # The events of the warm-up samples come before all others.
  first = min(e.begin for e in samples)
  trace = Trace([e for e in device if e.end > first], trace.host)
  return evaluate(trace, visits, calls, own)


def input_sets(bytes_each: int) -> int:
  """The number of input sets: odd, at least 3, with 128 MiB between two uses of a set.

  That is more than twice the L2 of an H100 or H200 (50 and 60 MB). For a virtual GPU, which has no
  L2, the number is 3.
  """
  if _ffi.virtual_gpus:
    return 3
  return max(3, -(-(128 << 20) // max(bytes_each, 1))) | 1
