r"""Times grouped products as MoE layers call them on one NVIDIA GPU, each beside what it replaces.

    python -m benchmarks.model.grouped_calls --json=grouped-calls.json

The kinds, and what their time is compared with:
    bias        ragged_dot with a bias; without one.
    accumulate  a gradient of rhs that the kernel adds to a float32 buffer; the float32 product,
                and an addition by XLA. Both write in place (the buffer is donated).
    gated       ragged_gated_linear_unit; one product with 2 N columns, and silu(gate) * up by XLA.
    layouts     float8 and float32 products of all four layouts of lhs and rhs; the fastest of them.

A ratio is the other time over ours, so above 1 is faster. Times are microseconds on the device, as
in `benchmarks.model.measure`. Sizes of groups are random ("mild" of shapes.json).
"""

import concurrent.futures
import functools
import itertools
import math
from typing import Any

from absl import app, flags
import numpy as np

from benchmarks import progress, shapes
from benchmarks.model import calls, measure

FLAGS = flags.FLAGS
KINDS = ("bias", "accumulate", "gated", "layouts")
# [groups, rows of all groups, columns, k]: experts of Mixtral, DeepSeek-V2-Lite, gpt-oss, Qwen3.
SIZES = ("8x16384x7168x4096", "64x16384x1408x2048", "32x8192x2880x2880", "128x16384x768x2048",
         "16x4096x4096x1536")


def define_flags():
  """Defines the flags of this program, and those of `measure`."""
  measure.define_flags()
  flags.DEFINE_list("kinds", list(KINDS), "Kinds of products.")
  flags.DEFINE_list("sizes", list(SIZES), "GROUPSxMxNxK of each product; M are all rows.")


def with_layout(layout: str, dtype: str, out: str, groups: int, m: int, n: int, k: int):
  """(shapes of lhs and rhs, the product). "r" is lhs [M, K] or rhs [G, K, N]; "c" has k last in
  rhs, and first in lhs."""
  import jax

  import jaxgemm

  lhs = (m, k) if layout[0] == "r" else (k, m)
  rhs = (groups, k, n) if layout[1] == "r" else (groups, n, k)
  k_of_lhs = int(layout[0] == "r")
  numbers = jax.lax.RaggedDotDimensionNumbers(
      (((k_of_lhs,), (1 + int(layout[1] == "c"),)), ((), ())), [1 - k_of_lhs], [0])
  product = functools.partial(
      jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=numbers,
      preferred_element_type=out, implementation="jaxgemm")
  return [jax.ShapeDtypeStruct(lhs, dtype), jax.ShapeDtypeStruct(rhs, dtype)], product


def programs(kind: str, groups: int, m: int, n: int, k: int) -> dict[str, tuple]:
  """For each name (shapes of the operands but for group_sizes, function); "ours" comes first."""
  import jax

  import jaxgemm

  def shape(*sizes, dtype="bfloat16"):
    return jax.ShapeDtypeStruct(sizes, dtype)

  lhs, rhs = shape(m, k), shape(groups, k, n)
  if kind == "bias":
    return {
        "ours": ([lhs, rhs, shape(groups, n)],
                 lambda x, w, b, sizes: jaxgemm.ragged_dot(x, w, sizes, bias=b)),
        "without": ([lhs, rhs], jaxgemm.ragged_dot)}
  if kind == "accumulate":
    numbers = jax.lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
    product = functools.partial(
        jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=numbers,
        preferred_element_type="float32")
    given = [lhs, shape(m, n), shape(groups, k, n, dtype="float32")]
    return {
        "ours": (given, lambda x, y, buffer, sizes: product(x, y, sizes, accumulate=buffer)),
        "product and addition": (
            given, lambda x, y, buffer, sizes: buffer + product(x, y, sizes))}
  if kind == "gated":
    def wide(x, w, sizes):
      both = jaxgemm.ragged_dot(x, w.reshape(groups, k, 2 * n), sizes)
      return jax.nn.silu(both[:, :n]) * both[:, n:]
    given = [lhs, shape(groups, k, 2, n)]
    return {"ours": (given, jaxgemm.ragged_gated_linear_unit), "wide product": (given, wide)}
  found = {}
  for dtype, out in (("float8_e4m3fn", "bfloat16"), ("float32", "float32")):
    for layout in map("".join, itertools.product("rc", "rc")):
      given, product = with_layout(layout, dtype, out, groups, m, n, k)
      found[f"{dtype} {layout}"] = (given, product)
  return found


def _call(run, inputs, sizes, donated, index: int):
  """Calls a program; its result takes the place of an operand that was donated."""
  operands = inputs[index % len(inputs)]
  out = run(*operands, sizes)
  for position in donated:
    operands[position] = out
  return out


def timed(kind: str, size: str, pool, timer, seed: int) -> dict[str, Any]:
  """The row of one kind and size; its programs take turns."""
  import jax

  from jaxgemm.tune import gpu_trace

  groups, m, n, k = map(int, size.split("x"))
  sizes = jax.device_put(shapes.group_sizes("mild", m, groups, np.random.default_rng(seed)))
  donated = (2,) if kind == "accumulate" else ()
  described = programs(kind, groups, m, n, k)
  futures = {
      name: pool.submit(lambda fun, given: jax.jit(fun, donate_argnums=donated).lower(
          *given, jax.ShapeDtypeStruct(sizes.shape, sizes.dtype)).compile(), fun, given)
      for name, (given, fun) in described.items()}
  runs, sets = {}, 3  # of inputs
  for name, (given, _) in described.items():
    nbytes = sum(math.prod(x.shape) * x.dtype.itemsize for x in given)
    count = min(sets, gpu_trace.input_sets(nbytes))
    inputs = [calls.random_inputs(given, seed * 16 + i) for i in range(count)]
    runs[name] = functools.partial(_call, futures[name].result(), inputs, sizes, donated)
  found = timer(runs, sets, FLAGS.rounds)
  row = {"kind": kind, "groups": groups, "m": m, "n": n, "k": k, "us": {}, "kernels": {}}
  for name, each in found.items():
    row["us"][name] = round(float(np.median(each.seconds)) * 1e6, 3)
    row["kernels"][name] = list(each.kernels)
  return row


def ratios(row: dict[str, Any]) -> dict[str, float]:
  """What a row says: the other time over ours; of layouts the fastest's over each."""
  us = row["us"]
  if row["kind"] != "layouts":
    other = next(name for name in us if name != "ours")
    return {f"{row['kind']}, {other} over ours": us[other] / us["ours"]}
  return {name: min(t for x, t in us.items() if x.split()[0] == name.split()[0]) / time
          for name, time in us.items()}


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  about, timer, rows = measure.described("grouped_calls"), measure.device_timer(), []
  with concurrent.futures.ThreadPoolExecutor() as pool:
    for kind, size in itertools.product(FLAGS.kinds, FLAGS.sizes):
      progress.doing(f"{kind} {size}")
      rows.append(timed(kind, size, pool, timer, FLAGS.seed))
      measure.write_rows(about, rows)
      print(size, ", ".join(f"{name} {value:.3f}" for name, value in ratios(rows[-1]).items()),
            flush=True)
  return 0


if __name__ == "__main__":
  define_flags()
  app.run(main)
