r"""Times random products as models call them on one NVIDIA GPU, beside XLA's own fused programs.

    python -m benchmarks.model.calls --seed=32 --problems=110 --json=calls.json
    python -m benchmarks.model.calls --seed=77 --kinds=plain,bias,fp8,int8 --most=4096 \
        --most_k=512 --layouts=rc --implementation=jaxgemm --json=small.json

M, N and K are log-uniform multiples of 16. XLA compiles with its default flags, so it times
several kernels for each product (autotuning), and takes the fastest. Times are microseconds on
the device, as in `benchmarks.model.measure`. With `--implementation=jaxgemm` the kernels also
compute what the plan would leave to XLA.
"""

from collections.abc import Callable
import concurrent.futures
import dataclasses
import functools
import json
import math
import pathlib
import time
from typing import Any

from absl import app, flags
import numpy as np

from benchmarks import progress
from benchmarks.model import measure

# For each kind: dtype of the operands, dtype of the result, options.
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "plain": ("bfloat16", "bfloat16", {}),
    "bias": ("bfloat16", "bfloat16", {"bias": True}),
    "bias_gelu": ("bfloat16", "bfloat16", {"bias": True, "activation": "gelu"}),
    "bias_silu": ("bfloat16", "bfloat16", {"bias": True, "activation": "silu"}),
    "f32out": ("bfloat16", "float32", {}),
    "f32": ("float32", "float32", {}),
    "f16": ("float16", "float16", {}),
    "int8": ("int8", "int32", {}),
    "fp8": ("float8_e4m3fn", "bfloat16", {}),
    "fp8_scale": ("float8_e4m3fn", "bfloat16", {"scale": True}),
    "batch": ("bfloat16", "bfloat16", {"batch": True}),
    "gradient": ("bfloat16", "bfloat16", {
        "bias": True, "activation": "gelu", "gradient": True}),
    "scale_bias_f32out": ("bfloat16", "float32", {"bias": True, "scale": True}),
}

FLAGS = flags.FLAGS


def define_flags():
  """Defines this program's flags, only when it is run: names may be those of another's."""
  measure.define_flags()
  flags.DEFINE_list("kinds", list(KINDS), "Kinds of products, one after the other.")
  flags.DEFINE_list("layouts", ["rr", "rc"], "Layouts of lhs and rhs; see problems.py.")
  flags.DEFINE_integer("most_k", 0, "Largest K; 0: that of M and N.")
  flags.DEFINE_string("implementation", None, "The implementation= of jaxgemm's calls.")
  flags.DEFINE_string("again", None, "JSON file of an earlier run, whose products are timed again.")


@dataclasses.dataclass(frozen=True)
class Call:
  """A product of `batch` matrices [M, K] x [K, N]."""

  kind: str
  m: int
  n: int
  k: int
  layout: str
  batch: int = 1


def read(path: str) -> list[Call]:
  """The products of an earlier run."""
  fields = [field.name for field in dataclasses.fields(Call)]
  rows = json.loads(pathlib.Path(path).read_text())["rows"]
  return [Call(**{name: row[name] for name in fields}) for row in rows]


def draw(rng, number: int) -> Call:
  """The product with this number."""
  kind = FLAGS.kinds[number % len(FLAGS.kinds)]
  most = [FLAGS.most, FLAGS.most, FLAGS.most_k or FLAGS.most]
  m, n, k = (max(16, 16 * round(float(np.exp(rng.uniform(math.log(16), math.log(x)))) / 16))
             for x in most)
  batch = int(rng.choice([2, 4, 8, 16])) if KINDS[kind][2].get("batch") else 1
  return Call(kind, m, n, k, str(rng.choice(FLAGS.layouts)), batch)


def programs(call: Call, implementation: str):
  """(shapes of the operands, our program, XLA's program)."""
  import jax
  import jax.numpy as jnp

  import jaxgemm

  dtype, out, options = KINDS[call.kind]
  batch = (call.batch,) if call.batch > 1 else ()
  of_batch, at = tuple(range(len(batch))), len(batch)
  lhs = (call.m, call.k) if call.layout[0] == "r" else (call.k, call.m)
  rhs = (call.k, call.n) if call.layout[1] == "r" else (call.n, call.k)
  numbers = (((at + int(call.layout[0] == "r"),), (at + int(call.layout[1] == "c"),)),
             (of_batch, of_batch))
  shapes = [jax.ShapeDtypeStruct((*batch, *lhs), dtype),
            jax.ShapeDtypeStruct((*batch, *rhs), dtype)]
  names = [name for name in ("bias", "scale") if options.get(name)]
  shapes += [jax.ShapeDtypeStruct((call.n,), dtype if name == "bias" else "float32")
             for name in names]
  activation = options.get("activation")

  def ours(a, b, *vectors):
    return jaxgemm.dot_general(
        a, b, numbers, preferred_element_type=out, activation=activation,
        implementation=implementation, **dict(zip(names, vectors)))

  def xla(a, b, *vectors):
    sums = {"int8": "int32"}.get(dtype, out if not names and not activation else "float32")
    given = dict(zip(names, vectors))
    y = jax.lax.dot_general(a, b, numbers, preferred_element_type=sums)
    if "scale" in given:
      y = y * given["scale"]
    if "bias" in given:
      y = y + given["bias"].astype(y.dtype)
    if activation:
      y = {"gelu": jax.nn.gelu, "silu": jax.nn.silu}[activation](y)
    return y.astype(out)

  if not options.get("gradient"):
    return shapes, ours, xla
  shapes.append(jax.ShapeDtypeStruct((call.m, call.n), jnp.dtype(out)))

  def with_gradient(fun):
    def both(*operands):
      y, back = jax.vjp(fun, *operands[:-1])
      return y, *back(operands[-1])
    return both
  return shapes, with_gradient(ours), with_gradient(xla)


