"""Times random dense products by jaxgemm and by XLA on the CPU, in turns within one process.

    python -m benchmarks.random_cpu --threads=1 --json=random.json

Sizes are log-uniform, layouts and batches random, all drawn from --seed. Small products
are in a loop inside a program, so that the time of a call from Python does not hide
theirs. Times are microseconds of one product, by the wall clock, or by that of this process
with --clock=cpu. Both results are compared with float64.
"""

import dataclasses
import functools
import json
import math
import pathlib
import shlex
import sys
from typing import Any

from absl import app, flags
import numpy as np

from benchmarks import cpus, progress

FLAGS = flags.FLAGS
# The operations of a program, and the most turns of its loop.
_PROGRAM_FLOPS, _MOST_TURNS = 4e6, 200


@dataclasses.dataclass(frozen=True)
class Product:
  """A product of a batch (0: none). Dimensions m and n of size 1 are left out."""

  batch: int
  m: int
  n: int
  k: int
  lhs_last: str  # "k" or "m", the last dimension of lhs
  rhs_last: str  # "n" or "k"
  dtype: str

  @property
  def flops(self) -> int:
    return 2 * max(self.batch, 1) * self.m * self.n * self.k

  @property
  def label(self) -> str:
    batch = f"{self.batch}x" if self.batch else ""
    return (f"{batch}{self.m}x{self.n}x{self.k} {self.lhs_last}{self.rhs_last} "
            f"{self.dtype}")

  def _names(self) -> tuple[str, str, str]:
    """The dimensions of lhs, rhs and out, as in einsum."""
    names = (("mk" if self.lhs_last == "k" else "km"),
             ("kn" if self.rhs_last == "n" else "nk"), "mn")
    dropped = [d for d in "mn" if getattr(self, d) == 1]
    kept = ["".join(d for d in name if d not in dropped) for name in names]
    return tuple(("b" if self.batch else "") + name for name in kept)

  def shapes(self) -> list[tuple[int, ...]]:
    """The shapes of lhs and rhs."""
    sizes = {"b": self.batch, "m": self.m, "n": self.n, "k": self.k}
    return [tuple(sizes[d] for d in name) for name in self._names()[:2]]

  def dimension_numbers(self):
    """The dimension numbers for `jax.lax.dot_general`."""
    lhs, rhs, _ = self._names()
    batch = ((0,), (0,)) if self.batch else ((), ())
    return ((lhs.index("k"),), (rhs.index("k"),)), batch

  @property
  def turns(self) -> int:
    """The turns of the loop around the product."""
    return max(1, min(_MOST_TURNS, int(_PROGRAM_FLOPS // self.flops)))

  def errors(self, lhs, rhs, outs: dict[str, np.ndarray]) -> dict[str, float]:
    """The norm of each out's difference from float64, over that of the product.

    The terms of a sum may cancel, so the divisor is at least the norm of a typical product.
    """
    a, b, out = self._names()
    dot = functools.partial(np.einsum, f"{a},{b}->{out}", optimize=True)
    lhs, rhs = lhs.astype(np.float64), rhs.astype(np.float64)
    want, usual = dot(lhs, rhs), dot(np.abs(lhs), np.abs(rhs)) / math.sqrt(self.k)
    norm = max(np.linalg.norm(want), np.linalg.norm(usual))
    return {name: float(np.linalg.norm(x.astype(np.float64) - want) / norm)
            for name, x in outs.items()}


def draw(rng: np.random.Generator, dtypes, most: int, most_flops: float) -> Product:
  """A random product. One in four has a batch, and one in eight or more a vector."""
  while True:
    m, n, k = (int(x) for x in np.exp(rng.uniform(0, math.log(most + 1), 3)))
    if rng.random() < 1 / 8:
      m, n = [(1, n), (m, 1), (1, 1)][rng.integers(3)]
    batch = int(np.exp(rng.uniform(0, math.log(257)))) if rng.random() < 1 / 4 else 0
    product = Product(batch, m, n, k, "km"[rng.integers(2)], "nk"[rng.integers(2)],
                      str(rng.choice(dtypes)))
    if product.flops <= most_flops:
      return product


def measure(product: Product, rng, *, min_seconds: float, clock: str,
            implementation: str | None) -> dict[str, Any]:
  """A row: the product, and seconds, errors, ratio (XLA's time over ours) and plan."""
  # jax must be imported after the CPUs are chosen.
  import jax

  from benchmarks import dense
  import jaxgemm
  from jaxgemm.tune import timing

  numbers = product.dimension_numbers()
  options = {} if implementation is None else {"implementation": implementation}
  products = {
      dense.BASELINE: functools.partial(
          jax.lax.dot_general, dimension_numbers=numbers),
      "jaxgemm": functools.partial(
          jaxgemm.dot_general, dimension_numbers=numbers, **options),
  }
  single = {name: jax.jit(dot) for name, dot in products.items()}
  compiled = single
  if product.turns > 1:
    compiled = {name: jax.jit(_repeated(dot, product.turns))
                for name, dot in products.items()}

  def operands():
    return jax.device_put(tuple(
        dense.random_operand(rng, shape, product.dtype) for shape in product.shapes()))

  types = [jax.ShapeDtypeStruct(shape, dense.numpy_dtype(product.dtype))
           for shape in product.shapes()]
  plan = jaxgemm.explain(*types, dimension_numbers=numbers, **options).data
  bytes_each = sum(t.size * t.dtype.itemsize for t in types)
  count = 1 if product.turns > 1 else timing.input_sets(bytes_each, len(compiled))
  inputs = [operands() for _ in range(count)]
  measured = timing.interleave(
      compiled, inputs, min_seconds=min_seconds, clock=clock, within=progress.within)
  outs = {name: np.asarray(f(*inputs[0])) for name, f in single.items()}
  return dataclasses.asdict(product) | {
      "label": product.label, "turns": product.turns, "rounds": measured.rounds,
      "ratio": dataclasses.asdict(measured.speedup("jaxgemm", dense.BASELINE)),
      "microseconds": {
          name: 1e6 * measured.time(name).median / product.turns for name in compiled},
      "errors": product.errors(*(np.asarray(x) for x in inputs[0]), outs),
      "error_at_most": dense.tolerance(product.dtype), "plan": {
          key: plan.get(key) for key in (
              "implementation", "kernel", "tile", "num_workgroups", "reasons")},
  }


def _repeated(dot, turns: int):
  """A program of one product after another; each lhs has an element of the result before it."""
  import jax
  import jax.numpy as jnp

  def program(lhs, rhs):
    def turn(_, carried):
      lhs, out = carried
      first = jnp.clip(out[(slice(0, 1),) * out.ndim], -1, 1)
      first = first.reshape((1,) * lhs.ndim)
      lhs = jax.lax.dynamic_update_slice(lhs, first, (0,) * lhs.ndim)
      return lhs, dot(lhs, rhs)

    return jax.lax.fori_loop(1, turns, turn, (lhs, dot(lhs, rhs)))[1]

  return program


def line(row: dict[str, Any]) -> str:
  us, ratio, plan = row["microseconds"], row["ratio"], row["plan"]
  how = ("left to XLA" if plan["implementation"] == "xla" else
         f"{plan['kernel']} {'x'.join(map(str, plan['tile']))}, "
         f"{plan['num_workgroups']} workgroups")
  return (f"{row['label']:34} {ratio['median']:6.2f} [{ratio['q1']:.2f}, "
          f"{ratio['q3']:.2f}]  xla {us['xla']:10.2f} us  jaxgemm "
          f"{us['jaxgemm']:10.2f} us  {how}")


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
  """Geometric mean, worst ratio and number below 0.7: of all, by dtype, and by who computes."""
  from benchmarks import report

  def of(chosen):
    ratios = [row["ratio"]["median"] for row in chosen]
    return {"products": len(ratios), "geometric_mean": report.geometric_mean(ratios),
            "worst": min(ratios), "below_0.7": sum(r < 0.7 for r in ratios)}

  groups = {"all": rows}
  for row in rows:
    xla = row["plan"]["implementation"] == "xla"
    groups.setdefault(row["dtype"], []).append(row)
    groups.setdefault("left to XLA" if xla else "jaxgemm's kernels", []).append(row)
  return {name: of(chosen) for name, chosen in groups.items()}


def wrong(rows: list[dict[str, Any]]) -> list[str]:
  return [f"{row['label']}: error {row['errors']['jaxgemm']:.1e}, at most "
          f"{row['error_at_most']:.0e} is right" for row in rows
          if not row["errors"]["jaxgemm"] <= row["error_at_most"]]


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  progress.doing("Starting jax")
  from benchmarks import report

  rng = np.random.default_rng(FLAGS.seed)
  info = report.machine() | {
      "clock": FLAGS.clock,
      "command": shlex.join(["python", "-m", "benchmarks.random_cpu", *sys.argv[1:]])}
  report.print_header(info)
  products = [draw(rng, FLAGS.dtypes, FLAGS.most, FLAGS.most_flops)
              for _ in range(FLAGS.count)]
  rows = []
  for index, product in enumerate(products):
    progress.within(f"{index + 1} of {len(products)}: {product.label}")
    rows.append(measure(product, rng, min_seconds=FLAGS.min_seconds, clock=FLAGS.clock,
                        implementation=FLAGS.implementation))
  rows.sort(key=lambda row: row["ratio"]["median"])
  for row in rows:
    print(line(row))
  found = summary(rows)
  print()
  for name, of in found.items():
    print(f"{name:18} {of['products']:4} products: geometric mean "
          f"{of['geometric_mean']:.3f}, worst {of['worst']:.2f}, "
          f"{of['below_0.7']} below 0.7")
  if FLAGS.json:
    pathlib.Path(FLAGS.json).write_text(json.dumps(
        {"machine": info, "summary": found, "rows": rows}, indent=1))
  return report.status(wrong(rows))


if __name__ == "__main__":
  flags.DEFINE_integer("count", 200, "Number of products.", lower_bound=1)
  flags.DEFINE_integer("most", 4096, "Largest M, N and K.", lower_bound=1)
  flags.DEFINE_float("most_flops", 1e9, "Most operations of a product.")
  flags.DEFINE_list("dtypes", ["float32", "bfloat16"], "Operand types.")
  flags.DEFINE_integer("threads", 1, "Number of CPUs to run on; 0 uses all.",
                       lower_bound=0)
  flags.DEFINE_float("min_seconds", 0.3, "Least time for each product, in seconds.")
  flags.DEFINE_enum(
      "clock", "wall", ["wall", "cpu"],
      "Clock of the measurement. cpu counts the time of this process only: use it on a "
      "shared machine, with --threads=1.")
  flags.DEFINE_integer("seed", 0, "Seed of the products and of the operands.")
  flags.DEFINE_string("implementation", None, "The implementation= of jaxgemm's calls.")
  flags.DEFINE_string("json", None, "File to write the results to.")
  app.run(main)
