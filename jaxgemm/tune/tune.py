"""Times the candidates of the plan for a function's products, and keeps the fastest."""

from collections.abc import Callable, Mapping, Sequence
import dataclasses
import functools
import math
import numbers
import os
import pathlib
import sys
import threading
import time
import warnings

import jax
from jax._src import core  # jax has no public way to know whether it traces

from jaxgemm.call import tuned
from jaxgemm.call.config import check_bool
from jaxgemm.call.fallback import callers_level
from jaxgemm.tune import database
from jaxgemm.tune.measure import Options, Result, measure
from jaxgemm.tune.products import check_routing, products

# The number of products whose programs are compiled together.
_BATCH = 12
# The largest number of threads that compile in a process.
_MOST_THREADS = 16


@dataclasses.dataclass(frozen=True)
class Report:
  """What `jaxgemm.tune` did; `str` of it is a table.

  Attributes:
    results: one `Result` for each product that was timed or known.
    left: the number of calls that were not tuned, by reason.
    unfinished: the number of products for which there was no time.
    path: path of the tuning file.
    lost: why results are not in the file, or "".
  """

  results: list[Result]
  left: Mapping[str, int]
  unfinished: int
  path: pathlib.Path
  lost: str = ""

  def __str__(self) -> str:
    lines = []
    for result in self.results:
      entry = result.entry
      said = "the plan's own choice failed" if entry is None else _said(entry)
      lines.append(f"{result.label}: {said}" + (" [known]" if result.known else ""))
      lines += [f"  left out: {name}: {why}" for name, why in result.refused.items()]
    lines += [f"not tuned: {count} calls, because {why}" for why, count in self.left.items()]
    if self.unfinished:
      lines.append(f"no time was left for {self.unfinished} products: call it again")
    if not lines:
      return "no product of jaxgemm in what was given: nothing was timed, and nothing is kept"
    if self.lost:
      lines.append(f"not all of this is kept, because {self.path} cannot be written: {self.lost}. "
                   "Tune again with path= or JAXGEMM_TUNING for another file")
    elif any(result.entry for result in self.results):
      lines.append(f"kept in {self.path}")
    else:
      lines.append("nothing is kept")
    return "\n".join(lines)


def _said(entry: database.Entry) -> str:
  chosen = (" ".join(f"{k}={v}" for k, v in entry.config.items())
            or "the plan's own choice")
  said = (f"{chosen}, {entry.seconds * 1e6:.1f} us, the plan's "
          f"{entry.plan_seconds * 1e6:.1f} ({entry.plan_seconds / entry.seconds:.2f}x)")
  if entry.xla_seconds is not None:
    said += f", XLA {entry.xla_seconds * 1e6:.1f}"
  return said + (", which is taken" if entry.implementation == "xla" else "")


class _Keeper:
  """Writes entries to the tuning file. Those that it could not write it tries again with the next.

  Attributes:
    lost: why not all entries are in the file, or "".
  """

  def __init__(self, place: pathlib.Path):
    self.lost = ""
    self._place = place
    self._entries: dict[str, database.Entry] = {}  # that are not in the file yet
    self._lock = threading.Lock()

  def check(self) -> None:
    """Warns if the file cannot be written."""
    self._write()
    if self.lost:
      warnings.warn(
          f"The tuning file {self._place} cannot be written: {self.lost}. Only the report will "
          "have the results, and later programs will not use them. Pass path=, or set "
          "JAXGEMM_TUNING to another file.", stacklevel=callers_level())

  def keep(self, key: str, entry: database.Entry) -> None:
    with self._lock:
      self._entries[key] = entry
      self._write()

  def _write(self) -> None:
    try:
      database.merge(self._place, self._entries)
    except (OSError, ValueError) as error:
      self.lost = f"{type(error).__name__}: {error}"
    else:
      self.lost = ""
      self._entries.clear()


def _check_number(name: str, given, allowed: str, kind, least=-math.inf, most=math.inf) -> None:
  """Raises TypeError or ValueError unless an option is a number of this kind and size."""
  is_number = isinstance(given, kind) and not isinstance(given, bool)
  if not is_number or not least <= given <= most:  # NaN does not compare
    raise (ValueError if is_number else TypeError)(
        f"{name}={given!r} was given; {allowed} is allowed. Pass one of these.")


