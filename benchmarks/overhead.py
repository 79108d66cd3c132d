"""Measures, on the CPU, what a call costs in addition to its arithmetic, with small products.

    python -m benchmarks dense --cases=overhead --threads=1

There are three ways of calling: `dispatch`, one jitted product that Python waits for;
`loop`, a `lax.fori_loop` with one product in its body; `chain`, one program of products
in which each needs the one before. Times are microseconds of one product.
"""

from collections.abc import Callable
import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import dense, progress
from benchmarks.shapes import Case
import jaxgemm
from jaxgemm.tune import timing

MAX_RATIO = 2.0
_LOOP = 1000
_CHAIN = 64


def _programs(matmul: Callable[..., jax.Array]) -> dict[str, Callable[..., Any]]:
  def chain(x, w):
    for _ in range(_CHAIN):
      x = matmul(x, w)
    return x

  return {
      "dispatch": matmul,
      "loop": lambda x, w: jax.lax.fori_loop(
          0, _LOOP, lambda _, x: matmul(x, w), x
      ),
      "chain": chain,
  }


def _error(function, operands, products: int) -> float:
  """max|out - ref| / max|ref| of x @ w @ w ... against float64."""
  x, w = (np.asarray(array, np.float64) for array in operands)
  wanted = x @ np.linalg.matrix_power(w, products)
  return dense.errors(np.asarray(function(*operands)), wanted)["max"]


def wrong(rows: list[dict[str, Any]]) -> list[str]:
  """Results of jaxgemm that are further from float64 than rounding explains."""
  return [
      f"{row['case']} {row['m']}x{row['n']}x{row['k']} {row['dtype']} {row['way']}: "
      f"error {row['error']:.1e}, at most {row['error_at_most']:.0e} is right"
      for row in rows if not row["error"] <= row["error_at_most"]
  ]


def measure(
    case: Case, dtype: str, variant: dense.Variant, *,
    rng: np.random.Generator, min_seconds: float,
    clock: str = "wall",
) -> list[dict[str, Any]]:
  """One row for each way of calling; ratios are jaxgemm's time over XLA's.

  "error" is that of jaxgemm's result; a right one has at most "error_at_most".

  The case must be square (M = N = K), since each result is the lhs of the next product.
  """
  if not case.m == case.n == case.k:
    raise ValueError(f"A chain of products must be square, got {case.label}.")
  programs = {
      dense.BASELINE: _programs(jnp.matmul),
      "jaxgemm": _programs(lambda a, b: jaxgemm.matmul(a, b, **variant.options)),
  }

  def operands():
    # An orthogonal w keeps a long chain's values as large as they began.
    w = np.linalg.qr(rng.standard_normal((case.n, case.n)))[0]
    x = dense.random_operand(rng, (case.m, case.k), dtype)
    return jax.device_put((x, w.astype(dense.numpy_dtype(dtype))))

  inputs = [operands() for _ in range(9)]
  rows = []
  for way, products in (("dispatch", 1), ("loop", _LOOP), ("chain", _CHAIN)):
    progress.doing(f"{case.name} {case.label} {dtype} {way}")
    compiled = {name: jax.jit(of[way]) for name, of in programs.items()}
    measured = timing.interleave(
        compiled, inputs, min_seconds=min_seconds, clock=clock,
        wait=lambda x: x.block_until_ready(), within=progress.within)
    # speedup() is jaxgemm's time / the baseline's time.
    ratio = measured.speedup(dense.BASELINE, "jaxgemm")
    rows.append({
        "case": case.name, "m": case.m, "n": case.n, "k": case.k, "dtype": dtype,
        "way": way,
        "microseconds": {
            name: 1e6 * measured.time(name).median / products for name in compiled
        },
        "error": _error(compiled["jaxgemm"], inputs[0], products),
        # Each product rounds; w is orthogonal, so the errors add up like noise.
        "error_at_most": dense.tolerance(dtype) * products**0.5,
        "ratio": dataclasses.asdict(ratio), "at_most": MAX_RATIO,
        "ok": ratio.median <= MAX_RATIO,
    })
  return rows
