"""Gradients of the weights of experts in float8: products that contract the rows of each group.

A scale of a row cannot be applied to such a product, whose sums go over the rows. So the rows of
one operand are quantised with a scale each, and the rows of the other one are multiplied by these
scales before they are quantised with one scale for all, in e5m2, which has the range for it. Both
are transposed, because float8 products read operands that lie along what they contract. The rows
of each group begin at a multiple of a tile's rows: lines that begin anywhere take longer to load.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxgemm.call.group_sizes import (
  bounds_of_groups,
  ends_of_groups,
  groups_of_rows,
  local_sizes,
)
from jaxgemm.call.quantization import SMALLEST_NORMAL, Quantized
from jaxgemm.fp8.rows import quantized_columns
from jaxgemm.grouped.api import ragged_dot_general
from jaxgemm.grouped.checks import OF_RHS
from jaxgemm.scaled.call import RAGGED

# Tuning constants, of an H200. Transposing takes time for each row and column of both operands, and
# is paid back by the product of the columns; short sums are limited by the stores of the result.
_LEAST_COLUMNS, _LEAST_ROWS = 768, 1024
_TILE = 128  # rows: float8 products load as many of a column at once


class Rows(NamedTuple):
  """Rows of an operand of a product.

  Attributes:
    values: [T, K], or [R, K].
    scales: float32[R]: for an lhs those by which the rows are quantised; for a cotangent the
      largest magnitudes of the rows; tiny for rows of zeros. Only a gradient in float8 reads them.
    lines: int32[R], the line of values that each row is, or None.
  """

  values: jax.Array
  scales: jax.Array
  lines: Any = None


def pays(kind: str, rows: int, groups: int, k: int, n: int) -> bool:
  """Whether a gradient [groups, k, n] of `rows` rows is computed in float8."""
  return (kind != "mx" and rows >= _LEAST_ROWS * groups
          and k * n >= _LEAST_COLUMNS * (k + n))


def row_scales(of: Quantized) -> jax.Array:
  """A scale for each row of what `quantized_rows` gives."""
  return of.scales.astype(jnp.float32).max(axis=-1)


def tops(of: Quantized) -> jax.Array:
  """The largest magnitude of each row of what `quantized_rows` gives; tiny for a row of zeros."""
  return row_scales(of) * float(jnp.finfo(of.values.dtype).max)


def _in_tiles(groups, count: int, rows: int) -> tuple[jax.Array, jax.Array]:
  """Places for `rows` rows, so that each group begins at a multiple of _TILE.

  Returns:
    int32[P], the row that is at each place, or `rows` where there is none; and the groups' sizes
    in places.
  """
  sizes, offset = groups
  ends = (bounds_of_groups(sizes, rows) if offset is None else
          ends_of_groups(local_sizes(sizes, offset, count), rows))
  in_places = (jnp.diff(ends) + _TILE - 1) // _TILE * _TILE
  places = (rows // _TILE + count) * _TILE
  group = groups_of_rows(in_places, None, count, places)
  of_group = lambda x: x.at[group].get(mode="promise_in_bounds")
  row = jnp.arange(places) + of_group(ends - bounds_of_groups(in_places))
  # The places behind the last group belong to a group of no rows.
  return jnp.where(row < of_group(jnp.append(ends[1:], 0)), row, rows), in_places


def gradient(lhs: Rows, cotangent: Rows, groups, count: int, bounds, kind: str, float8, dtype,
             options: dict[str, Any]) -> jax.Array:
  """[count, K, N]: the sums over the rows of each group of lhs[R, K] times cotangent[R, N].

  Args:
    groups: (sizes, offset).
    bounds: int32[2], the first row of all groups, and the end of the last one.
    kind: that of the recipe.
    float8: the dtypes of operands in float8, e4m3 and e5m2.
  """
  (k, n), rows = (x.values.shape[1] for x in (lhs, cotangent)), len(lhs.scales)
  if pays(kind, rows, count, k, n):
    return in_float8(lhs, cotangent, groups, count, bounds, float8, dtype, options)
  sizes, offset = groups
  return ragged_dot_general(
      lhs.values, cotangent.values, sizes, OF_RHS, None, dtype, offset, lhs_indices=lhs.lines,
      rhs_indices=cotangent.lines, num_local_groups=None if offset is None else count, **options)


def in_float8(lhs: Rows, cotangent: Rows, groups, count: int, bounds, float8, dtype,
              options: dict[str, Any]) -> jax.Array:
  """`gradient`, in float8 whatever the sizes are."""
  scales = jnp.maximum(lhs.scales, SMALLEST_NORMAL)
  largest = scales * cotangent.scales
  rows = len(largest)
  at = jnp.arange(rows)
  there = (bounds[0] <= at) & (at < bounds[1]) & jnp.isfinite(largest)
  most = jnp.where(there, largest, 0).max(initial=0) / float(jnp.finfo(float8[1]).max)
  scale = jnp.where(most > 0, jnp.maximum(most, SMALLEST_NORMAL), 1)
  row, sizes = _in_tiles(groups, count, rows)
  used = jnp.stack([0, sizes.sum()])

  def columns(of: Rows, factors, dtype):
    placed = lambda x, fill: x.at[row].get(mode="fill", fill_value=fill)
    lines = row if of.lines is None else placed(of.lines, len(of.values))
    return quantized_columns(of.values, placed(factors, 0), dtype, used, lines)

  x = columns(lhs, 1 / scales, float8[0])
  ct = columns(cotangent, jnp.minimum(scales / scale, float(jnp.finfo(jnp.float32).max)), float8[1])
  return ragged_dot_general(x, ct, sizes, RAGGED["k"], None, dtype, scale_lhs=scale, **options)
