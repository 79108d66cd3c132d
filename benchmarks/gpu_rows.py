"""Times products on one NVIDIA GPU and checks them: what all sections of the suite gpu share.

    python -m benchmarks gpu --sections=dense,stream_k,fp8

The rows of these three sections are made here. Times are seconds on the device.
"""

from collections.abc import Callable, Mapping, Sequence
import dataclasses
import functools
import importlib.util
import os
import re
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks import gpu_check, journal, progress
from benchmarks.shapes import Case
import jaxgemm
from jaxgemm.tune import gpu_trace

OURS, XLA, TORCH = "jaxgemm", "jnp.matmul", "torch.matmul"


@dataclasses.dataclass(frozen=True)
class Options:
  """Options of every row, from the flags of `python -m benchmarks gpu`."""

  rounds: int
  seed: int
  sample_seconds: float = 1e-3
  profile: str | None = None  # directory for traces
  warmup: int = 0


@functools.partial(jax.jit, static_argnames=("shape", "dtype"))
def _normal(key, shape, dtype):
  return jax.random.normal(key, shape, jnp.float32).astype(dtype)


def normal(seed: int, *shapes, dtype="bfloat16") -> tuple[jax.Array, ...]:
  """Standard normal arrays, made on the device."""
  keys = jax.random.split(jax.random.key(seed, impl="rbg"), len(shapes))
  return tuple(_normal(key, tuple(s), dtype) for key, s in zip(keys, shapes))


class Donating:
  """A jitted function that writes to a buffer, which comes before its arguments."""

  def __init__(self, function: Callable[..., jax.Array]):
    self.function = function
    self.run = jax.jit(
        lambda out, *arrays: function(*arrays), donate_argnums=0, keep_unused=True)


class JaxWay:
  """A function of jax that writes to the memory of its last result."""

  def __init__(self, donating: Donating, inputs: Sequence[tuple]):
    self.inputs = inputs
    self._run = donating.run
    self._shape = jax.eval_shape(donating.function, *inputs[0])
    self._out = self._poison()

  def _poison(self):
    return jnp.full(self._shape.shape, jnp.nan, self._shape.dtype)

  def call(self, index: int) -> jax.Array:
    self._out = self._run(self._out, *self.inputs[index])
    return self._out

  def candidate(self) -> gpu_trace.Candidate:
    return gpu_trace.Candidate(self.call)

  def fresh(self, *arrays) -> tuple[jax.Array, bool]:
    """(result on these arrays, whether it was written over NaNs)."""
    self._out = None
    poison = self._poison()
    place = poison.unsafe_buffer_pointer()
    self._out = out = self._run(poison, *arrays)
    return out, out.unsafe_buffer_pointer() == place


class TorchWay:
  """A function of torch: function(*tensors), or function(*tensors, out=...)."""

  def __init__(self, function, inputs: Sequence[tuple], with_out: bool):
    self._function, self._with_out, self._out = function, with_out, None
    self._inputs = [self._tensors(arrays) for arrays in inputs]

  def _tensors(self, arrays):
    import torch
    return tuple(map(torch.from_dlpack, arrays))

  def _run(self, tensors):
    if self._with_out and self._out is not None:
      return self._function(*tensors, out=self._out)
    return self._function(*tensors)

  def call(self, index: int):
    out = self._run(self._inputs[index])
    self._out = out
    return out

  def candidate(self) -> gpu_trace.Candidate:
    import torch
    return gpu_trace.Candidate(
        self.call, lambda _: torch.cuda.is_available() and torch.cuda.synchronize())

  def fresh(self, *arrays):
    """The same as JaxWay.fresh. Without `out`, the allocator is likely to reuse freed memory."""
    import torch
    jax.block_until_ready(arrays)
    tensors = self._tensors(arrays)
    poisoned = [self._run(tensors), self._out]
    for out in poisoned:
      out.fill_(float("nan"))
    places = [out.data_ptr() for out in poisoned]
    if not self._with_out:
      del out, poisoned  # their memory is for the next result
      self._out = None
    out = self._run(tensors)
    if torch.cuda.is_available():
      torch.cuda.synchronize()
    return jax.dlpack.from_dlpack(out), out.data_ptr() in places


