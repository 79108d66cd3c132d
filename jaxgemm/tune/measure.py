"""Times the candidates of products in this process.

The programs of a batch of products are compiled at once, in threads. Then the products are timed
one by one. Each candidate of a product runs once. A first short timing leaves out those that are
clearly slower. The results of those that are near the fastest are compared with a reference.
The others are timed in full. In the final, the best of these are timed once more, beside the
plan's own choice and XLA's product.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
import dataclasses
import datetime
import functools
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call import tuned
from jaxgemm.tune import database, timing
from jaxgemm.tune.products import Product

# One function is "faster" than another if the median of its speedups in the rounds is at least
# _GAIN, and above 1 by at least the median's standard error. A candidate must be faster than the
# plan's own choice, and XLA must be faster than the best candidate. If the plan leaves the product
# to XLA, the best candidate must be faster than XLA instead.
_GAIN = 1.005
# A candidate is left out after the first timing if it takes more than _NEAR times as long as the
# best one.
_NEAR = 1.25
# Samples of each candidate in the first timing, in the second one, and in the final.
_FIRST_ROUNDS, _ROUNDS, _FINAL_ROUNDS = 3, 15, 45
# The number of candidates in the final, beside the plan's own choice and XLA's product.
_FINALISTS = 2
# After its first call, each candidate is called twice. The shorter time by the host's clock counts.
# If it is above _SLOW times the least time of all candidates, plus _CALL_SECONDS for what a call
# takes beside its kernel, the candidate is not timed.
_SLOW, _CALL_SECONDS = 2.0, 2e-4
# Calls in a sample on a GPU: a trace with more events takes longer to read than to record.
_CALLS = 4
# The largest error that is allowed, relative in the norm, by the dtype of the result.
_TOLERANCE = {"float32": 2e-3, "float16": 4e-3, "bfloat16": 2e-2, "int32": 0.0, "int8": 0.0}
_TOLERANCE_OF_FLOAT8 = 0.15
XLA = "xla"


@dataclasses.dataclass(frozen=True)
class Result:
  """The times of a product, and its entry.

  Attributes:
    label: the product's sizes and dtypes.
    key: the product's key in the tuning file.
    entry: the entry that the file has now; None if the plan's own choice failed.
    known: whether the file had the entry before, so that nothing was timed.
    seconds: time of each candidate that was timed in full, by its configuration.
    refused: why candidates were left out, by their configurations.
  """

  label: str
  key: str
  entry: database.Entry | None
  known: bool = False
  seconds: Mapping[str, float] = dataclasses.field(default_factory=dict)
  refused: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Options(NamedTuple):
  """How products are timed.

  Attributes:
    routing: sizes of the groups of grouped products, as in `tune`.
    most: the most candidates of each product.
    threads: number of threads that compile; 0: each candidate is compiled when it begins.
    end: the time of `time.monotonic` after which no product begins.
  """

  routing: Any
  most: int
  threads: int
  end: float


# A function that is called with a word and a value while products are measured: "product" and the
# number of the product that begins; "begins" and the candidate that runs next ("": several
# together); "result" and a pair of the product's number and its Result.
Says = Callable[[str, Any], None]


def measure(batch: Sequence[Product], options: Options, says: Says,
            refused: Sequence[Mapping[str, str]] = ()) -> None:
  """Times the candidates of a batch of products in this process.

  Args:
    batch: the products.
    options: how they are timed.
    says: called as the measurement goes on.
    refused: for each product, the candidates that are known to be bad, and why. They are not run.
  """
  says("begins", "")
  contests = [_Contest(*each, options) for each in zip(batch, refused or [{}] * len(batch))]
  if options.threads:
    with ThreadPoolExecutor(options.threads) as pool:  # its end waits for all
      for contest in contests:
        contest.compile_all(pool)
  for number in range(len(batch)):
    if time.monotonic() > options.end:
      return
    says("product", number)
    says("result", (number, contests.pop(0).run(says)))


class _Contest:
  """The candidates of a product, and the programs for them."""

  def __init__(self, product: Product, refused: Mapping[str, str], options: Options):
    self._product, self._routing = product, options.routing
    self._refused = dict(refused)
    self._configs = {" ".join(f"{k}={v}" for k, v in config.items()): config
                     for config in product.configs(options.most)}
    self._own = next(iter(self._configs))
    functions: dict[str, Callable] = {}
    if (xla := product.xla()) is not None:
      functions[XLA] = xla
    functions |= {name: product.ours(config) for name, config in self._configs.items()}
    self._functions = {name: function for name, function in functions.items()
                       if name not in self._refused}
    # Functions that wait until a program is compiled, and return it.
    self._programs: dict[str, Callable[[], Callable]] = {
        name: functools.partial(_compiled, function, product.avals)
        for name, function in self._functions.items()}
    self._random: Callable[[], Callable] = lambda: jax.jit(product.random)
    self._errors: Callable[[], Callable] = lambda: jax.jit(_errors)

  def compile_all(self, pool: Executor) -> None:
    """Begins to compile the programs. Lowering holds Python's lock, so this thread does it."""
    def begin(function, *avals):
      lowered = jax.jit(function).lower(*avals)
      return pool.submit(lowered.compile).result, lowered.out_info

    self._random, _ = begin(self._product.random, jax.ShapeDtypeStruct((), jnp.uint32))
    self._programs, out = {}, None
    for name, function in self._functions.items():
      try:
        self._programs[name], out = begin(function, *self._product.avals)
      except Exception as error:  # pylint: disable=broad-except
        self._refused[name] = _said(error)
    if out is not None:
      out = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), out)
      self._errors, _ = begin(_errors, out, out)

  def run(self, says: Says) -> Result:
    """Times the candidates."""
    product = self._product
    rng = np.random.default_rng(0)
    size = sum(x.size * x.dtype.itemsize for x in product.avals)
    count, random = _input_sets(size, len(self._functions)), self._random()
    inputs = [product.operands(rng, self._routing, random) for _ in range(count)]
    ready = self._first_calls(inputs, says)
    if self._own not in ready:
      return self._result()
    reference = ready.get(XLA, ready[self._own])
    says("begins", "")
    seconds = _medians(_timed(ready, inputs, rounds=_FIRST_ROUNDS))
    checked: set[str] = set()
    while True:
      near = {name: ready[name] for name in seconds
              if seconds[name] <= _NEAR * min(seconds.values()) or name in (XLA, self._own)}
      if not near.keys() - checked:
        break
      for name in near.keys() - checked:
        says("begins", name)
        if wrong := self._difference(ready[name](*inputs[0]), reference(*inputs[0])):
          self._refused[name] = wrong
          del seconds[name]
      checked |= near.keys()
      if self._own not in seconds:
        return self._result()
    says("begins", "")
    seconds = _medians(_timed(near, inputs, rounds=_ROUNDS))
    # In the final there are few candidates with many samples each, so that the fastest one is not
    # the one of many that was measured with luck.
    others = sorted(seconds.keys() - {XLA, self._own}, key=seconds.__getitem__)[:_FINALISTS]
    final = {name: near[name] for name in near if name in (XLA, self._own, *others)}
    timed = _timed(final, inputs, rounds=_FINAL_ROUNDS)
    return self._result(_entry(product, timed, self._configs, self._own),
                        seconds | _medians(timed))

  def _result(self, entry: database.Entry | None = None, seconds=None) -> Result:
    product = self._product
    return Result(product.label, product.key, entry, False, seconds or {}, self._refused)

  def _first_calls(self, inputs, says: Says) -> dict[str, Callable]:
    """The candidates that run without an error and are not clearly slower than another one."""
    ready, took = {}, {}
    for name, program in self._programs.items():
      says("begins", name)
      try:
        ready[name] = function = program()
        jax.block_until_ready(function(*inputs[0]))
        took[name] = min(_seconds(function, inputs[i]) for i in (1, 2))
      except Exception as error:  # pylint: disable=broad-except
        self._refused[name] = _said(error)
    most = _SLOW * min(took.values(), default=0) + _CALL_SECONDS
    return {name: ready[name] for name in took
            if took[name] <= most or name in (XLA, self._own)}

  def _difference(self, out, reference) -> str:
    """A sentence if two results differ by more than rounding allows, else ""."""
    for got, error in zip(out, map(float, self._errors()(out, reference))):
      limit = _TOLERANCE.get(got.dtype.name, _TOLERANCE_OF_FLOAT8)
      if not error <= limit:
        return f"its result differs by {error:.2g}, relative in the norm; {limit} is allowed"
    return ""


