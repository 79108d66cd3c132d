"""Times ways of computing a product that take turns, in seconds.

On a GPU a time is that in which the device ran a call's kernels, memsets and copies
(jaxgemm/tune/gpu_trace.py); on a CPU it is that of the wall clock, or of this process
(jaxgemm/tune/timing.py).
"""

from collections.abc import Callable, Mapping, Sequence
import concurrent.futures
import dataclasses
import functools
import importlib.util
import os
import re
from typing import Any

from absl import flags
import jax
import jax.numpy as jnp

from benchmarks import progress, run, watch
from jaxgemm.emulator import rocm
from jaxgemm.tune import gpu_trace, timing

OURS, XLA, TORCH = "jaxgemm", "xla", "torch"
FLAGS = flags.FLAGS


def on_gpu() -> bool:
  """Whether the time on the device is read. A virtual GPU's samples are timed as a whole."""
  return jax.default_backend() == "gpu"


@dataclasses.dataclass(frozen=True)
class Options:
  """Options of every row; by the flags if they are not given."""

  rounds: int
  seed: int
  warmup: int = 0
  profile: str | None = None  # directory for traces
  sample_seconds: float = 1e-3
  min_seconds: float = 0.0  # on a CPU, as is the clock
  clock: str = "wall"

  @classmethod
  def of_flags(cls) -> "Options":
    real = on_gpu() and not rocm.is_started()
    return cls(FLAGS.repeat or (100 if real else 9), FLAGS.seed,
               (50 if real else 0) if FLAGS.warmup is None else FLAGS.warmup, FLAGS.profile,
               FLAGS.sample_ms * 1e-3 if on_gpu() else 2e-3, FLAGS.min_seconds, FLAGS.clock)

  def directory(self, label: str) -> str | None:
    """Where the trace of a case is kept."""
    return self.profile and os.path.join(self.profile, re.sub(r"[^\w.-]+", "-", label))


# ----------------------------------------------------------------------------------- inputs


@functools.partial(jax.jit, static_argnames=("shape", "dtype"))
def _random(key, shape, dtype):
  if dtype == "int8":
    return jax.random.randint(key, shape, -128, 128, jnp.int8)
  return jax.random.normal(key, shape, jnp.float32).astype(dtype)


def random(seed: int, *shapes, dtype="bfloat16") -> tuple[jax.Array, ...]:
  """Standard normal values, for int8 uniform ones of its whole range, made on the device.

  Shapes are tuples, or `jax.ShapeDtypeStruct`s with dtypes of their own.
  """
  keys = jax.random.split(jax.random.key(seed, impl="rbg"), len(shapes))
  return tuple(_random(key, tuple(getattr(x, "shape", x)), str(getattr(x, "dtype", dtype)))
               for key, x in zip(keys, shapes))


def input_sets(nbytes: int, candidates: int) -> int:
  """The number of input sets, so many that none finds its inputs in a cache."""
  return gpu_trace.input_sets(nbytes) if on_gpu() else timing.input_sets(nbytes, candidates)


# ------------------------------------------------------------------------------------- ways


class Way:
  """A function of the number of an input set; `wait` waits until its result is ready."""

  def __init__(self, call: Callable[[int], Any],
               wait: Callable[[Any], Any] = jax.block_until_ready):
    self.call, self.wait = call, wait


class Plain(Way):
  """A function that is called on input sets; its results are new arrays."""

  def __init__(self, function: Callable[..., Any], inputs: Sequence[tuple], *wait):
    super().__init__(lambda index: function(*inputs[index]), *wait)
    self.function, self.inputs = function, inputs

  def fresh(self, *arrays) -> tuple[Any, bool]:
    """(result on these arrays, whether it was written over NaNs)."""
    return self.function(*arrays), False


class Donated(Way):
  """A jitted function whose results are written to the memory of the last one."""

  def __init__(self, run, out, inputs: Sequence[tuple]):
    """Args: run: the function of a buffer and its arguments; out: shape and dtype of results."""
    super().__init__(self._call)
    self._run, self._inputs = run, inputs
    value = jnp.nan if jnp.issubdtype(out.dtype, jnp.inexact) else -1
    self._poison = lambda: jnp.full(out.shape, value, out.dtype)
    self._out = self._poison()

  def _call(self, index: int) -> jax.Array:
    self._out = self._run(self._out, *self._inputs[index])
    return self._out

  def fresh(self, *arrays) -> tuple[jax.Array, bool]:
    self._out = None
    poison = self._poison()
    place = poison.unsafe_buffer_pointer()
    self._out = out = self._run(poison, *arrays)
    return out, out.unsafe_buffer_pointer() == place


