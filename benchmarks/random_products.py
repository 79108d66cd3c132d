r"""Random products as models call them, by jaxgemm and by XLA's own fused programs.

    python -m benchmarks random --seed=32 --num_products=110 --json=random.json
    python -m benchmarks random --kinds=plain,bias,fp8,int8 --most=4096 --most_k=512 --layouts=rc \
        --implementation=jaxgemm
    JAX_PLATFORMS=cpu python -m benchmarks random --threads=1 --clock=cpu

Sizes are log-uniform, all drawn from --seed. XLA compiles with its default flags, so on a GPU it
times several kernels for each product (autotuning), and takes the fastest. There --batch products
take turns, each on inputs of its own. On a CPU small products are in a loop inside a program, so
that the time of a call from Python does not hide theirs. With --implementation=jaxgemm the kernels
also compute what the plan would leave to XLA. Errors of products without an epilogue on a CPU are
against float64, all others against XLA's result.
"""

from collections.abc import Callable, Iterator, Sequence
import concurrent.futures
import dataclasses
import functools
import math
import os
from typing import Any

from absl import flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import cases, check, measure, run
from benchmarks.measure import OURS, XLA
import jaxgemm
from jaxgemm.tune import timing

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
    "gradient": ("bfloat16", "bfloat16", {"bias": True, "activation": "gelu", "gradient": True}),
    "scale_bias_f32out": ("bfloat16", "float32", {"bias": True, "scale": True})}
# The operations of a program on a CPU, and the most turns of its loop.
_PROGRAM_FLOPS, _MOST_TURNS = 4e6, 200
# The largest difference from XLA's result that is right.
_DIFFERENCE = 2e-2
_OF_PLAN = ("implementation", "kernel", "schedule", "reduction", "tile", "num_workgroups",
            "reasons")
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_integer("num_products", 110, "Number of products.", lower_bound=1)
  flags.DEFINE_list("kinds", list(KINDS), "Kinds of products, one after the other.")
  flags.DEFINE_list("layouts", ["rr", "rc"], "Layouts of lhs and rhs; see cases.py.")
  flags.DEFINE_integer("least", 16, "Least M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most", 16384, "Largest M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most_k", 0, "Largest K; 0: that of M and N.")
  flags.DEFINE_integer("multiple", 16, "Sizes are multiples of this.", lower_bound=1)
  flags.DEFINE_float("most_flops", math.inf, "Most operations of a product.")
  flags.DEFINE_float("batches", 0, "Share of products with a batch of up to 256.")
  flags.DEFINE_float("vectors", 0, "Share of products with a vector.")
  flags.DEFINE_string("implementation", None, "The implementation= of jaxgemm's calls.")
  flags.DEFINE_integer("batch", 10, "Products that take turns on a GPU.", lower_bound=1)


def drawn() -> list[tuple[str, cases.Product]]:
  """The products and their kinds."""
  kinds = run.choose("kinds", FLAGS.kinds, KINDS)
  rng = np.random.default_rng(FLAGS.seed)
  found = []
  draw = cases.Draw(FLAGS.seed, FLAGS.least, FLAGS.most, FLAGS.most_k, FLAGS.multiple, odd=0,
                    other_dtypes=0, layouts=tuple(FLAGS.layouts), batches=FLAGS.batches,
                    vectors=FLAGS.vectors, most_flops=FLAGS.most_flops, most_bytes=1 << 33)
  for number, product in zip(range(FLAGS.num_products), cases.random(draw)):
    kind = kinds[number % len(kinds)]
    dtype, out, options = KINDS[kind]
    batch = int(rng.choice([2, 4, 8, 16])) if options.get("batch") else product.batch
    found.append((kind, dataclasses.replace(product, dtype=dtype, out=out, batch=batch)))
  return found


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  run.refuse("problems")
  options, products = measure.Options.of_flags(), drawn()
  if not measure.on_gpu():
    for number, (kind, product) in enumerate(products):
      yield f"{name} {number} {kind} {product.label}", functools.partial(
          _on_cpu, kind, product, options)
    return
  for first in range(0, len(products), FLAGS.batch):
    batch = products[first:first + FLAGS.batch]
    yield (f"{name} {first} to {first + len(batch) - 1}",
           functools.partial(_on_gpu, batch, options))


def programs(kind: str, product: cases.Product, implementation: str | None):
  """(shapes of the operands, our program, XLA's program). Dimensions of size 1 are left out."""
  dtype, out, options = KINDS[kind]
  dropped = "".join(d for d in "mn" if getattr(product, d) == 1)
  numbers = product.dimension_numbers(dropped)
  shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape in product.shapes(dropped)]
  names = [name for name in ("bias", "scale") if options.get(name)]
  shapes += [jax.ShapeDtypeStruct((product.n,), dtype if name == "bias" else "float32")
             for name in names]
  activation = options.get("activation")

  def ours(a, b, *vectors):
    given = dict(zip(names, vectors)) | ({"activation": activation} if activation else {})
    return jaxgemm.dot_general(a, b, numbers, preferred_element_type=out,
                               implementation=implementation, **given)

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
  shapes.append(jax.ShapeDtypeStruct((product.m, product.n), jnp.dtype(out)))

  def with_gradient(fun):
    def both(*operands):
      y, back = jax.vjp(fun, *operands[:-1])
      return y, *back(operands[-1])
    return both
  return shapes, with_gradient(ours), with_gradient(xla)


