"""bias and scales of a grouped product: which shapes are allowed, and what they mean."""

import math

import jax.numpy as jnp

from jaxgemm.call.dtypes import bias_dtype
from jaxgemm.dense.vectors import Vectors, epilogue_values


def placed(given: Vectors, lhs, rhs, numbers, groups: int, gated: bool, out_dtype):
  """(bias, scale, row_scale); None for an absent one.

  bias and scale have the shapes and dtypes that the kernels read. row_scale is an argument of
  `rows` in layout.py.

  Args:
    groups: the number of rhs's groups.
    gated: whether rhs has two matrices for each group, so that bias and scale have two rows.

  Raises:
    ValueError: a shape or a dtype is not allowed, or both scale and scale_rhs were given.
  """
  if given.scale is not None and given.scale_rhs is not None:
    raise ValueError(
        "scale and scale_rhs were given; both have values for groups and columns, and one of the "
        "two is allowed. Multiply them, and pass the product.")
  (_, contracting), (_, batch) = numbers.dot_dimension_numbers
  others = *contracting, *batch, *numbers.rhs_group_dimensions
  columns = tuple(n for i, n in enumerate(rhs.shape) if i not in others)
  bias = _per_group("bias", given.bias, groups, columns, gated, bias_dtype(out_dtype), False)
  name, scale = "scale", given.scale
  if given.scale_rhs is not None:
    name, scale = "scale_rhs", _columns_scale(given.scale_rhs, rhs, numbers, groups)
  scale = _per_group(name, scale, groups, columns, gated, jnp.float32, True)
  return bias, scale, _rows_scale(given.scale_lhs, lhs, numbers)


def _per_group(name: str, x, groups: int, columns: tuple[int, ...], gated: bool, dtype,
               scalar: bool):
  """A bias or scale as [groups, N], or [groups, 1] for a scale; None if x is None.

  With a gate it is [groups, 2, N], or [groups, 1, 1].

  Args:
    scalar: whether one value, or one for each group, is allowed.
  """
  if x is None:
    return None
  x = jnp.asarray(x)
  allowed = [(groups, *columns), columns]
  if scalar:
    allowed += [(), (1,), (groups, *(1 for _ in columns))]
  if x.shape not in allowed:
    shapes = " or ".join(map(str, dict.fromkeys(allowed)))
    raise ValueError(
        f"{name} has shape {x.shape}; allowed are {shapes}: values for groups and columns of "
        "rhs. Reshape it, or apply it to the result.")
  x = epilogue_values(name, x, dtype, bf16_stays=name == "bias")
  leads = x.ndim > len(columns) and x.shape[0] == groups
  has_columns = x.shape in ((groups, *columns), columns)
  if not gated:
    columns = (math.prod(columns),)
  if not has_columns:
    columns = (1,) * len(columns)
  x = jnp.reshape(x, (groups if leads else 1, *columns))
  return jnp.broadcast_to(x, (groups, *columns))


def _rows_scale(x, lhs, numbers):
  """scale_lhs with lhs's dimensions that are not contracted, or [1] for one value."""
  if x is None:
    return None
  x = jnp.asarray(x)
  (contracting, _), _ = numbers.dot_dimension_numbers
  free = tuple(n for i, n in enumerate(lhs.shape) if i not in contracting)
  keepdims = tuple(1 if i in contracting else n for i, n in enumerate(lhs.shape))
  broadcasts = len(x.shape) == len(keepdims) and all(
      n in (1, full) for n, full in zip(x.shape, keepdims))
  if x.shape not in ((), (1,), free) and not broadcasts:
    raise ValueError(
        f"scale_lhs has shape {x.shape} for an lhs of shape {lhs.shape}; (), (1,), {free} or "
        f"{keepdims} is allowed: one value, or one for each row. Reshape it.")
  x = epilogue_values("scale_lhs", x, jnp.float32)
  if x.size == 1:
    return jnp.reshape(x, (1,))
  return jnp.reshape(jnp.broadcast_to(x, keepdims) if broadcasts else x, free)


def _columns_scale(x, rhs, numbers, groups: int):
  """scale_rhs in a shape that scale may have: without its dimensions for k and a batch."""
  x = jnp.asarray(x)
  (_, contracting), (_, batch) = numbers.dot_dimension_numbers
  if x.ndim != rhs.ndim:
    return x
  keepdims = tuple(1 if i in (*contracting, *batch) else n for i, n in enumerate(rhs.shape))
  if not all(n in (1, full) for n, full in zip(x.shape, keepdims)):
    raise ValueError(
        f"scale_rhs has shape {x.shape} for an rhs of shape {rhs.shape}; {keepdims} is allowed, "
        "where any size may be 1, or a shape that scale may have: one value for each group and "
        "column. The kernels have no scale that varies along k or along a batch dimension. Reshape "
        "it, or dequantise rhs.")
  if x.size == 1:
    return jnp.reshape(x, ())
  of_group = numbers.rhs_group_dimensions[0]
  columns = [i for i in range(rhs.ndim) if i not in (*contracting, *batch, of_group)]
  shape = [rhs.shape[i] if any(x.shape[j] != 1 for j in columns) else 1 for i in columns]
  x = jnp.transpose(x, [of_group, *columns, *contracting, *batch])
  return jnp.broadcast_to(jnp.reshape(x, x.shape[:1 + len(columns)]), (groups, *shape))