def in_jax(function: Callable[..., Any]) -> Callable[[Sequence[tuple]], Way]:
  """A function of input sets that makes the way of a function of jax, compiled once for all."""
  if not on_gpu():
    return functools.partial(Plain, jax.jit(function))
  run = jax.jit(lambda out, *arrays: function(*arrays), donate_argnums=0, keep_unused=True)
  return lambda inputs: Donated(run, jax.eval_shape(function, *inputs[0]), inputs)


def in_torch(function: Callable[..., Any], inputs: Sequence[tuple], tensors=None,
             with_out: bool = False) -> Plain:
  """The way of a function of torch on a GPU, on tensors that share the memory of jax's arrays.

  `tensors` makes its arguments from arrays; None: a tensor of each. `with_out` passes the last
  result as `out`.
  """
  import torch

  tensors = tensors or (lambda *arrays: tuple(map(torch.from_dlpack, arrays)))
  last: dict[str, Any] = {}

  def call(*given):
    out = function(*given, **last)
    if with_out:
      last["out"] = out
    return out

  wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
  way = Plain(call, [tensors(*arrays) for arrays in inputs], lambda _: wait())

  def fresh(*arrays):
    out = function(*tensors(*jax.block_until_ready(arrays)))
    wait()
    return jax.dlpack.from_dlpack(out), False

  way.fresh = fresh
  return way


def missing_module(name: str) -> str | None:
  """Why a peer's module is not measured, or None if it is."""
  return None if importlib.util.find_spec(name) else "not installed"


# ------------------------------------------------------------------------------------- time


def keep_trace(options: Options, label: str, functions: Mapping[str, Callable[[], Any]]) -> None:
  """Writes a trace of three calls of each function, if traces are to be kept."""
  if directory := options.directory(label):
    with jax.profiler.trace(directory):
      for name, function in functions.items():
        for _ in range(3):
          with jax.profiler.TraceAnnotation(f"{name} {label}"):
            jax.block_until_ready(function())


def interleave(ways: Mapping[str, Way], num_inputs: int, options: Options, label: str, *,
               calls: int | None = None, own=None, min_rounds: int | None = None
               ) -> gpu_trace.Measured:
  """Seconds of ways that take turns, and on a GPU what they launch.

  On a GPU a sample has `calls` calls; None: as many as fit. For `own` see gpu_trace.evaluate.
  `min_rounds` is for a CPU; None: options.rounds.
  """
  if on_gpu():
    return gpu_trace.measure(
        {name: gpu_trace.Candidate(way.call, way.wait) for name, way in ways.items()}, num_inputs,
        rounds=options.rounds, calls=calls, sample_seconds=options.sample_seconds,
        warmup=options.warmup, own=own, directory=options.directory(label),
        within=progress.within)
  functions: dict[str, Callable] = {name: way.call for name, way in ways.items()}
  inputs: Sequence[tuple] = [(i,) for i in range(num_inputs)]
  plain = [way for way in ways.values() if isinstance(way, Plain)]
  if len(plain) == len(ways) and all(way.inputs is plain[0].inputs for way in plain):
    functions, inputs = {name: way.function for name, way in ways.items()}, plain[0].inputs
  measured = timing.interleave(
      functions, inputs, min_seconds=options.min_seconds, min_rounds=min_rounds or options.rounds,
      sample_seconds=options.sample_seconds, clock=options.clock, warmup=options.warmup,
      within=progress.within)
  keep_trace(options, label, {name: functools.partial(way.call, 0) for name, way in ways.items()})
  return gpu_trace.Measured(measured, {}, 0)


def prepare(makers: Mapping[str, Callable[[], Way]]) -> tuple[dict, dict[str, str]]:
  """({name: way} of those that could be made and run, {name: reason} of the others)."""
  ways, missing = {}, {}
  for name, make in makers.items():
    progress.within(f"{name}, compilation")
    if why := watch.why_left_out(name):
      missing[name] = why
      continue
    watch.begin(name)
    try:
      way = make()
      way.wait(way.call(0))
      ways[name] = way
    except Exception as error:  # pylint: disable=broad-exception-caught
      # A peer may raise any error. The report names the products that jaxgemm refuses.
      missing[name] = f"{type(error).__name__}: {error}"[:500]
  watch.begin("")
  return ways, missing