def missing_module(name: str) -> str | None:
  """Why a peer's module is not measured, or None if it is."""
  return None if importlib.util.find_spec(name) else "not installed"


def prepare(makers: Mapping[str, Callable[[], Any]]) -> tuple[dict, dict[str, str]]:
  """({name: way} of those that could be made and run, {name: reason} of the others)."""
  ways, missing = {}, {}
  for name, make in makers.items():
    progress.within(f"{name}, compilation")
    if why := journal.why_left_out(name):
      missing[name] = why
      continue
    journal.begin(name)
    try:
      way = make()
      candidate = way.candidate()
      candidate.wait(candidate.call(0))
      ways[name] = way
    except Exception as error:  # pylint: disable=broad-exception-caught
      # A peer may raise any error. The report names the products that jaxgemm refuses.
      missing[name] = f"{type(error).__name__}: {error}"[:500]
  journal.begin("")
  return ways, missing


def entry(measured: gpu_trace.Measured, name: str, flops: int) -> dict[str, Any]:
  """Time and launches of one candidate."""
  time = measured.timing.time(name)
  return {
      "seconds": dataclasses.asdict(time), "tflops": flops / time.median / 1e12,
      **dataclasses.asdict(measured.launches[name]),
  }


def ratio(measured: gpu_trace.Measured, name: str, over: str) -> dict[str, float]:
  """Time of `over` / time of `name`, from samples of the same round."""
  return dataclasses.asdict(measured.timing.speedup(name, over))


def trace_directory(options: Options, label: str) -> str | None:
  if options.profile is None:
    return None
  return os.path.join(options.profile, re.sub(r"[^\w.-]+", "-", label))


def measure(
    about: dict[str, Any], makers: Mapping[str, Callable[[], Any]],
    check: Callable[[str, Any], tuple[dict[str, float], bool]], options: Options, *,
    flops: int, num_inputs: int, base: str = OURS, missing=None, **timing_options,
) -> dict[str, Any]:
  """A row: `about`, and "candidates" with time, launches, errors and ratios.

  Args:
    about: Description of the row, with section and case at least.
    makers: Functions that make the ways, by name.
    check: Function of a way's name and the way: (errors, whether out was poisoned).
    options: Options of all rows.
    flops: FLOPs of one call.
    num_inputs: Input sets of each way.
    base: The candidate that the other candidates' times are compared with.
    missing: Candidates that are not measured, and why.
    **timing_options: Options of gpu_trace.measure.
  """
  ways, failed = prepare(makers)
  row = about | {"flops": flops, "input_sets": num_inputs,
                 "missing": (missing or {}) | failed, "candidates": {}}
  if not ways:
    return row
  measured = gpu_trace.measure(
      {name: way.candidate() for name, way in ways.items()}, num_inputs,
      rounds=options.rounds, sample_seconds=options.sample_seconds, warmup=options.warmup,
      **timing_options,
      directory=trace_directory(options, f"{about['section']}-{about['case']}"),
      within=progress.within)
  progress.within("errors against float64")
  for name, way in ways.items():
    errors, poisoned = check(name, way)
    row["candidates"][name] = entry(measured, name, flops) | {
        "errors": errors, "poisoned": poisoned}
    if base in ways and name != base:
      row["candidates"][name]["ratio"] = ratio(measured, base, name)
  return row | {
      "rounds": measured.timing.rounds, "unclaimed": measured.unclaimed,
      "calls_per_sample": measured.timing.calls_per_sample}


# ------------------------------------------------------------------------------- dense


def product(**options) -> Callable[..., jax.Array]:
  """lhs @ rhs by this package, never by XLA in its place."""
  return functools.partial(jaxgemm.matmul, implementation="jaxgemm", **options)


def by_rows(lhs, rhs, **options):
  """lhs [M, K] times the transpose of rhs [N, K], by this package."""
  return jaxgemm.dot_general(
      lhs, rhs, (((1,), (1,)), ((), ())), implementation="jaxgemm", **options)


