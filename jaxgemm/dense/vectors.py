"""bias and scales of a dense product: which shapes are allowed, and what they mean."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxgemm.call.dtypes import bias_dtype
from jaxgemm.call.spec import Labels
from jaxgemm.dense.dimensions import Product
from jaxgemm.dense.layout import Dims


class Vectors(NamedTuple):
  """The arguments of these names of a product, or None."""

  bias: jax.Array | None = None
  scale: jax.Array | None = None
  scale_lhs: jax.Array | None = None
  scale_rhs: jax.Array | None = None

  def scale_operands(self) -> bool:
    """Whether an operand has scales; see `preferred_of_scaled`."""
    return self.scale_lhs is not None or self.scale_rhs is not None


def epilogue_values(name: str, x, dtype, bf16_stays: bool = False) -> jax.Array:
  """A bias or scale in the dtype that the kernels read.

  Args:
    name: name of the argument, for errors.
    x: array.
    dtype: float32, or int32 for a result of integers.
    bf16_stays: whether bfloat16 keeps its dtype. The lowering (call/lower.py) casts it if the
      kernel does not read it.

  Raises:
    ValueError: x has a dtype that cannot be cast.
  """
  integer = jnp.issubdtype(x.dtype, jnp.integer)
  if jnp.issubdtype(dtype, jnp.integer) and not integer:
    raise ValueError(
        f"{name} has dtype {x.dtype.name} for a result of integers; an "
        "integer dtype is allowed. Cast it, or ask for a float result by preferred_element_type."
    )
  if not integer and not jnp.issubdtype(x.dtype, jnp.floating):
    raise ValueError(
        f"{name} has dtype {x.dtype.name}; a dtype of real numbers is allowed. Cast it."
    )
  if bf16_stays and x.dtype == jnp.bfloat16 and dtype == jnp.float32:
    return x
  return x.astype(dtype)


def labelled_vector(name: str, x, product: Product, dtype, scalar: bool,
                    rows: bool = False):
  """(values, labels) of a bias or scale; (None, None) if x is None.

  Args:
    name: name of the argument, for errors.
    x: array, or None.
    product: the product whose result it is for.
    dtype: see `epilogue_values`.
    scalar: whether it may be one value, or one for each matrix of a batch.
    rows: whether it may have one value for each row.

  Raises:
    ValueError: x has a shape or dtype that is not allowed.
  """
  if x is None:
    return None, None
  x = jnp.asarray(x)
  out_shape = product.result.shape
  batch_shape = out_shape[:len(product.batch)]
  column_shape = out_shape[len(out_shape) - len(product.columns):]
  allowed = {column_shape: product.columns}
  if scalar:
    # If a shape could mean one value or one for each column, it means one for each column.
    allowed |= {(): (), (1,): (), column_shape: product.columns}
  if batch_shape:
    allowed[batch_shape + column_shape] = product.batch + product.columns
    if scalar:
      allowed.setdefault(batch_shape + (1,), product.batch)
  per_row = ""
  if rows and product.rows:
    # The shape must have the result's rank, for [M] could mean one value for each column.
    ones = (1,) * len(product.columns)
    shape = out_shape[:len(out_shape) - len(ones)] + ones
    allowed.setdefault(shape, product.batch + product.rows)
    per_row = f", or {shape} for one value per row"
  if x.shape not in allowed:
    how = f"Reshape it: one value per column{per_row}."
    if not product.columns:
      how = (f"A result of this shape has no columns, so there is one {name}: pass a number"
             f"{per_row}.")
    elif x.ndim and x.shape[-1:] == column_shape and set(x.shape[:-1]) == {1}:
      how = f"Pass {name}.reshape({column_shape}) for one value per column{per_row}."
    elif scalar and rows and x.shape == out_shape:
      how = "For one value per row and one per column pass scale_lhs and scale_rhs."
    raise ValueError(
        f"{name} has shape {x.shape} for a result of shape {out_shape}; allowed "
        f"{'are' if len(allowed) > 1 else 'is'} "
        f"{' or '.join(map(str, allowed))}. {how}"
    )
  labels = allowed[x.shape]
  x = epilogue_values(name, x, dtype, bf16_stays=name == "bias")
  return x.reshape(x.shape[:len(labels)]) if x.ndim > len(labels) else x, labels


def _labelled_scale(name: str, x, shape, dropped, labels: Labels, own: Labels,
                    product: Product):
  """(values, labels) of a scale of an operand; (None, None) if x is None.

  Args:
    name: name of the argument, for errors.
    x: array, or None.
    shape: the operand's shape.
    dropped: the operand's dimensions of size 1 that have no label.
    labels: the labels of the operand's other dimensions.
    own: the operand's labels that the other operand does not have, in the result's order.
    product: the product.

  Raises:
    ValueError: x has a shape or dtype that is not allowed.
  """
  if x is None:
    return None, None
  x = jnp.asarray(x)
  rest = iter(labels)
  labels_of = [None if i in dropped else next(rest) for i in range(len(shape))]
  kept = [label in product.dims.out for label in labels_of]
  keepdims = tuple(n if there else 1 for n, there in zip(shape, kept))
  size = dict(zip(product.dims.out, product.result.shape))
  allowed: dict[tuple[int, ...], Labels] = {(): (), (1,): ()}
  for found in (own, product.batch + own):
    allowed.setdefault(tuple(size[i] for i in found), found)
  if len(x.shape) == len(shape) and all(
      n in (1, full) for n, full in zip(x.shape, keepdims)):
    sized = [i for i, there in enumerate(kept) if there and x.shape[i] == shape[i]]
    x = epilogue_values(name, x, jnp.float32)
    return x.reshape([x.shape[i] for i in sized]), tuple(labels_of[i] for i in sized)
  if x.shape not in allowed:
    operand = name.removeprefix("scale_")
    shapes = " or ".join(map(str, dict.fromkeys([*allowed, keepdims])))
    raise ValueError(
        f"{name} has shape {x.shape} for an {operand} of shape {tuple(shape)}; {shapes} is "
        "allowed: one value, or one for each row or column of the result (a contracted dimension "
        "has size 1, as by jnp.max(..., keepdims=True)). Reshape it. Blocks along a contracted "
        "dimension are for jaxgemm.scaled_matmul.")
  labels = allowed[x.shape]
  x = epilogue_values(name, x, jnp.float32)
  return x.reshape(x.shape[:len(labels)]), labels


def placed(given: Vectors, lhs, rhs, product: Product,
           chunked: bool) -> tuple[Dims, tuple[jax.Array | None, ...]]:
  """The product's labels with those of its vectors, and (bias, scale, row_scale) for the kernels.

  scale is the one for columns, and row_scale the one for rows.

  Raises:
    ValueError: bias or a scale has a wrong shape or dtype, or two scales are for the same place.
  """
  dims = product.dims
  bias, of_bias = labelled_vector(
      "bias", given.bias, product, bias_dtype(product.result.dtype), scalar=False)
  scale, labels = labelled_vector(
      "scale", given.scale, product, jnp.float32, scalar=True, rows=not chunked)
  of_rhs = _labelled_scale("scale_rhs", given.scale_rhs, rhs.shape, product.dropped[1], dims.rhs,
                           product.columns, product)
  of_lhs = _labelled_scale("scale_lhs", given.scale_lhs, lhs.shape, product.dropped[0], dims.lhs,
                           product.rows, product)
  if scale is not None:
    is_of_rows = bool({*labels} & {*product.rows})
    name = "scale_lhs" if is_of_rows else "scale_rhs"
    if getattr(given, name) is not None:
      raise ValueError(
          f"scale has one value {'for each row' if is_of_rows else 'or one for each column'}, and "
          f"{name} was given, too; one of the two is allowed. Multiply them, and pass the product.")
    if is_of_rows:
      of_lhs = scale, labels
    else:
      of_rhs = scale, labels
  (scale, of_scale), (row_scale, of_row_scale) = of_rhs, of_lhs
  return (dims._replace(bias=of_bias, scale=of_scale, row_scale=of_row_scale),
          (bias, scale, row_scale))
