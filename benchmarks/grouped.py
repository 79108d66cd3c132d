r"""Grouped products by jaxgemm, jax.lax.ragged_dot, torch and, on a GPU, tokamax.

    python -m benchmarks grouped --json=grouped.json --markdown=grouped.md
    python -m benchmarks grouped --cases=512x256x128.g4 --dtypes=float32 \
        --routings=balanced,extreme --work=forward
    python -m benchmarks grouped --rows --cases=512x256x128.g4 --work=forward
    python -m benchmarks grouped_calls --json=calls.json

`dgrad` and `wgrad` are the gradients of lhs and rhs. TFLOP/s count the products of the groups only.
torch and tokamax are measured if they are installed. "to_balanced" of a row is the time of jaxgemm
under the balanced routing over that under this one.

`grouped_calls` times products as layers of experts call them, each beside what it replaces: with a
bias, and without one; a gradient of rhs that the kernel adds to a float32 buffer, and the float32
product with an addition by XLA (both write in place); ragged_gated_linear_unit, and one product
with 2 N columns with silu(gate) * up by XLA; float8 and float32 products of all layouts of lhs and
rhs.
"""

from collections.abc import Callable, Iterator, Sequence
import dataclasses
import functools
import itertools
import os
from typing import Any

from absl import flags
import jax
import numpy as np

from benchmarks import cases, check, measure, progress, run
import jaxgemm

OURS, XLA, TORCH, TOKAMAX = (
    "jaxgemm.ragged_dot", "lax.ragged_dot", "torch._grouped_mm", "tokamax.ragged_dot")
# Number of products in each kind of work, each with the FLOPs of the forward pass.
WORK = {"forward": 1, "dgrad": 1, "wgrad": 1, "forward+backward": 3}
DTYPES = ("float32", "bfloat16")
KINDS = ("bias", "accumulate", "gated", "layouts")
FLAGS = flags.FLAGS


def define_flags() -> None:
  routings = list(cases.load()["routing"])
  flags.DEFINE_list("cases", cases.load()["grouped_gpu"], "Grouped products: names as --list "
                    "prints them, or MxNxK.gGROUPS, where M are the rows of all groups.")
  flags.DEFINE_list("dtypes", ["bfloat16"], "Operand types.")
  flags.DEFINE_list("routings", routings, "Routings, from shapes.json.")
  flags.DEFINE_list("work", ["forward", "dgrad", "wgrad"], f"Some of {', '.join(WORK)}.")
  flags.DEFINE_bool("rows", False, "Whether jaxgemm is also measured with deterministic='rows', "
                    "beside the free plan.")
  flags.DEFINE_list("torch", list(DTYPES), "Operand types with which torch is measured. On a CPU "
                    "without bf16 instructions it is hundreds of times slower in bfloat16: leave "
                    "bfloat16 out there.")
  flags.DEFINE_list("xla", routings, "Routings with which jax.lax.ragged_dot is measured. It does "
                    "the same work with each of them.")
  flags.DEFINE_integer("xla_most_groups", 1 << 30, "Largest number of groups with "
                       "jax.lax.ragged_dot: it multiplies every row with every group.",
                       lower_bound=0)


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  options = measure.Options.of_flags()
  if name == "grouped_calls":
    for kind, case in itertools.product(KINDS, FLAGS.cases):
      yield f"{name} {kind} {case}", functools.partial(calls, kind, case, options)
    return
  dtypes = run.choose("dtypes", FLAGS.dtypes, DTYPES)
  routings = run.choose("routings", FLAGS.routings, cases.load()["routing"])
  # On a GPU a call has one result.
  works = run.choose("work", FLAGS.work, list(WORK)[:3] if measure.on_gpu() else WORK)
  run.choose("xla", FLAGS.xla, cases.load()["routing"])
  given = run.problems(DTYPES, grouped=True)
  wanted = [(each, dtypes) for each in FLAGS.cases] if given is None else [
      ("{m}x{n}x{k}.g{groups}".format(**each), [each["dtype"]] if "dtype" in each else dtypes)
      for each in given]
  for case, its_dtypes in wanted:
    (product,) = run.named([case], lambda case: [cases.grouped(case)])
    for dtype in its_dtypes:
      yield f"{name} {case} {dtype}", functools.partial(
          rows, case, dataclasses.replace(product, dtype=dtype), works, routings, options)