def tune(function: Callable, *args, seconds: float = 120.0, routing="balanced",
         again: bool = False, most_candidates: int = 16, workers: int = 0,
         candidate_seconds: float = 60.0,
         path: str | pathlib.Path | None = None, **kwargs) -> Report:
  """Times the candidates of a function's products and keeps the fastest in a file.

  Later calls use the entries of the file, also in later processes. If the file cannot be
  written, a warning says so before anything is timed, and only the report has the results.
  jax's caches are cleared, so that functions that were compiled before are compiled again. Each
  product is timed alone, on random operands, on one device. XLA's own product competes with
  dense ones. A candidate whose result differs from the reference is left out; the reference is
  XLA's product, or for a grouped product the plan's own choice. Entries are written product by
  product, so a run that was stopped can go on where it was. Each product is named on stderr
  when it begins.

  Args:
    function: it is traced, not run, with args and kwargs: arrays, or
      `jax.ShapeDtypeStruct` in their places. `jax.grad` of a function has the products
      of the gradients, too. On automatic meshes give it the shapes of one device.
    seconds: no product is begun after this time.
    routing: sizes of the groups of grouped products: "balanced", "mild" (random weights from
      0.2 to 1), "skewed" (random weights by Dirichlet's distribution), "extreme" (all tokens
      in one group), or an array with a weight for each group.
    again: whether to time also products that the file has.
    most_candidates: the number of candidates of each product; those with the least predicted
      cost are timed.
    workers: number of processes that time the products, each on a device of its own. A
      candidate that ends its process, or that hangs, is then left out, too. 0: this process
      times them, on the first device. With workers on a GPU set
      XLA_PYTHON_CLIENT_PREALLOCATE=false, so that this process leaves them memory.
    candidate_seconds: with workers, a candidate that takes longer counts as hanging, and is
      left out.
    path: path of the tuning file; None: see `jaxgemm.tune.database`.

  Returns:
    A `Report`; print it.

  Raises:
    ValueError, TypeError: an option is not allowed; or no path was given, and JAXGEMM_TUNING is
      "off" or there is no home folder; or tune was called while jax traces.
    RuntimeError: a worker did not start.
  """
  return tune_all([(function, args, kwargs)], seconds=seconds, routing=routing, again=again,
                  most_candidates=most_candidates, workers=workers,
                  candidate_seconds=candidate_seconds, path=path)


def tune_all(calls: Sequence[tuple[Callable, Sequence, Mapping]], *, seconds: float, routing,
             again: bool, most_candidates: int, workers: int, candidate_seconds: float,
             path: str | pathlib.Path | None) -> Report:
  """`tune` of several functions. `calls` are tuples of (function, args, kwargs)."""
  check_routing(routing)
  check_bool("again", again)
  _check_number("seconds", seconds, "a number", numbers.Real)
  _check_number("most_candidates", most_candidates, "an int above 0", numbers.Integral, least=1)
  _check_number("candidate_seconds", candidate_seconds, "a number above 0", numbers.Real,
                least=sys.float_info.min)
  most = jax.local_device_count()
  _check_number("workers", workers, f"0 to {most}, the number of devices of this process,",
                numbers.Integral, least=0, most=most)
  if not core.trace_state_clean():
    raise TypeError("tune was called while jax traces, within jit, grad or vmap for example; it "
                    "runs programs of its own. Call it outside, with arrays or shapes.")
  place = database.place(path, "path=")
  begin = time.monotonic()
  wanted, left = products(calls)
  for each in wanted:
    each.check_routing(routing)
  known = database.load(place)
  results: list[Result | None] = [
      Result(each.label, each.key, known[each.key], known=True)
      if each.key in known and not again else None for each in wanted]
  wait = [i for i, result in enumerate(results) if result is None]
  keeper = _Keeper(place)
  if wait:
    keeper.check()
  share = -(-len(wait) // max(workers, 1))
  threads = len(os.sched_getaffinity(0)) // max(workers, 1)
  options = Options(routing, most_candidates, max(1, min(threads, _MOST_THREADS)),
                    begin + seconds)

  def next_batch() -> list[int]:
    """The numbers of the next products to time; [] if there are none or no time is left."""
    with lock:
      taken = [] if time.monotonic() > options.end else wait[:min(_BATCH, share)]
      del wait[:len(taken)]
      return taken

  def work(measure) -> None:
    while batch := next_batch():
      measure([wanted[i] for i in batch], options, functools.partial(heard, batch))

  def heard(batch: Sequence[int], word: str, value) -> None:
    """Reports and keeps what a measurement of a batch says; see `measure.Says`."""
    if word == "product":
      i = batch[value]
      print(f"[{time.monotonic() - begin:5.0f} s] {i + 1} of {len(wanted)}: "
            f"{wanted[i].label}", file=sys.stderr, flush=True)
    elif word == "result":
      number, result = value
      results[batch[number]] = result
      if result.entry is not None:
        keeper.keep(result.key, result.entry)

  lock = threading.Lock()
  if workers:
    from jaxgemm.tune import workers as processes  # pylint: disable=g-import-not-at-top

    processes.run(workers, candidate_seconds, work)
  else:
    work(measure)
  tuned.forget()
  jax.clear_caches()  # cached programs have other plans
  done = [result for result in results if result is not None]
  return Report(done, left, len(wanted) - len(done), place, keeper.lost)
