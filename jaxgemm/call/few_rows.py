"""Products of few rows and weights of 4 bits, by a kernel that reads the weights as they are.

The kernels are for Hopper (ffi/weights/few_rows.h), gfx942 and gfx950 (few_rows_amd.h). They
compute the sums; XLA adds bias, scales and activation. Elsewhere XLA dequantises the weights in
front of a kernel (quantized.py).
"""

import functools
import operator
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import denied, jax_products
from jaxgemm.call.dtypes import is_float4
from jaxgemm.call.fallback import XLA_WAS_ASKED
from jaxgemm.call.group_sizes import clamp_sizes, groups_of_rows, local_sizes
from jaxgemm.call.options import Options
from jaxgemm.call.primitives import batched_in_front, run_by_jit
from jaxgemm.call.quantized import Quantized
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying

NAME = "few_rows"  # of the code object
# The most rows on each platform: of a product, and in the mean of each group. Tuning constants: for
# more rows the kernels of other products gain more than the weights' dequantisation costs. A group
# of far more rows than the others would take long, because a workgroup has all rows of a tile.
MOST_ROWS = {"cuda": (128, 128), "rocm": (64, 64)}
# Reasons why it does not compute a product.
NOT_FOR_TRAINING = "the kernel for few rows is not for training"
NOT_QUANTIZING = "the kernel for few rows does not quantise its result"
OTHER_DIMENSIONS = ("the kernel for few rows takes lhs of shape (M, K), and weights of shape "
                    "(K, N), or (G, K, N) with group_sizes of shape (G,)")
_STEP = 32  # k and columns come in such numbers
_MOST_EXTENT = (2**31 - 1) // 256
# The columns of two tiles of an AMD workgroup, and the steps below which more of them gain nothing.
_COLUMNS, _LEAST_STEPS = 256, 16


class Operands(NamedTuple):
  """The arrays of a product; None for an absent one.

  Attributes:
    x: [T, K].
    weights: a `Quantized` of shape [G, K, N] with scales [G, K / block, N].
    sizes: int32[E], or None for a product that is not grouped. Then G is 1.
    offset: int32[1], the first of the G groups.
    indices: int32[M]: row i of the product is row indices[i] of x; other indices stand for zeros.
  """

  x: Any
  weights: Quantized
  sizes: Any = None
  offset: Any = None
  indices: Any = None

  @property
  def rows(self) -> int:
    return (self.x if self.indices is None else self.indices).shape[0]


def why_not(operands: Operands, options: Options) -> str:
  """Why no kernel reads these weights of 4 bits, or ""."""
  if options.implementation == "xla":
    return XLA_WAS_ASKED
  if options.same_rows:
    return "deterministic='rows' was given, and the kernel for few rows divides k by their number"
  if not options.config.is_open:
    return "schedule= or config= was given, which the kernel for few rows has not"
  if options.emulated is not None:
    return ("the emulator of single products does not run the kernel for few rows; virtual GPUs do "
            "(jaxgemm.emulator.rocm)")
  platform = _ffi.default_platform()
  if platform not in MOST_ROWS:
    return (f"no kernel for the platform of this process, {platform}, reads such weights; Hopper, "
            "gfx942 and gfx950 have one")
  try:
    target = _ffi.target(platform)
  except ValueError as refusal:
    return str(refusal).removesuffix(".")
  if not _ffi.is_built(target, NAME):
    return f"this build has no kernel for {target} that reads such weights"
  if rule := denied.rule_for(chip := _ffi.chip(target), NAME):
    return f"denied on {chip}: {rule}"
  if meshes.explicit_mesh(operands.x, operands.weights.values) is not None:
    return "the mesh has explicit axes"
  if meshes.needs_partitioning_rule(options.config.partition):
    return "the process has several devices, and the call is not inside jax.shard_map"
  return limits(operands, platform)