def in_jax(product: Callable[..., jax.Array], work: str) -> Callable[..., Any]:
  """function(lhs, rhs, cotangent, sizes) -> the result, or all of them.

  dgrad and wgrad are written with the forward pass, which XLA removes as unused.
  """
  def forward(lhs, rhs, _, sizes):
    return product(lhs, rhs, sizes)

  def dgrad(lhs, rhs, cotangent, sizes):
    return jax.vjp(lambda x: product(x, rhs, sizes), lhs)[1](cotangent)[0]

  def wgrad(lhs, rhs, cotangent, sizes):
    return jax.vjp(lambda w: product(lhs, w, sizes), rhs)[1](cotangent)[0]

  def both(lhs, rhs, cotangent, sizes):
    out, vjp = jax.vjp(lambda x, w: product(x, w, sizes), lhs, rhs)
    return out, *vjp(cotangent)

  return dict(zip(WORK, (forward, dgrad, wgrad, both)))[work]


def _in_torch(work: str) -> Callable[..., Any]:
  """The same in torch, which takes the ends of the groups for sizes."""
  import torch
  grouped_mm = torch._grouped_mm  # pylint: disable=protected-access

  def both(lhs, rhs, cotangent, ends):
    with torch.enable_grad():
      lhs, rhs = lhs.requires_grad_(), rhs.requires_grad_()
      out = grouped_mm(lhs, rhs, ends)
      return out.detach(), *torch.autograd.grad(out, (lhs, rhs), cotangent)

  return dict(zip(WORK, (
      lambda lhs, rhs, _, ends: grouped_mm(lhs, rhs, ends),
      lambda _, rhs, cotangent, ends: grouped_mm(cotangent, rhs.transpose(1, 2), ends),
      lambda lhs, _, cotangent, ends: grouped_mm(lhs.T, cotangent, ends), both)))[work]


def _makers(product: cases.Grouped, work: str) -> tuple[dict[str, Any], dict[str, str]]:
  """(what makes the way of a candidate from inputs, why others are missing).

  A candidate is compiled once for all routings.
  """
  # On a GPU never by XLA in its place.
  given = {"implementation": "jaxgemm"} if measure.on_gpu() else {}
  functions, missing = {OURS: functools.partial(jaxgemm.ragged_dot, **given)}, {}
  if FLAGS.rows:
    functions[f"{OURS} rows"] = functools.partial(functions[OURS], deterministic="rows")
  if product.groups <= FLAGS.xla_most_groups:
    functions[XLA] = jax.lax.ragged_dot
  else:
    missing[XLA] = "left out: it multiplies every row with every group"
  if measure.on_gpu():
    try:
      import tokamax
      functions[TOKAMAX] = tokamax.ragged_dot
    except ImportError as error:
      missing[TOKAMAX] = f"ImportError: {error}"
  found = {name: measure.in_jax(in_jax(function, work)) for name, function in functions.items()}
  if product.dtype not in FLAGS.torch:
    return found, missing
  if reason := measure.missing_module("torch"):
    return found, missing | {TORCH: reason}
  import torch
  torch.set_grad_enabled(False)
  if measure.on_gpu():
    found[TORCH] = functools.partial(measure.in_torch, _in_torch(work))
  else:
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    function = _in_torch(work)
    found[TORCH] = functools.partial(
        measure.Plain, lambda *arrays: function(*map(torch.from_dlpack, arrays)))
  return found, missing


