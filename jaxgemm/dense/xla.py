"""A dense product by XLA."""

import functools

import jax

from jaxgemm.call import epilogue, xla
from jaxgemm.call.dtypes import xla_accumulator_dtype
from jaxgemm.call.spec import Spec
from jaxgemm.dense.dimensions import Product
from jaxgemm.dense.layout import Dims
from jaxgemm.sharding import mesh as meshes


def results(lhs, rhs, vectors, product: Product, dims: Dims, spec: Spec) -> list[jax.Array]:
  """[out], or [out, preact]: the product by jax's own function, the epilogue by jax.numpy.

  Args:
    vectors: bias, scale and row_scale; None for an absent one.

  Raises:
    ValueError: out has partial sums (unreduced), and there is an epilogue.
  """
  lhs, rhs = xla.operands(lhs, rhs, product.result.dtype)
  if all(x is None for x in vectors) and spec.activation is None and spec.quantize_out is None:
    return [xla.bilinear(product.reference, lhs, rhs)]
  not_summed = meshes.unreduced_reason(product.result.sharding)
  if not_summed:
    raise ValueError(
        f"bias, a scale or activation was given, but {not_summed}. Sum the result with "
        "jax.reshard, and apply them to that.")
  dtype = xla_accumulator_dtype(product.result.dtype)
  acc = xla.bilinear(
      functools.partial(product.reference, preferred_element_type=dtype), lhs, rhs)
  return epilogue.apply(acc, dims.out, *vectors, dims=dims, spec=spec)
