"""Float8 products with scales on an NVIDIA GPU, beside bfloat16 and torch.

    python -m benchmarks scaled --json=scaled.json
    python -m benchmarks scaled --kinds=block --cases=4096x7168x2048,4096x4096x7168.g8

Operands are e4m3 with k last, and out is bfloat16. Kinds: "none" has no scales, "tensor" has one
for each operand, "row" one for each row of either (of rhs: a column of out), "block" one for 128 k
of each row of lhs and for 128 x 128 of rhs. The sums of "tensor" and "row" are those of the tensor
cores, as torch's with use_fast_accum=True; those of "block" are promoted to float32 after each 128
of k.
"""

from collections.abc import Callable, Iterator
import functools
import itertools
from typing import Any

from absl import app, flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import cases, check, measure, run
from benchmarks.measure import OURS, TORCH
import jaxgemm

KINDS = ("none", "tensor", "row", "block")
FLAGS = flags.FLAGS
BLOCK = 128
OURS_BF16 = "jaxgemm bf16"
# Errors may be so many times those of bfloat16: the tensor cores' sums are cut.
FACTOR = 2.5
# lhs [M, K] with rhs [G, N, K].
_NUMBERS = jax.lax.RaggedDotDimensionNumbers((((1,), (2,)), ((), ())), (0,), (0,))


