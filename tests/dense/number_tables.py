"""Prints the tables of errors, special values and equal bits that docs/guides/numbers.md has.

    python -m tests.dense.number_tables errors --implementation=jaxgemm
    python -m tests.dense.number_tables errors --implementation=emulated:gfx942 --depths=64,1024
    python -m tests.dense.number_tables special
    python -m tests.dense.number_tables bits --threads=1,2,8 --runs=100

The tables are in Markdown. An error is |out - reference| / |reference|, with norms in float64.
Results are float32, so an error is that of the sums alone.
"""

import argparse
import contextlib
import hashlib
import os
import subprocess
import sys
from typing import Any

import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import emulator
from tests.support.soak import double

WAYS: dict[str, dict[str, Any]] = {
    "persistent": dict(schedule="persistent"),
    "work stealing": dict(schedule="work_stealing"),
    "stream-K, linear": dict(schedule="stream_k", reduction="linear"),
    "stream-K, tree": dict(schedule="stream_k", reduction="tree"),
    "stream-K, atomic": dict(schedule="stream_k", reduction="atomic"),
}
DTYPES = ("float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
          "float8_e5m2fnuz", "int8")
DEPTHS = (64, 1024, 8192, 65536)
ROWS, COLUMNS, WORKGROUPS = 48, 40, 5


def takes(implementation: str, dtype: str) -> bool:
  """Whether the implementation multiplies this type."""
  return implementation != "emulated:gfx950" or "fnuz" not in dtype


def operands(dtype: str, k: int, kind: str = "normal"):
  """Operands [ROWS, k] and [k, COLUMNS]: "normal", or with "cancelling" or "mixed" terms."""
  rng = np.random.default_rng([DTYPES.index(dtype), k])
  if dtype == "int8":
    return (rng.integers(-128, 128, (ROWS, k)).astype(np.int8),
            rng.integers(-128, 128, (k, COLUMNS)).astype(np.int8))
  a, b = rng.standard_normal((ROWS, k)), rng.standard_normal((k, COLUMNS))
  if kind == "cancelling":  # the second half of k cancels the first half, except for 2 % of it
    half = k // 2
    a[:, half:2 * half] = -a[:, :half]
    b[half:2 * half] = b[:half] * np.where(rng.random((half, 1)) < 0.02, 0, 1)
  if kind == "mixed":  # magnitudes from 1/64 to 64
    a *= np.exp2(rng.integers(-6, 7, (1, k)))
  return (x.astype(np.float32).astype(jnp.dtype(dtype)) for x in (a, b))


def product(a, b, implementation: str, way: str, **given):
  out = jnp.int32 if a.dtype == np.int8 else jnp.float32
  options = WAYS[way] if implementation != "xla" else {}
  if implementation == "jaxgemm" and way.startswith("stream"):
    # Stream-K cuts the tiles of this small product, which the plan would leave whole.
    given["config"] = jaxgemm.GemmConfig(
        tile_m=48, tile_n=48, tile_k=64 if a.shape[1] > 64 else 16, num_workgroups=WORKGROUPS)
  return np.asarray(jaxgemm.matmul(
      a, b, preferred_element_type=out, implementation=implementation, **options, **given))


def error_of(a, b, out) -> float:
  wanted = double(a) @ double(b)
  difference = np.linalg.norm(double(out) - wanted)
  return float(difference / np.linalg.norm(wanted)) if difference else 0.0


def errors(implementation: str, depths, kinds=("normal",), dtypes=DTYPES) -> list[list[str]]:
  """Rows of the table: type, terms, K, an error for each way, XLA's."""
  rows = []
  for dtype in dtypes:
    if not takes(implementation, dtype):
      continue
    for kind in kinds if dtype != "int8" else ("normal",):
      for k in depths:
        a, b = operands(dtype, k, kind)
        found = [error_of(a, b, product(a, b, implementation, way)) for way in WAYS]
        found.append(error_of(a, b, product(a, b, "xla", "persistent")))
        rows.append([dtype, kind, str(k), *(f"{x:.1e}" if x else "0" for x in found)])
        print("| " + " | ".join(rows[-1]) + " |", flush=True)
  return rows


_TINY = 2.0**-149  # float32's least subnormal


