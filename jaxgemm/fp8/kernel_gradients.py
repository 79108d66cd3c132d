"""Gradients of the weights of experts in float8: products that contract the rows of each group.

A scale of a row cannot be applied to such a product, whose sums go over the rows. So the rows of
one operand are quantised with a scale each, and the rows of the other one are multiplied by these
scales before they are quantised with one scale for all, in e5m2, which has the range for it. Both
are transposed, because float8 products read operands that lie along what they contract.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxgemm.call.quantization import SMALLEST_NORMAL, Quantized
from jaxgemm.fp8.rows import quantized_columns
from jaxgemm.grouped.api import ragged_dot_general
from jaxgemm.scaled.call import RAGGED

# Tuning constants, of an H200. Transposing takes time for each row and column of both operands, and
# is paid back by the product of the columns; short sums are limited by the stores of the result.
_LEAST_COLUMNS, _LEAST_ROWS = 1024, 1024
_ALIGNMENT = 16  # rows; columns of the operands are lines of a multiple of so many bytes


class Rows(NamedTuple):
  """Rows of an operand of a product.

  Attributes:
    values: [T, K], or [R, K].
    scales: float32[R]: for an lhs those by which the rows are quantised; for a cotangent the
      largest magnitudes of the rows, or 0.
    lines: int32[R], the line of values that each row is, or None.
  """

  values: jax.Array
  scales: jax.Array
  lines: Any = None


def pays(kind: str, rows: int, groups: int, k: int, n: int) -> bool:
  """Whether a gradient [groups, k, n] of `rows` rows is computed in float8."""
  return (kind != "mx" and rows % _ALIGNMENT == 0 and rows >= _LEAST_ROWS * groups
          and k * n >= _LEAST_COLUMNS * (k + n))


def row_scales(of: Quantized) -> jax.Array:
  """A scale for each row of what `quantized_rows` gives."""
  return of.scales.astype(jnp.float32).max(axis=-1)


def tops(of: Quantized) -> jax.Array:
  """The largest magnitude of each row of what `quantized_rows` gives.

  The scale of a block of zeros is 1. It must not decide the scale of all rows.
  """
  scales = of.scales.astype(jnp.float32)
  largest = float(jnp.finfo(of.values.dtype).max)
  return jnp.where(scales == 1, 0, scales).max(axis=-1) * largest


def gradient(lhs: Rows, cotangent: Rows, groups, count: int, bounds, float8, dtype,
             options: dict[str, Any]) -> jax.Array:
  """[count, K, N]: the sums over the rows of each group of lhs[R, K] times cotangent[R, N].

  Args:
    groups: (sizes, offset).
    bounds: see `quantized_columns`.
    float8: the dtypes of the operands, e4m3 and e5m2.
  """
  sizes, offset = groups
  scales = jnp.maximum(lhs.scales, SMALLEST_NORMAL)
  largest = scales * cotangent.scales
  at = jnp.arange(len(largest))
  there = (bounds[0] <= at) & (at < bounds[1]) & jnp.isfinite(largest)
  most = jnp.where(there, largest, 0).max(initial=0) / float(jnp.finfo(float8[1]).max)
  scale = jnp.where(most > 0, jnp.maximum(most, SMALLEST_NORMAL), 1)
  factors = jnp.minimum(scales / scale, float(jnp.finfo(jnp.float32).max))
  x = quantized_columns(lhs.values, 1 / scales, float8[0], bounds, lhs.lines)
  ct = quantized_columns(cotangent.values, factors, float8[1], bounds, cotangent.lines)
  return ragged_dot_general(
      x, ct, sizes, RAGGED["k"], None, dtype, offset,
      num_local_groups=None if offset is None else count, scale_lhs=scale, **options)