def define_flags() -> None:
  flags.DEFINE_list("kinds", list(KINDS), "Kinds of scales.")
  flags.DEFINE_list("cases", cases.load()["scaled"], "Products, MxNxK, or MxNxK.gGROUPS of equal "
                    "groups. Default: two cubes, shapes that DeepGEMM publishes, and groups.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  run.refuse("threads", "problems")
  if not measure.on_gpu():
    raise app.UsageError(f"jax runs on {jax.default_backend()}; this suite reads the times of a "
                         "GPU's kernels.")
  options = measure.Options.of_flags()
  find = lambda case: [cases.grouped(case)] if ".g" in case else cases.products(case)
  kinds = run.choose("kinds", FLAGS.kinds, KINDS)
  for each, kind in itertools.product(run.named(FLAGS.cases, find), kinds):
    groups = getattr(each, "groups", 0)
    case = f"{each.m}x{each.n}x{each.k}" + f".g{groups}" * bool(groups)
    yield f"{name} {kind} {case}", functools.partial(
        row, kind, case, each.m, each.n, each.k, groups, options)


def quantised(seed: int, kind: str, m: int, n: int, k: int, groups: int):
  """(lhs, rhs, scales of lhs, scales of rhs) of standard normal arrays."""

  @functools.partial(jax.jit, static_argnames=("shape", "block_rows"))
  def one(key, shape, block_rows):
    x = jax.random.normal(key, shape, jnp.float32)
    if kind == "block":
      cut = x.reshape(*shape[:-2], shape[-2] // block_rows, block_rows, shape[-1] // BLOCK, BLOCK)
      scales = jnp.abs(cut).max((-3, -1), keepdims=True) / 448
      return (cut / scales).astype(jnp.float8_e4m3fn).reshape(shape), scales[..., 0, :, 0]
    scales = jnp.abs(x).max(-1 if kind == "row" else (-2, -1), keepdims=True) / 448
    scales = jnp.ones_like(scales) if kind == "none" else scales
    return (x / scales).astype(jnp.float8_e4m3fn), scales

  keys = jax.random.split(jax.random.key(seed, impl="rbg"))
  lhs, of_lhs = one(keys[0], (m, k), 1)
  rhs, of_rhs = one(keys[1], (groups, n, k) if groups else (n, k), BLOCK)
  return lhs, rhs, of_lhs, of_rhs


def ours(kind: str, groups: int) -> Callable[..., Any]:
  """function(lhs, rhs, scales of lhs, scales of rhs, sizes) by jaxgemm."""
  if kind == "block":
    if groups:
      return lambda lhs, rhs, of_lhs, of_rhs, sizes: jaxgemm.scaled_ragged_dot(
          lhs, rhs, sizes, of_lhs, of_rhs, jnp.bfloat16)
    return lambda lhs, rhs, of_lhs, of_rhs, _: jaxgemm.scaled_matmul(
        lhs[None], rhs[None], of_lhs[None], of_rhs[None], jnp.bfloat16)[0]

  def product(lhs, rhs, of_lhs, of_rhs, sizes):
    scales = {} if kind == "none" else {"scale_lhs": of_lhs, "scale_rhs": of_rhs}
    options = scales | {"preferred_element_type": jnp.bfloat16, "implementation": "jaxgemm"}
    if groups:
      return jaxgemm.ragged_dot_general(lhs, rhs, sizes, _NUMBERS, **options)
    return jaxgemm.dot_general(lhs, rhs, (((1,), (1,)), ((), ())), **options)

  return product


def _in_torch(kind: str, inputs) -> measure.Way:
  """torch._scaled_mm or torch._scaled_grouped_mm on the arrays of jax."""
  import torch

  def tensors(lhs, rhs, of_lhs, of_rhs, sizes):
    values = [torch.from_dlpack(jax.lax.bitcast_convert_type(x, jnp.uint8)).view(
        torch.float8_e4m3fn) for x in (lhs, rhs)]
    scales = [torch.from_dlpack(x) for x in (of_lhs, of_rhs)]
    ends = None if sizes is None else torch.from_dlpack(jnp.cumsum(sizes).astype(jnp.int32))
    if sizes is not None:
      scales = [scales[0].expand(lhs.shape[0], 1)[:, 0].contiguous(),
                scales[1].expand(*rhs.shape[:2], 1)[..., 0].contiguous()]
    elif kind == "block":
      # torch needs scales of lhs whose rows are neighbours in memory.
      scales = [scales[0].t().contiguous().t(), scales[1].contiguous().t()]
    else:
      scales = [scales[0], scales[1].t()]
    return *values, *scales, ends

  def product(lhs, rhs, of_lhs, of_rhs, ends):
    if ends is not None:
      return torch._scaled_grouped_mm(  # pylint: disable=protected-access
          lhs, rhs.transpose(1, 2), of_lhs, of_rhs, ends, out_dtype=torch.bfloat16,
          use_fast_accum=True)
    return torch._scaled_mm(  # pylint: disable=protected-access
        lhs, rhs.t(), of_lhs, of_rhs, out_dtype=torch.bfloat16, use_fast_accum=kind != "block")

  return measure.in_torch(product, inputs, tensors)


def _dequantised(x, scales):
  """The values of float8 and scales, in float32."""
  if scales.shape[-1] > 1:  # of blocks: along k, and perhaps along rows, too
    scales = jnp.repeat(jnp.repeat(scales, BLOCK, -1), x.shape[-2] // scales.shape[-2], -2)
  return x.astype(jnp.float32) * scales


def row(kind: str, case: str, m: int, n: int, k: int, groups: int, options: measure.Options
        ) -> list[run.Row]:
  """The row of a product."""
  sizes = jnp.full(groups, m // groups, jnp.int32) if groups else None
  count = measure.input_sets(m * k + max(groups, 1) * n * k, 3)
  inputs = [(*quantised(options.seed + i, kind, m, n, k, groups), sizes) for i in range(count)]
  one = jnp.ones((groups, 1, 1) if groups else (1, 1), jnp.float32)
  wide = [(lhs.astype(jnp.bfloat16), rhs.astype(jnp.bfloat16), one[:1].reshape(1, 1), one, sizes)
          for lhs, rhs, *_ in inputs]
  makers = {OURS: functools.partial(measure.in_jax(ours(kind, groups)), inputs),
            OURS_BF16: functools.partial(measure.in_jax(ours("none", groups)), wide)}
  missing = {}
  if reason := measure.missing_module("torch"):
    missing[TORCH] = reason
  elif kind == "block" and groups:
    missing[TORCH] = "torch has no grouped product with scales of blocks"
  else:
    makers[TORCH] = functools.partial(_in_torch, kind, inputs)

  def checked(name, way):
    lhs, rhs, *scales, _ = wide[0] if name == OURS_BF16 else inputs[0]
    lhs, rhs = _dequantised(lhs, scales[0]), jnp.swapaxes(_dequantised(rhs, scales[1]), -1, -2)
    out, poisoned = way.fresh(*(wide[0] if name == OURS_BF16 else inputs[0]))
    errors = (check.dense(lhs, rhs, out, options.seed) if sizes is None else check.grouped(
        "forward", (lhs, rhs, out), out, np.asarray(sizes), options.seed))
    return check.bounded(errors, factor=FACTOR) | {"poisoned": poisoned}

  shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), inputs[0])
  fields = {"section": "scaled", "case": f"{kind} {case}", "kind": kind, "m": m, "n": n, "k": k,
            "dtype": "float8_e4m3fn", "plan": str(jaxgemm.explain(ours(kind, groups), *shapes)),
            "flops": 2 * m * n * k, "missing": missing} | ({"groups": groups} if groups else {})
  return [measure.row(fields, makers, checked, options, count)]