def bitwise(way: JaxWay, arrays, runs: int) -> dict[str, Any]:
  """How many of `runs` results of the same operands, written over NaNs, differ."""
  bits = jax.jit(lambda x, y: jnp.any(
      jax.lax.bitcast_convert_type(x, jnp.uint16)
      != jax.lax.bitcast_convert_type(y, jnp.uint16)))
  first, different = way.fresh(*arrays)[0] + 0, 0
  for _ in range(runs - 1):
    different += bits(first, way.fresh(*arrays)[0])
  return {"runs": runs, "different": int(different)}


def dense(
    section: str, case: Case, variants: Mapping[str, dict[str, Any]], options: Options,
    *, peers: bool = True, same_bits: str | None = None, runs: int = 100,
    **timing_options,
) -> dict[str, Any]:
  """A row of a bf16 product [M, K] x [K, N].

  Args:
    section: Section of the report.
    case: The shape.
    variants: Options of jaxgemm.matmul by the candidate's name; OURS is the base.
    options: Options of all rows.
    peers: Whether XLA and torch are measured, too.
    same_bits: The variant with results that are compared bit by bit.
    runs: Number of runs for that.
    **timing_options: Options of gpu_trace.measure.
  """
  operands = lambda seed: normal(seed, (case.m, case.k), (case.k, case.n))
  count = gpu_trace.input_sets(2 * (case.m * case.k + case.k * case.n))
  inputs = [operands(options.seed + i) for i in range(count)]
  makers = {name: functools.partial(JaxWay, Donating(product(**given)), inputs)
            for name, given in variants.items()}
  missing = {}
  if peers:
    makers[XLA] = functools.partial(JaxWay, Donating(jnp.matmul), inputs)
    if reason := missing_module("torch"):
      missing[TORCH] = reason
    else:
      import torch
      makers[TORCH] = functools.partial(TorchWay, torch.matmul, inputs, True)
  fresh, found = operands(options.seed + count), {}

  def check(name, way):
    out, poisoned = way.fresh(*fresh)
    errors = gpu_check.dense(*fresh, out, options.seed)
    if name == same_bits:
      found["bitwise"] = bitwise(way, fresh, runs)
    return errors, poisoned

  about = {"section": section, "case": case.label, "m": case.m, "n": case.n,
           "k": case.k, "dtype": "bfloat16", "plans": plans(fresh, variants)}
  return measure(about, makers, check, options, flops=case.flops, num_inputs=count,
                 missing=missing, **timing_options) | found


def plans(operands, variants) -> dict[str, Any]:
  """The data of jaxgemm.explain for each variant, or why it is refused."""
  found = {}
  for name, given in variants.items():
    try:
      found[name] = jaxgemm.explain(
          *operands, implementation="jaxgemm", **given).data
    except ValueError as error:
      found[name] = {"refused": str(error)}
  return found


def fp8(case: Case, options: Options) -> dict[str, Any]:
  """A row of e4m3 and bf16 products, with float32 accumulators and bf16 results."""
  names = {"bfloat16": OURS + " bf16", "float8_e4m3fn": OURS + " fp8"}
  along_k = OURS + " bf16, rhs [N, K]"
  count = gpu_trace.input_sets(case.m * case.k + case.k * case.n)
  operands = lambda seed, dtype: normal(
      seed, (case.m, case.k), (case.n, case.k), dtype=dtype)
  wide, narrow = ([operands(options.seed + i, dtype) for i in range(count)]
                  for dtype in names)
  turned = [(lhs, rhs.T) for lhs, rhs in wide]
  narrow_product = functools.partial(by_rows, preferred_element_type=jnp.bfloat16)
  makers = {
      names["float8_e4m3fn"]: lambda: JaxWay(Donating(narrow_product), narrow),
      names["bfloat16"]: lambda: JaxWay(Donating(product()), turned),
      along_k: lambda: JaxWay(Donating(by_rows), wide),
  }

  def check(_, way):
    out, poisoned = way.fresh(*way.inputs[0])
    lhs, rhs = way.inputs[0]
    rhs = rhs if way.inputs is turned else rhs.T
    return gpu_check.dense(lhs, rhs, out, options.seed), poisoned

  about = {"section": "fp8", "case": case.label, "m": case.m, "n": case.n, "k": case.k,
           "dtype": "float8_e4m3fn"}
  return measure(about, makers, check, options, flops=case.flops, num_inputs=count,
                 base=names["float8_e4m3fn"])
