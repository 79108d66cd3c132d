"""The steps of a run, in their order, each within a share of the time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
import dataclasses
import datetime
import fcntl
import json
import os
import pathlib
import queue
import re
import shutil
import sys
import threading
import time
from typing import Any, NamedTuple

from jaxgemm.call import denied
from jaxgemm.first_light import features, kernels, products, report
from jaxgemm.first_light.child import Child, Outcome
from jaxgemm.first_light.state import State
from jaxgemm.tune import database

# The parts of a run, and the share of the time at which no step of a part begins any more.
PARTS = {"rates": 0.15, "features": 0.3, "kernels": 0.62, "times": 0.9, "tuning": 0.97}
_LAYER_SIZE, _MATRIX_SIZE, _COPY_BYTES = 4096, 8192, 1 << 30
_MOST_TUNED, _CANDIDATES = 12, 6
_CLEARLY_SLOWER = 1.02  # than XLA: a product that is tuned


class NoGpu(Exception):
  """JAX finds no GPU, or none that this package has kernels for."""


@dataclasses.dataclass(frozen=True)
class Options:
  """What the user asks for; see __main__.py."""

  folder: pathlib.Path
  minutes: float = 15.0
  parts: Sequence[str] = tuple(PARTS)
  kernels: str = ""
  further: int = 0
  again: bool = False
  step_seconds: float = 90.0


@dataclasses.dataclass(frozen=True)
class Step:
  """A step: its name, which begins with its part, and what the child runs."""

  name: str
  function: str
  arguments: Mapping[str, Any]
  environment: Mapping[str, str] = dataclasses.field(default_factory=dict)

  @property
  def part(self) -> str:
    return self.name.partition(":")[0]


class Found(NamedTuple):
  """What a run found.

  Attributes:
    data: the data of the report, without names and paths.
    machine: what is there; see machine.py.
    outcomes: those of the steps, by name.
  """

  data: dict[str, Any]
  machine: dict[str, Any]
  outcomes: dict[str, Outcome]


class Progress:
  """A bar on stderr; a line for each tenth if that is no terminal."""

  def __init__(self, total: int, minutes: float):
    self._total, self._minutes, self._begin = max(total, 1), minutes, time.monotonic()
    self._done, self._tenth, self._lock = 0, -1, threading.Lock()
    self._wide = shutil.get_terminal_size().columns if sys.stderr.isatty() else 0

  def seconds(self) -> float:
    return time.monotonic() - self._begin

  def show(self, name: str, done: int = 0) -> None:
    with self._lock:
      self._done += done
      share = min(self._done / self._total, 1.0)
      spent = divmod(int(self.seconds()), 60)
      bar = "#" * int(20 * share)
      text = (f"[{bar:20s}] {share:4.0%}, {spent[0]}:{spent[1]:02d} of {self._minutes:g} min, "
              f"{name}")
      if self._wide:
        print("\r" + text[:self._wide - 1].ljust(self._wide - 1), end="", file=sys.stderr,
              flush=True)
      elif int(10 * share) > self._tenth:
        self._tenth = int(10 * share)
        print(text, file=sys.stderr, flush=True)

  def end(self) -> None:
    if self._wide:
      print(file=sys.stderr)


def run(options: Options) -> Found:
  """Runs what is not known yet, and writes the report.

  Raises:
    NoGpu: there is no GPU.
    RuntimeError: JAX does not start, another call uses the folder, or no kernel has such a name.
  """
  options.folder.mkdir(parents=True, exist_ok=True)
  with open(options.folder / "lock", "w", encoding="utf-8") as lock:
    try:
      fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
      raise RuntimeError(f"Another call uses the folder {options.folder}. Wait for it, or give "
                         "this call another --folder") from None
    return _run(options)


def _run(options: Options) -> Found:
  child = Child(options.folder / "log-0.txt")
  try:
    machine = child.run("machine.describe", {}, 300.0)
    if "failed" in machine:
      raise RuntimeError(f"JAX does not start on this machine: {machine['failed']}. The file "
                         f"{options.folder / 'log-0.txt'} has its messages")
    if "none" in machine:
      raise NoGpu(machine["none"])
    return _Run(options, machine, child).all()
  finally:
    child.stop()


class _Run:
  """A run on a machine."""

  def __init__(self, options: Options, machine: dict[str, Any], child: Child):
    self._options, self._machine = options, machine | {"further": options.further}
    self._child = child
    identity = {name: value for name, value in machine.items() if name != "clocks"}
    names = machine["kernels"]
    if options.kernels and not any(re.search(options.kernels, name) for name in names):
      raise RuntimeError(f"--kernels={options.kernels} is in the name of none of the {len(names)} "
                         "kernels of this build")
    self._state = State(options.folder / "state.json", identity)
    if options.again:
      self._state.outcomes.clear()
    self._steps = [each for each in self._all_steps() if each.part in options.parts]
    self._progress = Progress(len(self._steps), options.minutes)
    self._unreached: list[str] = []
    # Outcomes that say nothing of a kernel: they are in the report, and the steps run again.
    self._passing: dict[str, Outcome] = {}
    self._stuck = ""  # the step whose process cannot be killed

  def _all_steps(self) -> Iterator[Step]:
    virtual = self._machine["virtual"]
    sizes: dict[str, tuple[str, dict[str, Any]]] = {
        "matrix": ("times.matrix_rate", {"size": 128 if virtual else _MATRIX_SIZE}),
        "bandwidth": ("times.bandwidth", {"size": 1 << 16 if virtual else _COPY_BYTES}),
        "launch": ("times.launch", {})}
    for name, (function, arguments) in sizes.items():
      yield Step(f"rates: {name}", function, arguments)
    for name in features.CHECKS:
      yield Step(f"features: {name}", "features.check", {"name": name})
    for name in features.WITHOUT_COMMAND_BUFFERS:
      yield Step(f"features: {name}, without command buffers", "features.check", {"name": name},
                 {"JAXGEMM_COMMAND_BUFFERS": "0"})
    for name in self._machine["kernels"]:
      if re.search(self._options.kernels, name):
        yield Step(f"kernels: {name}", "kernels.check",
                   {"name": name, "runs": 3 if virtual else kernels.RUNS})
    given = [*products.small()] if virtual else [*products.dense(), *products.grouped()]
    for each in given:
      yield _of_product(each)
    for name in products.LAYERS:
      yield Step(f"times: layer, {name}", "times.of_layer",
                 {"name": name, "size": 64 if virtual else _LAYER_SIZE})
    for each in products.further(self._options.further):
      yield _of_product(each, with_xla=False)

  def all(self) -> Found:
    """Runs the steps, and writes the report."""
    for part in PARTS:
      if part in self._options.parts and part != "tuning":
        self._run_part(part, [each for each in self._steps if each.part == part])
    if "tuning" in self._options.parts:
      self._run_part("tuning", list(self._to_tune()))
    self._progress.show("the report")
    data = report.data_of(self._machine, self._state.outcomes | self._passing, self._unreached,
                          self._progress.seconds() / 60, self._stuck)
    folder = self._options.folder
    (folder / "report.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(report.words(data), encoding="utf-8")
    self._progress.end()
    return Found(data, self._machine, self._state.outcomes)

  def _run_part(self, part: str, steps: Sequence[Step]) -> None:
    steps = [each for each in steps if not self._is_known(each)]
    end = PARTS[part] * 60 * self._options.minutes
    if part == "kernels" and len(steps) > 1:
      self._run_side_by_side(steps, end)
      return
    for environment, of_it in _by_environment(steps):
      if not environment:
        self._run_in_turn(self._child, of_it, end)
        continue
      child = Child(self._options.folder / "log-0.txt", environment)
      try:
        self._run_in_turn(child, of_it, end)
      finally:
        child.stop()

  def _is_known(self, step: Step) -> bool:
    known = step.name in self._state.outcomes
    if known:
      self._progress.show(step.name, done=1)
    return known

  def _run_in_turn(self, child: Child, steps: Iterable[Step], end: float) -> None:
    for step in steps:
      self._run_step(child, step, end)

  def _run_side_by_side(self, steps: Sequence[Step], end: float) -> None:
    """Runs steps that are no measurements in several processes, which compile at once.

    A step that ends its process, or hangs the GPU, may take others with it. So of those that failed
    so nothing is kept, and they run once more, alone.
    """
    count = max(1, min(4, len(os.sched_getaffinity(0)) // 2, len(steps)))
    if count == 1:
      self._run_in_turn(self._child, steps, end)
      return
    children: queue.SimpleQueue[Child] = queue.SimpleQueue()
    broken: list[Step] = []
    mine = [self._child, *(Child(self._options.folder / f"log-{i}.txt") for i in range(1, count))]
    for child in mine:
      children.put(child)

    def one(step: Step) -> None:
      child = children.get()
      try:
        self._run_step(child, step, end, broken)
      finally:
        children.put(child)

    try:
      with ThreadPoolExecutor(count) as threads:
        list(threads.map(one, steps))
    finally:
      for child in mine[1:]:
        child.stop()
    self._run_in_turn(self._child, broken, end)

  def _run_step(self, child: Child, step: Step, end: float,
                broken: list[Step] | None = None) -> None:
    """Runs a step, unless the time is over. If it breaks its process, it is added to `broken`."""
    if self._progress.seconds() > end or self._stuck:
      self._unreached.append(step.name)
      return
    self._progress.show(step.name)
    run_one = self._check_kernel if step.part == "kernels" else self._run_once
    outcome = run_one(child, step) | {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")}
    if outcome.get("stuck"):
      self._stuck = step.name
    if broken is not None and outcome.get("broke"):
      broken.append(step)
      return
    with _lock:
      if outcome.get("how") == "start":
        self._passing[step.name] = {"skipped": outcome["failed"], "date": outcome["date"]}
      else:
        self._state.keep(step.name, outcome)
    self._progress.show(step.name, done=1)

  def _run_once(self, child: Child, step: Step) -> Outcome:
    outcome = child.run(step.function, step.arguments, self._options.step_seconds)
    if outcome.get("part") != "xla" or outcome.get("stuck"):
      return outcome
    alone = {**step.arguments, "with_xla": False}
    return child.run(step.function, alone, self._options.step_seconds) | {
        "xla_fails": outcome["failed"]}

  def _check_kernel(self, child: Child, step: Step) -> Outcome:
    """The checks of a kernel, also after one that hangs or ends the process.

    A schedule that fails for all kernels is not tried with each.
    """
    without = [schedule for check, schedule in features.SCHEDULES.items()
               if report.why(self._state.outcomes.get(f"features: {check}", {}))]
    wrong: list[dict[str, str]] = []
    while True:
      outcome = child.run(step.function, {**step.arguments, "without": without},
                          self._options.step_seconds)
      if "failed" not in outcome:
        found = {"checks": [], "refused": {}, "wrong": [], **outcome}
        return found | {"wrong": wrong + found["wrong"], "broke": bool(wrong)}
      case, stuck = outcome["part"], outcome.get("stuck", False)
      if not case:  # no check of the kernel had begun
        return {"failed": f"no check began: {outcome['failed']}", "how": "start", "broke": True,
                "stuck": stuck}
      wrong.append(kernels.found_wrong(case, outcome["failed"]))
      if wrong[-1]["schedule"] == denied.ANY or stuck:
        return {"checks": [], "refused": {}, "wrong": wrong, "broke": True, "stuck": stuck}
      without.append(case)

  def _to_tune(self) -> Iterator[Step]:
    """The products that are slower than XLA, or than predicted, the worst first."""
    given = [*products.small()][:1] if self._machine["virtual"] else [*products.dense()]
    slow = []
    for each in given:
      outcome = self._state.outcomes.get(_of_product(each).name, {})
      if "ours_us" in outcome and "xla_us" in outcome:
        slow.append((outcome["ours_us"] / outcome["xla_us"], each))
    slow.sort(key=lambda found: -found[0])
    for ratio, each in slow[:_MOST_TUNED]:
      if ratio > _CLEARLY_SLOWER or self._machine["virtual"]:
        yield Step(f"tuning: {each.name}", "times.tune", {
            "sizes": dataclasses.asdict(each), "candidates": _CANDIDATES,
            "file": str(self._options.folder / "tuning.json")})


_lock = threading.Lock()


def _of_product(each: products.Product, with_xla: bool = True) -> Step:
  return Step(f"times: {each.name}", "times.product",
              {"sizes": dataclasses.asdict(each), "with_xla": with_xla})


def _by_environment(steps: Iterable[Step]) -> Iterator[tuple[Mapping[str, str], list[Step]]]:
  left = list(steps)
  while left:
    environment = left[0].environment
    yield environment, [each for each in left if each.environment == environment]
    left = [each for each in left if each.environment != environment]


def write(found: Found, folder: pathlib.Path, say: Callable[[str], None]) -> None:
  """Denies what was found wrong on the chip, and adds what was tuned to the user's file.

  Rules of what was not checked stay as they are.

  Raises:
    OSError, ValueError: a file cannot be written.
  """
  file = denied.path()
  if file is None:
    raise ValueError("JAXGEMM_DENIED is 'off', or there is no home folder, so there is no list of "
                     "denied kernels. Set JAXGEMM_DENIED to the path of a file")
  chip = found.machine["denied_as"]
  count = denied.write(file, chip, report.rules(found.outcomes),
                       lambda rule: report.is_settled(rule, found.outcomes))
  rules = "1 rule for {} is" if count == 1 else f"{count} rules for {{}} are"
  say(f"{rules.format(chip)} in {file}")
  tuned = folder / "tuning.json"
  if tuned.exists():
    place = database.place(None, "JAXGEMM_TUNING=")
    entries = database.load(tuned)
    database.merge(place, entries)
    say(f"{len(entries)} tuned products are in {place}")
