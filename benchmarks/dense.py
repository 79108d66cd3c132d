r"""Dense products by jaxgemm and by XLA, on a GPU by torch, too.

    python -m benchmarks dense --cases=acceptance,overhead --threads=1
    python -m benchmarks dense --cases=llama3_8b,1000x1000x1000 --dtypes=bfloat16,float32 \
        --schedule=persistent,stream_k --json=results.json
    python -m benchmarks dense --rows --cases=1x4096x4096,8192x4096x4096 --dtypes=bfloat16
    python -m benchmarks stream_k

Sets of cases are in benchmarks/shapes.json; --list prints them. `stream_k` compares schedules, and
on a GPU says whether stream-K has the same bits in each of --runs runs. The case `overhead`
times what a call on the CPU costs in addition to its arithmetic, in three ways: `dispatch`, one
jitted product that Python waits for; `loop`, a `lax.fori_loop` with one product in its body;
`chain`, one program of products in which each needs the one before.
"""

from collections.abc import Callable, Iterator, Mapping
import dataclasses
import functools
from typing import Any

from absl import flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import cases, check, measure, progress, run
from benchmarks.measure import OURS, TORCH, XLA
import jaxgemm
from jaxgemm.tune import timing

DTYPES = tuple(check.TOLERANCE)
# Products in a program of each way in which overhead is measured.
WAYS = {"dispatch": 1, "loop": 1000, "chain": 64}
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list(
      "cases", ["acceptance", "overhead"],
      f"Sets of cases ({', '.join(cases.SETS)}), layers of all models (layers) or of one "
      f"({', '.join(cases.models())}), random ones (random20-seed1), or shapes as MxNxK.")
  flags.DEFINE_list("dtypes", ["bfloat16", "float32"], "Operand types. Cases that name their own "
                    "type run if it is listed.")
  flags.DEFINE_list("schedule", None, "Schedules for jaxgemm, each a separate candidate. Default: "
                    "the plan's choice. Cases that name their own schedule keep it.")
  flags.DEFINE_list("reduction", None, "Reductions for jaxgemm, each a separate candidate. They "
                    "apply to the schedules stream_k and auto.")
  flags.DEFINE_bool("rows", False, "Whether jaxgemm is also measured with deterministic='rows', "
                    "beside the free plan.")
  flags.DEFINE_string("implementation", None, "The implementation= of jaxgemm's calls.")
  flags.DEFINE_integer("runs", 0, "Runs on a GPU in which the first candidate of jaxgemm must give "
                       "the same bits; 0: they are not compared.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  options = measure.Options.of_flags()
  dtypes = run.choose("dtypes", FLAGS.dtypes, DTYPES)
  for case in run.given_products(DTYPES):
    for dtype in [case.dtype] if case.dtype else dtypes:
      if dtype in dtypes or case.source == "problems":
        product = dataclasses.replace(case, dtype=dtype)
        yield f"{name} {case.source} {case.sizes} {dtype}", functools.partial(
            overhead, product, options) if case.source == "overhead" else functools.partial(
                lambda product: [row(name, product, _variants(product), options, runs=FLAGS.runs)],
                product)


def _variants(product: cases.Product) -> dict[str, dict[str, Any]]:
  """Options of the calls of jaxgemm, by the candidate's name."""
  found = {}
  for schedule in [product.schedule] if product.schedule else FLAGS.schedule or [None]:
    cuts = schedule in (None, "auto", "stream_k")
    for reduction in FLAGS.reduction or [None] if cuts else [None]:
      given = {"schedule": schedule, "reduction": reduction}
      given = {key: value for key, value in given.items() if value is not None}
      found[" ".join([OURS, *given.values()])] = given | {"implementation": FLAGS.implementation}
  if FLAGS.rows:
    found |= {f"{name} rows": given | {"deterministic": "rows"}
              for name, given in found.items() if given.get("schedule") != "stream_k"}
  return found


def ours(product: cases.Product, **given) -> Callable[..., jax.Array]:
  return functools.partial(jaxgemm.matmul, **{"preferred_element_type": product.out_dtype} | given)


def xla(product: cases.Product) -> Callable[..., jax.Array]:
  return functools.partial(jnp.matmul, preferred_element_type=product.out_dtype)


def row(section: str, product: cases.Product, variants: Mapping[str, dict[str, Any]],
        options: measure.Options, *, runs: int = 0, calls: int | None = None) -> run.Row:
  """A row of a product, which has a dtype.

  `variants` has the options of jaxgemm's product by the candidate's name. On a GPU `runs` results
  of the first one are compared bit by bit, and a sample has `calls` calls.
  """
  operands = lambda seed: measure.random(seed, *product.shapes(), dtype=product.dtype)
  count = measure.input_sets(product.input_bytes, len(variants) + 1)
  inputs = [operands(options.seed + i) for i in range(count)]
  functions = {XLA: xla(product)} | {
      name: ours(product, **given) for name, given in variants.items()}
  makers = {name: functools.partial(measure.in_jax(function), inputs)
            for name, function in functions.items()}
  missing = {}
  if measure.on_gpu() and product.out_dtype == product.dtype:
    if reason := measure.missing_module("torch"):
      missing[TORCH] = reason
    else:
      import torch
      makers[TORCH] = functools.partial(measure.in_torch, torch.matmul, inputs, with_out=True)
  fresh, found, first = operands(options.seed + count), {}, next(iter(variants))

  def checked(name, way):
    out, poisoned = way.fresh(*fresh)
    entry = check.product(*fresh, out, product.dtype, options.seed) | {"poisoned": poisoned}
    if name == first and runs and measure.on_gpu():
      found["bitwise"] = bitwise(way, fresh, runs)
    return entry | ({"plan": plan(product, variants[name])} if name in variants else {})

  fields = {
      "section": section, "case": f"{product.source} {product.sizes}", "m": product.m,
      "n": product.n, "k": product.k, "dtype": product.dtype, "out_dtype": product.out_dtype,
      "gate": product.gate, "flops": product.flops, "missing": missing}
  return measure.row(fields, makers, checked, options, count, first, calls) | found


def plan(product: cases.Product, given: Mapping[str, Any]) -> dict[str, Any]:
  """The data of jaxgemm.explain."""
  types = [jax.ShapeDtypeStruct(shape, product.dtype) for shape in product.shapes()]
  return jaxgemm.explain(*types, preferred_element_type=product.out_dtype, **given).data


def bitwise(way: measure.Donated, arrays, runs: int) -> dict[str, Any]:
  """How many of `runs` results of the same operands, written over NaNs, differ."""
  bits = jax.jit(lambda x, y: jnp.any(
      jax.lax.bitcast_convert_type(x, jnp.uint16) != jax.lax.bitcast_convert_type(y, jnp.uint16)))
  first, different = way.fresh(*arrays)[0] + 0, 0
  for _ in range(runs - 1):
    different += bits(first, way.fresh(*arrays)[0])
  return {"runs": runs, "different": int(different)}


def _programs(matmul: Callable[..., jax.Array]) -> dict[str, Callable[..., Any]]:
  def chain(x, w):
    for _ in range(WAYS["chain"]):
      x = matmul(x, w)
    return x

  return {"dispatch": matmul, "chain": chain,
          "loop": lambda x, w: jax.lax.fori_loop(0, WAYS["loop"], lambda _, x: matmul(x, w), x)}


def overhead(product: cases.Product, options: measure.Options) -> list[run.Row]:
  """A row for each way of calling a square product; times are those of one product."""
  dtype, size = product.dtype, product.n
  rng = np.random.default_rng(options.seed)
  (variant, *_) = _variants(product).values()
  programs = {XLA: _programs(jnp.matmul),
              OURS: _programs(lambda a, b: jaxgemm.matmul(a, b, **variant))}

  def operands():
    # An orthogonal w keeps a long chain's values as large as they began.
    w = np.linalg.qr(rng.standard_normal((size, size)))[0]
    return jax.device_put((rng.standard_normal((size, size)).astype(jnp.dtype(dtype)),
                           w.astype(jnp.dtype(dtype))))

  inputs, rows = [operands() for _ in range(9)], []
  x, w = inputs[0]
  for way, products in WAYS.items():
    progress.within(way)
    compiled = {key: jax.jit(of[way]) for key, of in programs.items()}
    each = measure.per(timing.interleave(
        compiled, inputs, min_seconds=options.min_seconds, clock=options.clock,
        wait=lambda x: x.block_until_ready(), within=progress.within), products)
    found = {"section": "overhead", "case": product.sizes, "m": size, "n": size, "k": size,
             "dtype": dtype, "way": way, "candidates": {
                 key: measure.entry(each, key, product.flops, OURS) for key in programs}}
    all_of_them = np.linalg.matrix_power(np.asarray(w, np.float64), products)
    error = check.dense(x, all_of_them, compiled[OURS](x, w), options.seed)
    # Each product rounds; w is orthogonal, so the errors add up like noise.
    found["candidates"][OURS] |= check.bounded(error, dtype, products**0.5)
    rows.append(found | measure.about(each))
  return rows
