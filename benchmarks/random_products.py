r"""Random products as models call them, by jaxgemm and by XLA; and the same after tuning.

    python -m benchmarks random --seed=32 --num_products=110 --json=random.json
    python -m benchmarks random --kinds=plain,bias,fp8,int8 --most=4096 --most_k=512 --layouts=rc \
        --implementation=jaxgemm
    JAX_PLATFORMS=cpu python -m benchmarks random --threads=1 --clock=cpu
    python -m benchmarks tuned --num_products=30 --tune_seconds=100 --json=tuned.json
    python -m benchmarks tuned --problems=mine.yaml --tuning_file=mine.json

Sizes are log-uniform, all drawn from --seed; give one that no constant of the plan was fitted to
(benchmarks/model/data has those). XLA compiles with its default flags, so on a GPU it times several
kernels for each product (autotuning), and takes the fastest. There --batch products take turns,
each on inputs of its own. On a CPU small products are in a loop inside a program, so that the time
of a call from Python does not hide theirs. With --implementation=jaxgemm the kernels also compute
what the plan would leave to XLA. Errors of products without an epilogue on a CPU are against
float64, all others against XLA's result.

`tuned` tunes its products first. Each program is compiled three times: with the tuning file,
without one, and as XLA's product. Equal programs are timed once, and their ratio is 1. Ratios are
times over the tuned program's.
"""

import atexit
from collections.abc import Callable, Iterator, Sequence
import concurrent.futures
import dataclasses
import functools
import math
import os
import pathlib
import shutil
import statistics
import tempfile
import time
from typing import Any

from absl import flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import cases, check, measure, progress, run
from benchmarks.measure import OURS, XLA
import jaxgemm
from jaxgemm.call import tuned as entries
from jaxgemm.tune import timing
from jaxgemm.tune.tune import tune_all

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
            "group_m", "tuned", "reasons")
# The programs of `tuned` beside XLA's; those of so many products are compiled at once.
TUNED, PLAN, _AT_ONCE = "tuned", "plan", 16
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_integer("num_products", 110, "Number of products.", lower_bound=1)
  flags.DEFINE_list("kinds", list(KINDS), "Kinds of products, one after the other.")
  flags.DEFINE_list("layouts", ["rr", "rc"], "Layouts of lhs and rhs; see cases.py.")
  flags.DEFINE_integer("least", 16, "Least M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most", 16384, "Largest M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most_k", 0, "Largest K; 0: that of M and N.")
  flags.DEFINE_integer("multiple", 16, "Sizes are multiples of this.", lower_bound=1)
  flags.DEFINE_float("odd", 0, "Share of products with an odd dimension.")
  flags.DEFINE_float("most_flops", math.inf, "Most operations of a product.")
  flags.DEFINE_float("layers", 0, "Share of products with the sizes of a layer of a model.")
  flags.DEFINE_float("batches", 0, "Share of products with a batch of up to 256.")
  flags.DEFINE_float("vectors", 0, "Share of products with a vector.")
  flags.DEFINE_string("implementation", None, "The implementation= of jaxgemm's calls.")
  flags.DEFINE_integer("batch", 10, "Products that take turns on a GPU.", lower_bound=1)
  flags.DEFINE_float("tune_seconds", 120, "Seconds in which to tune all products.")
  flags.DEFINE_integer("tune_workers", 1, "Processes that tune, each with a device; 0: this one.",
                       lower_bound=0)
  flags.DEFINE_string("tuning_file", None, "Tuning file to add to. Default: a temporary one.")