def entry(measured: gpu_trace.Measured, name: str, flops: float | None, base: str | None = None
          ) -> dict[str, Any]:
  """Time and launches of a candidate, and its time over that of `base` in the same round."""
  time = measured.timing.time(name)
  found: dict[str, Any] = {"seconds": dataclasses.asdict(time)}
  if flops is not None:
    found["tflops"] = flops / time.median / 1e12
  if name in measured.launches:
    found |= dataclasses.asdict(measured.launches[name])
  if base is not None and base != name and base in measured.timing.seconds:
    found["ratio"] = ratio(measured, base, name)
  return found


def per(timed: timing.Timing, number: int) -> gpu_trace.Measured:
  """The times of one of a `number` of products or calls."""
  return gpu_trace.Measured(timing.Timing(
      {name: seconds / number for name, seconds in timed.seconds.items()},
      timed.calls_per_sample), {}, 0)


def ratio(measured: gpu_trace.Measured, name: str, over: str) -> dict[str, float]:
  """Time of `over` / time of `name`, from samples of the same round."""
  return dataclasses.asdict(measured.timing.speedup(name, over))


def about(measured: gpu_trace.Measured) -> dict[str, Any]:
  """What a row says of its measurement."""
  return {"rounds": measured.timing.rounds, "unclaimed": measured.unclaimed,
          "calls_per_sample": measured.timing.calls_per_sample}


def row(fields: run.Row, makers: Mapping[str, Callable[[], Way]],
        check: Callable[[str, Any], dict[str, Any]], options: Options, num_inputs: int,
        base: str = OURS, calls: int | None = None) -> run.Row:
  """A row: `fields`, and "candidates" with time, launches, errors and ratios.

  Args:
    fields: the description of the row, with section, case and flops at least.
    makers: functions that make the ways, by name.
    check: function of a way's name and the way: what its entry says of its result.
    num_inputs: input sets of each way.
    base: the candidate that the others' times are compared with.
  """
  ways, failed = prepare(makers)
  found = fields | {"input_sets": num_inputs, "candidates": {},
                    "missing": fields.get("missing", {}) | failed}
  if not ways:
    return found
  measured = interleave(ways, num_inputs, options, run.describe(fields), calls=calls)
  progress.within("errors against float64")
  for name, way in ways.items():
    found["candidates"][name] = entry(measured, name, fields["flops"], base) | check(name, way)
  return found | about(measured)


@dataclasses.dataclass
class Turn:
  """A product that takes turns with others: its row, and the programs of the candidates there."""

  row: run.Row
  shapes: Sequence[jax.ShapeDtypeStruct]
  programs: dict[str, concurrent.futures.Future]


def by_turns(turns: Sequence[Turn], options: Options, base: str,
             check: Callable[[Turn, dict[str, Any], tuple], None], calls: int = 1,
             most_sets: int = 9) -> list[run.Row]:
  """The rows of some products, whose candidates take turns, each on inputs of its own.

  `check` is a function of a turn, its programs and an input set; a product has `most_sets` of them
  at most. `base` is the candidate that the others' times are compared with.
  """
  ways, sets = {}, 3
  for number, turn in enumerate(turns):
    turn.row |= {"missing": {}}
    nbytes = sum(x.size * x.dtype.itemsize for x in turn.shapes)
    count = min(most_sets, gpu_trace.input_sets(nbytes))
    sets, inputs, done = max(sets, count), None, {}
    for place, (name, future) in enumerate(turn.programs.items()):
      progress.within(f"{turn.row['case']}, first calls")
      try:
        program = future.result()
        inputs = inputs or [random(options.seed * 16 + i, *turn.shapes) for i in range(count)]
        jax.block_until_ready(program(*inputs[0]))
        done[name] = program
        ways[place, number, name] = Way(lambda index, program=program, inputs=inputs: program(
            *inputs[index % len(inputs)]))
      except Exception as error:  # pylint: disable=broad-exception-caught
        # A candidate that fails must not end the measurement of the others.
        turn.row["missing"][name] = f"{type(error).__name__}: {error}"[:500]
    if done:
      check(turn, done, inputs[0])
  if not ways:
    return [turn.row for turn in turns]
  # Neighbours in the order of turns belong to different products.
  order = {f"{number} {name}": ways[place, number, name] for place, number, name in sorted(ways)}
  measured = interleave(order, sets, options, turns[0].row["case"], calls=calls)
  for number, turn in enumerate(turns):
    for name in turn.row["missing"]:
      del turn.row["candidates"][name]
    for name, found in turn.row["candidates"].items():
      timed = entry(measured, f"{number} {name}", turn.row["flops"], f"{number} {base}")
      kept = ("seconds", "tflops", "ratio", "times")  # the others would make large files
      found |= {key: timed[key] for key in kept if key in timed}
    turn.row |= about(measured)
  return [turn.row for turn in turns]