def specials():
  """(what, dtype, lhs of shape [1, k], rhs of shape [k, 1]) of special values."""
  nan, inf = np.nan, np.inf
  return [
      ("NaN times 0", "float32", [nan, 1], [0, 1]),
      ("inf times 0", "float32", [inf, 1], [0, 1]),
      ("inf - inf", "float32", [inf, 1], [1, -inf]),
      ("inf + 1", "float32", [inf, 1], [1, 1]),
      ("-0.0 times 1, K = 1", "float32", [-0.0], [1]),
      ("-0.0 times 1, K = 2", "float32", [-0.0, -0.0], [1, 1]),
      ("1 - 1", "float32", [1, 1], [1, -1]),
      ("beyond the largest float32", "float32", [2.0**127, 2.0**127], [1, 1]),
      ("subnormal operand times 1", "float32", [_TINY, 0], [1, 1]),
      ("subnormal operand times 2**100", "float32", [_TINY, 0], [2.0**100, 1]),
      ("normal operands, subnormal product", "float32", [2.0**-100, 0], [2.0**-40, 1]),
      ("subnormal sum of normal products", "float32", [2.0**-126, -(2.0**-126)],
       [1.5, 1.0]),
      ("NaN times 0", "bfloat16", [nan, 1], [0, 1]),
      ("subnormal bfloat16 times 2**100", "bfloat16", [2.0**-133, 0], [2.0**100, 1]),
      ("subnormal float16 times 1", "float16", [2.0**-24, 0], [1, 1]),
      ("subnormal float8_e4m3fn times 1", "float8_e4m3fn", [2.0**-9, 0], [1, 1]),
      ("subnormal float8_e5m2 times 1", "float8_e5m2", [2.0**-16, 0], [1, 1]),
      ("NaN of float8_e4m3fn times 1", "float8_e4m3fn", [nan, 0], [1, 1]),
      ("inf of float8_e5m2 times 1", "float8_e5m2", [inf, 0], [1, 1]),
  ]


def special(implementations) -> list[list[str]]:
  rows = []
  for what, dtype, left, right in specials():
    a = np.tile(np.array([left], np.float32).astype(jnp.dtype(dtype)), (16, 1))
    b = np.tile(np.array([right], np.float32).astype(jnp.dtype(dtype)).T, (1, 16))
    found = []
    for each in implementations:
      out = product(a, b, each, "persistent")
      values = {f"{x:.6g}" for x in out.ravel()}
      found.append(values.pop() if len(values) == 1 else "differs by element")
    rows.append([what, dtype, *found])
    print("| " + " | ".join(rows[-1]) + " |", flush=True)
  return rows


def digests(implementation: str, dtype: str, k: int, runs: int) -> dict[str, set[str]]:
  """The digests of the results of some runs, by way. The emulator runs each in another order."""
  a, b = operands(dtype, k)
  found: dict[str, set[str]] = {way: set() for way in WAYS}
  for way, digests_of_way in found.items():
    for run in range(runs):
      emulated = implementation.startswith("emulated")
      with emulator.options(seed=run) if emulated else contextlib.nullcontext():
        out = product(a, b, implementation, way)
      digests_of_way.add(hashlib.sha256(out.tobytes()).hexdigest()[:12])
  return found


def bits(implementations, threads, runs: int, dtypes=("float32", "bfloat16"), k: int = 2048):
  """{(implementation, dtype, way): digests}, of one process for each number of threads."""
  found: dict[tuple[str, str, str], set[str]] = {}
  for count in threads:
    # XLA takes the number of its threads from NPROC.
    command = [sys.executable, "-m", "tests.dense.number_tables", "digests", f"--runs={runs}",
               f"--depths={k}", f"--implementation={','.join(implementations)}",
               f"--dtypes={','.join(dtypes)}"]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env={
        **os.environ, "NPROC": str(count), "JAX_PLATFORMS": "cpu", "XLA_FLAGS": ""}).stdout
    for line in text.splitlines():
      implementation, dtype, way, *values = line.split("|")
      found.setdefault((implementation, dtype, way), set()).update(values)
  return found


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("table", choices=("errors", "special", "bits", "digests"))
  parser.add_argument("--implementation", default="jaxgemm")
  parser.add_argument("--depths", default=",".join(map(str, DEPTHS)))
  parser.add_argument("--kinds", default="normal")
  parser.add_argument("--dtypes", default=",".join(DTYPES))
  parser.add_argument("--threads", default="1,2,8")
  parser.add_argument("--runs", type=int, default=100)
  given = parser.parse_args()
  depths, dtypes = [int(k) for k in given.depths.split(",")], given.dtypes.split(",")
  implementations = given.implementation.split(",")
  if given.table == "errors":
    errors(given.implementation, depths, given.kinds.split(","), dtypes)
  elif given.table == "special":
    special(implementations)
  elif given.table == "digests":
    for implementation in implementations:
      for dtype in dtypes:
        for way, values in digests(implementation, dtype, depths[0], given.runs).items():
          print("|".join([implementation, dtype, way, *sorted(values)]), flush=True)
  else:
    threads = [int(count) for count in given.threads.split(",")]
    found = bits(implementations, threads, given.runs, dtypes, depths[0])
    for (implementation, dtype, way), values in found.items():
      print(f"| {implementation} | {dtype} | {way} | {len(values)} |", flush=True)


if __name__ == "__main__":
  main()