def drawn() -> list[tuple[str, cases.Product]]:
  """The products and their kinds: those of --problems, or random ones."""
  kinds = run.choose("kinds", FLAGS.kinds, KINDS)
  if (given := run.problems(["bfloat16"])) is not None:
    return [("plain", cases.Product(each["m"], each["n"], each["k"], source="problems"))
            for each in given]
  rng, found = np.random.default_rng(FLAGS.seed), []
  draw = cases.Draw(FLAGS.seed, FLAGS.least, FLAGS.most, FLAGS.most_k, FLAGS.multiple,
                    FLAGS.odd, FLAGS.layers, 0, layouts=tuple(FLAGS.layouts),
                    batches=FLAGS.batches, vectors=FLAGS.vectors, most_flops=FLAGS.most_flops)
  fits = (each for each in cases.random(draw) if max(each.m, each.n) <= FLAGS.most
          and each.k <= (FLAGS.most_k or FLAGS.most))
  for number, product in zip(range(FLAGS.num_products), fits):
    kind = kinds[number % len(kinds)]
    dtype, out, options = KINDS[kind]
    batch = int(rng.choice([2, 4, 8, 16])) if options.get("batch") else product.batch
    found.append((kind, dataclasses.replace(product, dtype=dtype, out=out, batch=batch)))
  return found


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  options, products = measure.Options.of_flags(), drawn()
  if name == "tuned":
    run.refuse("threads")
    path = tune([product for _, product in products])
    for start in range(0, len(products), _AT_ONCE):
      batch = [product for _, product in products[start:start + _AT_ONCE]]
      turns = functools.cache(functools.partial(_tuned, batch, path))
      for index, product in enumerate(batch):
        yield f"{name} {product.label}", lambda turns=turns, index=index: [
            _timed_once(turns()[index], options)]
  elif not measure.on_gpu():
    for number, (kind, product) in enumerate(products):
      yield f"{name} {number} {kind} {product.label}", functools.partial(
          _on_cpu, kind, product, options)
  else:
    for first in range(0, len(products), FLAGS.batch):
      batch = products[first:first + FLAGS.batch]
      yield (f"{name} {first} to {first + len(batch) - 1}",
             functools.partial(_on_gpu, batch, options))


def _ones(product: cases.Product) -> str:
  """The dimensions of size 1, which operands of random products do not have."""
  return "".join(d for d in "mn" if getattr(product, d) == 1)


def programs(kind: str, product: cases.Product, dropped: str = ""):
  """(shapes of the operands, our program, XLA's program), without some dimensions."""
  dtype, out, options = KINDS[kind]
  numbers = product.dimension_numbers(dropped)
  shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape in product.shapes(dropped)]
  names = [name for name in ("bias", "scale") if options.get(name)]
  shapes += [jax.ShapeDtypeStruct((product.n,), dtype if name == "bias" else "float32")
             for name in names]
  activation = options.get("activation")

  def ours(a, b, *vectors):
    given = dict(zip(names, vectors)) | ({"activation": activation} if activation else {})
    return jaxgemm.dot_general(a, b, numbers, preferred_element_type=out,
                               implementation=FLAGS.implementation, **given)

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

  # Equal names, because the names are parts of programs that are compared.
  ours.__name__ = xla.__name__ = "product"
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
  lhs_names, rhs_names, names = product.names(_ones(product))
  dot = functools.partial(np.einsum, f"{lhs_names},{rhs_names}->{names}", optimize=True)
  lhs, rhs = (np.asarray(x).astype(np.float64) for x in inputs[:2])
  wanted, usual = dot(lhs, rhs), dot(np.abs(lhs), np.abs(rhs)) / math.sqrt(product.k)
  norm = max(np.linalg.norm(wanted), np.linalg.norm(usual))
  return float(np.linalg.norm(np.asarray(out).astype(np.float64) - wanted) / norm)


def _plan(ours: Callable, shapes) -> run.Row | None:
  calls = jaxgemm.explain(ours, *shapes).data["calls"]
  return {key: calls[0].get(key) for key in _OF_PLAN} if calls else None


def _row(section: str, kind: str, product: cases.Product, **more) -> run.Row:
  return {"section": section, "case": product.label, "kind": kind, "m": product.m, "n": product.n,
          "k": product.k, "batch": product.batch, "dtype": product.dtype,
          "layout": product.layout, "flops": product.flops} | more


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
  shapes, ours, xla = programs(kind, product, _ones(product))
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
  row = _row("random", kind, product, turns=turns, **measure.about(measured), candidates={
      OURS: {"plan": _plan(ours, shapes)}, XLA: {}})
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
      shapes, ours, xla = programs(kind, product, _ones(product))
      row = _row("random", kind, product, candidates={
          OURS: {"plan": _plan(ours, shapes)}, XLA: {}})
      turns.append(measure.Turn(row, shapes, {
          name: pool.submit(jax.jit(function).lower(*shapes).compile)
          for name, function in ((OURS, ours), (XLA, xla))}))

  def check(turn, done, inputs):
    if len(done) == 2:
      error = difference(*(done[name](*inputs) for name in (OURS, XLA)))
      turn.row["candidates"][OURS] |= {"errors": {"norm": error}, "at_most": {"norm": _DIFFERENCE}}

  return measure.by_turns(turns, options, OURS, check)


# ---------------------------------------------------------------------------------- tuned


