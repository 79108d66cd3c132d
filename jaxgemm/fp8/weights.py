"""Quantised weights of the two products that read them, made now or earlier by `prepare`.

Weights w[..., K, N] are read by the forward pass, which contracts K, and by the gradient of the
other operand, which contracts N. All matrix instructions read 8-bit operands with the contracted
dimension last, so there are two forms of w: [..., N, K] and [..., K, N].
"""

import dataclasses
import functools
from typing import NamedTuple

import jax

from jaxgemm.fp8 import blocks
from jaxgemm.scaled.quantization import Quantized, quantize_rows


class Weights(NamedTuple):
  """The two forms of weights w[..., K, N]. Scales have the rank of their values.

  Attributes:
    forward: [..., N, K], for the product that contracts K.
    gradient: [..., K, N], for the product that contracts N, which is lhs's gradient.
  """

  forward: Quantized
  gradient: Quantized


def weights_of(rhs, kind: str, dtype) -> Weights:
  """The forms of rhs: those that a `PreparedWeight` has, or of an array quantised now.

  Args:
    rhs: an array of shape (..., K, N), or a `PreparedWeight` of any shape.
    kind: the kind of `quantize`; with "tensor" each matrix has a scale, and with "row" each of its
      columns. In blocks K and N are padded with zeros to whole blocks where they are contracted.
    dtype: dtype of the values.
  """
  if isinstance(rhs, PreparedWeight):
    return rhs.forms
  if kind in blocks.BLOCKS:
    return Weights(*blocks.for_both_products(rhs, kind, dtype))
  values, scales = quantize_rows(rhs, (-2, -1) if kind == "tensor" else (-2,), dtype)
  return Weights(Quantized(values.mT, scales.mT), Quantized(values, scales))


@functools.partial(jax.tree_util.register_dataclass, data_fields=("weight", "forms"),
                   meta_fields=("recipe", "contracted"))
@dataclasses.dataclass(frozen=True)
class PreparedWeight:
  """A weight and its quantised forms, a pytree; `prepare` makes it.

  The weight is there for its gradient: that of a product with respect to a prepared weight is a
  `PreparedWeight` whose `weight` is the gradient, and whose other arrays are zeros.

  Attributes:
    weight: the array of shape (..., K, N). K and N may each be several dimensions.
    forms: [..., N, K] and [..., K, N], each with its scales. K and N are one dimension each.
    recipe: a recipe of `jaxgemm.fp8`.
    contracted: which dimensions are K, counted from the last one: (-2,), for example.
  """

  weight: jax.Array
  forms: Weights
  recipe: str
  contracted: tuple[int, ...]

  @property
  def shape(self) -> tuple[int, ...]:
    return self.weight.shape

  @property
  def ndim(self) -> int:
    return self.weight.ndim

  @property
  def dtype(self):
    return self.weight.dtype