def random_inputs(shapes, seed: int):
  """Standard normal values; for int8 they are multiplied by 16."""
  import jax

  keys = jax.random.split(jax.random.key(seed, impl="rbg"), len(shapes))
  return [((16 if x.dtype == "int8" else 1) * jax.random.normal(key, x.shape)).astype(x.dtype)
          for key, x in zip(keys, shapes)]


def difference(ours, xla) -> float:
  """The largest norm of a difference over the norm of XLA's result."""
  import jax

  errors = []
  for x, y in zip(jax.tree.leaves(ours), jax.tree.leaves(xla), strict=True):
    x, y = (np.asarray(z, np.float64) for z in (x, y))
    errors.append(np.linalg.norm(x - y) / max(np.linalg.norm(y), 1e-30))
  return max(errors)


def time_calls(calls, pool, timer: Callable, seed: int) -> list[dict[str, Any]]:
  """The rows of some products, which take turns."""
  import jax

  from jaxgemm.tune import gpu_trace

  def compiled(fun, shapes):
    return jax.jit(fun).lower(*shapes).compile()

  jobs = []
  for call in calls:
    shapes, *both = programs(call, FLAGS.implementation)
    jobs.append((shapes, [pool.submit(compiled, fun, shapes) for fun in both]))
  rows, runs, sets = [dataclasses.asdict(call) for call in calls], {}, 3
  for number, (shapes, futures) in enumerate(jobs):
    nbytes = sum(math.prod(x.shape) * x.dtype.itemsize for x in shapes)
    count = min(9, gpu_trace.input_sets(nbytes))
    sets = max(sets, count)
    inputs = [random_inputs(shapes, seed * 16 + i) for i in range(count)]
    both = [future.result() for future in futures]
    rows[number]["difference"] = difference(*(run(*inputs[0]) for run in both))
    for name, run in zip(("ours", "xla"), both):
      runs[number, name] = functools.partial(
          lambda run, inputs, i: run(*inputs[i % len(inputs)]), run, inputs)
  order = sorted(runs, key=lambda each: (each[1], each[0]))
  timed = timer({f"{i} {name}": runs[i, name] for i, name in order}, sets, FLAGS.rounds)
  for i, name in order:
    found = timed[f"{i} {name}"]
    rows[i][f"{name}_us"] = round(float(np.median(found.seconds)) * 1e6, 3)
    rows[i][f"{name}_kernels"] = list(found.kernels)
  return rows


def summary(rows) -> str:
  """XLA's time over ours: the geometric mean and the worst, for each kind and for all."""
  lines = []
  for kind in [*dict.fromkeys(row["kind"] for row in rows), "all"]:
    ratios = np.array([row["xla_us"] / row["ours_us"] for row in rows
                       if kind in (row["kind"], "all")])
    lines.append(f"{kind}: {len(ratios)} products, XLA's time over ours "
                 f"{np.exp(np.log(ratios).mean()):.2f}, at worst {ratios.min():.2f}, "
                 f"{(ratios < 0.85).mean():.0%} below 0.85")
  return "\n".join(lines)


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  about, timer = measure.described("calls"), measure.device_timer()
  rng, rows, begin = np.random.default_rng(FLAGS.seed), [], time.monotonic()
  wanted = (read(FLAGS.again) if FLAGS.again
            else [draw(rng, i) for i in range(FLAGS.problems)])
  with concurrent.futures.ThreadPoolExecutor() as pool:
    for first in range(0, len(wanted), FLAGS.batch):
      if time.monotonic() - begin > FLAGS.most_seconds:
        print(f"{len(wanted) - first} products are left out: --most_seconds.")
        break
      progress.doing(f"product {first + 1} of {len(wanted)}")
      rows += time_calls(wanted[first:first + FLAGS.batch], pool, timer, FLAGS.seed)
      measure.write_rows(about, rows)
  print(summary(rows))
  return 0


if __name__ == "__main__":
  define_flags()
  app.run(main)
