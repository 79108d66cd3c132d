"""Times float8 products with scales on one NVIDIA GPU, beside bfloat16 and torch.

    python -m benchmarks scaled --json=scaled.json
    python -m benchmarks scaled --kinds=block --shapes=4096x7168x2048 --groups=4096x4096x7168.g8

Operands are e4m3 with k last, and out is bfloat16. Kinds: "tensor" has a scale for each operand,
"row" one for each row of either (of rhs: a column of out), "block" one for 128 k of each row of lhs
and for 128 x 128 of rhs. The sums of "tensor" and "row" are those of the tensor cores, as
torch's with use_fast_accum=True; those of "block" are promoted to float32 after each 128 of k.
Times are seconds on the device in JSON; the terminal shows microseconds and TFLOP/s.
"""

from collections.abc import Callable
import functools
import re
from typing import Any

from absl import app, flags

from benchmarks import progress, run

FLAGS = flags.FLAGS
KINDS = ("tensor", "row", "block")
flags.DEFINE_list("kinds", list(KINDS), "Kinds of scales.")
flags.DEFINE_list(
    "shapes", ["4096x4096x4096", "8192x8192x8192", "4096x7168x2048", "4096x24576x1536",
               "4096x7168x16384", "4096x4096x7168"],
    "Dense products, MxNxK. Default: two cubes, and shapes that DeepGEMM publishes.")
flags.DEFINE_list(
    "groups", ["8192x4096x7168.g4", "8192x7168x2048.g8", "16384x4096x2048.g32"],
    "Grouped products of equal groups, MxNxK.gGROUPS.")
flags.DEFINE_float("seconds", 80, "No product is begun after so many seconds.")

BLOCK = 128
OURS, OURS_BF16, TORCH = "jaxgemm", "jaxgemm bf16", "torch"


def problem(text: str) -> tuple[int, int, int, int]:
  """(m, n, k, groups or 0) of a product's name."""
  found = re.fullmatch(r"(\d+)x(\d+)x(\d+)(?:\.g(\d+))?", text)
  if found is None:
    raise app.UsageError(f"{text!r} was given; MxNxK is allowed, or MxNxK.gGROUPS.")
  m, n, k, groups = (int(x or 0) for x in found.groups())
  return m, n, k, groups