def rows(case: str, product: cases.Grouped, works: Sequence[str], routings: Sequence[str],
         options: measure.Options) -> list[run.Row]:
  """Rows of one product, one for each work and routing.

  On a GPU all candidates under all routings take turns. On a CPU those of a routing do, and after
  them jaxgemm under all routings, for "to_balanced".
  """
  rng = np.random.default_rng(options.seed)
  sizes = {r: cases.group_sizes(r, product.m, product.groups, rng) for r in routings}
  nbytes = sum(int(np.prod(s)) for s in product.shapes) * jax.numpy.dtype(product.dtype).itemsize
  count = measure.input_sets(nbytes, len(routings))
  arrays = [measure.random(options.seed + i, *product.shapes, dtype=product.dtype)
            for i in range(count)]
  fields = {"section": "grouped", "case": case, "kind": case.split(".")[0], "m": product.m,
            "n": product.n, "k": product.k, "groups": product.groups, "dtype": product.dtype,
            "gate": "grouped" if case in cases.load()["grouped_cpu"] else None}

  def inputs(peer: str, routing: str) -> list[tuple]:
    order = sizes[routing].cumsum(dtype=np.int32) if peer == TORCH else sizes[routing]
    order = jax.device_put(order)
    return [(*each, order) for each in arrays]

  found = []
  for work in works:
    makers, missing = _makers(product, work)
    flops, of_work = WORK[work] * product.flops, {}
    for some in [routings] if measure.on_gpu() else [[routing] for routing in routings]:
      progress.doing(f"{case} {product.dtype} {work} {' '.join(some)}")
      ways, failed = measure.prepare({
          f"{peer} {routing}": functools.partial(make, inputs(peer, routing))
          for routing in some for peer, make in makers.items()
          if peer != XLA or routing in FLAGS.xla})
      if not ways:
        found.append(fields | {"work": work, "missing": missing | failed, "candidates": {}})
        continue
      measured = measure.interleave(ways, count, options, f"grouped {case} {work} {some[0]}")
      for routing in some:
        progress.within(f"errors against float64, {routing}")
        of_work[routing] = fields | {
            "work": work, "routing": routing, "sizes": sizes[routing].tolist(), "flops": flops,
            "input_sets": count, "candidates": {}, **measure.about(measured),
            "missing": missing | {key.removesuffix(" " + routing): why
                                  for key, why in failed.items() if key.endswith(routing)}}
        for key, way in ways.items():
          peer = key.removesuffix(" " + routing)
          if peer != key:
            out, poisoned = way.fresh(*inputs(peer, routing)[0])
            of_work[routing]["candidates"][peer] = measure.entry(
                measured, key, flops, f"{OURS} {routing}") | {"poisoned": poisoned} | _checked(
                    out, work, arrays[0], sizes[routing], product.dtype, options.seed)
    names = {routing: f"{OURS} {routing}" for routing in of_work}
    if "balanced" in of_work and len(of_work) > 1:
      if not measure.on_gpu():
        progress.doing(f"{case} {work}: jaxgemm under all routings")
        ours = {name: makers[OURS](inputs(OURS, routing)) for routing, name in names.items()}
        measured = measure.interleave(ours, count, options, f"grouped {case} {work} routings",
                                      min_rounds=3 * options.rounds)
      for routing, name in names.items():
        if routing != "balanced" and {name, names["balanced"]} <= measured.timing.seconds.keys():
          of_work[routing]["to_balanced"] = measure.ratio(measured, name, names["balanced"])
    found += of_work.values()
  return found


def _checked(out, work: str, arrays, sizes: np.ndarray, dtype: str, seed: int) -> dict[str, Any]:
  """The errors of one result or of all."""
  names = {"forward": "out", "dgrad": "d_lhs", "wgrad": "d_rhs"}
  works, errors = list(names) if work == "forward+backward" else [work], {}
  for one, given in zip(works, out if len(works) > 1 else [out]):
    found = check.grouped(one, arrays, jax.dlpack.from_dlpack(given), sizes, seed)
    errors |= {f"{names[one]} {key}": value for key, value in found.items()}
  return check.bounded(errors, dtype)


# -------------------------------------------------------------------- as layers call them


