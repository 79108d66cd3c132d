"""Measures one dense product on the CPU: seconds, GFLOP/s and errors of jaxgemm and of XLA.

These are the rows of `python -m benchmarks dense` and `cu_sweep`.
"""

from collections.abc import Sequence
import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from benchmarks import clock as clock_of
from benchmarks import journal, progress
from benchmarks.shapes import Case
import jaxgemm
from jaxgemm.tune import timing

BASELINE = "xla"
DTYPES = (
    "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "int8",
)
# Result types of XLA and jaxgemm for operand types that results do not have.
OUT_DTYPES = {
    "int8": "int32", "float8_e4m3fn": "bfloat16", "float8_e5m2": "bfloat16",
}
# Largest error of a right result, relative to its largest value: one rounding to the
# result's type, and float32 accumulation.
TOLERANCE = {
    "float32": 1e-5, "bfloat16": 4e-3, "float16": 1e-3, "float8_e4m3fn": 4e-3,
    "float8_e5m2": 4e-3, "int8": 0.0,
}
# A GPU multiplies float32 as tf32, which has 11 significant bits.
_TF32_TOLERANCE = 2e-3
# A float64 reference of more FLOPs than this covers only some rows.
_REFERENCE_FLOPS = 8e9


def numpy_dtype(name: str) -> np.dtype:
  """The numpy dtype of that name, including the dtypes of ml_dtypes."""
  return np.dtype(getattr(ml_dtypes, name, name))


@dataclasses.dataclass(frozen=True)
class Variant:
  """One way of calling jaxgemm; None leaves the choice to the plan."""

  schedule: str | None = None
  reduction: str | None = None
  implementation: str | None = None

  @property
  def name(self) -> str:
    parts = [p for p in dataclasses.astuple(self) if p is not None]
    return " ".join(["jaxgemm", *parts])

  @property
  def options(self) -> dict[str, str]:
    return {k: v for k, v in dataclasses.asdict(self).items() if v is not None}


def random_operand(rng: np.random.Generator, shape, dtype: str) -> np.ndarray:
  """Standard normal values; for int8, values that are uniform over its whole range."""
  dtype = numpy_dtype(dtype)
  if dtype == np.int8:
    return rng.integers(-128, 128, shape, dtype=np.int8)
  return rng.standard_normal(shape, dtype=np.float32).astype(dtype)


def reference(lhs: np.ndarray, rhs: np.ndarray, rng) -> tuple[np.ndarray, Any]:
  """(float64 product of some or all rows, index of these rows)."""
  m, k = lhs.shape
  n = rhs.shape[1]
  count = max(8, int(_REFERENCE_FLOPS // max(1, 2 * n * k)))
  rows: Any = slice(None)
  if count < m:
    inner = rng.choice(np.arange(1, m - 1), count - 2, replace=False)
    rows = np.sort(np.concatenate([[0, m - 1], inner]))
  return lhs[rows].astype(np.float64) @ rhs.astype(np.float64), rows


def errors(out: np.ndarray, ref: np.ndarray) -> dict[str, float]:
  """max|out - ref| / max|ref| and the same with Frobenius norms."""
  difference = out.astype(np.float64) - ref
  return {
      "max": float(np.abs(difference).max() / np.abs(ref).max()),
      "norm": float(np.linalg.norm(difference) / np.linalg.norm(ref)),
  }


def tolerance(dtype: str) -> float:
  """The tolerance of a dtype on the device that jax runs on."""
  if dtype == "float32" and jax.default_backend() == "gpu":
    return _TF32_TOLERANCE
  return TOLERANCE[dtype]


def wrong(rows: list[dict[str, Any]]) -> list[str]:
  """Results of jaxgemm that are further from float64 than rounding explains."""
  return [
      f"{row['m']}x{row['n']}x{row['k']} {row['dtype']} {name}: error "
      f"{entry['errors']['max']:.1e}, at most {tolerance(row['dtype']):.0e} is right"
      for row in rows for name, entry in row["candidates"].items()
      if name != BASELINE and "errors" in entry
      and not entry["errors"]["max"] <= tolerance(row["dtype"])
  ]


def _jaxgemm(lhs, rhs, *, out_dtype, options):
  return jaxgemm.matmul(lhs, rhs, preferred_element_type=out_dtype, **options)


def measure(
    case: Case,
    dtype: str,
    variants: Sequence[Variant],
    *,
    rng: np.random.Generator,
    min_seconds: float,
    min_rounds: int = 7,
    warmup: int = 0,
    clock: str = "wall",
    profile: str | None = None,
) -> dict[str, Any]:
  """Times all variants and XLA in turns, and compares their results with float64.

  `profile` is a directory in which to keep a trace of three calls of each.

  Returns a row: the case's fields and "candidates", one entry per candidate with
  seconds (median and quartiles), GFLOP/s, errors, the ratio to XLA and the plan. A
  variant that jaxgemm refuses has an "error" instead.
  """
  out_dtype = OUT_DTYPES.get(dtype, dtype)
  operands = lambda: tuple(
      random_operand(rng, shape, dtype)
      for shape in ((case.m, case.k), (case.k, case.n))
  )
  types = [
      jax.ShapeDtypeStruct(shape, numpy_dtype(dtype))
      for shape in ((case.m, case.k), (case.k, case.n))
  ]
  functions = {
      BASELINE: functools.partial(jnp.matmul, preferred_element_type=out_dtype)
  }
  entries: dict[str, dict[str, Any]] = {BASELINE: {}}
  for variant in variants:
    try:
      plan = jaxgemm.explain(
          *types, preferred_element_type=out_dtype, **variant.options
      )
      entries[variant.name] = {"plan": plan.data}
      functions[variant.name] = functools.partial(
          _jaxgemm, out_dtype=out_dtype, options=variant.options
      )
    except ValueError as e:
      entries[variant.name] = {"error": str(e)}
  compiled = {}
  first = jax.device_put(operands())
  for name, function in functions.items():
    if why := journal.why_left_out(name):
      entries[name] = {"error": why}
      continue
    journal.begin(name)
    compiled[name] = jax.jit(function)
    jax.block_until_ready(compiled[name](*first))
  journal.begin("")
  bytes_each = sum(t.size * t.dtype.itemsize for t in types)
  count = timing.input_sets(bytes_each, len(compiled))
  inputs = [jax.device_put(operands()) for _ in range(count)]
  measured = timing.interleave(
      compiled, inputs, min_seconds=min_seconds, min_rounds=min_rounds, clock=clock,
      warmup=warmup, within=progress.within)

  progress.within("errors against float64")
  fresh = operands()
  ref, rows = reference(*fresh, rng)
  for name, function in compiled.items():
    time = measured.time(name)
    entries[name] |= {
        "seconds": dataclasses.asdict(time),
        "gflops": case.flops / time.median / 1e9,
        "errors": errors(np.asarray(function(*jax.device_put(fresh)))[rows], ref),
    }
    if name != BASELINE and BASELINE in compiled:
      entries[name]["ratio"] = dataclasses.asdict(measured.speedup(name, BASELINE))
  clock_of.keep_trace(profile, f"{case.name}-{case.label}-{dtype}", {
      name: functools.partial(function, *inputs[0]) for name, function in compiled.items()})
  return {
      "case": case.name, "m": case.m, "n": case.n, "k": case.k, "dtype": dtype,
      "out_dtype": out_dtype, "gate": case.gate, "rounds": measured.rounds,
      "calls_per_sample": measured.calls_per_sample, "input_sets": count,
      "rows_checked": len(ref), "candidates": entries,
  }