def limits(operands: Operands, platform: str) -> str:
  """Why the kernel does not take these arrays, or ""."""
  x, (values, scales) = operands.x, operands.weights
  groups, k, n = values.shape
  if x.dtype not in (jnp.bfloat16, jnp.float16):
    return ("the kernel for few rows takes bfloat16 and float16, and the other operand has "
            f"{x.dtype.name}")
  of_float4 = is_float4(values.dtype) and scales.dtype == jnp.float8_e8m0fnu
  if not of_float4 and not (values.dtype == jnp.int4 and scales.dtype in (
      jnp.float32, jnp.bfloat16, jnp.float16)):
    return ("the kernel for few rows takes float4_e2m1fn with scales of float8_e8m0fnu, and int4 "
            f"with scales of floats; {values.dtype.name} with {scales.dtype.name} was given")
  if not all(type(size) is int for size in (*x.shape, *values.shape, operands.rows)):
    return "a shape is symbolic"
  blocks = scales.shape[1]
  if not all((groups, k, n, blocks)) or k % _STEP or n % _STEP or k // _STEP % blocks or (
      scales.shape != (groups, blocks, n)):
    return ("the kernel for few rows takes k and n that are multiples of 32, and a scale for each "
            f"column and each block of 32 k or a multiple; k is {k}, n {n}, and the scales have "
            f"shape {scales.shape}")
  if max(2 * x.shape[0], n // 2) * k >= 2**31:
    return "the rows, or the weights of a group, have 2 GiB or more"
  if max(*x.shape, *values.shape, operands.rows) > _MOST_EXTENT:
    return f"a dimension has more than {_MOST_EXTENT} elements"
  most, most_of_group = MOST_ROWS[platform]
  if operands.sizes is not None:
    most = most_of_group * groups
  if operands.rows > most:
    return f"there are {operands.rows} rows, and the kernel for few rows takes {most} here"
  return ""


def described(*avals, given, dtype) -> dict[str, Any]:
  """The data of `jaxgemm.explain` for a call."""
  del dtype
  operands = _operands(avals, given)
  _, k, n = operands.weights.shape
  return {
      "implementation": "jaxgemm", "target": _ffi.target(_ffi.default_platform()), "kernel": NAME,
      "operations": 2 * operands.rows * k * n,
      "reasons": ["there are few rows: the kernel reads the weights in 4 bits; XLA applies bias, "
                  "scales and activation"]}


def product(operands: Operands, dtype) -> jax.Array:
  """[M, N] of `dtype`, which is x's or float32. Rows of no group are zeros."""
  return _differentiable(jnp.dtype(dtype), operands._replace(
      weights=lax.stop_gradient(operands.weights)))


def _by_xla(operands: Operands, dtype) -> jax.Array:
  x, weights, sizes, offset, indices = operands
  wide = weights.dequantize(x.dtype)
  if indices is not None:
    inside = (indices >= 0) & (indices < x.shape[0])
    x = jnp.where(inside[:, None], x[jnp.where(inside, indices, 0)], 0)
  if sizes is None:
    return jax_products.matmul(x, wide[0], preferred_element_type=dtype)
  groups, rows = wide.shape[0], x.shape[0]
  sizes = clamp_sizes(sizes, rows)
  if offset is None:
    return jax_products.ragged_dot(x, wide, sizes, preferred_element_type=dtype)
  local = local_sizes(sizes, offset, groups)
  out = jax_products.ragged_dot(
      jnp.roll(x, -local[0], axis=0), wide, local[1:], preferred_element_type=dtype)
  is_local = groups_of_rows(sizes, offset, groups, rows) < groups
  return jnp.where(is_local[:, None], jnp.roll(out, local[0], axis=0), 0)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _differentiable(dtype, operands: Operands) -> jax.Array:
  x, (values, scales), *integers = operands
  if not is_float4(values.dtype):
    scales = scales.astype(jnp.float32)
  given = tuple(y is not None for y in integers)
  arrays = unify_varying([x, values, scales, *(y for y in integers if y is not None)])
  return few_rows_p.bind(*arrays, given=given, dtype=dtype)


@_differentiable.defjvp
def _jvp(dtype, primals, tangents):
  (operands,), (of_operands,) = primals, tangents
  out = _differentiable(dtype, operands)
  tangent = _by_xla(operands._replace(x=of_operands.x), dtype)
  return out, tangent


few_rows_p = Primitive("jaxgemm_few_rows")


def _operands(arrays, given) -> Operands:
  x, values, scales, *rest = arrays
  rest = iter(rest)
  return Operands(x, Quantized(values, scales), *(next(rest) if there else None for there in given))


@few_rows_p.def_abstract_eval
def _abstract_eval(*arrays, given, dtype):
  operands = _operands(arrays, given)
  return operands.x.update(shape=(operands.rows, operands.weights.shape[2]), dtype=dtype,
                           weak_type=False)


def _xla_of_arrays(*arrays, given, dtype):
  return _by_xla(_operands(arrays, given), dtype)


def parts_on_amd(cus: int, groups: int, k: int, n: int) -> int:
  """How many workgroups share k: one runs on each compute unit, if all groups have rows."""
  tiles = 2 * -(-n // _COLUMNS) * groups
  return max(1, min(cus // tiles, k // _STEP // _LEAST_STEPS))


def _parts(operands: Operands) -> int:
  """How many parts the kernel's result has on this AMD GPU."""
  target = _ffi.target("rocm")
  cus = _ffi.num_cus(target) or next(
      count for of, count in _ffi.NAMES["chips"].values() if of == target)
  groups, k, n = operands.weights.shape
  return parts_on_amd(cus, max(1, min(groups, operands.rows)), k, n)


def _lower(ctx, *arrays, given, dtype, platform):
  def call(*arrays):
    x, (values, scales), *integers = _operands(arrays, given)
    if is_float4(values.dtype):
      scales = lax.bitcast_convert_type(scales, jnp.uint8)
    absent = jnp.zeros(0, jnp.int32)
    parts = _parts(_operands(arrays, given)) if platform == "rocm" else 1
    out = jax.ShapeDtypeStruct(ctx.avals_out[0].shape, dtype)
    if parts > 1:
      out = jax.ShapeDtypeStruct((parts, *out.shape), jnp.float32)
    result = jax.ffi.ffi_call("jaxgemm_few_rows", out)(
        x, values, scales, *(absent if y is None else y.astype(jnp.int32) for y in integers))
    # XLA adds the parts up in this order, where it needs the sums.
    return functools.reduce(operator.add, result).astype(dtype) if parts > 1 else result

  return mlir.lower_fun(call, multiple_results=False)(ctx, *arrays)


def _batch(arrays, axes, *, given, dtype):
  if not given[0]:
    return jax.vmap(lambda *arrays: _xla_of_arrays(*arrays, given=given, dtype=dtype), axes)(
        *arrays), 0
  # jax has no rule for all cases of a grouped product.
  return lax.map(lambda arrays: few_rows_p.bind(*arrays, given=given, dtype=dtype),
                 batched_in_front(arrays, axes)), 0


run_by_jit(few_rows_p)
batching.primitive_batchers[few_rows_p] = _batch
mlir.register_lowering(few_rows_p, mlir.lower_fun(_xla_of_arrays, multiple_results=False))
for _platform in MOST_ROWS:
  mlir.register_lowering(few_rows_p, functools.partial(_lower, platform=_platform),
                         platform=_platform)