def _compiled(function: Callable, avals) -> Callable:
  return jax.jit(function).lower(*avals).compile()


def _said(error: Exception) -> str:
  return f"{type(error).__name__}: {error}"[:300]


def _seconds(function: Callable, arguments) -> float:
  begin = time.perf_counter()
  jax.block_until_ready(function(*arguments))
  return time.perf_counter() - begin


def _errors(out, reference):
  """The errors of arrays, relative in the norm; computed on the arrays' device."""
  def norm(x):
    return jnp.linalg.norm(x.astype(jnp.float32).ravel())

  return [norm(got.astype(jnp.float32) - want.astype(jnp.float32))
          / jnp.maximum(norm(want), 1e-30) for got, want in zip(out, reference)]


def _medians(timed: timing.Timing) -> dict[str, float]:
  return {name: timed.time(name).median for name in timed.seconds}


def _is_faster(timed: timing.Timing, name: str, other: str) -> bool:
  speedup = timed.speedup(name, other)
  # The standard error of the median, for values with a normal distribution: their quartiles are
  # 1.35 standard deviations apart, and the error of a median is 1.25 times that of a mean.
  error = 1.25 * (speedup.q3 - speedup.q1) / 1.35 / timed.rounds**0.5
  return speedup.median >= max(_GAIN, 1 + error)


