"""Group sizes and offsets as arguments of a caller; call/group_sizes.py computes with them."""

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