def _with_layout(layout: str, dtype: str, out: str, product: cases.Grouped):
  """(shapes of lhs and rhs, the product). "r" is lhs [M, K] or rhs [G, K, N]; "c" has k last in
  rhs, and first in lhs."""
  m, n, k, groups = product.m, product.n, product.k, product.groups
  lhs = (m, k) if layout[0] == "r" else (k, m)
  rhs = (groups, k, n) if layout[1] == "r" else (groups, n, k)
  k_of_lhs = int(layout[0] == "r")
  numbers = jax.lax.RaggedDotDimensionNumbers(
      (((k_of_lhs,), (1 + int(layout[1] == "c"),)), ((), ())), [1 - k_of_lhs], [0])
  return [jax.ShapeDtypeStruct(shape, dtype) for shape in (lhs, rhs)], functools.partial(
      jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=numbers,
      preferred_element_type=out, implementation="jaxgemm")


def programs(kind: str, product: cases.Grouped) -> dict[str, tuple]:
  """For each name (shapes of the operands but for group_sizes, function); ours comes first."""
  m, n, k, groups = product.m, product.n, product.k, product.groups
  shape = lambda *sizes, dtype="bfloat16": jax.ShapeDtypeStruct(sizes, dtype)
  lhs, rhs = shape(m, k), shape(groups, k, n)
  if kind == "bias":
    return {OURS: ([lhs, rhs, shape(groups, n)],
                   lambda x, w, b, sizes: jaxgemm.ragged_dot(x, w, sizes, bias=b)),
            "without a bias": ([lhs, rhs], jaxgemm.ragged_dot)}
  if kind == "accumulate":
    product_of = functools.partial(
        jaxgemm.ragged_dot_general, preferred_element_type="float32",
        ragged_dot_dimension_numbers=jax.lax.RaggedDotDimensionNumbers(
            (((0,), (0,)), ((), ())), [0], []))
    given = [lhs, shape(m, n), shape(groups, k, n, dtype="float32")]
    return {OURS: (given, lambda x, y, buffer, sizes: product_of(x, y, sizes, accumulate=buffer)),
            "product and addition": (
                given, lambda x, y, buffer, sizes: buffer + product_of(x, y, sizes))}
  if kind == "gated":
    def wide(x, w, sizes):
      both = jaxgemm.ragged_dot(x, w.reshape(groups, k, 2 * n), sizes)
      return jax.nn.silu(both[:, :n]) * both[:, n:]
    given = [lhs, shape(groups, k, 2, n)]
    return {OURS: (given, jaxgemm.ragged_gated_linear_unit), "wide product": (given, wide)}
  return {f"{dtype} {layout}": _with_layout(layout, dtype, out, product)
          for dtype, out in (("float8_e4m3fn", "bfloat16"), ("float32", "float32"))
          for layout in cases.LAYOUTS}


def calls(kind: str, case: str, options: measure.Options) -> list[run.Row]:
  """The row of one kind and size; ratios are times over that of the first program."""
  product = cases.grouped(case)
  sizes = jax.device_put(cases.group_sizes(
      "mild", product.m, product.groups, np.random.default_rng(options.seed)))
  donated = (2,) if kind == "accumulate" else ()
  ways = {}

  def call(program, inputs, index):
    operands = inputs[index % len(inputs)]
    out = program(*operands, sizes)
    for position in donated:  # the result takes the place of an operand that was donated
      operands[position] = out
    return out

  for name, (shapes, function) in programs(kind, product).items():
    count = min(3, measure.input_sets(sum(x.size * x.dtype.itemsize for x in shapes), 2))
    inputs = [list(measure.random(options.seed * 16 + i, *shapes)) for i in range(count)]
    ways[name] = measure.Way(functools.partial(
        call, jax.jit(function, donate_argnums=donated), inputs))
  measured = measure.interleave(ways, 3, options, f"grouped {kind} {case}", calls=1)
  first = next(iter(ways))
  return [{"section": "grouped_calls", "case": f"{kind} {case}", "kind": kind, "m": product.m,
           "n": product.n, "k": product.k, "groups": product.groups, **measure.about(measured),
           "candidates": {name: measure.entry(measured, name, product.flops, first)
                          for name in ways}}]