def _entry(product: Product, timed: timing.Timing, by_name, own: str):
  seconds = _medians(timed)
  xla = seconds.pop(XLA, None)
  best = min(seconds, key=seconds.__getitem__)
  if not _is_faster(timed, best, own):
    best = own
  by_xla = xla is not None and (
      not _is_faster(timed, best, XLA) if product.plan["by_rule"]
      else _is_faster(timed, XLA, best))
  problem: Any = product.plan["problem"]
  return database.Entry(
      implementation="xla" if by_xla else "jaxgemm",
      config={} if best == own else by_name[best],
      size=problem[tuned.open_size(problem)],
      seconds=seconds[best], plan_seconds=seconds[own], xla_seconds=xla,
      date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))


def _has_device_time() -> bool:
  return jax.default_backend() == "gpu" and not _ffi.virtual_gpus


def _input_sets(size: int, num_candidates: int) -> int:
  """The number of input sets, for inputs of `size` bytes."""
  if _has_device_time():
    from jaxgemm.tune import gpu_trace  # pylint: disable=g-import-not-at-top

    return min(gpu_trace.input_sets(size), 99)
  return timing.input_sets(size, num_candidates)


def _timed(functions: Mapping[str, Callable], inputs, rounds: int) -> timing.Timing:
  """Seconds of each function: on a GPU the device's time, else wall time."""
  if _has_device_time():
    from jaxgemm.tune import gpu_trace  # pylint: disable=g-import-not-at-top

    def on_inputs(function):
      return gpu_trace.Candidate(lambda i: function(*inputs[i]))

    candidates = {name: on_inputs(each) for name, each in functions.items()}
    return gpu_trace.measure(candidates, len(inputs), rounds=rounds, calls=_CALLS).timing
  return timing.interleave(functions, inputs, min_rounds=rounds, max_rounds=rounds,
                           min_seconds=0.0)