def quantised(seed: int, kind: str, m: int, n: int, k: int, groups: int):
  """(lhs, rhs, scales of lhs, scales of rhs) of standard normal arrays."""
  import jax
  import jax.numpy as jnp

  @functools.partial(jax.jit, static_argnames=("shape", "kind", "block_rows"))
  def one(key, shape, kind, block_rows):
    x = jax.random.normal(key, shape, jnp.float32)
    if kind == "block":
      rows = block_rows
      cut = x.reshape(*shape[:-2], shape[-2] // rows, rows, shape[-1] // BLOCK, BLOCK)
      scales = jnp.abs(cut).max((-3, -1), keepdims=True) / 448
      return (cut / scales).astype(jnp.float8_e4m3fn).reshape(shape), scales[..., 0, :, 0]
    axes = (-2, -1) if kind == "tensor" else -1
    scales = jnp.abs(x).max(axes, keepdims=True) / 448
    return (x / scales).astype(jnp.float8_e4m3fn), scales

  keys = jax.random.split(jax.random.key(seed, impl="rbg"))
  lead = (groups,) if groups else ()
  lhs, of_lhs = one(keys[0], (m, k), kind, 1)
  rhs, of_rhs = one(keys[1], (*lead, n, k), kind, BLOCK)
  return lhs, rhs, of_lhs, of_rhs


def _numbers():
  """lhs [M, K] with rhs [G, N, K]."""
  import jax
  return jax.lax.RaggedDotDimensionNumbers((((1,), (2,)), ((), ())), (0,), (0,))


def ours(kind: str, groups: int, **options) -> Callable[..., Any]:
  """function(lhs, rhs, scales of lhs, scales of rhs, sizes) by jaxgemm."""
  import jax.numpy as jnp

  import jaxgemm

  def dense(lhs, rhs, of_lhs, of_rhs, _):
    if kind == "block":
      return jaxgemm.scaled_matmul(
          lhs[None], rhs[None], of_lhs[None], of_rhs[None], jnp.bfloat16, **options)[0]
    return jaxgemm.dot_general(
        lhs, rhs, (((1,), (1,)), ((), ())), preferred_element_type=jnp.bfloat16,
        scale_lhs=of_lhs, scale_rhs=of_rhs, implementation="jaxgemm")

  def grouped(lhs, rhs, of_lhs, of_rhs, sizes):
    if kind == "block":
      return jaxgemm.scaled_ragged_dot(
          lhs, rhs, sizes, of_lhs, of_rhs, jnp.bfloat16, **options)
    return jaxgemm.ragged_dot_general(
        lhs, rhs, sizes, _numbers(),
        preferred_element_type=jnp.bfloat16, scale_lhs=of_lhs, scale_rhs=of_rhs,
        implementation="jaxgemm")

  return grouped if groups else dense


def in_bf16(groups: int) -> Callable[..., Any]:
  """The same in bfloat16, without scales."""
  import jax.numpy as jnp

  import jaxgemm

  def dense(lhs, rhs, *_):
    return jaxgemm.dot_general(lhs, rhs, (((1,), (1,)), ((), ())), implementation="jaxgemm",
                               preferred_element_type=jnp.bfloat16)

  def grouped(lhs, rhs, _, __, sizes):
    return jaxgemm.ragged_dot_general(
        lhs, rhs, sizes, _numbers(), implementation="jaxgemm")

  return grouped if groups else dense


class TorchWay:
  """torch._scaled_mm or torch._scaled_grouped_mm on the arrays of jax."""

  def __init__(self, kind: str, inputs):
    import torch

    self.torch = torch
    self.kind = kind
    self.inputs = [self._tensors(*arrays) for arrays in inputs]

  def _tensors(self, lhs, rhs, of_lhs, of_rhs, sizes):
    import jax
    import jax.numpy as jnp

    torch = self.torch
    values = [torch.from_dlpack(jax.lax.bitcast_convert_type(x, jnp.uint8)).view(
        torch.float8_e4m3fn) for x in (lhs, rhs)]
    scales = [torch.from_dlpack(x) for x in (of_lhs, of_rhs)]
    ends = None if sizes is None else torch.from_dlpack(jnp.cumsum(sizes).astype(jnp.int32))
    if sizes is not None:
      scales = [scales[0].expand(lhs.shape[0], 1)[:, 0].contiguous(),
                scales[1].expand(*rhs.shape[:2], 1)[..., 0].contiguous()]
    elif self.kind == "block":
      # torch needs scales of lhs whose rows are neighbours in memory.
      scales = [scales[0].t().contiguous().t(), scales[1].contiguous().t()]
    else:
      scales = [scales[0], scales[1].t()]
    return *values, *scales, ends

  def call(self, index: int):
    lhs, rhs, of_lhs, of_rhs, ends = self.inputs[index]
    if ends is not None:
      return self.torch._scaled_grouped_mm(  # pylint: disable=protected-access
          lhs, rhs.transpose(1, 2), of_lhs, of_rhs, ends, out_dtype=self.torch.bfloat16,
          use_fast_accum=True)
    return self.torch._scaled_mm(  # pylint: disable=protected-access
        lhs, rhs.t(), of_lhs, of_rhs, out_dtype=self.torch.bfloat16,
        use_fast_accum=self.kind != "block")

  def candidate(self):
    from jaxgemm.tune import gpu_trace
    return gpu_trace.Candidate(self.call, lambda _: self.torch.cuda.synchronize())

  def fresh(self, *_):
    import jax
    out = self.call(0)
    self.torch.cuda.synchronize()
    return jax.dlpack.from_dlpack(out), False


def error(arrays, out, seed: int, count: int = 48) -> float:
  """The largest error of random rows and columns over the largest value, against float64."""
  import numpy as np

  lhs, rhs, of_lhs, of_rhs, sizes = arrays
  m, k = lhs.shape
  n, groups = rhs.shape[-2], 1 if sizes is None else rhs.shape[0]
  rng = np.random.default_rng(seed)
  rows = np.unique(np.concatenate([rng.choice(m, count), [0, m - 1]]))
  columns = np.unique(np.concatenate([rng.choice(n, count), [0, n - 1]]))

  def scaled(x, scales, lines):
    values = np.asarray(x[lines], np.float64)
    if scales.shape[-1] == k // BLOCK and scales.shape[-1] > 1:
      at = lines if scales.shape[0] == x.shape[0] else lines // BLOCK
      return values * np.repeat(np.asarray(scales)[at].astype(np.float64), BLOCK, 1)
    return values * np.broadcast_to(np.asarray(scales, np.float64), (x.shape[0], 1))[lines]

  a = scaled(lhs, of_lhs, rows)
  ends = np.cumsum(np.asarray(sizes)) if sizes is not None else np.array([m])
  group = np.searchsorted(ends, rows, side="right")
  wanted = np.zeros((len(rows), len(columns)))
  for g in range(groups):
    b = scaled(rhs if sizes is None else rhs[g], of_rhs if sizes is None else of_rhs[g], columns)
    wanted[group == g] = a[group == g] @ b.T
  given = np.asarray(out[rows][:, columns], np.float64)
  return float(np.abs(given - wanted).max() / np.abs(wanted).max())


def measure(kind: str, name: str, options) -> dict[str, Any]:
  """The row of a product."""
  import jax
  import jax.numpy as jnp

  from benchmarks import gpu_rows
  import jaxgemm
  from jaxgemm.tune import gpu_trace

  m, n, k, groups = problem(name)
  sizes = jnp.full(groups, m // groups, jnp.int32) if groups else None
  count = gpu_trace.input_sets(m * k + max(groups, 1) * n * k)
  inputs = [(*quantised(options.seed + i, kind, m, n, k, groups), sizes) for i in range(count)]
  wide = [(lhs.astype(jnp.bfloat16), rhs.astype(jnp.bfloat16), None, None, sizes)
          for lhs, rhs, *_ in inputs]
  functions = {OURS: (ours(kind, groups), inputs), OURS_BF16: (in_bf16(groups), wide)}
  makers = {way: functools.partial(gpu_rows.JaxWay, gpu_rows.Donating(function), given)
            for way, (function, given) in functions.items()}
  missing = {}
  if reason := gpu_rows.missing_module("torch"):
    missing[TORCH] = reason
  elif kind == "block" and groups:
    missing[TORCH] = "torch has no grouped product with scales of blocks"
  else:
    makers[TORCH] = functools.partial(TorchWay, kind, inputs)

  def check(way_name, way):
    given = wide if way_name == OURS_BF16 else inputs
    out, poisoned = way.fresh(*given[0])
    ones = jnp.ones((1, 1), jnp.float32)
    arrays = given[0] if way_name != OURS_BF16 else (
        *given[0][:2], ones, jnp.ones((groups, 1, 1)) if groups else ones, sizes)
    return {"max": error(arrays, out, options.seed)}, poisoned

  about = {"section": "scaled", "case": f"{kind} {name}", "m": m, "n": n, "k": k,
           "dtype": "float8_e4m3fn"} | ({"groups": groups} if groups else {})
  shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), inputs[0])
  plan = str(jaxgemm.explain(ours(kind, groups), *shapes))
  return gpu_rows.measure(about | {"plan": plan}, makers, check, options, flops=2 * m * n * k,
                          num_inputs=count, missing=missing)


