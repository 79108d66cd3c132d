"""A dense product as XLA computes it: whether it is faster there, and its operations."""

import jax

from jaxgemm import _ffi, epilogue
from jaxgemm import mesh as meshes
from jaxgemm.dense.dimensions import Product
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.primitive import plan_contraction
from jaxgemm.dtypes import promoted_dtype, xla_accumulator_dtype
from jaxgemm.fallback import xla_operands
from jaxgemm.spec import Spec


def reason_faster(lhs, rhs, vectors, product: Product, dims: Dims, spec: Spec) -> str | None:
  """Why XLA's product is known to be faster than the kernels, or None."""
  operands = [jax.ShapeDtypeStruct(
      [size for i, size in enumerate(x.shape) if i not in axes], promoted_dtype(x, other))
      for x, other, axes in ((lhs, rhs, product.dropped[0]), (rhs, lhs, product.dropped[1]))]
  operands += [x for x in vectors if x is not None]
  target = spec.target(_ffi.default_platform())
  return plan_contraction(operands, dims, spec, target)[1]["faster_by_xla"] or None


def results(lhs, rhs, vectors, product: Product, dims: Dims, spec: Spec) -> list[jax.Array]:
  """The product by jax's own function, and the epilogue by jax.numpy."""
  lhs, rhs = xla_operands(lhs, rhs, product.result.dtype)
  if all(x is None for x in vectors) and spec.activation is None:
    return [product.reference(lhs, rhs)]
  not_summed = meshes.unreduced_reason(product.result.sharding)
  if not_summed:
    raise ValueError(
        f"bias, a scale or activation was given, but {not_summed}. Sum the result with "
        "jax.reshard, and apply them to that.")
  acc = product.reference(
      lhs, rhs, preferred_element_type=xla_accumulator_dtype(product.result.dtype))
  return epilogue.apply(acc, dims.out, *vectors, dims=dims, spec=spec)
