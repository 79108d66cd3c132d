"""Times what the plan could choose for a function's products, and keeps the fastest."""

from collections.abc import Callable, Mapping, Sequence
import dataclasses
import datetime
import pathlib
import sys
import threading
import time
from typing import Any

import jax
import numpy as np

from jaxgemm import _ffi
from jaxgemm.config import check_choice
from jaxgemm.tune import choice, database, timing
from jaxgemm.tune.products import ROUTINGS, Product, products

# How many times as fast a candidate has to be as the plan's choice, and XLA as both, or
# the kernels as XLA where the plan leaves the product to it: half of the rounds say so,
# and three quarters of them that it is faster at all.
_GAIN = 1.02
# Of a first, short comparison those go on that take up to so much longer than the best.
_NEAR = 1.25
# The largest error, relative in the norm, of results of these dtypes.
_TOLERANCE = {"float32": 2e-3, "float16": 4e-3, "bfloat16": 2e-2, "int32": 0.0, "int8": 0.0}
_TOLERANCE_OF_FLOAT8 = 0.15


@dataclasses.dataclass(frozen=True)
class Result:
  """What was found for a product.

  Attributes:
    label: the product's sizes and types.
    key: its key in the tuning file.
    entry: what the file has for it now; None where the plan's own choice failed.
    known: whether the entry was there before and nothing was timed.
    seconds: of each candidate that was timed in full, by its configuration.
    refused: why candidates were left out, by their configurations.
  """

  label: str
  key: str
  entry: database.Entry | None
  known: bool = False
  seconds: Mapping[str, float] = dataclasses.field(default_factory=dict)
  refused: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Report:
  """What `jaxgemm.tune` did; `str` of it is a table.

  Attributes:
    results: one for each product.
    left: how many calls were not tuned, by the reason.
    unfinished: products for which there was no time.
    path: of the tuning file.
  """

  results: list[Result]
  left: Mapping[str, int]
  unfinished: int
  path: pathlib.Path

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
    lines.append(f"kept in {self.path}")
    return "\n".join(lines)


def _said(entry: database.Entry) -> str:
  chosen = (" ".join(f"{k}={v}" for k, v in entry.config.items())
            or "the plan's own choice")
  said = (f"{chosen}, {entry.seconds * 1e6:.1f} us, the plan's "
          f"{entry.plan_seconds * 1e6:.1f} ({entry.plan_seconds / entry.seconds:.2f}x)")
  if entry.xla_seconds is not None:
    said += f", XLA {entry.xla_seconds * 1e6:.1f}"
  return said + (", which is taken" if entry.implementation == "xla" else "")


def tune(function: Callable, *args, seconds: float = 120.0, routing="balanced",
         again: bool = False, most_candidates: int = 16, workers: int = 0,
         candidate_seconds: float = 60.0,
         path: str | pathlib.Path | None = None, **kwargs) -> Report:
  """Times the candidates of a function's products and keeps the fastest in a file.

  Later programs use what was found, also those of later processes. jax's caches are
  cleared, so that functions that were compiled before are compiled again. Each product
  is timed alone, on random operands, on one device; XLA's own product competes
  where it is a dense one. A candidate whose result differs from the reference (XLA's
  product; of a grouped product the plan's own choice) is left out. What is found is kept
  product by product, so a run that was stopped goes on where it was. Each product is
  named on stderr when it begins.

  Args:
    function: it is traced, not run, with args and kwargs: arrays, or
      `jax.ShapeDtypeStruct` in their places. `jax.grad` of a function has the products
      of the gradients, too. On automatic meshes give it the shapes of one device.
    seconds: no product is begun after this time.
    routing: sizes of the groups of grouped products: "balanced", "mild" (weights from 0.2
      to 1), "skewed" (by Dirichlet's distribution), "extreme" (all tokens in one group),
      or an array with a share for each group.
    again: also time products that the file has.
    most_candidates: of each product, those with the least predicted cost.
    workers: processes that time the products, each on a device of its own. A candidate
      that ends its process, or that hangs, is then left out, too. 0: this process times
      them, on the first device. On a GPU set XLA_PYTHON_CLIENT_PREALLOCATE=false, so
      that this process leaves them memory.
    candidate_seconds: with workers, a candidate that takes longer hangs.
    path: of the tuning file; None: see `jaxgemm.tune.database`.

  Returns:
    a `Report`; print it.

  Raises:
    ValueError: routing is unknown, or JAXGEMM_TUNING is "off" and no path was given; or
      there are more workers than devices.
    TypeError: it was called while jax traces.
    RuntimeError: a worker did not start.
  """
  return tune_all([(function, args, kwargs)], seconds=seconds, routing=routing, again=again,
                  most_candidates=most_candidates, workers=workers,
                  candidate_seconds=candidate_seconds, path=path)