def tune(products: Sequence[cases.Product]) -> pathlib.Path:
  """Tunes products as `python -m jaxgemm.tune` does; returns the tuning file."""
  scratch, begin = tempfile.mkdtemp(), time.monotonic()
  atexit.register(shutil.rmtree, scratch)
  path = pathlib.Path(FLAGS.tuning_file or os.path.join(scratch, "tuning.json")).absolute()
  progress.doing(f"tuning {len(products)} products")
  made = [programs("plain", each) for each in products]
  report = tune_all([(ours, shapes, {}) for shapes, ours, _ in made],
                    seconds=FLAGS.tune_seconds, routing="balanced", again=False,
                    most_candidates=16, workers=FLAGS.tune_workers, candidate_seconds=60.0,
                    path=path)
  print(f"tuned {len(report.results)} of {len(products)} products in "
        f"{time.monotonic() - begin:.1f} s", flush=True)
  return path


def _tuned(batch: Sequence[cases.Product], path: pathlib.Path) -> list[measure.Turn]:
  """The programs of each product, of which no two are equal; "alike" has the equal ones."""
  progress.within(f"compilation of {len(batch)} products")
  turns = []
  for product in batch:
    lowered, plans = {}, {}
    for name, place in ((TUNED, str(path)), (PLAN, "off")):
      os.environ["JAXGEMM_TUNING"] = place
      entries.forget()
      jax.clear_caches()  # with the other file a traced product may have been left to XLA
      shapes, ours, xla = programs("plain", product)
      lowered[name], plans[name] = jax.jit(ours).lower(*shapes), _plan(ours, shapes)
    lowered[XLA] = jax.jit(xla).lower(*shapes)
    names = {lowered[name].as_text(): name for name in (XLA, PLAN, TUNED)}
    alike = {name: names[program.as_text()] for name, program in lowered.items()}
    turns.append(measure.Turn(_row("tuned", product.source, product, alike=alike, plans=plans,
                                   candidates={name: {} for name in dict.fromkeys(alike.values())}),
                              shapes, lowered))
  with concurrent.futures.ThreadPoolExecutor(min(16, os.cpu_count() or 1)) as pool:
    for turn in turns:
      turn.programs = {name: pool.submit(turn.programs[name].compile)
                       for name in turn.row["candidates"]}
  return turns


def _timed_once(turn: measure.Turn, options: measure.Options) -> run.Row:
  """The row of a product: equal programs have the same times."""
  alike = turn.row["alike"]

  def checked(turn, done, inputs):
    lhs, rhs = (x if letter == "r" else x.T for x, letter in zip(inputs, turn.row["layout"]))
    for name, program in done.items():
      turn.row["candidates"][name] |= check.product(
          lhs, rhs, program(*inputs), turn.row["dtype"], options.seed)

  (row,) = measure.by_turns([turn], options, alike[TUNED], checked, calls=4, most_sets=99)
  if not row["missing"]:
    same = {"ratio": dict.fromkeys(("median", "q1", "q3"), 1.0)}
    times = row["candidates"]
    row["candidates"] = {
        name: times[alike[name]] | (same if alike[name] == alike[TUNED] != name else {})
        for name in (TUNED, PLAN, XLA)}
    row["candidates"][TUNED] = row["candidates"][TUNED] | {"note": f"{chosen(row)} program"}
    row["candidates"][TUNED].pop("ratio", None)
  return row


def chosen(row: run.Row) -> str:
  """Whether the tuned program is the plan's, XLA's or another one."""
  alike = row["alike"]
  return ("XLA's" if alike[TUNED] == alike[XLA] else
          "the plan's" if alike[TUNED] == alike[PLAN] else "another")


def after(rows: Sequence[run.Row]) -> list[str]:
  """How fast our kernels are without what is left to XLA, and tuned programs beside the better."""
  rows, found = [row for row in rows if row["candidates"]], []
  ratio = lambda row, name: row["candidates"][name]["ratio"]["median"]
  ratios = [ratio(row, XLA) for row in rows if OURS in row["candidates"]
            and (row["candidates"][OURS]["plan"] or {}).get("implementation") != "xla"]
  if ratios:
    found.append(f"- {len(rows) - len(ratios)} of {len(rows)} products are left to XLA; of the "
                 f"others its time / ours is {statistics.geometric_mean(ratios):.3f}")
  if better := [min(ratio(row, PLAN), ratio(row, XLA)) for row in rows if "alike" in row]:
    counts = {kind: sum(chosen(row) == kind for row in rows)
              for kind in ("another", "the plan's", "XLA's")}
    found += [f"- better of plan and xla over tuned: geometric mean "
              f"{statistics.geometric_mean(better):.3f}, least {min(better):.3f}, "
              f"{sum(each < 1 / 1.01 for each in better)} of {len(rows)} below 1 / 1.01",
              "- tuned programs: " + ", ".join(f"{n} {kind}" for kind, n in counts.items())]
  return found