def line(row: dict[str, Any]) -> str:
  """A row in words."""
  parts = [row["case"]]
  for name, entry in row["candidates"].items():
    over = f", {entry['ratio']['median']:.3f} of ours" if "ratio" in entry else ""
    parts.append(f"{name} {entry['seconds']['median'] * 1e6:.1f} us ({entry['tflops']:.0f} TFLOP/s"
                 f"{over}, error {entry['errors']['max']:.1e})")
  parts += [f"{name}: {why[:160]}" for name, why in row["missing"].items()]
  return "; ".join(parts)


@progress.shown()
def main(argv) -> int:
  import os
  import time

  progress.begin(argv)
  # Set before jax is imported: jax takes its memory at once and leaves a part to torch.
  os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.65")
  import jax

  from benchmarks import gpu, gpu_rows

  if unknown := set(FLAGS.kinds) - set(KINDS):
    raise app.UsageError(f"Unknown --kinds {sorted(unknown)}; there are {', '.join(KINDS)}.")
  run.refuse("threads", "problems")
  if jax.default_backend() != "gpu":
    raise app.UsageError(f"jax runs on {jax.default_backend()}; this suite reads the times of a "
                         "GPU's kernels.")
  begin, about = time.monotonic(), gpu.describe()
  rows = run.Rows(lambda _: {"runs": [about]})
  options = gpu_rows.Options(run.repeat(), FLAGS.seed, 1e-3, FLAGS.profile, run.warmup())
  for name in (*FLAGS.shapes, *FLAGS.groups):
    for kind in FLAGS.kinds:
      if rows.has(f"{kind} {name}"):
        continue
      if time.monotonic() - begin > FLAGS.seconds:
        print(f"{kind} {name}: left out, no time")
        continue
      progress.doing(f"{kind} {name}")
      row = measure(kind, name, options)
      print(line(row), flush=True)
      rows.add(f"{kind} {name}", [row])
  wrong = [f"{row['case']} {way}: {entry['errors']['max']:.1e}" for row in rows.rows
           for way, entry in row["candidates"].items() if not entry["errors"]["max"] < 1e-2]
  failed = [f"{row['case']}: {row['missing'].get(OURS)}" for row in rows.rows
            if OURS not in row["candidates"]]
  return rows.finish(wrong, failed)