def tune_all(calls: Sequence[tuple[Callable, Sequence, Mapping]], *, seconds: float, routing,
             again: bool, most_candidates: int, workers: int, candidate_seconds: float,
             path: str | pathlib.Path | None) -> Report:
  """`tune` of several functions: calls has (function, args, kwargs) of each."""
  if isinstance(routing, str):
    check_choice("routing", routing, ROUTINGS)
  if any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves([call[1:] for call in calls])):
    raise TypeError("tune was called with tracers, so within jit, grad or vmap; it runs "
                    "programs of its own. Call it outside, with arrays or shapes.")
  if not 0 <= workers <= jax.local_device_count():
    raise ValueError(f"workers={workers} was given; 0 to {jax.local_device_count()} are "
                     "allowed, the number of devices of this process.")
  place = database.default_path() if path is None else pathlib.Path(path)
  if place is None:
    raise ValueError("JAXGEMM_TUNING is 'off', so there is no tuning file. Unset it, or "
                     "pass path=.")
  begin = time.monotonic()
  wanted, left = products(calls)
  known = database.load(place)
  results: list[Result | None] = [
      Result(each.label, each.key, known[each.key], known=True)
      if each.key in known and not again else None for each in wanted]
  numbers = iter([i for i, result in enumerate(results) if result is None])

  def next_number():
    """Of the next product to time, None where there is none or no time."""
    with lock:
      return None if time.monotonic() - begin > seconds else next(numbers, None)

  def work(tuned) -> None:
    while (i := next_number()) is not None:
      product = wanted[i]
      print(f"[{time.monotonic() - begin:5.0f} s] {i + 1} of {len(wanted)}: "
            f"{product.label}", file=sys.stderr, flush=True)
      results[i] = result = tuned(product, routing, most_candidates)
      if result.entry is not None:
        database.merge(place, {product.key: result.entry})

  lock = threading.Lock()
  if workers:
    from jaxgemm.tune import workers as processes  # pylint: disable=g-import-not-at-top

    processes.run(workers, candidate_seconds, work)
  else:
    work(tuned)
  choice.forget()
  jax.clear_caches()  # they have what was traced with other plans
  done = [result for result in results if result is not None]
  return Report(done, left, len(wanted) - len(done), place)


