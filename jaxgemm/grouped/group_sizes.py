"""Group sizes and offsets: `given_groups` takes them from a caller, the rest computes with them.

Sizes are int32[..., G] of any values. Negative sizes count as zero, and groups are cut off at
the number of rows.
"""

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.options import operand_argument
from jaxgemm.grouped.checks import check_groups


def given_groups(group_sizes, group_offset=None):
  """(group_sizes, group_offset) as int32; an offset of None stays None.

  Every function that takes group sizes calls this before it computes with them: a type of 8 or 16
  bits holds a size, but not the sum of sizes or the number of rows.

  Raises:
    TypeError: they are no arrays of integers, or have a wrong shape.
  """
  group_sizes = operand_argument("group_sizes", group_sizes)
  if group_offset is not None:
    group_offset = operand_argument("group_offset", group_offset)
  check_groups(group_sizes, group_offset)
  return as_int32(group_sizes), None if group_offset is None else as_int32(group_offset)


def as_int32(x):
  """An array of integers as int32. Values that int32 does not have become the nearest one."""
  if x.dtype == jnp.int32:
    return x
  # Without jax_enable_x64 jax would cut off the upper half of numpy's 64 bits.
  module = np if isinstance(x, (np.ndarray, np.generic)) else jnp
  if x.dtype.itemsize >= 4:
    x = module.clip(x, max(int(jnp.iinfo(x.dtype).min), -2**31), 2**31 - 1)
  return x.astype(jnp.int32)


def ends_of_groups(sizes, extent: int = 2**31 - 1) -> jax.Array:
  """int32[..., G]: the end of each group, at most `extent`."""
  # y is cut off before it is added, so that the sum cannot overflow.
  add = lambda x, y: x + jnp.minimum(y, extent - x)
  return lax.associative_scan(add, jnp.clip(sizes, 0, extent), axis=sizes.ndim - 1)


def bounds_of_groups(sizes, extent: int = 2**31 - 1) -> jax.Array:
  """int32[..., 1 + G]: 0, then the end of each group, where the next one begins."""
  return jnp.pad(ends_of_groups(sizes, extent), [(0, 0)] * (sizes.ndim - 1) + [(1, 0)])


def clamp_sizes(sizes, extent: int) -> jax.Array:
  """int32[..., G]: sizes that are not negative, with a sum of at most extent."""
  return jnp.diff(bounds_of_groups(sizes, extent))


def local_sizes(sizes, offset, local_groups: int) -> jax.Array:
  """int32[..., 1 + L]: the number of rows before the local groups, then the sizes of these."""
  groups = sizes.shape[-1]
  first = jnp.clip(offset[0], 0, groups)
  before = lax.dynamic_slice_in_dim(bounds_of_groups(sizes), first, 1, axis=-1)
  padded = jnp.concatenate(
      [sizes, jnp.zeros((*sizes.shape[:-1], local_groups), sizes.dtype)], axis=-1)
  local = lax.dynamic_slice_in_dim(padded, first, local_groups, axis=-1)
  return jnp.concatenate([before, local], -1)


def groups_of_rows(sizes, offset, local_groups: int, count: int) -> jax.Array:
  """int32[..., count]: the local group of each row, or L for a row of no local group."""
  ends = (bounds_of_groups(sizes) if offset is None else
          ends_of_groups(local_sizes(sizes, offset, local_groups)))
  ends = ends[..., None, :]
  rows = jnp.expand_dims(jnp.arange(count), (*range(ends.ndim - 2), -1))
  group = (rows >= ends).sum(-1, dtype=jnp.int32) - 1
  return jnp.where(group < 0, local_groups, group)


def sizes_in_range(sizes, first, count: int) -> jax.Array:
  """int32[..., G]: how many rows of each group are among the `count` rows from `first` on."""
  return jnp.diff(jnp.clip(bounds_of_groups(sizes), first, first + count))
