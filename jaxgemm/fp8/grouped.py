"""The grouped product in float8, for training; see __init__.py."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.config import GemmConfig
from jaxgemm.call.group_sizes import groups_of_rows
from jaxgemm.call.options import Options, operand_argument
from jaxgemm.call.quantization import Quantized, quantize, quantize_rows
from jaxgemm.call.residuals import kept
from jaxgemm.fp8 import blocks
from jaxgemm.fp8.recipes import RECIPES, check, check_rows, dtypes_of, first_derivative
from jaxgemm.fp8.weights import (
  PreparedWeight,
  gradient_of,
  originals,
  template_of,
  weight_argument,
  weights_of,
)
from jaxgemm.grouped import api
from jaxgemm.grouped.checks import (
  BASIC,
  K_LAST,
  OF_RHS,
  check_arrays,
  check_num_groups,
  check_vector,
)
from jaxgemm.grouped.group_sizes import given_groups
from jaxgemm.scaled.api import scaled_ragged_dot
from jaxgemm.sharding.manual_axes import unify_varying
from jaxgemm.sharding.parts import names_parts


class _Params(NamedTuple):
  """The static arguments of a product, which do not depend on the values of its operands.

  Attributes:
    kind: the kind of `quantize`, for lhs and the cotangent.
    dtypes: the dtypes of lhs, rhs and the result.
    float8: the dtypes of quantised operands and of quantised cotangents.
    options: those that its products share.
    rhs: the template of a prepared rhs, or None.
  """

  kind: str
  dtypes: tuple[np.dtype, np.dtype, np.dtype]
  float8: tuple[np.dtype, np.dtype]
  options: Options
  rhs: PreparedWeight | None


@functools.partial(jax.custom_vjp, nondiff_argnums=(4,))
def _dot(lhs, rhs, sizes, offset, params: _Params) -> jax.Array:
  return _forward(lhs, rhs, sizes, offset, params)[0]


def _of_groups(x, group, groups: int):
  """x with zeros in the rows of no group, so that these have no effect on a scale.

  Args:
    x: array of shape (M, N).
    group: the result of `groups_of_rows`.
    groups: the number of groups.
  """
  return jnp.where((group < groups)[:, None], x, 0)


def _forward_in_blocks(lhs, rhs: Quantized, sizes, offset, params: _Params):
  """(the product, lhs quantised for the gradient of rhs) for the kinds "block" and "mx"."""
  quantized = functools.partial(blocks.quantized, kind=params.kind, dtype=params.float8[0])
  left = quantized(lhs)
  out = scaled_ragged_dot(
      left.values, rhs.values, sizes, left.scales, rhs.scales, params.dtypes[2], offset,
      **params.options.keywords())
  return out, quantized(lhs, k_first=True)


def _backward_in_blocks(params: _Params, lhs: Quantized, rhs: Quantized, sizes, offset, ct):
  options = params.options.keywords()
  quantized = functools.partial(blocks.quantized, kind=params.kind, dtype=params.float8[1])
  of_rows, of_columns = quantized(ct), quantized(ct, k_first=True)
  d_lhs = scaled_ragged_dot(
      of_rows.values, rhs.values, sizes, of_rows.scales, rhs.scales, params.dtypes[0], offset,
      **options)
  d_rhs = scaled_ragged_dot(
      lhs.values, of_columns.values, sizes, lhs.scales, of_columns.scales, jnp.float32, offset,
      ragged="k", **options)
  return d_lhs, d_rhs[:rhs.values.shape[0]]


def _forward(lhs, rhs, sizes, offset, params: _Params):
  dtype = params.float8[0]
  groups = rhs.shape[0]
  lhs = _of_groups(lhs, groups_of_rows(sizes, offset, groups, lhs.shape[0]), groups)
  weights = weights_of(rhs, params.kind, dtype)
  if params.kind in blocks.BLOCKS:
    out, lhs = _forward_in_blocks(lhs, weights.forward, sizes, offset, params)
    return out, kept((lhs, weights.gradient, sizes, offset))
  lhs = quantize(lhs, dtype=dtype) if params.kind == "tensor" else quantize_rows(lhs, (1,), dtype)
  out = api.ragged_dot_general(
      lhs.values, weights.forward.values, sizes, K_LAST, None, params.dtypes[2], offset,
      scale_lhs=lhs.scales, scale_rhs=weights.forward.scales, **params.options.keywords())
  return out, kept((lhs, weights.gradient, sizes, offset))


def _backward(params: _Params, saved, ct):
  lhs, rhs, sizes, offset = saved
  options, dtype, groups = params.options.keywords(), params.float8[1], rhs.values.shape[0]
  group = groups_of_rows(sizes, offset, groups, ct.shape[0])
  ct = _of_groups(ct, group, groups)
  if params.kind in blocks.BLOCKS:
    d_lhs, d_rhs = _backward_in_blocks(params, lhs, rhs, sizes, offset, ct)
    return _gradients(params, d_lhs, d_rhs)
  if params.kind == "tensor":
    of_rows = of_columns = quantize(ct, "tensor", dtype=dtype)
    factors = [lhs.scales, of_rows.scales]
  else:
    of_rows = quantize(ct, "row", axis=1, dtype=dtype)
    of_columns = quantize(ct.astype(jnp.float32) * lhs.scales, "row", axis=0, dtype=dtype)
    factors = [of_columns.scales]
  d_lhs = api.ragged_dot_general(
      of_rows.values, rhs.values, sizes, K_LAST, None, params.dtypes[0], offset,
      scale_lhs=of_rows.scales, scale_rhs=rhs.scales, **options)
  # A product whose groups are contracted has no epilogue.
  d_rhs = api.ragged_dot_general(
      lhs.values, of_columns.values, sizes, OF_RHS, None, jnp.float32, offset,
      num_local_groups=None if offset is None else groups, **options)
  for factor in factors:
    d_rhs = d_rhs * factor[None]
  return _gradients(params, d_lhs, d_rhs)


def _gradients(params: _Params, d_lhs, d_rhs):
  d_lhs, d_rhs = map(first_derivative, (d_lhs, d_rhs.astype(params.dtypes[1])))
  return d_lhs, gradient_of(params.rhs, d_rhs), None, None


_dot.defvjp(_forward, _backward)
_jitted = jax.jit(_dot, static_argnums=4, inline=True)


@names_parts
def ragged_dot(
    lhs: jax.Array,
    rhs: jax.Array,
    group_sizes: jax.Array,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    *,
    recipe: str = "tensorwise",
    dtypes: tuple[Any, Any] | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.lax.ragged_dot` in float8, forward and backward; for training.

  See `jaxgemm.fp8.dot_general` for the dtypes and the derivatives. The gradient of rhs is a float32
  product of float8 operands, whose scales are applied outside of the kernel. On Hopper it is a
  product of transposed copies of lhs and the cotangent, because wgmma reads 8 bits only with the
  contracted dimension last.

  Args:
    lhs: bfloat16, float16 or float32 array of shape (M, K).
    rhs: array of the same dtypes of shape (G, K, N) or, with a group_offset, (L, K, N). A gradient
      has the dtype of its operand.
    group_sizes: see `jaxgemm.ragged_dot`. Rows of no group have no effect on the scales.
    precision: see `jaxgemm.fp8.dot_general`.
    preferred_element_type: dtype of the result; the default is the one that lhs and rhs promote to.
    group_offset: see `jaxgemm.ragged_dot`.
    recipe: "tensorwise": one scale for lhs, one for the cotangent, and one for the matrix of each
      group. "rowwise": one for each row of lhs, and for each group and column of rhs.
      "blockwise" and "mxfp8": as in `jaxgemm.fp8.dot_general`, for the matrix of each group. For
      the gradient of rhs the blocks are along the rows, from the first row on, so that a block
      may have rows of two groups.
    dtypes: see `jaxgemm.fp8.dot_general`.
    schedule, reduction, deterministic, config: see `jaxgemm.matmul`.
    implementation: see `jaxgemm.ragged_dot`.

  Returns:
    An array of shape (M, N), of dtype preferred_element_type.

  Raises:
    ValueError, TypeError: see `jaxgemm.ragged_dot`.
    NotImplementedError: a gradient is differentiated again.
  """
  options = Options.of(locals() | {"precision": None})
  check(recipe, precision)
  check_rows(recipe, options)
  kind = RECIPES[recipe]
  float8 = dtypes_of(kind, implementation, dtypes)
  lhs = jnp.asarray(operand_argument("lhs", lhs))
  rhs = weight_argument("rhs", rhs, recipe, float8[0])
  group_sizes, group_offset = given_groups(group_sizes, group_offset)
  check(recipe, precision, lhs=lhs, rhs=rhs)
  if isinstance(rhs, PreparedWeight):
    rhs = rhs.flat()
  plain = originals(rhs)
  check_arrays(BASIC, lhs, plain, group_sizes, group_offset)
  check_vector(group_sizes)
  if rhs.ndim != 3:
    raise ValueError(
        f"rhs has shape {rhs.shape}; (G, K, N) is allowed. Reshape it; for one group pass "
        "rhs[None].")
  check_num_groups(rhs.shape[0], group_sizes.size, group_offset is not None)
  out_dtype = jnp.dtype(preferred_element_type or jnp.promote_types(lhs.dtype, rhs.dtype))
  params = _Params(kind, (lhs.dtype, plain.dtype, out_dtype), float8, options,
                   template_of(rhs))
  # Because of unify_varying, the gradient of an operand that devices of a shard_map share is summed
  # over these devices.
  operands, structure = jax.tree.flatten((lhs, rhs))
  lhs, rhs = jax.tree.unflatten(structure, unify_varying(operands))
  return _jitted(lhs, rhs, group_sizes, group_offset, params)
