"""dot_general of operands that other packages have quantised, such as Qwix's `QArray`.

An operand is an array, or any object with the attributes qvalue and scale. qvalue * scale is the
array; scale has the rank of qvalue, and each of its elements is for a block of elements of qvalue.
`jaxgemm.megablox` has grouped products of such operands.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxgemm.call.options import Options, operand_argument
from jaxgemm.call.quantized import Quantized
from jaxgemm.call.spec import Labels
from jaxgemm.dense import api
from jaxgemm.dense.dimensions import dot_general_product, indices
from jaxgemm.dense.merge import merged, parts, unmerged
from jaxgemm.scaled.api import scaled_matmul
from jaxgemm.sharding.parts import names_parts


class Operand(NamedTuple):
  """An operand: its values and scales.

  Attributes:
    values: the array, or the quantised one.
    scales: float32 array of the same rank, each of whose sizes is 1 or a divisor of that of values;
      None if the operand is not quantised.
    dtype: dtype of the array before it was quantised, for the dtype of the result.
  """

  values: jax.Array
  scales: jax.Array | None
  dtype: Any

  def has_blocks(self, axes) -> bool:
    """Whether the scales vary along one of the axes."""
    return self.scales is not None and any(self.scales.shape[i] != 1 for i in axes)

  def spread(self, *axes: int, ones: bool = False):
    """The scales, repeated along those of `axes` along which they vary: one for each element.

    Args:
      axes: the axes.
      ones: whether an operand without scales gets scales of 1, and scales are repeated along the
        other ones of `axes`, too.
    """
    scales = self.scales
    if scales is None:
      if not ones:
        return None
      scales = jnp.ones((1,) * self.values.ndim)
    for i in axes:
      if ones or scales.shape[i] != 1:
        scales = jnp.repeat(scales, self.values.shape[i] // max(scales.shape[i], 1), i)
    return scales

  def dequantized(self) -> jax.Array:
    """The array, in bfloat16 if it was quantised."""
    if self.scales is None:
      return self.values
    return Quantized(self.values, self.scales).dequantize(jnp.bfloat16)


def operand(name: str, x) -> Operand:
  """An argument as an `Operand`.

  Raises:
    ValueError: the argument has a zero point, or a scale of a shape that is not allowed.
  """
  def dtype_of(x):  # as in Qwix, where a dtype of 8 bits does not decide the dtype of the result
    if x.dtype.itemsize > 1:
      return x.dtype
    return jnp.dtype(jnp.int32 if jnp.issubdtype(x.dtype, jnp.integer) else jnp.bfloat16)

  if not hasattr(x, "qvalue"):
    x = jnp.asarray(operand_argument(name, x))
    return Operand(x, None, dtype_of(x))
  if getattr(x, "zero_point", None) is not None:
    raise ValueError(
        f"{name} has a zero_point; only symmetric quantisation is allowed. Dequantise it, or "
        "quantise it without one.")
  for part in ("qvalue", "scale"):
    operand_argument(f"{name}.{part}", getattr(x, part))
  if x.scale.ndim != x.qvalue.ndim or not all(
      count == size or count and size % count == 0
      for size, count in zip(x.qvalue.shape, x.scale.shape)):
    raise ValueError(
        f"{name} has qvalue of shape {x.qvalue.shape} and scale of shape {x.scale.shape}; a scale "
        "of the same rank is allowed, each of whose sizes is 1 or a divisor. Reshape the scale.")
  return Operand(x.qvalue, x.scale.astype(jnp.float32), dtype_of(x.scale))


def _in_blocks(lhs: Operand, rhs: Operand, product, dtype, options) -> jax.Array:
  """The product of operands that have one contracted dimension, along which scales vary."""
  dims = product.dims
  b, m, n, k = parts(dims)

  def matrices(x: Operand, labels: Labels, own: Labels):
    scales = x.spread(*(i for i, label in enumerate(labels) if label not in k), ones=True)
    return [merged(y, labels, (b, own, k)) for y in (x.values, scales)]

  (left, left_scales), (right, right_scales) = matrices(lhs, dims.lhs, m), matrices(
      rhs, dims.rhs, n)
  out = scaled_matmul(left, right, left_scales, right_scales, dtype, **options)
  return unmerged(out, (b, m, n), dict(zip(dims.out, product.result.shape)), dims.out)


@names_parts
def dot_general(
    lhs,
    rhs,
    dimension_numbers,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
    **options,
) -> jax.Array:
  """`jax.lax.dot_general` of arrays and quantised operands, with the arguments of Qwix's function.

  The kernel applies scales of whole rows and columns of the product, and scales of blocks along one
  contracted dimension if it has these (see `jaxgemm.scaled_matmul`). An operand is dequantised to
  bfloat16 first if its scales vary along several contracted dimensions, or if the other operand is
  an array of a wider dtype that is not quantised.

  Args:
    lhs: an array, or a quantised operand, of any rank.
    rhs: the same.
    dimension_numbers: see `jax.lax.dot_general`.
    precision: see `jaxgemm.matmul`.
    preferred_element_type: dtype of the result. The default is the dtype to which those of the
      operands promote. A quantised operand counts with the dtype of its scale. A dtype of 8 bits
      counts as int32 if it is an integer, else as bfloat16.
    out_sharding: see `jax.lax.dot_general`.
    **options: schedule, reduction, deterministic, config and implementation of `jaxgemm.matmul`.

  Returns:
    An array of the shape that `jax.lax.dot_general` gives.

  Raises:
    ValueError, TypeError: see `jaxgemm.matmul`; or an operand has a zero_point, or a scale of a
      wrong shape.
  """
  lhs, rhs = operand("lhs", lhs), operand("rhs", rhs)
  dtype = preferred_element_type or jnp.result_type(lhs.dtype, rhs.dtype)
  contracted = dimension_numbers[0]
  if lhs.scales is None or rhs.scales is None:
    wide = lhs if lhs.scales is None else rhs
    if wide.values.dtype.itemsize > 1:
      lhs, rhs = (Operand(x.dequantized(), None, x.dtype) for x in (lhs, rhs))
  if lhs.has_blocks(contracted[0]) or rhs.has_blocks(contracted[1]):
    if len(contracted[0]) == 1 and out_sharding is None:
      product = dot_general_product(
          lhs.values, rhs.values, indices(dimension_numbers), Options(preferred_element_type=dtype))
      return _in_blocks(lhs, rhs, product, dtype, options)
    lhs, rhs = (Operand(x.dequantized(), None, x.dtype) for x in (lhs, rhs))
  scales = [x.spread(*(i for i in range(x.values.ndim) if i not in axes))
            for x, axes in zip((lhs, rhs), contracted)]
  return api.dot_general(
      lhs.values, rhs.values, dimension_numbers, precision, dtype, out_sharding=out_sharding,
      scale_lhs=scales[0], scale_rhs=scales[1], **options)
