"""What follows from group sizes and an offset.

Sizes are int32[..., G] of any values. Negative sizes count as zero, and groups are cut off at
the number of rows.
"""

import jax
from jax import lax
import jax.numpy as jnp


def _adds_up_to(extent: int):
  """x + y, at most `extent`. y is cut off before it is added, so that the sum cannot overflow."""
  return lambda x, y: x + jnp.minimum(y, extent - x)


def ends_of_groups(sizes, extent: int = 2**31 - 1) -> jax.Array:
  """int32[..., G]: the end of each group, at most `extent`."""
  return lax.associative_scan(
      _adds_up_to(extent), jnp.clip(sizes, 0, extent), axis=sizes.ndim - 1)


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


def bounds_of_rows(sizes, offset, local_groups: int, rows: int) -> jax.Array:
  """int32[2]: the first row of all groups of this device, and the end of the last one.

  It is one reduction, where the ends of all groups take several steps.

  Args:
    sizes: int32[G].
    offset: int32[1], the first group of this device; None: all groups are its.
    rows: the number of rows.
  """
  sizes = jnp.clip(sizes, 0, rows)
  total = lambda sizes: lax.reduce(sizes, jnp.int32(0), _adds_up_to(rows), (0,))
  if offset is None:
    return jnp.stack([jnp.int32(0), total(sizes)])
  group = jnp.arange(sizes.size, dtype=jnp.int32)
  first = jnp.clip(offset[0], 0, sizes.size)
  return jnp.stack([total(jnp.where(group < end, sizes, 0))
                    for end in (first, first + local_groups)])