def tuned(product: Product, routing, most: int, refused: Mapping[str, str] | None = None,
          begins: Callable[[str], None] = lambda name: None) -> Result:
  """Times the candidates of a product in this process.

  Args:
    refused: why candidates are left out that are known to be bad, by their configurations.
    begins: called with a candidate before its first call, and with "" before all are timed.
  """
  refused = dict(refused or {})
  rng = np.random.default_rng(0)
  configs = product.configs(most)
  functions: dict[str, Callable] = {}
  if (xla := product.xla()) is not None:
    functions["xla"] = xla
  by_name = {" ".join(f"{k}={v}" for k, v in config.items()): config for config in configs}
  functions |= {name: product.ours(config) for name, config in by_name.items()}
  own = next(iter(by_name))

  size = sum(x.size * x.dtype.itemsize for x in product.avals)
  inputs = [product.operands(rng, routing)
            for _ in range(_input_sets(size, len(functions)))]
  compiled, reference = {}, None
  for name, function in functions.items():
    if name in refused:
      continue
    begins(name)
    try:
      compiled[name] = jax.jit(function).lower(*product.avals).compile()
      out = compiled[name](*inputs[0])
      jax.block_until_ready(out)
    except Exception as error:  # pylint: disable=broad-except
      compiled.pop(name, None)
      refused[name] = f"{type(error).__name__}: {error}"[:300]
      continue
    if reference is None:
      reference = out
    elif wrong := _difference(out, reference):
      refused[name] = wrong
      del compiled[name]
  if own not in compiled:
    return Result(product.label, product.key, None, refused=refused)
  begins("")
  first = _timed(compiled, inputs, rounds=3)
  seconds = {name: first.time(name).median for name in compiled}
  near = {name: each for name, each in compiled.items()
          if seconds[name] <= _NEAR * min(seconds.values()) or name in ("xla", own)}
  timed = _timed(near, inputs, rounds=9)
  return Result(product.label, product.key, _entry(product, timed, by_name, own),
                seconds={name: timed.time(name).median for name in near},
                refused=refused)


def _is_faster(timed: timing.Timing, name: str, other: str) -> bool:
  speedup = timed.speedup(name, other)
  return speedup.median >= _GAIN and speedup.q1 > 1


def _entry(product: Product, timed: timing.Timing, by_name, own: str):
  seconds = {name: timed.time(name).median for name in timed.seconds}
  xla = seconds.pop("xla", None)
  best = min(seconds, key=seconds.__getitem__)
  if not _is_faster(timed, best, own):
    best = own
  by_xla = xla is not None and (
      not _is_faster(timed, best, "xla") if product.plan["by_rule"]
      else _is_faster(timed, "xla", best))
  problem: Any = product.plan["problem"]
  return database.Entry(
      implementation="xla" if by_xla else "jaxgemm",
      config={} if best == own else by_name[best],
      size=problem[choice.open_size(problem)],
      seconds=seconds[best], plan_seconds=seconds[own], xla_seconds=xla,
      date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))


def _difference(out, reference) -> str:
  """How two results differ more than rounding allows, or ""."""
  for got, want in zip(out, reference):
    limit = _TOLERANCE.get(got.dtype.name, _TOLERANCE_OF_FLOAT8)
    got, want = (np.asarray(x).astype(np.float64) for x in (got, want))
    error = float(np.linalg.norm(got - want)) / max(float(np.linalg.norm(want)), 1e-30)
    if not error <= limit:
      return f"its result differs by {error:.2g}, relative in the norm; {limit} is allowed"
  return ""


def _has_device_time() -> bool:
  return jax.default_backend() == "gpu" and not _ffi.virtual_gpus


def _input_sets(size: int, num_candidates: int) -> int:
  """Number of input sets of `size` bytes."""
  if _has_device_time():
    from jaxgemm.tune import gpu_trace  # pylint: disable=g-import-not-at-top

    return gpu_trace.input_sets(size)
  return timing.input_sets(size, num_candidates)


def _timed(functions: Mapping[str, Callable], inputs, rounds: int) -> timing.Timing:
  """Seconds of each function: on a GPU the device's time, else wall time."""
  if _has_device_time():
    from jaxgemm.tune import gpu_trace  # pylint: disable=g-import-not-at-top

    def on_inputs(function):
      return gpu_trace.Candidate(lambda i: function(*inputs[i]))

    candidates = {name: on_inputs(each) for name, each in functions.items()}
    return gpu_trace.measure(candidates, len(inputs), rounds=rounds).timing
  return timing.interleave(functions, inputs, min_rounds=rounds, max_rounds=rounds,
                           min_seconds=0.0)