def difference(ours, xla) -> float:
  """The largest norm of a difference over the norm of XLA's result."""
  errors = []
  for x, y in zip(jax.tree.leaves(ours), jax.tree.leaves(xla), strict=True):
    x, y = (np.asarray(z, np.float64) for z in (x, y))
    errors.append(np.linalg.norm(x - y) / max(np.linalg.norm(y), 1e-30))
  return float(max(errors))


def _against_float64(product: cases.Product, inputs, out) -> float:
  """The norm of the difference from float64, over that of the product.

  The terms of a sum may cancel, so the divisor is at least the norm of a typical product.
  """
  dropped = "".join(d for d in "mn" if getattr(product, d) == 1)
  lhs_names, rhs_names, names = product.names(dropped)
  dot = functools.partial(np.einsum, f"{lhs_names},{rhs_names}->{names}", optimize=True)
  lhs, rhs = (np.asarray(x).astype(np.float64) for x in inputs[:2])
  wanted, usual = dot(lhs, rhs), dot(np.abs(lhs), np.abs(rhs)) / math.sqrt(product.k)
  norm = max(np.linalg.norm(wanted), np.linalg.norm(usual))
  return float(np.linalg.norm(np.asarray(out).astype(np.float64) - wanted) / norm)


def _row(kind: str, product: cases.Product, shapes, ours) -> run.Row:
  calls = jaxgemm.explain(ours, *shapes).data["calls"]
  plan = {key: calls[0].get(key) for key in _OF_PLAN} if calls else None
  return {"section": "random", "case": product.label, "kind": kind, "m": product.m, "n": product.n,
          "k": product.k, "batch": product.batch, "dtype": product.dtype,
          "layout": product.layout, "flops": product.flops,
          "candidates": {OURS: {"plan": plan}, XLA: {}}}


def _repeated(dot, turns: int):
  """A program of one product after another; each lhs has an element of the result before it."""
  def program(lhs, rhs, *vectors):
    def turn(_, carried):
      lhs, out = carried
      first = jnp.clip(out[(slice(0, 1),) * out.ndim], -1, 1).astype(lhs.dtype)
      lhs = jax.lax.dynamic_update_slice(lhs, first.reshape((1,) * lhs.ndim), (0,) * lhs.ndim)
      return lhs, dot(lhs, rhs, *vectors)

    return jax.lax.fori_loop(1, turns, turn, (lhs, dot(lhs, rhs, *vectors)))[1]

  return program


def _on_cpu(kind: str, product: cases.Product, options: measure.Options) -> list[run.Row]:
  shapes, ours, xla = programs(kind, product, FLAGS.implementation)
  turns = max(1, min(_MOST_TURNS, int(_PROGRAM_FLOPS // product.flops)))
  turns = 1 if KINDS[kind][2].get("gradient") else turns
  single = {XLA: jax.jit(xla), OURS: jax.jit(ours)}
  looped = single if turns == 1 else {
      name: jax.jit(_repeated(dot, turns)) for name, dot in ((XLA, xla), (OURS, ours))}
  nbytes = sum(x.size * x.dtype.itemsize for x in shapes)
  count = 1 if turns > 1 else timing.input_sets(nbytes, 2)
  inputs = [measure.random(options.seed * 16 + i, *shapes) for i in range(count)]
  measured = measure.per(measure.interleave(
      {name: measure.Plain(function, inputs) for name, function in looped.items()}, count, options,
      f"random {product.label}").timing, turns)
  row = _row(kind, product, shapes, ours) | {"turns": turns} | measure.about(measured)
  outs = {name: function(*inputs[0]) for name, function in single.items()}
  if KINDS[kind][2]:
    errors, most = difference(outs[OURS], outs[XLA]), _DIFFERENCE
  else:
    errors = _against_float64(product, inputs[0], outs[OURS])
    most = check.tolerance(product.dtype)
  row["candidates"][OURS] |= {"errors": {"norm": errors}, "at_most": {"norm": most}}
  for name in (OURS, XLA):
    row["candidates"][name] |= measure.entry(measured, name, product.flops, OURS)
  return [row]


def _on_gpu(batch: Sequence[tuple[str, cases.Product]], options: measure.Options) -> list[run.Row]:
  """The rows of some products, which take turns."""
  turns = []
  with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for kind, product in batch:
      shapes, ours, xla = programs(kind, product, FLAGS.implementation)
      turns.append(measure.Turn(_row(kind, product, shapes, ours), shapes, {
          name: pool.submit(jax.jit(function).lower(*shapes).compile)
          for name, function in ((OURS, ours), (XLA, xla))}))

  def check(turn, done, inputs):
    if len(done) == 2:
      error = difference(*(done[name](*inputs) for name in (OURS, XLA)))
      turn.row["candidates"][OURS] |= {"errors": {"norm": error}, "at_most": {"norm": _DIFFERENCE}}

  return measure.by_turns(turns, options, OURS, check)


def after(rows: Sequence[run.Row]) -> list[str]:
  """How fast our kernels are without the products that are left to XLA."""
  ratios = [row["candidates"][XLA]["ratio"]["median"] for row in rows if row["candidates"]
            and (row["candidates"][OURS]["plan"] or {}).get("implementation") != "xla"]
  return [f"- {len(rows) - len(ratios)} of {len(rows)} products are left to XLA; of the others its "
          f"time / ours is {run.geometric_mean(ratios):.3f}"] if ratios else []
